"""Nearest: the words of the stretch by which the dense leg found a hit, for explanations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pincite.index.entries import embedded_text
from pincite.protocols import Embedder
from pincite.queries import Found, Ranking
from pincite.search.candidates import Candidate
from pincite.search.excerpts import Excerpts


def with_windows(
    read: Excerpts, embedder: Embedder, candidates: Sequence[Candidate], rankings: Sequence[Ranking]
) -> list[Candidate]:
    """The candidates, each with the text of its nearest window; windows are not stored but made again."""
    dense = next((ranking for ranking in rankings if ranking.leg == "dense"), None)
    if dense is None:
        return list(candidates)
    read.fetch(dense.found[score.rank - 1] for c in candidates if (score := c.legs.get("dense")))
    out = []
    for candidate in candidates:
        score = candidate.legs.get("dense")
        if score is not None:
            told = score._replace(window_text=_window(read, embedder, dense.found[score.rank - 1]))
            candidate = replace(candidate, legs={**candidate.legs, "dense": told})
        out.append(candidate)
    return out


def _window(read: Excerpts, embedder: Embedder, found: Found) -> str:
    """Empty for what was erased a moment ago."""
    excerpt = read.of(found)
    if excerpt is None or found.chunk not in excerpt.chunks:
        return ""
    texts = embedder.windows(embedded_text(excerpt.version.content, excerpt.chunks[found.chunk]))
    return texts[found.window] if 0 <= found.window < len(texts) else ""
