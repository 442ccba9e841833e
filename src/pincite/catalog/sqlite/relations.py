"""Edges between elements, and what terms and identifiers lead to."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable
from typing import Literal

from pincite.catalog.folding import fold_identifier, fold_term
from pincite.catalog.sqlite.connection import Database
from pincite.catalog.sqlite.load import definition_of, relation_of
from pincite.catalog.sqlite.repositories import number_of
from pincite.catalog.sqlite.visibility import VISIBLE, bind
from pincite.ids import normalise_id
from pincite.types import Definition, Relation, Scope, View

# Two halves rather than an OR, so that each uses its index.
_STATED = """
    SELECT relation_id, relation_type, source, target, source_section, target_section, metadata
    FROM relations
    WHERE :out AND repository = :repository AND source = :element_id AND born <= :revision AND :revision < died
    UNION
    SELECT relation_id, relation_type, source, target, source_section, target_section, metadata
    FROM relations
    WHERE :in AND repository = :repository AND target = :element_id AND born <= :revision AND :revision < died
"""
_DERIVED = f"""
    SELECT r.relation_id, r.relation_type, r.source, r.target, r.source_section, r.target_section, r.metadata
    FROM derived_relations r JOIN lifetimes l ON l.derivation = r.derivation
    WHERE :out AND r.repository = :repository AND r.source = :element_id AND {VISIBLE}
    UNION
    SELECT r.relation_id, r.relation_type, r.source, r.target, r.source_section, r.target_section, r.metadata
    FROM derived_relations r JOIN lifetimes l ON l.derivation = r.derivation
    WHERE :in AND r.repository = :repository AND r.target = :element_id AND {VISIBLE}
"""
# For each end that is alive at the revision: whether the view may read it.
# CROSS JOIN: SQLite keeps the order of the tables, the few wanted ids first.
_ENDS = f"""
    SELECT e.element_id, max({VISIBLE})
    FROM json_each(:ids) wanted
    CROSS JOIN elements e ON e.repository = :repository AND e.element_id = wanted.value
    JOIN lifetimes l ON l.element = e.id
    WHERE l.born <= :revision AND :revision < l.died
    GROUP BY e.element_id
"""
_STATED_AROUND = """
    SELECT r.relation_id, r.relation_type, r.source, r.target, r.source_section, r.target_section, r.metadata
    FROM json_each(:elements) wanted CROSS JOIN relations r ON r.repository = :repository AND r.source = wanted.value
    WHERE r.born <= :revision AND :revision < r.died
    UNION
    SELECT r.relation_id, r.relation_type, r.source, r.target, r.source_section, r.target_section, r.metadata
    FROM json_each(:elements) wanted CROSS JOIN relations r ON r.repository = :repository AND r.target = wanted.value
    WHERE r.born <= :revision AND :revision < r.died
    UNION
    SELECT r.relation_id, r.relation_type, r.source, r.target, r.source_section, r.target_section, r.metadata
    FROM json_each(:relations) wanted
    CROSS JOIN relations r ON r.repository = :repository AND r.relation_id = wanted.value
    WHERE r.born <= :revision AND :revision < r.died
    ORDER BY 1
"""
_DEFINITIONS = f"""
    SELECT e.element_id, v.version_id, t.term, t.text, t.chunk, t.span_start, t.span_end, t.scope
    FROM definitions t
    JOIN lifetimes l ON l.derivation = t.derivation
    JOIN elements e ON e.id = l.element
    JOIN derivations d ON d.id = t.derivation
    JOIN versions v ON v.id = d.version
    WHERE t.repository = :repository AND t.folded = :folded AND {VISIBLE}
    ORDER BY e.element_id, t.number
"""
_TERMS = f"""
    SELECT min(t.term)
    FROM definitions t
    JOIN lifetimes l ON l.derivation = t.derivation
    WHERE t.repository = :repository AND {VISIBLE}
    GROUP BY t.folded
    ORDER BY t.folded
"""
_RESOLVE = f"""
    SELECT DISTINCT e.element_id, a.section_id
    FROM aliases a
    JOIN lifetimes l ON l.derivation = a.derivation
    JOIN elements e ON e.id = l.element
    WHERE a.repository = :repository AND a.folded = :folded AND {VISIBLE}
    ORDER BY e.element_id, a.section_id
"""


class SqliteRelations:
    def __init__(self, database: Database) -> None:
        self._database = database

    def of(self, view: View, element_id: str, direction: Literal["out", "in", "both"] = "both") -> tuple[Relation, ...]:
        """Relations of the element that the view may read, by id.

        A target that is not alive at the revision counts as unknown, and the relation is shown.
        """
        with self._database.read() as connection:
            values = {
                **bind(connection, view),
                "element_id": normalise_id(element_id),
                "out": direction in ("out", "both"),
                "in": direction in ("in", "both"),
            }
            rows = {*connection.execute(_STATED, values), *connection.execute(_DERIVED, values)}
            readable = _readable_ends(connection, values, (end for row in rows for end in row[2:4]))
        # An end without an entry is not alive here: fine for a target, not for a source.
        shown = [row for row in rows if readable.get(row[2], False) and readable.get(row[3], True)]
        return tuple(relation_of(row) for row in sorted(shown))

    def stated(
        self, scope: Scope, revision: int, *, element_ids: Collection[str] = (), relation_ids: Collection[str] = ()
    ) -> tuple[Relation, ...]:
        """Relations put by commits and alive at the revision, by id: around these elements, or with one of the ids."""
        with self._database.read() as connection:
            values = {
                "repository": number_of(connection, scope),
                "revision": revision,
                "elements": json.dumps(sorted({normalise_id(element_id) for element_id in element_ids})),
                "relations": json.dumps(sorted({normalise_id(relation_id) for relation_id in relation_ids})),
            }
            return tuple(relation_of(row) for row in connection.execute(_STATED_AROUND, values))

    def definitions(self, view: View, term: str) -> tuple[tuple[str, str, Definition], ...]:
        """(element id, version id, definition) for a term."""
        with self._database.read() as connection:
            values = {**bind(connection, view), "folded": fold_term(term)}
            rows = connection.execute(_DEFINITIONS, values)
            return tuple((row[0], row[1], definition_of(*row[2:])) for row in rows)

    def terms(self, view: View) -> tuple[str, ...]:
        """The terms that something visible defines, in order; of several spellings, the first."""
        with self._database.read() as connection:
            return tuple(row[0] for row in connection.execute(_TERMS, bind(connection, view)))

    def resolve(self, view: View, identifier: str) -> tuple[tuple[str, str], ...]:
        """(element id, section id) pairs that an alias names."""
        with self._database.read() as connection:
            values = {**bind(connection, view), "folded": fold_identifier(identifier)}
            return tuple((row[0], row[1]) for row in connection.execute(_RESOLVE, values))


def _readable_ends(connection: sqlite3.Connection, values: dict[str, object], ends: Iterable[str]) -> dict[str, bool]:
    rows = connection.execute(_ENDS, {**values, "ids": json.dumps(sorted(set(ends)))})
    return {element_id: bool(visible) for element_id, visible in rows}
