"""Watching a folder: every change once, when it has come to rest, until told to stop."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import pincite
from desk import Desk
from pincite.cli.watch import seconds
from pincite.errors import InvalidArgument, NotFound
from pincite.ingest.sources import open_source
from pincite.ingest.watch import MAX_UNREST, FilesChanged, watched
from pincite.kinds.documents.kind import DECLARATION


class Looks(threading.Event):
    """A pause in which something happens instead of time passing."""

    def __init__(self, *acts: Callable[[], object]) -> None:
        super().__init__()
        self._acts = list(acts)

    def wait(self, timeout: float | None = None) -> bool:  # noqa: ARG002 - time does not pass
        if not self._acts:
            self.set()
        else:
            self._acts.pop(0)()
        return self.is_set()


def nothing() -> None:
    pass


def test_each_change_is_told_once_and_when_it_has_come_to_rest(desk: Desk) -> None:
    desk.write("a.md", "alpha")
    desk.write("b.md", "beta")
    looks = Looks(
        nothing,
        lambda: desk.write("a.md", "alpha two"),
        lambda: desk.write("a.md", "alpha three"),
        nothing,
        nothing,
        lambda: (desk.write("c.md", "gamma"), (desk.folder / "b.md").unlink()),
        nothing,
    )
    found = list(watched(open_source(desk.folder), DECLARATION, 1, looks))
    assert found == [FilesChanged(changed=("a.md",)), FilesChanged(added=("c.md",), removed=("b.md",))]


def test_a_file_that_never_rests_is_taken_all_the_same(desk: Desk) -> None:
    path = desk.write("a.md", "0")
    texts = iter(range(1, 100))
    acts = [lambda: path.write_text("x" * next(texts), encoding="utf-8")] * (MAX_UNREST + 1)
    assert list(watched(open_source(desk.folder), DECLARATION, 1, Looks(*acts))) == [FilesChanged(changed=("a.md",))]


def test_what_changes_while_the_first_ingest_runs_is_not_lost(desk: Desk) -> None:
    desk.write("a.md", "alpha")
    stop = Looks(nothing, nothing)
    outcomes = desk.library.watch(desk.folder, every_seconds=1, stop=stop)
    next(outcomes)
    desk.write("a.md", "beta words")
    (change, report) = next(outcomes)
    assert change == FilesChanged(changed=("a.md",))
    assert not isinstance(report, pincite.PinciteError)
    assert desk.ids("beta") == ["a.md"]


def test_a_folder_that_is_not_mounted_is_told_once_and_waited_for(desk: Desk) -> None:
    desk.write("a.md", "alpha")
    away = desk.root / "away"
    stop = Looks(
        lambda: desk.folder.rename(away),
        nothing,
        nothing,
        lambda: away.rename(desk.folder),
        nothing,
    )
    outcomes = [outcome for _, outcome in desk.library.watch(desk.folder, every_seconds=1, stop=stop)]
    assert [isinstance(outcome, NotFound) for outcome in outcomes] == [False, True, False]
    assert desk.ids("alpha") == ["a.md"]


@pytest.mark.parametrize(("given", "expected"), [("2s", 2.0), ("500ms", 0.5), ("1m", 60.0), ("1.5", 1.5)])
def test_pauses_as_people_write_them(given: str, expected: float) -> None:
    assert seconds(given) == expected


@pytest.mark.parametrize("given", ["", "0", "-1s", "fast", "2h", "1ms"])
def test_what_is_no_pause_is_refused(given: str) -> None:
    with pytest.raises(InvalidArgument, match="write 2s, 500ms or 1m"):
        seconds(given)


# --- the real program -----------------------------------------------------------------------------------------


class Program:
    """`pincite ingest --watch` in a process of its own, its output line by line."""

    def __init__(self, folder: Path, library: Path) -> None:
        command = [sys.executable, "-m", "pincite", "--library", str(library), "ingest", str(folder)]
        self.process = subprocess.Popen(
            [*command, "--watch", "--every", "100ms"],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "PINCITE_DENSE": "off", "PYTHONUNBUFFERED": "1"},
            start_new_session=True,
        )
        self._lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as out:
            for line in out:
                self._lines.put(line.rstrip("\n"))

    def wait_for(self, part: str) -> str:
        seen: list[str] = []
        while True:
            try:
                seen.append(self._lines.get(timeout=60))
            except queue.Empty:
                pytest.fail(f"no {part!r} in {seen}")
            if part in seen[-1]:
                return seen[-1]


@pytest.fixture
def program(tmp_path: Path) -> Iterator[Program]:
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "a.md").write_text("# A\n\nalpha", encoding="utf-8")
    running = Program(tmp_path / "source", tmp_path / "library")
    yield running
    if running.process.poll() is None:
        running.process.kill()
    running.process.wait()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_program_takes_changes_in_and_stops_cleanly(
    program: Program, tmp_path: Path, number: signal.Signals
) -> None:
    program.wait_for("watching")
    (tmp_path / "source" / "b.md").write_text("# B\n\nbeta", encoding="utf-8")
    assert program.wait_for("b.md") == "added b.md (revision 2)"
    (tmp_path / "source" / "a.md").write_text("# A\n\ngamma", encoding="utf-8")
    assert program.wait_for("a.md") == "changed a.md (revision 3)"
    (tmp_path / "source" / "b.md").unlink()
    assert program.wait_for("b.md") == "removed b.md (revision 4)"
    (tmp_path / "source" / "bad.md").write_bytes(b"caf\xe9")
    assert "not UTF-8" in program.wait_for("bad.md")
    os.kill(program.process.pid, number)
    program.wait_for("stopped watching")
    assert program.process.wait(timeout=30) == 0
    with pincite.open(tmp_path / "library") as library:
        assert library.elements() == ("a.md",)
        assert [hit.passage.element_id for hit in library.search("gamma").hits] == ["a.md"]
