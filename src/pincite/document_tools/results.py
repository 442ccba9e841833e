"""What a tool finds: passages with their place, scores by modality, and definitions of their terms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, overload


@dataclass(frozen=True, slots=True)
class TermMeaning:
    """What a term of a passage means, and where it is defined."""

    term: str
    text: str
    citation: str
    scope: str = "document"


@dataclass(frozen=True, slots=True)
class Result:
    """One passage."""

    content: str
    score: float
    source_path: str
    parent_chain: tuple[str, ...]
    section_id: str
    citation: str
    scores: Mapping[str, float | None] = field(default_factory=dict)
    """By modality: `semantic`, `keyword`, `exact`, `graph`, `rerank`; None if it did not find the passage."""
    definitions: tuple[TermMeaning, ...] = ()
    chunk_type: str = "content"
    page: int | None = None
    language: str = ""
    context: str = ""
    """The context the passage was searched with; never part of the passage."""

    @classmethod
    def of(cls, hit: Mapping[str, Any]) -> Result:
        """From a hit in the wire format of all doors."""
        return cls(
            content=hit["content"],
            score=hit["score"],
            source_path=hit["source_path"] or hit["element_id"],
            parent_chain=tuple(hit["parent_chain"]),
            section_id=hit["section_id"] or "",
            citation=hit["citation"],
            scores=dict(hit["scores"]),
            definitions=tuple(
                TermMeaning(item["term"], item["text"], item["citation"], item["scope"]) for item in hit["definitions"]
            ),
            chunk_type=hit["chunk_type"],
            page=hit["page"],
            language=hit["language"] or "",
            context=hit["context"],
        )


@dataclass(frozen=True, slots=True)
class Results(Sequence[Result]):
    """Passages, best first, with notes for the reader, such as a model that did not answer or an unread file."""

    query: str
    results: tuple[Result, ...]
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.results)

    @overload
    def __getitem__(self, at: int) -> Result: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Result, ...]: ...
    def __getitem__(self, at: int | slice) -> Result | tuple[Result, ...]:
        return self.results[at]
