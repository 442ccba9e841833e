"""Converts what callers pass into the query that the search takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from pincite.catalog.resolve import parse_read_context
from pincite.search.query import FilterValue, Query
from pincite.types import ReadContext

ReadContextGiven = Mapping[str, object] | str | ReadContext | None


def names_of(repository: str | Sequence[str]) -> tuple[str, ...]:
    if isinstance(repository, str):
        return (repository,) if repository else ()
    return tuple(repository)


def read_context_of(given: ReadContextGiven) -> ReadContext | None:
    return given if isinstance(given, ReadContext) else parse_read_context(given)


def asked_query(
    text: str,
    repository: str | Sequence[str],
    mode: str,
    limit: int,
    read_context: ReadContextGiven,
    valid_at: str | date,
    filters: Mapping[str, FilterValue] | None,
    **more: Any,
) -> Query:
    """What a caller asks, in the forms that callers use; `Query` checks it and names the nearest valid one."""
    return Query(
        text=text,
        repositories=names_of(repository),
        mode=mode,  # type: ignore[arg-type]
        limit=limit,
        read_context=read_context_of(read_context),
        valid_at=valid_at.isoformat() if isinstance(valid_at, date) else valid_at,
        filters=filters or {},
        **more,
    )
