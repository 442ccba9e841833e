"""How a contract suite opens an index, and what it skips where an engine declares less."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pincite.catalog.open import open_catalog
from pincite.protocols import Catalog
from pincite.testing.index.shelf import Shelf


def declared(feature: str) -> Callable[[Any, Shelf], Shelf]:
    """A fixture: the shelf of an engine that declares a feature; the test is skipped for any other."""

    @pytest.fixture
    def shelf_with(self: Any, shelf: Shelf) -> Shelf:  # noqa: ARG001
        if not getattr(shelf.index.features, feature):
            pytest.skip(f"the engine does not declare {feature!r}")
        return shelf

    return shelf_with


class Opened:
    """An index beside a catalog, in a folder of the test's own."""

    def make_index(self, catalog: Catalog, folder: Path) -> Any:
        """An index in the roles that the suite is about."""
        raise NotImplementedError("say how an index is opened in this folder; opening it again must find the same one")

    def make_catalog(self, folder: Path) -> Catalog:
        return open_catalog(str(folder))

    def make_shelf(self, folder: Path) -> Shelf:
        folder.mkdir(parents=True, exist_ok=True)
        catalog = self.make_catalog(folder)
        return Shelf(catalog, self.make_index(catalog, folder))

    @pytest.fixture
    def shelf(self, tmp_path: Path) -> Iterator[Shelf]:
        shelf = self.make_shelf(tmp_path)
        yield shelf
        shelf.catalog.close()

    phrases = declared("phrases")
    prefixes = declared("prefixes")
    scoring = declared("scoring")
    stand_ins = declared("stand_ins")
    condenses = declared("condenses")
    explains = declared("explains")
    ever = declared("ever")
    among = declared("among")
    dense = declared("dense")
    fields = declared("fields")
    exact_scan = declared("exact_scan")
    isolated = declared("score_isolation")
    replaying = declared("replay")
