"""The request log: a line for every request at every door, for monitoring. The record to keep is `audit.py`."""

from __future__ import annotations

import logging
from typing import Any

from pincite.serve.audit import WORDS, Served
from pincite.serve.logs import FIELDS
from pincite.settings import Config
from pincite.telemetry import OUR_FAULT

log = logging.getLogger("pincite.requests")


class RequestLog:
    """Logs each request reported by the desk."""

    def __init__(self, config: Config) -> None:
        self._query_text = config.telemetry.query_text

    def __call__(self, served: Served) -> None:
        level = logging.WARNING if served.outcome in OUR_FAULT else logging.INFO
        if not log.isEnabledFor(level):
            return
        fields: dict[str, Any] = {
            "door": served.door,
            "operation": served.operation,
            "outcome": served.outcome,
            "ms": round(1000 * served.seconds, 1),
            "tenant": served.caller.tenant,
            "subject": served.caller.subject,
            "issuer": served.caller.issuer or None,
        }
        if self._query_text:
            fields |= {name: served.arguments[name] for name in WORDS if served.arguments.get(name)}
        said = f"{served.door} {served.operation} {served.outcome} {fields['ms']:g} ms"
        log.log(level, "%s", said, extra={FIELDS: fields})
