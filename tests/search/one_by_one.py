"""Fusing and ranking one candidate after the other: slow, plain, and what the arrays of the search must agree with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pincite.queries import Found, Ranking
from pincite.search.candidates import Candidate
from pincite.search.query import LegScore
from pincite.search.rrf import K, Ranks

RANKED = ("keyword", "dense", "related")


@dataclass
class Entry:
    """One group: its passage according to each leg, and what each says of it."""

    found: dict[str, Found]
    legs: dict[str, LegScore]


def pooled(
    rankings: Sequence[Ranking], group: str, *, strict: bool, quoted: bool, points: bool
) -> dict[tuple[object, ...], Entry]:
    by_leg = {ranking.leg: ranking for ranking in rankings}
    by_words = strict or (quoted and "keyword" in by_leg and bool(by_leg["keyword"].found))
    entries: dict[tuple[object, ...], Entry] = {}
    for leg in RANKED:
        for rank, item in enumerate(by_leg[leg].found if leg in by_leg else (), start=1):
            if leg == "dense" and item.score <= 0:
                break
            entry = entries.get(key_of(item, group))
            accepted = leg == "keyword" or not by_words
            if entry is None:
                if not accepted:
                    continue
                entry = entries[key_of(item, group)] = Entry({}, {})
            if accepted:
                entry.found[leg] = item
            entry.legs[leg] = LegScore(
                rank, item.score, item.raw, item.chunk, item.matched, item.window, elsewhere=item.elsewhere
            )
    if "exact" in by_leg:
        name = "exact" if points else "mentioned"
        for key, rank, item, share in exact(by_leg["exact"], group, entries, strict=strict):
            entry = entries.setdefault(key, Entry({}, {}))
            entry.found[name] = item
            entry.legs[name] = LegScore(rank, share, item.raw, item.chunk, item.matched)
    return entries


def exact(
    ranking: Ranking, group: str, known: Mapping[tuple[object, ...], Entry], *, strict: bool
) -> Iterator[tuple[tuple[object, ...], int, Found, float]]:
    chunks: dict[tuple[object, ...], list[tuple[int, Found]]] = {}
    for rank, item in enumerate(ranking.found, start=1):
        best = chunks.setdefault(key_of(item, group), [])
        if not best or item.score == best[0][1].score:
            best.append((rank, item))
    most = max((items[0][1].raw for items in chunks.values()), default=1.0)
    for key, items in chunks.items():
        words = known[key].found.get("keyword") if key in known else None
        same = [
            pair for pair in items if words and (pair[1].chunk, pair[1].version_id) == (words.chunk, words.version_id)
        ]
        if strict and not same:
            continue
        rank, item = same[0] if same else items[0]
        yield key, rank, item, item.raw / most


def key_of(found: Found, group: str) -> tuple[object, ...]:
    key = (found.scope, found.element_id)
    return key if group == "element" else (*key, found.version_id, found.chunk)


def by_signals(entry: Entry, shares: Mapping[str, float], lifted: float = 0.0) -> Candidate:
    signals = {leg: share * entry.legs[leg].score for leg, share in shares.items() if leg in entry.legs}
    if "exact" in entry.legs:
        whole = entry.legs["exact"].score
        return Candidate(entry.found["exact"], whole, entry.legs, {**signals, "exact": whole})
    score = sum(signals.values())
    if "mentioned" in entry.legs and lifted:
        signals["mentioned"] = lifted * (1 - score) * entry.legs["mentioned"].score
        score += signals["mentioned"]
    return Candidate(passage(entry, signals), score, entry.legs, signals)


def by_rank(entry: Entry, shares: Mapping[str, float]) -> Candidate:
    weights = {**shares, "exact": 1.0} if "exact" in entry.legs else dict(shares)
    signals = {leg: weights[leg] * (K + 1) / (K + entry.legs[leg].rank) for leg in weights if leg in entry.legs}
    return Candidate(passage(entry, signals), min(1.0, sum(signals.values())), entry.legs, signals)


def by_stated_ranks(entries: Sequence[Entry], ranks: Ranks) -> list[Candidate]:
    answered = {leg for entry in entries for leg in entry.legs if leg in ranks.weights}
    if not answered:
        return []
    scale = (ranks.k + 1) / sum(ranks.weights[leg] for leg in sorted(answered))
    out = []
    for entry in entries:
        legs = {leg: score for leg, score in entry.legs.items() if leg in answered}
        signals = {leg: scale * ranks.weights[leg] / (ranks.k + legs[leg].rank) for leg in sorted(legs)}
        out.append(Candidate(passage(entry, signals), sum(signals.values()), legs, signals))
    return ordered(out)


def passage(entry: Entry, signals: Mapping[str, float]) -> Found:
    return entry.found[max(entry.found, key=lambda leg: (signals.get(leg, 0.0), leg == "keyword"))]


def ordered(candidates: Sequence[Candidate]) -> list[Candidate]:
    return sorted((candidate for candidate in candidates if candidate.score > 0), key=Candidate.order)


def best_passages(hit: Candidate, passages: Sequence[Candidate], min_score: float, enough: float) -> list[Candidate]:
    """The hit's own passage, then those that words or meaning find, not far behind the best."""

    def evidence(candidate: Candidate) -> float:
        return sum(candidate.signals.get(leg, 0.0) for leg in RANKED)

    def place(candidate: Candidate) -> tuple[str, int]:
        return candidate.found.version_id, candidate.found.chunk

    own = next((passage for passage in passages if place(passage) == place(hit)), hit)
    least = enough * max(map(evidence, passages), default=0.0)
    others = [passage for passage in passages if passage is not own and passage.score >= min_score]
    return [own, *(passage for passage in others if evidence(passage) >= least and evidence(passage) > 0)]


def as_found(entry: Entry, hits: Mapping[tuple[object, ...], Candidate]) -> Entry | None:
    """What the legs that found the element say of its passage."""
    first = next(iter(entry.found.values()))
    hit = hits.get((first.scope, first.element_id))
    if hit is None or entry.legs.keys() <= hit.legs.keys():
        return entry if hit else None
    found = {leg: item for leg, item in entry.found.items() if leg in hit.legs}
    return Entry(found, {leg: score for leg, score in entry.legs.items() if leg in hit.legs}) if found else None
