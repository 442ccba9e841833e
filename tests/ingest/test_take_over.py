"""An element belongs to the source that gave it until a person says that another source has taken its place."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

import pytest

from desk import Desk
from pincite.errors import Conflict
from pincite.ingest import sources
from pincite.ingest.report import IngestReport
from terminal import Run


def counts(report: IngestReport) -> tuple[int, int, int, int]:
    return report.added, report.changed, report.unchanged, report.removed


def folder(desk: Desk, name: str, **texts: str) -> Path:
    """A folder beside the desk's own, with `name.md` for each name."""
    path = desk.root / name
    path.mkdir()
    for file, text in texts.items():
        (path / f"{file}.md").write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def unmounted(desk: Desk) -> Desk:
    """Three documents of a source whose folder is not there at the moment."""
    desk.put(a="alpha words", b="beta words", c="gamma words")
    shutil.move(desk.folder, desk.root / "elsewhere")
    return desk


def test_a_source_that_is_not_mounted_loses_nothing_to_another_with_the_same_names(unmounted: Desk) -> None:
    other = folder(unmounted, "other", a="new words", b="new words")
    report = unmounted.ingest(other)
    assert counts(report) == (0, 0, 0, 0)
    assert sorted(unmounted.ids("words")) == ["a.md", "b.md", "c.md"]
    assert unmounted.ids("new") == []
    shutil.move(unmounted.root / "elsewhere", unmounted.folder)
    assert counts(unmounted.ingest()) == (0, 0, 3, 0), "mounted again, it finds its documents as they were"


def test_the_report_offers_a_takeover_and_says_how_to_keep_both(unmounted: Desk) -> None:
    report = unmounted.ingest(folder(unmounted, "other", a="new words"))
    (failed,) = report.failed
    assert f"'a.md' already comes from {unmounted.folder}" in failed.reason
    assert f"--take-over {shlex.quote(str(unmounted.folder))}" in failed.reason
    assert "--prefix" in failed.reason


def test_a_folder_that_moved_is_taken_over_and_leaves_nothing_stale(desk: Desk) -> None:
    desk.put(a="alpha words", b="beta words", c="gamma words")
    moved = desk.root / "moved"
    shutil.move(desk.folder, moved)
    (moved / "c.md").unlink()
    report = desk.ingest(moved, take_over=desk.folder)
    assert counts(report) == (0, 0, 2, 1)
    assert report.notes == (f"3 file(s) taken over from {desk.folder}",)
    assert sorted(desk.ids("words")) == ["a.md", "b.md"]
    assert desk.library.catalog.sources.items(desk.library.scope(), str(desk.folder)) == {}
    assert counts(desk.ingest(moved)) == (0, 0, 2, 0)


def test_a_takeover_compares_contents_and_not_sizes_and_times(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two folders that were written at once have files of the same size and time."""
    found = sources.FileFound
    monkeypatch.setattr(sources, "FileFound", lambda path, name, size, _: found(path, name, size, 1))
    desk.put(a="alpha words", b="beta words")
    other = folder(desk, "other", a="omega words", b="beta words")
    assert counts(desk.ingest(other, take_over=desk.folder)) == (0, 1, 1, 0)
    assert (desk.ids("alpha"), desk.ids("omega")) == ([], ["a.md"])
    assert counts(desk.ingest(other)) == (0, 0, 2, 0)


def test_a_takeover_joins_what_both_sources_gave(desk: Desk) -> None:
    desk.put(a="alpha words", b="beta words")
    other = folder(desk, "other", a="other alpha", z="zeta words")
    desk.ingest(other, prefix="other/")
    report = desk.ingest(other, prefix="other/", take_over=desk.folder)
    assert counts(report) == (0, 0, 2, 2)
    assert sorted(desk.library.elements()) == ["other/a.md", "other/z.md"]


def test_a_takeover_of_an_unknown_source_changes_nothing(desk: Desk) -> None:
    desk.put(a="alpha words")
    report = desk.ingest(take_over=desk.root / "nowhere")
    assert counts(report) == (0, 0, 1, 0)
    assert report.notes == (
        f"nothing in this repository comes from {desk.root / 'nowhere'}, so nothing was taken over",
    )


def test_a_source_does_not_take_itself_over(desk: Desk) -> None:
    desk.put(a="alpha words")
    report = desk.ingest(take_over=desk.folder)
    assert (counts(report), report.notes) == ((0, 0, 1, 0), ())


def test_a_takeover_that_finds_nothing_here_is_refused(desk: Desk) -> None:
    """An empty folder in place of a full one is more likely a mistake than a wish."""
    desk.put(a="alpha words")
    with pytest.raises(Conflict, match=r"no readable files.*--allow-empty"):
        desk.ingest(folder(desk, "empty"), take_over=desk.folder)
    assert desk.ids("words") == ["a.md"]


def test_the_command_line_takes_over(run: Run, tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    old.mkdir()
    (old / "a.md").write_text("alpha words")
    run("ingest", str(old), "--no-embed")
    shutil.move(old, new)
    refused = run("ingest", str(new), "--no-embed")
    assert refused.returncode == 1
    assert f"--take-over {old}" in refused.stdout + refused.stderr
    taken = run("ingest", str(new), "--take-over", str(old), "--no-embed")
    assert "1 unchanged" in taken.stdout
