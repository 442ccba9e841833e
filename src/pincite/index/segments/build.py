"""Lifetimes → the columns of a new segment."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pincite.fields import STRUCTURAL, in_order
from pincite.index.entries import Entry, embedded_key, entries
from pincite.index.segments.format import ColumnWriter
from pincite.index.segments.hashed import hash_strings
from pincite.index.segments.ragged import from_lists, gather, pointers, sorted_ranks
from pincite.index.segments.strings import pack_strings
from pincite.text.words import analyse, tokens
from pincite.types import Birth, Lifetime

Array = NDArray[Any]

NO_START = 0
NO_END = date.max.toordinal() + 1
SEPARATOR = 0
"""The word id that ends every field in the stream, so that no phrase crosses from one field into another."""
NO_TEXT = bytes(16)
"""Key of a row that has no vectors and waits for none: a bare heading, which no leg finds by what it says."""
FILTER_MARK = "\x1f"
"""Between a filter's key and its value; keys never contain it."""


def build_segment(folder: Path, births: Iterable[Birth]) -> int:
    """Write the segment and return its number of rows. Rows lie in the order of ties: element, version, chunk."""
    ordered = sorted(births, key=lambda b: _tie_order(b.lifetime))
    writer = ColumnWriter(folder)
    try:
        facts = _write_owners(writer, [birth.lifetime for birth in ordered])
        text = _Text(in_order(name for birth in ordered for c in birth.derivation.chunks for name, _ in c.fields))
        row_owner, row_chunk = array("i"), array("i")
        row_text = bytearray()
        for owner, birth in enumerate(ordered):
            for chunk, entry in zip(birth.derivation.chunks, entries(birth), strict=True):
                row_owner.append(owner)
                row_chunk.append(entry.number)
                row_text += bytes.fromhex(embedded_key(birth.content, chunk)) if any(entry.fields.values()) else NO_TEXT
                text.add(entry)
        rows = len(row_owner)
        writer.add("row_owner", np.array(row_owner, np.int32))
        writer.add("row_chunk", np.array(row_chunk, np.int32))
        keys = np.frombuffer(bytes(row_text), ">u8").reshape(-1, 2)
        writer.add("row_text_high", keys[:, 0])
        writer.add("row_text_low", keys[:, 1])
        facts |= text.write(writer, rows)
        writer.finish(facts | {"rows": rows, "owners": len(ordered)})
    except BaseException:
        writer.abandon()
        raise
    return rows


def _tie_order(lifetime: Lifetime) -> tuple[bytes, str, int, int]:
    return lifetime.element_id.encode("utf-8"), lifetime.version_id, lifetime.born, lifetime.lifetime_id


def _write_owners(writer: ColumnWriter, lifetimes: Sequence[Lifetime]) -> dict[str, Any]:
    """One owner per lifetime: what decides who may see its rows, and when."""
    elements = sorted({item.element_id.encode("utf-8") for item in lifetimes})
    element_rank = {raw: rank for rank, raw in enumerate(elements)}
    recipes = sorted({item.recipe for item in lifetimes})
    recipe_rank = {recipe: rank for rank, recipe in enumerate(recipes)}
    audiences = sorted({tuple(sorted(item.roles)) for item in lifetimes})
    audience_rank = {frozenset(audience): rank for rank, audience in enumerate(audiences)}
    _write_table(writer, "element", elements)
    ints: dict[str, list[int]] = {
        "owner_lifetime": [item.lifetime_id for item in lifetimes],
        "owner_born": [item.born for item in lifetimes],
        "owner_died": [item.died for item in lifetimes],
    }
    for name, values in ints.items():
        writer.add(name, np.array(values, np.int64))
    small: dict[str, list[int]] = {
        "owner_element": [element_rank[item.element_id.encode("utf-8")] for item in lifetimes],
        "owner_recipe": [recipe_rank[item.recipe] for item in lifetimes],
        "owner_roles": [audience_rank[item.roles] for item in lifetimes],
        "owner_from": [item.valid_from.toordinal() if item.valid_from else NO_START for item in lifetimes],
        "owner_to": [item.valid_to.toordinal() if item.valid_to else NO_END for item in lifetimes],
    }
    for name, values in small.items():
        writer.add(name, np.array(values, np.int32))
    versions = b"".join(bytes.fromhex(item.version_id) for item in lifetimes)
    writer.add("owner_version", np.frombuffer(versions, np.uint8))
    return {"recipes": recipes, "roles": [list(audience) for audience in audiences]}


class _Units(dict[str, int]):
    """Raw token of one language → its unit; each distinct token is analysed once per segment."""

    def __init__(self, language: str, text: _Text) -> None:
        super().__init__()
        self._language = language
        self._text = text

    def __missing__(self, token: str) -> int:
        analysed = analyse(token, self._language)
        self._text.words.add(analysed.words)
        unit = self[token] = self._text.terms.add(analysed.terms)
        return unit


@dataclass
class _Meanings:
    """What each unit stands for, words or terms: flat, because a list per unit would keep the collector busy."""

    values: list[int] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)
    ids: dict[str, int] = field(default_factory=dict)

    def add(self, strings: tuple[str, ...]) -> int:
        """The number of the unit that stands for these strings."""
        for text in strings:
            self.values.append(self.ids.setdefault(text, len(self.ids)))
        self.counts.append(len(strings))
        return len(self.counts) - 1


@dataclass
class _Text:
    """Collects the words of all rows, then turns them into sorted columns at once."""

    fields: tuple[str, ...] = tuple(STRUCTURAL)
    """Of all rows; a row lacks those that its kind does not have."""
    words: _Meanings = field(default_factory=lambda: _Meanings([-1], [1]))
    """Unit 0 is the separator: one word, no term."""
    terms: _Meanings = field(default_factory=lambda: _Meanings([], [0]))
    units: list[int] = field(default_factory=list)
    unit_counts: list[int] = field(default_factory=list)
    languages: dict[str, _Units] = field(default_factory=dict)
    language_ids: dict[str, int] = field(default_factory=dict)
    row_language: array[int] = field(default_factory=lambda: array("h"))
    identifiers: dict[str, list[int]] = field(default_factory=dict)
    filters: dict[str, list[int]] = field(default_factory=dict)

    def add(self, entry: Entry) -> None:
        row = len(self.row_language)
        lookup = self.languages.get(entry.language)
        if lookup is None:
            lookup = self.languages[entry.language] = _Units(entry.language, self)
        self.row_language.append(self.language_ids.setdefault(entry.language, len(self.language_ids)))
        for name in self.fields:
            text = entry.fields.get(name, "")
            before = len(self.units)
            if text:
                self.units.extend(map(lookup.__getitem__, tokens(text)))
            self.units.append(SEPARATOR)
            self.unit_counts.append(len(self.units) - before)
        for identifier in entry.identifiers:
            self.identifiers.setdefault(identifier, []).append(row)
        for key, value in entry.filters:
            self.filters.setdefault(f"{key}{FILTER_MARK}{value}", []).append(row)

    def write(self, writer: ColumnWriter, rows: int) -> dict[str, Any]:
        writer.add("row_language", np.array(self.row_language, np.int16))
        units = np.array(self.units, np.int32)
        slots = np.repeat(np.arange(rows * len(self.fields), dtype=np.int64), np.array(self.unit_counts, np.int64))
        words, terms = _Unit.of(self.words), _Unit.of(self.terms)
        _write_table(writer, "word", words.strings)
        _write_table(writer, "term", terms.strings)
        write_hashes(writer, "term", terms.strings)
        _write_stream(writer, words, units, slots, rows * len(self.fields))
        _write_postings(writer, terms, units, slots, rows, len(self.fields))
        _write_word_terms(writer, words, terms)
        _write_lists(writer, "identifier", self.identifiers)
        _write_lists(writer, "filter", self.filters)
        return {"languages": list(self.language_ids), "fields": list(self.fields)}


@dataclass(frozen=True, slots=True)
class _Unit:
    """What each unit stands for, words or terms, as ranks in the sorted vocabulary."""

    strings: list[bytes]
    ptr: Array
    ranks: Array

    @classmethod
    def of(cls, meanings: _Meanings) -> _Unit:
        strings, ranks = sorted_ranks(meanings.ids)
        values = np.array(meanings.values, np.int32)
        return cls(strings, pointers(meanings.counts), np.append(ranks, np.int32(-1))[values])

    def read(self, units: Array) -> tuple[Array, Array]:
        """The ranks of the units, one after the other, and how many each gave."""
        return gather(self.ptr, self.ranks, units)


def _write_stream(writer: ColumnWriter, words: _Unit, units: Array, slots: Array, count: int) -> None:
    """The words in order, as ids (rank + 1), each field closed by a separator."""
    ranks, lengths = words.read(units)
    writer.add("stream", ranks + np.int32(1))
    counts = np.bincount(slots, weights=lengths, minlength=count).astype(np.int64)
    writer.add("stream_ptr", pointers(counts))


def _write_postings(writer: ColumnWriter, terms: _Unit, units: Array, slots: Array, rows: int, fields: int) -> None:
    """Rows and frequencies per field of every term, and the lengths of all fields."""
    ranks, lengths = terms.read(units)
    term_slots = np.repeat(slots, lengths)
    writer.add("lengths", np.bincount(term_slots, minlength=rows * fields).astype(np.int32))
    key, counts = np.unique(ranks.astype(np.int64) * max(1, rows * fields) + term_slots, return_counts=True)
    posting = key // fields
    first = np.flatnonzero(np.append(True, posting[1:] != posting[:-1])) if len(posting) else np.empty(0, np.int64)
    frequencies = np.zeros((len(first), fields), np.uint16)
    index = np.repeat(np.arange(len(first)), np.diff(np.append(first, len(posting))))
    frequencies[index, key % fields] = np.minimum(counts, 65_535)
    table, codes = encode_frequencies(frequencies)
    term_of = posting[first] // max(1, rows)
    writer.add("posting_ptr", np.searchsorted(term_of, np.arange(len(terms.strings) + 1)))
    writer.add("posting_row", (posting[first] % max(1, rows)).astype(np.int32))
    writer.add("posting_code", codes)
    writer.add("code_frequencies", table)


def _write_word_terms(writer: ColumnWriter, words: _Unit, terms: _Unit) -> None:
    """Which terms a word can stand behind; a superset of candidates for phrases and prefixes."""
    of_word, counts = terms.read(np.repeat(np.arange(len(words.ptr) - 1), np.diff(words.ptr)))
    width = max(1, len(terms.strings))
    pairs = np.unique(np.repeat(words.ranks, counts).astype(np.int64) * width + of_word)
    writer.add("word_term_ptr", np.searchsorted(pairs // width, np.arange(len(words.strings) + 1)))
    writer.add("word_term", (pairs % width).astype(np.int32))


def _write_table(writer: ColumnWriter, name: str, strings: Iterable[bytes]) -> None:
    blob, offsets = pack_strings(strings)
    writer.add(f"{name}_blob", blob)
    writer.add(f"{name}_offsets", offsets)


def write_hashes(writer: ColumnWriter, name: str, strings: Sequence[bytes]) -> None:
    """What finds a string of a table at once."""
    buckets, hashes = hash_strings(strings)
    writer.add(f"{name}_buckets", buckets)
    writer.add(f"{name}_hashes", hashes)


def _write_lists(writer: ColumnWriter, name: str, lists: Mapping[str, list[int]]) -> None:
    """Sorted keys, each with its rows in order."""
    items = sorted((key.encode("utf-8"), rows) for key, rows in lists.items())
    _write_table(writer, name, (raw for raw, _ in items))
    ptr, values = from_lists([rows for _, rows in items])
    writer.add(f"{name}_ptr", ptr)
    writer.add(f"{name}_row", values)


def encode_frequencies(frequencies: Array) -> tuple[Array, Array]:
    """Distinct term-frequency vectors and, per posting, which one it is.

    A posting then costs one small code whatever the number of fields, and one look-up weighs it with any boosts.
    """
    rows, fields = frequencies.shape
    packed = np.zeros((rows, 4 * -(-fields // 4)), np.uint16)
    packed[:, :fields] = frequencies
    words = packed.view(np.uint64)  # four fields each
    distinct, codes = np.unique(words[:, 0], return_inverse=True)
    for word in words.T[1:]:
        others, more = np.unique(word, return_inverse=True)
        distinct, codes = np.unique(codes * max(1, len(others)) + more, return_inverse=True)
    where = np.zeros(len(distinct), np.int64)
    where[codes] = np.arange(rows)
    table = frequencies[where].astype(np.int32)
    return table.ravel(), codes.astype(np.uint16 if len(distinct) <= 65_536 else np.uint32)
