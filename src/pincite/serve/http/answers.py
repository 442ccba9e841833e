"""The answer of each operation, as JSON Schemas for the OpenAPI document. They list what a program may rely on.

Shapes shared with MCP are reused, without the fields that only a tool's answer has.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pincite.serve.mcp import schemas
from pincite.serve.mcp.schemas import CITATION, NUMBER, PERHAPS, READ_CONTEXT, TEXT, TRUTH, WHOLE, Schema

TOOLS_ONLY = ("truncated", "next_span")
MOMENT = {"type": "string", "format": "date-time"}


def _object(**properties: Schema) -> Schema:
    return {"type": "object", "properties": properties, "required": list(properties)}


def _list(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def _or_null(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


def _plain(given: Schema) -> Schema:
    """A tool's output shape as the other doors return it."""
    properties = {name: part for name, part in given["properties"].items() if name not in TOOLS_ONLY}
    return given | {"properties": properties, "required": [n for n in given["required"] if n not in TOOLS_ONLY]}


REVISION = _object(revision=WHOLE, time=MOMENT, message=TEXT, author=TEXT)
BASELINE = _object(baseline_id=TEXT, revision=WHOLE, created=MOMENT, author=TEXT, note=TEXT, published=TRUTH)
ERROR = _object(code=TEXT, message=TEXT, field=PERHAPS, suggestions=_list(TEXT))
JOB = _object(
    job_id=TEXT,
    operation=TEXT,
    repository_id=PERHAPS,
    state={"type": "string", "enum": ["queued", "running", "succeeded", "failed", "interrupted"]},
    created=MOMENT,
    started=_or_null(MOMENT),
    finished=_or_null(MOMENT),
    done=_or_null(WHOLE | {"description": "Files of the source that have been read."}),
    total=_or_null(WHOLE | {"description": "Files in the source; null until counted, and for a reindex."}),
    result=_or_null({"type": "object", "description": "The answer of the operation itself."}),
    error=_or_null(ERROR),
)
VERDICT = _object(
    status={"type": "string", "enum": ["verified", "altered", "superseded", "erased", "not_found"]},
    message=TEXT,
    citation=PERHAPS,
)
LIFE = _object(
    element_id=TEXT, version_id=TEXT, citation=CITATION, born=REVISION, died=_or_null(REVISION), current=TRUTH
)
REFERENCE = _object(status=TEXT)
DEFINITION = _object(term=TEXT, text=TEXT, citation=CITATION, element_id=TEXT, repository_id=TEXT, version_id=TEXT)
SEARCH = _plain(schemas.SEARCH)
PROBLEM = _object(
    type=TEXT,
    title=TEXT,
    status=WHOLE,
    detail=TEXT,
    instance=PERHAPS,
    code={
        "type": "string",
        "enum": [
            "invalid_argument", "unknown_argument", "not_found", "unauthenticated", "permission_denied", "conflict",
            "unavailable", "deadline_exceeded", "internal",
        ],
    },
    field=PERHAPS,
    suggestions=_list(TEXT),
)  # fmt: skip
"""RFC 9457, with our own members at the top level."""

ANSWERS: Mapping[str, dict[str, Any]] = {
    "semanticSearch": SEARCH,
    "getContext": _plain(schemas.CONTEXT),
    "getElement": _plain(schemas.ELEMENT),
    "verify": VERDICT,
    "verifyCitations": _plain(schemas.VERDICTS),
    "compareBaselines": _plain(schemas.COMPARISON),
    "whyNot": _object(element_id=TEXT, query=TEXT, verdict=TEXT, message=TEXT, read_context=READ_CONTEXT),
    "replay": SEARCH,
    "definitions": _object(
        term=TEXT, definitions=_list(DEFINITION), conflicts=TRUTH, nearest=_list(TEXT), read_context=READ_CONTEXT
    ),
    "references": _object(references=_list(REFERENCE), total=WHOLE, unresolved=WHOLE),
    "history": _object(element_id=TEXT, history=_list(LIFE)),
    "diff": _object(changes=_list(_object(element_id=TEXT, element_name=TEXT, change=TEXT))),
    "revisions": _object(revisions=_list(REVISION)),
    "filters": _object(filters={"type": "object", "additionalProperties": {"type": "object"}}),
    "listRepositories": _plain(schemas.REPOSITORIES),
    "indexHealth": _plain(schemas.HEALTH),
    "doctor": _plain(schemas.HEALTH),
    "listBaselines": _object(baselines=_list(BASELINE)),
    "createBaseline": BASELINE,
    "publishBaseline": BASELINE,
    "rollbackBaseline": BASELINE,
    "reindex": JOB,
    "ingest": JOB,
    "getJob": JOB,
    "listJobs": _object(jobs=_list(JOB)),
    "healthz": _object(status=TEXT),
    "readyz": _object(status=TEXT, legs={"type": "object", "additionalProperties": TEXT}, notes=_list(TEXT)),
}
"""By operation; alternative routes to an operation return the same."""

STREAM_EVENT: Schema = {
    "type": "object",
    "required": ["event"],
    "properties": {
        "event": {"type": "string", "enum": ["stage", "hit", "done", "error"]},
        "stage": {"type": "string", "enum": ["keyword", "final"], "description": "The final stage replaces the first."},
        "results": WHOLE,
        "rank": WHOLE,
        "hit": {"type": "object", "properties": {"score": NUMBER, "citation": CITATION}},
        "answer": {"type": "object", "description": "The answer of a search without its results."},
        "error": ERROR,
    },
}
