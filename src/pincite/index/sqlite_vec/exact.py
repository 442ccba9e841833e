"""The exact leg: identifiers, straight to their rows."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from pincite.index.lines import Line, shown
from pincite.index.sqlite_vec.rows import COLUMNS, line
from pincite.index.sqlite_vec.store import SqliteVecFile
from pincite.index.sqlite_vec.visible import ROWS, ViewedRepository, filtered, visible
from pincite.queries import IdentifierQuery, Matched, Ranking
from pincite.text.identifiers import normalise_identifier


def search_identifiers(store: SqliteVecFile, places: Sequence[ViewedRepository], query: IdentifierQuery) -> Ranking:
    """Rows that carry the identifiers: those that carry more of them first, then by id. One hit per group."""
    wanted = tuple(dict.fromkeys(key for key in map(normalise_identifier, query.identifiers) if key))
    if not places or not wanted:
        return Ranking("exact")
    condition = visible(places) & filtered(query.filters)
    lines: dict[int, Line] = {}
    carried: dict[int, set[str]] = {}
    for *row, key in store.all(
        _CARRYING.format(condition=condition.sql), {**condition.values, "wanted": json.dumps(wanted)}
    ):
        lines[row[0]] = line(row, places)
        carried.setdefault(row[0], set()).add(key)
    ordered = sorted((replace(item, raw=float(len(carried[item.id]))) for item in lines.values()), key=Line.order)
    found = []
    for item in shown(ordered, query.group, query.depth, None):
        matched = tuple(Matched(key, (key,), 0.0, 1.0 / len(wanted), 0) for key in wanted if key in carried[item.id])
        found.append(item.found(item.raw / len(wanted), matched))
    return Ranking("exact", tuple(found), total=len({item.group(query.group) for item in ordered}))


_CARRYING = f"""
SELECT {COLUMNS}, i.key
FROM json_each(:wanted) j CROSS JOIN identifiers i ON i.key = j.value CROSS JOIN {ROWS}
WHERE c.id = i.chunk AND ({{condition}})
"""
