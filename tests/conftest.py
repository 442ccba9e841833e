"""Fixtures that all tests share."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import pincite
from desk import SAMPLES, Desk
from pincite.cli import main
from terminal import Done, Run

# Vectors are asked for where they are tested; everywhere else they would cost seconds and hide what words do.
os.environ.setdefault("PINCITE_DENSE", "off")


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    (tmp_path / "source").mkdir()
    with pincite.open(tmp_path / "library") as library:
        yield Desk(tmp_path, library)


@pytest.fixture(scope="session")
def handbook(tmp_path_factory: pytest.TempPathFactory) -> Iterator[pincite.Library]:
    """The samples, ingested once; for tests that only read."""
    with pincite.open(tmp_path_factory.mktemp("handbook") / "library") as library:
        library.ingest(SAMPLES)
        yield library


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    """The program in this process, from `main` to its exit code: starting one per command would take minutes."""

    def command(*arguments: str, stdin: str = "", **environ: str) -> Done:
        with monkeypatch.context() as patch:
            for key in [key for key in os.environ if key.startswith("PINCITE_")]:
                patch.delenv(key)
            for key, value in {"COLUMNS": "200", "NO_COLOR": "1", "PINCITE_DENSE": "off", **environ}.items():
                patch.setenv(key, value)
            patch.chdir(tmp_path)
            patch.setattr(sys, "argv", ["pincite", *arguments])
            patch.setattr(sys, "stdin", io.StringIO(stdin))
            capfd.readouterr()
            with pytest.raises(SystemExit) as exit:
                main()
            out, err = capfd.readouterr()
        return Done(int(exit.value.code or 0), out, err)

    return command
