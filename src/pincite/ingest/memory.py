"""What the library remembers of a source: which of its files gave which element, and how they looked then."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace
from pathlib import Path

from pincite.advice import either
from pincite.bookkeeping import SourceFile
from pincite.errors import Conflict
from pincite.protocols import Catalog
from pincite.types import Scope


class SourceMemory:
    """The memory of one source, read at the start of an ingest and replaced at its end."""

    def __init__(self, catalog: Catalog, scope: Scope, key: str) -> None:
        self._sources = catalog.sources
        self._scope = scope
        self._key = key
        self._owners = self._sources.owners(scope)
        self.before = self._sources.files(scope, key)
        self.notes: list[str] = []

    def adopt(self, element_ids: Collection[str]) -> None:
        """Take over from sources whose path is gone what this source now gives.

        A source of which more than half is found here has moved: the rest of it was deleted, and is taken over too.
        """
        claimed = {self._owners[e] for e in element_ids if e in self._owners} - {self._key}
        for owner in sorted(key for key in claimed if "://" not in key and not Path(key).exists()):
            files = self._sources.files(self._scope, owner)
            here = {name: file for name, file in files.items() if file.element_id in element_ids}
            taken = files if 2 * len(here) > len(files) else here
            self.before = taken | self.before
            # Ours first: killed in between, both remember, and the next ingest takes over again.
            self._sources.replace(self._scope, self._key, self.before.values())
            self._sources.replace(self._scope, owner, [f for name, f in files.items() if name not in taken])
            self._owners |= {file.element_id: self._key for file in taken.values()}
            former = either(f"{owner}, which is gone", "a source that is gone")
            self.notes.append(f"{len(taken)} file(s) taken over from {former}")

    def check_owner(self, element_id: str) -> None:
        """Two sources must not fight over an element."""
        owner = self._owners.get(element_id, self._key)
        if owner != self._key:
            advice = either(
                f"{owner}; give this source a --prefix or another --repository",
                "another source; give this one a prefix or another repository_id",
            )
            raise Conflict(f"{element_id!r} already comes from {advice}")

    def announce(self, files: Iterable[SourceFile]) -> None:
        """Remember files before they are committed, those that now give another element under both.

        Should the process die in between, the next ingest knows whose elements they are, and reads the files again.
        """
        pending = {file.path: replace(file, size=-1, content_hash="") for file in files}
        former = [
            replace(file, path=f"{file.path} as {file.element_id}")
            for file in self.before.values()
            if file.path in pending and pending[file.path].element_id != file.element_id
        ]
        self._sources.replace(self._scope, self._key, [*(self.before | pending).values(), *former])

    def store(self, files: Iterable[SourceFile]) -> None:
        """Remember exactly these files."""
        self._sources.replace(self._scope, self._key, files)
