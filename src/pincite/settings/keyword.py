"""Settings of the keyword leg."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Self

from pydantic import ConfigDict, Field, model_validator

from pincite.fields import STRUCTURAL
from pincite.kinds.open import declared_fields
from pincite.queries import Scoring
from pincite.settings.section import Boost, Section, unknown_name


class Boosts(Section):
    """How much a word counts, by where it occurs; besides these, by the name of a field that a kind declares."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, Boost] = Field(init=False)

    content: Boost = STRUCTURAL["content"]
    headings: Boost = STRUCTURAL["headings"]
    section: Boost = STRUCTURAL["section"]
    terms: Boost = STRUCTURAL["terms"]

    @model_validator(mode="after")
    def _are_known(self) -> Self:
        for name in self.__pydantic_extra__:
            if name not in (known := declared_fields()):
                raise unknown_name(name, known)
        return self

    @property
    def stated(self) -> dict[str, float]:
        """Only what was set."""
        return self.model_dump(include=self.model_fields_set)


class Keyword(Section):
    """The keyword leg: BM25 and its constants."""

    k1: float = Field(default=Scoring().k1, ge=0, le=10)
    b: float = Field(default=Scoring().b, ge=0, le=1)
    literal: float = Field(default=Scoring().literal, ge=0, le=1)
    elsewhere: float = Field(default=Scoring().elsewhere, ge=0, le=1)
    boosts: Boosts = Boosts()

    def scoring(self, declared: Mapping[str, float] = STRUCTURAL) -> Scoring:
        """The constants, with the boosts that kinds declare where the settings state no others."""
        return Scoring(self.k1, self.b, {**declared, **self.boosts.stated}, self.literal, self.elsewhere)
