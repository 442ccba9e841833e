"""Siblings: the other passages of a hit's element that answer the query too.

The legs are asked once more about the elements of one page, every passage for itself. What they say is weighed as for
the page, so a passage scores here what it scores where passages are hits of their own, as far as legs reach there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pincite.queries import Among, Ranking, VectorQuery, WordQuery
from pincite.search.fuse import RANKED, Candidate, Pooled, pool
from pincite.search.legs import DEPTH
from pincite.search.query import Query, Reader
from pincite.search.rerank import rerank
from pincite.search.understand import Plan
from pincite.types import Scope, View

ENOUGH = 0.5
"""Share of what words and meaning give to the element's best passage from which another one is shown. An identifier
does not count: the one passage that a query names would hide all that speak of the same thing."""

Element = tuple[Scope, str]


def siblings(
    reader: Reader,
    views: Sequence[View],
    plan: Plan,
    query: Query,
    rankings: Sequence[Ranking],
    hits: Sequence[Candidate],
) -> list[tuple[Candidate, ...]]:
    """For each hit the passages of its element that count, best first, its own before all; none for single chunks."""
    if query.group != "element" or not hits:
        return [() for _ in hits]
    if not reader.index.features.among:
        return [(hit,) for hit in hits]
    by_element = {_element(hit): hit for hit in hits}
    about = Among(frozenset(by_element), DEPTH)
    asked = [_ask(reader, views, ranking, about) for ranking in rankings]
    quoted = plan.query_class == "quoted"
    entries = pool(asked, "chunk", strict=plan.strict, quoted=quoted, points=plan.points)
    # Ranks among the passages of one page mean nothing; what each leg gives to a passage does.
    options = replace(reader.ranking, fusion="signals")
    mine = [part for entry in entries if (part := _as_found(entry, by_element))]
    found: dict[Element, list[Candidate]] = {}
    for candidate in rerank(mine, rankings, plan, options):
        found.setdefault(_element(candidate), []).append(candidate)
    return [_best(hit, found.get(_element(hit), []), query.min_score) for hit in hits]


def _element(candidate: Candidate) -> Element:
    return candidate.found.scope, candidate.found.element_id


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


def _as_found(entry: Pooled, hits: dict[Element, Candidate]) -> Pooled | None:
    """What the legs that found the element say of its passage; the others looked elsewhere and do not count for it."""
    first = next(iter(entry.found.values()))
    hit = hits.get((first.scope, first.element_id))
    if hit is None or entry.legs.keys() <= hit.legs.keys():
        return entry if hit else None
    found = {leg: item for leg, item in entry.found.items() if leg in hit.legs}
    return Pooled(found, {leg: score for leg, score in entry.legs.items() if leg in hit.legs}) if found else None


def _best(hit: Candidate, passages: Sequence[Candidate], min_score: float) -> tuple[Candidate, ...]:
    """The hit's own passage, then those that words or meaning find, not far behind the best."""
    own = next((passage for passage in passages if _place(passage) == _place(hit)), hit)
    least = ENOUGH * max(map(_evidence, passages), default=0.0)
    others = [passage for passage in passages if passage is not own and passage.score >= min_score]
    return (own, *(passage for passage in others if _evidence(passage) >= least and _evidence(passage) > 0))


def _evidence(candidate: Candidate) -> float:
    return sum(candidate.signals.get(leg, 0.0) for leg in RANKED)


def _place(candidate: Candidate) -> tuple[str, int]:
    return candidate.found.version_id, candidate.found.chunk
