"""What is remembered of sources: which of their items gave which element, and how they looked then."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable

from pincite.bookkeeping import UNREAD_SIZE, SourceChange, SourceElement, SourceItem
from pincite.catalog.sqlite.connection import Database
from pincite.catalog.sqlite.repositories import number_of
from pincite.errors import Conflict
from pincite.ids import normalise_id
from pincite.types import Scope

_ITEMS = """
    SELECT name, size, mtime_ns, digest, recipe, validator, elements
    FROM source_items
    WHERE repository = ? AND source = ?
"""
# CROSS JOIN: SQLite keeps the order of the tables, the wanted names first.
_ELEMENTS = """
    SELECT e.element_id, i.name, e.digest, e.relations
    FROM json_each(:items) wanted
    CROSS JOIN source_items i ON i.repository = :repository AND i.source = :source AND i.name = wanted.value
    CROSS JOIN source_elements e ON e.item = i.id AND e.element_id > :after
    ORDER BY e.element_id
    LIMIT :limit
"""
_OWNERS = """
    SELECT i.source, e.element_id, i.name, e.digest, e.relations
    FROM json_each(:ids) wanted
    CROSS JOIN source_elements e ON e.repository = :repository AND e.element_id = wanted.value
    JOIN source_items i ON i.id = e.item
"""
_FOREIGN = """
    SELECT e.element_id
    FROM json_each(:ids) wanted
    CROSS JOIN source_elements e ON e.repository = :repository AND e.element_id = wanted.value
    JOIN source_items i ON i.id = e.item
    WHERE i.source <> :source
    LIMIT 1
"""
# An item that both sources have stays as this one's, and takes the elements of the other; it is read again.
_JOIN_ELEMENTS = """
    UPDATE source_elements SET item = twin.mine
    FROM (
        SELECT mine.id AS mine, theirs.id AS theirs
        FROM source_items theirs
        JOIN source_items mine
            ON mine.repository = theirs.repository AND mine.source = :source AND mine.name = theirs.name
        WHERE theirs.repository = :repository AND theirs.source = :former
    ) AS twin
    WHERE source_elements.item = twin.theirs
"""
_JOIN_ITEMS = f"""
    UPDATE source_items SET size = {UNREAD_SIZE}, digest = ''
    WHERE repository = :repository AND source = :source AND name IN
        (SELECT name FROM source_items WHERE repository = :repository AND source = :former)
"""
_DROP_TWINS = """
    DELETE FROM source_items
    WHERE repository = :repository AND source = :former AND name IN
        (SELECT name FROM source_items WHERE repository = :repository AND source = :source)
"""
_TAKE_OVER = "UPDATE source_items SET source = :source WHERE repository = :repository AND source = :former"
_PUT_ITEM = """
    INSERT INTO source_items (repository, source, name, size, mtime_ns, digest, recipe, validator, elements)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (repository, source, name) DO UPDATE SET
        size = excluded.size, mtime_ns = excluded.mtime_ns, digest = excluded.digest, recipe = excluded.recipe,
        validator = excluded.validator, elements = excluded.elements
"""
_ENSURE_ITEM = f"""
    INSERT OR IGNORE INTO source_items (repository, source, name, size, mtime_ns, digest, recipe, validator, elements)
    VALUES (?, ?, ?, {UNREAD_SIZE}, 0, '', '', '', 1)
"""
_PUT_ELEMENT = """
    INSERT INTO source_elements (repository, element_id, item, digest, relations)
    SELECT :repository, :element_id, id, :digest, :relations
    FROM source_items
    WHERE repository = :repository AND source = :source AND name = :item
    ON CONFLICT (repository, element_id) DO UPDATE SET
        item = excluded.item, digest = excluded.digest, relations = excluded.relations
"""
_REMOVE_ELEMENT = """
    DELETE FROM source_elements
    WHERE repository = :repository AND element_id = :element_id
      AND item IN (SELECT id FROM source_items WHERE repository = :repository AND source = :source)
"""
_REMOVE_ELEMENTS_OF = """
    DELETE FROM source_elements
    WHERE item IN (SELECT id FROM source_items WHERE repository = ? AND source = ? AND name = ?)
"""
_REMOVE_ITEM = "DELETE FROM source_items WHERE repository = ? AND source = ? AND name = ?"
_ITEM_OF = "SELECT item FROM source_elements WHERE repository = :repository AND element_id = :element_id"
_ERASE = "DELETE FROM source_elements WHERE repository = :repository AND element_id = :element_id"
_ERASE_EMPTY = "DELETE FROM source_items WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM source_elements WHERE item = ?1)"
_UNREAD = f"UPDATE source_items SET size = {UNREAD_SIZE}, digest = '' WHERE id = ?"


class SqliteSources:
    def __init__(self, database: Database) -> None:
        self._database = database

    def items(self, scope: Scope, source: str) -> dict[str, SourceItem]:
        """All items of the source, by name."""
        with self._database.read() as connection:
            rows = connection.execute(_ITEMS, (number_of(connection, scope), source))
            return {row[0]: SourceItem(*row) for row in rows}

    def elements(
        self, scope: Scope, source: str, items: Collection[str], *, after: str = "", limit: int | None = None
    ) -> tuple[SourceElement, ...]:
        """What these items gave, by element id."""
        with self._database.read() as connection:
            values = {
                "repository": number_of(connection, scope),
                "source": source,
                "items": json.dumps(sorted(set(items))),
                "after": normalise_id(after),
                "limit": -1 if limit is None else max(0, limit),
            }
            return tuple(_element(*row) for row in connection.execute(_ELEMENTS, values))

    def owners(self, scope: Scope, element_ids: Collection[str]) -> dict[str, tuple[str, SourceElement]]:
        """By element id the source that gave it, and what is remembered of that."""
        with self._database.read() as connection:
            values = {"repository": number_of(connection, scope), "ids": _ids(element_ids)}
            return {row[1]: (row[0], _element(*row[1:])) for row in connection.execute(_OWNERS, values)}


def remember(connection: sqlite3.Connection, repository: int, change: SourceChange) -> None:
    """Write what a commit remembers of a source, inside its transaction."""
    names = {"repository": repository, "source": change.source}
    if change.take_over and change.take_over != change.source:
        for statement in (_JOIN_ELEMENTS, _JOIN_ITEMS, _DROP_TWINS, _TAKE_OVER):
            connection.execute(statement, {**names, "former": change.take_over})
    _require_own(connection, names, [element.element_id for element in change.elements])
    connection.executemany(
        _REMOVE_ELEMENT, [{**names, "element_id": normalise_id(gone)} for gone in change.elements_removed]
    )
    connection.executemany(
        _PUT_ITEM,
        [
            (repository, change.source, i.name, i.size, i.mtime_ns, i.digest, i.recipe, i.validator, i.elements)
            for i in change.items
        ],
    )
    put = {item.name for item in change.items}
    others = sorted({element.item for element in change.elements} - put)
    connection.executemany(_ENSURE_ITEM, [(repository, change.source, name) for name in others])
    connection.executemany(
        _PUT_ELEMENT,
        [
            {
                **names,
                "element_id": normalise_id(element.element_id),
                "item": element.item,
                "digest": element.digest,
                "relations": json.dumps(element.relations),
            }
            for element in change.elements
        ],
    )
    gone = [(repository, change.source, name) for name in change.items_removed]
    connection.executemany(_REMOVE_ELEMENTS_OF, gone)
    connection.executemany(_REMOVE_ITEM, gone)


def forget(connection: sqlite3.Connection, repository: int, element_id: str) -> None:
    """Erase what is remembered of an element. An item that gave nothing else goes, any other is read again."""
    values = {"repository": repository, "element_id": element_id}
    items = connection.execute(_ITEM_OF, values).fetchall()
    connection.execute(_ERASE, values)
    connection.executemany(_ERASE_EMPTY, items)
    connection.executemany(_UNREAD, items)


def _require_own(connection: sqlite3.Connection, names: dict[str, object], element_ids: Iterable[str]) -> None:
    found = connection.execute(_FOREIGN, {**names, "ids": _ids(element_ids)}).fetchone()
    if found:
        raise Conflict(f"{found[0]!r} belongs to another source; nothing was changed; take that source over first")


def _ids(element_ids: Iterable[str]) -> str:
    return json.dumps(sorted({normalise_id(element_id) for element_id in element_ids}))


def _element(element_id: str, item: str, digest: str, relations: str) -> SourceElement:
    return SourceElement(element_id, item, digest, () if relations == "[]" else tuple(json.loads(relations)))
