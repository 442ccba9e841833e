"""Fit: keeps an answer under 32,000 characters. It is cut where a result ends, and says how to continue.

Clients cut or refuse longer answers, each in its own way and often mid-sentence. Both forms that a client may pass to
its model are counted: the text and the structured content. The rest can be requested: with `next_cursor`, `next_span`,
`next_id`, or as a note says.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from pincite.serve.mcp.schemas import Json

MAX_CHARACTERS = 32_000
TEXT_OF_A_PLACE = 24_000
"""Characters of a text that can be continued; the surrounding fields need part of the rest."""
FETCHED = 28_000
"""The same for `fetch`, whose answer is JSON, where line breaks and quotation marks count twice."""

Render = Callable[[Json], str]
Again = Callable[[dict[str, object]], Json]
"""Repeats the request with some arguments replaced."""


def size(body: Json, text: str) -> int:
    """Characters in the longer of the two forms."""
    return max(len(text), len(json.dumps(body, ensure_ascii=False)))


def fits(body: Json, render: Render) -> bool:
    return size(body, render(body)) <= MAX_CHARACTERS


def as_it_is(body: Json, _again: Again, _render: Render) -> Json:
    """For answers that have their own budget."""
    return body


def search(body: Json, again: Again, render: Render) -> Json:
    """As many results as fit. The page is requested again with fewer, so `next_cursor` follows the last one."""
    wanted = len(body["results"])
    body = body | {"truncated": False}
    while not fits(body, render) and len(body["results"]) > 1:
        fewer = _how_many(body, "results", render)
        body = again({"top_k": fewer}) | {"truncated": True}
    if not fits(body, render) and body["results"]:
        body = again({"top_k": 1, "passages": 1}) | {"truncated": True}
    if body["truncated"]:
        shown = len(body["results"])
        body["notes"] = [*body["notes"], f"{shown} of {wanted} results fit; get the rest with cursor: next_cursor"]
    return body


def element(body: Json, again: Again, render: Render) -> Json:
    """A long text up to the end of a paragraph, with the citation of exactly that part and the next span."""
    whole = body["span"]
    body = body | {"truncated": False, "next_span": None}
    if len(body["content"]) > TEXT_OF_A_PLACE:
        length = _end_of_paragraph(body["content"], TEXT_OF_A_PLACE)
        if whole:
            end = whole[0] + length
            part = again({"element": body["citation"], "version_id": "", "span": [whole[0], end]})
            body = part | {"truncated": True, "next_span": [end, whole[1]]}
        else:  # generated passages have no stored characters to count; their sections can be requested
            body = body | {"content": body["content"][:length], "truncated": True}
    while not fits(body, render) and (body["before"] or body["after"]):
        body = body | {"before": body["before"][1:], "after": body["after"][:-1], "truncated": True}
    return body


def verdicts(body: Json, _again: Again, render: Render) -> Json:
    """Each verdict with its place but without other identifying fields; if there are too many, the first that fit."""
    short = body | {"verdicts": [_verdict(item) for item in body["verdicts"]], "truncated": False}
    if fits(short, render):
        return short
    kept = _how_many(short, "verdicts", render)
    note = f"the first {kept} of {short['total']} verdicts fit; counts cover all. Send the rest of the draft separately"
    last = short["verdicts"][kept - 1].get("draft_span")
    note += f", from character {last[1]} on" if last else f": quotes from number {kept + 1} on"
    return short | {"verdicts": short["verdicts"][:kept], "truncated": True, "notes": [*short["notes"], note]}


def comparison(body: Json, _again: Again, render: Render) -> Json:
    """Drops unchanged hits first, then moved ones; a note says how many were left out."""
    body = body | {"truncated": False}
    left_out = 0
    for change in ("same", "moved", "changed", "vanished", "appeared"):
        if fits(body, render):
            break
        kept = _how_many(body, change, render) if body[change] else 0
        left_out += len(body[change]) - kept
        note = f"{left_out} of the hits do not fit; use a smaller top_k, or filters"
        notes = [item for item in body["notes"] if not item.endswith("or filters")]
        body = body | {change: body[change][:kept], "truncated": True, "notes": [*notes, note]}
    return body


def listing(name: str, advice: str) -> Callable[[Json, Again, Render], Json]:
    """For a list without pages: the first entries that fit, and `advice`."""

    def fit(body: Json, _again: Again, render: Render) -> Json:
        body = body | {"truncated": False}
        if fits(body, render):
            return body
        kept = _how_many(body, name, render)
        note = f"the first {kept} of {len(body[name])} fit; {advice}"
        return body | {name: body[name][:kept], "truncated": True, "notes": [*body.get("notes", ()), note]}

    return fit


def fetched(body: Json, _again: Again, _render: Render) -> Json:
    """A long text up to the end of a paragraph; the id of the rest is in the metadata, the only free field."""
    room = FETCHED
    text: str = body["text"]
    while len(json.dumps(text[:room], ensure_ascii=False)) > FETCHED:
        room -= 1_000
    if len(text) <= room:
        return body
    metadata, end = body["metadata"], _end_of_paragraph(text, room)
    said: Json = {"truncated": f"the first {end} characters; read sections with getElement"}
    if "span" in metadata:
        start, stop = map(int, metadata["span"].split("-"))
        whole = metadata["citation"].partition("#")[0].partition(";")[0]
        said = {
            "truncated": f"the first {end} of {stop - start} characters; fetch next_id for the rest",
            "next_id": f"{whole};span={start + end}-{stop}",
        }
    return body | {"text": text[:end], "metadata": metadata | said}


def _how_many(body: Json, name: str, render: Render) -> int:
    """How many entries of a list fit, at least one; found by bisection, because only trying tells."""
    entries: Sequence[Json] = body[name]
    low, high = 1, len(entries)
    while low < high:
        middle = (low + high + 1) // 2
        # Leave room for a note about the cut and a cursor.
        fit = size(part := body | {name: entries[:middle]}, render(part)) <= MAX_CHARACTERS - 1_000
        low, high = (middle, high) if fit else (low, middle - 1)
    return low


def _end_of_paragraph(text: str, limit: int) -> int:
    """The end of the last paragraph within the limit; otherwise of the last line or word, or the limit itself."""
    for mark in ("\n\n", "\n", " "):
        at = text.rfind(mark, limit // 2, limit)
        if at > 0:
            return at + len(mark)
    return limit


_PLACE = ("element_id", "repository_id", "element_name", "version_id", "citation", "section_id")


def _verdict(given: Json) -> Json:
    """The text of a verified quote is known; for any other, the source shows what is really there."""
    source = given["source"]
    short = None if source is None else {name: source[name] for name in _PLACE}
    if short is not None and given["status"] != "verified":
        short["content"] = source["content"]
    return given | {"source": short}
