"""The suites, put together by role."""

from __future__ import annotations

from pincite.testing.index.erasure import WordsErased
from pincite.testing.index.fields import Fields
from pincite.testing.index.filters import Filters
from pincite.testing.index.groups import WordGroups
from pincite.testing.index.identifiers import Identifiers
from pincite.testing.index.isolation import Isolation
from pincite.testing.index.languages import Languages
from pincite.testing.index.meaning import VectorsAsked
from pincite.testing.index.phrases import Phrases
from pincite.testing.index.projection import ProjectionContract
from pincite.testing.index.scoring import WordScores
from pincite.testing.index.taking import VectorsTaken
from pincite.testing.index.views import WordsInTime


class WordIndexContract(
    WordsInTime, Filters, WordScores, Fields, Phrases, Languages, WordGroups, Identifiers, WordsErased, Isolation
):
    """Every promise of `pincite.protocols.WordIndex`, as a test."""


class VectorIndexContract(VectorsAsked, VectorsTaken, Isolation):
    """Every promise of `pincite.protocols.VectorIndex`, as a test."""


class IndexContract(WordIndexContract, VectorIndexContract, ProjectionContract):
    """Every promise of `pincite.protocols.Index`, as a test."""
