"""Watching a source: look at its files every few seconds, and say when they have changed and come to rest.

Looking costs a stat per file, on every system the same, and misses nothing that notifications would (network
folders, replaced folders). A file that is being written changes between two looks; then the next look decides.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from pincite.errors import InvalidArgument
from pincite.ingest.sources import Source, scan
from pincite.protocols.kind import Declaration

MAX_UNREST = 10
"""Looks after which a source that never rests is taken as it is."""

_Seen: TypeAlias = dict[str, tuple[int, int]]


@dataclass(frozen=True, slots=True)
class FilesChanged:
    """Which files differ from what was seen before, by name."""

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


def watched(
    source: Source, declares: Declaration, every_seconds: float, stop: threading.Event
) -> Iterator[FilesChanged]:
    """Each change of the source once it has come to rest, until `stop` is set; what is there at the call is none."""
    if source.url:
        raise InvalidArgument(
            "an address is not watched; run ingest again: an unchanged file costs one request", field="watch"
        )
    if every_seconds <= 0:
        raise InvalidArgument(f"every must be more than 0 s, not {every_seconds:g} s", field="every")

    def look() -> _Seen:
        return {file.name: (file.size, file.mtime_ns) for file in scan(source, declares).files}

    return _changes(look, look(), every_seconds, stop)


def _changes(
    look: Callable[[], _Seen], known: _Seen, every_seconds: float, stop: threading.Event
) -> Iterator[FilesChanged]:
    last, unrest = known, 0
    while not stop.wait(every_seconds):
        seen = look()
        if seen == known:
            last, unrest = seen, 0
        elif seen == last or unrest >= MAX_UNREST:
            yield _difference(known, seen)
            known, last, unrest = seen, seen, 0
        else:
            last, unrest = seen, unrest + 1


def _difference(before: _Seen, now: _Seen) -> FilesChanged:
    return FilesChanged(
        added=tuple(sorted(now.keys() - before.keys())),
        changed=tuple(sorted(name for name in now.keys() & before.keys() if now[name] != before[name])),
        removed=tuple(sorted(before.keys() - now.keys())),
    )
