"""Verdicts on rerankers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pincite.catalog.sqlite.server.file import ServerFile

_ONE = "SELECT verdict FROM verdicts WHERE judged = ?"
_KEEP = "INSERT OR REPLACE INTO verdicts (judged, verdict) VALUES (?, ?)"


class SqliteVerdicts:
    def __init__(self, file: ServerFile) -> None:
        self._file = file

    def get(self, case: Mapping[str, Any]) -> Mapping[str, Any] | None:
        with self._file.read() as connection:
            row = connection.execute(_ONE, (judged(case),)).fetchone() if connection else None
        found: Mapping[str, Any] | None = json.loads(row[0]) if row else None
        return found

    def keep(self, case: Mapping[str, Any], verdict: Mapping[str, Any]) -> None:
        with self._file.write() as connection:
            connection.execute(_KEEP, (judged(case), json.dumps(dict(verdict), ensure_ascii=False)))


def judged(case: Mapping[str, Any]) -> str:
    """A case as a key: the same text for the same case."""
    return json.dumps(dict(case), sort_keys=True, ensure_ascii=False)
