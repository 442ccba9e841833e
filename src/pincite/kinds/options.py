"""Options of kinds: how texts are cut, the same for every kind that cuts them, and what a kind is opened with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator
from pydantic.dataclasses import dataclass as pydantic_dataclass
from pydantic_core import PydanticCustomError

from pincite.options import CLOSED

Strategy = Literal["structure", "token"]
Domain = Literal[
    "none", "us_legislative", "au_legislative", "swiss_legislative", "academic", "technical", "legal_contract"
]


ChunkTokens = Annotated[int, Field(ge=100, le=2_000)]
OverlapTokens = Annotated[int, Field(ge=0, le=1_000)]
SubsectionDepth = Annotated[int, Field(ge=0, le=10)]


@pydantic_dataclass(frozen=True, slots=True, config=CLOSED)
class CutOptions:
    """How texts are cut."""

    max_chunk_tokens: ChunkTokens = 800
    """Maximum length of a passage."""
    chunk_overlap: OverlapTokens = 50
    """Tokens shared by neighbouring passages of a text without headings; at most half of `max_chunk_tokens`."""
    chunking_strategy: Strategy = "structure"
    """`structure`: along headings; `token`: windows over the whole text."""
    document_domain: Domain | None = None
    """Type of the documents; by default it is detected for each."""
    max_subsection_depth: SubsectionDepth = 5
    """How many levels of enumerations inside a section can be cited: 2 for `203(a)(1)`, 0 for none."""
    extract_definitions: bool = True
    extract_cross_references: bool = True

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        check_overlap(self.max_chunk_tokens, self.chunk_overlap)
        return self


def check_overlap(max_chunk_tokens: int, chunk_overlap: int) -> None:
    """For validators: neighbours that share more than half of themselves would never come to an end."""
    if chunk_overlap > max_chunk_tokens // 2:
        raise PydanticCustomError("overlap", "chunk_overlap must be at most half of max_chunk_tokens")


@dataclass(frozen=True, slots=True)
class KindSettings:
    """What a kind is opened with."""

    cut: CutOptions = field(default_factory=CutOptions)
    """How long passages are: the same for every kind that cuts texts."""
    own: Mapping[str, object] = field(default_factory=dict)
    """What the configuration says under `kinds` and the kind's name; the kind checks it."""
