"""A second process that works at the same library: it embeds, searches and replays on request.

One process serves many examples of a property: starting Python for each would take minutes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Any, Self

SETTINGS: dict[str, Any] = {
    "dense": "auto",
    "embedding": {"model": "hashing:512"},
    "retrieval": {"trust": {"none_below": -20, "full_above": 20}, "need": {"none_above": 2}},
}
"""Meaning always counts, and how far is never cut off: whatever moves the background moves every score."""


class AnotherProcess:
    """Requests go out and come back as lines of JSON, in order."""

    def __init__(self) -> None:
        here = Path(__file__)
        path = os.pathsep.join([str(here.parent.parent), os.environ.get("PYTHONPATH", "")])
        self._child = subprocess.Popen(
            [sys.executable, str(here)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            env={**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1"},
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._child.communicate()

    def begin(self, what: str, library: Path, given: Any) -> None:
        """Send a request; `result` waits for what comes back."""
        assert self._child.stdin is not None
        self._child.stdin.write(json.dumps([what, str(library), given]) + "\n")
        self._child.stdin.flush()

    def result(self) -> Any:
        assert self._child.stdout is not None
        line = self._child.stdout.readline()
        assert line, "the other process died; its message stands above"
        return json.loads(line)

    def ask(self, what: str, library: Path, given: Any) -> Any:
        self.begin(what, library, given)
        return self.result()


def _serve() -> None:
    from small_pieces import cut_small

    import pincite
    from desk import by_name
    from pincite import wire
    from pincite.ingest.embed import EmbedOptions, embed

    cut_small()
    for line in sys.stdin:
        what, path, given = json.loads(line)
        with pincite.open(path, **SETTINGS) as library:
            if what == "embed":
                scopes = [info.scope for info in library.repositories()]
                embed(
                    library.catalog,
                    library.index,
                    scopes,
                    library.embedder,
                    EmbedOptions(**given),
                    lexicon=library.lexicon,
                )
                out: Any = None
            else:
                out = [wire.answer(library.replay(token), by_name) for token in given]
        sys.stdout.write(json.dumps(out, default=str) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    _serve()
