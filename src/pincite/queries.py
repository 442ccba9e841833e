"""What the read spine asks of an index and what comes back."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray
from pydantic import Field
from pydantic import dataclasses as checked

from pincite.fields import STRUCTURAL
from pincite.meaning import Calibration
from pincite.options import CLOSED
from pincite.types import Scope

# --- the words of a query, as a small tree --------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Word:
    """One word as typed; the index analyses it in every language that is visible."""

    text: str
    field: str = ""
    stop: bool = False
    """A function word of the query's language: scored only if nothing else is left."""
    weight: float = 1.0
    """Share of its worth that counts: less than 1 for a word that stands in for another."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words side by side, compared without case and accents."""

    text: str
    field: str = ""
    weight: float = 1.0
    """Share of its worth that counts: less than 1 for a phrase whose words are searched one by one as well."""


@dataclass(frozen=True, slots=True)
class Prefix:
    """All words that begin like this."""

    text: str
    field: str = ""


@dataclass(frozen=True, slots=True)
class All:
    """Every part must match."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Some:
    """One part must match; more score higher."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Maybe:
    """Scored where it matches, never required."""

    part: Node


@dataclass(frozen=True, slots=True)
class Not:
    part: Node


Node: TypeAlias = Word | Phrase | Prefix | All | Some | Maybe | Not


# --- filters --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class OneOf:
    """The field holds one of the values."""

    field: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Between:
    """The field's value lies in the range (both ends included, "" is open), compared as strings: ISO dates sort."""

    field: str
    low: str = ""
    high: str = ""


Filter: TypeAlias = OneOf | Between


# --- questions ------------------------------------------------------------------------------------------------


Boost = Annotated[float, Field(ge=0, le=100)]


@checked.dataclass(frozen=True, slots=True, config=CLOSED)
class Scoring:
    """BM25 over combined fields, with a boost for each. Document tools have k1 1.5 unless they state their own."""

    k1: float = Field(default=1.2, ge=0, le=10)
    b: float = Field(default=0.75, ge=0, le=1)
    boosts: Mapping[str, Boost] = Field(default_factory=dict, examples=[dict(STRUCTURAL)])
    """How much a word counts by the field that it stands in, where that is not the field's own measure (`boost`)."""
    literal: float = Field(default=0.2, ge=0, le=1)
    """What a word adds, as a share of its worth, where it stands as typed and not only as a stem; 0 is plain BM25."""
    elsewhere: float = Field(default=0.3, ge=0, le=1)
    """What a word of a long query adds, as a share of its worth, where another passage of the element holds more of it
    than the best passage does; 0 looks at the best passage alone."""

    def boost(self, name: str) -> float:
        """How much a word counts in a field: nothing in one that neither every passage has nor `boosts` names."""
        return self.boosts.get(name, STRUCTURAL.get(name, 0.0))


LONG_QUERY = 12
"""Words up to which a query asks for one thing, which one passage answers; a longer text asks for several."""


@dataclass(frozen=True, slots=True)
class Among:
    """Only chunks of these elements: the best of each, every one scored. Filters and statistics stay as they are."""

    elements: frozenset[tuple[Scope, str]]
    each: int
    """How many chunks of one element to return, at most; `depth` and `group` of the query do not count."""


@dataclass(frozen=True, slots=True)
class WordQuery:
    words: Node
    filters: tuple[Filter, ...] = ()
    depth: int = 200
    """How many groups to return; ties at the last place are cut by id."""
    group: Literal["element", "chunk"] = "element"
    scoring: Scoring = field(default_factory=Scoring)
    max_words: int | None = None
    """Keep only the rarest words of a long query; the ranking says so."""
    expected: int | None = None
    """How many of the words, those worth most, make a full score; None for all. For words that stand in for others."""
    ever: bool = False
    """Also rows that died: where may a quote have come from? Such answers have no read context."""
    explained: int = 0
    """For how many leading groups to say which words matched."""
    among: Among | None = None
    prepared: object = field(default=None, compare=False, repr=False)
    """What an engine worked out when it was asked the same before; another one's, or an outdated one, means nothing."""


@dataclass(frozen=True, slots=True)
class IdentifierQuery:
    identifiers: tuple[str, ...]
    filters: tuple[Filter, ...] = ()
    depth: int = 200
    group: Literal["element", "chunk"] = "element"


@dataclass(frozen=True, slots=True)
class VectorQuery:
    vector: tuple[int, ...]
    """The question in fixed point: each component of its unit vector times `fixed.FIXED`, rounded."""
    fingerprint: str
    """Of the model; only vectors of the same one are compared."""
    calibration: Calibration
    filters: tuple[Filter, ...] = ()
    depth: int = 200
    group: Literal["element", "chunk"] = "element"
    exact: bool = False
    """Scan every vector instead of the cascade."""
    among: Among | None = None
    """Such a ranking has neither background nor windows: it is asked for scores."""


# --- answers --------------------------------------------------------------------------------------------------


class Found(NamedTuple):
    """A chunk that a leg found. Order: score, then element id, version id, chunk number.

    A named tuple: an answer is made of hundreds, and these are made several times faster than frozen dataclasses.
    """

    scope: Scope
    element_id: str
    version_id: str
    recipe: str
    lifetime_id: int
    chunk: int
    score: float
    """Bounded: 0 to 1."""
    raw: float
    """The leg's own scale (BM25, …)."""
    matched: tuple[Matched, ...] = ()
    window: int = -1
    """Dense leg: which of the passage's vectors is nearest, 0 for that of the whole; -1 where that is not said."""
    elsewhere: float = 0.0
    """Keyword leg: the part of `raw` that words in other passages of the element add."""


@dataclass(frozen=True, slots=True)
class Matched:
    """What one word of the query contributed to a hit."""

    word: str
    terms: tuple[str, ...]
    """Index terms that stand for it among the visible languages."""
    idf: float
    share: float
    """Its part of the raw score."""
    df: int


Group: TypeAlias = Literal["element", "chunk"]
GroupKey: TypeAlias = tuple[Any, ...]
"""What finds of one group share: the number of the scope and the element; of a chunk also its version and number."""


class Finds(Sequence[Found]):
    """Finds in columns, best first: scores and groups are read all at once, a `Found` is made of what is looked at.

    An engine that has its finds in arrays gives these; for every other a tuple will do. Equal to a tuple of the same.
    """

    @property
    @abstractmethod
    def scores(self) -> NDArray[np.float64]: ...

    @abstractmethod
    def groups(self, group: Group, numbers: dict[Scope, int]) -> list[GroupKey]:
        """The group of each find; scopes get their numbers, and new ones the next."""

    @abstractmethod
    def made(self, at: int) -> Found:
        """One of them; `at` is not negative."""

    @overload
    def __getitem__(self, at: int) -> Found: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Found, ...]: ...
    def __getitem__(self, at: int | slice) -> Found | tuple[Found, ...]:
        if isinstance(at, slice):
            return tuple(self.made(place) for place in range(len(self))[at])
        return self.made(range(len(self))[at])

    def __iter__(self) -> Iterator[Found]:
        return (self.made(at) for at in range(len(self)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and len(self) == len(other) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))

    def __reduce__(self) -> tuple[object, ...]:
        """Elsewhere, where the columns are not, the finds themselves."""
        return tuple, (tuple(self),)


class Listed(Finds):
    """Finds that were made already."""

    def __init__(self, found: Sequence[Found]) -> None:
        self._found = found

    def __len__(self) -> int:
        return len(self._found)

    @property
    def scores(self) -> NDArray[np.float64]:
        return np.array([found.score for found in self._found], np.float64)

    def groups(self, group: Group, numbers: dict[Scope, int]) -> list[GroupKey]:
        return [group_key(found, group, numbers) for found in self._found]

    def made(self, at: int) -> Found:
        return self._found[at]


def group_key(found: Found, group: Group, numbers: dict[Scope, int]) -> GroupKey:
    """The group of one find, as `Finds.groups` says it."""
    number = numbers.setdefault(found.scope, len(numbers))
    if group == "element":
        return number, found.element_id
    return number, found.element_id, found.version_id, found.chunk


@dataclass(frozen=True, slots=True)
class Background:
    """How near the passages that a caller may read are to a question, taken together."""

    mean: float
    deviation: float
    count: int
    """Over how many passages it was taken …"""
    among: int
    """… of how many that have vectors."""


@dataclass(frozen=True, slots=True)
class Ranking:
    leg: str
    found: Sequence[Found] = ()
    """Best first."""
    total: int = 0
    """Distinct groups that match."""
    total_is_lower_bound: bool = False
    status: Literal["ok", "partial", "off", "unavailable"] = "ok"
    reason: str = ""
    notes: tuple[str, ...] = ()
    """What was done to the query: condensed, split, ignored."""
    background: Background | None = None
    """Dense leg: what a passage's cosine must stand out of …"""
    calibration: Calibration | None = None
    """… and what cosines of its model mean."""
    asked: WordQuery | VectorQuery | None = field(default=None, compare=False, repr=False)
    """The question, ready to be put again about less."""


@dataclass(frozen=True, slots=True)
class SegmentStatus:
    name: str
    chunks: int
    dead: int
    bytes: int
    history: bool


@dataclass(frozen=True, slots=True)
class IndexStatus:
    """What an index holds for a repository, and how far behind it is."""

    engine: str
    generation: str
    revision: int
    head: int
    chunks: int
    """Rows alive at the revision reached."""
    analyser: str
    segments: Sequence[SegmentStatus] = ()
    problem: str = ""


# --- what an engine promises ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class IndexFeatures:
    """What an engine promises, as data. What is not declared is not promised: no query asks it of the engine.

    `search/promises.py` says what becomes of a question that needs more.
    """

    replay: bool
    """An answer at a revision never changes, whatever is written, merged or rebuilt since."""
    score_isolation: bool
    """No score depends on what the caller may not read: other scopes, other roles, what is not in force."""
    phrases: bool = False
    """`Phrase`."""
    prefixes: bool = False
    """`Prefix`."""
    scoring: bool = False
    """All of `Scoring` counts. Without it only the boosts do: k1 and b are the engine's own, and neither words as typed
    (`literal`) nor words elsewhere in an element (`elsewhere`) add anything."""
    stand_ins: bool = False
    """Words that stand in for others: `Word.weight` below 1, and `WordQuery.expected`."""
    condenses: bool = False
    """`WordQuery.max_words`: only the rarest words of a long query are searched."""
    explains: bool = False
    """`WordQuery.explained`: which words matched, and what each added."""
    ever: bool = False
    """`WordQuery.ever`: rows that died are found too."""
    among: bool = False
    """`among` of both legs: the best chunks of some elements."""
    dense: bool = False
    """The engine has vectors."""
    fields: bool = False
    """Fields that a kind adds have boosts of their own and can be asked for by name. Without it their words count as
    words of `content`, where they are found by any name that is not a structural field."""
    exact_scan: bool = False
    """`VectorQuery.exact`: every vector that may be read is scored, none is left out."""
