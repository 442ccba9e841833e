"""A kind: what can be cited, and everything that the engine must know of it.

Data is declared, behaviour is seven methods. A kind never sees a catalog or an index; what an index holds of a passage
is part of the derivation, so a library can be searched and rebuilt where the package of a kind is not installed.
Without it only what the declaration adds is missing: fields of its own do not count, and citations are written by name
alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from pincite.fields import STRUCTURAL
from pincite.reading import Item, Neighbourhood, ReadElement, Recognised, Record, Unread
from pincite.types import Chunk, Content, Derivation, JsonValue


@dataclass(frozen=True, slots=True)
class SignalInput:
    """What a signal may look at: the question, and one candidate."""

    query: str
    language: str
    """Of the question; "" when unknown."""
    content: Content
    """Without its text."""
    scores: Mapping[str, float]
    """Bounded scores of the legs that found it."""


@dataclass(frozen=True, slots=True)
class Signal:
    """Evidence besides the legs. It moves a score by `weight` times its value towards 1, and is traced by its name."""

    name: str
    weight: float
    """0 to 1."""
    of: Callable[[SignalInput], float]
    """0 to 1; a function of its input alone, or a replay would differ."""


@dataclass(frozen=True, slots=True)
class RelationType:
    """An edge type, and the words by which people ask along it."""

    name: str
    asks_out: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By language, the phrases that ask from source to target: "refers to"."""
    asks_in: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By language, the phrases that ask from target to source: "is cited by", "what refers to"."""


@dataclass(frozen=True, slots=True)
class LinkForms:
    """How a link in a text may spell the element that it leads to, beyond its id."""

    suffixes: tuple[str, ...] = ()
    """Endings that a link may leave out, tried in this order: a link to `guide` may mean `guide.md`."""
    folder_pages: tuple[str, ...] = ()
    """Files that stand for their folder, tried in this order: a link to `guide` may mean `guide/README.md`."""
    served_as: str = ""
    """The ending under which a site serves its texts: a link to `guide.html` may mean `guide.md`."""


@dataclass(frozen=True, slots=True)
class Declaration:
    """What a kind says of itself."""

    content_kinds: tuple[str, ...]
    """Values of `Content.kind` that it writes; no other kind has them."""
    suffixes: Mapping[str, str] = field(default_factory=dict)
    """File suffixes that it reads (lower case, with the dot; `.jsonl.gz` is one) → the type people know them by."""
    media_types: Mapping[str, str] = field(default_factory=dict)
    """What a server calls such files → suffix."""
    save_as: Mapping[str, str] = field(default_factory=dict)
    """Suffixes that are not read → the one that their programs can save instead."""
    max_bytes: int = 50 * 1024 * 1024
    """Larger items are not read."""
    fields: Mapping[str, float] = field(default_factory=lambda: dict(STRUCTURAL))
    """Text fields of its passages → how much a word counts there. `content`, `headings`, `section` and `terms` are
    filled from every chunk; others come from `Chunk.fields`."""
    relations: tuple[RelationType, ...] = ()
    signals: tuple[Signal, ...] = ()
    ranking: str = ""
    """Fingerprint of what `recognise` knows and what the signals weigh; it changes whenever they do, so that an answer
    is never replayed with others. "" for a kind that has neither."""
    facets: tuple[str, ...] = ()
    """Filters that people care about, the most useful first."""
    neighbours: int = 0
    """How many steps along relations its passages look; 0: an element's own content decides them. When an element
    changes, those so many steps away are derived again."""
    links: LinkForms = field(default_factory=LinkForms)
    """How links between its texts are spelled."""

    def suffix_of(self, item_name: str) -> str:
        """The longest of its suffixes that the name ends with; "" where it has none of them."""
        folded = item_name.lower()
        return max((suffix for suffix in self.suffixes if folded.endswith(suffix)), key=len, default="")


@dataclass(frozen=True, slots=True)
class Described:
    """A place in words."""

    citation: str
    """"Handbook § 4.2", "BGE 131 III 115 E. 3.1"."""
    fields: Mapping[str, JsonValue] = field(default_factory=dict)
    """What is shown besides. `layer`, `source_path` and `file_type` have places of their own on the wire; everything
    else stands among the metadata, so that every door shows it."""
    moved: tuple[str, ...] = ()
    """Keys of the metadata that these fields show already, so that the wire does not repeat them."""


class Kind(Protocol):
    """What can be cited, opened with its settings."""

    @property
    def name(self) -> str:
        """By which it is chosen: `documents`."""

    @property
    def declares(self) -> Declaration:
        """The same for as long as the kind is open."""

    def recipe(self, item_name: str = "") -> str:
        """Fingerprint of how such an item would be read and cut now; with another one it is read again.

        It begins with the kind's name and a slash (`documents/2;…`), as that of every derivation does: so a passage
        tells whose it is. Options that change what `read` or `derive` give change it.
        """

    def read(self, item: Item) -> Iterator[ReadElement | Unread]:
        """What an item holds, streamed in its order: one document, a million records, a model with relations.

        Deterministic; ids are unique in the item, begin with its `prefix`, and stay as they are when something else in
        the item changes. What cannot be taken is given as `Unread` and the rest goes on; an item of which nothing can
        be read raises `InvalidArgument`, and `MissingExtra` where a package is missing.
        """

    def derive(self, element_id: str, content: Content, around: Neighbourhood) -> Derivation:
        """The passages of an element with all that they are found by. Deterministic; `around` is empty unless the
        declaration asks for neighbours, and what of it shows in the passages is part of the recipe: the same version
        and recipe always mean the same passages."""

    def recognise(self, query: str) -> Recognised:
        """Identifiers and glossary words in a query; never a filter. In linear time, and never an error."""

    def interpret(self, record: Record) -> ReadElement | None:
        """An element out of a row of a corpus: its metadata become fields, filters, validity and reader roles.
        None for a row in which nothing can be found; odd metadata are left out, never an error."""

    def describe(self, content: Content, chunk: Chunk | None, language: str) -> Described:
        """How a place is written for people in a language ("" for the element's own), and what of its metadata stands
        beside it on the wire. Without a chunk it is the element as a whole."""
