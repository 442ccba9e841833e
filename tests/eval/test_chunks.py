"""Chunk snapshots: a change in how a kind cuts its sources does not go unnoticed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from desk import SAMPLES
from terminal import Run

SNAPSHOTS = Path(__file__).parent / "snapshots"


@pytest.mark.parametrize(("kind", "source"), [("documents", SAMPLES)])
def test_the_samples_are_cut_as_accepted(run: Run, kind: str, source: Path) -> None:
    """Accept with: pincite eval --corpus samples/handbook --chunks tests/eval/snapshots/KIND.chunks --update"""
    accepted = SNAPSHOTS / f"{kind}.chunks"
    done = run("eval", "--corpus", str(source), "--kind", kind, "--chunks", str(accepted))
    assert done.returncode == 0, f"\n{done.stdout}\n{done.stderr}"


def test_a_difference_fails_readably_and_update_accepts_it(run: Run, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    page = tmp_path / "docs" / "leave.md"
    page.write_text("# Leave\n\n## Annual\n\nTwenty-six days.\n\n## Sickness\n\nCall in.\n", encoding="utf-8")
    command = ("eval", "--corpus", str(tmp_path / "docs"), "--chunks", "docs.chunks")
    absent = run(*command)
    assert absent.returncode == 3 and "create it with --update" in absent.stderr
    assert run(*command, "--update").returncode == 0
    assert run(*command).returncode == 0
    page.write_text(page.read_text("utf-8").replace("## Sickness", "### Sickness"), encoding="utf-8")
    changed = run(*command)
    assert changed.returncode == 1
    assert "-[2] 38-59 content en §sickness  Leave > Sickness" in changed.stdout
    assert "+[2] 38-60 content en §sickness  Leave > Annual > Sickness" in changed.stdout
    assert "--update" in changed.stderr
    said = json.loads(run(*command, "--json").stdout)
    assert said["changed"] and "Sickness" in said["difference"]
    assert run(*command, "--update").returncode == 0 and run(*command).returncode == 0
    (tmp_path / "golden.yaml").write_text("queries: []\n", encoding="utf-8")
    for more in ((), ("--update",)):
        other = run("eval", "--corpus", str(tmp_path / "docs"), "--chunks", "golden.yaml", *more)
        assert other.returncode == 2 and "is not a snapshot" in other.stderr
    assert (tmp_path / "golden.yaml").read_text("utf-8") == "queries: []\n"


def test_another_size_of_passage_is_a_difference(run: Run) -> None:
    command = ("eval", "--corpus", str(SAMPLES), "--chunks", "s.chunks")
    run(*command, "--update")
    done = run(*command, PINCITE_CHUNKING__MAX_CHUNK_TOKENS="100", PINCITE_CHUNKING__CHUNK_OVERLAP="0")
    assert done.returncode == 1 and "max=100" in done.stdout
