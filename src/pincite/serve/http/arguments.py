"""Arguments: a request as the mapping that every door passes to the desk. Nothing is checked here.

A query string contains only text. Values that the request's schema declares as a number or boolean are converted; text
that cannot be converted is kept, and the desk refuses it by name. `filters[language]=en` fills an object, a repeated
name a list.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from starlette.requests import Request

from pincite.errors import InvalidArgument
from pincite.serve import strict_json
from pincite.serve.http.problems import BadRequest, WrongMediaType
from pincite.serve.requests import Request as Asked

SHORT = {"q": "query"}
"""The name of the query in a link."""
_INSIDE = re.compile(r"(\w+)\[(.+)\]")
_WHOLE = re.compile(r"-?\d{1,18}")
_NUMBER = re.compile(r"-?\d{1,300}(\.\d{1,300})?([eE][+-]?\d{1,3})?")
_JSON = ("application/json", "")


def from_query(model: type[Asked], pairs: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """The arguments in a query string."""
    fields = schema_of(model)
    out: dict[str, Any] = {}
    for given, text in pairs:
        inside = _INSIDE.fullmatch(given)
        name = SHORT.get(given, given) if "query" in fields else given
        if inside and "object" in _types(fields.get(inside[1], {})):
            place = out.setdefault(inside[1], {})
            if not isinstance(place, dict):
                raise InvalidArgument(
                    f"{inside[1]} is given both as text and as an object; send only one", field=inside[1]
                )
            _add(place, inside[2], text, into_list=False)
        else:
            shape = fields.get(name, {})
            _add(out, name, _typed(text, shape), into_list="array" in _types(shape) and "string" not in _types(shape))
    return out


async def from_body(request: Request) -> dict[str, Any]:
    """The arguments in a JSON body; an empty one has none."""
    said = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if said not in _JSON:
        raise WrongMediaType(f"the body is {said}; send application/json", field="Content-Type")
    body = await request.body()
    if not body.strip():
        return {}
    try:
        found = strict_json.loads(body)
        json.dumps(found, ensure_ascii=False).encode("utf-8")  # a lone surrogate is valid JSON but not valid text
    except UnicodeEncodeError as error:
        raise BadRequest(
            f"the body contains a lone surrogate, which is not a valid character: {error.object!r:.80}"
        ) from error
    except (ValueError, RecursionError) as error:
        raise BadRequest(f"the body is not JSON: {str(error) or 'nested too deeply'}") from error
    if not isinstance(found, dict):
        raise BadRequest("the body must be a JSON object of named arguments")
    return found


@cache
def schema_of(model: type[Asked]) -> Mapping[str, Mapping[str, Any]]:
    """JSON Schemas of the arguments by name."""
    properties: Mapping[str, Mapping[str, Any]] = model.model_json_schema(by_alias=True).get("properties", {})
    return properties


def _types(shape: Mapping[str, Any]) -> set[str]:
    """The JSON types a value may have."""
    several = shape.get("anyOf", ())
    return {str(shape["type"])} if "type" in shape else {kind for part in several for kind in _types(part)}


def _typed(text: str, shape: Mapping[str, Any]) -> Any:
    kinds = _types(shape)
    inner: Mapping[str, Any] = shape.get("items") or next(
        (p["items"] for p in shape.get("anyOf", ()) if "items" in p), {}
    )
    if "array" in kinds and "string" not in kinds:
        kinds = _types(inner)
    if "integer" in kinds and _WHOLE.fullmatch(text):
        return int(text)
    if "number" in kinds and _NUMBER.fullmatch(text):
        return float(text)
    if "boolean" in kinds and text.lower() in ("true", "false", "1", "0"):
        return text.lower() in ("true", "1")
    return text


def _add(place: dict[str, Any], name: str, value: Any, *, into_list: bool) -> None:
    """A repeated name makes a list."""
    if name not in place:
        place[name] = [value] if into_list else value
    elif isinstance(place[name], list):
        place[name].append(value)
    else:
        place[name] = [place[name], value]
