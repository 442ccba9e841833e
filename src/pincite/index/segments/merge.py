"""Merging: several segments become one of living rows and, if need be, one of history.

Columns are merged, texts are not read again. Postings and streams are copied in slices, so that memory stays bounded
whatever the size. Rows of erased elements are left out, with every word that only they held.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pincite.fields import in_order
from pincite.index.segments.build import encode_frequencies, write_hashes
from pincite.index.segments.format import ColumnWriter
from pincite.index.segments.ragged import pointers, positions
from pincite.index.segments.segment import Segment
from pincite.index.segments.strings import StringTable, pack_strings
from pincite.index.segments.visibility import OpenSegment

Array = NDArray[Any]

SLICE = 4_000_000
"""Postings or words that are in memory at once."""


@dataclass(frozen=True, slots=True)
class SegmentToMerge:
    """A segment to merge: which of its owners go into the new one, and when they died as known now."""

    segment: Segment
    died: Array
    keep: Array

    @classmethod
    def of(cls, opened: OpenSegment, keep: Array) -> SegmentToMerge:
        return cls(opened.segment, opened.died, keep)


def merge_segments(folder: Path, sources: Sequence[SegmentToMerge]) -> int:
    """Write the kept owners of all sources as one segment; returns its number of rows."""
    writer = ColumnWriter(folder)
    try:
        rows, facts = _Merge(writer, [source for source in sources if source.keep.any()]).run()
        writer.finish(facts)
    except BaseException:
        writer.abandon()
        raise
    return rows


class _Merge:
    def __init__(self, writer: ColumnWriter, sources: Sequence[SegmentToMerge]) -> None:
        self.writer = writer
        self.sources = sources
        self.fields = in_order(name for source in sources for name in source.segment.fields)
        self.columns = [np.array([self.fields.index(name) for name in source.segment.fields]) for source in sources]
        """Where the fields of each source stand among those of the new segment."""
        self.owner_source, self.owner_old = self._owner_order()
        self.new_owner = [np.full(len(s.keep), -1, np.int32) for s in sources]
        for number in range(len(sources)):
            mine = np.flatnonzero(self.owner_source == number)
            self.new_owner[number][self.owner_old[mine]] = mine
        self.row_source, self.row_old, self.new_row = self._row_order()

    def run(self) -> tuple[int, dict[str, Any]]:
        rows = len(self.row_old)
        facts = {"rows": rows, "owners": len(self.owner_old)} | self._owners() | self._rows()
        term_maps = self._postings()
        word_maps = self._streams()
        self._word_terms(word_maps, term_maps)
        self._lists("identifier")
        self._lists("filter")
        return rows, facts

    # --- order ------------------------------------------------------------------------------------------------

    def _owner_order(self) -> tuple[Array, Array]:
        """(source, old owner) of each new owner, in the order of ties."""
        keys = []
        for number, source in enumerate(self.sources):
            segment = source.segment
            for owner in np.flatnonzero(source.keep).tolist():
                element = segment.elements.raw(int(segment["owner_element"][owner]))
                born, lifetime = int(segment["owner_born"][owner]), int(segment["owner_lifetime"][owner])
                keys.append((element, segment.version_id(owner), born, lifetime, number, owner))
        keys.sort()
        return np.array([k[4] for k in keys], np.int32), np.array([k[5] for k in keys], np.int64)

    def _row_order(self) -> tuple[Array, Array, list[Array]]:
        """(source, old row) of each new row, and per source the new row of each old one (-1: left out)."""
        spans = [_owner_spans(source.segment) for source in self.sources]
        starts, lengths = np.zeros(len(self.owner_old), np.int64), np.zeros(len(self.owner_old), np.int64)
        for number, (first, count) in enumerate(spans):
            mine = self.owner_source == number
            starts[mine], lengths[mine] = first[self.owner_old[mine]], count[self.owner_old[mine]]
        row_old = positions(starts, lengths)
        row_source = np.repeat(self.owner_source, lengths)
        new_row = [np.full(source.segment.rows, -1, np.int32) for source in self.sources]
        for number in range(len(self.sources)):
            mine = np.flatnonzero(row_source == number)
            new_row[number][row_old[mine]] = mine
        return row_source, row_old, new_row

    def _take(self, column: Callable[[SegmentToMerge], Array], source_of: Array, old: Array, dtype: Any) -> Array:
        """One value per new owner or row, each from its source."""
        out = np.zeros(len(old), dtype)
        for number, source in enumerate(self.sources):
            mine = source_of == number
            out[mine] = column(source)[old[mine]]
        return out

    # --- owners and rows --------------------------------------------------------------------------------------

    def _owners(self) -> dict[str, Any]:
        elements, element_maps = _union_tables([s.segment.elements for s in self.sources], self._used_elements())
        self._write_table("element", elements)
        recipes, recipe_maps = self._facts("recipes", lambda s: s.segment["owner_recipe"][s.keep])
        audiences, audience_maps = self._facts("roles", lambda s: s.segment["owner_roles"][s.keep])

        def owners(name: str, column: Callable[[SegmentToMerge], Array], dtype: Any) -> None:
            self.writer.add(name, self._take(column, self.owner_source, self.owner_old, dtype))

        owners("owner_lifetime", lambda s: s.segment["owner_lifetime"], np.int64)
        owners("owner_born", lambda s: s.segment["owner_born"], np.int64)
        owners("owner_died", lambda s: s.died, np.int64)
        owners("owner_from", lambda s: s.segment["owner_from"], np.int32)
        owners("owner_to", lambda s: s.segment["owner_to"], np.int32)
        for name, maps in (("element", element_maps), ("recipe", recipe_maps), ("roles", audience_maps)):
            self._renamed(f"owner_{name}", maps, self.owner_source, self.owner_old, np.int32)
        versions = np.zeros((len(self.owner_old), 16), np.uint8)
        for number, source in enumerate(self.sources):
            mine = self.owner_source == number
            versions[mine] = source.segment["owner_version"].reshape(-1, 16)[self.owner_old[mine]]
        self.writer.add("owner_version", versions.ravel())
        return {"recipes": recipes, "roles": audiences}

    def _facts(self, name: str, used: Callable[[SegmentToMerge], Array]) -> tuple[list[Any], list[Array]]:
        """Used entries of a small table in the headers, sorted, and per source the new index of each old one.

        Only what kept rows use: a role or recipe that only an erased element had goes with it.
        """
        tables = [s.segment.facts[name] for s in self.sources]
        chosen = [np.unique(used(s)).tolist() for s in self.sources]
        merged: list[Any] = []
        for item in sorted(table[i] for table, indices in zip(tables, chosen, strict=True) for i in indices):
            if not merged or merged[-1] != item:
                merged.append(item)
        rank = {str(item): number for number, item in enumerate(merged)}
        maps = [np.array([rank.get(str(item), -1) for item in table], np.int32) for table in tables]
        return merged, maps

    def _renamed(self, column: str, maps: list[Array], source_of: Array, old: Array, dtype: Any) -> None:
        """A column of indices, each translated by the map of its source."""
        out = np.zeros(len(old), dtype)
        for number, source in enumerate(self.sources):
            mine = source_of == number
            out[mine] = maps[number][source.segment[column][old[mine]]]
        self.writer.add(column, out)

    def _used_elements(self) -> list[Array]:
        return [np.unique(s.segment["owner_element"][s.keep]) for s in self.sources]

    def _rows(self) -> dict[str, Any]:
        languages, language_maps = self._facts(
            "languages", lambda s: s.segment["row_language"][s.keep[s.segment.row_owner]]
        )
        self._renamed("row_owner", self.new_owner, self.row_source, self.row_old, np.int32)
        self._renamed("row_language", language_maps, self.row_source, self.row_old, np.int16)
        chunks = self._take(lambda s: s.segment["row_chunk"], self.row_source, self.row_old, np.int32)
        self.writer.add("row_chunk", chunks)
        high = self._take(lambda s: s.segment["row_text_high"], self.row_source, self.row_old, np.uint64)
        self.writer.add("row_text_high", high)
        low = self._take(lambda s: s.segment["row_text_low"], self.row_source, self.row_old, np.uint64)
        self.writer.add("row_text_low", low)
        lengths = np.zeros((len(self.row_old), len(self.fields)), np.int32)
        for number, source in enumerate(self.sources):
            mine = np.flatnonzero(self.row_source == number)
            lengths[np.ix_(mine, self.columns[number])] = source.segment.lengths[self.row_old[mine]]
        self.writer.add("lengths", lengths.ravel())
        return {"languages": languages, "fields": list(self.fields)}

    # --- postings ---------------------------------------------------------------------------------------------

    def _postings(self) -> list[Array]:
        """Copy postings term by term, rows renumbered; returns per source the new id of each old term."""
        counts = [
            self._kept_per_list(n, s.segment.posting_ptr, s.segment.posting_row) for n, s in enumerate(self.sources)
        ]
        terms, maps = _union_tables([s.segment.terms for s in self.sources], [np.flatnonzero(c) for c in counts])
        self._write_table("term", terms)
        write_hashes(self.writer, "term", terms)
        per_term = _sum_by(maps, counts, len(terms))
        self.writer.add("posting_ptr", pointers(per_term))
        codes, code_maps = _union_codes([self._code_frequencies(number) for number in range(len(self.sources))])
        self.writer.add("code_frequencies", codes)
        code_type = code_maps[0].dtype if code_maps else np.uint16
        self._copy_column("posting_row", np.int32, maps, per_term, lambda n, rows, _: self.new_row[n][rows])
        self._copy_column("posting_code", code_type, maps, per_term, lambda n, _, old: code_maps[n][old])
        return maps

    def _code_frequencies(self, number: int) -> Array:
        """The frequency vectors of a source, over the fields of the new segment."""
        known = self.sources[number].segment.code_frequencies
        out = np.zeros((len(known), len(self.fields)), np.uint16)
        out[:, self.columns[number]] = known
        return out

    def _kept_per_list(self, number: int, ptr: Array, rows: Array) -> Array:
        """How many of each list's rows go into the new segment."""
        kept = np.zeros(len(rows) + 1, np.int64)
        for start in range(0, len(rows), SLICE):
            piece = rows[start : start + SLICE]
            kept[start + 1 : start + 1 + len(piece)] = self.new_row[number][piece] >= 0
        np.cumsum(kept, out=kept)
        counts: Array = kept[ptr[1:]] - kept[ptr[:-1]]
        return counts

    def _copy_column(
        self, name: str, dtype: Any, maps: list[Array], per_term: Array, value: Callable[[int, Array, Array], Array]
    ) -> None:
        with self.writer.column(name, dtype) as append:
            for low, high in _slices(per_term):
                keys, values = [], []
                for number, source in enumerate(self.sources):
                    segment = source.segment
                    old = np.flatnonzero((maps[number] >= low) & (maps[number] < high))
                    if not len(old):
                        continue
                    where = positions(segment.posting_ptr[old], segment.posting_ptr[old + 1] - segment.posting_ptr[old])
                    rows = segment.posting_row[where]
                    term = np.repeat(maps[number][old], segment.posting_ptr[old + 1] - segment.posting_ptr[old])
                    new = self.new_row[number][rows]
                    keep = new >= 0
                    keys.append(term[keep].astype(np.int64) * max(1, len(self.row_old)) + new[keep])
                    values.append(value(number, rows[keep], segment.posting_code[where][keep]))
                if keys:
                    order = np.argsort(np.concatenate(keys), kind="stable")
                    append(np.concatenate(values)[order])

    # --- streams ----------------------------------------------------------------------------------------------

    def _streams(self) -> list[Array]:
        """Copy the word streams row by row; returns per source the new id of each old word (-1: gone)."""
        used = [self._used_words(number) for number in range(len(self.sources))]
        words, maps = _union_tables([s.segment.words for s in self.sources], used)
        self._write_table("word", words)
        # A field that a source does not have is empty: a separator alone.
        lengths = np.ones((len(self.row_old), len(self.fields)), np.int64)
        for number, source in enumerate(self.sources):
            mine = np.flatnonzero(self.row_source == number)
            own = np.diff(source.segment["stream_ptr"]).reshape(-1, len(source.segment.fields))
            lengths[np.ix_(mine, self.columns[number])] = own[self.row_old[mine]]
        ends = pointers(lengths.ravel())
        self.writer.add("stream_ptr", ends)
        starts = ends[:-1].reshape(lengths.shape)
        per_row = lengths.sum(axis=1)
        with self.writer.column("stream", np.int32) as append:
            for low, high in _slices(per_row):
                out = np.zeros(int(per_row[low:high].sum()), np.int32)
                for number, source in enumerate(self.sources):
                    mine = low + np.flatnonzero(self.row_source[low:high] == number)
                    if not len(mine):
                        continue
                    here = np.ix_(mine, self.columns[number])
                    old_starts = source.segment["stream_ptr"][:-1].reshape(-1, len(self.columns[number]))
                    counts = lengths[here].ravel()
                    words_old = source.segment["stream"][positions(old_starts[self.row_old[mine]].ravel(), counts)]
                    renamed = np.append(maps[number], np.int32(-1))[words_old - 1] + np.int32(1)
                    out[positions(starts[here].ravel() - starts[low, 0], counts)] = renamed
                append(out)
        return maps

    def _used_words(self, number: int) -> Array:
        segment = self.sources[number].segment
        used = np.zeros(len(segment.words) + 1, bool)
        rows = np.flatnonzero(self.new_row[number] >= 0)
        slots = len(segment.fields)
        ptr = segment["stream_ptr"]
        per_row = ptr[(rows + 1) * slots] - ptr[rows * slots]
        for low, high in _slices(per_row):
            used[segment["stream"][positions(ptr[rows[low:high] * slots], per_row[low:high])]] = True
        return np.flatnonzero(used[1:])

    def _word_terms(self, word_maps: list[Array], term_maps: list[Array]) -> None:
        pairs = []
        width = max(1, max((int(m.max()) + 1 for m in term_maps if len(m)), default=1))
        for number, source in enumerate(self.sources):
            ptr = source.segment["word_term_ptr"]
            words = np.repeat(word_maps[number], np.diff(ptr))
            terms = term_maps[number][source.segment["word_term"]]
            keep = (words >= 0) & (terms >= 0)
            pairs.append(words[keep].astype(np.int64) * width + terms[keep])
        merged = np.unique(np.concatenate(pairs)) if pairs else np.empty(0, np.int64)
        count = max((int(m.max()) + 1 for m in word_maps if len(m)), default=0)
        self.writer.add("word_term_ptr", np.searchsorted(merged // width, np.arange(count + 1)))
        self.writer.add("word_term", (merged % width).astype(np.int32))

    # --- identifiers and filters ------------------------------------------------------------------------------

    def _lists(self, name: str) -> None:
        tables = [s.segment.table(name) for s in self.sources]
        counts = [
            self._kept_per_list(n, s.segment[f"{name}_ptr"], s.segment[f"{name}_row"])
            for n, s in enumerate(self.sources)
        ]
        strings, maps = _union_tables(tables, [np.flatnonzero(c) for c in counts])
        self._write_table(name, strings)
        keys = []
        for number, source in enumerate(self.sources):
            rows = self.new_row[number][source.segment[f"{name}_row"]]
            owner = np.repeat(maps[number], np.diff(source.segment[f"{name}_ptr"]))
            keep = rows >= 0
            keys.append(owner[keep].astype(np.int64) * max(1, len(self.row_old)) + rows[keep])
        merged = np.sort(np.concatenate(keys)) if keys else np.empty(0, np.int64)
        width = max(1, len(self.row_old))
        self.writer.add(f"{name}_ptr", np.searchsorted(merged // width, np.arange(len(strings) + 1)))
        self.writer.add(f"{name}_row", (merged % width).astype(np.int32))

    def _write_table(self, name: str, strings: list[bytes]) -> None:
        blob, offsets = pack_strings(strings)
        self.writer.add(f"{name}_blob", blob)
        self.writer.add(f"{name}_offsets", offsets)


def _owner_spans(segment: Segment) -> tuple[Array, Array]:
    """First row and number of rows of each owner; an owner's rows lie together."""
    owners = np.arange(len(segment["owner_born"]))
    first = np.searchsorted(segment.row_owner, owners)
    last = np.searchsorted(segment.row_owner, owners, "right")
    return first, last - first


def _union_tables(tables: Sequence[StringTable], used: Sequence[Array]) -> tuple[list[bytes], list[Array]]:
    """All used strings in order, and per table the new index of each old one (-1: unused)."""
    listed = [list(table) for table in tables]
    strings = sorted({listed[n][i] for n, chosen in enumerate(used) for i in chosen.tolist()})
    rank = {raw: number for number, raw in enumerate(strings)}
    maps = []
    for items, chosen in zip(listed, used, strict=True):
        new = np.full(len(items), -1, np.int32)
        if len(chosen):
            new[chosen] = [rank[items[i]] for i in chosen.tolist()]
        maps.append(new)
    return strings, maps


def _union_codes(tables: Sequence[Array]) -> tuple[Array, list[Array]]:
    """One table of frequency vectors, and per segment the new code of each old one."""
    if not tables:
        return np.empty(0, np.int32), []
    table, codes = encode_frequencies(np.concatenate(tables))
    ends = np.cumsum([len(known) for known in tables])
    return table, np.split(codes, ends[:-1])


def _sum_by(maps: Sequence[Array], counts: Sequence[Array], size: int) -> Array:
    total = np.zeros(size, np.int64)
    for new, count in zip(maps, counts, strict=True):
        known = new >= 0
        total[new[known]] += count[known]
    return total


def _slices(lengths: Array) -> list[tuple[int, int]]:
    """Ranges of lists that hold about SLICE items each."""
    ends = np.cumsum(lengths)
    out, low = [], 0
    while low < len(lengths):
        base = int(ends[low - 1]) if low else 0
        high = max(low + 1, int(np.searchsorted(ends, base + SLICE, "right")))
        out.append((low, high))
        low = high
    return out


__all__ = ["SegmentToMerge", "merge_segments"]
