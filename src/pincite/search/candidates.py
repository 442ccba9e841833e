"""Candidates: chunks with what each leg says of them, made one by one of a pool in arrays when they are looked at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import overload

import numpy as np
from numpy.typing import NDArray

from pincite.queries import Found
from pincite.search.fuse import Pool
from pincite.search.query import LegScore

Floats = NDArray[np.float64]
Places = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A chunk of the pool with what each leg says of it."""

    found: Found
    score: float
    legs: Mapping[str, LegScore]
    signals: Mapping[str, float] = field(default_factory=dict)
    """What each signal added to the score."""
    calibrated: float | None = None
    """How good it is by what the legs say, where the score is made of ranks: the first always has 1."""

    @property
    def worth(self) -> float:
        """What `min_score` looks at: it means the same for every query and fusion."""
        return self.score if self.calibrated is None else self.calibrated

    def order(self) -> tuple[object, ...]:
        """Total: the exact tier, score, keyword score, then element, version and chunk."""
        keyword = self.legs.get("keyword")
        found = self.found
        return (
            "exact" not in self.legs,
            -self.score,
            -(keyword.score if keyword else 0.0),
            found.element_id.encode("utf-8"),
            found.version_id,
            found.chunk,
            found.scope,
        )


@dataclass(frozen=True, slots=True)
class Weighed:
    """What each group of a pool scores, and what made it."""

    pool: Pool
    scores: Floats
    signals: Mapping[str, Floats]
    """What each leg adds, 0 where it did not find the group; in the order in which legs are reported."""
    exact_first: bool = False
    """Whether what carries an identifier shows the passage that does, whatever other legs say of it."""
    only: frozenset[str] | None = None
    """Legs that count; None: all. What the others found may still be shown."""
    calibrated: Floats | None = None
    """What each group would score by signals, where `scores` are made of ranks."""

    def found_by(self, leg: str) -> NDArray[np.bool_]:
        """Which groups a leg that counts found."""
        return self.pool.found_by(leg if self._counts(leg) else "")

    def scores_by(self, leg: str) -> Floats:
        """What a leg that counts gives to each group."""
        return self.pool.scores_by(leg if self._counts(leg) else "")

    def _counts(self, leg: str) -> bool:
        return self.only is None or leg in self.only

    def made(self, at: int) -> Candidate:
        """One group of the pool."""
        entry = self.pool.made(at)
        found, legs = entry.found, entry.legs
        if self.only is not None:
            legs = {leg: score for leg, score in legs.items() if leg in self.only}
        signals = {leg: float(values[at]) for leg, values in self.signals.items() if leg in legs}
        if len(found) == 1:
            passage = next(iter(found.values()))
        elif self.exact_first and "exact" in found:
            passage = found["exact"]
        else:  # of the leg that says most; the words' own where they say as much
            passage = found[max(found, key=lambda leg: (signals.get(leg, 0.0), leg == "keyword"))]
        calibrated = None if self.calibrated is None else float(self.calibrated[at])
        return Candidate(passage, float(self.scores[at]), legs, signals, calibrated)


class Candidates(Sequence[Candidate]):
    """Groups of a pool in some order, by their places in it; each is made once, when it is looked at."""

    def __init__(self, weighed: Weighed, places: Places, first: Candidate | None = None) -> None:
        """`first`: a candidate from elsewhere that comes before them."""
        self._weighed = weighed
        self.places = places
        self._first = first
        self._made: dict[int, Candidate] = {}

    def __len__(self) -> int:
        return len(self.places) + (self._first is not None)

    @overload
    def __getitem__(self, at: int) -> Candidate: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Candidate, ...]: ...
    def __getitem__(self, at: int | slice) -> Candidate | tuple[Candidate, ...]:
        if isinstance(at, slice):
            return tuple(self._at(place) for place in range(len(self))[at])
        return self._at(range(len(self))[at])

    def __iter__(self) -> Iterator[Candidate]:
        return (self._at(at) for at in range(len(self)))

    def _at(self, at: int) -> Candidate:
        if self._first is not None:
            if not at:
                return self._first
            at -= 1
        known = self._made.get(at)
        if known is None:
            known = self._made[at] = self._weighed.made(int(self.places[at]))
        return known

    def at_least(self, score: float) -> Candidates:
        """Those that score no less."""
        worth = self._weighed.scores if self._weighed.calibrated is None else self._weighed.calibrated
        keep = worth[self.places] >= score
        return self if keep.all() else Candidates(self._weighed, self.places[keep])

    def found_by(self, leg: str) -> NDArray[np.bool_]:
        """Which of them a leg found."""
        return self._weighed.found_by(leg)[self.places]


def in_order(weighed: Weighed) -> Candidates:
    """Those that have a score, best first: `Candidate.order` over arrays; ids are read only where all else ties."""
    has = np.flatnonzero(weighed.scores > 0)
    below = ~weighed.found_by("exact")[has]
    scores, words = -weighed.scores[has], -weighed.scores_by("keyword")[has]
    order = np.lexsort((words, scores, below))
    places = has[order]
    same = ~np.diff(below[order]) & (np.diff(scores[order]) == 0) & (np.diff(words[order]) == 0)
    if same.any():
        starts = np.flatnonzero(~np.append(False, same))
        ends = np.append(starts[1:], len(places))
        for start, end in zip(starts[ends - starts > 1].tolist(), ends[ends - starts > 1].tolist(), strict=True):
            places[start:end] = _by_id(weighed, places[start:end].tolist())
    return Candidates(weighed, places)


def _by_id(weighed: Weighed, tied: list[int]) -> list[int]:
    """Groups in the order of their ids; only where two repositories have the same is more looked at."""
    ids = {at: (name.encode("utf-8"), *rest) for at in tied for _, name, *rest in (weighed.pool.keys[at],)}
    if len(set(ids.values())) == len(tied):
        return sorted(tied, key=ids.__getitem__)
    return sorted(tied, key=lambda at: weighed.made(at).order())


def found_by(candidates: Sequence[Candidate], leg: str) -> NDArray[np.bool_]:
    """Which of the candidates a leg found."""
    if isinstance(candidates, Candidates):
        return candidates.found_by(leg)
    return np.array([leg in candidate.legs for candidate in candidates], bool)


def at_least(candidates: Sequence[Candidate], score: float) -> Sequence[Candidate]:
    """The candidates that are worth no less."""
    if isinstance(candidates, Candidates):
        return candidates.at_least(score)
    return [candidate for candidate in candidates if candidate.worth >= score]
