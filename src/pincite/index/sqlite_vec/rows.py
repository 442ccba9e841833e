"""Rows of an answer, read from the file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from pincite.index.lines import Line
from pincite.index.sqlite_vec.store import SqliteVecFile
from pincite.index.sqlite_vec.visible import ROWS, ViewedRepository

COLUMNS = """c.id, l.repository, (SELECT e.element_id FROM elements e WHERE e.id = l.element), l.version_id, l.recipe,
    l.lifetime_id, l.born, c.number, c.text"""


def line(row: Sequence[Any], places: Sequence[ViewedRepository], raw: float = 0.0) -> Line:
    """From a row that begins with `COLUMNS`."""
    scopes = {place.repository: place.view.scope for place in places}
    chunk, repository, element_id, version_id, recipe, lifetime_id, born, number, text = row[:9]
    return Line(
        chunk, scopes[repository], element_id, version_id, recipe, lifetime_id, born, number, text, raw
    )  # fmt: skip


def lines(store: SqliteVecFile, places: Sequence[ViewedRepository], raw: Mapping[int, float]) -> list[Line]:
    """Chunks that were given a score, as an answer shows them."""
    return [line(row, places, raw[row[0]]) for row in store.all(_LINES, (json.dumps(list(raw)),))]


_LINES = f"SELECT {COLUMNS} FROM json_each(?) j CROSS JOIN {ROWS} WHERE c.id = j.value"
