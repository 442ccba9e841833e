"""Min-max fusion, which Pincite does not offer: each leg's scores stretched to 0 … 1 within the pool, then weighted.

The usual way to add scores of different scales (Fox & Shaw, TREC-2, 1994, after normalisation as in Lee, SIGIR 1997).
What it says of a passage depends on what else was found: the best of a leg has 1 even where the leg found nothing good.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pincite.search.candidates import Candidate
from pincite.search.fuse import Pooled


def min_max(entries: Sequence[Pooled], shares: Mapping[str, float]) -> tuple[Candidate, ...]:
    """The pool, best first. Identifiers stay the top tier, as in the search: what lies below is fused otherwise."""
    bounds = {leg: _bounds([entry.legs[leg].raw for entry in entries if leg in entry.legs]) for leg in shares}
    return tuple(sorted((_candidate(entry, shares, bounds) for entry in entries), key=Candidate.order))


def _candidate(entry: Pooled, shares: Mapping[str, float], bounds: Mapping[str, tuple[float, float]]) -> Candidate:
    signals = {
        leg: share * _stretched(entry.legs[leg].raw, *bounds[leg]) for leg, share in shares.items() if leg in entry.legs
    }
    score = entry.legs["exact"].score if "exact" in entry.legs else sum(signals.values())
    return Candidate(next(iter(entry.found.values())), score, entry.legs, signals)


def _bounds(values: Sequence[float]) -> tuple[float, float]:
    return (min(values), max(values)) if values else (0.0, 0.0)


def _stretched(value: float, low: float, high: float) -> float:
    """Where a leg gives everything one score, all of it is the best."""
    return (value - low) / (high - low) if high > low else 1.0
