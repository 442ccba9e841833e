"""The exact leg: identifiers in a sorted table, straight to their rows."""

from __future__ import annotations

from collections.abc import Sequence

from pincite.index.segments.order import Part
from pincite.index.segments.select import filter_mask
from pincite.queries import Found, IdentifierQuery, Matched, Ranking
from pincite.text.identifiers import normalise_identifier


def search_identifiers(parts: Sequence[Part], query: IdentifierQuery) -> Ranking:
    """Rows that carry the identifiers: those that carry more of them first, then by id. One hit per group."""
    wanted = tuple(dict.fromkeys(key for key in map(normalise_identifier, query.identifiers) if key))
    candidates: dict[tuple[object, ...], tuple[tuple[object, ...], Found]] = {}
    for part in parts:
        segment = part.visible.segment
        select = filter_mask(segment, query.filters)
        matches: dict[int, list[str]] = {}
        for key in wanted:
            at = segment.identifiers.find(key)
            if at < 0:
                continue
            ptr = segment["identifier_ptr"]
            rows = segment["identifier_row"][ptr[at] : ptr[at + 1]]
            rows = rows[part.visible.keep(rows)]
            for row in (rows if select is None else rows[select[rows]]).tolist():
                matches.setdefault(row, []).append(key)
        for row, keys in matches.items():
            found = _found(part, row, keys, len(wanted))
            group = (
                (found.scope, found.element_id)
                if query.group == "element"
                else (found.scope, found.element_id, found.version_id, found.chunk)
            )
            order = (-len(keys), found.element_id.encode("utf-8"), found.version_id, found.chunk, found.scope)
            if group not in candidates or order < candidates[group][0]:
                candidates[group] = (order, found)
    ordered = sorted(candidates.values(), key=lambda item: item[0])
    return Ranking("exact", tuple(found for _, found in ordered[: query.depth]), total=len(ordered))


def _found(part: Part, row: int, keys: list[str], wanted: int) -> Found:
    segment = part.visible.segment
    owner = int(segment.row_owner[row])
    return Found(
        scope=part.scope,
        element_id=segment.elements[int(segment["owner_element"][owner])],
        version_id=segment.version_id(owner),
        recipe=segment.facts["recipes"][int(segment["owner_recipe"][owner])],
        lifetime_id=int(segment["owner_lifetime"][owner]),
        chunk=int(segment["row_chunk"][row]),
        score=len(keys) / wanted,
        raw=float(len(keys)),
        matched=tuple(Matched(key, (key,), 0.0, 1.0 / wanted, 0) for key in keys),
    )
