"""Settings of how documents are cut."""

from __future__ import annotations

from pydantic import Field

from pincite.kinds.options import CutOptions, Domain, Strategy
from pincite.settings.section import Section


class Chunking(Section):
    """How documents are cut."""

    max_chunk_tokens: int = Field(default=CutOptions().max_chunk_tokens, ge=100, le=2000)
    chunk_overlap: int = Field(default=CutOptions().overlap_tokens, ge=0, le=1000)
    chunking_strategy: Strategy = CutOptions().chunking_strategy
    """`structure`: along headings; `token`: windows over the whole text."""
    document_domain: Domain | None = None
    """What the documents are about; None: decided for each document."""
    max_subsection_depth: int = Field(default=CutOptions().max_subsection_depth, ge=0, le=10)
    extract_definitions: bool = True
    extract_cross_references: bool = True

    def options(self) -> CutOptions:
        cut = self.model_dump(exclude={"chunk_overlap"})
        return CutOptions(**cut, overlap_tokens=self.chunk_overlap)
