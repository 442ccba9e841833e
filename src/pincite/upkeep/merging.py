"""Merges in a separate process: in ours they would compete with readers for Python's global lock.

    python -m pincite.upkeep.merging LIBRARY ENGINE TENANT ORGANIZATION REPOSITORY

During a merge in a thread, questions took fifteen times as long; during one in a process, hardly longer than usual.
"""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import closing, suppress
from pathlib import Path
from typing import cast

from pincite.catalog.sqlite import SqliteCatalog
from pincite.errors import PinciteError
from pincite.index.open import Engine, open_index
from pincite.protocols import Index
from pincite.types import Scope

HERE_UP_TO = 2_000
"""Merges of fewer chunks take less time than starting a process."""
NICENESS = 5
"""Readers and writers come first."""


def merge_due(library: Path, engine: Engine, index: Index, scope: Scope) -> str:
    """Do all merges that are due; returns a description of what went wrong, or ""."""
    try:
        if index.status(scope).chunks <= HERE_UP_TO:
            _merge_all(index, scope)
            return ""
    except PinciteError as problem:
        return problem.message
    command = [sys.executable, "-P", "-m", "pincite.upkeep.merging", str(library), engine]
    command += [scope.tenant, scope.organization, scope.repository]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return ""
    said = done.stderr.strip().splitlines()
    return said[-1] if said else f"the merging process ended with exit status {done.returncode}"


def _merge_all(index: Index, scope: Scope) -> None:
    while index.merge(scope):
        pass


def main(arguments: list[str]) -> int:
    library, engine, *names = arguments
    with suppress(AttributeError, OSError):  # not available on every system
        os.nice(NICENESS)
    try:
        with (
            closing(SqliteCatalog(Path(library) / "catalog.db")) as catalog,
            closing(open_index(cast("Engine", engine), Path(library) / "index", catalog)) as index,
        ):
            _merge_all(index, Scope(*names))
    except PinciteError as problem:
        print(problem.message, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
