"""Settings of the gate: what golden queries must reach."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from pincite.settings.section import Name, SettingsSection, Share


class Gate(SettingsSection):
    """What golden queries must reach before a baseline is published or a new generation of the index is used."""

    golden: str = ""
    """Golden file, relative to the configuration; empty: no gate."""
    repositories: tuple[Name, ...] = ()
    """The repositories it guards; empty: the repository in the settings."""
    min_ndcg: Share | None = None
    min_mrr: Share | None = None
    min_recall: Share | None = None
    require_tags: dict[str, Share] = Field(default_factory=dict)
    max_drop: Share | None = 0.01
    """How far nDCG, MRR and recall at 10 may fall below what is in use."""
    baseline: str = ""
    """Report of an earlier run to compare with instead of the published state, relative to the configuration."""

    @model_validator(mode="after")
    def _needs_golden(self) -> Self:
        bounds = (self.min_ndcg, self.min_mrr, self.min_recall, self.require_tags or None, self.baseline or None)
        if not self.golden and any(bound is not None for bound in bounds):
            raise PydanticCustomError("gate", "bounds need golden queries; set golden to a file")
        return self
