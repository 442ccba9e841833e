"""The segment index: the contract, and what only files, locks and other processes can get wrong."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pincite.catalog.sqlite import SqliteCatalog
from pincite.errors import Damaged, Locked, StorageFull, Unavailable
from pincite.index.segments import keyword, merge, phrases, snapshot, upkeep
from pincite.index.segments.format import FORMAT
from pincite.index.segments.index import SegmentIndex
from pincite.index.segments.lock import write_lock
from pincite.index.segments.manifest import load_manifest, store_manifest
from pincite.protocols import Catalog, Index
from pincite.queries import IdentifierQuery, Phrase, Prefix, Ranking, Some, Word, WordQuery
from pincite.testing.index import SCOPE, IndexContract, Shelf, page, passage, put, words
from pincite.types import Alias, RemoveElement


class TestSegmentIndex(IndexContract):
    def make_index(self, catalog: Catalog, folder: Path) -> Index:
        return SegmentIndex(folder / "index", catalog)


class SegmentShelf(Shelf):
    """A shelf whose index is made of segments; knows where its files lie."""

    index: SegmentIndex

    def __init__(self, folder: Path) -> None:
        catalog = SqliteCatalog(folder / "catalog.db")
        super().__init__(catalog, SegmentIndex(folder / "index", catalog))
        self.root = folder

    def reopen(self) -> None:
        self.index = SegmentIndex(self.root / "index", self.catalog)

    @property
    def repository(self) -> Path:
        (folder,) = (self.root / "index").iterdir()
        return folder

    @property
    def generation(self) -> Path:
        (folder,) = self.repository.glob("g-*")
        return folder

    def segments(self) -> list[Path]:
        return sorted(self.generation.glob("seg-*"))

    def fill(self, count: int = 12) -> None:
        """Segments of one commit each, with deaths beside them."""
        for n in range(count):
            self.add(put(f"e{n}", page("dog " * (n % 4) + "cat court", f"chunk {n}", language=("de", "en")[n % 2])))
        self.add(put("e1", "another dog"), RemoveElement("e2"))

    def answers(self) -> list[Ranking]:
        """Answers at every revision."""
        asked = (
            WordQuery(words("dog cat another"), group="chunk", explained=2),
            WordQuery(words("dog court"), depth=3),
            WordQuery(Phrase("cat court")),
            WordQuery(Prefix("d")),
        )
        views = [self.view(revision=r) for r in range(self.index.reached(SCOPE) + 1)]
        named = [self.index.exact([v], IdentifierQuery(("e1", "page"))) for v in views]
        return [self.index.keyword([v], q) for v in views for q in asked] + named


@pytest.fixture
def shelf(tmp_path: Path) -> Iterator[SegmentShelf]:
    shelf = SegmentShelf(tmp_path)
    yield shelf
    shelf.catalog.close()


def flip(path: Path, at: int) -> None:
    data = bytearray(path.read_bytes())
    data[at] ^= 0x10
    path.write_bytes(data)


def column(segment: Path, name: str) -> int:
    """Where a column begins in the file."""
    header = json.loads(json.loads((segment / "header.json").read_text())["body"])
    return int(header["columns"][name]["offset"])


# --- damage ---------------------------------------------------------------------------------------------------


def truncate_columns(shelf: SegmentShelf) -> str:
    path = shelf.segments()[0] / "columns.bin"
    path.write_bytes(path.read_bytes()[:-1])
    return "columns.bin"


def damage_header(shelf: SegmentShelf) -> str:
    flip(shelf.segments()[0] / "header.json", 60)
    return "header.json"


def lose_segment(shelf: SegmentShelf) -> str:
    segment = shelf.segments()[0]
    shutil.rmtree(segment)
    return segment.name


def damage_manifest(shelf: SegmentShelf) -> str:
    flip(shelf.generation / "manifest", 40)
    return "manifest"


def empty_manifest(shelf: SegmentShelf) -> str:
    (shelf.generation / "manifest").write_bytes(b"")
    return "manifest"


def lose_manifest(shelf: SegmentShelf) -> str:
    (shelf.generation / "manifest").unlink()
    return "manifest"


def lose_generation(shelf: SegmentShelf) -> str:
    shutil.rmtree(shelf.generation)
    return "manifest"


def damage_pointer(shelf: SegmentShelf) -> str:
    (shelf.repository / "current").write_text("{}")
    return "current"


def damage_deaths(shelf: SegmentShelf) -> str:
    path = next(shelf.generation.glob("deaths-*"))
    flip(path, 0)
    return path.name


def unknown_format(shelf: SegmentShelf) -> str:
    path = shelf.generation / "manifest"
    path.write_text(path.read_text().replace(f'"format": {FORMAT}', '"format": 9'))
    return "format 9"


DAMAGES = [
    truncate_columns, damage_header, lose_segment, damage_manifest, empty_manifest, lose_manifest, lose_generation,
    damage_pointer, damage_deaths, unknown_format,
]  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
def test_damage_is_named_and_a_rebuild_repairs_it(
    shelf: SegmentShelf, damage: Callable[[SegmentShelf], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshot, "ATTEMPTS", 3)
    shelf.fill()
    before = shelf.answers()
    named = damage(shelf)
    shelf.reopen()
    for use in (lambda: shelf.index.keyword([shelf.view(revision=1)], WordQuery(Word("dog"))), shelf.answers):
        with pytest.raises(Damaged, match=named) as raised:
            use()
        assert "pincite rebuild" in raised.value.message
    assert any(named in problem for problem in shelf.index.check(SCOPE))
    assert named in shelf.index.status(SCOPE).problem
    shelf.index.rebuild(SCOPE)
    assert shelf.answers() == before
    assert shelf.index.check(SCOPE) == ()


@pytest.mark.parametrize("damage", [damage_manifest, lose_manifest, damage_pointer, lose_generation])
def test_a_damaged_index_is_not_rolled_forward(shelf: SegmentShelf, damage: Callable[[SegmentShelf], str]) -> None:
    shelf.fill(2)
    named = damage(shelf)
    shelf.commit(put("new", "dog"))
    with pytest.raises(Damaged, match=named):
        shelf.index.advance(SCOPE)


def test_a_lost_pointer_is_an_index_that_was_never_built(shelf: SegmentShelf) -> None:
    shelf.fill()
    before = shelf.answers()
    (shelf.repository / "current").unlink()
    assert shelf.index.reached(SCOPE) == 0
    shelf.index.advance(SCOPE)
    assert shelf.answers() == before


@pytest.mark.parametrize("name", ["posting_row", "stream", "owner_born", "word_blob", "filter_row"])
def test_a_flipped_bit_is_found_with_the_column_it_hit(shelf: SegmentShelf, name: str) -> None:
    shelf.add(put("a", "some words"))
    (segment,) = shelf.segments()
    flip(segment / "columns.bin", column(segment, name))
    (problem,) = shelf.index.check(SCOPE)
    assert name in problem
    assert segment.name in problem
    with pytest.raises(Damaged, match="not merged"):
        shelf.index.merge(SCOPE, everything=True)
    shelf.index.rebuild(SCOPE)
    assert (shelf.index.check(SCOPE), shelf.find("words")) == ((), ["a"])


def test_an_index_of_another_analyser_is_refused_and_built_anew_by_the_next_advance(shelf: SegmentShelf) -> None:
    shelf.fill(2)
    store_manifest(shelf.generation, replace(load_manifest(shelf.generation), analyser="words/0"))
    with pytest.raises(Unavailable, match=r"words/0.*pincite rebuild"):
        shelf.find("dog")
    shelf.index.advance(SCOPE)
    assert shelf.find("another") == ["e1"]


def test_an_index_of_another_library_is_built_anew(shelf: SegmentShelf) -> None:
    shelf.fill(2)
    store_manifest(shelf.generation, replace(load_manifest(shelf.generation), library_id="other", revision=99))
    shelf.index.advance(SCOPE)
    assert (shelf.index.reached(SCOPE), shelf.find("another")) == (3, ["e1"])


def test_an_index_folder_deleted_under_an_open_reader_is_read_anew(shelf: SegmentShelf) -> None:
    shelf.add(put("a", "dog"), put("b", "cat"))
    assert shelf.find("dog") == ["a"]
    shelf.add(put("a", "cat"), put("b", "dog"))
    shutil.rmtree(shelf.repository)
    SegmentIndex(shelf.root / "index", shelf.catalog).advance(SCOPE)
    assert (shelf.find("dog"), shelf.find("dog", shelf.view(revision=1))) == (["b"], ["a"])


# --- merging --------------------------------------------------------------------------------------------------


def test_merging_keeps_every_answer_and_drops_nothing(shelf: SegmentShelf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(merge, "SLICE", 5)
    shelf.fill()
    before, rows = shelf.answers(), shelf.index.status(SCOPE).chunks
    merges = 0
    while shelf.index.merge(SCOPE):
        merges += 1
        assert shelf.answers() == before
    assert merges
    assert shelf.index.merge(SCOPE, everything=True)
    status = shelf.index.status(SCOPE)
    assert (shelf.answers(), status.chunks) == (before, rows)
    assert sorted((s.history, s.dead == s.chunks if s.history else s.dead == 0) for s in status.segments) == [
        (False, True),
        (True, True),
    ]
    births = shelf.catalog.feed.births(SCOPE, 0, shelf.index.reached(SCOPE))
    assert sum(s.chunks for s in status.segments) == sum(len(birth.derivation.chunks) for birth in births)
    assert shelf.index.check(SCOPE) == ()


def test_merging_comes_to_an_end_with_few_segments(shelf: SegmentShelf) -> None:
    for n in range(50):
        shelf.add(put(f"e{n % 20}", f"dog {n}"))
        while shelf.index.merge(SCOPE):
            pass
    assert len(shelf.index.status(SCOPE).segments) <= 2 * upkeep.FEW


def test_a_large_segment_is_left_alone_until_the_smaller_ones_have_grown(
    shelf: SegmentShelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upkeep, "SMALL", 2)
    shelf.add(*(put(f"first{n}", "dog") for n in range(40)))

    def grown_by(name: str, count: int) -> list[int]:
        shelf.add(*(put(f"{name}{n}", "dog") for n in range(count)))
        while shelf.index.merge(SCOPE):
            pass
        return sorted(segment.chunks for segment in shelf.index.status(SCOPE).segments)

    assert grown_by("second", 5) == [5, 40]
    assert grown_by("third", 1) == [1, 5, 40], "a handful of small ones may stand beside the others"
    assert grown_by("fourth", 2) == [8, 40], "three are more than a quarter of five"
    assert grown_by("fifth", 2) == [50], "ten are a quarter of forty"


def during_merge(monkeypatch: pytest.MonkeyPatch, act: Callable[[], object]) -> None:
    """Let something happen while a merge has read its sources and not yet exchanged them."""
    acted = []

    def merge_then_act(*arguments: object) -> int:
        rows = merge.merge_segments(*arguments)  # type: ignore[arg-type]
        if not acted:
            acted.append(True)
            act()
        return rows

    monkeypatch.setattr(upkeep, "merge_segments", merge_then_act)


def test_what_dies_and_is_born_during_a_merge_is_seen_after_it(
    shelf: SegmentShelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf.fill()
    seen: list[list[Ranking]] = []

    def commit() -> None:
        shelf.add(RemoveElement("e3"), put("e4", "changed meanwhile"), put("new", "dog"))
        seen.append(shelf.answers())

    during_merge(monkeypatch, commit)
    assert shelf.index.merge(SCOPE, everything=True)
    assert shelf.answers() == seen[0]
    assert shelf.find("meanwhile") == ["e4"]
    shelf.index.merge(SCOPE, everything=True)
    assert shelf.answers() == seen[0]


def test_a_merge_that_an_erasure_overtook_is_thrown_away(shelf: SegmentShelf, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf.fill()
    shelf.add(put("secret", "Secretword"))

    def purge() -> None:
        shelf.catalog.commits.purge(SCOPE, ["secret"])
        shelf.index.advance(SCOPE)

    during_merge(monkeypatch, purge)
    assert shelf.index.merge(SCOPE, everything=True) is False
    assert shelf.find("Secretword") == []
    assert b"secretword" not in all_bytes(shelf)


def test_a_merge_that_a_rebuild_overtook_is_thrown_away(shelf: SegmentShelf, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf.fill()
    before = shelf.answers()
    during_merge(monkeypatch, lambda: shelf.index.rebuild(SCOPE))
    assert shelf.index.merge(SCOPE, everything=True) is False
    assert shelf.answers() == before


def test_sources_that_vanish_before_a_merge_are_no_damage(shelf: SegmentShelf) -> None:
    shelf.fill(3)
    folder = shelf.repository
    info = shelf.catalog.repositories.ensure(SCOPE)
    stale = snapshot.take_snapshot(folder, None)
    assert stale is not None
    assert info.head == stale.manifest.revision
    shelf.index.rebuild(SCOPE)
    assert upkeep.merge(folder, stale, stale.manifest.segments) is False
    assert len(shelf.find("court")) == 1


def test_only_one_merge_runs_at_a_time(shelf: SegmentShelf) -> None:
    shelf.fill()
    with write_lock(shelf.repository / "merging"):
        done: list[bool] = []
        other = threading.Thread(target=lambda: done.append(shelf.index.merge(SCOPE, everything=True)))
        other.start()
        other.join()
    assert done == [False]


def test_readers_never_notice_a_merge_or_a_rebuild(shelf: SegmentShelf) -> None:
    shelf.fill()
    revision = shelf.index.reached(SCOPE)
    asked = WordQuery(words("dog cat court"), group="chunk")
    expected = shelf.index.keyword([shelf.view(revision=revision)], asked)
    stop = threading.Event()
    wrong: list[object] = []

    def read() -> None:
        index = SegmentIndex(shelf.root / "index", shelf.catalog)
        while not stop.is_set():
            try:
                if index.keyword([shelf.view(revision=revision)], asked) != expected:
                    wrong.append("another answer")
            except Exception as error:  # noqa: BLE001 - whatever a reader meets is what the test is about
                wrong.append(error)

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for n in range(10):
        shelf.add(put("e1", f"dog {n}"), RemoveElement("e3"))
        shelf.add(put("e3", "dog back"))
        shelf.index.merge(SCOPE, everything=n % 2 == 0)
        if n % 4 == 0:
            shelf.index.rebuild(SCOPE)
    stop.set()
    for reader in readers:
        reader.join()
    assert wrong == []


# --- bounds ---------------------------------------------------------------------------------------------------


def test_a_phrase_in_too_many_passages_is_answered_in_part_and_says_so(
    shelf: SegmentShelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf.fill()
    monkeypatch.setattr(phrases.StreamBudget.__init__, "__defaults__", (5, False))
    ranking = shelf.ask(Phrase("cat court"))
    assert (ranking.status, ranking.total_is_lower_bound) == ("partial", True)
    assert "phrase" in ranking.reason
    assert shelf.ask("cat court").status == "ok"


def test_a_total_beyond_the_bound_is_a_lower_bound_of_the_same_answer(
    shelf: SegmentShelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf.fill()
    asked = WordQuery(words("dog cat court"), depth=2)
    exact = shelf.ask(asked)
    monkeypatch.setattr(keyword, "EXACT_TOTAL_UP_TO", 3)
    bound = shelf.ask(asked)
    assert (exact.total_is_lower_bound, bound.total_is_lower_bound) == (False, True)
    assert bound.found == exact.found
    assert len(bound.found) <= bound.total <= exact.total


def test_a_recipe_and_an_audience_for_every_element_survive_a_merge(shelf: SegmentShelf) -> None:
    for part in range(2):
        states = {n: page(f"dog {n}", roles=(f"role {n}",)) for n in range(part, 300, 2)}
        states = {n: replace(s, derivation=replace(s.derivation, recipe=f"recipe {n}")) for n, s in states.items()}
        shelf.add(*(put(f"e{n}", state) for n, state in states.items()))
    shelf.index.merge(SCOPE, everything=True)
    assert shelf.find("dog", shelf.view(roles=("role 7",))) == ["e7"]
    found = shelf.ask(WordQuery(Word("dog"), depth=1000)).found
    assert {hit.element_id: hit.recipe for hit in found} == {f"e{n}": f"recipe {n}" for n in range(300)}


# --- erasure --------------------------------------------------------------------------------------------------


def all_bytes(shelf: SegmentShelf) -> bytes:
    """Every byte below the index folder, lower case, and every file name."""
    paths = sorted((shelf.root / "index").rglob("*"))
    content = b"".join(path.read_bytes() for path in paths if path.is_file())
    return (content + " ".join(map(str, paths)).encode()).lower()


@pytest.mark.parametrize("merged", [False, True])
def test_a_purge_leaves_no_byte_in_any_file(shelf: SegmentShelf, merged: bool) -> None:
    shelf.fill(3)
    state = page(
        passage("Secrettext of the Secretplaintiff", section_id="Secretsection", parent_chain=("Secretheading",),
                chunk_type="Secretkind", context="Secretcontext"),
        name="Secretname", roles=("Secretrole",), element_type="Secrettype", metadata={"Secretkey": "Secretvalue"},
        defined=(("Secretterm", 0),), aliases=(Alias("Secretalias"),),
    )  # fmt: skip
    state = replace(state, derivation=replace(state.derivation, recipe="Secretrecipe"))
    shelf.add(put("Secretid", state), put("beside", "an innocent neighbour"))
    shelf.add(put("Secretid", "Secretsecond version"))
    if merged:
        shelf.index.merge(SCOPE, everything=True)
    assert b"secret" in all_bytes(shelf)
    before = [r for r in shelf.answers() if not any(f.element_id == "Secretid" for f in r.found)]
    shelf.catalog.commits.purge(SCOPE, ["Secretid"])
    shelf.index.advance(SCOPE)
    assert b"secret" not in all_bytes(shelf)
    assert before
    assert shelf.find("innocent") == ["beside"]
    assert shelf.index.check(SCOPE) == ()


def test_words_that_others_hold_too_survive_a_purge(shelf: SegmentShelf) -> None:
    shelf.add(put("a", "shared Secretword"), put("b", "shared word"))
    shelf.catalog.commits.purge(SCOPE, ["a"])
    shelf.index.advance(SCOPE)
    assert (shelf.find("shared"), b"secretword" in all_bytes(shelf)) == (["b"], False)
    shelf.catalog.commits.purge(SCOPE, ["b"])
    shelf.index.advance(SCOPE)
    assert (shelf.find("shared"), b"shared" in all_bytes(shelf)) == ([], False)


# --- crashes --------------------------------------------------------------------------------------------------


def test_leftovers_of_a_crash_are_swept(shelf: SegmentShelf) -> None:
    shelf.fill(2)
    for name in ("seg-000099", "merge-live-seg-000001-seg-000002-2"):
        (shelf.generation / name).mkdir()
        (shelf.generation / name / "columns.bin").write_bytes(b"half")
    (shelf.generation / "deaths-000098").write_bytes(b"half")
    shelf.add(put("new", "dog"))
    left = {path.name for path in shelf.generation.iterdir()}
    assert left == load_manifest(shelf.generation).files()


def test_a_segment_that_a_crash_left_under_the_next_name_is_in_nobodys_way(shelf: SegmentShelf) -> None:
    shelf.fill(3)
    before = shelf.answers()
    name, _ = load_manifest(shelf.generation).numbered("seg")
    shutil.copytree(shelf.segments()[0], shelf.generation / name)
    assert shelf.index.merge(SCOPE, everything=True)
    assert shelf.answers() == before
    name, _ = load_manifest(shelf.generation).numbered("seg")
    shutil.copytree(shelf.segments()[0], shelf.generation / name)
    shelf.add(put("new", "a fresh dog"))
    assert shelf.find("fresh") == ["new"]


KILLED = """
import os, signal, sys
from pathlib import Path
from pincite.catalog.sqlite import SqliteCatalog
from pincite.index.segments import format, index, manifest, merge, roll, upkeep
from pincite.testing.index import SCOPE

folder, verb, place, count = Path(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4])
calls = 0

def die_after(module, name):
    original = getattr(module, name)
    def wrapped(*arguments, **options):
        global calls
        calls += 1
        if calls == count and place.endswith("before"):
            os.kill(os.getpid(), signal.SIGKILL)
        made = original(*arguments, **options)
        if calls == count:
            os.kill(os.getpid(), signal.SIGKILL)
        return made
    setattr(module, name, wrapped)

for module, name in {
    "manifest": [(roll, "store_manifest"), (upkeep, "store_manifest")],
    "segment": [(roll, "build_segment"), (roll, "merge_segments"), (upkeep, "merge_segments")],
    "switch": [(index, "switch_generation")],
    "deaths": [(roll, "store_deaths"), (upkeep, "store_deaths")],
    "sealed": [(format, "write_sealed"), (manifest, "write_sealed")],
}[place.split()[0]]:
    die_after(module, name)
opened = index.SegmentIndex(folder / "index", SqliteCatalog(folder / "catalog.db"))
{"advance": opened.advance, "rebuild": opened.rebuild, "merge": lambda s: opened.merge(s, everything=True)}[verb](SCOPE)
"""


@pytest.mark.crash
@pytest.mark.parametrize(
    ("verb", "place", "count"),
    [
        ("advance", "segment after", 1), ("advance", "segment before", 2), ("advance", "deaths after", 1),
        ("advance", "sealed before", 1), ("advance", "sealed after", 1), ("advance", "manifest before", 1),
        ("advance", "manifest after", 1), ("merge", "segment after", 1), ("merge", "segment after", 2),
        ("merge", "manifest before", 1), ("merge", "manifest after", 1), ("rebuild", "segment after", 1),
        ("rebuild", "switch before", 1), ("rebuild", "switch after", 1),
    ],
)  # fmt: skip
def test_a_killed_writer_leaves_an_index_that_catches_up_to_equal_a_rebuild(
    shelf: SegmentShelf, verb: str, place: str, count: int
) -> None:
    shelf.fill(4)
    before = shelf.answers()
    shelf.add(put("secret", "a secret dog"))
    shelf.catalog.commits.purge(SCOPE, ["secret"])
    shelf.commit(put("e1", "yet another dog"), RemoveElement("e0"), put("new", "dog"))
    shelf.commit(RemoveElement("new"))
    run = [sys.executable, "-c", KILLED, str(shelf.root), verb, place, str(count)]
    assert subprocess.run(run, timeout=60, check=False).returncode == -9
    assert [shelf.index.keyword([shelf.view(revision=r)], WordQuery(words("cat court"))).total for r in (1, 3)] == [
        1,
        3,
    ]
    shelf.index.merge(SCOPE, everything=True)
    shelf.index.advance(SCOPE)
    after = shelf.answers()
    assert set(map(repr, before)) <= set(map(repr, after))
    assert {path.name for path in shelf.generation.iterdir()} - {"manifest.tmp"} == load_manifest(
        shelf.generation
    ).files()
    assert shelf.index.check(SCOPE) == ()
    shelf.index.rebuild(SCOPE)
    assert shelf.answers() == after


FULL_DISK = """
import resource, signal, sys
from pathlib import Path
from pincite.catalog.sqlite import SqliteCatalog
from pincite.errors import StorageFull
from pincite.index.segments.format import FORMAT
from pincite.index.segments.index import SegmentIndex
from pincite.testing.index import SCOPE

folder = Path(sys.argv[1])
index = SegmentIndex(folder / "index", SqliteCatalog(folder / "catalog.db"))
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (2000, resource.RLIM_INFINITY))
try:
    index.advance(SCOPE)
except StorageFull as error:
    print(error)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="limits the size of files, which Windows cannot")
def test_a_full_disk_is_reported_and_the_old_answers_stay(shelf: SegmentShelf) -> None:
    shelf.fill(4)
    before = shelf.answers()
    shelf.commit(put("big", "dog word " * 2000))
    run = [sys.executable, "-c", FULL_DISK, str(shelf.root)]
    printed = subprocess.run(run, timeout=60, check=True, capture_output=True, text=True).stdout
    assert "no space left" in printed
    assert "nothing committed is lost" in printed
    assert issubclass(StorageFull, Unavailable)
    assert shelf.answers() == before
    shelf.index.advance(SCOPE)
    assert "big" in shelf.find("dog")


# --- other processes ------------------------------------------------------------------------------------------

WRITER = """
import sys
from pathlib import Path
from pincite.catalog.sqlite import SqliteCatalog
from pincite.index.segments.format import FORMAT
from pincite.index.segments.index import SegmentIndex
from pincite.testing.index import SCOPE, Shelf, put
from pincite.types import RemoveElement

folder = Path(sys.argv[1])
catalog = SqliteCatalog(folder / "catalog.db")
shelf = Shelf(catalog, SegmentIndex(folder / "index", catalog))
for line in sys.stdin:
    verb, _, name = line.strip().partition(" ")
    if verb == "put":
        shelf.add(put(name, "a dog"))
    elif verb == "remove":
        shelf.add(RemoveElement(name))
    elif verb == "merge":
        shelf.index.merge(SCOPE, everything=True)
    elif verb == "rebuild":
        shelf.index.rebuild(SCOPE)
    print(",".join(shelf.find("dog")), flush=True)
"""


def test_a_second_process_and_this_one_notice_each_others_segments(shelf: SegmentShelf) -> None:
    shelf.add(put("a", "a dog"))
    run = [sys.executable, "-c", WRITER, str(shelf.root)]
    with subprocess.Popen(run, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdin is not None
        assert writer.stdout is not None
        for order, expected in (
            ("put b", "a,b"), ("remove a", "b"), ("merge", "b"), ("put c", "b,c"), ("rebuild", "b,c"),
            ("put a", "a,b,c"),
        ):  # fmt: skip
            writer.stdin.write(order + "\n")
            writer.stdin.flush()
            assert writer.stdout.readline().strip() == expected
            assert shelf.find("dog") == expected.split(",")
        shelf.add(RemoveElement("c"))
        writer.stdin.write("look\n")
        writer.stdin.flush()
        assert writer.stdout.readline().strip() == "a,b"
        writer.stdin.close()


def test_commits_in_quick_succession_are_all_noticed(shelf: SegmentShelf) -> None:
    other = SegmentShelf(shelf.root)
    for n in range(30):
        shelf.add(put("a", f"dog{n}"))
        assert other.find(f"dog{n}") == ["a"]
        shelf.add(put("a", f"dog{n} again"))
        shelf.index.merge(SCOPE, everything=True)
        assert (other.index.reached(SCOPE), other.find("again")) == (2 * n + 2, ["a"])
    other.catalog.close()


HOLDER = """
import sys
from pathlib import Path
from pincite.index.segments.lock import write_lock

with write_lock(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_lock_held_by_another_process_is_waited_for_and_then_reported(shelf: SegmentShelf) -> None:
    shelf.add(put("a", "a dog"))
    shelf.commit(put("b", "a dog"))
    run = [sys.executable, "-c", HOLDER, str(shelf.repository)]
    with subprocess.Popen(run, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdin is not None
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(Locked, match="another writer"):
            shelf.index.advance(SCOPE, wait_seconds=0.1)
        assert shelf.find("dog") == ["a"]
        threading.Timer(0.3, holder.stdin.close).start()
        assert shelf.index.advance(SCOPE, wait_seconds=30) == 2


def test_a_lock_held_by_another_thread_is_reported_too(shelf: SegmentShelf) -> None:
    shelf.add(put("a", "a dog"))
    raised: list[Locked] = []

    def advance() -> None:
        try:
            shelf.index.advance(SCOPE, wait_seconds=0.05)
        except Locked as error:
            raised.append(error)

    with write_lock(shelf.repository):
        thread = threading.Thread(target=advance)
        thread.start()
        thread.join()
    assert raised
    assert shelf.index.advance(SCOPE, wait_seconds=0) == 1


def test_writers_in_several_threads_lose_nothing(shelf: SegmentShelf) -> None:
    def work(worker: int) -> None:
        for n in range(5):
            shelf.add(put(f"{worker}-{n}", "a dog"))
            shelf.index.merge(SCOPE, everything=True)

    threads = [threading.Thread(target=work, args=(worker,)) for worker in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    shelf.index.advance(SCOPE)
    assert len(shelf.find(Some((Word("dog"),)))) == 20
    before = shelf.answers()
    shelf.index.rebuild(SCOPE)
    assert shelf.answers() == before
