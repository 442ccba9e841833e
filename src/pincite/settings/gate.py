"""Settings of what golden queries must reach."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from pincite.settings.section import Name, Section, Share


class Gate(Section):
    """What golden queries must reach before a baseline is published or a new generation of the index is taken up."""

    golden: str = ""
    """Golden file, relative to the configuration; empty: nothing is asked for."""
    repositories: tuple[Name, ...] = ()
    """What it guards; empty: the repository that the settings name."""
    min_ndcg: Share | None = None
    min_mrr: Share | None = None
    min_recall: Share | None = None
    require_tags: dict[str, Share] = Field(default_factory=dict)
    max_drop: Share | None = 0.01
    """How far nDCG, MRR and recall at 10 may fall below what is in use."""
    baseline: str = ""
    """Report of an earlier run to compare with, instead of what is published, relative to the configuration."""

    @model_validator(mode="after")
    def _needs_golden(self) -> Self:
        bounds = (self.min_ndcg, self.min_mrr, self.min_recall, self.require_tags or None, self.baseline or None)
        if not self.golden and any(bound is not None for bound in bounds):
            raise PydanticCustomError("gate", "bounds without golden queries guard nothing; name a file: golden")
        return self
