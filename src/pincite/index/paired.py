"""Words of one engine beside vectors of another, as one index.

The words decide how far the index has come. Vectors may lag behind them (a store elsewhere may be down): the dense leg
then answers from what the vectors have reached, without what has died since, and says so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace

from pincite.errors import Unavailable
from pincite.protocols import Catalog, ProjectedVectors, ProjectedWords
from pincite.queries import Found, IdentifierQuery, IndexFeatures, IndexStatus, Ranking, VectorQuery, WordQuery
from pincite.types import Scope, View


class PairedIndex:
    """Keyword and exact legs of one engine, the dense leg of another."""

    def __init__(self, words: ProjectedWords, vectors: ProjectedVectors, catalog: Catalog) -> None:
        self._words = words
        self._vectors = vectors
        self._catalog = catalog
        self.features = paired_features(words.features, vectors.features)

    # --- words ------------------------------------------------------------------------------------------------

    def keyword(self, views: Sequence[View], query: WordQuery) -> Ranking:
        return self._words.keyword(views, query)

    def exact(self, views: Sequence[View], query: IdentifierQuery) -> Ranking:
        return self._words.exact(views, query)

    def filter_values(self, views: Sequence[View]) -> dict[str, dict[str, int]]:
        return self._words.filter_values(views)

    # --- vectors ----------------------------------------------------------------------------------------------

    def has_vectors(self, views: Sequence[View], fingerprint: str) -> bool:
        return self._vectors.has_vectors(views, fingerprint)

    def take_vectors(self, scope: Scope, fingerprint: str) -> int:
        if self._vectors.reached(scope) < self._words.reached(scope):
            self._vectors.advance(scope)
        return self._vectors.take_vectors(scope, fingerprint)

    def drop_vectors(self, scope: Scope, fingerprint: str) -> None:
        self._vectors.drop_vectors(scope, fingerprint)

    def dense(self, views: Sequence[View], query: VectorQuery) -> Ranking:
        for view in views:
            if self._vectors.reached(view.scope) < view.revision:
                self._catch_up(view.scope, wait_seconds=0.0)
        reached = {view.scope: min(view.revision, self._vectors.reached(view.scope)) for view in views}
        behind = [view for view in views if reached[view.scope] < view.revision]
        ranking = self._vectors.dense([replace(view, revision=reached[view.scope]) for view in views], query)
        if not behind or ranking.status == "unavailable":
            return ranking
        said = [
            f"the vectors of {view.scope.repository!r} have reached revision {reached[view.scope]} of {view.revision}"
            for view in behind
        ]
        found = self._still_there(behind, ranking.found)
        reason = "; ".join(filter(None, (ranking.reason, *said)))
        return replace(ranking, found=found, status="partial", reason=reason)

    def _still_there(self, behind: Sequence[View], found: Sequence[Found]) -> tuple[Found, ...]:
        """Without what has died or been erased since: what an answer shows is alive in the state that it names."""
        lagging = {view.scope: view for view in behind}
        alive: dict[tuple[Scope, str], int | None] = {}
        for hit in found:
            if hit.scope in lagging and (hit.scope, hit.element_id) not in alive:
                live = self._catalog.elements.get(lagging[hit.scope], hit.element_id)
                alive[hit.scope, hit.element_id] = live.lifetime.lifetime_id if live else None
        return tuple(
            hit for hit in found if hit.scope not in lagging or alive[hit.scope, hit.element_id] == hit.lifetime_id
        )

    # --- the projection ---------------------------------------------------------------------------------------

    def reached(self, scope: Scope) -> int:
        return self._words.reached(scope)

    def advance(self, scope: Scope, *, wait_seconds: float = 60.0) -> int:
        """The words first, and vectors as far as they can be: they catch up before the next question by meaning."""
        reached = self._words.advance(scope, wait_seconds=wait_seconds)
        self._catch_up(scope, wait_seconds=wait_seconds)
        return reached

    def _catch_up(self, scope: Scope, *, wait_seconds: float = 60.0) -> None:
        """Have the vectors follow; what keeps them from it shows in `status`, `check` and the dense leg."""
        with suppress(Unavailable):
            self._vectors.advance(scope, wait_seconds=wait_seconds)

    def merge(self, scope: Scope) -> bool:
        return self._words.merge(scope) or self._vectors.merge(scope)

    def rebuild(self, scope: Scope, *, accept: Callable[[PairedIndex], None] | None = None) -> int:
        """Both are built before either is taken up; one that is refused leaves both as they were."""

        def judge(words: ProjectedWords, vectors: ProjectedVectors) -> None:
            if accept is not None:
                accept(PairedIndex(words, vectors, self._catalog))

        def build_vectors(words: ProjectedWords) -> None:
            self._vectors.rebuild(scope, accept=lambda vectors: judge(words, vectors))

        return self._words.rebuild(scope, accept=build_vectors)

    def status(self, scope: Scope) -> IndexStatus:
        words, vectors = self._words.status(scope), self._vectors.status(scope)
        problems = filter(None, (words.problem, vectors.problem))
        return replace(words, engine=f"{words.engine}+{vectors.engine}", problem="; ".join(problems))

    def check(self, scope: Scope) -> tuple[str, ...]:
        self._catch_up(scope, wait_seconds=0.0)
        reached, wanted = self._vectors.reached(scope), self._words.reached(scope)
        lag = f"the vectors have reached revision {reached} of {wanted}: what was erased since may still lie in them"
        return (*self._words.check(scope), *self._vectors.check(scope), *([lag] if reached < wanted else []))

    def close(self) -> None:
        try:
            self._words.close()
        finally:
            self._vectors.close()


def paired_features(words: IndexFeatures, vectors: IndexFeatures) -> IndexFeatures:
    """What two engines promise together: of a promise that concerns both legs, what both keep."""
    return replace(
        words,
        replay=words.replay and vectors.replay,
        score_isolation=words.score_isolation and vectors.score_isolation,
        among=words.among and vectors.among,
        dense=vectors.dense,
        exact_scan=vectors.exact_scan,
    )
