"""Chooses the candidates of the set: every type gets its share, and within a type elements take turns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pincite.ids import text_hash


@dataclass(frozen=True, slots=True)
class SuggestedQuestion:
    """A question and the one place that answers it."""

    type: str
    query: str
    element_id: str
    section_id: str = ""
    language: str = ""
    note: str = ""

    @property
    def lot(self) -> str:
        """Decides between equals by a hash, so that neither the alphabet nor the order of ingest matters."""
        return text_hash("\0".join((self.type, self.element_id, self.section_id, self.query)))


def choose(found: Iterable[SuggestedQuestion], types: Sequence[str], limit: int) -> list[SuggestedQuestion]:
    """At most `limit` of the candidates, ordered by type, element, section.

    Types take turns; one that runs out leaves its share to the others. The second candidate of an element comes after
    the first of all others.
    """
    pool = list(dict.fromkeys(found))
    queues = {type_: _in_turns([c for c in pool if c.type == type_]) for type_ in types}
    chosen: list[SuggestedQuestion] = []
    while len(chosen) < limit and any(queues.values()):
        for queue in queues.values():
            if queue and len(chosen) < limit:
                chosen.append(queue.pop())
    order = {type_: number for number, type_ in enumerate(types)}
    return sorted(chosen, key=lambda c: (order[c.type], c.element_id, c.section_id, c.query))


def _in_turns(candidates: list[SuggestedQuestion]) -> list[SuggestedQuestion]:
    """The candidates in turns of their elements, in reverse order: the first to take is last."""
    turns: Counter[str] = Counter()
    keyed: list[tuple[int, str, SuggestedQuestion]] = []
    for lot, candidate in sorted(((c.lot, c) for c in candidates), key=lambda pair: pair[0]):
        keyed.append((turns[candidate.element_id], lot, candidate))
        turns[candidate.element_id] += 1
    keyed.sort(key=lambda item: item[:2], reverse=True)
    return [candidate for _, _, candidate in keyed]
