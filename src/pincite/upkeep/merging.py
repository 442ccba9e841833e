"""Merges in a separate process: in ours they would compete with readers for Python's global lock.

    python -m pincite.upkeep.merging < JSON: the settings of the library, and the scope of the repository

During a merge in a thread, questions took fifteen times as long; during one in a process, hardly longer than usual.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import closing, suppress
from dataclasses import astuple

from pincite.errors import PinciteError
from pincite.protocols import Index
from pincite.settings import Config
from pincite.types import Scope
from pincite.upkeep.stores import catalog_of, index_of

HERE_UP_TO = 2_000
"""Merges of fewer chunks take less time than starting a process."""
NICENESS = 5
"""Readers and writers come first."""


def merge_due(config: Config, index: Index, scope: Scope) -> str:
    """Do all merges that are due; what went wrong, in words, or ""."""
    try:
        if index.status(scope).chunks <= HERE_UP_TO:
            _merge_all(index, scope)
            return ""
    except PinciteError as problem:
        return problem.message
    # Over a pipe: arguments of a process are there for everybody to read, and an address may hold a password.
    task = json.dumps({"config": config.model_dump(mode="json", exclude_unset=True), "scope": astuple(scope)})
    command = [sys.executable, "-P", "-m", "pincite.upkeep.merging"]
    done = subprocess.run(command, input=task, capture_output=True, text=True, encoding="utf-8", check=False)
    if done.returncode == 0:
        return ""
    said = done.stderr.strip().splitlines()
    return said[-1] if said else f"the merging process ended with exit status {done.returncode}"


def _merge_all(index: Index, scope: Scope) -> None:
    while index.merge(scope):
        pass


def main(task: str) -> int:
    given = json.loads(task)
    config = Config.model_validate(given["config"])
    with suppress(AttributeError, OSError):  # not on every system
        os.nice(NICENESS)
    try:
        with closing(catalog_of(config)) as catalog, closing(index_of(config, catalog)) as index:
            _merge_all(index, Scope(*given["scope"]))
    except PinciteError as problem:
        print(problem.message, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.stdin.buffer.read().decode("utf-8")))
