"""The graph leg: what the best hits refer to, and what refers to them, gains a little.

One step along the relations that kinds declare (`refers_to` for documents), from the best hits alone. A candidate's
evidence is the share of those hits, weighed by their scores, that it is joined to; its score moves by `weight` times
that towards 1. Candidates are never added, the exact tier stays on top, and where nothing refers to anything the order
is as it was. Relations are read at the revision of the view, so that a replay is exact.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from pincite.ids import normalise_id
from pincite.protocols.kind import LinkForms
from pincite.search.candidates import Candidate
from pincite.search.excerpts import Excerpts
from pincite.search.query import LegReport, LegScore, Query, Reader
from pincite.search.references import MAX_NAMED, Follower, addresses, fetch_targets, span_of, target_ids
from pincite.search.shelf import ElementShelf, End
from pincite.types import Around, Called, Edges, Excerpt, Relation, Scope, View

SEEDS = 10
"""Hits from which references are followed."""
MAX_EDGES = 200
"""References of one hit that are followed, in the order of the text; a table of contents says little."""


@dataclass(frozen=True, slots=True)
class Joined:
    """The candidates with what the graph says, and how that went."""

    candidates: Sequence[Candidate]
    report: LegReport


def join(
    reader: Reader, views: Sequence[View], query: Query, candidates: Sequence[Candidate], read: Excerpts
) -> Joined:
    """The candidates in the order that references give them."""
    weight = reader.ranking.graph
    if weight <= 0:
        return Joined(candidates, LegReport("graph", "off", reason="its weight is 0 (retrieval.graph)"))
    if query.mode not in ("hybrid", "semantic"):
        return Joined(candidates, LegReport("graph", "off", reason=f"not part of mode {query.mode}"))
    started = time.perf_counter()
    evidence = _evidence(reader, views, candidates, read)
    ranked = (
        sorted((_moved(item, evidence, weight) for item in candidates), key=Candidate.order) if evidence else candidates
    )
    report = LegReport("graph", "ok", len(evidence), round(1000 * (time.perf_counter() - started), 3))
    return Joined(tuple(ranked), report)


def _moved(candidate: Candidate, evidence: Mapping[End, tuple[int, float]], weight: float) -> Candidate:
    found = candidate.found
    if (found.scope, found.element_id) not in evidence:
        return candidate
    rank, share = evidence[found.scope, found.element_id]
    legs = {**candidate.legs, "graph": LegScore(rank, share, share, found.chunk)}
    if "exact" in candidate.legs:
        return replace(candidate, legs=legs)
    gain = weight * share * (1 - candidate.score)
    signals = {**candidate.signals, "graph": gain}
    return replace(candidate, score=candidate.score + gain, legs=legs, signals=signals)


def _evidence(
    reader: Reader, views: Sequence[View], candidates: Sequence[Candidate], read: Excerpts
) -> dict[End, tuple[int, float]]:
    """Rank and share of the best hits that each candidate is joined to."""
    pool = {_end(item) for item in candidates}
    seeds = list(_seeds(candidates))
    total = sum(seed.score for seed in seeds)
    shelf = ElementShelf(reader.catalog, {view.scope: view for view in views}, reader.kinds.links)
    joined = _joined_to(shelf, reader.kinds.relation_types, seeds, pool, read)
    shares: dict[End, float] = {}
    for seed in seeds:
        for other in sorted(joined[_end(seed)] & pool - {_end(seed)}):
            shares[other] = shares.get(other, 0.0) + seed.score / total
    ordered = sorted(shares, key=lambda end: (-shares[end], end))
    return {end: (rank, min(1.0, shares[end])) for rank, end in enumerate(ordered, start=1)}


def _seeds(candidates: Sequence[Candidate]) -> Iterator[Candidate]:
    """The best hits, one passage of each element."""
    seen: set[End] = set()
    for candidate in candidates:
        end = _end(candidate)
        if end not in seen and len(seen) < SEEDS:
            seen.add(end)
            yield candidate


def _joined_to(
    shelf: ElementShelf, types: Collection[str], seeds: Sequence[Candidate], pool: set[End], read: Excerpts
) -> dict[End, set[End]]:
    """For each hit the elements that its passage refers to, and those that refer to the hit's."""
    read.fetch((seed.found for seed in seeds), names=True)
    here = {_end(seed): read.of(seed.found) for seed in seeds}
    names = {end: _names(excerpt, shelf.links) if excerpt else [] for end, excerpt in here.items()}
    around = [_around(view, names) for view in shelf.views.values()]
    edges = dict(zip(shelf.views, shelf.catalog.relations.of_many(around), strict=True))
    outgoing, incoming = _by_end(edges, types)
    said: dict[End, list[Relation]] = {}
    joined: dict[End, set[End]] = {}
    for seed in seeds:
        end, excerpt = _end(seed), here[_end(seed)]
        mine = (item for item in outgoing.get(end, ()) if excerpt and _is_said(excerpt, seed, item))
        said[end] = list(islice(mine, MAX_EDGES))
        by_name = (incoming.get((end[0], normalise_id(name)), ()) for name in names[end])
        joined[end] = {(end[0], item.source) for items in by_name for item in items[:MAX_EDGES]}
    for end, target in _targets(shelf, said, edges, pool):
        joined[end].add(target)
    return joined


def _by_end(
    edges: Mapping[Scope, Edges], types: Collection[str]
) -> tuple[dict[End, list[Relation]], dict[End, list[Relation]]]:
    """Relations of these types by where they start, and by where they lead."""
    outgoing: dict[End, list[Relation]] = {}
    incoming: dict[End, list[Relation]] = {}
    for scope, found in edges.items():
        for item in found.relations:
            if item.relation_type in types:
                outgoing.setdefault((scope, item.source), []).append(item)
                incoming.setdefault((scope, item.target), []).append(item)
    return outgoing, incoming


def _around(view: View, names: Mapping[End, Sequence[str]]) -> Around:
    """Relations of the view's own hits: from them, and to whatever they are called."""
    mine = {element_id: called for (scope, element_id), called in names.items() if scope == view.scope and called}
    return Around(view, tuple(mine), tuple(dict.fromkeys(name for called in mine.values() for name in called)))


def _targets(
    shelf: ElementShelf, said: Mapping[End, Sequence[Relation]], edges: Mapping[Scope, Edges], pool: set[End]
) -> Iterator[tuple[End, End]]:
    """What each hit's passage refers to: the id that is stated, a path that leads there, or what is called so."""
    asked = [_unclear(view, said, edges[scope].elements, shelf.links) for scope, view in shelf.views.items()]
    wanted = {called.view.scope: called for called in asked if called.ids}
    answers = shelf.catalog.relations.called(wanted.values()) if wanted else ()
    found = dict(zip(wanted, answers, strict=True))
    unsure: list[tuple[End, Relation]] = []
    for end, relations in said.items():
        scope, known = end[0], edges[end[0]].elements
        for relation in relations:
            if relation.target in known:
                yield end, (scope, relation.target)
                continue
            there = next((i for i in target_ids(relation, shelf.links) if i in found[scope].elements), "")
            ids = {element_id for element_id, _ in found[scope].named[relation.target]}
            if there or len(ids) == 1:
                yield end, (scope, there or ids.pop())
            elif len(ids) <= MAX_NAMED and relation.target_section and any((scope, i) in pool for i in ids):
                unsure.append((end, relation))
    fetch_targets(shelf, [(end[0], relation) for end, relation in unsure])
    for end, relation in unsure:
        yield end, (end[0], Follower(shelf, end[0]).follow(relation).element_id)


def _unclear(view: View, said: Mapping[End, Sequence[Relation]], known: frozenset[str], links: LinkForms) -> Called:
    """What must be asked about relations whose target is not the id of an element."""
    unclear = [
        relation
        for (scope, _), relations in said.items()
        for relation in relations
        if scope == view.scope and relation.target not in known
    ]
    ids = dict.fromkeys(element_id for relation in unclear for element_id in target_ids(relation, links))
    return Called(view, tuple(ids), tuple(dict.fromkeys(relation.target for relation in unclear)))


def _is_said(here: Excerpt, seed: Candidate, relation: Relation) -> bool:
    """Whether the passage itself makes the reference, and to something else."""
    if relation.target == seed.found.element_id:
        return False
    chunk = here.chunks.get(seed.found.chunk)
    span = span_of(relation)
    return chunk is None or chunk.span is None or span is None or chunk.span.start <= span.start < chunk.span.end


def _names(here: Excerpt, links: LinkForms) -> list[str]:
    """What relations to this element may say: its id, paths that end in it, its place in a larger work."""
    parts = [alias.identifier for alias in here.names if alias.section_id and "." in alias.identifier]
    known = (*addresses(here.version.element_id, links), *(part for part in parts if part.islower()))
    return list(dict.fromkeys(known))


def _end(candidate: Candidate) -> End:
    return candidate.found.scope, candidate.found.element_id
