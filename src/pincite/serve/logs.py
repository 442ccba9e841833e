"""Logs: what happened, one line each, on standard error; never on standard output, which may belong to a protocol.

`text`: for whoever looks at a terminal: warnings and errors. `json`: for a program that collects: a JSON object a
line, one for every request too, with the trace id that its spans and its other lines have. What somebody looked for is
in no line, unless the settings say so (`telemetry: {query_text: true}`).
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
"""Attribute of a record that holds what its JSON line has beside the message."""


class JsonLines(logging.Formatter):
    """One object a line: time, level, logger, message, trace ids, and the fields of the record."""

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


class Said(logging.Filter):
    """What is said to whoever started the server comes as it is; everything else under the program's name."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.prefix = "" if record.name == SAID.name else "pincite: "
        return True


def configure(log: Log) -> None:
    """Send what this process logs to standard error, in the form and from the level on that the settings name."""
    as_json = log.format == "json"
    level = log.level if log.level != "auto" else "info" if as_json else "warning"
    handler = logging.StreamHandler(sys.stderr)
    if as_json:
        handler.setFormatter(JsonLines())
    else:
        handler.addFilter(Said())
        handler.setFormatter(logging.Formatter("%(prefix)s%(message)s"))
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)  # of others' libraries
    logging.getLogger("pincite").setLevel(level.upper())
    SAID.setLevel(logging.INFO)  # how the server is reached is said at any level


def say(message: str) -> None:
    """Tell whoever started the server."""
    SAID.info("%s", message)
