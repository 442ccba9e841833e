"""What every part of an open library uses: its catalog, index, models, and the caller."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import replace
from datetime import date
from types import TracebackType
from typing import Literal, Self

from pincite.catalog.limited import LimitedCatalog
from pincite.catalog.open import shown
from pincite.catalog.resolve import AskedState, Resolved, require_repositories, require_repository, resolve_each
from pincite.citation import SCHEME, Citation
from pincite.errors import (
    Locked,
    NotFound,
    PermissionDenied,
    PinciteError,
    StorageFull,
    Unavailable,
)
from pincite.index.lexicon import FolderLexicon
from pincite.ingest.contexts import Contexts
from pincite.ingest.embed_worker import EmbedWorker
from pincite.kinds.open import open_kinds
from pincite.models.in_use import ModelInUse
from pincite.models.registry import open_reranker
from pincite.protocols import Catalog, Embedder, Index, OpenKinds, Reranker, Session
from pincite.protocols.kind import Described
from pincite.queries import Scoring
from pincite.search.query import Meaning, Passage, Reader, day
from pincite.search.reranking import Reranking
from pincite.settings import Config
from pincite.types import Chunk, ReadContext, RepositoryInfo, Scope
from pincite.upkeep.merging import merge_due
from pincite.upkeep.reranker_gate import reranking_of
from pincite.upkeep.stores import WORDS, catalog_of, folder_of, has_catalog, index_of, require_catalog

WAIT_SECONDS = 60.0
"""How long a search waits for another writer to finish the revision it needs."""


class OpenLibrary:
    """The state of an open library, and what it may read and write."""

    def __init__(self, config: Config, *, roles: Sequence[str] | None = None) -> None:
        self.config = config
        require_catalog(config)
        self.path = folder_of(config)
        """Where this machine keeps what it computes from the catalog."""
        self.is_new = not has_catalog(config)
        self.roles = None if roles is None else frozenset(roles)
        """This object reads what these roles may read; None: everything."""
        self._readable: frozenset[str] | None = None
        self._author = ""
        self._default: Literal["head", "published"] = "head"
        self._home = self
        """The library that was opened; copies for callers share its threads and models."""
        self._guard = threading.RLock()
        self.catalog: Catalog = catalog_of(config)
        self.index: Index = index_of(config, self.catalog)
        self.lexicon = FolderLexicon(self.path / WORDS, self.catalog)
        stated = "embedding" in config.model_fields_set and "model" in config.embedding.model_fields_set
        self.model = ModelInUse(self.catalog, config.embedding.model, stated=stated, threads=config.embedding.threads)
        self._kinds: OpenKinds | None = None
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

    def _stop_embedding(self) -> None:
        with self._guard:
            worker, self._home._worker = self._home._worker, None
        if worker is not None:
            worker.stop()
            worker.wait()

    @contextmanager
    def _contexts(self) -> Iterator[Contexts | None]:
        """The context writer for one ingest; None if no model is configured."""
        settings = self.config.context_model
        if not (self.config.contextual_embeddings and settings.model):
            yield None
            return
        from pincite.models.contexts.writer import HttpContextWriter

        key, missing = settings.api_key()
        with closing(HttpContextWriter(settings.ready(), key, missing_key=missing)) as writer:
            yield Contexts(writer, settings.budget_usd)

    @property
    def embedder(self) -> Embedder:
        """The model of the dense leg: the one that the library was switched to, otherwise the one in the settings."""
        chosen = self.model.choose()
        if chosen.embedder is None:
            raise Unavailable(chosen.note)
        return chosen.embedder

    @property
    def kinds(self) -> OpenKinds:
        """All kinds of sources that there are here, opened by the first that asks."""
        with self._guard:
            if self._home._kinds is None:
                self._home._kinds = open_kinds(self.config.kind_settings)
            return self._home._kinds

    def describe(self, passage: Passage) -> Described:
        """How a place is written for people, and what its kind says of it on the wire."""
        chunk = None
        if passage.chunk is not None:
            chunk = Chunk(
                passage.chunk, passage.span, None if passage.span else passage.text, passage.section_id,
                passage.parent_chain, passage.chunk_type, passage.language, passage.page, passage.context,
            )  # fmt: skip
        return self.kinds.describe(passage.content, chunk)

    def repositories(self) -> tuple[RepositoryInfo, ...]:
        """Repositories of the organization."""
        return self.catalog.repositories.list(self.config.tenant, self.config.organization)

    @property
    def address(self) -> str:
        """Where the library is, a folder or an address, without a password."""
        return shown(self.config.library)

    def scope(self, repository: str = "") -> Scope:
        return Scope(self.config.tenant, self.config.organization, repository or self.config.repository)

    def every_repository(self) -> tuple[RepositoryInfo, ...]:
        """Repositories of every tenant, for upkeep; for a caller, those of its organization that it may see."""
        if isinstance(self.catalog, LimitedCatalog):
            return self.repositories()
        with self.catalog.operator() as operator:
            return operator.repositories.all()

    @property
    def scoring(self) -> Scoring:
        """How words are weighed: as the settings say, and in the fields of kinds as those declare."""
        stated = self.config.keyword
        return replace(stated, boosts={**self.kinds.fields, **stated.boosts})

    def _reader(self) -> Reader:
        reranking = self.reranking
        return Reader(
            self.catalog,
            self.index,
            self.scoring,
            self.config.tenant,
            self.config.organization,
            self.roles,
            replace(self.config.retrieval.options(), reranker=reranking.pin),
            self._meaning(required=self.config.dense == "required"),
            reranking,
            self.config.retrieval.stated_ranks(),
            self._readable,
            self._default,
            self.kinds,
            self.config.telemetry.query_text,
        )

    def _meaning(self, *, required: bool) -> Meaning:
        """How the dense leg works; the model itself is loaded by the first question that needs it."""
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
        """Bring the index up to date if nobody else is doing so; otherwise the answer says how far it is.

        It waits for another writer only if a particular revision is needed.
        """
        for info in self._named(self.catalog, names):
            reached = self.index.reached(info.scope)
            if reached < info.head:
                waits = reached < wait_for
                try:
                    self.index.advance(info.scope, wait_seconds=WAIT_SECONDS if waits else 0)
                except (Locked, StorageFull, PermissionError):
                    if waits:
                        raise

    def _named(self, catalog: Session, names: Sequence[str]) -> list[RepositoryInfo]:
        """The named repositories in that order, or all of the organization. An unknown name is `NotFound`."""
        return require_repositories(catalog, self.config.tenant, self.config.organization, names)

    def _session(self) -> AbstractContextManager[Session]:
        """One state of the catalog for the caller."""
        return self.catalog.session(self.config.tenant)

    def _resolve(
        self, session: Session, scope: Scope, context: ReadContext | None, valid_at: str | date, *, by_id: bool = False
    ) -> Resolved:
        """`by_id`: reads by id see a commit at once; searches see what the index has reached."""
        return self._resolve_each(session, [require_repository(session, scope)], context, valid_at, by_id=by_id)[0]

    def _resolve_each(
        self,
        session: Session,
        repositories: Sequence[RepositoryInfo],
        context: ReadContext | None,
        valid_at: str | date,
        *,
        by_id: bool = False,
    ) -> list[Resolved]:
        """`_resolve` of many repositories at once."""
        in_force = day(valid_at, "valid_at") if isinstance(valid_at, str) and valid_at else valid_at or None
        assert not isinstance(in_force, str)
        asked = [
            AskedState(info, context, info.head if by_id else self.index.reached(info.scope), in_force)
            for info in repositories
        ]
        return resolve_each(session, asked, default=self._default, roles=self.roles)

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
        """The element of a citation or id. A citation of another organization is treated as if it did not exist."""
        if not given.startswith(SCHEME):
            return self.scope(repository), given, None
        cited = Citation.parse(given)
        if not self._is_mine(cited.scope):
            raise NotFound(f"there is no {cited.element_id!r} in {cited.scope.repository!r}", field="citation")
        return cited.scope, cited.element_id, cited

    def _require_owner(self, what: str) -> None:
        """Refuse callers limited to roles: the operation affects more than they may read."""
        if self.roles is not None:
            raise PermissionDenied(f"a caller limited to roles may not {what}; open the library without roles")

    def _require_all(self, what: str) -> None:
        """Refuse callers of one organization: the operation affects every tenant."""
        self._require_owner(what)
        if isinstance(self.catalog, LimitedCatalog):
            raise PermissionDenied(f"a caller of one organization may not {what}; use the command line")

    def _writable(self, repository: str) -> Scope:
        """A repository that may be written to, perhaps a new one. Errors reveal only the caller's own repositories."""
        scope = self.scope(repository)
        if self._readable is not None and scope.repository not in self._readable:
            own = sorted(self._readable)
            raise PermissionDenied(
                f"you may not write to {scope.repository!r}; you may write to {', '.join(map(repr, own)) or 'none'}",
                field="repository_id",
                suggestions=own,
            )
        return scope

    @property
    def reranking(self) -> Reranking:
        """The reranker and whether it is used; the model is loaded by the first question."""
        return self._reranking or reranking_of(self.config, self._home.catalog, self._open_reranker)

    def _open_reranker(self) -> Reranker:
        home = self._home
        with self._guard:
            if home._reranker is None:
                home._reranker = open_reranker(self.config.reranker.model, threads=self.config.reranker.threads)
            return home._reranker

    @property
    def is_at_home(self) -> bool:
        """Whether this is the tenant and organization of the settings, not those of another caller."""
        own = self._home.config
        return (self.config.tenant, self.config.organization) == (own.tenant, own.organization)

    def _merge_in_background(self, scope: Scope) -> None:
        home = self._home

        def work() -> None:
            # Failures are reported by status and doctor; answers do not depend on merges.
            home._upkeep_problem = merge_due(home.config, home.index, scope)
            try:
                home.catalog.upkeep()
            except PinciteError as problem:
                home._upkeep_problem = problem.message

        with self._guard:
            if home._upkeep is not None and home._upkeep.is_alive():
                return
            home._upkeep = threading.Thread(target=work, name="pincite-merge")
            home._upkeep.start()

    def embed_in_background(self) -> None:
        """Start embedding in the background; `close` stops it, and waiting texts stay queued."""
        if self.config.dense == "off":
            return
        home, embedder = self._home, self.embedder
        # Callers of several tenants share one worker; with separate ones, each would stop the others'.
        infos = home.repositories() if self is home else home.every_repository()
        scopes = tuple(info.scope for info in infos)
        with self._guard:
            if home._worker is None or home._worker.scopes != scopes or home._worker.embedder is not embedder:
                self._stop_embedding()
                home._worker = EmbedWorker(home.catalog, home.index, scopes, embedder, lexicon=home.lexicon)
            home._worker.start()
