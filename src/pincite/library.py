"""The front door: open a library, put things in, find them, cite them, check them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from copy import copy
from datetime import date
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from pincite.archive import Backup, create_backup, restore_backup
from pincite.baselines import BaselineDesk
from pincite.catalog.resolve import Resolved, parse_read_context, resolve
from pincite.catalog.sqlite import SqliteCatalog
from pincite.citation import SCHEME, Citation
from pincite.config import Config, load_config
from pincite.errors import (
    Damaged,
    InvalidArgument,
    Locked,
    NotFound,
    PermissionDenied,
    PinciteError,
    StorageFull,
    UnknownArgument,
)
from pincite.health import Health, examine
from pincite.index.queries import IndexStatus
from pincite.index.segments.index import SegmentIndex
from pincite.ingest.embed import EmbedOptions, EmbedReport, embed
from pincite.ingest.embed_worker import EmbedWorker
from pincite.ingest.sources import open_source
from pincite.ingest.spine import IngestOptions, IngestReport, Progress, ingest, silent
from pincite.models.registry import open_embedder
from pincite.protocols import Embedder, Index
from pincite.search.compare import Comparison, compare
from pincite.search.context import Context, ContextOptions, gather
from pincite.search.get import Found, get
from pincite.search.history import Life, changes, lives
from pincite.search.query import Answer, FilterValue, Meaning, Query, Reader, day
from pincite.search.spine import Trace, replay, trace
from pincite.search.verify import Verdict, verify
from pincite.search.why_not import WhyNot, why_not
from pincite.types import Committed, ElementChange, LiveElement, ReadContext, RepositoryInfo, Revision, Scope, Span

WAIT_SECONDS = 60.0
"""How long a search queues behind another writer for the revision that it waits for."""

ReadContextGiven = Mapping[str, object] | str | ReadContext | None


class Library:
    """An open library. Use it as a context manager, or close it; one object serves all threads of a process."""

    def __init__(self, config: Config, *, roles: Sequence[str] | None = None) -> None:
        self.config = config
        self.path = Path(config.library)
        if self.path.exists() and not self.path.is_dir():
            raise InvalidArgument(f"{config.library!r} is a file; a library is a folder", field="library")
        _require_catalog(self.path)
        self.is_new = not (self.path / "catalog.db").exists()
        self._roles = None if roles is None else frozenset(roles)
        self.catalog = SqliteCatalog(self.path / "catalog.db")
        self.index: Index = SegmentIndex(self.path / "index", self.catalog)
        self.baselines = BaselineDesk(self.catalog, self.scope, self._gate_publication)
        self._embedder: Embedder | None = None
        self._worker: EmbedWorker | None = None
        self._upkeep: threading.Thread | None = None
        self._upkeep_problem = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Wait for background merges, stop embedding after its current batch, release all files."""
        self._stop_embedding()
        if self._upkeep is not None:
            self._upkeep.join()
        self.catalog.close()

    # --- writing ----------------------------------------------------------------------------------------------

    def ingest(
        self,
        source: str | Path,
        *,
        repository: str = "",
        include: Sequence[str] = (),
        exclude: Sequence[str] = (),
        prefix: str = "",
        allow_empty: bool = False,
        author: str = "",
        message: str = "",
        embedding: bool = True,
        progress: Progress = silent,
    ) -> IngestReport:
        """Bring a repository in line with a folder or file of Markdown and text; unchanged files cost nothing.

        What is new can be found by its words at once; its vectors follow in the background (`embed` waits for them).
        """
        scope = self.scope(repository)
        options = IngestOptions(self.config.chunking.options(), author, message, prefix, allow_empty)
        report = ingest(
            self.catalog,
            self.index,
            scope,
            open_source(source, include, exclude, may_be_gone=allow_empty),
            options,
            progress,
        )
        self._merge_in_background(scope)
        if embedding:
            self.embed_in_background()
        return report

    def purge(
        self, element_ids: Sequence[str] | str, *, repository: str = "", reason: str = "", author: str = ""
    ) -> Committed:
        """Erase elements for good: from catalog, write-ahead log, caches and index. What remains is a tombstone."""
        self._require_owner("erase")
        wanted = (element_ids,) if isinstance(element_ids, str) else tuple(element_ids)
        scope = self.scope(repository)
        try:
            return self.catalog.commits.purge(scope, wanted, reason=reason, author=author)
        finally:  # also when it was erased before: an earlier purge may have died before it came to the index
            self.index.advance(scope)

    def rebuild(self, repository: str = "") -> tuple[IndexStatus, ...]:
        """Build the index anew from the catalog, beside the old one, and switch; of all repositories or of one.

        Where a gate is configured, the old one stays if the golden queries fall.
        """
        out = []
        for info in self._repositories(repository):
            self.index.rebuild(info.scope, accept=self._gate_generation(info.scope))
            out.append(self.index.status(info.scope))
        return tuple(out)

    def backup(self, target: str | Path) -> Backup:
        """A consistent copy of catalog and index, while others read and write."""
        self._require_owner("copy the library")
        return create_backup(self.catalog, self.path, Path(target).expanduser())

    def _merge_in_background(self, scope: Scope) -> None:
        if self._upkeep is not None and self._upkeep.is_alive():
            return

        def work() -> None:
            try:
                while self.index.merge(scope):
                    pass
            except PinciteError as problem:  # reported by status and doctor; answers do not depend on merges
                self._upkeep_problem = problem.message

        self._upkeep = threading.Thread(target=work, name="pincite-merge")
        self._upkeep.start()

    # --- meaning ----------------------------------------------------------------------------------------------

    @property
    def embedder(self) -> Embedder:
        """The model of the dense leg."""
        if self._embedder is None:
            self._embedder = open_embedder(self.config.embedding.model, threads=self.config.embedding.threads)
        return self._embedder

    def embed(
        self, repository: str = "", *, model: str = "", retry_parked: bool = False, progress: Progress = silent
    ) -> EmbedReport:
        """Give every passage that waits its vectors, and make them searchable; of all repositories or of one.

        `model`: another than the one that the settings name, to prepare a change of model.
        """
        self._stop_embedding()
        scopes = [info.scope for info in self._repositories(repository)]
        embedder = open_embedder(model, threads=self.config.embedding.threads) if model else self.embedder
        return embed(self.catalog, self.index, scopes, embedder, EmbedOptions(retry_parked=retry_parked), progress)

    def embed_in_background(self) -> None:
        """Start giving passages their vectors beside other work; `close` stops it, and what waits stays queued."""
        if self.config.dense == "off":
            return
        scopes = tuple(info.scope for info in self.repositories())
        if self._worker is None or self._worker.scopes != scopes:
            self._stop_embedding()
            self._worker = EmbedWorker(self.catalog, self.index, scopes, self.embedder)
        self._worker.start()

    def _stop_embedding(self) -> None:
        if self._worker is not None:
            self._worker.stop()
            self._worker.wait()
            self._worker = None

    # --- reading ----------------------------------------------------------------------------------------------

    def search(
        self,
        query: str,
        *,
        repository: str | Sequence[str] = (),
        mode: str = "hybrid",
        limit: int = 10,
        min_score: float = 0.0,
        read_context: ReadContextGiven = None,
        valid_at: str | date = "",
        filters: Mapping[str, FilterValue] | None = None,
        cursor: str = "",
        group: str = "element",
        sort: str = "relevance",
        exact: bool = False,
        explain: bool = False,
        wait_for: int = 0,
    ) -> Answer:
        """The best passages for a query, each with its citation; `wait_for` a revision to read one's own writes."""
        more = {"cursor": cursor, "group": group, "sort": sort, "exact": exact, "explain": explain}
        asked = _query(query, repository, mode, limit, read_context, valid_at, filters, min_score=min_score, **more)
        return self.trace(asked, wait_for=wait_for).answer

    def trace(self, query: Query, *, wait_for: int = 0) -> Trace:
        """A search with what each leg and stage said: for evaluation."""
        self._catch_up(query.repositories, wait_for)
        return trace(self._reader(), query)

    def replay(self, token: str) -> Answer:
        """Give the answer behind a replay token again: the same question of the same state of the library."""
        return replay(self._reader(), token)

    def get(
        self,
        what: str,
        *,
        repository: str = "",
        section: str = "",
        span: Span | tuple[int, int] | None = None,
        version: str = "",
        read_context: ReadContextGiven = None,
        valid_at: str | date = "",
        neighbours: int = 0,
    ) -> Found:
        """An element, section or span, by citation or element id, as it is or as it was."""
        scope, element_id, cited = self._element(what, repository)
        context = _read_context(read_context)
        if cited is not None:
            section, span, version = section or cited.section_id, span or cited.span, version or cited.version_id
            if cited.revision is not None and context is None and not version:
                context = ReadContext("revision", revision=cited.revision)
        where = span if span is None or isinstance(span, Span) else Span(*span)
        with self.catalog.snapshot():
            resolved = self._resolve(scope, context, valid_at, by_id=True)
            return get(
                self.catalog, resolved, element_id, section=section, span=where, version=version, neighbours=neighbours
            )

    def verify(
        self,
        quote: str,
        citation: str = "",
        *,
        repository: str | Sequence[str] = (),
        read_context: ReadContextGiven = None,
        valid_at: str | date = "",
    ) -> Verdict:
        """Whether a quote stands where it is said to stand: verified, altered, superseded, erased or not found."""
        cited = Citation.parse(citation) if citation else None
        scopes = [cited.scope] if cited else self._reader().scopes(_names(repository))
        scopes = [scope for scope in scopes if not cited or self._is_mine(scope)]
        if not cited:
            self._catch_up(_names(repository))
        with self.catalog.snapshot():
            views = [
                self._resolve(scope, _read_context(read_context), valid_at, by_id=bool(cited)).view
                for scope in scopes
                if not cited or self.catalog.repositories.get(scope)
            ]
            return verify(self._reader(), views, quote, citation)

    def history(self, element: str, *, repository: str = "") -> tuple[Life, ...]:
        """The lives of an element, oldest first."""
        scope, element_id, _ = self._element(element, repository)
        with self.catalog.snapshot():
            return lives(self.catalog, self._resolve(scope, None, "", by_id=True).view, element_id)

    def diff(
        self, old: ReadContextGiven, new: ReadContextGiven = None, *, repository: str = ""
    ) -> tuple[ElementChange, ...]:
        """What changed between two states of a repository."""
        scope = self.scope(repository)
        with self.catalog.snapshot():
            first = self._resolve(scope, _read_context(old), "", by_id=True).view
            last = self._resolve(scope, _read_context(new), "", by_id=True).view
            return changes(self.catalog, first, last)

    def revisions(self, *, repository: str = "", limit: int = 100) -> tuple[Revision, ...]:
        """Commits of a repository, newest first."""
        (info,) = self._repositories(repository or self.config.repository)
        return self.catalog.commits.revisions(info.scope, limit=limit)

    def repositories(self) -> tuple[RepositoryInfo, ...]:
        """Repositories of the organization."""
        return self.catalog.repositories.list(self.config.tenant, self.config.organization)

    def elements(
        self, *, repository: str = "", read_context: ReadContextGiven = None, valid_at: str | date = ""
    ) -> tuple[str, ...]:
        """Ids of the elements that a read context sees, in order."""
        resolved = self._resolve(self.scope(repository), _read_context(read_context), valid_at, by_id=True)
        return self.catalog.elements.ids(resolved.view)

    def live(
        self, element_id: str, *, repository: str = "", read_context: ReadContextGiven = None
    ) -> LiveElement | None:
        """An element with its content and how it was cut, as a read context sees it."""
        resolved = self._resolve(self.scope(repository), _read_context(read_context), "", by_id=True)
        return self.catalog.elements.get(resolved.view, element_id)

    def as_owner(self) -> Library:
        """This library, read without the limits of a role: what a gate measures does not depend on who asks."""
        other = copy(self)
        other._roles = None
        return other

    def filters(self, repository: str | Sequence[str] = ()) -> dict[str, dict[str, int]]:
        """Filter keys with their values and how many visible chunks carry each."""
        self._catch_up(_names(repository))
        views = [self._resolve(scope, None, "").view for scope in self._reader().scopes(_names(repository))]
        return self.index.filter_values(views)

    def why_not(
        self,
        element: str,
        query: str,
        *,
        repository: str | Sequence[str] = (),
        mode: str = "hybrid",
        limit: int = 10,
        min_score: float = 0.0,
        read_context: ReadContextGiven = None,
        valid_at: str | date = "",
        filters: Mapping[str, FilterValue] | None = None,
    ) -> WhyNot:
        """Where an element (id or citation) stands in the answer to a query, and what keeps it from the page."""
        asked = _query(query, repository, mode, limit, read_context, valid_at, filters, min_score=min_score)
        cited = Citation.parse(element) if element.startswith(SCHEME) else None
        self._catch_up(asked.repositories)
        return why_not(self._reader(), asked, cited.element_id if cited else element, cited.scope if cited else None)

    def compare(
        self,
        query: str,
        old: ReadContextGiven,
        new: ReadContextGiven = None,
        *,
        repository: str | Sequence[str] = (),
        mode: str = "hybrid",
        limit: int = 10,
        valid_at: str | date = "",
        filters: Mapping[str, FilterValue] | None = None,
    ) -> Comparison:
        """The same query in two states: what appeared, vanished, changed and moved among the first hits, and why."""
        asked = _query(query, repository, mode, limit, None, valid_at, filters)
        self._catch_up(asked.repositories)
        return compare(self._reader(), asked, _read_context(old), _read_context(new))

    def context(
        self,
        query: str,
        *,
        max_tokens: int = 4_000,
        include_relationships: bool = True,
        include_definitions: bool = True,
        repository: str | Sequence[str] = (),
        mode: str = "hybrid",
        limit: int = 20,
        read_context: ReadContextGiven = None,
        valid_at: str | date = "",
        filters: Mapping[str, FilterValue] | None = None,
    ) -> Context:
        """Passages for a prompt, each under its citation, within a budget of tokens that always holds."""
        asked = _query(query, repository, mode, limit, read_context, valid_at, filters)
        options = ContextOptions(max_tokens, include_relationships, include_definitions)
        self._catch_up(asked.repositories)
        return gather(self._reader(), asked, options)

    # --- health -----------------------------------------------------------------------------------------------

    def status(self, repository: str = "") -> tuple[tuple[RepositoryInfo, IndexStatus], ...]:
        """What each repository holds and how far its index is; counts are the owner's."""
        self._require_owner("see the status")
        return tuple((info, self.index.status(info.scope)) for info in self._repositories(repository))

    def health(self, *, deep: bool = False) -> Health:
        """Real queries against every leg, brought up to date; with `deep` also every checksum."""
        with suppress(PinciteError):  # what keeps it from catching up is what the examination finds
            self._catch_up(())
        problem = self._upkeep_problem or (self._worker.problem if self._worker else "")
        embedder = self.embedder if self.config.dense != "off" else None
        return examine(
            self.catalog, self.index, self.repositories(), deep=deep, embedder=embedder, upkeep_problem=problem
        )

    # --- gates ------------------------------------------------------------------------------------------------

    def _gate_publication(self, scope: Scope, name: str) -> None:
        if self.config.gate.golden:
            from pincite.eval.guard import gate_publication

            gate_publication(self, scope, name)

    def _gate_generation(self, scope: Scope) -> Callable[[Index], None] | None:
        if not self.config.gate.golden:
            return None
        from pincite.eval.guard import gate_generation

        return gate_generation(self, scope)

    def is_gated(self, repository: str = "") -> bool:
        """Whether golden queries stand before a release of the repository."""
        gate = self.config.gate
        guarded = gate.repositories or (self.config.repository,)
        return bool(gate.golden) and self.scope(repository).repository in guarded

    def with_index(self, index: Index) -> Library:
        """This library, read through another index; to judge one before it is taken up."""
        other = copy(self)
        other.index = index
        return other

    # --- helpers ----------------------------------------------------------------------------------------------

    def _require_owner(self, what: str) -> None:
        """Roles limit what is read; whoever has only roles may not do what touches everything."""
        if self._roles is not None:
            raise PermissionDenied(f"a caller limited to roles may not {what}; open the library without roles")

    def scope(self, repository: str = "") -> Scope:
        return Scope(self.config.tenant, self.config.organization, repository or self.config.repository)

    def _reader(self) -> Reader:
        return Reader(
            self.catalog,
            self.index,
            self.config.keyword.scoring(),
            self.config.tenant,
            self.config.organization,
            self._roles,
            self.config.retrieval.options(),
            self._meaning(),
        )

    def _meaning(self) -> Meaning:
        """How the dense leg asks; the model itself is loaded by the first question that needs it."""
        if self.config.dense == "off":
            return Meaning(off="switched off (dense: off)")
        required = self.config.dense == "required"
        return Meaning(self.embedder, required=required, deadline_seconds=self.config.retrieval.deadline_seconds)

    def _catch_up(self, names: Sequence[str], wait_for: int = 0) -> None:
        """Roll the index forward if it lags and nobody else is at it; otherwise the answer says how far it is.

        Only for a revision that is waited for does it queue behind another writer.
        """
        for scope in self._reader().scopes(names):
            info = self.catalog.repositories.get(scope)
            if info is not None and self.index.reached(scope) < info.head:
                waits = self.index.reached(scope) < wait_for
                try:
                    self.index.advance(scope, wait_seconds=WAIT_SECONDS if waits else 0)
                except (Locked, StorageFull, PermissionError):
                    if waits:
                        raise

    def _resolve(
        self, scope: Scope, context: ReadContext | None, valid_at: str | date, *, by_id: bool = False
    ) -> Resolved:
        """`by_id`: reads by id see a commit at once; searches see what the index has reached."""
        info = self.catalog.repositories.get(scope)
        reached = (info.head if info else 0) if by_id else self.index.reached(scope)
        in_force = day(valid_at, "valid_at") if isinstance(valid_at, str) and valid_at else valid_at or None
        assert not isinstance(in_force, str)
        return resolve(self.catalog, scope, context, reached=reached, roles=self._roles, valid_at=in_force)

    def _repositories(self, repository: str) -> tuple[RepositoryInfo, ...]:
        if not repository:
            return self.repositories()
        info = self.catalog.repositories.get(self.scope(repository))
        if info is None:
            known = [item.scope.repository for item in self.repositories()]
            raise NotFound(
                f"there is no repository {repository!r}; there is {', '.join(known) or 'none yet'}", suggestions=known
            )
        return (info,)

    def _is_mine(self, scope: Scope) -> bool:
        return (scope.tenant, scope.organization) == (self.config.tenant, self.config.organization)

    def _element(self, given: str, repository: str) -> tuple[Scope, str, Citation | None]:
        """What a citation or an element id names. A citation elsewhere is answered like one that does not exist."""
        if not given.startswith(SCHEME):
            return self.scope(repository), given, None
        cited = Citation.parse(given)
        if not self._is_mine(cited.scope):
            raise NotFound(f"there is no {cited.element_id!r} in {cited.scope.repository!r}", field="citation")
        return cited.scope, cited.element_id, cited


def check_source(source: str | Path, *, may_be_gone: bool = False) -> None:
    """Raise what `ingest` would raise for a source that is not there, before a library is made for it."""
    open_source(source, may_be_gone=may_be_gone)


def open_library(
    given: str | Path | Config | Mapping[str, Any] | None = None,
    *,
    create: bool = True,
    roles: Sequence[str] | None = None,
    **settings: Any,
) -> Library:
    """Open the library in a folder, or the one that a YAML configuration describes; created when it does not exist.

    `settings` override the configuration (`tenant="acme"`). `roles` restricts what this object reads to what those
    roles may read; None is the owner.
    """
    config = load_config(given)
    if settings:
        unknown = settings.keys() - Config.model_fields.keys()
        if unknown:
            raise UnknownArgument.named("setting", min(unknown), Config.model_fields)
        config = load_config({**config.model_dump(), **settings})
    if not create and not any((Path(config.library) / name).exists() for name in ("catalog.db", "index")):
        raise NotFound(
            f"there is no library at {config.library!r}; make one with: pincite ingest FOLDER", field="library"
        )
    return Library(config, roles=roles)


def restore_library(backup: str | Path, target: str | Path) -> Backup:
    """Check a backup and put it where a library can be opened; never over an existing one."""
    return restore_backup(Path(backup).expanduser(), Path(target).expanduser())


def _require_catalog(path: Path) -> None:
    """An index without the truth behind it is what a lost catalog leaves; making a new one would hide the loss."""
    catalog, index = path / "catalog.db", path / "index"
    if index.is_dir() and any(index.iterdir()) and not (catalog.exists() and catalog.stat().st_size):
        raise Damaged(
            f"{catalog} is missing or empty, though there is an index made from it; restore a backup with:"
            " pincite restore BACKUP TARGET"
        )


def _names(repository: str | Sequence[str]) -> tuple[str, ...]:
    if isinstance(repository, str):
        return (repository,) if repository else ()
    return tuple(repository)


def _read_context(given: ReadContextGiven) -> ReadContext | None:
    return given if isinstance(given, ReadContext) else parse_read_context(given)


def _query(
    text: str,
    repository: str | Sequence[str],
    mode: str,
    limit: int,
    read_context: ReadContextGiven,
    valid_at: str | date,
    filters: Mapping[str, FilterValue] | None,
    **more: Any,
) -> Query:
    """What a caller asks, in the forms that callers use; `Query` checks it and names the nearest valid one."""
    return Query(
        text=text,
        repositories=_names(repository),
        mode=mode,  # type: ignore[arg-type]
        limit=limit,
        read_context=_read_context(read_context),
        valid_at=valid_at.isoformat() if isinstance(valid_at, date) else valid_at,
        filters=filters or {},
        **more,
    )
