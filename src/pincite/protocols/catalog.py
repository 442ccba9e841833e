"""A catalog: the truth. One commit, one transaction, one revision.

Every reader and writer says for whom: every call takes a scope or a tenant, and a `Session` refuses any other than its
own. What spans tenants is the operator's, and exists only on an `Operator`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Literal, Protocol

from pincite.protocols.books import (
    ContextCache,
    EmbeddingModels,
    EmbeddingQueue,
    Sources,
    UsageLedger,
    Vectors,
    WholeQueue,
    WordVectors,
)
from pincite.protocols.server_state import ServerState
from pincite.types import (
    AliveState,
    Around,
    Baseline,
    Birth,
    Called,
    Callees,
    Commit,
    Committed,
    Content,
    CutVersion,
    Death,
    Definition,
    Derivation,
    Edges,
    ElementChange,
    Excerpt,
    Lifetime,
    LiveElement,
    Relation,
    RepositoryInfo,
    Revision,
    Scope,
    Tombstone,
    Version,
    View,
)


class Repositories(Protocol):
    def ensure(self, scope: Scope) -> RepositoryInfo:
        """The repository, created when it does not exist."""

    def get(self, scope: Scope) -> RepositoryInfo | None: ...

    def list(self, tenant: str, organization: str, names: Collection[str] | None = None) -> tuple[RepositoryInfo, ...]:
        """Repositories of one organization, by name; with `names` those of them that exist. Never those of another."""


class Commits(Protocol):
    def commit(self, scope: Scope, commit: Commit) -> Committed:
        """One transaction, one revision; creates the repository if needed.

        Changes nothing: no revision. Time is max(now, previous + 1 µs). Readers by id see it on return.

        What `commit.sources` says is remembered in the same transaction, also where it makes no revision. `Conflict`
        when an element belongs to another source, `HeadMoved` when the head is not the expected one; then nothing
        is changed.
        A commit seen before is a duplicate whatever head it expects, so it can be sent again.
        """

    def revision(self, scope: Scope, number: int) -> Revision | None: ...

    def revision_at(self, scope: Scope, time: int) -> Revision | None:
        """The last revision committed at or before `time`."""

    def revision_of_each(self, numbers: Mapping[Scope, int]) -> dict[Scope, Revision]:
        """`revision` of many repositories at once; those without one are left out."""

    def revision_of_each_at(self, scopes: Collection[Scope], time: int) -> dict[Scope, Revision]:
        """`revision_at` of many repositories at once; those that had none by then are left out."""

    def revisions(self, scope: Scope, *, limit: int = 100, before: int | None = None) -> tuple[Revision, ...]:
        """Newest first."""

    def purge(self, scope: Scope, element_ids: Sequence[str], *, reason: str = "", author: str = "") -> Committed:
        """Erase the elements from everything that the catalog stores, logs included; leave tombstones. One revision.

        Ids that do not exist raise `NotFound` and nothing is erased.
        """


class Elements(Protocol):
    def get(self, view: View, element_id: str) -> LiveElement | None:
        """The element as the view sees it; None when absent, dead, not in force or not for these roles."""

    def alive(self, scope: Scope, revision: int, element_ids: Collection[str]) -> dict[str, tuple[AliveState, ...]]:
        """All states of these elements that are alive at the revision, by id; for writing, not for readers.

        States of an element are in the order of their validity. What is not alive is left out.
        """

    def get_many(self, wanted: Mapping[View, Collection[str]]) -> dict[View, dict[str, LiveElement]]:
        """`get` of many elements at once, by view and id; those that a view does not see are left out."""

    def excerpts(
        self, wanted: Mapping[CutVersion, Collection[int]], *, names: bool = False
    ) -> dict[CutVersion, Excerpt]:
        """Versions with the chunks of these numbers, their definitions, and the chunks that hold them, all at once.

        What was erased is left out, as are chunks that do not exist. `names`: with what they are called.
        """

    def headers(self, wanted: Collection[CutVersion]) -> dict[CutVersion, Content]:
        """What many versions are, at once and without their texts: `Content.text` is empty."""

    def version(self, scope: Scope, element_id: str, version_id: str) -> Version | None:
        """A version by id, alive or not. `version_id` may be a unique prefix of at least 8 characters."""

    def derivation(self, scope: Scope, element_id: str, version_id: str, recipe: str = "") -> Derivation | None:
        """How a version was cut: by `recipe`, or most recently."""

    def history(self, scope: Scope, element_id: str) -> tuple[Lifetime, ...]:
        """All lifetimes, oldest first. Empty for an unknown or purged element."""

    def ids(self, view: View, *, prefix: str = "", after: str = "", limit: int | None = None) -> tuple[str, ...]:
        """Visible element ids in code-point order."""

    def diff(self, scope: Scope, old: int, new: int) -> tuple[ElementChange, ...]:
        """What `new` has that `old` has not, by element id."""

    def tombstone(self, scope: Scope, element_id: str) -> Tombstone | None: ...

    def tombstones(self, scope: Scope, element_ids: Collection[str]) -> dict[str, Tombstone]:
        """By id, those of the elements that were erased once; the last erasure of each."""


class Relations(Protocol):
    def of(self, view: View, element_id: str, direction: Literal["out", "in", "both"] = "both") -> tuple[Relation, ...]:
        """Relations alive at the view's revision whose source (and target, if known) the view may read."""

    def stated(
        self, scope: Scope, revision: int, *, element_ids: Collection[str] = (), relation_ids: Collection[str] = ()
    ) -> tuple[Relation, ...]:
        """Relations put by commits and alive at the revision, by id; for writing, not for readers.

        Those that start at one of the elements or lead to it, and those with one of the ids. What texts state
        (`Derivation.relations`) is not among them.
        """

    def of_many(self, wanted: Iterable[Around]) -> tuple[Edges, ...]:
        """Relations of many ids at once: those that start at one of `sources`, those that lead to one of `targets`."""

    def called(self, wanted: Iterable[Called]) -> tuple[Callees, ...]:
        """Which ids are elements that the view may read, and `resolve` of many identifiers; all at once."""

    def definitions(self, view: View, term: str) -> tuple[tuple[str, str, Definition], ...]:
        """(element id, version id, definition) for a term, compared without case and accents."""

    def terms(self, view: View) -> tuple[str, ...]:
        """The terms that something visible defines, as first written, each once, in order."""

    def resolve(self, view: View, identifier: str) -> tuple[tuple[str, str], ...]:
        """(element id, section id) pairs that an alias names, compared without case, accents and white space."""


class Baselines(Protocol):
    def create(
        self, scope: Scope, name: str, *, revision: int | None = None, author: str = "", note: str = ""
    ) -> Baseline:
        """Name a revision (default: head). A name in use is a `Conflict`, an unknown revision `NotFound`."""

    def get(self, scope: Scope, name: str) -> Baseline | None: ...

    def list(self, scope: Scope) -> tuple[Baseline, ...]:
        """Oldest first."""

    def of_each(self, scopes: Collection[Scope], name: str | None) -> dict[Scope, Baseline]:
        """The baseline of that name in each repository that has one; with None, the published one of each."""

    def publish(self, scope: Scope, name: str, *, author: str = "") -> Baseline:
        """Point `published` at the baseline."""

    def rollback(self, scope: Scope, *, author: str = "") -> Baseline:
        """Point `published` at what it pointed to before; a second rollback goes one further back."""

    def published(self, scope: Scope) -> Baseline | None: ...


class Feed(Protocol):
    """What an index reads to roll forward from one revision to another."""

    def births(self, scope: Scope, after: int, upto: int) -> Iterator[Birth]:
        """Lifetimes with after < born <= upto, in order of birth, streamed; `died` as known at `upto`."""

    def deaths(self, scope: Scope, after: int, upto: int) -> Iterator[Death]:
        """Lifetimes with born <= after and after < died <= upto."""

    def erased(self, scope: Scope, since: int) -> frozenset[str]:
        """`erasure_key`s of elements erased by purges number `since` + 1 and later."""


class Session(Protocol):
    """The parts of a catalog for one tenant, in one state: what is committed after its beginning does not show.

    Whatever names another tenant raises `PermissionDenied`. It may be handed to another thread; threads take turns.
    Writes are transactions of their own, as without a session: they last also when the session ends in an error, and
    its reads do not see them. Once it has ended, or its catalog is closed, every call raises `Unavailable`.
    """

    @property
    def library_id(self) -> str: ...
    @property
    def repositories(self) -> Repositories: ...
    @property
    def commits(self) -> Commits: ...
    @property
    def elements(self) -> Elements: ...
    @property
    def relations(self) -> Relations: ...
    @property
    def baselines(self) -> Baselines: ...
    @property
    def feed(self) -> Feed: ...
    @property
    def vectors(self) -> Vectors: ...
    @property
    def queue(self) -> EmbeddingQueue: ...
    @property
    def contexts(self) -> ContextCache: ...
    @property
    def words(self) -> WordVectors: ...
    @property
    def usage(self) -> UsageLedger: ...
    @property
    def sources(self) -> Sources: ...

    def session(self, tenant: str) -> AbstractContextManager[Session]:
        """A session of the tenant. Asked of a catalog, one of its own; asked of a session, the same state again."""


class AllRepositories(Repositories, Protocol):
    def all(self) -> tuple[RepositoryInfo, ...]:
        """Every repository of every tenant, by scope; for upkeep (indexing, backup, doctor), never for answers."""


class Operator(Session, Protocol):
    """The operator's session: the parts for every tenant, and what concerns the library as a whole.

    Never for answers, and never given to a caller.
    """

    @property
    def repositories(self) -> AllRepositories: ...
    @property
    def queue(self) -> WholeQueue: ...
    @property
    def models(self) -> EmbeddingModels: ...


class Catalog(Session, Protocol):
    """The truth. Its parts share one store; a call outside a session is a transaction of its own."""

    @property
    def server(self) -> ServerState:
        """What a server keeps: keys, jobs, replies. The operator's, and never part of a session."""

    def operator(self) -> AbstractContextManager[Operator]:
        """A session of the operator's, in one state."""

    def traces_pending(self) -> bool:
        """Whether what was erased may still lie in free space or logs that a reader holds; opening tries again."""

    def upkeep(self) -> None:
        """Do what is due in the background: remove traces that readers held, tidy up. Never changes an answer."""

    def backup(self, folder: Path) -> None:
        """Write a consistent copy into a folder while others write; the engine's `restore` makes a catalog of it.

        What a server keeps (API keys, jobs, replies) is left out: a copy of a library has none of them.
        """

    def check(self) -> tuple[str, ...]:
        """What is damaged, in words; empty when sound."""

    def close(self) -> None:
        """Release the store. Calls under way are completed; later ones raise `Unavailable`."""
