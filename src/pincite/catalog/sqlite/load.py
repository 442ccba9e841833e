"""Rows back into nouns. Derivations load many at a time, never with a query per chunk."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Collection, Sequence
from datetime import date
from typing import Any

from pincite.types import Alias, Chunk, Content, Definition, Derivation, Lifetime, Relation, Span

# CROSS JOIN: SQLite keeps the order of the tables, the wanted numbers first.
_RECIPES = """
    SELECT d.id, r.fingerprint
    FROM json_each(?) wanted CROSS JOIN derivations d ON d.id = wanted.value JOIN recipes r ON r.id = d.recipe
"""
_COLUMNS = """c.derivation, c.number, c.span_start, c.span_end, c.rendered, c.section_id, c.parent_chain, c.chunk_type,
           c.language, c.page, c.context, c.fields"""
"""What `_chunk` reads."""
_CHUNKS = f"""
    SELECT {_COLUMNS}
    FROM json_each(?) wanted CROSS JOIN chunks c ON c.derivation = wanted.value
    ORDER BY c.derivation, c.number
"""
_SOME_CHUNKS = f"""
    SELECT {_COLUMNS}
    FROM json_each(?) wanted
    CROSS JOIN chunks c ON c.derivation = json_extract(wanted.value, '$[0]')
        AND c.number = json_extract(wanted.value, '$[1]')
    ORDER BY c.derivation, c.number
"""
_DEFINITIONS = """
    SELECT d.derivation, d.term, d.text, d.chunk, d.span_start, d.span_end, d.scope
    FROM json_each(?) wanted CROSS JOIN definitions d ON d.derivation = wanted.value
    ORDER BY d.derivation, d.number
"""
_ALIASES = """
    SELECT a.derivation, a.identifier, a.section_id, a.span_start, a.span_end
    FROM json_each(?) wanted CROSS JOIN aliases a ON a.derivation = wanted.value
    ORDER BY a.derivation, a.number
"""
_NAMES = """
    SELECT a.derivation, a.identifier, a.section_id
    FROM json_each(?) wanted CROSS JOIN aliases a ON a.derivation = wanted.value
    WHERE a.span_start IS NULL
    ORDER BY a.derivation, a.number
"""
_RELATIONS = """
    SELECT r.derivation, r.relation_id, r.relation_type, r.source, r.target, r.source_section, r.target_section,
           r.metadata
    FROM json_each(?) wanted CROSS JOIN derived_relations r ON r.derivation = wanted.value
    ORDER BY r.derivation, r.number
"""


def load_derivations(connection: sqlite3.Connection, numbers: Collection[int]) -> dict[int, Derivation]:
    """Derivations by their number."""
    wanted = (json.dumps(sorted(set(numbers))),)
    chunks: defaultdict[int, list[Chunk]] = defaultdict(list)
    for row in connection.execute(_CHUNKS, wanted):
        chunks[row[0]].append(_chunk(row))
    definitions = load_definitions(connection, numbers)
    aliases: defaultdict[int, list[Alias]] = defaultdict(list)
    for number, identifier, section_id, start, end in connection.execute(_ALIASES, wanted):
        span = None if start is None else Span(start, end)
        aliases[number].append(Alias(identifier, section_id, span))
    relations: defaultdict[int, list[Relation]] = defaultdict(list)
    rows = connection.execute(_RELATIONS, wanted).fetchall()
    # A statute may have thousands: their metadata is parsed in one go.
    parsed = json.loads(f"[{','.join(row[-1] for row in rows)}]")
    for (number, name, kind, source, target, source_section, target_section, _), metadata in zip(
        rows, parsed, strict=True
    ):
        made = Relation(name, kind, source, target, source_section, target_section, metadata)
        relations[number].append(made)
    return {
        number: Derivation(
            recipe,
            tuple(chunks[number]),
            tuple(definitions.get(number, ())),
            tuple(aliases[number]),
            tuple(relations[number]),
        )
        for number, recipe in connection.execute(_RECIPES, wanted)
    }


def load_definitions(connection: sqlite3.Connection, numbers: Collection[int]) -> dict[int, list[Definition]]:
    """Definitions by the number of their derivation, in the order of the text."""
    out: defaultdict[int, list[Definition]] = defaultdict(list)
    for number, *columns in connection.execute(_DEFINITIONS, (json.dumps(sorted(set(numbers))),)):
        out[number].append(definition_of(*columns))
    return out


def load_chunks(connection: sqlite3.Connection, pairs: Collection[tuple[int, int]]) -> dict[int, dict[int, Chunk]]:
    """Chunks by the number of their derivation and their own."""
    out: defaultdict[int, dict[int, Chunk]] = defaultdict(dict)
    for row in connection.execute(_SOME_CHUNKS, (json.dumps(sorted(set(pairs))),)):
        out[row[0]][row[1]] = _chunk(row)
    return out


def load_names(connection: sqlite3.Connection, numbers: Collection[int]) -> dict[int, list[Alias]]:
    """Aliases of elements and of whole sections by the number of their derivation, in the order of the text."""
    out: defaultdict[int, list[Alias]] = defaultdict(list)
    for number, identifier, section_id in connection.execute(_NAMES, (json.dumps(sorted(set(numbers))),)):
        out[number].append(Alias(identifier, section_id))
    return out


def content_of(kind: str, element_type: str, name: str, text: str, language: str, metadata: str) -> Content:
    return Content(kind, element_type, name, text, language, json.loads(metadata))


def lifetime_of(
    number: int,
    element_id: str,
    version_id: str,
    recipe: str,
    born: int,
    died: int,
    valid_from: str | None,
    valid_to: str | None,
    roles: str,
) -> Lifetime:
    return Lifetime(
        number,
        element_id,
        version_id,
        recipe,
        born,
        died,
        date.fromisoformat(valid_from) if valid_from else None,
        date.fromisoformat(valid_to) if valid_to else None,
        frozenset() if roles == "[]" else frozenset(json.loads(roles)),
    )


def relation_of(columns: Sequence[str]) -> Relation:
    """From the columns of `prepare.relation_row`."""
    relation_id, relation_type, source, target, source_section, target_section, metadata = columns
    return Relation(relation_id, relation_type, source, target, source_section, target_section, json.loads(metadata))


def definition_of(term: str, text: str, chunk: int, start: int | None, end: int | None, scope: str) -> Definition:
    return Definition(term, text, chunk, _span(start, end), scope)


def _chunk(row: tuple[Any, ...]) -> Chunk:
    _, number, start, end, rendered, section_id, chain, chunk_type, language, page, context, fields = row
    parent_chain = () if chain == "[]" else tuple(json.loads(chain))
    more = () if fields == "[]" else tuple((name, text) for name, text in json.loads(fields))
    return Chunk(
        number, _span(start, end), rendered, section_id, parent_chain, chunk_type, language, page, context, more
    )


def _span(start: int | None, end: int | None) -> Span | None:
    return None if start is None or end is None else Span(start, end)
