"""The front door: open a library, put things in, find them, cite them, check them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from copy import copy
from dataclasses import replace
from datetime import date
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self, cast

from pincite.archive import Backup, create_backup, restore_backup
from pincite.baselines import BaselineDesk
from pincite.catalog.limited import LimitedCatalog
from pincite.catalog.resolve import Resolved, parse_read_context, resolve
from pincite.catalog.sqlite import SqliteCatalog
from pincite.citation import SCHEME, Citation
from pincite.config import Config, load_config
from pincite.errors import (
    Conflict,
    Damaged,
    InvalidArgument,
    Locked,
    NotFound,
    PermissionDenied,
    PinciteError,
    StorageFull,
    Unavailable,
    UnknownArgument,
)
from pincite.health import Health, examine
from pincite.index.lexicon import FolderLexicon
from pincite.index.open import erase_from_others, open_index
from pincite.index.queries import IndexStatus
from pincite.ingest.context_reports import ContextsEstimate
from pincite.ingest.contexts import Contexts
from pincite.ingest.embed import EmbedOptions, EmbedReport, embed
from pincite.ingest.embed_batches import probe
from pincite.ingest.embed_worker import EmbedWorker
from pincite.ingest.sources import Source, deliver, open_source
from pincite.ingest.spine import IngestOptions, IngestReport, Progress, estimate, ingest, silent
from pincite.ingest.watch import SourceChange, watched
from pincite.merging import merge_due
from pincite.models.in_use import FixedModel, ModelInUse
from pincite.models.registry import open_reranker
from pincite.protocols import Catalog, Embedder, Index, Reranker
from pincite.reembed import Dropped, ReindexReport, drop_all_but, move, require_droppable
from pincite.reranker_gate import Verdict as RerankerVerdict
from pincite.reranker_gate import keep, reranking_of
from pincite.search.compare import Comparison, compare
from pincite.search.context import Context, ContextOptions, gather
from pincite.search.get import Found, get
from pincite.search.history import Life, changes, lives
from pincite.search.look_up import LookedUp, look_up
from pincite.search.query import Answer, FilterValue, Meaning, Query, Reader, day
from pincite.search.references import Reference, references_of
from pincite.search.replay import with_model_behind
from pincite.search.reranking import Reranking
from pincite.search.spine import Trace, replay, trace
from pincite.search.verify import CheckedQuote, Verdict, verify
from pincite.search.why_not import WhyNot, why_not
from pincite.text.quotations import Quotation, quotations
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
        self.roles = None if roles is None else frozenset(roles)
        """What this object reads is what these roles may read; None: everything."""
        self._readable: frozenset[str] | None = None
        self._author = ""
        self._default: Literal["head", "published"] = "head"
        self._home = self
        """The library that was opened; what is made for a caller shares its threads and models."""
        self._guard = threading.RLock()
        self.catalog: Catalog = SqliteCatalog(self.path / "catalog.db")
        self.index: Index = open_index(config.index, self.path / "index", self.catalog)
        self.lexicon = FolderLexicon(self.path / "words", self.catalog)
        self.baselines = BaselineDesk(self.catalog, self.scope, self._gate_publication, self._require_owner)
        stated = "embedding" in config.model_fields_set and "model" in config.embedding.model_fields_set
        self.model = ModelInUse(
            self.catalog.models, config.embedding.model, stated=stated, threads=config.embedding.threads
        )
        self._reranker: Reranker | None = None
        self._reranking: Reranking | None = None
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
        if self._home._upkeep is not None:
            self._home._upkeep.join()
        self.index.close()
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
        allow_private: bool = False,
        author: str = "",
        message: str = "",
        embedding: bool = True,
        progress: Progress = silent,
    ) -> IngestReport:
        """Bring a repository in line with a folder, a file or an https address; unchanged files cost nothing.

        What is new can be found by its words at once; its vectors follow in the background (`embed` waits for them).
        """
        self._require_owner("change what it holds")
        scope = self._writable(repository)
        opened = open_source(source, include, exclude, may_be_gone=allow_empty, allow_private=allow_private)
        options = IngestOptions(self.config.chunking.options(), author or self._author, message, prefix, allow_empty)
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
        options = IngestOptions(self.config.chunking.options(), author or self._author, message)
        source = deliver(Path(folder), withdrawn)
        return self._take_in(self._writable(repository), source, options, progress, embedding=embedding)

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
        every_seconds: float = 2.0,
        stop: threading.Event,
        **options: Any,
    ) -> Iterator[tuple[SourceChange, IngestReport | PinciteError]]:
        """Ingest a source, and again whenever its files have changed, until `stop` is set; options as for `ingest`.

        What goes wrong (a folder that is not mounted, a library that is locked) is given once instead of a report, and
        tried again after each pause.
        """
        seen = watched(open_source(source, include, exclude, allow_private=True), every_seconds, stop)
        change: SourceChange | None = SourceChange()
        complaint = ""
        while change is not None:
            try:
                report = self.ingest(source, include=include, exclude=exclude, **options)
            except (Conflict, NotFound, Unavailable) as problem:
                if problem.message != complaint:
                    yield change, problem
                complaint = problem.message
                if stop.wait(every_seconds):
                    return
                continue
            complaint = ""
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
    ) -> ContextsEstimate:
        """What an ingest would have the context model write, and about what that costs; nobody is asked."""
        self._require_owner("look at what would change")
        opened = open_source(source, include, exclude)
        with self._contexts() as contexts:
            options = IngestOptions(self.config.chunking.options(), prefix=prefix, contexts=contexts)
            return estimate(self.catalog, self.scope(repository), opened, options)

    @contextmanager
    def _contexts(self) -> Iterator[Contexts | None]:
        """Who writes contexts, for one ingest; None where no model is configured for it."""
        settings = self.config.context_model
        if not (self.config.contextual_embeddings and settings.model):
            yield None
            return
        from pincite.models.contexts.writer import HttpContextWriter

        key, missing = settings.api_key()
        with closing(HttpContextWriter(settings.options(), key, missing_key=missing)) as writer:
            yield Contexts(writer, settings.budget_usd)

    def purge(
        self, element_ids: Sequence[str] | str, *, repository: str = "", reason: str = "", author: str = ""
    ) -> Committed:
        """Erase elements for good: from catalog, write-ahead log, caches and index. What remains is a tombstone."""
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
                erase_from_others(self.config.index, self.path / "index", self.catalog, info)

    def rebuild(self, repository: str = "") -> tuple[IndexStatus, ...]:
        """Build the index anew from the catalog, beside the old one, and switch; of all repositories or of one.

        Where a gate is configured, the old one stays if the golden queries fall.
        """
        self._require_owner("rebuild its index")
        out = []
        for info in self._repositories(repository):
            self.index.rebuild(info.scope, accept=self._gate_generation(info.scope))
            out.append(self.index.status(info.scope))
        return tuple(out)

    def backup(self, target: str | Path) -> Backup:
        """A consistent copy of catalog and index, while others read and write."""
        self._require_all("copy the library")
        return create_backup(self.catalog, self.path, Path(target).expanduser())

    def _merge_in_background(self, scope: Scope) -> None:
        home = self._home

        def work() -> None:
            # What goes wrong is reported by status and doctor; answers do not depend on merges.
            home._upkeep_problem = merge_due(home.path, home.config.index, home.index, scope)

        with self._guard:
            if home._upkeep is not None and home._upkeep.is_alive():
                return
            home._upkeep = threading.Thread(target=work, name="pincite-merge")
            home._upkeep.start()

    # --- meaning ----------------------------------------------------------------------------------------------

    @property
    def embedder(self) -> Embedder:
        """The model of the dense leg: the one that the library was switched to, else the one that the settings name."""
        chosen = self.model.choose()
        if chosen.embedder is None:
            raise Unavailable(chosen.note)
        return chosen.embedder

    def embed(
        self, repository: str = "", *, model: str = "", retry_parked: bool = False, progress: Progress = silent
    ) -> EmbedReport:
        """Give every passage that waits its vectors, and make them searchable; of all repositories or of one.

        `model`: another than the one in use, to prepare a change of model (`reindex_embeddings`).
        """
        self._require_owner("embed its texts")
        self._stop_embedding()
        scopes = [info.scope for info in self._repositories(repository)]
        embedder = self.model.open(model) if model else self.embedder
        options = EmbedOptions(retry_parked=retry_parked)
        return embed(self.catalog, self.index, scopes, embedder, options, progress, lexicon=self.lexicon)

    def reindex_embeddings(
        self,
        model: str,
        *,
        repository: str = "",
        progress: Progress = silent,
        force: bool = False,
        drop_old: bool = False,
    ) -> ReindexReport:
        """Move the whole library to another embedding model, without a gap; `reembed.py` says how.

        The old model stays in use if texts lack vectors (unless `force`) or golden queries fall (`Refused`); with
        `repository` only that one is embedded, to prepare. `drop_old` removes the vectors of all other models then.
        """
        self._require_all("choose the embedding model")
        if self.config.dense == "off":
            raise Conflict("no question is asked with a model while the settings say dense: off; set dense: auto")
        self._stop_embedding()
        embedder, before = self.model.open(model), self.model.current()
        if drop_old and not force:
            require_droppable(self.catalog, {embedder.fingerprint}, before)
        infos = self._repositories(repository) if repository else self.catalog.repositories.all()
        scopes = [info.scope for info in infos]
        made = move(
            self.catalog,
            self.index,
            self.lexicon,
            scopes,
            embedder,
            before,
            self._judge_model,
            force=force,
            progress=progress,
        )
        return replace(made, dropped=self.drop_old_embeddings(force=force)) if drop_old and made.in_use else made

    def drop_old_embeddings(self, *, force: bool = False) -> tuple[Dropped, ...]:
        """Remove the vectors and jobs of all models but the one in use.

        `Conflict` while there are baselines that were made under one of them, unless `force`.
        """
        self._require_all("remove vectors")
        used = self.model.choose().embedder
        recorded = self.catalog.models.in_use()
        kept = {model.fingerprint for model in (used, recorded) if model is not None}
        if not force:
            require_droppable(self.catalog, kept, self.model.current())
        return drop_all_but(self.catalog, self.index, self.lexicon, kept)

    def warm_up(self) -> threading.Thread | None:
        """Load the embedding model beside other work, for a process that will be asked many questions.

        Questions that come meanwhile do not wait for it: words answer them, and their legs say so. A model that cannot
        be loaded is reported by the first question that needs it. The thread is given to whoever wants to wait.
        """
        return self.model.load(probe) if self.config.dense != "off" else None

    def embed_in_background(self) -> None:
        """Start giving passages their vectors beside other work; `close` stops it, and what waits stays queued."""
        if self.config.dense == "off":
            return
        home, embedder = self._home, self.embedder
        # Callers of several tenants share one worker; each would stop the others' if it were theirs alone.
        infos = home.repositories() if self is home else home.catalog.repositories.all()
        scopes = tuple(info.scope for info in infos)
        with self._guard:
            if home._worker is None or home._worker.scopes != scopes or home._worker.embedder is not embedder:
                self._stop_embedding()
                home._worker = EmbedWorker(home.catalog, home.index, scopes, embedder, lexicon=home.lexicon)
            home._worker.start()

    def _stop_embedding(self) -> None:
        with self._guard:
            worker, self._home._worker = self._home._worker, None
        if worker is not None:
            worker.stop()
            worker.wait()

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
        passages: int = 3,
        sort: str = "relevance",
        exact: bool = False,
        explain: bool = False,
        wait_for: int = 0,
    ) -> Answer:
        """The best passages for a query, each with its citation; `wait_for` a revision to read one's own writes."""
        more = {
            "cursor": cursor,
            "group": group,
            "passages": passages,
            "sort": sort,
            "exact": exact,
            "explain": explain,
        }
        asked = _query(query, repository, mode, limit, read_context, valid_at, filters, min_score=min_score, **more)
        return self.trace(asked, wait_for=wait_for).answer

    def trace(self, query: Query, *, wait_for: int = 0) -> Trace:
        """A search with what each leg and stage said: for evaluation."""
        self._catch_up(query.repositories, wait_for)
        return trace(self._reader(), query)

    def replay(self, token: str) -> Answer:
        """Give the answer behind a replay token again: the same question of the same state, with the same model."""
        return replay(with_model_behind(self._reader(), token, self.model.behind), token)

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

    def verify_draft(
        self,
        text: str,
        quotes: Sequence[tuple[str, str]] = (),
        *,
        repository: str | Sequence[str] = (),
        read_context: ReadContextGiven = None,
        valid_at: str | date = "",
    ) -> tuple[CheckedQuote, ...]:
        """A verdict on every quotation of a draft at the citation beside it, and on stated pairs of quote and citation.

        What cannot be read as a citation is a verdict, not an error: the rest of the draft is still worth checking.
        """
        found = (*quotations(text), *(Quotation(quote, citation, None) for quote, citation in quotes))

        def check(item: Quotation) -> CheckedQuote:
            try:
                verdict = self.verify(
                    item.quote, item.citation, repository=repository, read_context=read_context, valid_at=valid_at
                )
            except InvalidArgument as problem:
                if problem.field not in ("citation", "quote"):
                    raise
                verdict = Verdict("not_found", item.quote, problem.message)
            return CheckedQuote(item, verdict)

        return tuple(check(item) for item in found)

    def history(self, element: str, *, repository: str = "") -> tuple[Life, ...]:
        """The lives of an element, oldest first."""
        scope, element_id, _ = self._element(element, repository)
        with self.catalog.snapshot():
            return lives(self.catalog, self._resolve(scope, None, "", by_id=True).view, element_id)

    def definitions(
        self,
        term: str,
        *,
        repository: str | Sequence[str] = (),
        read_context: ReadContextGiven = None,
        valid_at: str | date = "",
    ) -> LookedUp:
        """What the documents say a term means, each with its citation; where none does, the nearest defined terms."""
        scopes = self._reader().scopes(_names(repository))
        with self.catalog.snapshot():
            resolved = [self._resolve(scope, _read_context(read_context), valid_at, by_id=True) for scope in scopes]
            return look_up(self.catalog, resolved, term)

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
        other.roles = None
        return other

    @property
    def is_at_home(self) -> bool:
        """Whether this is the tenant and organization of the settings, and not those of a caller from elsewhere."""
        own = self._home.config
        return (self.config.tenant, self.config.organization) == (own.tenant, own.organization)

    def for_caller(
        self,
        *,
        tenant: str,
        organization: str,
        repositories: frozenset[str] | None = None,
        roles: frozenset[str] | None = None,
        author: str = "",
        deadline_seconds: float | None = None,
        default_read_context: Literal["head", "published"] = "head",
    ) -> Library:
        """This library as a caller sees it, who may be of another tenant; it shares catalog, index, models and threads.

        Repositories outside the caller's set are answered like ones that do not exist, by every method; what concerns
        the whole library is refused. `author` signs what the caller writes. Within `deadline_seconds` the models
        answer, or the answer goes without them. `default_read_context`: what is read where nothing is asked for, which
        is head also where nothing is published. Never close it.
        """

        def exists(scope: Scope) -> bool:
            at_home = (scope.tenant, scope.organization) == (tenant, organization)
            return at_home and (repositories is None or scope.repository in repositories)

        other = copy(self)
        other.roles, other._readable, other._author = roles, repositories, author
        other._default = default_read_context
        other.catalog = cast("Catalog", LimitedCatalog(self._home.catalog, exists))
        changed: dict[str, object] = {"tenant": tenant, "organization": organization}
        if repositories is not None and len(repositories) == 1:
            (changed["repository"],) = repositories
        if deadline_seconds is not None:
            for name in ("retrieval", "reranker"):
                part = getattr(self.config, name)
                least = min(part.deadline_seconds, max(deadline_seconds, 0.001))
                changed[name] = part.model_copy(update={"deadline_seconds": least})
        other.config = self.config.model_copy(update=changed)
        other.baselines = BaselineDesk(
            other.catalog, other.scope, other._gate_publication, other._require_owner, author
        )
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

    def references(
        self,
        element: str,
        *,
        section: str = "",
        incoming: bool = False,
        unresolved: bool = False,
        repository: str = "",
        read_context: ReadContextGiven = None,
        valid_at: str | date = "",
    ) -> tuple[Reference, ...]:
        """What an element (id or citation) or one of its sections refers to, or with `incoming` what refers to it.

        `unresolved`: only those that name something which is not here.
        """
        scope, element_id, cited = self._element(element, repository)
        with self.catalog.snapshot():
            view = self._resolve(scope, _read_context(read_context), valid_at, by_id=True).view
            return references_of(
                self.catalog,
                view,
                element_id,
                section=section or (cited.section_id if cited else ""),
                incoming=incoming,
                unresolved=unresolved,
            )

    # --- health -----------------------------------------------------------------------------------------------

    def status(self, repository: str = "") -> tuple[tuple[RepositoryInfo, IndexStatus], ...]:
        """What each repository holds and how far its index is; counts are the owner's."""
        self._require_owner("see the status")
        return tuple((info, self.index.status(info.scope)) for info in self._repositories(repository))

    def model_note(self) -> str:
        """What should be known about the choice of the embedding model, e.g. that the settings name another one."""
        return self.model.note() if self.config.dense != "off" else ""

    def health(self, *, deep: bool = False) -> Health:
        """Real queries against every leg, brought up to date; with `deep` also every checksum."""
        self._require_owner("examine it")
        with suppress(PinciteError):  # what keeps it from catching up is what the examination finds
            self._catch_up(())
        home, problem = self._home, ""
        if self is home:
            problem = home._upkeep_problem or (home._worker.problem if home._worker else "")
        meaning = self._meaning(required=False)
        infos, whole = self.repositories(), self is home
        return examine(self.catalog, self.index, infos, deep=deep, meaning=meaning, upkeep_problem=problem, whole=whole)

    def freshness(self) -> tuple[tuple[RepositoryInfo, int], ...]:
        """Each repository, and the revision that its index has reached: what every reader of it may know."""
        return tuple((info, self.index.reached(info.scope)) for info in self.repositories())

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

    def _judge_model(self, embedder: Embedder) -> tuple[str, ...]:
        if not self.config.gate.golden:
            return ()
        from pincite.eval.guard import gate_model

        probe(embedder)  # both are loaded now: loading must not count against the deadline of a golden query
        with suppress(PinciteError):
            probe(self.embedder)
        return gate_model(self, self.with_embedder(embedder), embedder.name)

    def is_gated(self, repository: str = "") -> bool:
        """Whether golden queries stand before a release of the repository."""
        gate = self.config.gate
        guarded = gate.repositories or (self.config.repository,)
        return bool(gate.golden) and self.scope(repository).repository in guarded

    @property
    def reranking(self) -> Reranking:
        """The reranker and whether it takes part in answers; the model is loaded by the first question."""
        return self._reranking or reranking_of(self.config, self.path, self._open_reranker)

    def _open_reranker(self) -> Reranker:
        home = self._home
        with self._guard:
            if home._reranker is None:
                home._reranker = open_reranker(self.config.reranker.model, threads=self.config.reranker.threads)
            return home._reranker

    def gate_reranker(self) -> RerankerVerdict:
        """Ask the golden queries with and without the reranker, and keep the verdict: it decides from now on."""
        self._require_all("decide about the reranker")
        from pincite.eval.gate_reranker import gate_reranker

        verdict = gate_reranker(self)
        keep(self.path, verdict)
        return verdict

    def with_reranking(self, reranking: Reranking) -> Library:
        """This library, read with another reranker or none; to judge one before it takes part."""
        other = copy(self)
        other._reranking = reranking
        return other

    def with_index(self, index: Index) -> Library:
        """This library, read through another index; to judge one before it is taken up."""
        other = copy(self)
        other.index = index
        return other

    def with_embedder(self, embedder: Embedder) -> Library:
        """This library, searched with another model, which must answer; to judge one before it is taken up."""
        other = copy(self)
        other.model = FixedModel(self.catalog.models, embedder)
        other.config = self.config.model_copy(update={"dense": "required"})
        return other

    # --- helpers ----------------------------------------------------------------------------------------------

    def _require_owner(self, what: str) -> None:
        """Roles limit what is read; whoever has only roles may not do what touches everything."""
        if self.roles is not None:
            raise PermissionDenied(f"a caller limited to roles may not {what}; open the library without roles")

    def _require_all(self, what: str) -> None:
        """What concerns every tenant is done where the library is, not on behalf of one caller."""
        self._require_owner(what)
        if isinstance(self.catalog, LimitedCatalog):
            raise PermissionDenied(f"a caller of one organization may not {what}; use the command line")

    def _writable(self, repository: str) -> Scope:
        """A repository that may be written to, perhaps a new one. What exists beyond the caller's own is not told."""
        scope = self.scope(repository)
        if self._readable is not None and scope.repository not in self._readable:
            own = sorted(self._readable)
            raise PermissionDenied(
                f"you may not write to {scope.repository!r}; you may write to {', '.join(map(repr, own)) or 'none'}",
                field="repository_id",
                suggestions=own,
            )
        return scope

    def scope(self, repository: str = "") -> Scope:
        return Scope(self.config.tenant, self.config.organization, repository or self.config.repository)

    def _reader(self) -> Reader:
        reranking = self.reranking
        return Reader(
            self.catalog,
            self.index,
            self.config.keyword.scoring(),
            self.config.tenant,
            self.config.organization,
            self.roles,
            replace(self.config.retrieval.options(), reranker=reranking.pin),
            self._meaning(required=self.config.dense == "required"),
            reranking,
            self.config.retrieval.stated_ranks(),
            self._readable,
            self._default,
            self.config.telemetry.query_text,
        )

    def _meaning(self, *, required: bool) -> Meaning:
        """How the dense leg asks; the model itself is loaded by the first question that needs it."""
        if self.config.dense == "off":
            return Meaning(off="switched off (dense: off)")
        chosen = self.model.choose()
        if chosen.embedder is None and required:
            raise Unavailable(f"the dense leg is required and cannot answer: {chosen.note}")
        if chosen.embedder is None:
            return Meaning(off=chosen.note, note=chosen.note)
        deadline = self.config.retrieval.deadline_seconds
        loading = "" if required else self.model.loading
        said = f"the model {loading} is being loaded; ask again in a moment" if loading else ""
        return Meaning(chosen.embedder, "", required, deadline, self.lexicon, chosen.note, said)

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
        return resolve(
            self.catalog,
            scope,
            context,
            reached=reached,
            default=self._default,
            roles=self.roles,
            valid_at=in_force,
        )

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


def check_source(source: str | Path, *, may_be_gone: bool = False, allow_private: bool = False) -> None:
    """Raise what `ingest` would raise for a source that is not there, before a library is made for it."""
    open_source(source, may_be_gone=may_be_gone, allow_private=allow_private)


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
        config = load_config({**config.model_dump(exclude_unset=True), **settings})
    if not create and not has_library(config):
        raise NotFound(
            f"there is no library at {config.library!r}; make one with: pincite ingest FOLDER", field="library"
        )
    return Library(config, roles=roles)


def has_library(config: Config) -> bool:
    """Whether there is a library where the configuration says, whole or damaged."""
    return any((Path(config.library) / name).exists() for name in ("catalog.db", "index"))


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
