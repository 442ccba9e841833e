"""Examples for the OpenAPI document: one request per operation, based on the sample handbook.

`tests/serve/http/test_openapi.py` sends every one of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

LEAVE = "company/leave.md"

BODIES: Mapping[str, dict[str, Any]] = {
    "semanticSearch": {"query": "annual leave", "top_k": 3, "filters": {"language": "en"}},
    "getContext": {"query": "how much annual leave is there", "max_tokens": 800},
    "getElement": {"element": LEAVE},
    "verify": {"quote": "annual leave"},
    "verifyCitations": {"text": "The handbook says “annual leave”.", "quotes": [{"quote": "annual leave"}]},
    "compareBaselines": {"query": "annual leave", "from": "revision:1", "to": "head"},
    "whyNot": {"element": LEAVE, "query": "parking"},
    "replay": {"token": "the replay.token of an answer"},
    "createBaseline": {"baseline_id": "2026-Q1", "note": "state of the first quarter"},
    "publishBaseline": {"baseline_id": "2026-Q1"},
    "rollbackBaseline": {},
    "reindex": {},
    "ingest": {"source": "handbook", "message": "as of today"},
}
"""Bodies by operation."""

PARAMETERS: Mapping[str, dict[str, Any]] = {
    "semanticSearch": {"q": "annual leave", "top_k": 3},
    "getContext": {"q": "how much annual leave is there", "max_tokens": 800},
    "getElement": {"element": LEAVE},
    "history": {"element": LEAVE},
    "references": {"element": LEAVE},
    "diff": {"from": "revision:1", "to": "head"},
    "definitions": {"term": "working day"},
    "revisions": {"limit": 5},
}
"""Values in the URL, by operation."""

PROBLEM: dict[str, Any] = {
    "type": "urn:pincite:problem:unknown_argument",
    "title": "An argument is unknown",
    "status": 422,
    "detail": "unknown argument 'limit'; did you mean 'top_k'?",
    "instance": "/v1/search",
    "code": "unknown_argument",
    "field": "limit",
    "suggestions": ["top_k"],
}
JOB: dict[str, Any] = {
    "job_id": "5f0c1a3e9d0b4b0f8a3a2f6f6f0d7c11",
    "operation": "ingest",
    "repository_id": "main",
    "state": "queued",
    "created": "2026-11-16T09:30:00.000Z",
    "started": None,
    "finished": None,
    "done": None,
    "total": None,
    "result": None,
    "error": None,
}
ANSWERS: Mapping[str, dict[str, Any]] = {
    "ingest": JOB,
    "reindex": JOB | {"operation": "reindex", "repository_id": None},
    "getJob": JOB | {"state": "running", "started": "2026-11-16T09:30:00.120Z", "done": 12, "total": 40},
    "createBaseline": {
        "baseline_id": "2026-Q1",
        "revision": 12,
        "created": "2026-03-31T16:00:00Z",
        "author": "k3x9",
        "note": "state of the first quarter",
        "published": False,
    },
    "healthz": {"status": "ok"},
    "readyz": {"status": "ready", "legs": {"keyword": "ok", "exact": "ok", "dense": "ok"}, "notes": []},
}
"""Answers by operation, if they fit on a screen."""
