"""The predicate of every read, in one place: what a view may see of a lifetime."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable

from pincite.catalog.prepare import roles_json
from pincite.catalog.sqlite.repositories import number_of
from pincite.ids import normalise_id
from pincite.types import View

VISIBLE = """(
        l.born <= :revision AND :revision < l.died
        AND (l.valid_from IS NULL OR l.valid_from <= :valid_at)
        AND (l.valid_to IS NULL OR :valid_at < l.valid_to)
        AND (:roles IS NULL OR l.roles = '[]' OR EXISTS (
            SELECT 1 FROM json_each(l.roles) needed JOIN json_each(:roles) held ON held.value = needed.value
        ))
    )"""
"""Whether the lifetime `l` is visible; bound by `bind`."""


def bind(connection: sqlite3.Connection, view: View) -> dict[str, object]:
    """The parameters of `VISIBLE`, and `repository`."""
    return {
        "repository": number_of(connection, view.scope),
        "revision": view.revision,
        "valid_at": view.valid_at.isoformat(),
        "roles": None if view.roles is None else roles_json(view.roles),
    }


def ids_json(element_ids: Iterable[str]) -> str:
    """Element ids as a list for `json_each`; not escaped, so that a lone surrogate is refused as in any other text."""
    return json.dumps(sorted({normalise_id(element_id) for element_id in element_ids}), ensure_ascii=False)
