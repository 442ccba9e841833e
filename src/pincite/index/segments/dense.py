"""The dense leg: passages by meaning, over the vectors of exactly those rows that the views may read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from pincite.advice import by_operator, either
from pincite.errors import InvalidArgument
from pincite.index.nearness import cosines
from pincite.index.segments.asked import AskedRows, asked_of
from pincite.index.segments.background import background
from pincite.index.segments.cascade import Cascade, Piece
from pincite.index.segments.finds import Extras, SegmentFinds
from pincite.index.segments.order import Order, Part, Ranked, order_of
from pincite.index.segments.scan import nearest_windows, score_texts
from pincite.index.segments.vectors import SegmentVectors
from pincite.queries import Ranking, VectorQuery
from pincite.types import Scope

Array = NDArray[Any]

FULL_SCAN = 8_000
"""Vectors up to which every one is scored. Beyond, the cascade chooses: on 10,000 and 20,000 windows of Swiss law it is
as fast and faster, and missed none of the ten best of 600 questions."""
REMEMBERED = 4
"""Choices of texts (views, filters) that are kept for a store, the last ones."""


@dataclass(frozen=True, slots=True)
class _Field:
    """The vectors of one repository, and the parts whose rows they belong to."""

    store: SegmentVectors
    parts: tuple[int, ...]
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class _Run:
    """One question over all parts."""

    query: VectorQuery
    question: Array
    order: Order
    asked: Sequence[AskedRows]
    fields: Sequence[_Field]

    @property
    def total(self) -> int:
        return sum(item.rows if self.order.group == "chunk" else item.elements for item in self.asked)


def search_vectors(parts: Sequence[Part], stores: Mapping[Scope, SegmentVectors | None], query: VectorQuery) -> Ranking:
    """The best groups by cosine, ties by id. `stores` has the vectors of the query's model for every scope."""
    if not parts:
        return Ranking("dense")
    if not any(stores[part.scope] for part in parts):
        reason = f"no vectors of this model yet; {by_operator('make them with', 'pincite embed')}"
        return Ranking("dense", status="unavailable", reason=reason)
    _check_dimensions(stores, query)
    asked = [asked_of(part, stores[part.scope], query.filters, query.among) for part in parts]
    order = order_of(parts, query)
    run = _Run(query, np.array(query.vector, np.float64), order, asked, _fields(parts, stores, asked))
    found = _found(run, _score(run))
    have, waiting = sum(item.rows for item in asked), sum(item.waiting for item in asked)
    rest = either("the rest wait for: pincite embed", "the rest wait for theirs")
    reason = f"{have:,} of {have + waiting:,} passages have vectors; {rest}" if waiting else ""
    status: Literal["ok", "partial"] = "partial" if waiting else "ok"
    around = background(_everything(parts, stores, run, query), run.question) if query.among is None else None
    return Ranking("dense", found, run.total, status=status, reason=reason, background=around)


def _everything(
    parts: Sequence[Part], stores: Mapping[Scope, SegmentVectors | None], run: _Run, query: VectorQuery
) -> list[Piece]:
    """All that the views may read, filters aside."""
    fields = run.fields
    if query.filters:
        fields = _fields(parts, stores, [asked_of(part, stores[part.scope], ()) for part in parts])
    return [piece for field in fields for piece in field.pieces]


def _check_dimensions(stores: Mapping[Scope, SegmentVectors | None], query: VectorQuery) -> None:
    for scope, store in stores.items():
        if store is not None and store.dimensions != len(query.vector):
            raise InvalidArgument(
                f"the question has {len(query.vector)} dimensions, the vectors of {scope.repository!r}"
                f" {store.dimensions}; they are not of one model: {by_operator('embed again with', 'pincite embed')}"
            )


def _fields(
    parts: Sequence[Part], stores: Mapping[Scope, SegmentVectors | None], asked: Sequence[AskedRows]
) -> tuple[_Field, ...]:
    by_scope: dict[Scope, list[int]] = {}
    for number, part in enumerate(parts):
        by_scope.setdefault(part.scope, []).append(number)
    fields = []
    for scope, numbers in by_scope.items():
        store = stores[scope]
        if store is not None:
            pieces = _pieces(store, [asked[number].texts for number in numbers])
            fields.append(_Field(store, tuple(numbers), pieces))
    return tuple(fields)


def _pieces(store: SegmentVectors, masks: Sequence[Array]) -> tuple[Piece, ...]:
    """The blocks with the texts that any of the masks holds; remembered, as the masks are."""
    key = tuple(map(id, masks))
    known: tuple[Sequence[Array], tuple[Piece, ...]] | None = store.pieces.get(key)
    if known is None:
        texts = masks[0] if len(masks) == 1 else np.logical_or.reduce(masks)
        starts = store.first_text.tolist()
        pieces = tuple(
            Piece(block, texts[at : at + len(block)]) for block, at in zip(store.blocks, starts, strict=False)
        )
        known = store.pieces[key] = masks, pieces  # with the masks, so that no other array gets their address
        for old in list(store.pieces)[:-REMEMBERED]:
            store.pieces.pop(old, None)
    return known[1]


# --- scores ---------------------------------------------------------------------------------------------------

_Scored = list[tuple[Array, Array]]
"""Rows and the sums of their products, for every part."""


def _score(run: _Run) -> _Scored:
    """Exact scores of all rows asked for, or of the best that the cascade found."""
    pieces = [piece for field in run.fields for piece in field.pieces]
    if run.query.exact or run.query.among is not None or sum(piece.count for piece in pieces) <= FULL_SCAN:
        return _rows(run, [np.flatnonzero(piece.texts) for piece in pieces])
    cascade = Cascade(pieces, run.question)
    wanted = min(run.query.depth, run.total)
    while True:
        leaders = run.order.leaders(_rows(run, cascade.choose()))
        if cascade.is_complete or sum(len(rows) for rows, _ in leaders) >= wanted:
            return leaders
        cascade.widen()


def _rows(run: _Run, chosen: Sequence[Array]) -> _Scored:
    """Exact sums of the chosen texts of every piece, given to all rows that hold them and are asked for."""
    out: _Scored = [(np.empty(0, np.int32), np.empty(0, np.float64)) for _ in run.asked]
    texts_of = iter(chosen)
    for field in run.fields:
        texts, sums = [np.empty(0, np.int64)], [np.empty(0, np.float64)]
        for piece, start in zip(field.pieces, field.store.first_text.tolist(), strict=False):
            here = next(texts_of)
            texts.append(here + start)
            sums.append(score_texts(piece.block, here, run.question))
        for number in field.parts:
            out[number] = _rows_of(run, field.store, number, np.concatenate(texts), np.concatenate(sums))
    return out


def _rows_of(run: _Run, store: SegmentVectors, number: int, texts: Array, sums: Array) -> tuple[Array, Array]:
    """A text may stand in several rows of a part, in none, or in some that are hidden."""
    places = store.places(run.order.parts[number].visible.segment)
    rows, values = places.rows_with(texts, sums)
    mask = run.asked[number].mask
    return (rows, values) if mask is None else (rows[mask[rows]], values[mask[rows]])


def _found(run: _Run, scored: _Scored) -> SegmentFinds:
    ranked = run.order.ranked(scored)
    raws = cosines(ranked.scores)
    windows = _windows(run, ranked) if run.query.among is None else None
    return SegmentFinds(run.order.parts, ranked, run.query.calibration.scores(raws), raws, Extras(windows))


def _windows(run: _Run, ranked: Ranked) -> list[int]:
    """Which vector of each passage is nearest."""
    out = np.zeros(len(ranked.rows), np.int64)
    for field in run.fields:
        for number in field.parts:
            mine = np.flatnonzero(ranked.parts == number)
            texts = field.store.places(run.order.parts[number].visible.segment).text_of_row[ranked.rows[mine]]
            blocks = np.searchsorted(field.store.first_text, texts, "right") - 1
            for at in np.unique(blocks).tolist():
                here = blocks == at
                inside = texts[here] - field.store.first_text[at]
                out[mine[here]] = nearest_windows(field.store.blocks[at], inside, run.question)
    return out.tolist()
