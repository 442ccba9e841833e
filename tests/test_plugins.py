"""Stores and models of another package, found by its entry points as pip leaves them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import pincite
from pincite.catalog.open import open_catalog, shown
from pincite.errors import Conflict, InvalidArgument, NotFound, Unavailable, UnknownArgument
from pincite.index.open import index_names
from pincite.library import restore_library
from pincite.models.registry import embedders, open_embedder, open_reranker, rerankers

STRANGER = '''
"""A catalog, an index and two models of another package. The stores borrow ours; the names are theirs."""

from pathlib import Path

from pincite.catalog.open import open_catalog
from pincite.errors import UnknownArgument
from pincite.index.flat import FlatVectors
from pincite.index.open import index_engine
from pincite.models.hashing import HashingEmbedder
from pincite.models.overlap import OverlapReranker
from pincite.models.registry import Maker

ROOT = Path(__file__).parent


class Shelves:
    def exists(self, address):
        return (ROOT / "shelves" / address.partition("://")[2] / "catalog.db").exists()

    def open(self, address, settings):
        for name in settings.keys() - {"colour"}:
            raise UnknownArgument.named("setting of a shelf", name, ["colour"])
        catalog = open_catalog(str(ROOT / "shelves" / address.partition("://")[2]))
        catalog.colour = settings.get("colour")
        return catalog

    def folder(self, address):
        return ROOT / "nodes" / address.partition("://")[2]

    def restore(self, backup, address):
        target = ROOT / "shelves" / address.partition("://")[2]
        target.mkdir(parents=True)
        (target / "catalog.db").write_bytes((backup / "catalog.db").read_bytes())


class Cards:
    def open(self, address, folder, catalog, settings):
        index = index_engine("segments").open("segments", folder / "cards", catalog, {})
        index.opened_with = (address, dict(settings))
        return index

    def holds(self, folder, info):
        return (folder / "cards" / info.key).exists()

    def copy(self, folder, target, infos):
        index_engine("segments").copy(folder / "cards", target / "cards", infos)

    def discard(self, folder, info):
        index_engine("segments").discard(folder / "cards", info)


class Heap(FlatVectors):
    name = "heap"


OPENED = []


def open_heap(address, settings):
    OPENED.append((address, dict(settings)))
    return Heap()


SHELVES, CARDS = Shelves(), Cards()
EMBEDDER = Maker(lambda rest, threads: HashingEmbedder(int(rest)), "letters:64", "counts letters")
RERANKER = Maker(lambda rest, threads: OverlapReranker(), "echo", "repeats the question")
'''

ENTRY_POINTS = """
[pincite.catalogs]
shelf = stranger:SHELVES
broken = stranger_that_is_not_here:ENGINE
sqlite = stranger:SHELVES

[pincite.indexes]
cards = stranger:CARDS

[pincite.vector_stores]
heap = stranger:open_heap

[pincite.embedders]
letters = stranger:EMBEDDER

[pincite.rerankers]
echo = stranger:RERANKER
"""


@pytest.fixture
def stranger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installed package: a module, and beside it what an installer writes about it."""
    site = tmp_path / "site"
    about = site / "stranger-1.0.dist-info"
    about.mkdir(parents=True)
    (site / "stranger.py").write_text(STRANGER, encoding="utf-8")
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: stranger\nVersion: 1.0\n", encoding="utf-8")
    (about / "entry_points.txt").write_text(ENTRY_POINTS, encoding="utf-8")
    monkeypatch.syspath_prepend(site)
    monkeypatch.delitem(sys.modules, "stranger", raising=False)
    yield site
    sys.modules.pop("stranger", None)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "source"
    folder.mkdir()
    (folder / "leave.md").write_text("# Leave\n\nEverybody has thirty days of leave.\n", encoding="utf-8")
    return folder


def test_a_library_at_an_address_is_opened_filled_searched_and_found_again(stranger: Path, source: Path) -> None:
    with pincite.open("shelf://handbook", dense="off", index="cards://box", index_settings={"depth": 2}) as library:
        assert library.is_new
        assert (library.address, library.path) == ("shelf://handbook", stranger / "nodes" / "handbook")
        assert library.index.opened_with == ("cards://box", {"depth": 2})  # type: ignore[attr-defined]
        library.ingest(source)
        assert [hit.passage.element_id for hit in library.search("thirty days").hits] == ["leave.md"]
    assert (stranger / "nodes" / "handbook" / "index" / "cards").is_dir(), "the node keeps its index"
    with pincite.open("shelf://handbook", create=False, dense="off", catalog_settings={"colour": "red"}) as library:
        assert not library.is_new
        assert library.catalog.colour == "red"  # type: ignore[attr-defined]
        assert library.search("leave").total == 1


def test_a_node_may_keep_its_index_where_the_settings_say(stranger: Path, source: Path, tmp_path: Path) -> None:
    with pincite.open("shelf://handbook", dense="off", folder=str(tmp_path / "node")) as library:
        library.ingest(source)
    assert (tmp_path / "node" / "index").is_dir()
    assert not (stranger / "nodes").exists()
    with pytest.raises(InvalidArgument, match="leave `folder` out"):
        pincite.open(tmp_path / "embedded", folder=str(tmp_path / "node"))


@pytest.mark.usefixtures("stranger")
def test_a_setting_is_checked_by_the_engine_that_it_is_for() -> None:
    with pytest.raises(UnknownArgument, match=r"'color'.*'colour'"):
        pincite.open("shelf://handbook", catalog_settings={"color": "red"})


def test_a_library_at_an_address_is_copied_and_restored_by_its_engine(
    stranger: Path, source: Path, tmp_path: Path
) -> None:
    with pincite.open("shelf://handbook", dense="off") as library:
        library.ingest(source)
        library.backup(tmp_path / "backup")
    with pytest.raises(Conflict, match=r"there is a library at 'shelf://handbook'|is not empty"):
        restore_library(tmp_path / "backup", "shelf://handbook")
    with pytest.raises(InvalidArgument, match="backup of a catalog of 'shelf'"):
        restore_library(tmp_path / "backup", tmp_path / "folder")
    made = restore_library(tmp_path / "backup", "shelf://copy")
    assert made.path == "shelf://copy"
    assert (stranger / "shelves" / "copy").is_dir()
    with pincite.open("shelf://copy", create=False, dense="off") as library:
        assert library.search("thirty days").total == 1


@pytest.mark.usefixtures("stranger")
def test_nothing_is_made_where_nothing_is_asked_for() -> None:
    with pytest.raises(NotFound, match="no library at 'shelf://handbook'"):
        pincite.open("shelf://handbook", create=False)
    with pytest.raises(NotFound):
        pincite.open("shelf://handbook", create=False)


@pytest.mark.usefixtures("stranger")
def test_a_name_that_nobody_has_is_answered_with_those_there_are() -> None:
    with pytest.raises(UnknownArgument, match="unknown catalog 'shelve'; did you mean 'shelf'"):
        pincite.open("shelve://handbook")
    with pytest.raises(UnknownArgument, match="unknown catalog 'oracle'; known: broken, shelf, sqlite"):
        pincite.open("oracle://db")


def test_a_package_that_cannot_be_imported_is_named_and_disturbs_no_other(stranger: Path, tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="'broken' of the package 'stranger' cannot be loaded: No module named"):
        pincite.open("broken://db")
    pincite.open(tmp_path / "embedded", dense="off").close()
    assert not (stranger / "shelves").exists(), "another package cannot take a name of ours"


@pytest.mark.usefixtures("stranger")
def test_a_vector_store_and_a_model_of_another_package_answer_by_meaning(source: Path, tmp_path: Path) -> None:
    chosen = {"vectors": "heap://box", "vectors_settings": {"depth": 2}, "embedding": {"model": "letters:64"}}
    with pincite.open(tmp_path / "library", dense="required", **chosen) as library:
        library.ingest(source)
        library.embed()
        answer = library.search("thirty days of leave")
        assert [leg.status for leg in answer.legs if leg.name == "dense"] == ["ok"]
        assert "dense" in answer.hits[0].legs
    assert sys.modules["stranger"].OPENED == [("heap://box", {"depth": 2})]
    with pytest.raises(UnknownArgument, match="unknown vector store 'heep'; did you mean 'heap'"):
        pincite.open(tmp_path / "other", vectors="heep://box")


@pytest.mark.usefixtures("stranger")
def test_models_of_another_package_are_opened_and_listed() -> None:
    assert open_embedder("letters:32").dimensions == 32
    assert open_reranker("echo").name == "overlap"
    assert "letters:64" in [maker.written for maker in embedders()]
    assert "echo" in [maker.written for maker in rerankers()]
    assert index_names() == ("segments", "sqlite_vec", "cards")


def test_a_password_in_an_address_is_never_shown() -> None:
    assert shown("name://ann:s3cret@db:5432/x?sslmode=require") == "name://ann:…@db:5432/x?sslmode=require"
    assert shown("name://db/x") == "name://db/x"
    assert shown("/srv/ann:s3cret@db") == "/srv/ann:s3cret@db"
    with pytest.raises(UnknownArgument) as caught:
        open_catalog("oracle://ann:s3cret@db/x")
    assert "s3cret" not in caught.value.message
