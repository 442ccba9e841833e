"""Lines of an answer: put in their order, cut to what was asked for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from pincite.queries import Among, Found, Matched
from pincite.types import Scope


@dataclass(frozen=True, slots=True)
class Line:
    """A chunk in one lifetime, with what a leg gave to it."""

    id: int
    scope: Scope
    element_id: str
    version_id: str
    recipe: str
    lifetime_id: int
    born: int
    number: int
    text: int | None
    raw: float = 0.0

    def group(self, by: str) -> tuple[object, ...]:
        """What makes two rows one hit."""
        return (self.scope, self.element_id) if by == "element" else (self.scope, self.id)

    def order(self) -> tuple[object, ...]:
        """The best first; ties by id, version and number."""
        return (
            -self.raw, self.element_id, self.version_id, self.number, self.scope, self.born, self.lifetime_id,
        )  # fmt: skip

    def found(self, score: float, matched: tuple[Matched, ...] = (), window: int = -1) -> Found:
        return Found(
            self.scope,
            self.element_id,
            self.version_id,
            self.recipe,
            self.lifetime_id,
            self.number,
            score,
            self.raw,
            matched,
            window,
        )


def grouping(group: str, among: Among | None) -> str:
    return "chunk" if among else group


def shown(ordered: Sequence[Line], group: str, depth: int, among: Among | None) -> list[Line]:
    """What a query asks to see of rows in their order."""
    by, each = ("element", among.each) if among else (group, 1)
    seen: Counter[tuple[object, ...]] = Counter()
    out = []
    for item in ordered:
        seen[item.group(by)] += 1
        if seen[item.group(by)] <= each:
            out.append(item)
    return out if among else out[:depth]
