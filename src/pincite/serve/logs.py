"""Logs: one line per event on standard error; never on standard output, which may belong to a protocol.

`text`: warnings and errors, for people at a terminal. `json`: one JSON object per line, for programs that collect logs.
It also has a line for every request, with the trace id of its spans and its other lines. Queries are left out unless
the settings ask for them (`telemetry: {query_text: true}`).
"""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime
from typing import Any

from pincite.settings.serve import Log
from pincite.telemetry import trace_ids

SAID = logging.getLogger("pincite.said")
FIELDS = "pincite_fields"
"""Attribute of a record with the extra fields of its JSON line."""


class JsonLines(logging.Formatter):
    """One object per line: time, level, logger, message, trace ids, and the fields of the record."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")[:-6] + "Z",
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        trace_id, span_id = trace_ids()
        line |= {key: value for key, value in (("trace_id", trace_id), ("span_id", span_id)) if value}
        line |= getattr(record, FIELDS, {})
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        text = json.dumps(line, ensure_ascii=False, separators=(",", ":"), default=str)
        return text.encode("utf-8", "backslashreplace").decode("utf-8")


class LogFormat(logging.Filter):
    """Messages to the person who started the server appear as they are; all others with the program's name."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.prefix = "" if record.name == SAID.name else "pincite: "
        return True


def configure(log: Log) -> None:
    """Send this process's logs to standard error, in the format and from the level in the settings."""
    as_json = log.format == "json"
    level = log.level if log.level != "auto" else "info" if as_json else "warning"
    handler = logging.StreamHandler(sys.stderr)
    if as_json:
        handler.setFormatter(JsonLines())
    else:
        handler.addFilter(LogFormat())
        handler.setFormatter(logging.Formatter("%(prefix)s%(message)s"))
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)  # other libraries
    logging.getLogger("pincite").setLevel(level.upper())
    SAID.setLevel(logging.INFO)  # the server's address is shown at any level


def say(message: str) -> None:
    """Show a message to the person who started the server."""
    SAID.info("%s", message)
