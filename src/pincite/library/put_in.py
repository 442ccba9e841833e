"""Putting things in: files, addresses, deliveries, and taking them out for good."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pincite.errors import (
    Conflict,
    NotFound,
    PinciteError,
    Unavailable,
)
from pincite.index.open import erase_from_others
from pincite.ingest.apply import apply
from pincite.ingest.context_reports import ContextsEstimate
from pincite.ingest.options import IngestOptions
from pincite.ingest.report import IngestReport, Progress, silent
from pincite.ingest.sources import DEFAULT_KIND, Source, deliver, open_source, remembered_as
from pincite.ingest.spine import estimate, ingest
from pincite.ingest.watch import FilesChanged, watched
from pincite.kinds.open import open_kind
from pincite.library.opened import OpenLibrary
from pincite.protocols import Kind
from pincite.types import Change, Committed, Scope
from pincite.upkeep.stores import INDEX


class PuttingIn(OpenLibrary):
    """`ingest`, `deliver`, `watch`, `purge`."""

    def ingest(
        self,
        source: str | Path,
        *,
        repository: str = "",
        include: Sequence[str] = (),
        exclude: Sequence[str] = (),
        prefix: str = "",
        allow_empty: bool = False,
        allow_private: bool = False,
        take_over: str | Path = "",
        kind: str = DEFAULT_KIND,
        author: str = "",
        message: str = "",
        embedding: bool = True,
        progress: Progress = silent,
    ) -> IngestReport:
        """Bring a repository in line with a folder, a file or an https address; unchanged files cost nothing.

        `take_over`: another source that has become this one, a folder that was moved for example. What it gave belongs
        to this source from then on, so what this one does not hold is removed.

        What is new can be found by its words at once; its vectors follow in the background (`embed` waits for them).
        """
        self._require_owner("change what it holds")
        scope = self._writable(repository)
        opened = open_source(source, include, exclude, may_be_gone=allow_empty, allow_private=allow_private, kind=kind)
        options = IngestOptions(
            self._kind(kind),
            author or self._author,
            message,
            prefix,
            allow_empty,
            remembered_as(take_over, kind) if take_over else "",
            self.kinds.kinds,
        )
        return self._take_in(scope, opened, options, progress, embedding=embedding)

    def deliver(
        self,
        folder: str | Path,
        *,
        repository: str = "",
        withdrawn: Sequence[str] = (),
        author: str = "",
        message: str = "",
        embedding: bool = True,
        progress: Progress = silent,
    ) -> IngestReport:
        """Put the files of a folder in, beside what was delivered before; their paths below it are their ids.

        The folder may go afterwards. `withdrawn`: paths that were delivered earlier and are taken out.
        """
        self._require_owner("change what it holds")
        options = IngestOptions(self._kind(DEFAULT_KIND), author or self._author, message, beside=self.kinds.kinds)
        source = deliver(Path(folder), withdrawn)
        return self._take_in(self._writable(repository), source, options, progress, embedding=embedding)

    def _kind(self, name: str) -> Kind:
        """A kind, opened as the settings say."""
        return open_kind(name, self.config.kind_settings(name))

    def apply(
        self,
        changes: Sequence[Change],
        *,
        repository: str = "",
        author: str = "",
        message: str = "",
        message_ids: Sequence[str] = (),
        expected_head: int | None = None,
        embedding: bool = True,
    ) -> Committed:
        """Commit changes of elements and relations as one revision, and make them searchable.

        Elements whose passages show one that changes are derived again with it.
        With `expected_head`, the revision that the changes were made for, they are refused (`HeadMoved`) if the
        repository has another head by now. `message_ids` name the messages behind the changes: sent again, the same
        changes are a duplicate. Vectors follow in the background (`embed` waits for them).
        """
        self._require_owner("change what it holds")
        scope = self._writable(repository)
        made = apply(
            self.catalog,
            self.index,
            scope,
            changes,
            author=author or self._author,
            message=message,
            message_ids=message_ids,
            expected_head=expected_head,
            kinds=self.kinds.kinds,
        )
        self._merge_in_background(scope)
        if embedding:
            self.embed_in_background()
        return made

    def require_writable(self, repository: str = "") -> str:
        """The repository that `ingest` would write to; raises what it would raise to a caller who may not."""
        self._require_owner("change what it holds")
        return self._writable(repository).repository

    def _take_in(
        self, scope: Scope, source: Source, options: IngestOptions, progress: Progress, *, embedding: bool
    ) -> IngestReport:
        with self._contexts() as contexts:
            situated = replace(options, contexts=contexts)
            report = ingest(self.catalog, self.index, scope, source, situated, progress)
        self._merge_in_background(scope)
        if embedding:
            self.embed_in_background()
        return report

    def watch(
        self,
        source: str | Path,
        *,
        include: Sequence[str] = (),
        exclude: Sequence[str] = (),
        kind: str = DEFAULT_KIND,
        every_seconds: float = 2.0,
        stop: threading.Event,
        **options: Any,
    ) -> Iterator[tuple[FilesChanged, IngestReport | PinciteError]]:
        """Ingest a source, and again whenever its files have changed, until `stop` is set; options as for `ingest`.

        What goes wrong (a folder that is not mounted, a library that is locked) is given once instead of a report, and
        tried again after each pause.
        """
        opened = open_source(source, include, exclude, allow_private=True, kind=kind)
        seen = watched(opened, self._kind(kind).declares, every_seconds, stop)
        change: FilesChanged | None = FilesChanged()
        complaint = ""
        while change is not None:
            try:
                report = self.ingest(source, include=include, exclude=exclude, kind=kind, **options)
            except (Conflict, NotFound, Unavailable) as problem:
                if problem.message != complaint:
                    yield change, problem
                complaint = problem.message
                if stop.wait(every_seconds):
                    return
                continue
            complaint = ""
            options.pop("take_over", None)  # it has happened
            yield change, report
            change = next(seen, None)

    def estimate_contexts(
        self,
        source: str | Path,
        *,
        repository: str = "",
        include: Sequence[str] = (),
        exclude: Sequence[str] = (),
        prefix: str = "",
        kind: str = DEFAULT_KIND,
    ) -> ContextsEstimate:
        """What an ingest would have the context model write, and about what that costs; nobody is asked."""
        self._require_owner("look at what would change")
        opened = open_source(source, include, exclude, kind=kind)
        with self._contexts() as contexts:
            options = IngestOptions(self._kind(kind), prefix=prefix, contexts=contexts)
            return estimate(self.catalog, self.scope(repository), opened, options)

    def purge(
        self, element_ids: Sequence[str] | str, *, repository: str = "", reason: str = "", author: str = ""
    ) -> Committed:
        """Erase elements for good: from catalog, logs, caches and index. What remains is a tombstone."""
        self._require_owner("erase")
        wanted = (element_ids,) if isinstance(element_ids, str) else tuple(element_ids)
        scope = self._writable(repository)
        try:
            return self.catalog.commits.purge(scope, wanted, reason=reason, author=author or self._author)
        finally:  # also when it was erased before: an earlier purge may have died before it came to the index
            self.lexicon.forget(scope)
            self.index.advance(scope)
            info = self.catalog.repositories.get(scope)
            if info is not None:
                erase_from_others(self.config.index, self.path / INDEX, self.catalog, info)
