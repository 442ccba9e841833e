"""Texts that wait for their vector. A job leaves only with its vector or its text; a dead worker's lease lapses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from pincite.bookkeeping import Job
from pincite.catalog.sqlite.connection import Database
from pincite.catalog.sqlite.repositories import number_of
from pincite.types import Scope

# The texts were read in an earlier transaction: what was purged since must not come back, and what got its vector
# since must not be embedded again.
_ADD = """
    INSERT OR IGNORE INTO jobs (tenant, text_hash, fingerprint, text, state, added, ready)
    SELECT :tenant, :hash, :fingerprint, :text, 'waiting', :now, :now
    WHERE NOT EXISTS (
        SELECT 1 FROM vectors WHERE tenant = :tenant AND text_hash = :hash AND fingerprint = :fingerprint
    ) AND EXISTS (
        SELECT 1 FROM chunks c JOIN repositories r ON r.id = c.repository
        WHERE c.text_hash = :hash AND r.tenant = :tenant
    )
"""
_REMEMBER = """
    INSERT INTO enqueued (repository, fingerprint, revision) VALUES (?, ?, ?)
    ON CONFLICT (repository, fingerprint) DO UPDATE SET revision = max(revision, excluded.revision)
"""
_ENQUEUED = "SELECT revision FROM enqueued WHERE repository = ? AND fingerprint = ?"
_CLAIM = """
    UPDATE jobs SET state = 'claimed', ready = :lease_until
    WHERE id IN (
        SELECT id FROM jobs
        WHERE tenant = :tenant AND fingerprint = :fingerprint AND state <> 'parked' AND ready <= :now
        ORDER BY ready, id LIMIT :limit
    )
    RETURNING id, tenant, text_hash, fingerprint, text, attempts, error
"""
_START = """
    UPDATE jobs SET attempts = attempts + 1, ready = ?
    WHERE tenant = ? AND text_hash = ? AND fingerprint = ? AND state = 'claimed'
    RETURNING tenant, text_hash, fingerprint, text, attempts, error
"""
_DONE = "DELETE FROM jobs WHERE tenant = ? AND text_hash = ? AND fingerprint = ?"
# The first vector of a text stays, as everywhere: answers that used it must be replayable.
_STORE = "INSERT OR IGNORE INTO vectors (tenant, text_hash, fingerprint, vector) VALUES (?, ?, ?, ?)"
_RELEASE = """
    UPDATE jobs SET state = 'waiting', ready = ?, attempts = ?
    WHERE tenant = ? AND text_hash = ? AND fingerprint = ? AND state = 'claimed'
"""
_FAILED = """
    UPDATE jobs SET state = ?, ready = ?, error = ? WHERE tenant = ? AND text_hash = ? AND fingerprint = ?
"""
_PARKED = """
    SELECT tenant, text_hash, fingerprint, text, attempts, error FROM jobs
    WHERE tenant = ? AND fingerprint = ? AND state = 'parked' ORDER BY id LIMIT ?
"""
_RETRY_PARKED = """
    UPDATE jobs SET state = 'waiting', ready = ?, attempts = 0
    WHERE tenant = ? AND fingerprint = ? AND state = 'parked'
"""
_COUNTS = """
    SELECT CASE WHEN state = 'claimed' AND ready <= :now THEN 'waiting' ELSE state END, count(*), min(added)
    FROM jobs
    WHERE (:tenant IS NULL OR tenant = :tenant) AND (:fingerprint = '' OR fingerprint = :fingerprint)
    GROUP BY 1
"""


class SqliteEmbeddingQueue:
    def __init__(self, database: Database, clock: Callable[[], int]) -> None:
        self._database = database
        self._clock = clock

    def add(self, scope: Scope, fingerprint: str, texts: Mapping[str, str], *, upto: int) -> int:
        """Number of new jobs; those of births up to `upto` are known to be in the queue from now on."""
        shared = {"tenant": scope.tenant, "fingerprint": fingerprint, "now": self._clock()}
        rows = [{**shared, "hash": text_hash, "text": text} for text_hash, text in texts.items()]
        with self._database.write() as connection:
            repository = number_of(connection, scope)
            if not repository:
                return 0
            connection.execute(_REMEMBER, (repository, fingerprint, upto))
            return connection.executemany(_ADD, rows).rowcount if rows else 0

    def enqueued(self, scope: Scope, fingerprint: str) -> int:
        """The revision up to which births are in the queue or have their vectors."""
        with self._database.read() as connection:
            row = connection.execute(_ENQUEUED, (number_of(connection, scope), fingerprint)).fetchone()
        return int(row[0]) if row else 0

    def claim(self, tenant: str, fingerprint: str, limit: int, *, lease_seconds: float) -> tuple[Job, ...]:
        """Jobs that nobody else gets until the lease lapses, those that are due longest first."""
        now = self._clock()
        values = {
            "tenant": tenant,
            "fingerprint": fingerprint,
            "limit": max(0, limit),
            "now": now,
            "lease_until": now + _microseconds(lease_seconds),
        }
        with self._database.write() as connection:
            rows = connection.execute(_CLAIM, values).fetchall()
        return tuple(Job(*row[1:]) for row in sorted(rows))

    def start(self, jobs: Iterable[Job], *, lease_seconds: float) -> tuple[Job, ...]:
        """The jobs that are still claimed, each with this attempt counted."""
        lease_until = self._clock() + _microseconds(lease_seconds)
        with self._database.write() as connection:
            found = [connection.execute(_START, (lease_until, *_key(job))).fetchone() for job in jobs]
        return tuple(Job(*row) for row in found if row)

    def finish(self, vectors: Mapping[Job, bytes]) -> int:
        """How many of the vectors were stored; the others' jobs were gone."""
        stored = 0
        with self._database.write() as connection:
            for job, vector in vectors.items():
                if connection.execute(_DONE, _key(job)).rowcount:
                    connection.execute(_STORE, (*_key(job), vector))
                    stored += 1
        return stored

    def release(self, jobs: Iterable[Job]) -> None:
        """Give claimed jobs back as they were when they were claimed."""
        now = self._clock()
        rows = [(now, job.attempts, *_key(job)) for job in jobs]
        if rows:
            with self._database.write() as connection:
                connection.executemany(_RELEASE, rows)

    def failed(self, job: Job, error: str, *, retry_seconds: float | None) -> None:
        """Try again after `retry_seconds`, or, with None, park the job with its reason."""
        state = "parked" if retry_seconds is None else "waiting"
        ready = self._clock() + _microseconds(retry_seconds or 0)
        with self._database.write() as connection:
            connection.execute(_FAILED, (state, ready, error, *_key(job)))

    def parked(self, tenant: str, fingerprint: str, limit: int) -> tuple[Job, ...]:
        """Jobs that were given up, oldest first, with their reasons."""
        with self._database.read() as connection:
            rows = connection.execute(_PARKED, (tenant, fingerprint, max(0, limit))).fetchall()
        return tuple(Job(*row) for row in rows)

    def retry_parked(self, tenant: str, fingerprint: str) -> int:
        """How many jobs wait again."""
        with self._database.write() as connection:
            return connection.execute(_RETRY_PARKED, (self._clock(), tenant, fingerprint)).rowcount

    def counts(self, fingerprint: str = "", *, tenant: str) -> dict[str, int]:
        """Of a tenant, by state; `oldest_seconds` is the age of the oldest job that is not parked."""
        return self._counts(fingerprint, tenant)

    def totals(self, fingerprint: str = "") -> dict[str, int]:
        """Of all tenants, by state."""
        return self._counts(fingerprint, None)

    def _counts(self, fingerprint: str, tenant: str | None) -> dict[str, int]:
        now = self._clock()
        with self._database.read() as connection:
            values = {"now": now, "tenant": tenant, "fingerprint": fingerprint}
            rows = connection.execute(_COUNTS, values).fetchall()
        counts = {"waiting": 0, "claimed": 0, "parked": 0} | {state: number for state, number, _ in rows}
        oldest = min((added for state, _, added in rows if state != "parked"), default=now)
        return counts | {"oldest_seconds": max(0, now - oldest) // 1_000_000}


def _key(job: Job) -> tuple[str, str, str]:
    return job.tenant, job.text_hash, job.fingerprint


def _microseconds(seconds: float) -> int:
    return round(seconds * 1e6)
