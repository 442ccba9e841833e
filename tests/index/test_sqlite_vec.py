"""FTS5 and sqlite-vec behind the protocol: the contract, and what is the engine's own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import pincite
from pincite import extras
from pincite.catalog.sqlite import SqliteCatalog
from pincite.errors import Conflict, Damaged, Locked, MissingExtra, Unavailable
from pincite.protocols import Catalog, Index
from pincite.queries import OneOf, Word, WordQuery
from pincite.testing.index import SCOPE, SIBLING, IndexContract, Shelf, page, put
from pincite.testing.vectors import MODEL, asking, meaning, stored
from pincite.types import RemoveElement, Scope

apsw = pytest.importorskip("apsw")
pytest.importorskip("sqlite_vec")

from pincite.index.sqlite_vec import dense, keyword, prepare, store, vectors  # noqa: E402
from pincite.index.sqlite_vec.index import SqliteVecIndex  # noqa: E402


class TestSqliteVecIndex(IndexContract):
    def make_index(self, catalog: Catalog, folder: Path) -> Index:
        return SqliteVecIndex(folder / "index", catalog)


class TestAskingVec0:
    """What the contract says of meaning, where `vec0` is asked instead of scoring all there is."""

    make_index = TestSqliteVecIndex.make_index
    make_catalog = IndexContract.make_catalog
    make_shelf = IndexContract.make_shelf
    shelf, dense, exact_scan = IndexContract.shelf, IndexContract.dense, IndexContract.exact_scan

    @pytest.fixture(autouse=True)
    def _never_scan(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(dense, "SCANNED", 0)

    test_order = IndexContract.test_the_nearest_passage_comes_first
    test_windows = IndexContract.test_whole_and_nearest_window_count_half_each
    test_groups = IndexContract.test_one_passage_of_an_element_stands_for_it_or_each_for_itself
    test_ties = IndexContract.test_equal_passages_tie_in_the_order_of_ids
    test_views = IndexContract.test_meaning_is_asked_at_a_revision_of_what_is_in_force_and_open_to_the_roles
    test_filters = IndexContract.test_a_filter_holds_inside_the_scan_of_vectors
    test_models = IndexContract.test_models_do_not_mix
    test_repositories = IndexContract.test_a_repository_without_vectors_is_counted_beside_one_with
    test_purge = IndexContract.test_a_purge_erases_vectors_and_a_text_that_others_hold_keeps_them
    test_same_as_a_scan = IndexContract.test_scanning_every_vector_gives_the_same_answer


class TestBestOfMany:
    """What the contract says of words, where only FTS5's best rows are looked at."""

    make_index = TestSqliteVecIndex.make_index
    make_catalog = IndexContract.make_catalog
    make_shelf = IndexContract.make_shelf
    shelf, ever = IndexContract.shelf, IndexContract.ever

    @pytest.fixture(autouse=True)
    def _never_all(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(keyword, "EXACT_TOTAL_UP_TO", 0)
        monkeypatch.setattr(keyword, "OVERSAMPLED", 2)

    test_depth = IndexContract.test_a_shallow_answer_is_the_head_of_a_deep_one
    test_ties = IndexContract.test_ties_are_broken_by_id
    test_filters = IndexContract.test_a_filter_holds_inside_the_scan
    test_roles = IndexContract.test_changed_roles_hold_from_their_revision_on
    test_time = IndexContract.test_a_removed_element_is_found_until_its_death
    test_lifetimes = IndexContract.test_lifetimes_of_one_version_tie_in_the_order_of_its_chunks

    def test_a_total_that_was_not_counted_is_a_lower_bound(self, shelf: Shelf) -> None:
        texts = ["dog", *(f"dog {'and more ' * n}" for n in range(1, 12))]
        shelf.add(*(put(f"e{n:02}", text) for n, text in enumerate(texts)), *(put(f"x{n}", "cat") for n in range(30)))
        ranking = shelf.ask(WordQuery(Word("dog"), depth=2))
        assert [found.element_id for found in ranking.found] == ["e00", "e01"]
        assert ranking.total_is_lower_bound and 2 <= ranking.total < 12
        every = shelf.ask(WordQuery(Word("dog"), depth=50))
        assert (every.total, every.total_is_lower_bound) == (12, False)


@pytest.fixture
def shelf(tmp_path: Path) -> Iterator[Shelf]:
    catalog = SqliteCatalog(tmp_path / "catalog.db")
    shelf = Shelf(catalog, SqliteVecIndex(tmp_path / "index", catalog))
    yield shelf
    shelf.index.close()
    catalog.close()


def asked_of_vec0(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, Any]]:
    """Records the questions that `vec0` is asked."""
    asked: list[tuple[str, Any]] = []
    read = store.SqliteVecFile.all

    def recording(self: store.SqliteVecFile, sql: str, values: Any = ()) -> list[tuple[Any, ...]]:
        if "signs MATCH" in sql:
            asked.append((sql, values))
        return read(self, sql, values)

    monkeypatch.setattr(store.SqliteVecFile, "all", recording)
    monkeypatch.setattr(dense, "SCANNED", 0)
    return asked


# --- vec0 -----------------------------------------------------------------------------------------------------


def test_a_filter_on_languages_reads_their_partitions_only(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf.add(
        *(put(f"{language}{n}", page("a dog", language=language)) for language in ["de", "fr", "it"] for n in "12")
    )
    shelf.embed()
    asked = asked_of_vec0(monkeypatch)
    found = shelf.near(asking("dog", filters=(OneOf("language", ("fr", "it")),)))
    assert found == ["fr1", "fr2", "it1", "it2"]
    assert [values["language"] for _, values in asked] == ["fr", "it"]
    assert all("id IN" not in sql for sql, _ in asked)


def test_a_language_that_metadata_state_otherwise_is_found_outside_its_partition(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf.add(
        put("de", page("a dog", language="de", metadata={"language": "rm"})), put("rm", page("a dog", language="rm"))
    )
    shelf.embed()
    asked = asked_of_vec0(monkeypatch)
    assert shelf.near(asking("dog", filters=(OneOf("language", ("rm",)),))) == ["de", "rm"]
    assert [("language" in values, "id IN" in sql) for sql, values in asked] == [(False, True)]


def test_an_answer_that_the_limit_of_sqlite_vec_cuts_short_says_so(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf.add(put("long", page(*(["a dog"] * 20))), put("near", "a dog here"), put("far", "income tax"))
    shelf.embed()
    for name, value in (("SCANNED", 0), ("FIRST", 4), ("MOST", 8)):
        monkeypatch.setattr(dense, name, value)
    cut = shelf.mean("a dog")
    assert ([found.element_id for found in cut.found], cut.total, cut.status) == (["long"], 3, "partial")
    assert "the 8 nearest vectors, which belong to 1 of 3 hits" in cut.reason
    whole = shelf.mean(asking("a dog", exact=True))
    assert ([found.element_id for found in whole.found], whole.status) == (["long", "near", "far"], "ok")


def test_the_limit_is_that_of_sqlite_vec(shelf: Shelf) -> None:
    shelf.add(put("a", "a dog"))
    shelf.embed()
    opened = shelf.index._store()  # type: ignore[attr-defined]
    sql = dense._NEAREST.format(model=1, inside="repository = 1")
    asked = {"signs": vectors.signs(vectors.unpack(stored("dog"), 64)[0]), "k": dense.MOST}
    assert len(opened.all(sql, asked)) == 1
    with pytest.raises(apsw.SQLError, match="k value"):
        opened.all(sql, asked | {"k": dense.MOST + 1})


def test_what_sign_bits_choose_holds_the_nearest(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [f"word{n % 7} word{n % 11} word{n % 13} word{n}" for n in range(300)]
    shelf.add(*(put(f"e{n:03}", text) for n, text in enumerate(texts)))
    shelf.embed()
    monkeypatch.setattr(dense, "SCANNED", 0)
    monkeypatch.setattr(dense, "FIRST", 60)
    same = 0
    for text in texts[::30]:
        some, every = (shelf.mean(asking(text, depth=10, exact=exact)) for exact in (False, True))
        assert some.found[0] == every.found[0]
        same += len({found.element_id for found in some.found} & {found.element_id for found in every.found})
    assert same >= 90


# --- isolation, processes -------------------------------------------------------------------------------------


@pytest.mark.parametrize("elsewhere", [replace(SCOPE, tenant="other"), replace(SCOPE, organization="other"), SIBLING])
def test_what_others_store_is_never_found_or_counted(shelf: Shelf, elsewhere: Scope) -> None:
    shelf.add(put("a", "a dog"), put("b", page("a dog", roles=("judge",))))
    shelf.embed()
    view = shelf.view(roles=())
    before = [ranking.total for ranking in (shelf.ask("dog", view), shelf.mean("dog", view))]
    values = shelf.index.filter_values([view])
    shelf.add(*(put(f"x{n}", page("a dog", metadata={"secret": n})) for n in range(9)), scope=elsewhere)
    shelf.embed(elsewhere)
    assert shelf.find("dog", view) == shelf.near("dog", view) == shelf.identify("Page", views=(view,)) == ["a"]
    assert [ranking.total for ranking in (shelf.ask("dog", view), shelf.mean("dog", view))] == before == [1, 1]
    assert shelf.index.filter_values([view]) == values


READING = """
import sys
from pathlib import Path
from pincite.catalog.sqlite import SqliteCatalog
from pincite.index.sqlite_vec.index import SqliteVecIndex
from pincite.testing.index import Shelf
folder = Path(sys.argv[1])
catalog = SqliteCatalog(folder / "catalog.db")
print(Shelf(catalog, SqliteVecIndex(folder / "index", catalog)).find("dog"))
"""


def test_another_process_reads_the_old_state_while_one_writes(shelf: Shelf, tmp_path: Path) -> None:
    shelf.add(put("a", "a dog"))
    shelf.commit(put("b", "a dog"))
    seen = []

    def read(candidate: Index) -> None:
        seen.append(Shelf(shelf.catalog, candidate).find("dog"))
        command = [sys.executable, "-c", READING, str(tmp_path)]
        seen.append(subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip())
        other = SqliteVecIndex(tmp_path / "index", shelf.catalog)
        with pytest.raises(Locked, match="another writer"):
            other.advance(SCOPE, wait_seconds=0)
        other.close()

    shelf.index.rebuild(SCOPE, accept=read)
    assert seen == [["a", "b"], "['a']"]
    assert shelf.find("dog") == ["a", "b"]


# --- erasure, damage ------------------------------------------------------------------------------------------


def test_nothing_erased_is_left_in_the_bytes_of_the_files(shelf: Shelf, tmp_path: Path) -> None:
    secret, kept = "zqxjkvbp", "yhwqmtrn"
    for n in range(12):  # so that FTS5 merges what it has, and leaves pages behind
        facts: dict[str, Any] = {"party": f"{secret}facet"}
        shelf.add(put(f"{secret}-id-{n}", page(f"{secret} spoke {n}", metadata=facts)), put(f"k{n}", f"{kept} {n}"))
    shelf.embed()
    while shelf.index.merge(SCOPE):
        pass
    vector, signs = stored(f"{secret} spoke 3"), vectors.signs(vectors.unpack(stored(f"{secret} spoke 3"), 64)[0])
    assert all(trace in _bytes(tmp_path) for trace in (secret.encode(), f"{secret}facet".encode(), vector, signs))
    shelf.catalog.commits.purge(SCOPE, [f"{secret}-id-{n}" for n in range(12)])
    shelf.index.advance(SCOPE)
    left = _bytes(tmp_path)
    assert secret.encode() not in left and vector not in left and signs not in left
    assert kept.encode() in left and len(shelf.find(kept)) == 12
    assert shelf.index.check(SCOPE) == ()


def _bytes(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted((folder / "index").iterdir()))


def test_what_a_reader_keeps_in_the_log_is_erased_by_the_next_advance(shelf: Shelf, tmp_path: Path) -> None:
    shelf.add(put("a", "zqxjkvbp"), put("b", "x"))
    reader = store.SqliteVecFile(tmp_path / "index" / "sqlite_vec.db")
    reader.run("BEGIN")
    reader.all("SELECT * FROM meta")
    shelf.catalog.commits.purge(SCOPE, ["a"])
    opened = shelf.index._store()  # type: ignore[attr-defined]
    opened.connection.set_busy_timeout(100)
    shelf.index.advance(SCOPE)
    assert shelf.find("zqxjkvbp") == []
    assert "write-ahead log" in shelf.index.check(SCOPE)[0]
    reader.close()
    shelf.index.advance(SCOPE)
    assert shelf.index.check(SCOPE) == ()
    assert b"zqxjkvbp" not in _bytes(tmp_path)


def test_a_damaged_file_is_named_and_built_anew(shelf: Shelf, tmp_path: Path) -> None:
    shelf.add(put("a", "a dog"))
    shelf.index.close()
    path = tmp_path / "index" / "sqlite_vec.db"
    path.write_bytes(b"not a database at all" * 1000)
    with pytest.raises(Damaged, match="pincite rebuild"):
        shelf.ask("dog", shelf.view(revision=1))
    assert "damaged" in shelf.index.status(SCOPE).problem
    assert shelf.index.check(SCOPE) != ()
    shelf.index.rebuild(SCOPE)
    assert (shelf.find("dog"), shelf.index.check(SCOPE)) == (["a"], ())


def test_an_index_of_another_analyser_is_refused_and_built_anew_with_its_vectors(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf.add(put("a", "a dog"))
    shelf.embed()
    monkeypatch.setattr(prepare, "ANALYSER", "words/2")
    monkeypatch.setattr("pincite.index.sqlite_vec.index.ANALYSER", "words/2")
    shelf.index.close()
    with pytest.raises(Unavailable, match="another version of Pincite"):
        shelf.ask("dog")
    assert shelf.index.advance(SCOPE) == 1
    assert shelf.find("dog") == shelf.near("dog") == ["a"]


def test_the_signs_of_a_vector_are_those_of_its_components() -> None:
    fixed = vectors.unpack(stored("dog"), 64)[0]
    bits = vectors.signs(fixed)
    assert [bool(bits[n // 8] >> (n % 8) & 1) for n in range(64)] == (meaning("dog") > 0).tolist()


# --- libraries ------------------------------------------------------------------------------------------------


def settings(folder: Path, **more: Any) -> dict[str, Any]:
    return {
        "library": str(folder / "library"),
        "index": "sqlite_vec",
        "dense": "auto",
        "embedding": {"model": "hashing:512"},
        **more,
    }


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    folder = tmp_path / "texts"
    folder.mkdir()
    (folder / "leave.md").write_text("# Leave\n\nEvery employee has 25 days of annual leave.\n", encoding="utf-8")
    (folder / "dogs.md").write_text("# Dogs\n\nThe owner of a zqxjkvbp dog is liable for bites.\n", encoding="utf-8")
    return folder


def hits(answer: Any) -> Sequence[str]:
    return [hit.passage.element_id for hit in answer.hits]


def test_a_library_with_this_index_is_filled_searched_and_opened_again(tmp_path: Path, texts: Path) -> None:
    with pincite.open(settings(tmp_path)) as library:
        library.ingest(texts, embedding=False)
        library.embed()
        answer = library.search("annual leave")
        assert hits(answer)[0] == "leave.md"
        assert {leg.name: leg.status for leg in answer.legs}["dense"] == "ok"
        assert library.health(deep=True).ok
    with pincite.open(settings(tmp_path)) as library:
        again = library.search("annual leave")
        assert [(hit.passage.citation, hit.score) for hit in again.hits] == [
            (hit.passage.citation, hit.score) for hit in answer.hits
        ]
        (texts / "leave.md").write_text("# Leave\n\nEvery employee has 30 days of vacation.\n", encoding="utf-8")
        library.ingest(texts, embedding=False)
        assert "30 days" in library.search("vacation", mode="keyword").hits[0].passage.text
        past = library.search("annual leave", mode="keyword", read_context="revision:1")
        assert "25 days" in past.hits[0].passage.text
    assert [path.name for path in (tmp_path / "library" / "index").iterdir()] == ["sqlite_vec.db"]


def test_its_answers_say_what_it_cannot_promise(tmp_path: Path, texts: Path) -> None:
    with pincite.open(settings(tmp_path, index="segments", dense="off")) as library:
        library.ingest(texts)
        before = library.search("annual leave")
        assert before.replay["replayable"] and not any("may not read" in note for note in before.notes)
    with pincite.open(settings(tmp_path, dense="off")) as library:
        answer = library.search("annual leave")
        assert hits(answer) == hits(before)
        assert answer.replay == {"token": "", "replayable": False, "reason": answer.replay["reason"]}
        assert "index: segments" in str(answer.replay["reason"])
        assert sum("may not read" in note for note in answer.notes) == 1
        with pytest.raises(Conflict, match="cannot be given again"):
            library.replay(str(before.replay["token"]))


def test_a_purge_erases_from_the_files_of_both_engines(tmp_path: Path, texts: Path) -> None:
    for engine in ("segments", "sqlite_vec", "segments"):
        with pincite.open(settings(tmp_path, index=engine, dense="off")) as library:
            library.ingest(texts)
            assert hits(library.search("zqxjkvbp")) == ["dogs.md"]
    files = tmp_path / "library" / "index"
    assert b"zqxjkvbp" in (files / "sqlite_vec.db").read_bytes()
    with pincite.open(settings(tmp_path, index="segments", dense="off")) as library:
        library.purge("dogs.md")
    assert not any(b"zqxjkvbp" in path.read_bytes() for path in files.rglob("*") if path.is_file())


def test_a_backup_holds_it_and_is_restored_with_its_vectors(tmp_path: Path, texts: Path) -> None:
    with pincite.open(settings(tmp_path)) as library:
        library.ingest(texts, embedding=False)
        library.embed()
        before = library.search("annual leave")
        library.backup(tmp_path / "backup")
    from pincite.library import restore_library

    restore_library(tmp_path / "backup", tmp_path / "restored")
    assert [path.name for path in (tmp_path / "restored" / "index").iterdir()] == ["sqlite_vec.db"]
    with pincite.open(settings(tmp_path, library=str(tmp_path / "restored"))) as library:
        after = library.search("annual leave")
        assert [(hit.passage.element_id, hit.score) for hit in after.hits] == [
            (hit.passage.element_id, hit.score) for hit in before.hits
        ]


def test_without_its_packages_the_line_to_install_them_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda name: None if name == "apsw" else object())
    with pytest.raises(MissingExtra, match=r'pip install "pincite\[sqlite_vec\]"'):
        pincite.open(settings(tmp_path))


def test_deaths_reach_the_vectors(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf.add(put("a", "a dog"), put("b", "a dog"))
    shelf.embed()
    shelf.add(RemoveElement("a"))
    asked_of_vec0(monkeypatch)
    assert (shelf.near("dog"), shelf.near("dog", shelf.view(revision=1))) == (["b"], ["a", "b"])


def test_vectors_of_one_repository_can_go_while_another_keeps_its_own(shelf: Shelf) -> None:
    for scope in (SCOPE, SIBLING):
        shelf.add(put("a", "a dog"), scope=scope)
        shelf.embed(scope)
    shelf.index.drop_vectors(SCOPE, MODEL)
    assert shelf.mean("dog").status == "unavailable"
    assert shelf.near("dog", shelf.view(SIBLING)) == ["a"]
    assert shelf.index.take_vectors(SCOPE, MODEL) == 1
    assert shelf.near("dog") == ["a"]


def test_an_engine_that_is_chosen_later_catches_up_with_words_and_vectors(tmp_path: Path, texts: Path) -> None:
    with pincite.open(settings(tmp_path, index="segments")) as library:
        library.ingest(texts, embedding=False)
        library.embed()
    with pincite.open(settings(tmp_path)) as library:
        assert hits(library.search("annual leave", mode="keyword")) == ["leave.md"]
        library.embed()
        assert {leg.name: leg.status for leg in library.search("annual leave").legs}["dense"] == "ok"
