"""Signals: what the kinds of the candidates know beside the words, each bounded, weighted and traced by its name.

A signal moves a score by weight · value towards 1, as the graph leg does, in the order in which its kind declares it.
The exact tier stays as it is. What a candidate's kind is, its recipe says: where none has signals, nothing is read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pincite.protocols import Session
from pincite.protocols.kind import Signal, SignalInput
from pincite.queries import Found
from pincite.search.fuse import Candidate
from pincite.search.query import Reader
from pincite.search.understand import Plan
from pincite.types import Content, Scope

DEPTH = 100
"""Candidates that are looked at, the best ones: constant, so that pages do not depend on how many were asked for."""

_Key = tuple[Scope, str, str]


def with_signals(reader: Reader, plan: Plan, candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
    """The candidates in the order that the signals of their kinds give them."""
    concerned = {
        at: signals
        for at, candidate in enumerate(candidates[:DEPTH])
        if "exact" not in candidate.legs and (signals := reader.kinds.signals_behind(candidate.found.recipe))
    }
    if not concerned:
        return candidates
    contents = _contents(reader.catalog, [candidates[at].found for at in concerned])
    ranked = list(candidates)
    for at, signals in concerned.items():
        content = contents.get(_key(candidates[at].found))
        if content is not None:
            ranked[at] = _moved(candidates[at], signals, plan, content)
    return tuple(sorted(ranked, key=Candidate.order))


def _moved(candidate: Candidate, signals: Sequence[Signal], plan: Plan, content: Content) -> Candidate:
    scores = {leg: found.score for leg, found in candidate.legs.items()}
    seen = SignalInput(plan.text, plan.language, content, scores)
    score, traced = candidate.score, dict(candidate.signals)
    for signal in signals:
        gain = signal.weight * min(1.0, max(0.0, signal.of(seen))) * (1 - score)
        score += gain
        traced[signal.name] = gain
    return replace(candidate, score=score, signals=traced)


def _contents(catalog: Session, found: Sequence[Found]) -> dict[_Key, Content]:
    """What the candidates are, without their texts; what was erased a moment ago is left out."""
    out: dict[_Key, Content] = {}
    for item in found:
        if _key(item) not in out:
            version = catalog.elements.version(item.scope, item.element_id, item.version_id)
            if version is not None:
                out[_key(item)] = replace(version.content, text="")
    return out


def _key(found: Found) -> _Key:
    return found.scope, found.element_id, found.version_id
