"""Phrases and prefixes, verified on the mapped stream of word ids; no text is fetched."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pincite.index.segments.ragged import gather, positions
from pincite.index.segments.segment import Segment
from pincite.index.segments.visibility import Visible
from pincite.text.words import is_unspaced, term_of

Array = NDArray[Any]

MAX_WORDS = 8_000_000
"""Words of the stream that one query may read (about 50 ms); beyond it the answer says that it is partial."""


@dataclass
class StreamBudget:
    """How much of the stream a query may still read."""

    left: int = MAX_WORDS
    exceeded: bool = False

    def take(self, words: int) -> bool:
        """Whether the words may be read; once something was refused the answer is partial."""
        if words > self.left:
            self.exceeded = True
            return False
        self.left -= words
        return True


def find_adjacent(
    visible: Visible, words: Sequence[str], boosts: tuple[float, ...], languages: Sequence[str], budget: StreamBudget
) -> tuple[Array, Array]:
    """Visible rows in which the folded words stand side by side in one field, and the weight of the occurrences."""
    segment = visible.segment
    ids = [segment.words.find(word) + 1 for word in words]
    if not ids or 0 in ids:
        return _nothing()
    rows = _candidates(visible, words, languages)
    where, slots = _read(segment, rows, boosts, budget)
    stream = segment["stream"]
    match = stream[where] == ids[0]
    where, slots = where[match], slots[match]
    for step, wanted in enumerate(ids[1:], start=1):
        # A separator follows every field: a phrase that would run past its end fails there, inside the stream.
        match = stream[where + step] == wanted
        where, slots = where[match], slots[match]
    return _weigh(slots, boosts)


def find_prefix(visible: Visible, prefix: str, boosts: tuple[float, ...], budget: StreamBudget) -> tuple[Array, Array]:
    """Visible rows with a word that begins with the folded prefix, and the weight of all such words."""
    segment = visible.segment
    low, high = segment.words.prefix_range(prefix)
    if low == high:
        return _nothing()
    rows = _rows_of_words(segment, low, high)
    where, slots = _read(segment, rows[visible.keep(rows)], boosts, budget)
    ids = segment["stream"][where]
    return _weigh(slots[(ids > low) & (ids <= high)], boosts)


def literal_weights(
    segment: Segment, rows: Array, words: Sequence[tuple[str, str]], boosts: tuple[float, ...]
) -> Array:
    """(word, row) matrix: the weighted number of times each folded word stands literally in each of a few rows.

    Words come with the field they are restricted to, "" for any.
    """
    out = np.zeros((len(words), len(rows)), np.float64)
    where, slots = _read(segment, rows, boosts, StreamBudget(left=2**62))
    stream = segment["stream"][where]
    fields = len(segment.fields)
    weights = np.array(boosts, np.float64)
    for number, (word, field) in enumerate(words):
        found = segment.words.find(word) + 1
        if found and field in ("", *segment.fields):
            here = slots[stream == found]  # few of all that was read
            if field:
                here = here[here % fields == segment.fields.index(field)]
            index = np.searchsorted(rows, here // fields)
            out[number] = np.bincount(index, weights=weights[here % fields], minlength=len(rows))
    return out


def _candidates(visible: Visible, words: Sequence[str], languages: Sequence[str]) -> Array:
    """Visible rows that hold every word: a superset of the phrase's rows.

    A word with spaces around it is found by its stem in some visible language. A character of a script without spaces
    by the pairs it is part of; the phrase's own pairs would miss a line break or a space between two characters.
    """
    segment = visible.segment
    spaced = [word for word in words if not is_unspaced(word)]
    if spaced:
        lists = [_rows_with(segment, sorted({term_of(word, language) for language in languages})) for word in spaced]
    else:
        lists = [_rows_of_words(segment, at, at + 1) for at in {segment.words.find(word) for word in words}]
    lists.sort(key=len)
    rows = lists[0][visible.keep(lists[0])]
    for other in lists[1:]:
        rows = rows[np.isin(rows, other, assume_unique=True)]
    return rows


def _rows_of_words(segment: Segment, low: int, high: int) -> Array:
    """Rows, visible or not, that may hold one of a range of words: those of all terms the words can stand behind."""
    terms, _ = gather(segment["word_term_ptr"], segment["word_term"], np.arange(low, high))
    rows, _ = gather(segment.posting_ptr, segment.posting_row, np.unique(terms))
    return np.unique(rows)


def _rows_with(segment: Segment, terms: Sequence[str]) -> Array:
    ranges = [segment.posting_range(term) for term in terms]
    rows = [segment.posting_row[a:b] for a, b in ranges if b > a]
    if not rows:
        return np.empty(0, np.int32)
    return rows[0] if len(rows) == 1 else np.unique(np.concatenate(rows))


def _read(segment: Segment, rows: Array, boosts: tuple[float, ...], budget: StreamBudget) -> tuple[Array, Array]:
    """Stream positions of all words in the rows' boosted fields, and the (row, field) slot of each."""
    ptr = segment["stream_ptr"]
    fields = np.array([i for i, boost in enumerate(boosts) if boost], np.int64)
    slots = (rows.astype(np.int64)[:, None] * len(boosts) + fields).ravel()
    starts = ptr[slots]
    lengths = ptr[slots + 1] - starts - 1
    if not budget.take(int(lengths.sum())):
        return np.empty(0, np.int64), np.empty(0, np.int64)
    return positions(starts, lengths), np.repeat(slots, lengths)


def _weigh(slots: Array, boosts: tuple[float, ...]) -> tuple[Array, Array]:
    """Rows and weighted number of occurrences, from one slot per occurrence."""
    if not len(slots):
        return _nothing()
    distinct, counts = np.unique(slots, return_counts=True)
    values = counts * np.array(boosts, np.float64)[distinct % len(boosts)]
    rows = distinct // len(boosts)
    first = np.flatnonzero(np.append(True, rows[1:] != rows[:-1]))
    return rows[first].astype(np.int32), np.add.reduceat(values, first)


def _nothing() -> tuple[Array, Array]:
    return np.empty(0, np.int32), np.empty(0, np.float64)
