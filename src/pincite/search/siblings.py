"""Siblings: the other passages of a hit's element that answer the query too.

The legs are asked once more about the elements of one page, every passage for itself. What they say is weighed as for
the page, so a passage scores here what it scores where passages are hits of their own, as far as legs reach there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from pincite.queries import Among, GroupKey, Ranking, VectorQuery, WordQuery
from pincite.search.candidates import Candidate, Candidates, Places, Weighed, in_order
from pincite.search.fuse import RANKED, Pool, pool
from pincite.search.legs import DEPTH
from pincite.search.query import Query, Reader
from pincite.search.rerank import leg_shares, lift, summed, weigh
from pincite.search.understand import Plan
from pincite.types import View

ENOUGH = 0.5
"""Share of what words and meaning give to the element's best passage from which another one is shown. An identifier
does not count: the one passage that a query names would hide all that speak of the same thing."""


def siblings(
    reader: Reader,
    views: Sequence[View],
    plan: Plan,
    query: Query,
    rankings: Sequence[Ranking],
    hits: Sequence[Candidate],
) -> Sequence[Sequence[Candidate]]:
    """For each hit the passages of its element that count, best first, its own before all; none for single chunks."""
    if query.group != "element" or not hits:
        return [() for _ in hits]
    if not reader.index.features.among:
        return [(hit,) for hit in hits]
    about = Among(frozenset((hit.found.scope, hit.found.element_id) for hit in hits), DEPTH)
    asked = [_ask(reader, views, ranking, about) for ranking in rankings]
    quoted = plan.query_class == "quoted"
    pooled = pool(asked, "chunk", strict=plan.strict, quoted=quoted, points=plan.points)
    shares = leg_shares(rankings, plan, reader.ranking)
    return passages_of(pooled, hits, shares, lift(rankings, shares, reader.ranking), query.min_score)


def passages_of(
    pooled: Pool, hits: Sequence[Candidate], shares: Mapping[str, float], lifted: float, min_score: float
) -> list[Candidates]:
    """Of a pool of passages those of each hit's element, where the legs count so much."""
    places = {_element(hit, pooled): number for number, hit in enumerate(hits)}
    hit_of = np.array([places.get(key[:2], -1) for key in pooled.keys], np.int64)
    # Ranks among the passages of one page mean nothing; what each leg gives to a passage does.
    return _best(weigh(_as_found(pooled, hit_of, hits), shares, "signals", lifted), hit_of, hits, min_score)


def _element(hit: Candidate, pooled: Pool) -> GroupKey:
    return pooled.numbers.get(hit.found.scope, -1), hit.found.element_id


def _ask(reader: Reader, views: Sequence[View], ranking: Ranking, about: Among) -> Ranking:
    """The leg's question about these elements only; the exact leg has said it all, passage by passage."""
    if isinstance(ranking.asked, WordQuery):
        asked = replace(ranking.asked, among=about, explained=0)
        return replace(reader.index.keyword(views, asked), leg=ranking.leg)
    if isinstance(ranking.asked, VectorQuery):
        return reader.index.dense(views, replace(ranking.asked, among=about))
    mine = [found for found in ranking.found[1:] if (found.scope, found.element_id) in about.elements]
    # The first carries most identifiers: it sets the scale wherever it is.
    return replace(ranking, found=(*ranking.found[:1], *mine))


def _as_found(pooled: Pool, hit_of: Places, hits: Sequence[Candidate]) -> Pool:
    """What the legs that found the element say of its passages; the others looked elsewhere and do not count for it."""
    known = hit_of >= 0
    columns = {
        leg: column.kept(known & np.array([leg in hit.legs for hit in hits], bool)[hit_of])
        for leg, column in pooled.columns.items()
    }
    shown = np.logical_or.reduce([column.shown for column in columns.values()]) if columns else known
    return replace(pooled, columns={leg: column.kept(shown) for leg, column in columns.items()})


def _best(weighed: Weighed, hit_of: Places, hits: Sequence[Candidate], min_score: float) -> list[Candidates]:
    """For each hit its own passage, then those that words or meaning find, not far behind the best."""
    ordered = in_order(weighed).places
    evidence = summed({leg: weighed.signals[leg] for leg in RANKED if leg in weighed.signals}, len(hit_of))
    counts = (evidence > 0) & (weighed.scores >= min_score)
    own = {key: at for at, key in enumerate(weighed.pool.keys)}
    out = []
    for number, hit in enumerate(hits):
        mine = ordered[hit_of[ordered] == number]
        least = ENOUGH * float(evidence[mine].max(initial=0.0))
        at = own.get((*_element(hit, weighed.pool), hit.found.version_id, hit.found.chunk), -1)
        here = at in mine
        others = mine[counts[mine] & (evidence[mine] >= least) & (mine != at)]
        out.append(Candidates(weighed, np.append(at, others)) if here else Candidates(weighed, others, hit))
    return out
