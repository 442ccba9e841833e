"""The audit log: who asked what, when, and which state of the library was read. One JSON object per line.

A query is often personal or confidential, so it is left out unless the settings ask for it.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pincite.serve.callers import Caller
from pincite.settings.serve import Audit
from pincite.wire import Json

WORDS = ("query", "quote", "text", "quotes", "term")
"""Arguments that reveal what the caller wants to know."""


@dataclass(frozen=True, slots=True)
class Served:
    """One request that was answered or refused, as reported to the audit log and the metrics."""

    door: str
    operation: str
    caller: Caller
    outcome: str
    """`ok`, or the code of the error."""
    seconds: float
    arguments: Mapping[str, object] = field(default_factory=dict)
    answer: Json | None = None
    """The answer; None if the request was refused."""


class AuditLog:
    """Appends lines to a file. Several processes may share it: each line is one write."""

    def __init__(self, settings: Audit) -> None:
        self._settings = settings
        self._lock = threading.Lock()
        self._file: int | None = None

    def write(self, served: Served) -> None:
        """Add a line, if a file is configured. A full disk is an error: what cannot be logged is not served."""
        if not self._settings.file:
            return
        line = json.dumps(self._line(served), ensure_ascii=False, separators=(",", ":")) + "\n"
        data = line.encode("utf-8", "backslashreplace")
        with self._lock:
            if self._file is None:
                Path(self._settings.file).parent.mkdir(parents=True, exist_ok=True)
                self._file = os.open(self._settings.file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            os.write(self._file, data)

    def close(self) -> None:
        with self._lock:
            if self._file is not None:
                os.close(self._file)
                self._file = None

    def _line(self, served: Served) -> Json:
        read = read_states(served.answer or {})
        line: Json = {
            "time": datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "subject": served.caller.subject,
            "issuer": served.caller.issuer or None,
            "tenant": served.caller.tenant,
            "organization": served.caller.organization,
            "door": served.door,
            "operation": served.operation,
            "repositories": sorted(read) or _asked(served.arguments),
            "read_context": read,
            "outcome": served.outcome,
            "ms": round(1000 * served.seconds, 1),
        }
        if self._settings.query_text:
            line |= {name: served.arguments[name] for name in WORDS if served.arguments.get(name)}
        return line


def read_states(answer: Mapping[str, Any]) -> dict[str, Json]:
    """The state of each repository read for an answer, by name."""
    found: dict[str, Json] = {}
    for echo in (answer.get("read_context"), answer.get("from"), answer.get("to")):
        if not isinstance(echo, Mapping):
            continue
        for each in echo.get("repositories", {}).values() if "repositories" in echo else (echo,):
            if "repository_id" in each:
                kept = {key: each[key] for key in ("selector", "revision", "baseline_id", "valid_at") if each.get(key)}
                found[str(each["repository_id"])] = kept | {"revision": each.get("revision")}
    return found


def _asked(arguments: Mapping[str, object]) -> list[str]:
    given = arguments.get("repository_id")
    return [str(name) for name in given] if isinstance(given, list) else [str(given)] if given else []
