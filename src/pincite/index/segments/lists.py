"""Posting lists: where the words of a query occur in one segment, and how much each occurrence weighs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from pincite.index.bm25 import boosts_of
from pincite.index.segments.phrases import StreamBudget, find_adjacent, find_prefix
from pincite.index.segments.visibility import Visible
from pincite.queries import Scoring
from pincite.text.expand import Adjacent, Group, Member, StartsWith, Term, Together
from pincite.text.words import language_of

Array = NDArray[Any]


class PostingList(Protocol):
    def all(self) -> tuple[Array, Array]:
        """Visible rows, ascending, and their weighted frequencies."""

    def weights(self, rows: Array) -> Array:
        """Weighted frequencies in the given visible rows; 0 where the word does not occur."""

    def frequency(self) -> int:
        """Visible rows in the list."""

    def mark(self, rows: Array) -> None:
        """Set a flag for each visible row in the list."""


@dataclass(frozen=True, slots=True)
class TermList:
    """One term, straight from the map: only what is asked for is touched."""

    visible: Visible
    term: str
    table: Array

    def all(self) -> tuple[Array, Array]:
        segment = self.visible.segment
        start, end = segment.posting_range(self.term)
        rows = segment.posting_row[start:end]
        codes = segment.posting_code[start:end]
        if self.visible.mask is not None:
            keep = self.visible.mask[rows]
            rows, codes = rows[keep], codes[keep]
        return rows, self.table[codes]

    def weights(self, rows: Array) -> Array:
        segment = self.visible.segment
        start, end = segment.posting_range(self.term)
        return _look_up(
            segment.posting_row[start:end], rows, lambda at: self.table[segment.posting_code[start:end][at]]
        )

    def frequency(self) -> int:
        return self.visible.frequency(self.term)

    def mark(self, rows: Array) -> None:
        start, end = self.visible.segment.posting_range(self.term)
        here = self.visible.segment.posting_row[start:end]
        rows[here if self.visible.mask is None else here[self.visible.mask[here]]] = True


@dataclass(frozen=True, slots=True)
class TermsList:
    """Stems of one word in several languages: a passage has one language, so no row is in two of their lists."""

    terms: tuple[TermList, ...]

    def all(self) -> tuple[Array, Array]:
        found = [term.all() for term in self.terms]
        rows, values = (np.concatenate(arrays) for arrays in zip(*found, strict=True))
        order = np.argsort(rows, kind="stable")
        return rows[order], values[order]

    def weights(self, rows: Array) -> Array:
        weights = self.terms[0].weights(rows)
        for term in self.terms[1:]:
            weights += term.weights(rows)
        return weights

    def frequency(self) -> int:
        return sum(term.frequency() for term in self.terms)

    def mark(self, rows: Array) -> None:
        for term in self.terms:
            term.mark(rows)


@dataclass(frozen=True, slots=True)
class MadeList:
    """The union of what may stand for a word, made for one query: the best member counts."""

    rows: Array
    values: Array

    def all(self) -> tuple[Array, Array]:
        return self.rows, self.values

    def weights(self, rows: Array) -> Array:
        return _look_up(self.rows, rows, lambda at: self.values[at])

    def frequency(self) -> int:
        return len(self.rows)

    def mark(self, rows: Array) -> None:
        rows[self.rows] = True


def _look_up(listed: Array, rows: Array, values: Any) -> Array:
    out = np.zeros(len(rows), np.float64)
    if len(listed) and len(rows):
        at = np.searchsorted(listed, rows)
        at[at == len(listed)] = 0
        hit = listed[at] == rows
        out[hit] = values(at[hit])
    return out


def posting_list(
    visible: Visible, group: Group, scoring: Scoring, languages: Sequence[str], budget: StreamBudget
) -> PostingList:
    """The list of a group in one segment: rows that hold it in a field that counts."""
    segment = visible.segment
    boosts = boosts_of(scoring, segment.fields, group.field)
    table, _ = segment.weighted(boosts)
    known = [m for m in group.members if not isinstance(m, Term) or segment.term_id(m.text) >= 0]
    terms = [member.text for member in known if isinstance(member, Term)]
    if terms and all(boosts) and len(terms) == len(known) == len({language_of(term) for term in terms}):
        lists = tuple(TermList(visible, term, table) for term in terms)
        return lists[0] if len(lists) == 1 else TermsList(lists)
    maker = _Maker(visible, boosts, table, languages, budget)
    made = [maker.make(member) for member in known]
    return _union([(rows, values) for rows, values in made if len(rows)])


@dataclass(frozen=True, slots=True)
class _Maker:
    visible: Visible
    boosts: tuple[float, ...]
    table: Array
    languages: Sequence[str]
    budget: StreamBudget

    def make(self, member: Member) -> tuple[Array, Array]:
        if isinstance(member, Term):
            rows, values = TermList(self.visible, member.text, self.table).all()
        elif isinstance(member, Together):
            rows, values = self._together(member.terms)
        elif isinstance(member, Adjacent):
            rows, values = find_adjacent(self.visible, member.words, self.boosts, self.languages, self.budget)
        else:
            assert isinstance(member, StartsWith)
            rows, values = find_prefix(self.visible, member.prefix, self.boosts, self.budget)
        keep = values > 0
        return (rows, values) if keep.all() else (rows[keep], values[keep])

    def _together(self, terms: tuple[str, ...]) -> tuple[Array, Array]:
        """Rows that hold every term; the scarcest one decides the weight."""
        lists = sorted((TermList(self.visible, term, self.table) for term in terms), key=lambda item: item.frequency())
        rows, values = lists[0].all()
        for other in lists[1:]:
            values = np.minimum(values, other.weights(rows))
        return rows, values


def _union(lists: list[tuple[Array, Array]]) -> MadeList:
    if not lists:
        return MadeList(np.empty(0, np.int32), np.empty(0, np.float64))
    if len(lists) == 1:
        return MadeList(*lists[0])
    rows = np.concatenate([rows for rows, _ in lists])
    values = np.concatenate([values for _, values in lists])
    order = np.argsort(rows, kind="stable")
    rows, values = rows[order], values[order]
    first = np.flatnonzero(np.append(True, rows[1:] != rows[:-1]))
    return MadeList(rows[first], np.maximum.reduceat(values, first))
