"""Writes a draft: versions, derivations and recipes that are new, lifetimes that begin and end."""

from __future__ import annotations

import sqlite3

from pincite.catalog.folding import fold_identifier, fold_term
from pincite.catalog.prepare import PreparedState, embedded_text_hash, fields_json, relation_row, to_json
from pincite.catalog.sqlite.draft import Draft
from pincite.types import FOREVER, JsonValue

_FIND_ELEMENT = "SELECT id FROM elements WHERE repository = ? AND element_id = ?"
_INSERT_ELEMENT = "INSERT INTO elements (repository, element_id) VALUES (?, ?)"
_FIND_VERSION = "SELECT id FROM versions WHERE element = ? AND version_id = ?"
_INSERT_VERSION = """
    INSERT INTO versions (repository, element, version_id, kind, element_type, name, language, metadata, text)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_FIND_RECIPE = "SELECT id FROM recipes WHERE repository = ? AND fingerprint = ?"
_INSERT_RECIPE = "INSERT INTO recipes (repository, fingerprint) VALUES (?, ?)"
_FIND_DERIVATION = "SELECT id FROM derivations WHERE version = ? AND recipe = ?"
_INSERT_DERIVATION = "INSERT INTO derivations (repository, version, recipe, digest) VALUES (?, ?, ?, ?)"
_INSERT_CHUNK = """
    INSERT INTO chunks (derivation, number, repository, text_hash, span_start, span_end, section_id, parent_chain,
                        chunk_type, language, page, context, rendered, fields)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_INSERT_DEFINITION = """
    INSERT INTO definitions (derivation, number, repository, term, folded, text, chunk, span_start, span_end, scope)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_INSERT_ALIAS = """
    INSERT INTO aliases (derivation, number, repository, identifier, folded, section_id, span_start, span_end)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
"""
_INSERT_DERIVED_RELATION = """
    INSERT INTO derived_relations (derivation, number, repository, relation_id, relation_type, source, target,
                                   source_section, target_section, metadata)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_END_LIFETIME = "UPDATE lifetimes SET died = ? WHERE id = ?"
_INSERT_LIFETIME = f"""
    INSERT INTO lifetimes (repository, element, derivation, born, died, roles, valid_from, valid_to)
    VALUES (?, ?, ?, ?, {FOREVER}, ?, ?, ?)
"""
_END_RELATION = "UPDATE relations SET died = ? WHERE id = ?"
_INSERT_RELATION = f"""
    INSERT INTO relations (relation_id, relation_type, source, target, source_section, target_section, metadata,
                           repository, born, died)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, {FOREVER})
"""


def store(connection: sqlite3.Connection, repository: int, revision: int, draft: Draft) -> bool:
    """Write what the draft changes as of `revision`; False when it changes nothing."""
    changed = False
    recipes: dict[str, int] = {}
    for element_id, element in draft.elements.items():
        ended = [(revision, row) for key, row in element.before.items() if key not in element.after]
        begun = [state for key, state in element.after.items() if state is not None and key not in element.before]
        connection.executemany(_END_LIFETIME, ended)
        if begun:
            number = _number(connection, _FIND_ELEMENT, _INSERT_ELEMENT, (repository, element_id))
            for state in begun:
                _begin(connection, repository, number, revision, state, recipes)
        changed = changed or bool(ended or begun)
    for relation in draft.relations.values():
        if relation.before == relation.after:
            continue
        changed = True
        if relation.before is not None:
            connection.execute(_END_RELATION, (revision, relation.row_id))
        if relation.after is not None:
            connection.execute(_INSERT_RELATION, (*relation.after, repository, revision))
    return changed


def _begin(
    connection: sqlite3.Connection,
    repository: int,
    element: int,
    revision: int,
    state: PreparedState,
    recipes: dict[str, int],
) -> None:
    version_id, recipe, roles, valid_from, valid_to = state.key
    if recipe not in recipes:
        recipes[recipe] = _number(connection, _FIND_RECIPE, _INSERT_RECIPE, (repository, recipe))
    version = _version(connection, repository, element, version_id, state)
    found = connection.execute(_FIND_DERIVATION, (version, recipes[recipe])).fetchone()
    derivation = found[0] if found else _derivation(connection, repository, version, recipes[recipe], state)
    connection.execute(_INSERT_LIFETIME, (repository, element, derivation, revision, roles, valid_from, valid_to))


def _version(
    connection: sqlite3.Connection, repository: int, element: int, version_id: str, state: PreparedState
) -> int:
    found = connection.execute(_FIND_VERSION, (element, version_id)).fetchone()
    if found:
        return int(found[0])
    c = state.content
    row = (repository, element, version_id, c.kind, c.element_type, c.name, c.language, state.metadata, c.text)
    return _inserted(connection.execute(_INSERT_VERSION, row))


def _derivation(
    connection: sqlite3.Connection, repository: int, version: int, recipe: int, state: PreparedState
) -> int:
    number = _inserted(connection.execute(_INSERT_DERIVATION, (repository, version, recipe, state.digest)))
    made = state.derivation
    connection.executemany(
        _INSERT_CHUNK,
        [
            (
                number,
                c.number,
                repository,
                embedded_text_hash(c, state.content.text),
                c.span.start if c.span else None,
                c.span.end if c.span else None,
                c.section_id,
                to_json(list[JsonValue](c.parent_chain)),
                c.chunk_type,
                c.language,
                c.page,
                c.context,
                c.rendered,
                fields_json(c),
            )
            for c in made.chunks
        ],
    )
    connection.executemany(
        _INSERT_DEFINITION,
        [
            (
                number,
                position,
                repository,
                d.term,
                fold_term(d.term),
                d.text,
                d.chunk,
                d.span.start if d.span else None,
                d.span.end if d.span else None,
                d.scope,
            )
            for position, d in enumerate(made.definitions)
        ],
    )
    connection.executemany(
        _INSERT_ALIAS,
        [
            (
                number,
                position,
                repository,
                a.identifier,
                fold_identifier(a.identifier),
                a.section_id,
                a.span.start if a.span else None,
                a.span.end if a.span else None,
            )
            for position, a in enumerate(made.aliases)
        ],
    )
    connection.executemany(
        _INSERT_DERIVED_RELATION,
        [(number, position, repository, *relation_row(r)) for position, r in enumerate(made.relations)],
    )
    return number


def _number(connection: sqlite3.Connection, find: str, insert: str, key: tuple[int, str]) -> int:
    """The row's number; the row is inserted when it is missing."""
    found = connection.execute(find, key).fetchone()
    return int(found[0]) if found else _inserted(connection.execute(insert, key))


def _inserted(cursor: sqlite3.Cursor) -> int:
    assert cursor.lastrowid is not None
    return cursor.lastrowid
