"""The brute-force index keeps the contract too: what the engines are compared with is itself held to it."""

from __future__ import annotations

from pathlib import Path

from pincite.protocols import Catalog, Index
from pincite.testing.index import IndexContract
from pincite.testing.oracle import BruteForceIndex


class TestBruteForceIndex(IndexContract):
    def make_index(self, catalog: Catalog, folder: Path) -> Index:  # noqa: ARG002
        return BruteForceIndex(catalog)
