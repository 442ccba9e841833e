"""The table of kinds: names, packages that are broken, and a library that goes on without them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import pincite
from installed import EXAMPLES, install
from pincite.errors import Unavailable, UnknownArgument
from pincite.kinds.open import kind_names, open_kind, open_kinds
from pincite.kinds.options import KindSettings

STRANGER = '''
from pincite.kinds.open import open_kind


def borrowed(settings):
    """A kind under another name than its own."""
    return open_kind("tools", settings)
'''
ENTRY_POINTS = """
[pincite.kinds]
documents = stranger_kinds:borrowed
gone = stranger_that_is_not_here:open_kind
borrowed = stranger_kinds:borrowed
"""


@pytest.fixture
def stranger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    site = tmp_path / "site"
    about = site / "stranger_kinds-1.0.dist-info"
    about.mkdir(parents=True)
    (site / "stranger_kinds.py").write_text(STRANGER, encoding="utf-8")
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: stranger-kinds\nVersion: 1.0\n", encoding="utf-8")
    (about / "entry_points.txt").write_text(ENTRY_POINTS, encoding="utf-8")
    monkeypatch.syspath_prepend(site)
    yield
    sys.modules.pop("stranger_kinds", None)


@pytest.mark.usefixtures("stranger")
def test_a_package_cannot_take_a_name_of_ours() -> None:
    assert kind_names() == ("documents", "tools", "borrowed", "gone")
    assert "document" in open_kind("documents").declares.content_kinds


@pytest.mark.usefixtures("stranger")
def test_a_broken_package_costs_only_its_own_kind(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="'gone' of the package 'stranger-kinds' cannot be loaded"):
        open_kind("gone")
    with pytest.raises(Unavailable, match="'borrowed' calls itself 'tools'"):
        open_kind("borrowed")
    opened = open_kinds(lambda _: KindSettings())
    assert [kind.name for kind in opened.kinds] == ["documents", "tools"]
    assert list(opened.problems) == ["borrowed", "gone"]
    (tmp_path / "a.md").write_text("# Leave\n\nThirty days.\n", encoding="utf-8")
    with pincite.open(tmp_path / "library", dense="off") as library:
        library.ingest(tmp_path / "a.md")
        assert library.search("thirty days").total == 1
        found = [(item.what, item.status) for item in library.health().findings]
        assert ("kind gone", "warning") in found
        assert library.health().ok


def test_settings_of_a_kind_that_takes_none_are_refused() -> None:
    with pytest.raises(UnknownArgument, match=r"'documents'.*'colour'"):
        open_kind("documents", KindSettings(own={"colour": "red"}))


def test_what_a_kind_put_in_stays_when_its_package_goes(tmp_path: Path) -> None:
    """Only what the kind declares is missing: its fields, its citation in words."""
    site = tmp_path / "site"
    install(EXAMPLES / "runbooks", site)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(site)
        with pincite.open(tmp_path / "library", dense="off") as library:
            library.ingest(EXAMPLES / "runbooks" / "checkout.runbooks.toml", kind="runbooks")
    sys.modules.pop("pincite_runbooks", None)
    with pincite.open(tmp_path / "library", dense="off") as library:
        (hit, *_) = library.search("restart the workers").hits
        assert (hit.passage.element_id, hit.passage.section_id) == ("CHK-7", "2")
        assert library.describe(hit.passage).citation == "Orders wait for their confirmation"
        assert library.verify("never all at once", hit.passage.citation).status == "verified"
