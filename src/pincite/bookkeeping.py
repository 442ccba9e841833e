"""What a catalog keeps besides the elements: texts that wait for vectors, models in use, what calls cost, sources."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Job:
    """A text that waits for its vector."""

    tenant: str
    text_hash: str
    fingerprint: str
    text: str
    attempts: int = 0
    error: str = ""


@dataclass(frozen=True, slots=True)
class EmbeddingModel:
    """A model that a library is or was searched with."""

    name: str
    """By which it is opened."""
    fingerprint: str
    since: int = 0
    """Microseconds since 1970; 0: from the beginning."""


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What was removed of a model."""

    vectors: int = 0
    bytes: int = 0
    jobs: int = 0


@dataclass(frozen=True, slots=True)
class Usage:
    """What a model call consumed."""

    provider: str
    model: str
    purpose: str
    calls: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    cost_micros: int = 0


UNREAD_SIZE = -1
"""Of an item that was not read to its end: no file has it, so the item is looked at again."""


@dataclass(frozen=True, slots=True)
class SourceItem:
    """What the last ingest saw of one item of a source, usually a file, so that an unchanged one costs a stat."""

    name: str
    size: int = UNREAD_SIZE
    mtime_ns: int = 0
    digest: str = ""
    """Of its bytes; "" until it has been read to its end."""
    recipe: str = ""
    """How it was read; with another one it is read again."""
    validator: str = ""
    """What a server said of a remote file (ETag, Last-Modified), to ask whether it has changed."""
    elements: int = 1
    """How many elements it gave."""


@dataclass(frozen=True, slots=True)
class SourceElement:
    """Which item of a source gave an element."""

    element_id: str
    item: str
    digest: str = ""
    """Of what was read of it: an element whose digest is the same is not derived again. "": derive it anyway."""
    relations: tuple[str, ...] = ()
    """Ids of the relations that the item stated with it: those that it no longer states are removed."""


@dataclass(frozen=True, slots=True)
class SourceChange:
    """What a commit has to remember of one source: only what changed, in the order of the fields."""

    source: str
    take_over: str = ""
    """Another source: what it gave belongs to this one from now on. An item that both have is read again."""
    elements_removed: tuple[str, ...] = ()
    items: tuple[SourceItem, ...] = ()
    elements: tuple[SourceElement, ...] = ()
    """An item that is not remembered yet is so as one that was not read to its end."""
    items_removed: tuple[str, ...] = ()
    """With the elements that still belong to them."""
