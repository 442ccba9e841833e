"""What model calls consumed, summed per day."""

from __future__ import annotations

from datetime import date

from pincite.bookkeeping import Usage
from pincite.catalog.sqlite.connection import Database
from pincite.errors import InvalidArgument

_ADD = """
    INSERT INTO usage (tenant, day, provider, model, purpose, calls, input_tokens, cached_tokens, output_tokens,
                       cost_micros)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET
        calls = calls + excluded.calls,
        input_tokens = input_tokens + excluded.input_tokens,
        cached_tokens = cached_tokens + excluded.cached_tokens,
        output_tokens = output_tokens + excluded.output_tokens,
        cost_micros = cost_micros + excluded.cost_micros
"""
_TOTAL = """
    SELECT provider, model, purpose, sum(calls), sum(input_tokens), sum(cached_tokens), sum(output_tokens),
           sum(cost_micros)
    FROM usage
    WHERE tenant = :tenant AND (:since = '' OR day >= :since) AND (:until = '' OR day <= :until)
    GROUP BY provider, model, purpose
    ORDER BY provider, model, purpose
"""


class SqliteUsageLedger:
    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, tenant: str, day: str, usage: Usage) -> None:
        _check_day(day)
        u = usage
        amounts = (u.calls, u.input_tokens, u.cached_tokens, u.output_tokens, u.cost_micros)
        with self._database.write() as connection:
            connection.execute(_ADD, (tenant, day, u.provider, u.model, u.purpose, *amounts))

    def total(self, tenant: str, *, since: str = "", until: str = "") -> tuple[Usage, ...]:
        """Sums per (provider, model, purpose) over ISO days, both ends included."""
        for day in (since, until):
            if day:
                _check_day(day)
        with self._database.read() as connection:
            rows = connection.execute(_TOTAL, {"tenant": tenant, "since": since, "until": until})
            return tuple(Usage(*row) for row in rows)


def _check_day(day: str) -> None:
    try:
        canonical = date.fromisoformat(day).isoformat()
    except ValueError:
        canonical = ""
    if canonical != day:
        raise InvalidArgument(f"{day!r} is not a day; write it as 2026-01-31", field="day")
