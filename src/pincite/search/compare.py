"""Compare: the same query in two read contexts — what appeared, vanished, changed, moved, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from pincite.protocols import Session
from pincite.search.passages import Located, chunk_passage
from pincite.search.query import LegReport, Passage, Query, Reader
from pincite.search.spine import Trace, trace
from pincite.search.views import views_of
from pincite.types import LiveElement, ReadContext, Scope, View

Change = Literal["appeared", "vanished", "changed", "moved", "same"]
CHANGES: tuple[Change, ...] = ("appeared", "vanished", "changed", "moved", "same")

Key = tuple[Scope, str]


@dataclass(frozen=True, slots=True)
class Standing:
    """An element's place in one of the two answers; beyond the page where its rank is."""

    rank: int
    score: float
    passage: Passage


@dataclass(frozen=True, slots=True)
class Compared:
    """One element of either page."""

    scope: Scope
    element_id: str
    name: str
    change: Change
    before: Standing | None
    after: Standing | None
    why: str = ""
    """What made it appear, vanish or change; empty where it only moved or did not."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Both pages side by side: in the order of the new one, then what vanished in the order of the old."""

    query: str
    limit: int
    hits: tuple[Compared, ...]
    before: tuple[Mapping[str, object], ...]
    after: tuple[Mapping[str, object], ...]
    """The read contexts, resolved."""
    legs_before: tuple[LegReport, ...]
    legs_after: tuple[LegReport, ...]
    notes: tuple[str, ...] = ()

    def of(self, change: Change) -> tuple[Compared, ...]:
        return tuple(hit for hit in self.hits if hit.change == change)


def compare(reader: Reader, query: Query, old: ReadContext | None, new: ReadContext | None) -> Comparison:
    """The first hits of the query in the old and the new state, matched by element."""
    query = replace(query, group="element", cursor="")
    with reader.catalog.session(reader.tenant) as session:
        reader = replace(reader, catalog=session)
        before = _State.of(reader, replace(query, read_context=old))
        after = _State.of(reader, replace(query, read_context=new))
        keys = dict.fromkeys((*after.page(query.limit), *before.page(query.limit)))
        hits = tuple(_compared(key, before, after, query.limit) for key in keys)
    answers = before.trace.answer, after.trace.answer
    return Comparison(
        query=query.text,
        limit=query.limit,
        hits=hits,
        before=answers[0].read_contexts,
        after=answers[1].read_contexts,
        legs_before=answers[0].legs,
        legs_after=answers[1].legs,
        notes=tuple(dict.fromkeys(answers[0].notes + answers[1].notes)),
    )


@dataclass(frozen=True, slots=True)
class _State:
    """One of the two answers, with all that the legs found."""

    catalog: Session
    trace: Trace
    views: Mapping[Scope, View]
    ranks: Mapping[Key, int]

    @classmethod
    def of(cls, reader: Reader, query: Query) -> _State:
        found = trace(reader, replace(query, limit=1))  # the pool is read, so only one hit is cited
        ranks = {(c.found.scope, c.found.element_id): rank for rank, c in enumerate(found.pool, start=1)}
        return cls(reader.catalog, found, views_of(reader, found.answer), ranks)

    def page(self, limit: int) -> list[Key]:
        return list(self.ranks)[:limit]

    def live(self, key: Key) -> LiveElement | None:
        view = self.views.get(key[0])
        return self.catalog.elements.get(view, key[1]) if view else None

    def standing(self, key: Key) -> Standing | None:
        live, rank = self.live(key), self.ranks.get(key)
        if live is None or rank is None:
            return None
        candidate = self.trace.pool[rank - 1]
        located = Located(live.version, live.derivation, live.lifetime)
        return Standing(rank, candidate.score, chunk_passage(located, candidate.found.chunk))

    @property
    def is_cut(self) -> bool:
        """Whether more matches than the legs contributed: what is missing may still match."""
        return any(ranking.total > len(ranking.found) for ranking in self.trace.rankings)


def _compared(key: Key, before: _State, after: _State, limit: int) -> Compared:
    old, new = before.standing(key), after.standing(key)
    shown = new or old
    assert shown is not None
    change = _change(old, new, limit)
    why = ""
    if change == "vanished":
        why = _why_vanished(key, old, new, after)
    elif change == "appeared":
        why = _why_appeared(key, old, before, after)
    elif change == "changed" and old and new:
        same = old.passage.text == new.passage.text
        why = (
            "another version; the passage reads the same" if same else "another version; the passage reads differently"
        )
    return Compared(key[0], key[1], shown.passage.content.name, change, old, new, why)


def _change(old: Standing | None, new: Standing | None, limit: int) -> Change:
    if old is None or old.rank > limit:
        return "appeared"
    if new is None or new.rank > limit:
        return "vanished"
    if old.passage.version_id != new.passage.version_id:
        return "changed"
    return "same" if old.rank == new.rank else "moved"


def _why_vanished(key: Key, old: Standing | None, new: Standing | None, after: _State) -> str:
    """Removed, changed so that it no longer matches, or pushed out by others."""
    live = after.live(key)
    if live is None:
        return "not in the new state"
    changed = old is not None and old.passage.version_id != live.version.version_id
    if new is not None:
        return f"{'changed, and ' if changed else 'pushed out by others: '}now rank {new.rank}"
    if after.is_cut:
        return f"{'changed, and ' if changed else ''}no longer among the best that the legs find"
    return "changed so that it no longer matches" if changed else "no longer matches"


def _why_appeared(key: Key, old: Standing | None, before: _State, after: _State) -> str:
    was, now = before.live(key), after.live(key)
    if was is None:
        return "not in the old state"
    changed = now is not None and was.version.version_id != now.version.version_id
    if old is not None:
        return f"{'changed, and ' if changed else ''}up from rank {old.rank}"
    if before.is_cut:
        return f"{'changed, and ' if changed else ''}was not among the best that the legs found"
    return "changed so that it matches" if changed else "did not match before"
