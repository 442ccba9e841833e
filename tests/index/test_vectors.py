"""The dense leg of the segment index: the cascade, the files of the vector store, and what can go wrong with them."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from pincite.catalog.sqlite import SqliteCatalog
from pincite.errors import Damaged
from pincite.index.entries import embedded_key
from pincite.index.segments import blocks, cascade, dense, take, vectors
from pincite.index.segments.blocks import TextKeys, VectorBlock, sign_bits, write_block
from pincite.index.segments.cascade import hamming
from pincite.index.segments.index import SegmentIndex
from pincite.index.segments.scan import BATCH
from pincite.index.segments.vectors import check_stores, load_store, store_folder, store_folders
from pincite.queries import Ranking, VectorQuery
from pincite.testing.index import SCOPE, Shelf, page, put
from pincite.testing.vectors import MODEL, asking, embed, fixed, meaning, stored
from pincite.types import RemoveElement

WORDS = (
    "dog", "cat", "court", "tax", "lease", "rent", "bite", "owner", "judge", "law", "land", "debt", "heir", "will",
    "sale", "loan",
)  # fmt: skip


class VectorShelf(Shelf):
    """A shelf that knows where the vectors of its repository lie."""

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
    def store(self) -> Path:
        return store_folder(self.repository, MODEL)

    def fill(self, count: int = 40, *, every: int = 8) -> None:
        """Elements of two passages, their vectors taken in batches, some changed and dead."""
        for n in range(count):
            self.add(put(f"e{n:03d}", page(text_of(n), text_of(n * 7 + 3))))
            if n % every == every - 1:
                self.embed()
        self.add(put("e001", text_of(5)), RemoveElement("e002"))
        self.embed()

    def answers(self, *, exact: bool = False) -> list[Ranking]:
        """Answers at several revisions."""
        head = self.index.reached(SCOPE)
        return [
            self.mean(query, self.view(revision=revision))
            for revision in (1, head // 2, head)
            for query in questions(exact=exact)
        ]


def text_of(number: int) -> str:
    rng = np.random.default_rng(number)
    parts = [" ".join(rng.choice(WORDS, 4).tolist()) for _ in range(1 + number % 4)]
    return ". ".join((*parts, f"number {number}"))


def questions(*, exact: bool = False, depth: int = 5) -> list[VectorQuery]:
    return [
        asking(" ".join(WORDS[n : n + 2]), exact=exact, depth=depth, group=group)
        for n in range(0, 16, 3)
        for group in ("element", "chunk")
    ]


@pytest.fixture
def shelf(tmp_path: Path) -> Iterator[VectorShelf]:
    shelf = VectorShelf(tmp_path)
    yield shelf
    shelf.catalog.close()


# --- the cascade ----------------------------------------------------------------------------------------------


def narrow(monkeypatch: pytest.MonkeyPatch, near: int, chosen: int) -> None:
    """Let the cascade run on the few vectors of a test, with sieves as narrow as this."""
    monkeypatch.setattr(dense, "FULL_SCAN", 0)
    monkeypatch.setattr(cascade, "NEAR_LEAST", near)
    monkeypatch.setattr(cascade, "CHOSEN", chosen)
    monkeypatch.setattr(cascade, "STRIPE", 5)


def test_a_wide_cascade_answers_like_the_full_scan(shelf: VectorShelf, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf.fill()
    narrow(monkeypatch, near=1_000, chosen=1_000)
    assert shelf.answers() == shelf.answers(exact=True)


def test_a_narrow_cascade_finds_the_first_and_scores_what_it_finds_exactly(
    shelf: VectorShelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf.fill()
    narrow(monkeypatch, near=60, chosen=12)
    agreed = 0
    for query, exact in zip(questions(depth=3), questions(depth=1_000, exact=True), strict=True):
        found, everything = shelf.mean(query), shelf.mean(exact)
        raw = {(hit.element_id, hit.chunk): hit.raw for hit in shelf.mean(asking_chunks(exact)).found}
        assert all(raw[hit.element_id, hit.chunk] == hit.raw for hit in found.found)
        assert (len(found.found), found.total, found.status) == (3, everything.total, "ok")
        agreed += found.found[0] == everything.found[0]
    assert agreed >= len(questions()) - 1


def asking_chunks(query: VectorQuery) -> VectorQuery:
    return VectorQuery(query.vector, query.fingerprint, query.calibration, depth=1_000, group="chunk", exact=True)


def test_the_cascade_widens_until_it_holds_enough_groups(shelf: VectorShelf, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf.fill()
    narrow(monkeypatch, near=1, chosen=1)
    for exact, query in zip(questions(exact=True, depth=500), questions(depth=500), strict=True):
        found, everything = shelf.mean(query), shelf.mean(exact)
        assert len(found.found) == found.total == everything.total > 0
        if query.group == "chunk":
            assert found == everything


def test_what_the_cascade_chooses_does_not_depend_on_blocks_or_segments(
    shelf: VectorShelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(take, "SMALL", 1)
    (tmp_path / "other").mkdir()
    other = VectorShelf(tmp_path / "other")
    shelf.fill()
    other.fill(every=1_000)
    narrow(monkeypatch, near=10, chosen=4)
    before = shelf.answers()
    assert [[(h.element_id, h.chunk, h.raw) for h in r.found] for r in before] == [
        [(h.element_id, h.chunk, h.raw) for h in r.found] for r in other.answers()
    ]
    assert len(load_store(shelf.store).blocks) != len(load_store(other.store).blocks)
    shelf.index.merge(SCOPE, everything=True)
    assert shelf.answers() == before
    shelf.index.rebuild(SCOPE)
    assert shelf.answers() == before
    shelf.reopen()
    assert shelf.answers() == before
    other.catalog.close()


def test_what_others_may_read_does_not_steer_the_cascade(shelf: VectorShelf, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf.fill()
    narrow(monkeypatch, near=10, chosen=4)
    view = shelf.view(roles=())
    before = [shelf.mean(query, view) for query in questions()]
    shelf.add(*(put(f"x{n}", page(text_of(n), "dog cat", roles=("judge",))) for n in range(100, 150)))
    shelf.embed()
    assert [shelf.mean(query, shelf.view(roles=())) for query in questions()] == before


@pytest.mark.parametrize("dimensions", [1, 63, 64, 65, 200])
def test_hamming_distances_count_differing_signs(dimensions: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(dimensions)
    stored_vectors = rng.integers(-5, 6, (37, dimensions)).astype(np.int16)
    question = rng.integers(-5, 6, (1, dimensions)).astype(np.int16)
    expected = ((stored_vectors > 0) != (question > 0)).sum(axis=1)
    numbers = np.arange(37, dtype=np.uint64)
    write_block(tmp_path / "block", TextKeys(numbers, numbers), np.ones(37, np.int64), dimensions, [stored_vectors])
    block = VectorBlock(tmp_path / "block")
    assert hamming(block, None, sign_bits(question)[0]).tolist() == expected.tolist()
    for chosen in (np.array([36, 3, 3]), np.arange(1, 37)):
        assert hamming(block, chosen, sign_bits(question)[0]).tolist() == expected[chosen].tolist()


def test_a_set_larger_than_a_batch_is_scored_like_its_parts(shelf: VectorShelf) -> None:
    count = BATCH + 3
    shelf.add(*(put(f"e{n:04d}", f"dog {n}") for n in range(count)))
    shelf.embed()
    found = shelf.mean(asking("dog 7", depth=count)).found
    question = np.array(fixed(meaning("dog 7")), np.int64)
    for hit in found:
        text = np.frombuffer(stored(f"dog {int(hit.element_id[1:])}"), "<i2").astype(np.int64)
        assert hit.raw == int(text @ question) / 32_767**2
    assert len(found) == count


# --- keys -----------------------------------------------------------------------------------------------------


def test_keys_that_share_their_first_half_are_told_apart() -> None:
    keys = TextKeys(np.array([1, 5, 5, 5, 9], np.uint64), np.array([1, 2, 4, 6, 0], np.uint64))
    wanted = TextKeys(np.array([5, 5, 5, 5, 9, 9, 10, 0], np.uint64), np.array([2, 6, 4, 7, 0, 1, 0, 0], np.uint64))
    assert keys.find(wanted).tolist() == [1, 3, 2, -1, 4, -1, -1, -1]
    assert TextKeys.joined([wanted, wanted]).distinct().hex()[0] == "0" * 32
    assert TextKeys.joined([]).distinct().hex() == []


def test_a_text_in_many_places_is_stored_once(shelf: VectorShelf) -> None:
    for n in range(5):
        shelf.add(put(f"e{n}", page("a dog", "a dog")))
    assert shelf.embed() == 1
    assert [(entry.texts, entry.vectors) for entry in load_store(shelf.store).blocks] == [(1, 1)]
    assert len(shelf.mean(asking("dog", group="chunk")).found) == 10


# --- blocks ---------------------------------------------------------------------------------------------------


def test_many_small_blocks_are_merged_and_no_answer_changes(
    shelf: VectorShelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blocks, "SLICE", 3)
    shelf.fill(50, every=1)
    assert len(load_store(shelf.store).blocks) <= 2 * take.FEW
    assert {path.name for path in shelf.store.glob("block-*")} == {e.name for e in load_store(shelf.store).blocks}
    merged = shelf.answers()
    shutil.rmtree(shelf.store)
    shelf.index.take_vectors(SCOPE, MODEL)
    assert shelf.answers() == merged
    assert [entry.history for entry in load_store(shelf.store).blocks] == [False, True]


def test_what_only_the_dead_hold_is_moved_out_of_the_way_of_the_living(shelf: VectorShelf) -> None:
    shelf.add(*(put(f"e{n}", f"dog {n}") for n in range(10)))
    shelf.embed()
    before, then = shelf.mean("dog"), shelf.view()

    def changed(*numbers: int) -> list[tuple[int, bool]]:
        shelf.add(*(put(f"e{n}", f"cat {n}") for n in numbers))
        shelf.embed()
        assert shelf.mean("dog", then) == before
        return sorted((entry.texts, entry.history) for entry in load_store(shelf.store).blocks)

    assert changed(0, 1, 2) == [(3, False), (10, False)], "few of them may stay"
    assert changed(3) == [(1, False), (3, False), (4, True), (6, False)]
    assert changed(*range(4, 10))[-1] == (6, True), "a block that is all history stays as it is"
    shelf.add(put("e0", "dog 0"))
    assert shelf.near("dog 0")[0] == "e0", "what comes back to life is found where it lies"


def test_vectors_come_in_as_many_blocks_as_fit_into_memory(shelf: VectorShelf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(take, "FETCH", 2)
    monkeypatch.setattr(take, "MAX_BLOCK_BYTES", 500)
    monkeypatch.setattr(take, "FEW", 1_000)
    shelf.add(put("a", page(*(f"dog {n}" for n in range(20)))))
    assert shelf.embed() == 20
    assert len(load_store(shelf.store).blocks) == 5
    assert len(shelf.mean(asking("dog", group="chunk")).found) == 20


def test_another_reader_notices_new_vectors(shelf: VectorShelf) -> None:
    other = VectorShelf(shelf.root)
    for n in range(10):
        shelf.add(put(f"e{n}", f"dog {n}"))
        shelf.embed()
        assert (other.mean("dog").total, other.mean("dog").status) == (n + 1, "ok")
        assert other.mean("dog") == shelf.mean("dog")
    other.catalog.close()


@pytest.mark.parametrize("blob", [b"", b"\x01\x02\x03", stored("dog")[:-2], stored("dog") * 9])
def test_vectors_that_cannot_be_are_refused(shelf: VectorShelf, blob: bytes) -> None:
    state = page("a cat")
    shelf.add(put("a", "a dog"), put("b", state))
    shelf.embed(chosen=lambda text: "dog" in text)
    shelf.catalog.vectors.put(SCOPE.tenant, MODEL, {embedded_key(state.content, state.derivation.chunks[0]): blob})
    with pytest.raises(Damaged, match="pincite embed"):
        shelf.index.take_vectors(SCOPE, MODEL)
    assert shelf.near("dog") == ["a"]


def test_a_first_vector_that_is_not_of_unit_length_is_refused(shelf: VectorShelf) -> None:
    state = page("a cat")
    shelf.add(put("b", state))
    blob = (np.full(64, 30_000, "<i2")).tobytes()
    shelf.catalog.vectors.put(SCOPE.tenant, MODEL, {embedded_key(state.content, state.derivation.chunks[0]): blob})
    with pytest.raises(Damaged, match="unit length"):
        shelf.index.take_vectors(SCOPE, MODEL)
    assert shelf.mean("cat").status == "unavailable"


# --- erasure --------------------------------------------------------------------------------------------------


def all_bytes(shelf: VectorShelf) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(shelf.repository.rglob("*")) if path.is_file())


def test_a_purge_takes_the_vectors_out_of_every_file(shelf: VectorShelf) -> None:
    shelf.fill(6)
    state = page("Secrettext of the plaintiff")
    shelf.add(put("secret", state))
    shelf.embed()
    vector = stored("Secrettext of the plaintiff")
    key = bytes.fromhex(embedded_key(state.content, state.derivation.chunks[0]))[::-1]
    high, low = key[8:], key[:8]
    assert all(part in all_bytes(shelf) for part in (vector, high, low))
    before = shelf.answers()
    shelf.catalog.commits.purge(SCOPE, ["secret"])
    shelf.index.advance(SCOPE)
    assert not any(part in all_bytes(shelf) for part in (vector, high, low))
    assert shelf.index.check(SCOPE) == ()
    assert shelf.answers()[:5] == before[:5]
    assert load_store(shelf.store).purges == 1


def test_a_purge_of_everything_leaves_an_empty_store(shelf: VectorShelf) -> None:
    shelf.add(put("a", "a dog"))
    shelf.embed()
    shelf.catalog.commits.purge(SCOPE, ["a"])
    shelf.add(put("b", "a cat"))
    assert load_store(shelf.store).blocks == ()
    assert shelf.mean("dog").reason.startswith("0 of 1 ")
    assert (shelf.embed(), shelf.near("dog")) == (1, ["b"])


def test_a_rebuild_after_a_purge_that_was_never_indexed_takes_all_vectors_anew(shelf: VectorShelf) -> None:
    shelf.add(put("a", "a secret"), put("b", "a dog"))
    shelf.embed()
    shelf.catalog.commits.purge(SCOPE, ["a"])
    shelf.index.rebuild(SCOPE)
    assert stored("a secret") not in all_bytes(shelf)
    assert (shelf.near("dog"), shelf.mean("dog").status) == (["b"], "ok")


# --- damage and crashes ---------------------------------------------------------------------------------------


def flip_vectors(shelf: VectorShelf) -> str:
    path = next(shelf.store.glob("block-*")) / "columns.bin"
    data = bytearray(path.read_bytes())
    data[-1] ^= 0x10
    path.write_bytes(data)
    return "planes"


def truncate_block(shelf: VectorShelf) -> str:
    path = next(shelf.store.glob("block-*")) / "columns.bin"
    path.write_bytes(path.read_bytes()[:-1])
    return "columns.bin"


def lose_block(shelf: VectorShelf) -> str:
    block = next(shelf.store.glob("block-*"))
    shutil.rmtree(block)
    return block.name


@pytest.mark.parametrize("damage", [flip_vectors, truncate_block, lose_block], ids=lambda damage: damage.__name__)
def test_damaged_vectors_are_named_and_a_rebuild_repairs_them(
    shelf: VectorShelf, damage: Callable[[VectorShelf], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors, "ATTEMPTS", 3)
    shelf.fill(10)
    before = shelf.answers()
    named = damage(shelf)
    shelf.reopen()
    assert any(named in problem and "pincite rebuild" in problem for problem in shelf.index.check(SCOPE))
    if damage is not flip_vectors:
        with pytest.raises(Damaged, match=named):
            shelf.mean("dog")
    shelf.index.rebuild(SCOPE)
    assert (shelf.index.check(SCOPE), shelf.answers()) == ((), before)


def test_a_damaged_manifest_of_vectors_is_named_and_a_rebuild_clears_the_way(shelf: VectorShelf) -> None:
    shelf.fill(6)
    before = shelf.answers()
    (shelf.store / "manifest").write_bytes(b"")
    shelf.reopen()
    assert "manifest" in check_stores(shelf.repository)[0]
    for use in (lambda: shelf.mean("dog"), shelf.embed, lambda: shelf.index.advance(SCOPE)):
        with pytest.raises(Damaged, match="manifest"):
            use()
    shelf.index.rebuild(SCOPE)
    assert shelf.mean("dog").status == "unavailable"
    shelf.embed()
    assert shelf.answers() == before


def test_blocks_with_damage_are_not_merged(shelf: VectorShelf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(take, "FEW", 1)
    shelf.add(put("a", "a dog"))
    shelf.embed()
    flip_vectors(shelf)
    shelf.add(put("b", "a cat"))
    with pytest.raises(Damaged, match="pincite rebuild"):
        shelf.embed()


def test_vectors_of_another_library_are_dropped(shelf: VectorShelf, tmp_path: Path) -> None:
    shelf.add(put("a", "a dog"))
    shelf.embed()
    (tmp_path / "other").mkdir()
    other = VectorShelf(tmp_path / "other")
    other.commit(put("a", "a dog"))
    info = other.catalog.repositories.ensure(SCOPE)
    shutil.copytree(shelf.repository, tmp_path / "other" / "index" / info.key)
    other.index.advance(SCOPE)
    assert store_folders(other.repository) == []
    other.catalog.close()


def test_leftovers_of_a_crash_are_swept_and_in_nobodys_way(shelf: VectorShelf) -> None:
    shelf.fill(4)
    block, *_ = shelf.store.glob("block-*")
    name, _ = load_store(shelf.store).numbered()
    shutil.copytree(block, shelf.store / name)
    shelf.add(put("new", "another dog"))
    assert not (shelf.store / name).exists()
    shutil.copytree(block, shelf.store / name)
    assert shelf.embed() == 1
    assert shelf.near("another dog")[0] == "new"


KILLED = """
import os, signal, sys
from pathlib import Path
from pincite.catalog.sqlite import SqliteCatalog
from pincite.index.segments import index, take
from pincite.testing.index import SCOPE
from pincite.testing.vectors import MODEL

folder, verb, name, count = Path(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4])
original, calls = getattr(take, name), 0

def wrapped(*arguments):
    global calls
    calls += 1
    if calls == count:
        os.kill(os.getpid(), signal.SIGKILL)
    return original(*arguments)

setattr(take, name, wrapped)
take.FEW = 1
opened = index.SegmentIndex(folder / "index", SqliteCatalog(folder / "catalog.db"))
opened.take_vectors(SCOPE, MODEL) if verb == "take" else opened.advance(SCOPE)
"""


@pytest.mark.crash
@pytest.mark.parametrize(
    ("verb", "place", "count"),
    [
        ("take", "publish_store", 1), ("take", "publish_store", 2), ("take", "merge_blocks", 1),
        ("take", "sweep_store", 2), ("advance", "merge_blocks", 1), ("advance", "publish_store", 1),
        ("advance", "sweep_store", 2),
    ],
)  # fmt: skip
def test_a_killed_writer_loses_no_vector_and_keeps_none_that_was_erased(
    shelf: VectorShelf, verb: str, place: str, count: int
) -> None:
    shelf.fill(6)
    shelf.add(put("secret", "a secret dog"), put("beside", "an innocent dog"))
    shelf.embed()
    shelf.add(put("new", page("one more dog", "and a cat")))
    embed(shelf.catalog, SCOPE)
    if verb == "advance":
        shelf.catalog.commits.purge(SCOPE, ["secret"])
    run = [sys.executable, "-c", KILLED, str(shelf.root), verb, place, str(count)]
    assert subprocess.run(run, timeout=60, check=False).returncode == -9
    assert shelf.mean("dog", shelf.view(revision=1)).status == "ok"
    if verb == "take":
        shelf.catalog.commits.purge(SCOPE, ["secret"])
    shelf.index.advance(SCOPE)
    shelf.index.take_vectors(SCOPE, MODEL)
    assert stored("a secret dog") not in all_bytes(shelf)
    assert shelf.index.check(SCOPE) == ()
    after = shelf.answers()
    assert {ranking.status for ranking in after} == {"ok"}
    shutil.rmtree(shelf.store)
    shelf.index.take_vectors(SCOPE, MODEL)
    assert shelf.answers() == after
