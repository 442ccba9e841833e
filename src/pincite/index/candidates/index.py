"""An index of vectors around a store that proposes candidates (`protocols/vector_store.py`).

It reads from the catalog's feed which passages there are and keeps that in memory, gives the store the vectors that the
catalog has, and notes on disk which models it has done so for. Whatever decides an answer is ours: who may read what,
scores in fixed point, order, totals. A store that was lost is filled again from the catalog.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

import numpy as np

from pincite.advice import repair
from pincite.index.candidates.dense import ViewedRows, search_vectors
from pincite.index.candidates.fill import NONE, drop_erased, pass_on_deaths, put_missing
from pincite.index.candidates.note import Note, read_note, write_note
from pincite.index.candidates.rows import Rows
from pincite.index.candidates.seen import Seen, asked_of, seen_by
from pincite.index.segments.lock import write_lock
from pincite.points import Ids, Space
from pincite.protocols import Catalog, VectorStore
from pincite.queries import IndexFeatures, IndexStatus, Ranking, VectorQuery
from pincite.text.words import ANALYSER
from pincite.types import RepositoryInfo, Scope, View

T = TypeVar("T")

VIEWS = 16
"""Views whose rows are kept in mind: callers of different roles, and states that are read again and again."""


@dataclass(frozen=True, slots=True)
class _State:
    """What is known of a repository: its rows, and which of them the store has vectors of, by model."""

    note: Note = field(default_factory=Note)
    rows: Rows = field(default_factory=Rows)
    held: Mapping[str, Ids] = field(default_factory=dict)
    _known: dict[tuple[View, str], Seen] = field(default_factory=dict, init=False)
    """What views may read; every new state begins without."""

    def seen(self, view: View, fingerprint: str) -> Seen:
        """What a view may read of the vectors of a model."""
        key = (view, fingerprint)
        known = self._known.get(key)
        if known is None:
            known = seen_by(view, self.rows, self.held.get(fingerprint, NONE))
            while len(self._known) >= VIEWS:
                self._known.pop(next(iter(self._known)), None)
            self._known[key] = known
        return known


class CandidateIndex:
    """Vectors in any store, with the scores and the order of every other index."""

    def __init__(
        self, catalog: Catalog, folder: Path, store: VectorStore, pinned: Mapping[str, _State] | None = None
    ) -> None:
        """`pinned`: states by repository key to read instead of those in use, to judge them before they are."""
        self.features = IndexFeatures(replay=store.exact, score_isolation=True, among=True, dense=True, exact_scan=True)
        self._catalog = catalog
        self._root = folder / store.name
        self._store = store
        self._pinned = pinned is not None
        self._states: dict[str, _State] = dict(pinned or {})
        self._guard = threading.RLock()

    # --- reading ----------------------------------------------------------------------------------------------

    def reached(self, scope: Scope) -> int:
        info = self._catalog.repositories.get(scope)
        return self._states.get(info.key, _State()).rows.revision if info else 0

    def has_vectors(self, views: Sequence[View], fingerprint: str) -> bool:
        infos = [self._catalog.repositories.get(view.scope) for view in views]
        return any(fingerprint in self._note(info).models for info in infos if info)

    def dense(self, views: Sequence[View], query: VectorQuery) -> Ranking:
        places = [place for view in views if (place := self._place(view, query))]
        return search_vectors(self._store, places, query)

    def _place(self, view: View, query: VectorQuery) -> ViewedRows | None:
        info = self._catalog.repositories.get(view.scope)
        if info is None:
            return None
        state = self._state(info)
        seen = state.seen(view, query.fingerprint)
        asked = asked_of(seen, state.rows, view, query)
        dimensions = state.note.models.get(query.fingerprint, 0)
        space = self._space(info, state.note, query.fingerprint)

        def fetch(keys: Sequence[str]) -> Mapping[str, bytes]:
            return self._catalog.vectors.get(view.scope.tenant, query.fingerprint, keys)

        return ViewedRows(view, state.rows, seen, asked, space, dimensions, fetch)

    def _note(self, info: RepositoryInfo) -> Note:
        if self._pinned:
            return self._states.get(info.key, _State()).note
        return read_note(self._root / info.key, self._catalog.library_id)

    def _state(self, info: RepositoryInfo) -> _State:
        """What is known, with what other processes have put into the store since."""
        state = self._states.get(info.key, _State())
        note = self._note(info)
        if note == state.note:
            return state
        with self._guard:
            state = self._states.get(info.key, _State())
            if note != state.note:
                state = self._states[info.key] = replace(state, note=note, held=self._held(info, note, state.rows))
            return state

    def _held(self, info: RepositoryInfo, note: Note, rows: Rows) -> dict[str, Ids]:
        """What the store has, once it was given what it lacks: one that lives in memory starts empty."""
        out = {}
        for fingerprint, dimensions in note.models.items():
            space = self._space(info, note, fingerprint)
            held = self._store.ensure(space, dimensions)
            out[fingerprint] = put_missing(self._catalog, self._store, space, rows, held).held
        return out

    def _space(self, info: RepositoryInfo, note: Note, fingerprint: str) -> Space:
        return Space(self._catalog.library_id, info.scope, info.key, fingerprint, note.generation)

    # --- writing ----------------------------------------------------------------------------------------------

    def advance(self, scope: Scope, *, wait_seconds: float = 60.0) -> int:  # noqa: ARG002
        """Needs no lock: what is put into the store twice is the same."""
        with self._guard:
            info = self._catalog.repositories.get(scope)
            if info is None:
                return 0
            state = self._state(info)
            if (state.rows.revision, state.rows.purges) == (info.head, info.purges):
                return info.head
            purged = state.rows.purges != info.purges or not state.rows.revision
            spaces = {name: self._space(info, state.note, name) for name in state.note.models}
            held = dict(state.held)
            if (
                purged
            ):  # Before the rows: what another process puts in meanwhile is then not taken for something erased.
                held = {name: self._store.ensure(spaces[name], size) for name, size in state.note.models.items()}
            info = self._catalog.repositories.get(scope) or info
            rows, dead = state.rows.advanced(self._catalog, info)
            for name, space in spaces.items():
                if purged:
                    held[name] = drop_erased(self._store, space, rows, held[name])
                pass_on_deaths(self._store, space, dead, held[name])
                held[name] = put_missing(self._catalog, self._store, space, rows, held[name]).held
            self._states[info.key] = replace(state, rows=rows, held=held)
            return info.head

    def take_vectors(self, scope: Scope, fingerprint: str) -> int:
        info = self._catalog.repositories.get(scope)
        if info is None or not self._states.get(info.key, _State()).rows.revision:
            return 0
        with self._guard, write_lock(self._root / info.key):
            state = self._state(info)
            space = self._space(info, state.note, fingerprint)
            filled = put_missing(self._catalog, self._store, space, state.rows, state.held.get(fingerprint))
            if filled.dimensions:
                models = {**state.note.models, fingerprint: filled.dimensions}
                note = replace(state.note, writes=state.note.writes + 1, models=models)
                write_note(self._root / info.key, note)
                self._states[info.key] = replace(state, note=note, held={**state.held, fingerprint: filled.held})
            return filled.texts

    def drop_vectors(self, scope: Scope, fingerprint: str) -> None:
        info = self._catalog.repositories.get(scope)
        if info is None or fingerprint not in self._note(info).models:
            return
        with self._guard, write_lock(self._root / info.key):
            state = self._state(info)
            note = replace(state.note, writes=state.note.writes + 1, models=_without(state.note.models, fingerprint))
            write_note(self._root / info.key, note)  # first, so that nobody asks for what is being dropped
            self._states[info.key] = replace(state, note=note, held=_without(state.held, fingerprint))
            self._store.drop(self._space(info, note, fingerprint))

    def merge(self, scope: Scope) -> bool:  # noqa: ARG002
        """Upkeep is the store's own."""
        return False

    def rebuild(self, scope: Scope, *, accept: Callable[[CandidateIndex], None] | None = None) -> int:
        """Fill a new generation of every model from the catalog, have it accepted, switch, drop the old one."""
        info = self._catalog.repositories.get(scope)
        if info is None:
            return 0
        with self._guard, write_lock(self._root / info.key):
            old = self._state(info)
            note = replace(old.note, generation=old.note.generation + 1, writes=old.note.writes + 1)
            rows, _ = Rows(purges=info.purges).advanced(self._catalog, info)
            try:
                fresh = _State(note, rows, self._held(info, note, rows))
                if accept is not None:
                    accept(CandidateIndex(self._catalog, self._root.parent, self._store, {info.key: fresh}))
            except BaseException:
                self._drop_all(info, note)
                raise
            if note.models:
                write_note(self._root / info.key, note)
            else:
                fresh = replace(fresh, note=old.note)
            self._states[info.key] = fresh
            self._drop_all(info, old.note)
            return rows.revision

    def _drop_all(self, info: RepositoryInfo, note: Note) -> None:
        for fingerprint in note.models:
            self._store.drop(self._space(info, note, fingerprint))

    # --- health -----------------------------------------------------------------------------------------------

    def status(self, scope: Scope) -> IndexStatus:
        info = self._catalog.repositories.get(scope)
        state = self._states.get(info.key, _State()) if info else _State()
        rows = state.rows
        chunks = int(np.count_nonzero((rows.spans[1] > rows.revision)[rows.owner]))
        head = info.head if info else 0
        return IndexStatus(self._store.name, str(state.note.generation), rows.revision, head, chunks, ANALYSER)

    def check(self, scope: Scope) -> tuple[str, ...]:
        """Whether the store still has what was put into it."""
        info = self._catalog.repositories.get(scope)
        if info is None:
            return ()
        state, problems = self._state(info), []
        for fingerprint, held in state.held.items():
            space = self._space(info, state.note, fingerprint)
            lost = len(np.setdiff1d(held, self._store.ensure(space, state.note.models[fingerprint])))
            if lost:
                problems.append(f"{self._store.name} has lost the vectors of {lost:,} passages; {repair()}")
        return tuple(problems)

    def close(self) -> None:
        """Nothing is open between two calls; what is in memory stays."""


def _without(models: Mapping[str, T], fingerprint: str) -> dict[str, T]:
    return {name: value for name, value in models.items() if name != fingerprint}
