"""The concise form of an answer: what is needed to read and cite a result. About a third of the detailed form."""

from __future__ import annotations

from pincite.wire import Json

HIT = (
    "element_id", "repository_id", "element_name", "element_type", "citation", "version_id", "score", "section_id",
    "parent_chain", "page", "content",
)  # fmt: skip
"""The fields a result keeps; null values are left out."""
ANSWER = ("read_context", "total", "total_is_lower_bound", "next_cursor", "notes", "absence")


def concise(answer: Json) -> Json:
    """The same results in the same order, without scores by leg, explanations and bookkeeping."""
    short: Json = {"results": [_hit(item) for item in answer["results"]]}
    short |= {name: answer[name] for name in ANSWER if name in answer}
    short["legs"] = [{key: leg[key] for key in ("name", "status", "reason")} for leg in answer["legs"]]
    short["replay"] = answer["replay"]
    return short


def _hit(given: Json) -> Json:
    short = {name: given[name] for name in HIT if given.get(name) is not None}
    more = [{"citation": item["citation"], "content": item["content"]} for item in given["passages"][1:]]
    if more:
        short["passages"] = more
    if given["definitions"]:
        short["definitions"] = [
            {key: item[key] for key in ("term", "text", "citation")} for item in given["definitions"]
        ]
    return short
