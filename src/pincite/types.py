"""The nouns of Pincite: what is stored, what is read, what is cited.

Everything here is frozen data. Offsets are Unicode code points of the unmodified stored text, intervals are
half-open (`start <= x < end`), times are microseconds since 1970 UTC, dates are `datetime.date`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Literal, NamedTuple, TypeAlias

from pincite.bookkeeping import SourceChange

JsonValue: TypeAlias = "str | int | float | bool | list[JsonValue] | dict[str, JsonValue] | None"

FOREVER: int = 2**62
"""The `died` of something that is still alive."""


@dataclass(frozen=True, slots=True, order=True)
class Scope:
    """Where a body of knowledge lives. A single user never types any of it."""

    tenant: str = "default"
    organization: str = "default"
    repository: str = "main"


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of the stored text, in code points."""

    start: int
    end: int


# --- what a commit carries ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Content:
    """The canonical content of a version; its hash is the version's id."""

    kind: str
    """Which kind of source it is: `document`, `decision`, `archimate`, `tool`."""
    element_type: str
    name: str
    text: str
    """The unmodified source text that spans point into ("" for elements without one)."""
    language: str = ""
    """ISO 639-1 code; "" when unknown."""
    metadata: Mapping[str, JsonValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage of a version. Either a span of the stored text or, when generated, its rendered text."""

    number: int
    """Position in the version, from 0, without gaps."""
    span: Span | None = None
    rendered: str | None = None
    section_id: str = ""
    parent_chain: tuple[str, ...] = ()
    """The headings above the passage, outermost first, its own heading last."""
    chunk_type: str = "content"
    language: str = ""
    page: int | None = None
    context: str = ""
    """Text that situates the passage and feeds the legs; never cited, never part of a span."""
    fields: tuple[tuple[str, str], ...] = ()
    """Further texts by which it is found, each in a field of its own: (name, text). Its kind declares the names."""


BEFORE_WRITTEN = "\n\n"
"""What stands in a context between the headings above a passage and what a model wrote about its place."""


@dataclass(frozen=True, slots=True)
class EmbeddedText:
    """A passage as an embedder sees it: what it says, what situates it, in which language."""

    text: str
    context: str = ""
    """Headings above it, and what a context writer wrote."""
    language: str = ""

    @property
    def headings_and_written(self) -> tuple[str, str]:
        """The two parts of the context; the second is empty unless a model wrote one."""
        headings, gap, written = self.context.rpartition(BEFORE_WRITTEN)
        return (headings, written) if gap else (self.context, "")

    @property
    def stored(self) -> str:
        """One string that holds all of it, as it waits in the queue."""
        return json.dumps([self.language, self.context, self.text], ensure_ascii=False)

    @classmethod
    def load(cls, stored: str) -> EmbeddedText:
        """What `stored` gave."""
        language, context, text = json.loads(stored)
        return cls(text, context, language)


@dataclass(frozen=True, slots=True)
class Definition:
    """A term and what a passage says it means."""

    term: str
    text: str
    chunk: int
    """Number of the chunk that holds the definition."""
    span: Span | None = None
    scope: str = "document"
    """`document`, `section` or `part`; `part/2`: the part that lies one heading higher, and so on."""


@dataclass(frozen=True, slots=True)
class Alias:
    """Another identifier of the element, or of one of its sections."""

    identifier: str
    section_id: str = ""
    span: Span | None = None
    """Where it begins and ends, for a place inside its section ("Art. 41 Abs. 1 lit. b"); None for the whole of it."""


REFERS_TO = "refers_to"
"""The type of a relation that a text states by naming a section, or by a link."""


@dataclass(frozen=True, slots=True)
class Relation:
    """A typed edge. The target may be unknown to the library (a decision cites one we do not hold)."""

    relation_id: str
    relation_type: str
    source: str
    target: str
    source_section: str = ""
    target_section: str = ""
    metadata: Mapping[str, JsonValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Derivation:
    """What a recipe made of a version. A changed recipe replaces the derivation, never the version."""

    recipe: str
    """Fingerprint of converter, chunker, template, context writer and, for generated passages, neighbours."""
    chunks: tuple[Chunk, ...] = ()
    definitions: tuple[Definition, ...] = ()
    aliases: tuple[Alias, ...] = ()
    relations: tuple[Relation, ...] = ()
    """Edges stated by the version itself; `source` is the element. They live and die with the state."""


@dataclass(frozen=True, slots=True)
class State:
    """One live state of an element: a version, how it is cut, who may read it, when it is in force."""

    content: Content
    derivation: Derivation
    roles: frozenset[str] = frozenset()
    """Roles of which a reader needs one; empty: everyone in the scope."""
    valid_from: date | None = None
    valid_to: date | None = None
    """Exclusive. States of one element must not overlap in validity."""


@dataclass(frozen=True, slots=True)
class PutElement:
    """From this revision on the element consists of exactly these states (usually one)."""

    element_id: str
    states: tuple[State, ...]
    message_id: str = ""
    """Optional: a change whose message id was seen before is a duplicate and is skipped."""


@dataclass(frozen=True, slots=True)
class RemoveElement:
    """The element, and the relations that start at it, die at this revision."""

    element_id: str
    message_id: str = ""


@dataclass(frozen=True, slots=True)
class PutRelation:
    relation: Relation
    message_id: str = ""


@dataclass(frozen=True, slots=True)
class RemoveRelation:
    relation_id: str
    message_id: str = ""


Change: TypeAlias = PutElement | RemoveElement | PutRelation | RemoveRelation


@dataclass(frozen=True, slots=True)
class Commit:
    """Changes that become visible together, as one revision."""

    changes: tuple[Change, ...]
    author: str = ""
    message: str = ""
    message_ids: tuple[str, ...] = ()
    """Ids of the messages behind the whole commit. All known: the commit is a duplicate. Some known: a conflict."""
    sources: tuple[SourceChange, ...] = ()
    """What is remembered of the sources behind the changes, in the same transaction. Alone it makes no revision."""
    expected_head: int | None = None
    """The revision that the changes were made for: if the head is another one, nothing is changed."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one change."""

    status: Literal["applied", "unchanged", "duplicate"]
    element_id: str = ""
    version_ids: tuple[str, ...] = ()
    added: bool = False
    """Whether the element was not alive before."""


@dataclass(frozen=True, slots=True)
class Committed:
    """The answer to a commit. `revision` is the new one, or the one that already holds the outcome."""

    revision: int
    changed: bool
    outcomes: tuple[Outcome, ...]


# --- what is stored -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Revision:
    """A commit, as remembered."""

    number: int
    time: int
    author: str = ""
    message: str = ""


@dataclass(frozen=True, slots=True)
class RepositoryInfo:
    scope: Scope
    key: str
    """Opaque, unique, never reused: names the repository's folder in an index."""
    head: int
    """Newest committed revision; 0 before the first."""
    purges: int
    """How many purges the repository has seen; indexes compare it to drop erased rows."""
    committed: int | None = None
    """When `head` was committed; None before the first."""


@dataclass(frozen=True, slots=True)
class Lifetime:
    """A stretch of revisions during which a version was alive with one derivation, audience and validity."""

    lifetime_id: int
    """Opaque and unique in the repository."""
    element_id: str
    version_id: str
    recipe: str
    born: int
    died: int = FOREVER
    valid_from: date | None = None
    valid_to: date | None = None
    roles: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Version:
    """An immutable state of an element, found again by its id for as long as it is not purged."""

    scope: Scope
    element_id: str
    version_id: str
    content: Content


@dataclass(frozen=True, slots=True)
class LiveElement:
    """A version together with the lifetime in which it was met."""

    version: Version
    lifetime: Lifetime
    derivation: Derivation


class CutVersion(NamedTuple):
    """A version as a recipe cut it, in one of its lifetimes: what a find of an index belongs to."""

    scope: Scope
    element_id: str
    version_id: str
    recipe: str
    lifetime_id: int


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A version with some of its chunks: what a page of hits shows, without reading whole documents."""

    version: Version
    lifetime: Lifetime | None
    chunks: Mapping[int, Chunk]
    """By number: those asked for, and those that hold its definitions."""
    definitions: tuple[Definition, ...] = ()
    names: tuple[Alias, ...] = ()
    """What else it and its sections are called, places inside a section aside; where that was asked for."""


@dataclass(frozen=True, slots=True)
class AliveState:
    """A live state of an element, regardless of who may read it and when it is in force; without its passages."""

    lifetime: Lifetime
    content: Content


@dataclass(frozen=True, slots=True)
class Birth:
    """What an index needs of one lifetime."""

    lifetime: Lifetime
    content: Content
    derivation: Derivation


@dataclass(frozen=True, slots=True)
class Death:
    lifetime_id: int
    died: int


@dataclass(frozen=True, slots=True)
class ElementChange:
    """One line of a diff between two revisions."""

    element_id: str
    name: str
    change: Literal["added", "removed", "changed", "rederived", "access"]
    """`rederived`: same version, cut again. `access`: same version, other roles or validity."""
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    """Version ids alive before and after."""


@dataclass(frozen=True, slots=True)
class Baseline:
    """A named revision."""

    name: str
    revision: int
    created: int
    author: str = ""
    note: str = ""
    published: bool = False


@dataclass(frozen=True, slots=True)
class Tombstone:
    """What remains of a purged element: that it existed and was erased, not what it was."""

    erased: int
    reason: str = ""
    author: str = ""


# --- what is read ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ReadContext:
    """Which state of a repository a caller asks for. At most one of the fields besides `selector` is set."""

    selector: Literal["head", "published", "baseline_id", "as_of", "revision"] = "head"
    baseline_id: str = ""
    as_of: int | None = None
    revision: int | None = None


@dataclass(frozen=True, slots=True)
class View:
    """What one caller may read of one repository: the predicate that every leg applies inside its scan."""

    scope: Scope
    revision: int
    valid_at: date
    roles: frozenset[str] | None = None
    """Roles of the caller; None is the owner, who reads everything."""
    repository: RepositoryInfo | None = field(default=None, compare=False, repr=False)
    """The repository's record as it was when the view was resolved, so that no leg asks for it again."""


@dataclass(frozen=True, slots=True)
class Around:
    """Whose relations a view is asked for: those that start at some ids, and those that lead to some."""

    view: View
    sources: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Edges:
    """Relations that a view may read."""

    relations: tuple[Relation, ...]
    elements: frozenset[str]
    """Those of their ends that are elements of the view; the others are not there at its revision."""


@dataclass(frozen=True, slots=True)
class Called:
    """What a view is asked about names: which are ids of elements, and what others lead to."""

    view: View
    ids: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Callees:
    """Which ids are elements that the view may read, and (element id, section id) pairs by identifier."""

    elements: frozenset[str]
    named: Mapping[str, tuple[tuple[str, str], ...]]
