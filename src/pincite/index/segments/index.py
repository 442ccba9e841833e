"""The embedded index: segments per repository in a folder, rolled forward from the catalog."""

from __future__ import annotations

import secrets
import shutil
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from pincite.advice import by_operator, repair
from pincite.durable import clear_errors
from pincite.errors import Damaged, Unavailable
from pincite.index.keys import Keyed, Keys
from pincite.index.segments import upkeep
from pincite.index.segments.dense import search_vectors
from pincite.index.segments.exact import search_identifiers
from pincite.index.segments.format import verify
from pincite.index.segments.keyword import search_words
from pincite.index.segments.lock import write_lock
from pincite.index.segments.manifest import (
    Manifest,
    current_generation,
    load_deaths,
    load_manifest,
    store_manifest,
    switch_generation,
)
from pincite.index.segments.order import Part
from pincite.index.segments.roll import roll_forward
from pincite.index.segments.select import filter_keys
from pincite.index.segments.snapshot import Snapshot, is_current, open_generation, take_snapshot
from pincite.index.segments.sweep import sweep, sweep_generations, sweep_merges
from pincite.index.segments.take import forget_unused, remove_store, repair_stores, sweep_store, take_missing
from pincite.index.segments.vectors import (
    SegmentVectors,
    StoreManifest,
    check_stores,
    open_store,
    store_folder,
    store_folders,
)
from pincite.index.segments.vectors import is_current as is_current_store
from pincite.protocols import Catalog
from pincite.queries import IdentifierQuery, IndexFeatures, IndexStatus, Ranking, SegmentStatus, VectorQuery, WordQuery
from pincite.text.words import ANALYSER
from pincite.types import FOREVER, RepositoryInfo, Scope, View


class SegmentIndex:
    """Many readers, one writer at a time per repository; readers notice what writers publish."""

    features = IndexFeatures(
        replay=True,
        score_isolation=True,
        phrases=True,
        prefixes=True,
        scoring=True,
        stand_ins=True,
        condenses=True,
        explains=True,
        ever=True,
        among=True,
        dense=True,
        exact_scan=True,
        fields=True,
    )

    def __init__(self, root: Path, catalog: Catalog, pinned: Mapping[str, str] | None = None) -> None:
        """`pinned`: generations by repository key to read instead of the one in use, to judge one before it is."""
        self._root = root
        self._catalog = catalog
        self._keys = Keys(catalog)
        self._pinned = pinned or {}
        self._snapshots: dict[str, Snapshot] = {}
        self._stores: dict[Path, SegmentVectors] = {}
        self._guard = threading.Lock()

    # --- reading ----------------------------------------------------------------------------------------------

    def reached(self, scope: Scope) -> int:
        keyed = self._keys.of(scope)
        snapshot = self._snapshot(keyed) if keyed else None
        return snapshot.manifest.revision if snapshot else 0

    def keyword(self, views: Sequence[View], query: WordQuery) -> Ranking:
        with self._doubting(views):
            return search_words(self._parts(views, ever=query.ever), query)

    def exact(self, views: Sequence[View], query: IdentifierQuery) -> Ranking:
        with self._doubting(views):
            return search_identifiers(self._parts(views), query)

    def dense(self, views: Sequence[View], query: VectorQuery) -> Ranking:
        with self._doubting(views):
            parts = self._parts(views)
            scopes = dict.fromkeys(part.scope for part in parts)
            return search_vectors(parts, {scope: self._store(scope, query.fingerprint) for scope in scopes}, query)

    def has_vectors(self, views: Sequence[View], fingerprint: str) -> bool:
        stores = (self._store(view.scope, fingerprint) for view in views)
        return any(store is not None and store.blocks for store in stores)

    def filter_values(self, views: Sequence[View]) -> dict[str, dict[str, int]]:
        out: dict[str, dict[str, int]] = {}
        with self._doubting(views):
            for part in self._parts(views):
                for key, values in filter_keys(part.visible.segment, part.visible.mask).items():
                    merged = out.setdefault(key, {})
                    for value, count in values.items():
                        merged[value] = merged.get(value, 0) + count
        return out

    def _parts(self, views: Sequence[View], *, ever: bool = False) -> list[Part]:
        parts = []
        for view in views:
            keyed = self._keys.of(view.scope)
            snapshot = self._snapshot(keyed) if keyed else None
            if snapshot is None:
                continue
            if snapshot.manifest.analyser != ANALYSER:
                advice = by_operator("rebuild it with", "pincite rebuild")
                raise Unavailable(
                    f"the index of {view.scope.repository!r} was built by another version of Pincite"
                    f" ({snapshot.manifest.analyser}, now {ANALYSER}); {advice}"
                )
            for opened in snapshot.segments:
                visible = opened.ever(view.roles) if ever else opened.visible(view)
                if visible is not None:
                    parts.append(Part(view.scope, visible))
        return parts

    def _snapshot(self, place: Keyed | RepositoryInfo) -> Snapshot | None:
        folder = self._root / place.key
        known = self._snapshots.get(place.key)
        if known is not None and (place.key in self._pinned or is_current(folder, known)):
            return known
        with self._guard:
            known = self._snapshots.get(place.key)
            if known is not None and is_current(folder, known):
                return known
            with self._doubting((place,)):
                pinned = self._pinned.get(place.key)
                fresh = open_generation(folder / pinned) if pinned else take_snapshot(folder, known)
            if fresh is not None:
                self._snapshots[place.key] = fresh
            return fresh

    def _store(self, scope: Scope, fingerprint: str) -> SegmentVectors | None:
        """The vectors of a repository under a model; None when there are none."""
        keyed = self._keys.of(scope)
        folder = store_folder(self._root / keyed.key, fingerprint) if keyed else self._root
        known = self._stores.get(folder)
        if known is not None and is_current_store(known):
            return known
        with self._guard:
            known = self._stores.get(folder)
            fresh = known if known is not None and is_current_store(known) else open_store(folder, known)
            if fresh is None:
                self._stores.pop(folder, None)
            else:
                self._stores[folder] = fresh
            return fresh

    @contextmanager
    def _doubting(self, places: Sequence[View | Keyed | RepositoryInfo]) -> Iterator[None]:
        """Checksums are not verified on every read; an error that wrong bytes would explain is the time to look."""
        try:
            yield
        except (IndexError, ValueError, OverflowError, MemoryError) as error:
            for place in places:
                for problem in self.check(place.scope):
                    raise Damaged(problem) from error
            raise

    # --- writing ----------------------------------------------------------------------------------------------

    def advance(self, scope: Scope, *, wait_seconds: float = 60.0) -> int:
        info = self._catalog.repositories.get(scope)
        if info is None:
            return 0
        folder = self._root / info.key
        with self._doubting((info,)), clear_errors("indexing"), write_lock(folder, wait_seconds=wait_seconds):
            info = self._catalog.repositories.get(scope) or info
            generation = current_generation(folder)
            manifest = load_manifest(folder / generation) if generation else None
            if not manifest or manifest.library_id != self._catalog.library_id or manifest.analyser != ANALYSER:
                return self._new_generation(folder, info)
            sweep_generations(folder, generation)
            sweep(folder / generation, manifest)
            sweep_merges(folder / generation)
            for store in store_folders(folder):
                sweep_store(store)
            return roll_forward(folder / generation, manifest, self._catalog, info).revision

    def take_vectors(self, scope: Scope, fingerprint: str) -> int:
        info = self._catalog.repositories.get(scope)
        if info is None or self._snapshot(info) is None:
            return 0
        folder = self._root / info.key
        with self._doubting((info,)), clear_errors("taking in vectors"), write_lock(folder):
            snapshot = self._snapshot(info)
            return self._take(folder, info, fingerprint, snapshot) if snapshot else 0

    def drop_vectors(self, scope: Scope, fingerprint: str) -> None:
        info = self._catalog.repositories.get(scope)
        folder = self._root / info.key if info else self._root
        if info is not None and folder.exists():
            with clear_errors("removing vectors"), write_lock(folder):
                remove_store(store_folder(folder, fingerprint))

    def _take(self, folder: Path, info: RepositoryInfo, fingerprint: str, snapshot: Snapshot) -> int:
        """Needs the write lock."""
        purges = snapshot.manifest.purges
        start = StoreManifest(self._catalog.library_id, fingerprint, 0, purges, secrets.token_hex(8))
        vectors, tenant = self._catalog.vectors, info.scope.tenant
        into = store_folder(folder, fingerprint)
        known = self._stores.get(into)
        return take_missing(into, start, snapshot.segments, lambda keys: vectors.get(tenant, fingerprint, keys), known)

    def rebuild(self, scope: Scope, *, accept: Callable[[SegmentIndex], None] | None = None) -> int:
        info = self._catalog.repositories.get(scope)
        if info is None:
            return 0
        folder = self._root / info.key
        with clear_errors("rebuilding the index"), write_lock(folder):
            info = self._catalog.repositories.get(scope) or info
            return self._new_generation(folder, info, accept)

    def _new_generation(
        self, folder: Path, info: RepositoryInfo, accept: Callable[[SegmentIndex], None] | None = None
    ) -> int:
        """Build beside the old one, have it accepted, switch, remove the old one. Needs the write lock."""
        name = _fresh_name(folder)
        generation = folder / name
        generation.mkdir()
        manifest = Manifest(self._catalog.library_id, name, purges=info.purges)
        store_manifest(generation, manifest)
        manifest = roll_forward(generation, manifest, self._catalog, info)
        fresh = open_generation(generation)
        for store in repair_stores(folder, self._catalog.library_id, info.purges):
            self._take(folder, info, store.fingerprint, fresh)
        if accept is not None:
            try:
                accept(SegmentIndex(self._root, self._catalog, {info.key: name}))
            except BaseException:
                shutil.rmtree(generation, ignore_errors=True)
                raise
        switch_generation(folder, name)
        sweep_generations(folder, name)
        forget_unused(folder, [opened.segment for opened in fresh.segments], info.purges)
        return manifest.revision

    def merge(self, scope: Scope, *, everything: bool = False) -> bool:
        """Do one merge that is due (or merge all segments into one); whether something was merged."""
        info = self._catalog.repositories.get(scope)
        snapshot = self._snapshot(info) if info else None
        if info is None or snapshot is None:
            return False
        chosen = snapshot.manifest.segments if everything else upkeep.due(snapshot)
        return bool(chosen) and upkeep.merge(self._root / info.key, snapshot, chosen)

    # --- health -----------------------------------------------------------------------------------------------

    def status(self, scope: Scope) -> IndexStatus:
        info = self._catalog.repositories.get(scope)
        head = info.head if info else 0
        try:
            snapshot = self._snapshot(info) if info else None
            with self._doubting((info,) if info else ()):
                segments = _segments(snapshot) if snapshot else []
        except Damaged as damage:
            return IndexStatus("segments", "", 0, head, 0, ANALYSER, problem=damage.message)
        if snapshot is None:
            return IndexStatus("segments", "", 0, head, 0, ANALYSER)
        manifest = snapshot.manifest
        return IndexStatus(
            engine="segments",
            generation=manifest.generation,
            revision=manifest.revision,
            head=head,
            chunks=sum(s.chunks - s.dead for s in segments),
            analyser=manifest.analyser,
            segments=tuple(segments),
        )

    def check(self, scope: Scope) -> tuple[str, ...]:
        info = self._catalog.repositories.get(scope)
        if info is None or not (self._root / info.key).exists():
            return ()
        folder = self._root / info.key
        problems = []
        try:
            generation = folder / current_generation(folder)
            manifest = load_manifest(generation)
        except FileNotFoundError as missing:
            return (f"{Path(missing.filename).name} of the index is missing; {repair()}",)
        except Damaged as damage:
            return (damage.message,)
        for entry in manifest.segments:
            damage_found = verify(generation / entry.name)
            if damage_found:
                problems.append(f"{damage_found}; {repair()}")
            try:
                load_deaths(generation, entry)
            except (Damaged, OSError) as error:
                problems.append(str(error))
        return (*problems, *check_stores(folder))

    def close(self) -> None:
        with self._guard:
            self._snapshots.clear()
            self._stores.clear()


def _segments(snapshot: Snapshot) -> list[SegmentStatus]:
    out = []
    for entry, opened in zip(snapshot.manifest.segments, snapshot.segments, strict=True):
        dead = int(np.count_nonzero((opened.died != FOREVER)[opened.segment.row_owner]))
        out.append(SegmentStatus(entry.name, entry.rows, dead, opened.segment.columns.size, entry.history))
    return out


def _fresh_name(folder: Path) -> str:
    """A name that no generation ever had, here or in a folder that was deleted: readers know segments by it."""
    numbers = [int(path.name.split("-")[1]) for path in folder.glob("g-*-*")]
    return f"g-{max(numbers, default=0) + 1:06d}-{secrets.token_hex(4)}"
