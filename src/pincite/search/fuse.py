"""Fuse: what the legs found becomes one pool of groups, with what every leg says of each, in arrays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pincite.queries import Finds, Found, Group, GroupKey, Listed, Ranking, group_key
from pincite.search.query import LegScore
from pincite.types import Scope

MENTIONED = "mentioned"
"""The leg of identifiers that a query mentions in passing: it moves what carries them up, and makes no tier."""
RANKED = ("keyword", "dense", "related")
"""Legs that give every candidate a bounded score; the exact leg forms a tier above them."""


@dataclass(frozen=True, slots=True)
class Pooled:
    """One group of the pool: its passage according to each leg."""

    found: dict[str, Found]
    legs: dict[str, LegScore]


@dataclass(frozen=True, slots=True)
class Column:
    """What one leg says of each group."""

    finds: Finds
    ranks: NDArray[np.int64]
    """From 1; 0: it did not find the group."""
    scores: NDArray[np.float64]
    shown: NDArray[np.bool_]
    """Whether the passage that it found may be shown."""

    def kept(self, mask: NDArray[np.bool_]) -> Column:
        """Nothing said of the others."""
        return replace(
            self, ranks=np.where(mask, self.ranks, 0), scores=np.where(mask, self.scores, 0.0), shown=self.shown & mask
        )


@dataclass(frozen=True, slots=True)
class Pool:
    """Groups that the legs found, each once, in the order in which they came up."""

    keys: Sequence[GroupKey]
    numbers: Mapping[Scope, int]
    """Of the scopes in the keys."""
    columns: Mapping[str, Column]
    """By leg, in the order in which they are reported."""

    def __len__(self) -> int:
        return len(self.keys)

    def __iter__(self) -> Iterator[Pooled]:
        return (self.made(at) for at in range(len(self)))

    def found_by(self, leg: str) -> NDArray[np.bool_]:
        """Which groups a leg found."""
        return self.columns[leg].ranks > 0 if leg in self.columns else np.zeros(len(self), bool)

    def scores_by(self, leg: str) -> NDArray[np.float64]:
        """What a leg gives to each group; 0 where it gives nothing."""
        return self.columns[leg].scores if leg in self.columns else np.zeros(len(self))

    def made(self, at: int) -> Pooled:
        """One group."""
        entry = Pooled({}, {})
        for leg, column in self.columns.items():
            rank = int(column.ranks[at])
            if rank:
                item = column.finds.made(rank - 1)
                score = float(column.scores[at])
                entry.legs[leg] = LegScore(
                    rank, score, item.raw, item.chunk, item.matched, item.window, elsewhere=item.elsewhere
                )
                if column.shown[at]:
                    entry.found[leg] = item
        return entry


def pool(
    rankings: Sequence[Ranking], group: Group, *, strict: bool = False, quoted: bool = False, points: bool = True
) -> Pool:
    """One entry per group that a leg found.

    `strict`: only passages that the keyword leg accepts; `quoted`: so too, where it accepts any. `points`: the query
    asks for what its identifiers name; otherwise it mentions them.
    """
    by_leg = {ranking.leg: ranking for ranking in rankings}
    # Words in quotes are demanded; only where nothing holds them does meaning stand in.
    by_words = strict or (quoted and "keyword" in by_leg and bool(by_leg["keyword"].found))
    places: dict[GroupKey, int] = {}
    numbers: dict[Scope, int] = {}
    drafts: dict[str, _Draft] = {}
    for leg in RANKED:
        if leg in by_leg:
            accepted = leg == "keyword" or not by_words
            drafts[leg] = _ranked(leg, finds_of(by_leg[leg]), group, places, numbers, accepted=accepted)
    if "exact" in by_leg:
        words = drafts.get("keyword")
        drafts["exact" if points else MENTIONED] = _exact(
            finds_of(by_leg["exact"]), group, places, numbers, words, strict=strict
        )
    columns = {leg: draft.column(len(places)) for leg, draft in drafts.items() if draft.places}
    return Pool(tuple(places), numbers, columns)


def finds_of(ranking: Ranking) -> Finds:
    """What a leg found, in columns."""
    return ranking.found if isinstance(ranking.found, Finds) else Listed(ranking.found)


@dataclass(frozen=True, slots=True)
class _Draft:
    """What a leg found, before it is known how many groups there are."""

    finds: Finds
    places: Sequence[int]
    """Of the groups, one for each find that counts …"""
    ranks: Sequence[int] | NDArray[np.int64]
    """… its rank …"""
    scores: Sequence[float] | NDArray[np.float64]
    """… and its score."""
    accepted: bool

    def column(self, count: int) -> Column:
        ranks, scores, shown = np.zeros(count, np.int64), np.zeros(count), np.zeros(count, bool)
        ranks[self.places] = self.ranks
        scores[self.places] = self.scores
        shown[self.places] = self.accepted
        return Column(self.finds, ranks, scores, shown)


def _ranked(
    leg: str, finds: Finds, group: Group, places: dict[GroupKey, int], numbers: dict[Scope, int], *, accepted: bool
) -> _Draft:
    scores = finds.scores
    keys = finds.groups(group, numbers)
    if leg == "dense" and len(scores):
        # What is not nearer than texts taken at random is left out: everything would match every question.
        far = scores <= 0
        end = int(far.argmax()) if far.any() else len(scores)
        scores, keys = scores[:end], keys[:end]
    if accepted:
        mine = [places.setdefault(key, len(places)) for key in keys]
        return _Draft(finds, mine, np.arange(1, len(keys) + 1), scores, True)
    # What is shown of an element is a passage that the words accept.
    known = [at for at, key in enumerate(keys) if key in places]
    return _Draft(finds, [places[keys[at]] for at in known], [at + 1 for at in known], scores[known], False)


def _exact(
    finds: Finds,
    group: Group,
    places: dict[GroupKey, int],
    numbers: dict[Scope, int],
    words: _Draft | None,
    *,
    strict: bool,
) -> _Draft:
    """What carries identifiers of the query: 1 for as many of them as anything does, less for fewer."""
    best: dict[GroupKey, list[tuple[int, Found]]] = {}
    for rank, item in enumerate(finds, start=1):
        chunks = best.setdefault(group_key(item, group, numbers), [])
        if not chunks or item.score == chunks[0][1].score:
            chunks.append((rank, item))
    most = max((chunks[0][1].raw for chunks in best.values()), default=1.0)
    ranks_of_words = dict(zip(words.places, words.ranks, strict=True)) if words and best else {}
    chosen, ranks, scores = [], [], []
    for key, chunks in best.items():
        rank, item = next(_said_by_words(chunks, words, ranks_of_words.get(places.get(key, -1))), (0, chunks[0][1]))
        if strict and not rank:
            continue
        chosen.append(places.setdefault(key, len(places)))
        ranks.append(rank or chunks[0][0])
        scores.append(item.raw / most)
    return _Draft(finds, chosen, ranks, scores, True)


def _said_by_words(
    chunks: Sequence[tuple[int, Found]], words: _Draft | None, rank: int | None
) -> Iterator[tuple[int, Found]]:
    """Those of the passages that the words chose too; where none is, the first that carries the identifier counts."""
    if words is None or rank is None:
        return
    said = words.finds.made(int(rank) - 1)
    for pair in chunks:
        if (pair[1].chunk, pair[1].version_id) == (said.chunk, said.version_id):
            yield pair
