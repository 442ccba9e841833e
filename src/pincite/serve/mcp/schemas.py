"""The shapes of tools: input from the request models of all doors, output in the wire format.

Output schemas list what a program may rely on. They allow more: `detailed` answers contain all wire fields.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pincite.serve.requests import Request

Schema = dict[str, Any]
Json = dict[str, Any]
"""As in `wire.py`, which is not imported here, because the tool list is sent before the engine is loaded."""


def input_schema(request: type[Request], defaults: Mapping[str, object]) -> Schema:
    """JSON Schema of the arguments; `defaults` are the ones that differ at this door."""
    schema: Schema = _plain(request.model_json_schema(by_alias=True))
    schema.pop("description", None)
    for name, value in defaults.items():
        schema["properties"][name]["default"] = value
    return schema


def _plain(given: Any) -> Any:
    """The schema without pydantic's additions: titles that repeat names, and "" as the default of optional fields."""
    if isinstance(given, list):
        return [_plain(item) for item in given]
    if not isinstance(given, dict):
        return given
    kept = {key: _plain(value) for key, value in given.items() if not (key == "title" and isinstance(value, str))}
    if kept.get("default") in ("", None) and "description" in kept:
        kept.pop("default", None)
    return kept


def _object(required: Mapping[str, Schema], optional: Mapping[str, Schema] | None = None) -> Schema:
    return {"type": "object", "properties": {**required, **(optional or {})}, "required": list(required)}


def _said(kind: str, what: str = "") -> Schema:
    return {"type": kind, "description": what} if what else {"type": kind}


def _perhaps(kind: str, what: str = "") -> Schema:
    """The schema or null, as branches with one type each: some clients do not accept a list of types."""
    either: Schema = {"anyOf": [{"type": kind}, {"type": "null"}]}
    return either | ({"description": what} if what else {})


def _list(items: Schema, what: str = "") -> Schema:
    return {"type": "array", "items": items} | ({"description": what} if what else {})


TEXT, NUMBER, TRUTH, WHOLE = _said("string"), _said("number"), _said("boolean"), _said("integer")
PERHAPS = _perhaps("string")
CITATION = _said("string", "pincite:tenant/organization/repository/element@version#section;span=start-end")
READ_CONTEXT: Schema = {
    "type": "object",
    "description": "The state that was read: selector, revision, as_of; with several repositories by name.",
}
NOTES = _list(TEXT, "What to know about this answer.")
TRUNCATED = _said("boolean", "Whether the answer was cut to the character limit.")
LEGS = _list(
    _object({"name": TEXT, "status": {"type": "string", "enum": ["ok", "partial", "off", "unavailable"]}}),
    "Search methods, and why one did not take part.",
)
PLACE = {"element_id": TEXT, "repository_id": TEXT, "element_name": TEXT, "version_id": TEXT, "citation": CITATION}
HIT = _object(
    {**PLACE, "score": NUMBER, "content": _said("string", "The passage, word for word.")},
    {"section_id": PERHAPS, "parent_chain": _list(TEXT, "Headings above the passage, outermost first.")},
)

SEARCH = _object(
    {
        "results": _list(HIT, "Best first."),
        "read_context": READ_CONTEXT,
        "legs": LEGS,
        "total": WHOLE,
        "total_is_lower_bound": TRUTH,
        "next_cursor": _perhaps("string", "Pass as cursor for the next page."),
        "notes": NOTES,
        "truncated": TRUNCATED,
    },
    {"absence": _said("string", "Why nothing was found.")},
)
CONTEXT = _object(
    {
        "context": _said("string", "Numbered blocks [n], each under its citation."),
        "sources": _list(_object({**PLACE, "relevance": NUMBER, "why_included": TEXT}), "The n-th is block [n]."),
        "tokens": WHOLE,
        "max_tokens": WHOLE,
        "read_context": READ_CONTEXT,
        "legs": LEGS,
        "notes": NOTES,
    },
    {"absence": _said("string", "Why nothing was found.")},
)
ELEMENT = _object(
    {
        **PLACE,
        "content": _said("string", "The stored text of the place, word for word."),
        "current": _said("boolean", "Whether the read context sees this version."),
        "read_context": READ_CONTEXT,
        "before": _list(_object({"content": TEXT, "citation": CITATION})),
        "after": _list(_object({"content": TEXT, "citation": CITATION})),
        "truncated": TRUNCATED,
    },
    {
        "span": _perhaps("array", "[start, end] in characters of the stored text."),
        "next_span": _perhaps("array", "The span to ask for next."),
    },
)
VERDICTS = _object(
    {
        "verdicts": _list(
            _object(
                {
                    "status": {
                        "type": "string",
                        "enum": ["verified", "altered", "superseded", "erased", "not_found"],
                    },
                    "message": TEXT,
                    "quote": TEXT,
                    "cited": _perhaps("string", "The citation given in the draft."),
                    "citation": _perhaps("string", "Where the quote really is."),
                }
            ),
            "In the order of the draft.",
        ),
        "total": WHOLE,
        "counts": {"type": "object", "additionalProperties": WHOLE},
        "all_verified": TRUTH,
        "notes": NOTES,
        "truncated": TRUNCATED,
    }
)
_SIDE: Schema = {"anyOf": [_object({"rank": WHOLE, "score": NUMBER, "citation": CITATION}), {"type": "null"}]}
_COMPARED = _list(
    _object({"element_id": TEXT, "repository_id": TEXT, "element_name": TEXT, "before": _SIDE, "after": _SIDE})
)
COMPARISON = _object(
    {
        "query": TEXT,
        "from": READ_CONTEXT,
        "to": READ_CONTEXT,
        "appeared": _COMPARED,
        "vanished": _COMPARED,
        "changed": _COMPARED,
        "moved": _COMPARED,
        "same": _COMPARED,
        "notes": NOTES,
        "truncated": TRUNCATED,
    }
)
REPOSITORIES = _object(
    {
        "repositories": _list(
            _object(
                {"repository_id": TEXT, "head": WHOLE, "published": PERHAPS, "baselines": _list(TEXT)},
                {"filters": {"type": "object"}},
            )
        ),
        "truncated": TRUNCATED,
    }
)
HEALTH = _object(
    {
        "ok": TRUTH,
        "findings": _list(_object({"what": TEXT, "status": TEXT, "detail": TEXT})),
        "repositories": _list(_object({"repository_id": TEXT, "head": WHOLE})),
        "truncated": TRUNCATED,
    }
)
DEEP_SEARCH = _object({"results": _list(_object({"id": TEXT, "title": TEXT, "url": TEXT}))})
DEEP_FETCH = _object(
    {
        "id": TEXT,
        "title": TEXT,
        "text": TEXT,
        "url": TEXT,
        "metadata": {"type": "object", "additionalProperties": TEXT},
    }
)
