"""Edges between elements, and what terms and identifiers lead to."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Sequence
from typing import Literal

from pincite.catalog.folding import fold_identifier, fold_term
from pincite.catalog.sqlite.connection import Database
from pincite.catalog.sqlite.load import definition_of, relation_of
from pincite.catalog.sqlite.repositories import number_of
from pincite.catalog.sqlite.visibility import VISIBLE, bind, ids_json
from pincite.ids import normalise_id
from pincite.types import Around, Called, Callees, Definition, Edges, Relation, Scope, View

# Two halves rather than an OR, so that each uses its index.
# CROSS JOIN: SQLite keeps the order of the tables, the few wanted ids first.
_STATED = """
    SELECT r.relation_id, r.relation_type, r.source, r.target, r.source_section, r.target_section, r.metadata
    FROM json_each(:sources) wanted CROSS JOIN relations r ON r.repository = :repository AND r.source = wanted.value
    WHERE r.born <= :revision AND :revision < r.died
    UNION
    SELECT r.relation_id, r.relation_type, r.source, r.target, r.source_section, r.target_section, r.metadata
    FROM json_each(:targets) wanted CROSS JOIN relations r ON r.repository = :repository AND r.target = wanted.value
    WHERE r.born <= :revision AND :revision < r.died
"""
_DERIVED = f"""
    SELECT r.relation_id, r.relation_type, r.source, r.target, r.source_section, r.target_section, r.metadata
    FROM json_each(:sources) wanted
    CROSS JOIN derived_relations r ON r.repository = :repository AND r.source = wanted.value
    JOIN lifetimes l ON l.derivation = r.derivation
    WHERE {VISIBLE}
    UNION
    SELECT r.relation_id, r.relation_type, r.source, r.target, r.source_section, r.target_section, r.metadata
    FROM json_each(:targets) wanted
    CROSS JOIN derived_relations r ON r.repository = :repository AND r.target = wanted.value
    JOIN lifetimes l ON l.derivation = r.derivation
    WHERE {VISIBLE}
"""
# For each end that is alive at the revision: whether the view may read it.
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
    SELECT DISTINCT a.folded, e.element_id, a.section_id
    FROM json_each(:folded) wanted
    CROSS JOIN aliases a ON a.repository = :repository AND a.folded = wanted.value
    JOIN lifetimes l ON l.derivation = a.derivation
    JOIN elements e ON e.id = l.element
    WHERE {VISIBLE}
    ORDER BY a.folded, e.element_id, a.section_id
"""


class SqliteRelations:
    def __init__(self, database: Database) -> None:
        self._database = database

    def of(self, view: View, element_id: str, direction: Literal["out", "in", "both"] = "both") -> tuple[Relation, ...]:
        """Relations of the element that the view may read, by id.

        A target that is not alive at the revision counts as unknown, and the relation is shown.
        """
        one = (element_id,)
        wanted = Around(view, one if direction != "in" else (), one if direction != "out" else ())
        with self._database.read() as connection:
            return _edges(connection, wanted).relations

    def of_many(self, wanted: Iterable[Around]) -> tuple[Edges, ...]:
        """Relations of many ids, each view's by id."""
        with self._database.read() as connection:
            return tuple(_edges(connection, item) for item in wanted)

    def called(self, wanted: Iterable[Called]) -> tuple[Callees, ...]:
        """Which ids are elements of the view, and what identifiers lead to."""
        with self._database.read() as connection:
            return tuple(_callees(connection, item) for item in wanted)

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
            return _named(connection, bind(connection, view), [identifier])[identifier]


def _edges(connection: sqlite3.Connection, wanted: Around) -> Edges:
    values = {**bind(connection, wanted.view), "sources": ids_json(wanted.sources), "targets": ids_json(wanted.targets)}
    rows = {*connection.execute(_STATED, values), *connection.execute(_DERIVED, values)}
    readable = _readable_ends(connection, values, (end for row in rows for end in row[2:4])) if rows else {}
    # An end without an entry is not alive here: fine for a target, not for a source.
    shown = [row for row in rows if readable.get(row[2], False) and readable.get(row[3], True)]
    elements = frozenset(end for end, may_read in readable.items() if may_read)
    return Edges(tuple(relation_of(row) for row in sorted(shown)), elements)


def _callees(connection: sqlite3.Connection, wanted: Called) -> Callees:
    values = bind(connection, wanted.view)
    readable = _readable_ends(connection, values, wanted.ids) if wanted.ids else {}
    elements = frozenset(end for end, may_read in readable.items() if may_read)
    return Callees(elements, _named(connection, values, wanted.identifiers) if wanted.identifiers else {})


def _readable_ends(connection: sqlite3.Connection, values: dict[str, object], ends: Iterable[str]) -> dict[str, bool]:
    rows = connection.execute(_ENDS, {**values, "ids": ids_json(ends)})
    return {element_id: bool(visible) for element_id, visible in rows}


def _named(
    connection: sqlite3.Connection, values: dict[str, object], identifiers: Sequence[str]
) -> dict[str, tuple[tuple[str, str], ...]]:
    """(element id, section id) pairs by identifier."""
    folded = {identifier: fold_identifier(identifier) for identifier in identifiers}
    pairs: dict[str, list[tuple[str, str]]] = {key: [] for key in folded.values()}
    rows = connection.execute(_RESOLVE, {**values, "folded": json.dumps(sorted(pairs), ensure_ascii=False)})
    for key, element_id, section_id in rows:
        pairs[key].append((element_id, section_id))
    return {identifier: tuple(pairs[key]) for identifier, key in folded.items()}
