"""Gates: golden queries decide about a release, a new index, another model or a reranker.

Evaluations are loaded only if golden queries are configured; the engine itself does not know that it is measured.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from copy import copy
from typing import TYPE_CHECKING, Self, cast

from pincite.errors import PinciteError
from pincite.ingest.embed_batches import probe
from pincite.library.opened import OpenLibrary
from pincite.models.in_use import FixedModel
from pincite.protocols import Embedder, Index
from pincite.search.reranking import Reranking
from pincite.types import Scope
from pincite.upkeep.baselines import BaselineDesk
from pincite.upkeep.reranker_gate import RerankerVerdict, keep

if TYPE_CHECKING:
    from pincite.library.library import Library


class Gated(OpenLibrary):
    """What is judged before it is used, and this library with a candidate in its place."""

    @property
    def baselines(self) -> BaselineDesk:
        """Naming states of a repository, and choosing the one that is published."""
        return BaselineDesk(self.catalog, self.scope, self._gate_publication, self._require_owner, self._author)

    def is_gated(self, repository: str = "") -> bool:
        """Whether golden queries decide about a release of the repository."""
        gate = self.config.gate
        guarded = gate.repositories or (self.config.repository,)
        return bool(gate.golden) and self.scope(repository).repository in guarded

    def gate_reranker(self) -> RerankerVerdict:
        """Ask the golden queries with and without the reranker, and store the verdict, which decides from then on."""
        self._require_all("decide about the reranker")
        from pincite.eval.gate_reranker import gate_reranker

        verdict = gate_reranker(self._whole())
        keep(self.catalog, verdict)
        return verdict

    def with_reranking(self, reranking: Reranking) -> Self:
        """This library with another reranker or none; to judge one before it is used."""
        other = copy(self)
        other._reranking = reranking
        return other

    def with_index(self, index: Index) -> Self:
        """This library with another index; to judge one before it is used."""
        other = copy(self)
        other.index = index
        return other

    def with_embedder(self, embedder: Embedder) -> Self:
        """This library with another model, which must answer; to judge one before it is used."""
        other = copy(self)
        other.model = FixedModel(self._home.catalog, embedder)
        other.config = self.config.model_copy(update={"dense": "required"})
        return other

    def _gate_publication(self, scope: Scope, name: str) -> None:
        if self.config.gate.golden:
            from pincite.eval.guard import gate_publication

            gate_publication(self._whole(), scope, name)

    def _gate_generation(self, scope: Scope) -> Callable[[Index], None] | None:
        if not self.config.gate.golden:
            return None
        from pincite.eval.guard import gate_generation

        return gate_generation(self._whole(), scope)

    def _judge_model(self, embedder: Embedder) -> tuple[str, ...]:
        if not self.config.gate.golden:
            return ()
        from pincite.eval.guard import gate_model

        probe(embedder)  # both are loaded now: loading must not count against the deadline of a golden query
        with suppress(PinciteError):
            probe(self.embedder)
        return gate_model(self._whole(), self.with_embedder(embedder)._whole(), embedder.name)

    def _whole(self) -> Library:
        """This object as evaluations know it: only whole libraries are ever opened."""
        return cast("Library", self)
