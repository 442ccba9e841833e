"""What a caller asks, checked; and what it gets back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any, Literal, NamedTuple, get_args

from pincite.advice import either
from pincite.catalog.resolve import parse_date, require_repositories
from pincite.errors import InvalidArgument, UnknownArgument
from pincite.meaning import Calibration
from pincite.protocols import Embedder, Index, Lexicon, OpenKinds, Session
from pincite.queries import Matched, Scoring
from pincite.search.reranking import Reranking
from pincite.search.rrf import Ranks
from pincite.search.understood import Understood
from pincite.search.weights import RankingOptions
from pincite.types import Content, JsonValue, Lifetime, ReadContext, RepositoryInfo, Scope, Span

Mode = Literal["hybrid", "semantic", "keyword", "exact"]
Group = Literal["element", "chunk"]
Sort = Literal["relevance", "date_desc", "date_asc"]
Absence = Literal["no_match", "not_indexed_yet", "not_in_this_snapshot", "erased", "leg_unavailable"]
FilterValue = str | int | float | bool | list[str]

MAX_QUERY = 4_000
CONDENSE_FROM = 500
MAX_LIMIT = 100
MAX_PASSAGES = 5


_KINDS: dict[str, Any] = {
    "text": str, "limit": int, "passages": int, "min_score": int | float, "valid_at": str, "filters": Mapping,
    "cursor": str,
}  # fmt: skip
_WORDS = {
    "limit": "a whole number", "passages": "a whole number", "min_score": "a number",
    "filters": "a mapping of names to values",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Query:
    """A search, as asked. Everything but the text has a default."""

    text: str
    repositories: tuple[str, ...] = ()
    """Names; empty: all that the caller may read in the organization."""
    mode: Mode = "hybrid"
    limit: int = 10
    min_score: float = 0.0
    read_context: ReadContext | None = None
    valid_at: str = ""
    filters: Mapping[str, FilterValue] = field(default_factory=dict)
    cursor: str = ""
    group: Group = "element"
    passages: int = 3
    """How many passages of an element to show, the hit's own included."""
    sort: Sort = "relevance"
    exact: bool = False
    """Force full scans; the keyword and exact legs always are."""
    explain: bool = False

    def __post_init__(self) -> None:
        for name, kind in _KINDS.items():
            if not isinstance(getattr(self, name), kind) or isinstance(getattr(self, name), bool):
                given = getattr(self, name)
                raise InvalidArgument(f"{name} must be {_WORDS.get(name, 'a text')}, not {given!r}", field=name)
        if not self.text.strip():
            raise InvalidArgument("the query is empty; say what to look for", field="query")
        if len(self.text) > MAX_QUERY:
            raise InvalidArgument(
                f"the query has {len(self.text):,} characters, at most {MAX_QUERY:,} are allowed; ask for the point in"
                f" question, or verify a long quote{either(' with: pincite verify', '')}",
                field="query",
            )
        if not 1 <= self.limit <= MAX_LIMIT:
            raise InvalidArgument(f"limit (top_k) must be 1 to {MAX_LIMIT}, not {self.limit}", field="top_k")
        if not 1 <= self.passages <= MAX_PASSAGES:
            raise InvalidArgument(f"passages must be 1 to {MAX_PASSAGES}, not {self.passages}", field="passages")
        if not 0 <= self.min_score <= 1:
            raise InvalidArgument(f"min_score must be 0 to 1, not {self.min_score}", field="min_score")
        for name, value, known in (
            ("mode", self.mode, get_args(Mode)),
            ("group", self.group, get_args(Group)),
            ("sort", self.sort, get_args(Sort)),
        ):
            if value not in known:
                raise UnknownArgument.named(name, str(value), known, field=name)


def day(text: str, field: str) -> date:
    """The day that a field of a query holds; an unreadable one is an error that names the field."""
    try:
        return parse_date(text)
    except InvalidArgument as error:
        raise InvalidArgument(f"{field}: {error.message}", field=field) from None


@dataclass(frozen=True, slots=True)
class Meaning:
    """How the dense leg asks: with which model, and how long it may take."""

    embedder: Embedder | None = None
    off: str = "this library has no vectors"
    """Why there is no embedder."""
    required: bool = False
    """An answer without the dense leg is an error rather than a note."""
    deadline_seconds: float = 5.0
    lexicon: Lexicon | None = None
    """Where related words are looked up."""
    note: str = ""
    """What every answer says about the choice of the model."""
    loading: str = ""
    """Why the embedder is not asked yet: it is being loaded, and the other legs answer meanwhile."""
    said: Understood | None = None
    """What the model said when the question was asked before: it is not asked again."""

    @property
    def fingerprint(self) -> str:
        if self.said is not None:
            return self.said.fingerprint
        return self.embedder.fingerprint if self.embedder else ""

    @property
    def calibration(self) -> Calibration | None:
        if self.said is not None:
            return self.said.calibration
        return self.embedder.calibration if self.embedder else None

    @property
    def name(self) -> str:
        """Of the model, as far as it is known."""
        return self.embedder.name if self.embedder else self.fingerprint

    def as_said(self, said: Understood, embedder: Embedder | None) -> Meaning:
        """The same question again; the model is there for explanations, if at all."""
        note = self.note if self.fingerprint == said.fingerprint else ""
        return replace(self, said=said, embedder=embedder, off="", note=note, loading="")


@dataclass(frozen=True, slots=True)
class Reader:
    """Who asks, and of what: everything that a search needs besides the question."""

    catalog: Session
    index: Index
    scoring: Scoring
    tenant: str
    organization: str
    roles: frozenset[str] | None = None
    ranking: RankingOptions = field(default_factory=RankingOptions)
    meaning: Meaning = field(default_factory=Meaning)
    reranking: Reranking = field(default_factory=Reranking)
    ranks: Ranks | None = None
    """Stated weights for reciprocal ranks, in place of `ranking`'s."""
    readable: frozenset[str] | None = None
    """Repositories that the caller may know of; None: all of the organization. The catalog holds no others for it."""
    default: Literal["head", "published"] = "head"
    """What is read where a question names no state."""
    kinds: OpenKinds = field(default_factory=OpenKinds)
    """What they recognise in a question, which relations they have, which signals they add."""
    query_text_in_spans: bool = False
    """Whether traces may hold what is asked and what was found; `telemetry.py` says why not by default."""

    @property
    def caller(self) -> tuple[object, ...]:
        """Whom an answer is for, as a cursor remembers it."""
        roles = None if self.roles is None else sorted(self.roles)
        limits = () if self.readable is None else (sorted(self.readable),)
        return (self.tenant, self.organization, roles, *limits)

    def repositories(self, names: Sequence[str]) -> list[RepositoryInfo]:
        """The named repositories in that order, or all of the organization. An unknown name is `NotFound`."""
        return require_repositories(self.catalog, self.tenant, self.organization, names)


@dataclass(frozen=True, slots=True)
class LegReport:
    """What one way of finding did for this answer."""

    name: str
    status: Literal["ok", "partial", "off", "unavailable"]
    candidates: int = 0
    ms: float = 0.0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Passage:
    """A place in a version, read from the catalog."""

    scope: Scope
    element_id: str
    version_id: str
    lifetime: Lifetime | None
    content: Content
    text: str
    span: Span | None
    citation: str
    chunk: int | None = None
    section_id: str = ""
    parent_chain: tuple[str, ...] = ()
    chunk_type: str = "content"
    language: str = ""
    page: int | None = None
    context: str = ""


class LegScore(NamedTuple):
    """Where a leg ranked a hit and what it gave; of every candidate, so it must be made fast."""

    rank: int
    score: float
    raw: float
    chunk: int
    """The passage that the leg chose, which may be another of the same element."""
    matched: tuple[Matched, ...] = ()
    window: int = -1
    """Dense leg: which stretch of the passage is nearest, 0 for the whole."""
    window_text: str = ""
    """Its words as the model read them, under their headings; where an explanation was asked for."""
    elsewhere: float = 0.0
    """Keyword leg: the part of `raw` that words in other passages of the element add."""


@dataclass(frozen=True, slots=True)
class Scored:
    """A passage of a hit's element, with what the query gives to it alone."""

    passage: Passage
    score: float
    legs: Mapping[str, float]
    """Bounded scores of the legs that found it."""


@dataclass(frozen=True, slots=True)
class DefinedTerm:
    """What a document says a term means, and where."""

    term: str
    text: str
    citation: str
    scope: str
    """`document`, `part` or `section`."""
    within: tuple[str, ...] = ()
    """The headings below which it holds, outermost first; empty for the whole document."""


@dataclass(frozen=True, slots=True)
class Hit:
    passage: Passage
    score: float
    legs: Mapping[str, LegScore]
    read_context: Mapping[str, object]
    signals: Mapping[str, float] = field(default_factory=dict)
    """What each signal added to the score."""
    passages: tuple[Scored, ...] = ()
    """The element's best passages, the hit's own first; empty where every passage is a hit of its own."""
    definitions: tuple[DefinedTerm, ...] = ()
    """What the element says the terms of the hit's own passage mean."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The hits, and everything that a reader needs to trust them."""

    hits: tuple[Hit, ...]
    read_contexts: tuple[Mapping[str, object], ...]
    legs: tuple[LegReport, ...]
    total: int
    total_is_lower_bound: bool
    next_cursor: str = ""
    replay: Mapping[str, JsonValue] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    absence: Absence | Literal[""] = ""
    """Why there are no hits."""
