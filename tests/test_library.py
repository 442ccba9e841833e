"""The front door: reading places, attribution, history, upkeep."""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pincite
from desk import Desk
from pincite.errors import Conflict, Damaged, Erased, InvalidArgument, NotFound, UnknownArgument
from pincite.index.segments.lock import write_lock
from pincite.library import restore_library
from pincite.types import Chunk, Commit, Content, Derivation, PutElement, Scope, Span, State

LAW = "# Law\n\nPreamble.\n\n## Art. 1 Scope\n\nalpha\n\n### § 4.2 Detail\n\nbeta\n\n## Art. 2 Term\n\ngamma\n"

LINES = st.lists(
    st.one_of(
        st.sampled_from(
            ["# A", "## Art. 1 B", "### § 4.2 C", "Title\n===", "", "```", "---", "> q", "* item alpha", "**Art. 5** x"]
        ),
        st.text(st.sampled_from("alpha é\u0301ß𝔘中\u00a0\r\t.#*`\u2028"), max_size=30),
        st.just("alpha beta. " * 150),
    ),
    min_size=1,
    max_size=12,
)


@settings(max_examples=40, deadline=None)
@given(documents=st.lists(LINES.map("\n".join), min_size=1, max_size=4), changed=LINES.map("\n".join))
def test_every_hit_is_cut_out_of_the_stored_text_and_stays_so(documents: list[str], changed: str) -> None:
    with tempfile.TemporaryDirectory() as root, pincite.open(Path(root) / "library") as library:
        desk = Desk(Path(root), library)
        desk.put(found="alpha", **{f"d{number}": text for number, text in enumerate(documents)})
        hits = desk.search("alpha art title beta", group="chunk", limit=100).hits
        assert hits
        for hit in hits:
            place = hit.passage
            assert place.span is not None
            assert place.text == place.content.text[place.span.start : place.span.end]
        desk.put(d0=changed)
        for hit in hits:
            found = library.get(hit.passage.citation)
            assert found.passage.text == hit.passage.text
            assert found.passage.section_id == hit.passage.section_id


# --- get ------------------------------------------------------------------------------------------------------


def test_get_reads_elements_sections_spans_and_versions(desk: Desk) -> None:
    desk.put(law=LAW)
    old = desk.library.get("law.md")
    assert old.passage.text == LAW
    assert old.current
    assert desk.library.get("law.md", section="art.1").passage.text.startswith("## Art. 1 Scope")
    assert "beta" in desk.library.get("law.md", section="art.1").passage.text, "subsections are part of a section"
    assert desk.library.get("law.md", span=(2, 5)).passage.text == "Law"
    desk.put(law=LAW.replace("alpha", "delta"))
    version = old.passage.version_id
    for options in ({"version": version}, {"version": version[:8]}, {"read_context": "revision:1"}):
        assert desk.library.get("law.md", **options).passage.text == LAW
    assert not desk.library.get("law.md", version=version).current
    cited = str(pincite.Citation(desk.library.scope(), "law.md", revision=1))
    assert desk.library.get(cited).passage.text == LAW


@pytest.mark.parametrize(
    ("spelling", "section"),
    [
        ("4.2", "4.2"),
        ("§ 4.2", "4.2"),
        ("§4.2", "4.2"),
        ("Section 4.2", "4.2"),
        ("Art. 1", "art.1"),
        ("art 1", "art.1"),
        ("Artikel 1", "art.1"),
        ("ARTICLE 2", "art.2"),
        ("Art. 2 Term", "art.2"),
        ("law", "law"),
    ],
)
def test_sections_are_understood_in_other_spellings(desk: Desk, spelling: str, section: str) -> None:
    desk.put(law=LAW)
    assert desk.library.get("law.md", section=spelling).passage.section_id == section
    cited = str(pincite.Citation(desk.library.scope(), "law.md", section_id=spelling))
    assert desk.library.get(cited).passage.section_id == section


def test_neighbours_stand_before_and_after(desk: Desk) -> None:
    desk.put(law=LAW)
    found = desk.library.get("law.md", section="4.2", neighbours=1)
    assert [p.section_id for p in (*found.before, found.passage, *found.after)] == ["art.1", "4.2", "art.2"]
    everything = desk.library.get("law.md", span=(0, 3), neighbours=20)
    assert (len(everything.before), len(everything.after)) == (0, 3)


def test_what_is_not_there_is_told_helpfully(desk: Desk) -> None:
    desk.write("deep/law.md", LAW)
    desk.put(other="x")
    for wanted, near in (("law.md", "deep/law.md"), ("deep/lwa.md", "deep/law.md"), ("othr.md", "other.md")):
        with pytest.raises(NotFound, match=f"did you mean '{near}'") as caught:
            desk.library.get(wanted)
        assert caught.value.suggestions == (near,)
    with pytest.raises(NotFound, match=r"did you mean 'art\.1'"):
        desk.library.get("deep/law.md", section="art.11")
    with pytest.raises(NotFound, match="pincite history"):
        desk.library.get("deep/law.md", version="0" * 32)
    with pytest.raises(InvalidArgument, match="outside"):
        desk.library.get("deep/law.md", span=(5, 10_000))
    with pytest.raises(InvalidArgument, match="not a citation"):
        desk.library.get("pincite:x")


# --- history, diff, purge -------------------------------------------------------------------------------------


def test_history_and_diff_tell_what_happened(desk: Desk) -> None:
    desk.put(a="one", b="two", c="three")
    desk.put(a="changed")
    (desk.folder / "b.md").unlink()
    desk.put(d="new")
    lives = desk.library.history("a.md")
    assert [(life.born.number, life.died.number if life.died else None) for life in lives] == [(1, 2), (2, None)]
    assert desk.library.history(lives[0].citation) == lives
    told = {c.element_id: c.change for c in desk.library.diff("revision:1", "head")}
    assert told == {"a.md": "changed", "b.md": "removed", "d.md": "added"}
    back = {c.element_id: c.change for c in desk.library.diff("head", "revision:1")}
    assert back == {"a.md": "changed", "b.md": "added", "d.md": "removed"}
    assert [revision.number for revision in desk.library.revisions()] == [3, 2, 1]
    with pytest.raises(NotFound):
        desk.library.history("x.md")
    with pytest.raises(NotFound):
        desk.library.revisions(repository="nowhere")


def test_purge_leaves_a_tombstone_and_no_text(desk: Desk) -> None:
    desk.put(a="alpha unmistakable", b="beta")
    citation = desk.first("alpha").passage.citation
    with pytest.raises(NotFound, match="nothing was erased"):
        desk.library.purge(["a.md", "nowhere.md"])
    desk.library.purge("a.md", reason="request")
    for ask in (lambda: desk.library.get(citation), lambda: desk.library.history("a.md")):
        with pytest.raises(Erased):
            ask()
    assert desk.search("unmistakable", read_context="revision:1").hits == ()
    desk.library.close()
    left = [path for path in desk.library.path.rglob("*") if path.is_file() and b"unmistakable" in path.read_bytes()]
    assert left == []


# --- upkeep ---------------------------------------------------------------------------------------------------


def test_a_backup_restores_to_the_same_answers(desk: Desk, tmp_path: Path) -> None:
    desk.put(a="alpha one", b="alpha two")
    desk.library.baselines.create("one")
    first = desk.search("alpha")
    made = desk.library.backup(tmp_path / "backup")
    assert made.files > 1
    with pytest.raises(Conflict, match="not empty"):
        desk.library.backup(tmp_path / "backup")
    restore_library(tmp_path / "backup", tmp_path / "restored")
    with pincite.open(tmp_path / "restored") as restored:
        again = restored.replay(str(first.replay["token"]))
        assert [(h.passage.citation, h.score) for h in again.hits] == [
            (h.passage.citation, h.score) for h in first.hits
        ]
        assert restored.health(deep=True).ok
    with pytest.raises(Conflict, match="not empty"):
        restore_library(tmp_path / "backup", tmp_path / "restored")


def test_a_damaged_or_incomplete_backup_is_not_restored(desk: Desk, tmp_path: Path) -> None:
    desk.put(a="alpha")
    desk.library.backup(tmp_path / "backup")
    catalog = tmp_path / "backup" / "catalog.db"
    data = bytearray(catalog.read_bytes())
    data[len(data) // 2] ^= 1
    catalog.write_bytes(data)
    with pytest.raises(Damaged, match=r"catalog\.db"):
        restore_library(tmp_path / "backup", tmp_path / "restored")
    assert not (tmp_path / "restored").exists()
    (tmp_path / "backup" / "backup.json").unlink()
    with pytest.raises(NotFound, match="not a complete backup"):
        restore_library(tmp_path / "backup", tmp_path / "restored")


def test_the_doctor_finds_a_flipped_byte_and_a_rebuild_heals_it(desk: Desk) -> None:
    desk.put(a="alpha words " * 50)
    assert desk.library.health(deep=True).ok
    path = next((desk.library.path / "index").rglob("columns.bin"))
    with path.open("r+b") as file:  # in place: truncating a file that is mapped would kill this process
        file.seek(path.stat().st_size // 2)
        flipped = file.read(1)[0] ^ 0x10
        file.seek(-1, os.SEEK_CUR)
        file.write(bytes([flipped]))
    with desk.reopened() as other:
        health = other.health(deep=True)
        assert not health.ok
        assert any("rebuild" in finding.advice for finding in health.all() if finding.status == "problem")
        other.rebuild()
        assert other.health(deep=True).ok
        assert other.search("alpha").hits


def test_a_lost_index_loses_nothing(desk: Desk) -> None:
    desk.put(a="alpha")
    shutil.rmtree(desk.library.path / "index")
    with desk.reopened() as other:
        assert other.status()[0][1].generation == ""
        assert [finding.status for finding in other.health().all()] == ["ok"] * 4
        assert [hit.passage.element_id for hit in other.search("alpha").hits] == ["a.md"]
        assert other.health().ok


def test_status_counts(desk: Desk) -> None:
    assert desk.library.status() == ()
    desk.put(a="alpha", b="# B\n\nbeta\n\n## C\n\ngamma")
    ((info, index),) = desk.library.status()
    assert (info.head, index.revision, index.chunks) == (1, 1, 3)
    with pytest.raises(NotFound, match="there is main"):
        desk.library.status("other")


def test_opening(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="pincite ingest"):
        pincite.open(tmp_path / "none", create=False)
    assert not (tmp_path / "none").exists()
    (tmp_path / "file").write_text("x")
    with pytest.raises(InvalidArgument, match="a library is a folder"):
        pincite.open(tmp_path / "file")
    with pytest.raises(UnknownArgument, match="did you mean 'tenant'"):
        pincite.open(tmp_path / "lib", tennant="x")


def test_waiting_for_a_revision_reads_what_was_just_written(desk: Desk) -> None:
    desk.put(a="alpha")
    content = Content("document", "document", "b", "beta beta")
    state = State(content, Derivation("r", (Chunk(0, Span(0, 9)),)))
    made = desk.library.catalog.commits.commit(Scope(), Commit((PutElement("b", (state,)),)))
    folder = desk.library.path / "index" / desk.library.repositories()[0].key
    holding, held = threading.Event(), threading.Event()

    def hold() -> None:
        with write_lock(folder):
            holding.set()
            held.wait(10)

    other = threading.Thread(target=hold)
    other.start()
    holding.wait(10)
    behind = desk.library.search("beta")
    assert (len(behind.hits), behind.absence) == (0, "not_indexed_yet")
    threading.Timer(0.3, held.set).start()
    assert [hit.passage.element_id for hit in desk.library.search("beta", wait_for=made.revision).hits] == ["b"]
    other.join()
