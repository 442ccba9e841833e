"""Files that would kill, stall or fill the process that reads them: each costs only itself, and is named."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from desk import Desk
from fragile_kind import fragile
from pincite.apart import process
from pincite.kinds import confined

DEEP = 40_000


# --- bounded before parsing -----------------------------------------------------------------------------------


def test_front_matter_nested_without_end_is_left_as_text_and_the_rest_goes_on(desk: Desk) -> None:
    desk.write("a-hostile.md", f"---\nkey: {'[' * DEEP}\n---\nBait about anchors.\n")
    desk.write("good.md", "# Anchors\n\nAnchors hold ships.")
    report = desk.ingest()
    assert report.added == 2
    assert any("a-hostile.md" in note and "nested deeper than" in note for note in report.notes)
    assert "good.md" in desk.ids("ships")


def test_front_matter_that_repeats_itself_without_end_is_left_as_text(desk: Desk) -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    desk.write("laughs.md", "---\n" + "\n".join(lines) + "\ndate: *a11\n---\nBait about anchors.\n")
    report = desk.ingest()
    assert report.added == 1
    assert any("laughs.md" in note and "aliases" in note for note in report.notes)


def test_front_matter_that_refers_to_itself_is_left_as_text(desk: Desk) -> None:
    desk.write("loop.md", "---\na: &a [*a]\n---\nBait about anchors.\n")
    report = desk.ingest()
    assert report.added == 1
    assert any("loop.md" in note and "refers to itself" in note for note in report.notes)


def test_aliases_that_stay_small_are_read(desk: Desk) -> None:
    desk.write("teams.md", "---\nteams: &teams [law, sales]\nreaders: *teams\n---\nBait about anchors.\n")
    assert desk.ingest().notes == ()
    assert desk.first("anchors").passage.content.metadata["readers"] == ["law", "sales"]


def test_a_list_of_tools_nested_without_end_is_named_and_the_rest_goes_on(desk: Desk) -> None:
    desk.write("a-hostile.json", "[" * DEEP)
    desk.write("good.json", '[{"name": "moor", "description": "Moors a ship at a berth."}]')
    report = desk.ingest(kind="tools")
    assert [item.path for item in report.failed] == ["a-hostile.json"]
    assert report.added == 1


# --- a reader that dies ---------------------------------------------------------------------------------------


@pytest.fixture
def _fragile(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Documents are read by a kind that some of them end."""
    here = str(Path(__file__).parent.parent)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, (os.environ.get("PYTHONPATH", ""), here))))
    monkeypatch.setattr("pincite.library.put_in.open_kind", lambda *_: fragile())
    process._workers.close()
    yield
    process._workers.close()


@pytest.mark.usefixtures("_fragile")
@pytest.mark.parametrize("when", ["reading", "cutting"])
def test_a_file_that_crashes_its_reader_is_named_and_the_rest_goes_on(desk: Desk, when: str) -> None:
    desk.put(before="# Ships\n\nAnchors hold ships.", evil=f"crash on {when}", later="# Tides\n\nAnchors and tides.")
    report = desk.ingest()
    ended = "it ended the process that read it (segmentation fault); leave it out or repair it"
    assert [(item.path, item.reason) for item in report.failed] == [("evil.md", ended)]
    assert sorted(desk.ids("anchors")) == ["before.md", "later.md"]
    assert desk.ids("crash") == []


@pytest.mark.usefixtures("_fragile")
def test_a_file_that_begins_to_crash_its_reader_keeps_its_last_good_version(desk: Desk) -> None:
    desk.put(note="# Ships\n\nAnchors hold ships.")
    report = desk.put(note="crash on cutting")
    assert [item.path for item in report.failed] == ["note.md"]
    assert desk.ids("anchors") == ["note.md"]
    assert [item.path for item in desk.ingest().failed] == ["note.md"], "it is tried again, and named again"
    assert desk.put(note="# Ships\n\nChains hold ships.").changed == 1
    assert desk.ids("chains") == ["note.md"]


@pytest.mark.usefixtures("_fragile")
def test_a_file_that_holds_its_reader_for_ever_is_named(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(confined, "seconds_for", lambda _: 2.0)
    report = desk.put(good="# Ships\n\nAnchors hold ships.", slow="hang on cutting")
    assert [(item.path, item.reason) for item in report.failed] == [
        ("slow.md", "it took longer than 2 s to read; split the file")
    ]
    assert desk.ids("anchors") == ["good.md"]
