"""Fuse: the rankings of the legs become one order of hits.

Exact identifiers form the top tier: 1 for what carries as many of the query's identifiers as anything does, less for
fewer. Below it the keyword leg's bounded score decides. The order is total: tier, score,
keyword score, then element, version and chunk.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pincite.index.queries import Found, Ranking
from pincite.search.query import LegScore
from pincite.types import Scope

Key = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A chunk of the pool with what each leg says of it."""

    found: Found
    score: float
    legs: dict[str, LegScore]

    def order(self) -> tuple[object, ...]:
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


def fuse(
    rankings: Sequence[Ranking], group: str, *, strict: bool = False, points: bool = True
) -> tuple[Candidate, ...]:
    """One candidate per group, best first. `strict`: only passages that the keyword leg accepts.

    `points`: the query asks for what its identifiers name; otherwise they are words among others.
    """
    by_leg = {ranking.leg: ranking for ranking in rankings if points or ranking.leg != "exact"}
    exact = _exact_chunks(by_leg.get("exact"), group)
    best = max((chunks[0][1].raw for chunks in exact.values()), default=1.0)
    pool: dict[Key, Candidate] = {}
    for rank, found in enumerate(by_leg["keyword"].found if "keyword" in by_leg else (), start=1):
        legs = {"keyword": LegScore(rank, found.score, found.raw, found.chunk, found.matched)}
        pool[_key(found, group)] = Candidate(found, found.score, legs)
    for key, chunks in exact.items():
        known = pool.get(key)
        # The passage that both legs chose, else the first that carries the identifier.
        same = [
            item
            for item in chunks
            if known and item[1].chunk == known.found.chunk and item[1].version_id == known.found.version_id
        ]
        if strict and not same:
            continue
        rank, found = same[0] if same else chunks[0]
        legs = dict(known.legs) if known else {}
        score = found.raw / best
        legs["exact"] = LegScore(rank, score, found.raw, found.chunk, found.matched)
        pool[key] = Candidate(found, score, legs)
    return tuple(sorted(pool.values(), key=Candidate.order))


def _exact_chunks(ranking: Ranking | None, group: str) -> dict[Key, list[tuple[int, Found]]]:
    out: dict[Key, list[tuple[int, Found]]] = {}
    for rank, found in enumerate(ranking.found if ranking else (), start=1):
        best = out.setdefault(_key(found, group), [])
        if not best or found.score == best[0][1].score:
            best.append((rank, found))
    return out


def _key(found: Found, group: str) -> Key:
    key: tuple[Scope, str] = (found.scope, found.element_id)
    return key if group == "element" else (*key, found.version_id, found.chunk)
