"""Options of kinds: how texts are cut, the same for every kind that cuts them, and what a kind is opened with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from pincite.errors import InvalidArgument, UnknownArgument

Strategy = Literal["structure", "token"]
STRATEGIES: tuple[str, ...] = get_args(Strategy)
Domain = Literal[
    "none", "us_legislative", "au_legislative", "swiss_legislative", "academic", "technical", "legal_contract"
]
DOMAINS: tuple[str, ...] = get_args(Domain)


@dataclass(frozen=True, slots=True)
class CutOptions:
    """How long a passage may be, how much neighbouring ones share in a text without headings, what is cited in it."""

    max_chunk_tokens: int = 800
    overlap_tokens: int = 50
    chunking_strategy: Strategy = "structure"
    """`structure`: along headings; `token`: windows over the whole text, whatever stands in it."""
    document_domain: Domain | None = None
    """What kind of work the documents are; None: each is looked at."""
    max_subsection_depth: int = 5
    """How deep enumerations inside a section have places of their own: 2 for `203(a)(1)`, 0 for none."""
    extract_definitions: bool = True
    extract_cross_references: bool = True

    def __post_init__(self) -> None:
        if not 100 <= self.max_chunk_tokens <= 2000:
            raise InvalidArgument(
                f"max_chunk_tokens is {self.max_chunk_tokens}; choose 100 to 2000", field="max_chunk_tokens"
            )
        if not 0 <= self.overlap_tokens <= self.max_chunk_tokens // 2:
            raise InvalidArgument(
                f"overlap_tokens is {self.overlap_tokens}; choose 0 to {self.max_chunk_tokens // 2}, "
                "half of max_chunk_tokens",
                field="overlap_tokens",
            )
        if not 0 <= self.max_subsection_depth <= 10:
            raise InvalidArgument(
                f"max_subsection_depth is {self.max_subsection_depth}; choose 0 to 10", field="max_subsection_depth"
            )
        if self.chunking_strategy not in STRATEGIES:
            raise UnknownArgument.named(
                "chunking_strategy", self.chunking_strategy, STRATEGIES, field="chunking_strategy"
            )
        if self.document_domain is not None and self.document_domain not in DOMAINS:
            raise UnknownArgument.named("document_domain", self.document_domain, DOMAINS, field="document_domain")


@dataclass(frozen=True, slots=True)
class KindSettings:
    """What a kind is opened with."""

    cut: CutOptions = field(default_factory=CutOptions)
    """How long passages are: the same for every kind that cuts texts."""
    own: Mapping[str, object] = field(default_factory=dict)
    """What the configuration says under `kinds` and the kind's name; the kind checks it."""
