"""The OpenAPI document: the framework's routes, completed from the request models and the answers.

The operationIds are the names of the operations, which are also those of the MCP tools. `docs/openapi.json` is the
published document; `pincite serve --openapi FILE` writes it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from pincite import __version__
from pincite.serve.http import answers, examples, uploads
from pincite.serve.http.idempotency import HEADER as IDEMPOTENCY_KEY
from pincite.serve.http.job_operations import GetJob, ListJobs
from pincite.serve.http.problems import MEDIA_TYPE
from pincite.serve.http.routes import READS, Read
from pincite.serve.http.streams import NDJSON, SSE
from pincite.serve.operations import OPERATIONS
from pincite.serve.requests import Request

Schema = dict[str, Any]
REF = "#/components/schemas/"
JSON = "application/json"
DESCRIPTION = (
    "Finds the passage that answers a question and cites it so that the citation still holds tomorrow. Answers are the"
    " same as over the command line (--json), MCP and gRPC. Errors are problem details (RFC 9457)."
)
OPEN = ("healthz", "readyz")
"""Routes that need no token."""
JOBS = ("ingest", "reindex")
WRITES = ("createBaseline", "publishBaseline", "rollbackBaseline", *JOBS)
STATUS = {"createBaseline": "201", "ingest": "202", "reindex": "202"}
REFUSALS = {
    "400": "The body cannot be read.",
    "401": "The caller is unknown: authentication required, invalid token, or invalid audience.",
    "403": "The token lacks the scope, or the web page is not allowed to call.",
    "404": "Nothing has this id.",
    "409": "The state of the library forbids it.",
    "410": "It existed and was erased.",
    "413": "The request is too large.",
    "415": "The body is not JSON.",
    "421": "The server does not have this host name.",
    "422": "An argument is unknown or cannot be used; `field` names it, `suggestions` lists likely alternatives.",
    "429": "Too many requests; Retry-After says when to retry.",
    "503": "It cannot be answered now.",
    "504": "The request exceeded its time limit.",
}
HEADERS = {"401": "WWW-Authenticate", "429": "Retry-After"}
_MODELS: Mapping[str, type[Request]] = {"getJob": GetJob, "listJobs": ListJobs}
_WAYS: Mapping[str, Read] = {read.name: read for read in READS}
_SUMMARIES = {
    "streamSearch": "Find passages, and send each stage as it is found.",
    "healthz": "Whether the process is alive.",
    "readyz": "Whether the library answers a real query.",
    "metrics": "Figures for Prometheus. Needs the scope admin:read.",
}


def document(app: FastAPI) -> Schema:
    """The whole document, built once."""
    if app.openapi_schema is None:
        made = get_openapi(
            title="Pincite", version=__version__, description=DESCRIPTION, routes=app.routes, openapi_version="3.1.0"
        )
        made["components"] = {
            "schemas": dict(sorted({**_requests(), **_answers(), "Problem": answers.PROBLEM}.items())),
            "responses": {f"Problem{status}": _refusal(status) for status in REFUSALS},
            "securitySchemes": {
                "bearer": {"type": "http", "scheme": "bearer", "description": "An API key, or a JWT of the issuer."}
            },
        }
        app.openapi_schema = made
    return app.openapi_schema


def extra(name: str) -> Schema:
    """What the framework cannot know about a route."""
    read = _WAYS.get(name)
    operation = read.operation if read else name
    model = _model(operation)
    told: Schema = {
        "summary": _summary(name, model),
        "tags": [_tag(name)],
        "responses": _responses(name, operation),
        "security": [] if name in OPEN else [{"bearer": []}],
    }
    if operation in OPERATIONS:
        told["description"] = f"Needs the scope `{OPERATIONS[operation].scope}`."
    parameters = _parameters(name, operation, read)
    if parameters:
        told["parameters"] = parameters
    if name in WRITES or (read is not None and read.method == "POST"):
        told["requestBody"] = _body(operation, model)
    return told


def _model(operation: str) -> type[Request] | None:
    return OPERATIONS[operation].request if operation in OPERATIONS else _MODELS.get(operation)


def _summary(name: str, model: type[Request] | None) -> str:
    if name in _SUMMARIES:
        return _SUMMARIES[name]
    base = name.removesuffix("ByLink").removesuffix("ByBody")
    return _SUMMARIES.get(base) or ((model.__doc__ or "").partition("\n")[0] if model else base)


def _tag(name: str) -> str:
    if name in (*OPEN, "metrics", "indexHealth", "doctor"):
        return "health"
    return "write" if name in WRITES or name.endswith("Jobs") or name == "getJob" else "read"


def _responses(name: str, operation: str) -> Schema:
    status = STATUS.get(name, "200")
    told: Schema = {status: {"description": "Queued." if status == "202" else "The answer."}}
    if name.startswith("streamSearch"):
        shape = {"schema": {"$ref": REF + "StreamEvent"}}
        told["200"]["content"] = {NDJSON: shape, SSE: {"schema": {"type": "string"}}}
    elif name == "metrics":
        told["200"]["content"] = {"text/plain": {"schema": {"type": "string"}}}
    else:
        content: Schema = {"schema": {"$ref": REF + _answer_name(operation)}}
        if operation in examples.ANSWERS:
            content["example"] = examples.ANSWERS[operation]
        told[status]["content"] = {JSON: content}
    if operation == "getElement":
        told["200"]["headers"] = {"ETag": {"schema": {"type": "string"}, "description": "Of version and passage."}}
        told["304"] = {"description": "The client already has it (If-None-Match)."}
    told |= {status: {"$ref": f"#/components/responses/Problem{status}"} for status in REFUSALS}
    if name in OPEN:
        told = {code: told[code] for code in told if code in ("200", "421", "503", "504")}
    return told


def _refusal(status: str) -> Schema:
    content: Schema = {"schema": {"$ref": REF + "Problem"}}
    if status == "422":
        content["example"] = examples.PROBLEM
    told: Schema = {"description": REFUSALS[status], "content": {MEDIA_TYPE: content}}
    if status in HEADERS:
        told["headers"] = {HEADERS[status]: {"schema": {"type": "string"}}}
    return told


def _answers() -> Schema:
    return {_answer_name(operation): shape for operation, shape in answers.ANSWERS.items()} | {
        "StreamEvent": answers.STREAM_EVENT
    }


def _answer_name(operation: str) -> str:
    return f"{operation[0].upper()}{operation[1:]}Answer"


def _parameters(name: str, operation: str, read: Read | None) -> list[Schema]:
    model = _model(operation)
    given: list[Schema] = []
    if model is not None and (read.method == "GET" if read else name in _MODELS):
        in_path = read.in_path if read else "job_id"
        shown = examples.PARAMETERS.get(operation, {})
        given += [_parameter(field, shape, in_path, shown) for field, shape in _fields(model)]
        required = set(model.model_json_schema(by_alias=True).get("required", ()))
        for item in given:
            item["required"] = item["in"] == "path" or item["name"] in required or (
                item["name"] == "q" and "query" in required
            )  # fmt: skip
    if name in WRITES:
        given.append(
            {
                "name": IDEMPOTENCY_KEY,
                "in": "header",
                "required": False,
                "schema": {"type": "string", "maxLength": 255},
                "description": "A request repeated with the same key is carried out once and gets the same answer.",
            }
        )
    if operation == "getElement" and read is not None and read.method == "GET":
        given.append(
            {
                "name": "If-None-Match",
                "in": "header",
                "required": False,
                "schema": {"type": "string"},
                "description": "ETag of an earlier answer.",
            }
        )
    return given


def _fields(model: type[Request]) -> list[tuple[str, Schema]]:
    shapes: Mapping[str, Schema] = _untitled(model.model_json_schema(by_alias=True)).get("properties", {})
    return list(shapes.items())


def _parameter(field: str, shape: Schema, in_path: str, shown: Mapping[str, Any]) -> Schema:
    """A field as written in a URL: a read context as text, filters as `filters[key]=value`."""
    name = "q" if field == "query" else field
    kept = {key: value for key, value in shape.items() if key != "description"}
    if field in ("read_context", "from", "to"):
        kept = {"type": "string"}
    told: Schema = {"name": name, "in": "path" if field == in_path else "query", "schema": kept}
    if "description" in shape:
        told["description"] = shape["description"]
    if shape.get("type") == "object":
        told |= {"style": "deepObject", "explode": True}
    if name in shown:
        told["example"] = shown[name]
    return told


def _body(operation: str, model: type[Request] | None) -> Schema:
    assert model is not None
    shown: Schema = {"schema": {"$ref": REF + model.__name__}}
    if operation in examples.BODIES:
        shown["example"] = examples.BODIES[operation]
    content = {JSON: shown}
    if operation == "ingest":
        content["multipart/form-data"] = {"schema": _upload()}
    return {"required": bool(model.model_json_schema().get("required")), "content": content}


def _upload() -> Schema:
    text = {"type": "string"}
    return {
        "type": "object",
        "properties": {
            uploads.FILE_FIELD: {
                "type": "array",
                "items": {"type": "string", "contentMediaType": "application/octet-stream"},
                "description": "Files with their names; prefix plus name is the element_id.",
            },
            "prefix": text | {"description": "Put before each name, e.g. handbook/."},
            "withdraw": {"type": "array", "items": text, "description": "Names of earlier uploads to remove."},
            "repository_id": text | {"description": "Repository; absent: the default one."},
            "message": text | {"description": "The reason, kept in the history."},
        },
    }


def _requests() -> Schema:
    """The request models and their parts, by name."""
    found: Schema = {}
    for operation in OPERATIONS.values():
        schema = _untitled(operation.request.model_json_schema(by_alias=True, ref_template=REF + "{model}"))
        found |= schema.pop("$defs", {})
        found[operation.request.__name__] = schema
    return found


def _untitled(given: Any) -> Any:
    """The schema without pydantic's titles, which repeat the names."""
    if isinstance(given, list):
        return [_untitled(item) for item in given]
    if not isinstance(given, dict):
        return given
    return {key: _untitled(item) for key, item in given.items() if not (key == "title" and isinstance(item, str))}
