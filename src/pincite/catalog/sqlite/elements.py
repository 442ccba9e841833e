"""Reading elements: by view, by version, through time."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any, Literal

from pincite.catalog.sqlite.connection import Database
from pincite.catalog.sqlite.load import (
    content_of,
    lifetime_of,
    load_chunks,
    load_definitions,
    load_derivations,
    load_names,
)
from pincite.catalog.sqlite.repositories import head_of, number_of, scopes_json
from pincite.catalog.sqlite.visibility import VISIBLE, bind, ids_json
from pincite.errors import NotFound
from pincite.ids import erasure_key, normalise_id
from pincite.types import (
    Alias,
    AliveState,
    Chunk,
    Content,
    CutVersion,
    Definition,
    Derivation,
    ElementChange,
    Excerpt,
    Lifetime,
    LiveElement,
    Scope,
    Tombstone,
    Version,
    View,
)

MIN_PREFIX = 8

# CROSS JOIN: SQLite keeps the order of the tables, the few wanted ids first.
_GET = f"""
    SELECT l.id, e.element_id, v.version_id, r.fingerprint, l.born, l.died, l.valid_from, l.valid_to, l.roles,
           v.kind, v.element_type, v.name, v.text, v.language, v.metadata, d.id
    FROM json_each(:ids) wanted
    CROSS JOIN elements e ON e.repository = :repository AND e.element_id = wanted.value
    JOIN lifetimes l ON l.element = e.id
    JOIN derivations d ON d.id = l.derivation
    JOIN versions v ON v.id = d.version
    JOIN recipes r ON r.id = d.recipe
    WHERE {VISIBLE}
"""
# CROSS JOIN: SQLite keeps the order of the tables, the wanted ids first.
_ALIVE = """
    SELECT l.id, e.element_id, v.version_id, r.fingerprint, l.born, l.died, l.valid_from, l.valid_to, l.roles,
           v.kind, v.element_type, v.name, v.text, v.language, v.metadata
    FROM json_each(:ids) wanted
    CROSS JOIN elements e ON e.repository = :repository AND e.element_id = wanted.value
    JOIN lifetimes l ON l.element = e.id AND l.born <= :revision AND :revision < l.died
    JOIN derivations d ON d.id = l.derivation
    JOIN versions v ON v.id = d.version
    JOIN recipes r ON r.id = d.recipe
    ORDER BY e.element_id, l.valid_from, l.id
"""
# [tenant, organization, repository, element, version, recipe, lifetime] each.
_CUT = """
    FROM json_each(?) wanted
    CROSS JOIN repositories p ON p.tenant = json_extract(wanted.value, '$[0]')
        AND p.organization = json_extract(wanted.value, '$[1]') AND p.name = json_extract(wanted.value, '$[2]')
    CROSS JOIN elements e ON e.repository = p.id AND e.element_id = json_extract(wanted.value, '$[3]')
    CROSS JOIN versions v ON v.element = e.id AND v.version_id = json_extract(wanted.value, '$[4]')
"""
_EXCERPTS = f"""
    SELECT wanted.key, d.id, v.kind, v.element_type, v.name, v.text, v.language, v.metadata,
           l.id, l.born, l.died, l.valid_from, l.valid_to, l.roles
    {_CUT}
    JOIN recipes r ON r.repository = p.id AND r.fingerprint = json_extract(wanted.value, '$[5]')
    JOIN derivations d ON d.version = v.id AND d.recipe = r.id
    LEFT JOIN lifetimes l ON l.id = json_extract(wanted.value, '$[6]') AND l.derivation = d.id
"""
_HEADERS = f"SELECT wanted.key, v.kind, v.element_type, v.name, '', v.language, v.metadata {_CUT}"
# Version ids are lower-case hex, so everything that begins with a prefix lies below prefix || 'g'.
_VERSION = """
    SELECT v.id, v.version_id, v.kind, v.element_type, v.name, v.text, v.language, v.metadata
    FROM elements e
    JOIN versions v ON v.element = e.id AND v.version_id >= :prefix AND v.version_id < :prefix || 'g'
    WHERE e.repository = :repository AND e.element_id = :element_id
    LIMIT 2
"""
_DERIVATION = """
    SELECT d.id
    FROM derivations d
    JOIN recipes r ON r.id = d.recipe
    JOIN lifetimes l ON l.derivation = d.id
    WHERE d.version = :version AND (:recipe = '' OR r.fingerprint = :recipe)
    ORDER BY l.born DESC, l.id DESC
    LIMIT 1
"""
_HISTORY = """
    SELECT l.id, e.element_id, v.version_id, r.fingerprint, l.born, l.died, l.valid_from, l.valid_to, l.roles
    FROM elements e
    JOIN lifetimes l ON l.element = e.id
    JOIN derivations d ON d.id = l.derivation
    JOIN versions v ON v.id = d.version
    JOIN recipes r ON r.id = d.recipe
    WHERE e.repository = ? AND e.element_id = ?
    ORDER BY l.born, l.valid_from, l.id
"""
# The upper end of a prefix range: no stored text sorts above the last code point.
_IDS = f"""
    SELECT e.element_id
    FROM elements e
    WHERE e.repository = :repository
      AND e.element_id > :after AND e.element_id >= :prefix AND e.element_id <= :prefix || char(1114111)
      AND EXISTS (SELECT 1 FROM lifetimes l WHERE l.element = e.id AND {VISIBLE})
    ORDER BY e.element_id
    LIMIT :limit
"""
_DIFF = """
    WITH touched AS (
        SELECT element FROM lifetimes WHERE repository = :repository AND born > :low AND born <= :high
        UNION
        SELECT element FROM lifetimes WHERE repository = :repository AND died > :low AND died <= :high
    )
    SELECT e.element_id, v.name, v.version_id, d.recipe, l.roles, l.valid_from, l.valid_to,
           l.born <= :old AND :old < l.died, l.born <= :new AND :new < l.died
    FROM touched
    JOIN elements e ON e.id = touched.element
    JOIN lifetimes l ON l.element = e.id AND ((l.born <= :old AND :old < l.died) OR (l.born <= :new AND :new < l.died))
    JOIN derivations d ON d.id = l.derivation
    JOIN versions v ON v.id = d.version
    ORDER BY e.element_id, l.valid_from, l.id
"""
_TOMBSTONES = """
    SELECT t.erasure_key, t.time, t.reason, t.author
    FROM json_each(?) wanted CROSS JOIN tombstones t ON t.repository = ? AND t.erasure_key = wanted.value
    ORDER BY t.purge
"""


class SqliteElements:
    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, view: View, element_id: str) -> LiveElement | None:
        """The element as the view sees it."""
        with self._database.read() as connection:
            return _seen(connection, view, [element_id]).get(normalise_id(element_id))

    def get_many(self, wanted: Mapping[View, Collection[str]]) -> dict[View, dict[str, LiveElement]]:
        """Elements as the views see them, by view and id."""
        with self._database.read() as connection:
            return {view: _seen(connection, view, ids) for view, ids in wanted.items()}

    def excerpts(
        self, wanted: Mapping[CutVersion, Collection[int]], *, names: bool = False
    ) -> dict[CutVersion, Excerpt]:
        """Versions with some of their chunks, their definitions and the chunks that hold these."""
        asked = tuple(wanted)
        with self._database.read() as connection:
            rows = connection.execute(_EXCERPTS, (_cut_json(asked),)).fetchall()
            numbers = {row[1] for row in rows}
            defined = load_definitions(connection, numbers)
            pairs = {(row[1], number) for row in rows for number in wanted[asked[row[0]]]}
            pairs |= {(number, definition.chunk) for number, found in defined.items() for definition in found}
            chunks = load_chunks(connection, pairs)
            called = load_names(connection, numbers) if names else {}
        return {
            asked[row[0]]: _excerpt(asked[row[0]], row, chunks.get(row[1], {}), defined.get(row[1], ()), called)
            for row in rows
        }

    def headers(self, wanted: Collection[CutVersion]) -> dict[CutVersion, Content]:
        """What versions are, without their texts."""
        asked = tuple(wanted)
        with self._database.read() as connection:
            rows = connection.execute(_HEADERS, (_cut_json(asked),))
            return {asked[at]: content_of(*columns) for at, *columns in rows}

    def alive(self, scope: Scope, revision: int, element_ids: Collection[str]) -> dict[str, tuple[AliveState, ...]]:
        """All states of these elements that are alive at the revision, by id, regardless of who may read them."""
        wanted = json.dumps(sorted({normalise_id(element_id) for element_id in element_ids}))
        with self._database.read() as connection:
            values = {"repository": number_of(connection, scope), "revision": revision, "ids": wanted}
            rows = connection.execute(_ALIVE, values).fetchall()
        return {
            element_id: tuple(AliveState(lifetime_of(*row[:9]), content_of(*row[9:])) for row in states)
            for element_id, states in groupby(rows, key=lambda row: str(row[1]))
        }

    def version(self, scope: Scope, element_id: str, version_id: str) -> Version | None:
        """A version by its id or a unique prefix of it, alive or not."""
        element_id = normalise_id(element_id)
        with self._database.read() as connection:
            row = _find_version(connection, scope, element_id, version_id)
        return Version(scope, element_id, row[1], content_of(*row[2:])) if row else None

    def derivation(self, scope: Scope, element_id: str, version_id: str, recipe: str = "") -> Derivation | None:
        """How a version was cut: by `recipe`, or most recently."""
        with self._database.read() as connection:
            version = _find_version(connection, scope, normalise_id(element_id), version_id)
            if version is None:
                return None
            row = connection.execute(_DERIVATION, {"version": version[0], "recipe": recipe}).fetchone()
            return load_derivations(connection, [row[0]])[row[0]] if row else None

    def history(self, scope: Scope, element_id: str) -> tuple[Lifetime, ...]:
        """All lifetimes, oldest first."""
        with self._database.read() as connection:
            rows = connection.execute(_HISTORY, (number_of(connection, scope), normalise_id(element_id)))
            return tuple(lifetime_of(*row) for row in rows)

    def ids(self, view: View, *, prefix: str = "", after: str = "", limit: int | None = None) -> tuple[str, ...]:
        """Visible element ids in code-point order, which is the byte order of UTF-8."""
        with self._database.read() as connection:
            values = {
                **bind(connection, view),
                "prefix": normalise_id(prefix),
                "after": normalise_id(after),
                "limit": -1 if limit is None else max(0, limit),
            }
            return tuple(element_id for (element_id,) in connection.execute(_IDS, values))

    def diff(self, scope: Scope, old: int, new: int) -> tuple[ElementChange, ...]:
        """What `new` has that `old` has not, by element id. Revision 0 is empty."""
        with self._database.read() as connection:
            repository = number_of(connection, scope)
            head = head_of(connection, repository)
            for revision in (old, new):
                if not 0 <= revision <= head:
                    raise NotFound(f"{scope.repository!r} has no revision {revision}; its head is {head}")
            values = {"repository": repository, "old": old, "new": new, "low": min(old, new), "high": max(old, new)}
            rows = connection.execute(_DIFF, values).fetchall()
        changes = (_change(element_id, list(states)) for element_id, states in groupby(rows, key=lambda r: str(r[0])))
        return tuple(change for change in changes if change is not None)

    def tombstone(self, scope: Scope, element_id: str) -> Tombstone | None:
        """When and why the element was erased; still there if it has been put again since."""
        return self.tombstones(scope, [element_id]).get(normalise_id(element_id))

    def tombstones(self, scope: Scope, element_ids: Collection[str]) -> dict[str, Tombstone]:
        """By id, the last erasure of each element that was erased once."""
        keys = {erasure_key(scope, element_id): element_id for element_id in map(normalise_id, element_ids)}
        with self._database.read() as connection:
            rows = connection.execute(_TOMBSTONES, (json.dumps(list(keys)), number_of(connection, scope)))
            return {keys[row[0]]: Tombstone(*row[1:]) for row in rows}


def _seen(connection: sqlite3.Connection, view: View, element_ids: Iterable[str]) -> dict[str, LiveElement]:
    """The elements that the view sees, by id."""
    rows = connection.execute(_GET, {**bind(connection, view), "ids": ids_json(element_ids)}).fetchall()
    derivations = load_derivations(connection, [row[15] for row in rows]) if rows else {}
    out: dict[str, LiveElement] = {}
    for row in rows:
        version = Version(view.scope, row[1], row[2], content_of(*row[9:15]))
        out.setdefault(row[1], LiveElement(version, lifetime_of(*row[:9]), derivations[row[15]]))
    return out


def _cut_json(wanted: Sequence[CutVersion]) -> str:
    return scopes_json([item.scope for item in wanted], *zip(*(item[1:] for item in wanted), strict=True))


def _excerpt(
    cut: CutVersion,
    row: tuple[Any, ...],
    chunks: Mapping[int, Chunk],
    definitions: Iterable[Definition],
    called: Mapping[int, list[Alias]],
) -> Excerpt:
    """From a row of `_EXCERPTS`."""
    version = Version(cut.scope, cut.element_id, cut.version_id, content_of(*row[2:8]))
    known = row[8] is not None  # the lifetime
    lifetime = lifetime_of(row[8], cut.element_id, cut.version_id, cut.recipe, *row[9:]) if known else None
    return Excerpt(version, lifetime, chunks, tuple(definitions), tuple(called.get(row[1], ())))


def _find_version(
    connection: sqlite3.Connection, scope: Scope, element_id: str, version_id: str
) -> tuple[Any, ...] | None:
    if len(version_id) < MIN_PREFIX:
        return None
    values = {"repository": number_of(connection, scope), "element_id": element_id, "prefix": version_id}
    rows = connection.execute(_VERSION, values).fetchall()
    return rows[0] if len(rows) == 1 else None


def _change(element_id: str, rows: list[tuple[Any, ...]]) -> ElementChange | None:
    """One line of a diff; None when the element died and was born again as it was."""
    before = [row for row in rows if row[7]]
    after = [row for row in rows if row[8]]
    change = _kind_of_change(before, after)
    if change is None:
        return None
    name = (after or before)[0][1]
    return ElementChange(element_id, name, change, tuple(r[2] for r in before), tuple(r[2] for r in after))


def _kind_of_change(
    before: list[tuple[Any, ...]], after: list[tuple[Any, ...]]
) -> Literal["added", "removed", "changed", "rederived", "access"] | None:
    def differ(columns: slice) -> bool:
        return _set(before, columns) != _set(after, columns)

    if not before:
        return "added"
    if not after:
        return "removed"
    if differ(slice(2, 3)):
        return "changed"
    if differ(slice(2, 4)):
        return "rederived"
    return "access" if differ(slice(2, 7)) else None


def _set(rows: Iterable[tuple[Any, ...]], columns: slice) -> set[tuple[Any, ...]]:
    return {row[columns] for row in rows}
