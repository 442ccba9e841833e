"""The index of seed S0: one SQLite file with FTS5 and sqlite-vec, rolled forward from the catalog like every other.

It answers the same questions as `segments`, with what FTS5 and `vec0` can promise: words are scored by FTS5's bm25(),
whose statistics are those of the whole file. So an answer changes with what else is stored, and is not replayed.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from weakref import WeakSet

import apsw

from pincite.advice import repair
from pincite.errors import Damaged
from pincite.index.keys import Keys
from pincite.index.sqlite_vec import vectors
from pincite.index.sqlite_vec.dense import search_vectors
from pincite.index.sqlite_vec.engine import FILE
from pincite.index.sqlite_vec.exact import search_identifiers
from pincite.index.sqlite_vec.keyword import search_words
from pincite.index.sqlite_vec.prepare import has_tables, prepare, repository_id, require_readable
from pincite.index.sqlite_vec.roll import remove_all, roll_forward
from pincite.index.sqlite_vec.store import BUSY_MILLISECONDS, SqliteVecFile, clear_errors
from pincite.index.sqlite_vec.visible import ROWS, ViewedRepository, places, visible
from pincite.protocols import Catalog
from pincite.queries import IdentifierQuery, IndexFeatures, IndexStatus, Ranking, SegmentStatus, VectorQuery, WordQuery
from pincite.text.words import ANALYSER
from pincite.types import RepositoryInfo, Scope, View

MERGED_PAGES = 500
"""How much FTS5 merges in one piece of upkeep."""
PATIENCE_MILLISECONDS = 1_000
"""How long a purge waits for readers to let go of the log."""


class SqliteVecIndex:
    """Many readers, one writer at a time, in any number of processes; each thread has its own connection."""

    features = IndexFeatures(
        replay=False,
        score_isolation=False,
        phrases=True,
        prefixes=True,
        scoring=False,
        stand_ins=True,
        condenses=True,
        explains=True,
        ever=True,
        among=True,
        dense=True,
        exact_scan=True,
    )

    def __init__(self, folder: Path, catalog: Catalog, *, within: SqliteVecFile | None = None) -> None:
        """`within`: read what a writer has not committed yet, to judge it before it is taken up."""
        self._path = folder / FILE
        self._catalog = catalog
        self._keys = Keys(catalog)
        self._within = within
        self._own = threading.local()
        self._opened: WeakSet[SqliteVecFile] = WeakSet()
        self._guard = threading.Lock()

    # --- reading ----------------------------------------------------------------------------------------------

    def reached(self, scope: Scope) -> int:
        with self._repository(scope) as found:
            return int(found[0].one(_REVISION, (found[1],))) if found else 0

    def keyword(self, views: Sequence[View], query: WordQuery) -> Ranking:
        with self._reading(views) as (store, read):
            return search_words(store, read, query) if store else Ranking("keyword")

    def exact(self, views: Sequence[View], query: IdentifierQuery) -> Ranking:
        with self._reading(views) as (store, read):
            return search_identifiers(store, read, query) if store else Ranking("exact")

    def dense(self, views: Sequence[View], query: VectorQuery) -> Ranking:
        with self._reading(views) as (store, read):
            return search_vectors(store, read, query) if store else Ranking("dense")

    def has_vectors(self, views: Sequence[View], fingerprint: str) -> bool:
        with self._reading(views) as (store, read):
            return store is not None and any(
                vectors.has_vectors(store, place.repository, fingerprint) for place in read
            )

    def filter_values(self, views: Sequence[View]) -> dict[str, dict[str, int]]:
        out: dict[str, dict[str, int]] = {}
        with self._reading(views) as (store, read):
            seen = visible(read)
            for field, value, count in store.all(_VALUES.format(condition=seen.sql), seen.values) if store else ():
                out.setdefault(field, {})[value] = count
        return out

    @contextmanager
    def _reading(self, views: Sequence[View]) -> Iterator[tuple[SqliteVecFile | None, Sequence[ViewedRepository]]]:
        """The file and the repositories of the views in it, in one state; no file where there is nothing to read."""
        store = self._store()
        known = (self._keys.of(view.scope) for view in views)
        keys = {keyed.scope: keyed.key for keyed in known if keyed}
        if store is None:
            yield None, ()
            return
        with store.reading():
            if not has_tables(store, self._catalog.library_id):
                yield None, ()
                return
            require_readable(store)
            yield store, places(store, keys, views)

    @contextmanager
    def _repository(self, scope: Scope) -> Iterator[tuple[SqliteVecFile, int] | None]:
        """The file and the number of the repository in it; None if it is not there."""
        keyed, store = self._keys.of(scope), self._store()
        if keyed is None or store is None:
            yield None
            return
        with store.reading():
            known = None
            if has_tables(store, self._catalog.library_id):
                known = store.one("SELECT id FROM repositories WHERE key = ?", (keyed.key,))
            yield (store, int(known)) if known is not None else None

    def _store(self, *, create: bool = False) -> SqliteVecFile | None:
        """This thread's connection; opened again if the file has been replaced."""
        if self._within is not None:
            return self._within
        known: SqliteVecFile | None = getattr(self._own, "store", None)
        try:
            file = self._path.stat().st_ino
        except FileNotFoundError:
            file = 0
        if known is not None and known.file == file:
            return known
        if known is not None:
            self._own.store = None
            known.close()
        if not file and not create:
            return None
        fresh = SqliteVecFile(self._path)
        self._own.store = fresh
        with self._guard:
            self._opened.add(fresh)
        return fresh

    # --- writing ----------------------------------------------------------------------------------------------

    def advance(self, scope: Scope, *, wait_seconds: float = 60.0) -> int:
        info = self._catalog.repositories.get(scope)
        if info is None:
            return 0
        if not self._is_due(info):
            return info.head
        with self._writing(wait_seconds) as store:
            info = self._catalog.repositories.get(scope) or info
            prepare(store, self._catalog.library_id)
            repository = repository_id(store, info.key)
            erased = roll_forward(store, repository, self._catalog, info)
            self._take_known(store, repository, info)
            if erased:
                store.run("INSERT OR REPLACE INTO meta VALUES ('traces', '1')")
        self._remove_traces(store)
        return info.head

    def _is_due(self, info: RepositoryInfo) -> bool:
        with self._repository(info.scope) as found:
            if found is None:
                return True
            store, repository = found
            traces = store.one("SELECT 1 FROM meta WHERE key = 'traces'")
            now = store.all("SELECT revision, purges FROM repositories WHERE id = ?", (repository,))[0]
            analyser = store.one("SELECT value FROM meta WHERE key = 'analyser'")
            return now != (info.head, info.purges) or traces is not None or analyser != ANALYSER

    def take_vectors(self, scope: Scope, fingerprint: str) -> int:
        with self._repository(scope) as found:
            if found is None:
                return 0
        with self._writing() as store:
            return vectors.take(store, found[1], scope, fingerprint, self._catalog)

    def drop_vectors(self, scope: Scope, fingerprint: str) -> None:
        with self._repository(scope) as found:
            if found is None:
                return
        with self._writing() as store:
            vectors.drop(store, found[1], fingerprint)

    def rebuild(self, scope: Scope, *, accept: Callable[[SqliteVecIndex], None] | None = None) -> int:
        info = self._catalog.repositories.get(scope)
        if info is None:
            return 0
        if self.check(scope):
            self._discard()
        with self._writing() as store:
            info = self._catalog.repositories.get(scope) or info
            prepare(store, self._catalog.library_id)
            repository = repository_id(store, info.key)
            remove_all(store, repository)
            store.run("UPDATE repositories SET purges = ? WHERE id = ?", (info.purges, repository))
            roll_forward(store, repository, self._catalog, info)
            self._take_known(store, repository, info)
            if accept is not None:  # readers see the old state until this transaction ends; if it raises, for good
                accept(SqliteVecIndex(self._path.parent, self._catalog, within=store))
        return info.head

    def merge(self, scope: Scope, *, everything: bool = False) -> bool:
        """Have FTS5 merge what is due (or all it has into one); whether something was merged."""
        with self._repository(scope) as found:
            if found is None:
                return False
        with self._writing() as store:
            before = store.connection.total_changes()
            if everything:
                store.run("INSERT INTO words (words) VALUES ('optimize')")
            else:
                store.run("INSERT INTO words (words, rank) VALUES ('merge', ?)", (MERGED_PAGES,))
            return store.connection.total_changes() - before >= 2  # less says that there was nothing to merge

    @contextmanager
    def _writing(self, wait_seconds: float = 60.0) -> Iterator[SqliteVecFile]:
        store = self._store(create=True)
        assert store is not None
        with store.write(wait_seconds=wait_seconds):
            yield store

    def _take_known(self, store: SqliteVecFile, repository: int, info: RepositoryInfo) -> None:
        """Take in the vectors of what is new, of models that the repository already has vectors of."""
        for (fingerprint,) in store.all("SELECT fingerprint FROM taken WHERE repository = ?", (repository,)):
            vectors.take(store, repository, info.scope, fingerprint, self._catalog)

    def _remove_traces(self, store: SqliteVecFile) -> None:
        """Empty the write-ahead log of what was erased; a reader may hold it, then the next `advance` tries again."""
        with store.lock, clear_errors("erasing", self._path):
            if store.one("SELECT 1 FROM meta WHERE key = 'traces'") is None:
                return
            store.connection.set_busy_timeout(PATIENCE_MILLISECONDS)
            try:
                with suppress(apsw.BusyError, apsw.LockedError):
                    if store.one("PRAGMA wal_checkpoint(TRUNCATE)") == 0:
                        store.run("DELETE FROM meta WHERE key = 'traces'")
            finally:
                store.connection.set_busy_timeout(BUSY_MILLISECONDS)

    def _discard(self) -> None:
        self.close()
        for path in (self._path, *(self._path.with_name(FILE + ending) for ending in ("-wal", "-shm"))):
            path.unlink(missing_ok=True)

    # --- health -----------------------------------------------------------------------------------------------

    def status(self, scope: Scope) -> IndexStatus:
        info = self._catalog.repositories.get(scope)
        head = info.head if info else 0
        try:
            with self._repository(scope) as found:
                if found is None:
                    return IndexStatus("sqlite_vec", "", 0, head, 0, ANALYSER)
                store, repository = found
                revision = int(store.one(_REVISION, (repository,)))
                rows, dead = store.all(_ROWS, (revision, repository))[0]
                size = int(store.one("PRAGMA page_count")) * int(store.one("PRAGMA page_size"))
        except Damaged as damage:
            return IndexStatus("sqlite_vec", "", 0, head, 0, ANALYSER, problem=damage.message)
        whole = SegmentStatus(FILE, rows, dead, size, history=False)
        return IndexStatus("sqlite_vec", FILE, revision, head, rows - dead, ANALYSER, (whole,))

    def check(self, scope: Scope) -> tuple[str, ...]:
        """SQLite's own check of the whole file: there are no checksums, so a changed letter may go unnoticed."""
        try:
            with self._repository(scope) as found:
                if found is None:
                    return ()
                problems = [text for (text,) in found[0].all("PRAGMA integrity_check") if text != "ok"]
                if found[0].one("SELECT 1 FROM meta WHERE key = 'traces'"):
                    problems.append("what was erased may still lie in the write-ahead log, which a reader holds")
                return tuple(f"{FILE}: {problem}; {repair()}" for problem in problems)
        except Damaged as damage:
            return (damage.message,)

    def close(self) -> None:
        with self._guard:
            opened, self._own, self._opened = list(self._opened), threading.local(), WeakSet()
        for store in opened:
            store.close()


_REVISION = "SELECT revision FROM repositories WHERE id = ?"
_ROWS = f"SELECT count(*), coalesce(sum(l.died <= ?), 0) FROM {ROWS} WHERE l.repository = ?"
_VALUES = f"""
SELECT f.field, f.value, count(*)
FROM {ROWS} JOIN holds h ON h.chunk = c.id JOIN facets f ON f.id = h.facet WHERE {{condition}} GROUP BY f.id
"""
