"""Signals: what the kinds of the candidates know besides the words, each bounded, weighted and traced by its name.

A signal moves a score by weight · value towards 1, as the graph leg does, in the order in which its kind declares it.
The exact tier stays as it is. What a candidate's kind is, its recipe says: where none has signals, nothing is read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pincite.protocols.kind import Signal, SignalInput
from pincite.search.candidates import Candidate
from pincite.search.excerpts import cut_of
from pincite.search.query import Reader
from pincite.search.understand import Plan
from pincite.types import Content

DEPTH = 100
"""Candidates that are looked at, the best ones: constant, so that pages do not depend on how many were asked for."""


def with_signals(reader: Reader, plan: Plan, candidates: Sequence[Candidate]) -> Sequence[Candidate]:
    """The candidates in the order that the signals of their kinds give them."""
    if not reader.kinds.have_signals:
        return candidates
    concerned = {
        at: signals
        for at, candidate in enumerate(candidates[:DEPTH])
        if "exact" not in candidate.legs and (signals := reader.kinds.signals_behind(candidate.found.recipe))
    }
    if not concerned:
        return candidates
    # What was erased a moment ago is left out.
    headers = reader.catalog.elements.headers({cut_of(candidates[at].found) for at in concerned})
    ranked = list(candidates)
    for at, signals in concerned.items():
        content = headers.get(cut_of(candidates[at].found))
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
