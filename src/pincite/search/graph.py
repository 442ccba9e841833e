"""The graph leg: what the best hits refer to, and what refers to them, gains a little.

One step along the relations that kinds declare (`refers_to` for documents), from the best hits alone. A candidate's
evidence is the share of those hits, weighed by their scores, that it is joined to; its score moves by `weight` times
that towards 1. Candidates are never added, the exact tier stays on top, and where nothing refers to anything the order
is as it was. Relations are read at the revision of the view, so that a replay is exact.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pincite.protocols.kind import LinkForms
from pincite.search.fuse import Candidate
from pincite.search.passages import Located
from pincite.search.query import LegReport, LegScore, Query, Reader
from pincite.search.references import Follower, addresses, span_of
from pincite.types import Relation, Scope, View

SEEDS = 10
"""Hits from which references are followed."""
MAX_EDGES = 200
"""References of one hit that are followed, in the order of the text; a table of contents says little."""

_End = tuple[Scope, str]


@dataclass(frozen=True, slots=True)
class Joined:
    """The candidates with what the graph says, and how that went."""

    candidates: tuple[Candidate, ...]
    report: LegReport


def join(reader: Reader, views: Sequence[View], query: Query, candidates: tuple[Candidate, ...]) -> Joined:
    """The candidates in the order that references give them."""
    weight = reader.ranking.graph
    if weight <= 0:
        return Joined(candidates, LegReport("graph", "off", reason="its weight is 0 (retrieval.graph)"))
    if query.mode not in ("hybrid", "semantic"):
        return Joined(candidates, LegReport("graph", "off", reason=f"not part of mode {query.mode}"))
    started = time.perf_counter()
    evidence = _evidence(reader, {view.scope: view for view in views}, candidates)
    ranked = (
        sorted((_moved(item, evidence, weight) for item in candidates), key=Candidate.order) if evidence else candidates
    )
    report = LegReport("graph", "ok", len(evidence), round(1000 * (time.perf_counter() - started), 3))
    return Joined(tuple(ranked), report)


def _moved(candidate: Candidate, evidence: Mapping[_End, tuple[int, float]], weight: float) -> Candidate:
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
    reader: Reader, views: Mapping[Scope, View], candidates: Sequence[Candidate]
) -> dict[_End, tuple[int, float]]:
    """Rank and share of the best hits that each candidate is joined to."""
    pool = {(item.found.scope, item.found.element_id) for item in candidates}
    seeds = list(_seeds(candidates))
    total = sum(seed.score for seed in seeds)
    shares: dict[_End, float] = {}
    for seed in seeds:
        end = (seed.found.scope, seed.found.element_id)
        for other in sorted(_joined_to(reader, views[seed.found.scope], seed) & pool - {end}):
            shares[other] = shares.get(other, 0.0) + seed.score / total
    ordered = sorted(shares, key=lambda end: (-shares[end], end))
    return {end: (rank, min(1.0, shares[end])) for rank, end in enumerate(ordered, start=1)}


def _seeds(candidates: Sequence[Candidate]) -> Iterator[Candidate]:
    """The best hits, one passage of each element."""
    seen: set[_End] = set()
    for candidate in candidates:
        end = (candidate.found.scope, candidate.found.element_id)
        if end not in seen and len(seen) < SEEDS:
            seen.add(end)
            yield candidate


def _joined_to(reader: Reader, view: View, seed: Candidate) -> set[_End]:
    """Elements that the hit's passage refers to, and elements that refer to the hit's."""
    follower = Follower(reader.catalog, view, reader.kinds.links)
    here = follower.located(seed.found.element_id)
    if here is None:
        return set()
    relations = reader.catalog.relations
    types = reader.kinds.relation_types
    leaving = (item for item in relations.of(view, seed.found.element_id, "out") if item.relation_type in types)
    out = [item for item in leaving if _is_said(here, seed, item)]
    ends = {follower.follow(item).element_id for item in out[:MAX_EDGES]}
    for name in _names(here, reader.kinds.links):
        incoming = (item for item in relations.of(view, name, "in") if item.relation_type in types)
        ends |= {item.source for _, item in zip(range(MAX_EDGES), incoming, strict=False)}
    return {(seed.found.scope, element_id) for element_id in ends if element_id}


def _is_said(here: Located, seed: Candidate, relation: Relation) -> bool:
    """Whether the passage itself makes the reference, and to something else."""
    if relation.target == seed.found.element_id:
        return False
    chunks = here.derivation.chunks
    chunk = chunks[seed.found.chunk] if seed.found.chunk < len(chunks) else None
    span = span_of(relation)
    return chunk is None or chunk.span is None or span is None or chunk.span.start <= span.start < chunk.span.end


def _names(here: Located, links: LinkForms) -> list[str]:
    """What relations to this element may say: its id, paths that end in it, its place in a larger work."""
    parts = [a.identifier for a in here.derivation.aliases if a.span is None and a.section_id and "." in a.identifier]
    return list(
        dict.fromkeys((*addresses(here.version.element_id, links), *(part for part in parts if part.islower())))
    )
