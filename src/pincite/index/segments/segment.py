"""A segment: rows of one repository, immutable and memory-mapped."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pincite.fields import STRUCTURAL
from pincite.index.segments.format import Columns, open_columns
from pincite.index.segments.hashed import HashedTerms, hash_strings
from pincite.index.segments.strings import StringTable

Array = NDArray[Any]

REMEMBERED = 4_000
"""Ids of elements whose numbers are kept."""


class Segment:
    """Reads the columns that `build` and `merge` write. Everything derived is computed once, on first use."""

    def __init__(self, folder: Path) -> None:
        self.columns: Columns = open_columns(folder)
        self.name = folder.name
        self.folder = folder
        self.facts = self.columns.facts
        self.rows: int = self.facts["rows"]
        self.fields: tuple[str, ...] = tuple(self.facts.get("fields", STRUCTURAL))
        """The text fields of its rows, in their order; older segments do not name them and have the structural ones."""
        self.languages: list[str] = self.facts["languages"]
        self.roles: list[frozenset[str]] = [frozenset(roles) for roles in self.facts["roles"]]
        self.elements = self.table("element")
        self.terms = self.table("term")
        self.words = self.table("word")
        self.identifiers = self.table("identifier")
        self.filters = self.table("filter")
        self.row_owner = self["row_owner"]
        self.row_chunk = self["row_chunk"]
        self.owner_recipe = self["owner_recipe"]
        self.owner_lifetime = self["owner_lifetime"]
        self.owner_version = self["owner_version"]
        self.posting_ptr = self["posting_ptr"]
        self.posting_row = self["posting_row"]
        self.posting_code = self["posting_code"]
        self.code_frequencies = self["code_frequencies"].reshape(-1, len(self.fields))
        self.lengths = self["lengths"].reshape(-1, len(self.fields))
        self._numbers: dict[str, int] = {}
        self._weighted: dict[tuple[float, ...], tuple[Array, Array]] = {}

    def __getitem__(self, column: str) -> Array:
        return self.columns[column]

    def table(self, name: str) -> StringTable:
        return StringTable(self[f"{name}_blob"], self[f"{name}_offsets"])

    @cached_property
    def row_element(self) -> Array:
        """Element of each row; never falls, because rows lie in the order of their elements."""
        return self["owner_element"][self.row_owner]

    @cached_property
    def has_text(self) -> Array:
        """Rows that have a text of their own, which can have vectors."""
        has: Array = (self["row_text_high"] | self["row_text_low"]) != 0
        return has

    @cached_property
    def row_version(self) -> Array:
        """Rank of each row's (element, version); lifetimes of one version share it."""
        versions, elements = self["owner_version"].reshape(-1, 16), self["owner_element"]
        is_new = (versions[1:] != versions[:-1]).any(axis=1) | (elements[1:] != elements[:-1])
        rank: Array = np.append(0, np.cumsum(is_new))[self.row_owner]
        return rank

    @cached_property
    def _hashed_terms(self) -> HashedTerms:
        """Segments of older libraries have no hashes: then they are made once, in memory."""
        stored = self.columns.arrays
        if "term_hashes" in stored:
            return HashedTerms(self.terms, stored["term_buckets"], stored["term_hashes"])
        return HashedTerms(self.terms, *hash_strings(list(self.terms)))

    def term_id(self, term: str) -> int:
        """Index of a term, or -1."""
        return self._hashed_terms.find(term)

    def posting_range(self, term: str) -> tuple[int, int]:
        """Where the postings of a term lie; empty when the segment does not know it."""
        index = self.term_id(term)
        if index < 0:
            return 0, 0
        return int(self.posting_ptr[index]), int(self.posting_ptr[index + 1])

    def weighted(self, boosts: tuple[float, ...]) -> tuple[Array, Array]:
        """(frequency of each code, length of each row) with boosts in the order of `fields`, summed in that order."""
        known = self._weighted.get(boosts)
        if known is None:
            known = _weigh(self.code_frequencies, boosts), _weigh(self.lengths, boosts)
            self._weighted[boosts] = known
        return known

    def version_id(self, owner: int) -> str:
        return self.owner_version[owner * 16 : owner * 16 + 16].tobytes().hex()

    def version_ids(self, owners: Array) -> list[str]:
        versions = self.owner_version.reshape(-1, 16)[owners].tobytes().hex()
        return [versions[at : at + 32] for at in range(0, len(versions), 32)]

    def element_ids(self, numbers: Array) -> list[str]:
        """Ids of elements. The last ones are remembered: found elements are soon asked about by id."""
        names = self.elements.some(numbers)
        if len(self._numbers) > REMEMBERED:
            self._numbers = {}
        self._numbers.update(zip(names, numbers.tolist(), strict=True))
        return names

    def element_number(self, element_id: str) -> int:
        """Number of an element, or -1."""
        known = self._numbers.get(element_id)
        return self.elements.find(element_id) if known is None else known


def _weigh(matrix: Array, boosts: tuple[float, ...]) -> Array:
    """Column by column, so that every row is summed in the same order wherever it lies."""
    total = np.zeros(len(matrix), np.float64)
    for column, boost in enumerate(boosts):
        if boost:
            total += matrix[:, column] * boost
    return total
