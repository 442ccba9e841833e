"""Watching a source: look at its files every few seconds, and say when they have changed and come to rest.

Looking costs a stat per file, on every system the same, and misses nothing that notifications would (network
folders, replaced folders). A file that is being written changes between two looks; then the next look decides.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from pincite.errors import InvalidArgument
from pincite.ingest.sources import Source, scan

MAX_UNREST = 10
"""Looks after which a source that never rests is taken as it is."""

_Seen: TypeAlias = dict[str, tuple[int, int]]


@dataclass(frozen=True, slots=True)
class SourceChange:
    """Which files differ from what was seen before, by name."""

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


def watched(source: Source, every_seconds: float, stop: threading.Event) -> Iterator[SourceChange]:
    """Each change of the source once it has come to rest, until `stop` is set; what is there at the call is none."""
    if source.url:
        raise InvalidArgument(
            "an address is not watched; run ingest again: an unchanged file costs one request", field="watch"
        )
    if every_seconds <= 0:
        raise InvalidArgument(f"every {every_seconds:g} s is no pause; choose more than 0", field="every")
    return _changes(source, every_seconds, stop, _look(source))


def _changes(source: Source, every_seconds: float, stop: threading.Event, known: _Seen) -> Iterator[SourceChange]:
    last, unrest = known, 0
    while not stop.wait(every_seconds):
        seen = _look(source)
        if seen == known:
            last, unrest = seen, 0
        elif seen == last or unrest >= MAX_UNREST:
            yield _difference(known, seen)
            known, last, unrest = seen, seen, 0
        else:
            last, unrest = seen, unrest + 1


def _look(source: Source) -> _Seen:
    return {file.name: (file.size, file.mtime_ns) for file in scan(source).files}


def _difference(before: _Seen, now: _Seen) -> SourceChange:
    return SourceChange(
        added=tuple(sorted(now.keys() - before.keys())),
        changed=tuple(sorted(name for name in now.keys() & before.keys() if now[name] != before[name])),
        removed=tuple(sorted(before.keys() - now.keys())),
    )
