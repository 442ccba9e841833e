"""A repository follows its source: nothing stale, nothing lost, nothing silent."""

from __future__ import annotations

import os
import shutil
import unicodedata
from pathlib import Path
from typing import Any

import pytest

import pincite
from desk import Desk
from pincite.bookkeeping import SourceChange
from pincite.ingest import batch, looks, spine
from pincite.ingest.apply import apply
from pincite.ingest.report import IngestReport
from pincite.kinds.documents.read import MAX_BYTES
from pincite.types import Commit, Committed


def counts(report: IngestReport) -> tuple[int, int, int, int]:
    return report.added, report.changed, report.unchanged, report.removed


def killed_after(patch: pytest.MonkeyPatch, *, commits: int) -> None:
    """Let the process seem to die once it has made so many commits."""
    made: list[Committed] = []

    def apply_and_die(*given: Any, **options: Any) -> Committed:
        made.append(apply(*given, **options))
        if len(made) >= commits:
            raise KeyboardInterrupt
        return made[-1]

    patch.setattr(batch, "apply", apply_and_die)


def reasons(report: IngestReport) -> dict[str, str]:
    return {item.path: item.reason for item in report.failed}


# --- incremental ----------------------------------------------------------------------------------------------


def test_unchanged_files_cost_a_stat_and_no_read(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.put(a="# A\n\nalpha", b="# B\n\nbeta")
    monkeypatch.setattr(looks, "digest_of", lambda _path: pytest.fail("an unchanged file was read"))
    monkeypatch.setattr(spine, "elements_of", lambda *_: pytest.fail("an unchanged file was read"))
    report = desk.ingest()
    assert counts(report) == (0, 0, 2, 0)
    assert (report.revision, report.revisions) == (1, 0)


def test_a_touched_file_with_the_same_content_is_no_change(desk: Desk) -> None:
    desk.put(a="alpha")
    os.utime(desk.folder / "a.md", ns=(1, 1))
    assert counts(desk.ingest()) == (0, 0, 1, 0)
    assert len(desk.library.history("a.md")) == 1


def test_a_changed_file_replaces_what_it_said(desk: Desk) -> None:
    desk.put(a="alpha", b="beta")
    report = desk.put(a="gamma")
    assert counts(report) == (0, 1, 1, 0)
    assert desk.ids("alpha") == []
    assert desk.ids("gamma") == ["a.md"]
    assert desk.ids("alpha", read_context="revision:1") == ["a.md"]


def test_a_shrunken_file_leaves_no_stale_chunk_or_alias(desk: Desk) -> None:
    desk.put(a="# Law\n\n## Art. 1 One\n\nalpha\n\n## Art. 2 Two\n\nbeta\n")
    assert desk.first("Art. 2").passage.section_id == "art.2"
    desk.put(a="# Law\n\n## Art. 1 One\n\nalpha\n")
    assert desk.ids("beta") == []
    assert desk.ids("Art. 2", mode="exact") == []
    with desk.library._session() as session:
        view = desk.library._resolve(session, desk.library.scope(), None, "").view
        assert session.relations.resolve(view, "Art. 2") == ()
    with pytest.raises(pincite.PinciteError, match="no section"):
        desk.library.get("a.md", section="Art. 2")


def test_renamed_and_deleted_files_leave_nothing_at_head(desk: Desk) -> None:
    desk.put(a="alpha words", b="beta words", c="gamma words")
    (desk.folder / "a.md").rename(desk.folder / "z.md")
    (desk.folder / "b.md").unlink()
    assert counts(desk.ingest()) == (1, 0, 1, 2)
    assert sorted(desk.ids("words")) == ["c.md", "z.md"]
    assert set(desk.library.catalog.sources.items(desk.library.scope(), str(desk.folder))) == {"c.md", "z.md"}


def test_the_report_counts_what_was_committed_not_what_was_tried(desk: Desk) -> None:
    desk.put(a="alpha")
    lost = SourceChange(str(desk.folder), items_removed=("a.md",))
    desk.library.catalog.commits.commit(desk.library.scope(), Commit((), sources=(lost,)))
    report = desk.ingest()
    assert counts(report) == (0, 0, 1, 0)
    assert (report.revisions, report.chunks) == (0, 0)


def test_another_cut_replaces_chunks_and_keeps_versions(desk: Desk) -> None:
    desk.put(a="# A\n\n" + "Many words stand here. " * 120)
    before = desk.first("words").passage
    with desk.reopened(chunking={"max_chunk_tokens": 100}) as other:
        report = other.ingest(desk.folder)
        after = other.search("words", group="chunk")
    assert report.changed == 1
    assert after.total > 1
    assert {hit.passage.version_id for hit in after.hits} == {before.version_id}


def test_a_killed_run_is_cleaned_up_by_the_next(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.put(a="alpha words", b="beta words")
    desk.write("c.md", "gamma words")
    with monkeypatch.context() as patch:
        killed_after(patch, commits=1)
        with pytest.raises(KeyboardInterrupt):
            desk.ingest()
    (desk.folder / "c.md").unlink()
    (desk.folder / "b.md").unlink()
    report = desk.ingest()
    assert report.removed == 2
    assert desk.ids("words") == ["a.md"]


def test_a_run_killed_while_the_prefix_changes_leaves_nothing_behind(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.put(a="alpha words")
    desk.put(b="beta words")
    with monkeypatch.context() as patch:
        patch.setattr(batch, "MAX_CHARACTERS", 5)
        killed_after(patch, commits=1)
        with pytest.raises(KeyboardInterrupt):
            desk.ingest(prefix="new/")
    assert sorted(desk.library.elements()) == ["b.md", "new/a.md"], "each file moves in one transaction"
    desk.ingest(prefix="new/")
    assert sorted(desk.ids("words")) == ["new/a.md", "new/b.md"]


def test_batches_become_several_revisions_and_one_state(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch, "MAX_CHARACTERS", 20)
    report = desk.put(a="alpha words here", b="beta words here", c="gamma words here")
    assert report.revisions > 1
    assert len(desk.ids("words")) == report.added == 3


# --- files in trouble -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spoiled", "reason"),
    [
        (b"\x00\x01binary", "NUL"),
        (b"caf\xe9", "not UTF-8"),
        (b"", "no text"),
        (b"---\nroles: [a\n---\ntext", "correct the YAML"),
    ],
)
def test_an_unreadable_file_is_reported_and_its_last_good_version_stays(
    desk: Desk, spoiled: bytes, reason: str
) -> None:
    desk.put(a="alpha words", b="beta words")
    desk.write("a.md", spoiled)
    desk.write("b.md", "better words")
    report = desk.ingest()
    assert reasons(report).keys() == {"a.md"}
    assert reason in reasons(report)["a.md"]
    assert report.changed == 1
    assert desk.ids("better") == ["b.md"]
    assert desk.ids("alpha") == ["a.md"]
    assert reasons(desk.ingest()).keys() == {"a.md"}, "it is looked at again, and reported again"
    desk.write("a.md", "repaired words")
    assert desk.ingest().failed == ()
    assert desk.ids("repaired") == ["a.md"]


def test_front_matter_with_half_a_character_is_read_as_text_and_noted(desk: Desk) -> None:
    desk.put(a="alpha words")
    desk.write("a.md", b'---\ntitle: "\\uD800"\n---\nbeta words')
    report = desk.ingest()
    assert (report.changed, report.failed) == (1, ())
    assert "a.md: front matter is not valid YAML" in " ".join(report.notes)
    assert desk.ids("beta") == ["a.md"]


def test_a_file_that_never_had_text_is_passed_over(desk: Desk) -> None:
    desk.write("_index.md", "---\ntitle: Only a title\n---\n")
    report = desk.put(a="alpha")
    assert (report.failed, [item.path for item in report.skipped]) == ((), ["_index.md"])


def test_a_file_over_the_limit_is_refused_without_being_hashed(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    path = desk.write("big.txt", "x")
    os.truncate(path, MAX_BYTES + 1)
    monkeypatch.setattr(looks, "digest_of", lambda _path: pytest.fail("hashed"))
    assert "larger than" in reasons(desk.ingest())["big.txt"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_what_may_not_be_read_is_kept(desk: Desk) -> None:
    desk.put(a="alpha words")
    desk.write("sub/b.md", "beta words")
    desk.ingest()
    (desk.folder / "a.md").chmod(0)
    (desk.folder / "sub").chmod(0)
    try:
        os.utime(desk.folder / "a.md", ns=(1, 1))
        report = desk.ingest()
    finally:
        (desk.folder / "sub").chmod(0o700)
    assert reasons(report).keys() == {"a.md", "sub"}
    assert sorted(desk.ids("words")) == ["a.md", "sub/b.md"]


def test_a_folder_that_cannot_be_listed_does_not_erase_its_elements(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.write("sub/b.md", "beta words")
    desk.put(a="alpha words")
    real = os.scandir

    def refuse(path: str) -> object:
        if str(path).endswith("sub"):
            raise PermissionError(13, "Permission denied", str(path))
        return real(path)

    monkeypatch.setattr(os, "scandir", refuse)
    report = desk.ingest()
    assert report.removed == 0
    assert "cannot be read" in reasons(report)["sub"]
    assert sorted(desk.ids("words")) == ["a.md", "sub/b.md"]


def test_links_that_dangle_or_lead_out_are_reported_and_nothing_is_lost(desk: Desk) -> None:
    outside = desk.root / "secret.md"
    outside.write_text("secret words")
    desk.put(a="alpha words", b="beta words", c="gamma words")
    for name, target in (("a.md", desk.root / "nowhere.md"), ("b.md", outside)):
        (desk.folder / name).unlink()
        (desk.folder / name).symlink_to(target)
    (desk.folder / "d.md").symlink_to("c.md")
    (desk.folder / "linked").symlink_to(desk.root)
    report = desk.ingest()
    assert "broken link" in reasons(report)["a.md"]
    assert "outside the source" in reasons(report)["b.md"]
    assert [item.path for item in report.skipped] == ["linked"]
    assert sorted(desk.ids("words")) == ["a.md", "b.md", "c.md", "d.md"]
    assert desk.ids("secret") == []


def test_pipes_and_strange_names_do_not_stop_an_ingest(desk: Desk) -> None:
    os.mkfifo(desk.folder / "pipe.md")
    Path(os.fsdecode(os.fsencode(desk.folder) + b"/caf\xe9.md")).write_text("latin name")
    desk.write("line\nbreak.md", "odd words")
    desk.write("image.png", b"\x89PNG")
    report = desk.put(a="alpha words")
    assert {item.path.replace("udce9", "?"): item.reason.split(";")[0] for item in report.skipped} == {
        "'caf\\?.md'": "its name is not valid UTF-8",
        "image.png": ".png is not a known type",
        "pipe.md": "not a regular file",
    }
    assert sorted(desk.ids("words")) == ["a.md", "line\nbreak.md"]
    hit = desk.first("odd")
    assert desk.library.get(hit.passage.citation).passage.text == "odd words"


def test_erased_content_that_comes_back_is_announced(desk: Desk) -> None:
    desk.put(a="alpha words")
    desk.library.purge("a.md")
    report = desk.ingest()
    assert "was erased before" in report.notes[0]
    assert report.added == 1


# --- names ----------------------------------------------------------------------------------------------------


def test_decomposed_file_names_are_one_element_and_stay_unchanged(desk: Desk) -> None:
    desk.write(unicodedata.normalize("NFD", "Gebühr.md"), "Gebühr words")
    desk.ingest()
    report = desk.ingest()
    assert counts(report) == (0, 0, 1, 0)
    assert desk.ids("words") == [unicodedata.normalize("NFC", "Gebühr.md")]
    desk.write(unicodedata.normalize("NFC", "Gebühr.md"), "other words")
    report = desk.ingest()
    assert len(report.failed) == 1
    assert "accents" in report.failed[0].reason
    assert len(desk.ids("words")) == 1


def test_include_exclude_and_prefix(desk: Desk) -> None:
    for name in ("a.md", "b.txt", "drafts/c.md", "sub/drafts/d.md", "sub/e.md", "node_modules/x.md", ".hidden/y.md"):
        desk.write(name, f"words of {name}")

    def taken(**options: list[str]) -> list[str]:
        desk.ingest(**options)
        return sorted(desk.ids("words"))

    assert taken() == ["a.md", "b.txt", "drafts/c.md", "sub/drafts/d.md", "sub/e.md"]
    assert taken(include=["*.md"]) == ["a.md", "drafts/c.md", "sub/drafts/d.md", "sub/e.md"]
    assert taken(include=["**/*.md"], exclude=["drafts"]) == ["a.md", "sub/e.md"]
    assert taken(exclude=["drafts/"]) == ["a.md", "b.txt", "sub/e.md"]
    assert taken(exclude=["drafts/*"]) == ["a.md", "b.txt", "sub/drafts/d.md", "sub/e.md"]
    assert taken(include=["sub"]) == ["sub/drafts/d.md", "sub/e.md"]
    desk.ingest(prefix="v2/", include=["a.md"])
    assert desk.ids("words") == ["v2/a.md"]


def test_a_single_file_is_a_source(desk: Desk) -> None:
    path = desk.write("sub/a.md", "alpha words")
    desk.ingest(path)
    assert desk.ids("words") == ["a.md"]
    desk.write("sub/a.md", "better words")
    assert desk.ingest(path).changed == 1


@pytest.mark.parametrize("given", ["no/such/folder", "https://nowhere.invalid/x.md"])
def test_a_source_that_is_not_there_is_an_error(desk: Desk, given: str) -> None:
    with pytest.raises(pincite.PinciteError):
        desk.library.ingest(given)
    assert desk.library.repositories() == ()


def test_names_cannot_leave_the_source(desk: Desk) -> None:
    """Element ids are names, never paths that anything is opened by."""
    desk.put(a="alpha words")
    for hostile in ("../../etc/passwd", "/etc/passwd", "a.md/../../x"):
        with pytest.raises(pincite.PinciteError):
            desk.library.get(hostile)
    desk.ingest(prefix="../../")
    assert desk.ids("words") == ["../../a.md"]
    assert not (desk.root.parent / "a.md").exists()


# --- several sources ------------------------------------------------------------------------------------------


def test_two_sources_cannot_fight_over_an_element(desk: Desk) -> None:
    other = desk.root / "other"
    other.mkdir()
    (other / "a.md").write_text("other words")
    desk.put(a="alpha words")
    report = desk.ingest(other)
    assert "already comes from" in reasons(report)["a.md"]
    assert desk.ids("other") == []
    assert desk.ingest(other, prefix="other/").added == 1
    assert counts(desk.ingest()) == (0, 0, 1, 0)
    assert sorted(desk.ids("words")) == ["a.md", "other/a.md"]


# --- many files -----------------------------------------------------------------------------------------------


def test_of_two_thousand_files_each_is_read_once_and_told(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[object] = []
    real = spine.elements_of
    monkeypatch.setattr(spine, "elements_of", lambda *given: read.append(given) or real(*given))
    for number in range(2000):
        desk.write(f"{number % 20}/{number}.md", f"# Note {number}\n\nThe words of note {number}.\n")
    told: list[tuple[str, int, int]] = []
    report = desk.ingest(progress=lambda *step: told.append(step))
    assert report.added == 2000
    assert len(read) == 2000
    assert told[0] == ("reading", 0, 2000)
    assert ("reading", 2000, 2000) in told
    assert told[-1] == ("indexing", 1, 1)
    again = desk.ingest()
    assert counts(again) == (0, 0, 2000, 0)
    moved = desk.root / "moved"
    shutil.move(desk.folder, moved)
    assert counts(desk.ingest(moved, take_over=desk.folder)) == (0, 0, 2000, 0)
    assert len(read) == 2000, "nothing is read that was read before"


def test_removals_are_part_of_the_history(desk: Desk) -> None:
    desk.put(a="alpha", b="beta")
    (desk.folder / "b.md").unlink()
    desk.ingest(author="ann", message="b is obsolete")
    (life,) = desk.library.history("b.md")
    assert life.died is not None
    assert (life.died.author, life.died.message) == ("ann", "b is obsolete")


def test_a_source_that_is_suddenly_empty_changes_nothing_unless_it_is_meant(desk: Desk) -> None:
    desk.put(a="alpha", b="beta")
    for path in desk.folder.iterdir():
        path.unlink()
    with pytest.raises(pincite.PinciteError, match="--allow-empty"):
        desk.ingest()
    assert desk.library.search("alpha").hits
    assert desk.ingest(allow_empty=True).removed == 2
    assert not desk.library.search("alpha").hits


def test_a_change_that_hides_behind_its_old_time_and_size_is_seen(desk: Desk) -> None:
    desk.put(a="26 days")
    path = desk.folder / "a.md"
    before = path.stat()
    path.write_text("28 days", encoding="utf-8")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert counts(desk.ingest()) == (0, 1, 0, 0)


@pytest.mark.parametrize("key", ["Roles", "role", "valid-from", "Valid To"])
def test_misspelt_keys_that_guard_a_document_do_not_open_it(desk: Desk, key: str) -> None:
    report = desk.put(a=f"---\n{key}: hr\n---\n\nsecret")
    assert (report.added, len(report.failed)) == (0, 1)
    assert "write" in report.failed[0].reason


def test_what_a_vanished_source_gave_can_be_removed(desk: Desk) -> None:
    desk.put(a="alpha")
    shutil.rmtree(desk.folder)
    with pytest.raises(pincite.PinciteError, match="--allow-empty"):
        desk.ingest()
    assert desk.ingest(allow_empty=True).removed == 1
