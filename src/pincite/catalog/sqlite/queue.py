"""Texts that wait for their vector. A job leaves only when it is done; a dead worker's lease lapses."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from pincite.catalog.sqlite.connection import Database
from pincite.protocols import Job

_ADD = """
    INSERT OR IGNORE INTO jobs (tenant, text_hash, fingerprint, text, state, added, ready)
    VALUES (?, ?, ?, ?, 'waiting', ?, ?)
"""
# Attempts count claims, not failures: a text that kills its worker is counted too.
_CLAIM = """
    UPDATE jobs SET state = 'claimed', ready = :lease_until, attempts = attempts + 1
    WHERE id IN (SELECT id FROM jobs WHERE state <> 'parked' AND ready <= :now ORDER BY ready, id LIMIT :limit)
    RETURNING id, tenant, text_hash, fingerprint, text, attempts, error
"""
_DONE = "DELETE FROM jobs WHERE tenant = ? AND text_hash = ? AND fingerprint = ?"
_FAILED = """
    UPDATE jobs SET state = ?, ready = ?, error = ? WHERE tenant = ? AND text_hash = ? AND fingerprint = ?
"""
_COUNTS = """
    SELECT CASE WHEN state = 'claimed' AND ready <= ? THEN 'waiting' ELSE state END, count(*), min(added)
    FROM jobs GROUP BY 1
"""


class SqliteEmbeddingQueue:
    def __init__(self, database: Database, clock: Callable[[], int]) -> None:
        self._database = database
        self._clock = clock

    def add(self, jobs: Iterable[Job]) -> int:
        """Number of new jobs."""
        now = self._clock()
        with self._database.write() as connection:
            rows = [(job.tenant, job.text_hash, job.fingerprint, job.text, now, now) for job in jobs]
            return connection.executemany(_ADD, rows).rowcount if rows else 0

    def claim(self, limit: int, *, lease_seconds: float) -> tuple[Job, ...]:
        """Jobs that nobody else gets until the lease lapses, oldest first. `attempts` counts this claim."""
        now = self._clock()
        with self._database.write() as connection:
            values = {"now": now, "lease_until": now + round(lease_seconds * 1e6), "limit": max(0, limit)}
            rows = connection.execute(_CLAIM, values).fetchall()
        return tuple(Job(*row[1:]) for row in sorted(rows))

    def done(self, jobs: Iterable[Job]) -> None:
        with self._database.write() as connection:
            connection.executemany(_DONE, [(job.tenant, job.text_hash, job.fingerprint) for job in jobs])

    def failed(self, job: Job, error: str, *, retry_seconds: float | None) -> None:
        """Try again after `retry_seconds`, or, with None, park the job with its reason."""
        state = "parked" if retry_seconds is None else "waiting"
        ready = self._clock() + round((retry_seconds or 0) * 1e6)
        with self._database.write() as connection:
            connection.execute(_FAILED, (state, ready, error, job.tenant, job.text_hash, job.fingerprint))

    def counts(self) -> dict[str, int]:
        """By state; `oldest_seconds` is the age of the oldest job that is not parked."""
        now = self._clock()
        with self._database.read() as connection:
            rows = connection.execute(_COUNTS, (now,)).fetchall()
        counts = {"waiting": 0, "claimed": 0, "parked": 0} | {state: number for state, number, _ in rows}
        oldest = min((added for state, _, added in rows if state != "parked"), default=now)
        return counts | {"oldest_seconds": max(0, now - oldest) // 1_000_000}
