"""Fuse: what the legs found becomes one pool of candidates, each with what every leg says of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pincite.queries import Found, Ranking
from pincite.search.query import LegScore
from pincite.types import Scope

Key = tuple[object, ...]
RANKED = ("keyword", "dense", "related")
"""Legs that give every candidate a bounded score; the exact leg forms a tier above them."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A chunk of the pool with what each leg says of it."""

    found: Found
    score: float
    legs: Mapping[str, LegScore]
    signals: Mapping[str, float] = field(default_factory=dict)
    """What each signal added to the score."""

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
class Pooled:
    """One group of the pool: its passage according to each leg."""

    found: dict[str, Found]
    legs: dict[str, LegScore]


def pool(
    rankings: Sequence[Ranking], group: str, *, strict: bool = False, quoted: bool = False, points: bool = True
) -> tuple[Pooled, ...]:
    """One entry per group that a leg found.

    `strict`: only passages that the keyword leg accepts; `quoted`: so too, where it accepts any. `points`: the query
    asks for what its identifiers name; otherwise they are words among others.
    """
    by_leg = {ranking.leg: ranking for ranking in rankings}
    # Words in quotes are demanded; only where nothing holds them does meaning stand in.
    by_words = strict or (quoted and "keyword" in by_leg and bool(by_leg["keyword"].found))
    entries: dict[Key, Pooled] = {}
    for leg in RANKED:
        for rank, item in enumerate(by_leg[leg].found if leg in by_leg else (), start=1):
            if leg == "dense" and item.score <= 0:
                break  # no nearer than texts taken at random: everything would match every question
            key = _key(item, group)
            entry = entries.get(key)
            accepted = leg == "keyword" or not by_words
            if entry is None:
                if not accepted:
                    continue  # what is shown of an element is a passage that the words accept
                entry = entries[key] = Pooled({}, {})
            if accepted:
                entry.found[leg] = item
            entry.legs[leg] = LegScore(
                rank, item.score, item.raw, item.chunk, item.matched, item.window, elsewhere=item.elsewhere
            )
    if points and "exact" in by_leg:
        for key, rank, item, share in _exact(by_leg["exact"], group, entries, strict=strict):
            entry = entries.setdefault(key, Pooled({}, {}))
            entry.found["exact"] = item
            entry.legs["exact"] = LegScore(rank, share, item.raw, item.chunk, item.matched)
    return tuple(entries.values())


def _exact(
    ranking: Ranking, group: str, known: Mapping[Key, Pooled], *, strict: bool
) -> Iterator[tuple[Key, int, Found, float]]:
    """What carries identifiers of the query: 1 for as many of them as anything does, less for fewer."""
    chunks: dict[Key, list[tuple[int, Found]]] = {}
    for rank, item in enumerate(ranking.found, start=1):
        best = chunks.setdefault(_key(item, group), [])
        if not best or item.score == best[0][1].score:
            best.append((rank, item))
    most = max((items[0][1].raw for items in chunks.values()), default=1.0)
    for key, items in chunks.items():
        # The passage that the words chose too, else the first that carries the identifier.
        words = known[key].found.get("keyword") if key in known else None
        same = [
            pair for pair in items if words and (pair[1].chunk, pair[1].version_id) == (words.chunk, words.version_id)
        ]
        if strict and not same:
            continue
        rank, item = same[0] if same else items[0]
        yield key, rank, item, item.raw / most


def _key(found: Found, group: str) -> Key:
    key: tuple[Scope, str] = (found.scope, found.element_id)
    return key if group == "element" else (*key, found.version_id, found.chunk)
