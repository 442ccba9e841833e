"""What a catalog keeps beside the elements: texts that wait for vectors, models in use, what calls cost, sources."""

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


@dataclass(frozen=True, slots=True)
class SourceFile:
    """What the last ingest saw of one file, so that an unchanged one costs a stat."""

    path: str
    size: int
    mtime_ns: int
    content_hash: str
    element_id: str
    recipe: str
    validator: str = ""
    """What a server said of a remote file (ETag, Last-Modified), to ask whether it has changed."""
