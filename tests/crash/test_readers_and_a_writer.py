"""Two readers, one writer, one minute: no torn answer, no error, head only forward, replays identical."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from crash_child import Victim, read_for, write_for
from crash_lab import Homes, answers, start

from pincite.library import open_library

pytestmark = [pytest.mark.crash, pytest.mark.slow]

SECONDS = 60.0


def test_readers_never_see_a_torn_or_failing_answer_while_a_writer_works(ground: Path) -> None:
    homes = Homes(ground / "race", "ingest")
    home = homes.home
    prepare_twins(home)
    writer = start(write_for, home, SECONDS)
    readers = [start(read_for, home, SECONDS, name) for name in ("one", "two")]
    for process in (writer, *readers):
        process.join(SECONDS + 60)
        assert process.exitcode == 0
    rounds = int((home / "outcome").read_text())
    print(f"\nwriter: {rounds} commits in {SECONDS:.0f} s")
    for name in ("one", "two"):
        said = json.loads((home / name).read_text())
        took = sorted(1000 * seconds for seconds in said["took"])
        p50, p95 = took[len(took) // 2], took[len(took) * 95 // 100]
        print(f"reader {name}: {len(took)} searches, p50 {p50:.1f} ms, p95 {p95:.1f} ms, max {took[-1]:.0f} ms")
        assert said["wrong"] == []
        assert len(took) > 100 and said["head"] > 20
    assert rounds > 50
    with open_library(home / "library") as library:
        before = answers(library, [rounds // 2, rounds])
        library.rebuild()
        assert answers(library, [rounds // 2, rounds]) == before
        assert library.health(deep=True).ok


def prepare_twins(home: Path) -> None:
    for name in ("left", "right"):
        (home / "folder" / f"{name}.md").write_text(f"# {name.title()}\n\nThe twins stand at generation g0.\n")
    Victim(home, 5).ingest()
