"""Nearest: the words of the stretch by which the dense leg found a hit, for explanations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pincite.index.entries import embedded_text
from pincite.protocols import Embedder, Session
from pincite.queries import Found, Ranking
from pincite.search.cite import located_at
from pincite.search.fuse import Candidate


def with_windows(
    catalog: Session, embedder: Embedder, candidates: Sequence[Candidate], rankings: Sequence[Ranking]
) -> list[Candidate]:
    """The candidates, each with the text of its nearest window; windows are not stored but made again."""
    dense = next((ranking for ranking in rankings if ranking.leg == "dense"), None)
    out = []
    for candidate in candidates:
        score = candidate.legs.get("dense")
        if dense is not None and score is not None:
            told = score._replace(window_text=_window(catalog, embedder, dense.found[score.rank - 1]))
            candidate = replace(candidate, legs={**candidate.legs, "dense": told})
        out.append(candidate)
    return out


def _window(catalog: Session, embedder: Embedder, found: Found) -> str:
    """Empty for what was erased a moment ago."""
    located = located_at(catalog, found)
    if located is None or not 0 <= found.chunk < len(located.derivation.chunks):
        return ""
    texts = embedder.windows(embedded_text(located.version.content, located.derivation.chunks[found.chunk]))
    return texts[found.window] if 0 <= found.window < len(texts) else ""
