"""Settings of the keyword leg."""

from __future__ import annotations

from pydantic import Field

from pincite.queries import DEFAULT_BOOSTS, Scoring
from pincite.settings.section import Section


class Boosts(Section):
    """How much a word counts, by where it occurs."""

    content: float = Field(default=DEFAULT_BOOSTS["content"], ge=0, le=100)
    headings: float = Field(default=DEFAULT_BOOSTS["headings"], ge=0, le=100)
    section: float = Field(default=DEFAULT_BOOSTS["section"], ge=0, le=100)
    terms: float = Field(default=DEFAULT_BOOSTS["terms"], ge=0, le=100)


class Keyword(Section):
    """The keyword leg: BM25 and its constants."""

    k1: float = Field(default=Scoring().k1, ge=0, le=10)
    b: float = Field(default=Scoring().b, ge=0, le=1)
    literal: float = Field(default=Scoring().literal, ge=0, le=1)
    elsewhere: float = Field(default=Scoring().elsewhere, ge=0, le=1)
    boosts: Boosts = Boosts()

    def scoring(self) -> Scoring:
        return Scoring(self.k1, self.b, self.boosts.model_dump(), self.literal, self.elsewhere)
