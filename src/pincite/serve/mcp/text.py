"""Text: an answer as a model reads it. Only the single text block is certain to reach a model.

Every passage appears verbatim under its citation; limits of the answer are placed where they cannot be missed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pincite.serve.mcp.schemas import Json

ABSENCE = {
    "no_match": "nothing matches",
    "not_indexed_yet": "the index has not caught up with the latest commits; try again in a moment",
    "not_in_this_snapshot": "not in the state that was read, but in a later one; use read_context head",
    "erased": "it existed and was erased",
    "leg_unavailable": "a search method could not answer; see indexHealth",
}


def search(body: Json) -> str:
    """Results with their citations, then notes on the answer as a whole."""
    results = body["results"]
    about = "at least " if body["total_is_lower_bound"] else ""
    head = f"{len(results)} of {about}{body['total']} results · read: {_state(body['read_context'])}"
    if not results:
        why = body.get("absence", "no_match")
        head = f"No results: {ABSENCE.get(why, why)}. Read: {_state(body['read_context'])}"
    blocks = [_hit(rank, hit) for rank, hit in enumerate(results, start=1)]
    return "\n\n".join([head, *_limits(body), *blocks, *_next_page(body)])


def _hit(rank: int, hit: Json) -> str:
    lines = [f"[{rank}] {_where(hit)} · score {hit['score']:.3f}", hit["citation"], "", hit["content"]]
    for other in hit.get("passages", ()):
        if other["citation"] != hit["citation"]:
            lines += ["", f"Also in this document: {other['citation']}", "", other["content"]]
    return "\n".join([*lines, *_definitions(hit.get("definitions", ()))])


def _definitions(given: Sequence[Json]) -> Iterator[str]:
    if given:
        yield "\nDefined there:"
    for item in given:
        yield f"- {item['term']}: {' '.join(item['text'].split())} ({item['citation']})"


def context(body: Json) -> str:
    """The gathered text itself; it has a budget, and each block is under its citation."""
    if not body["context"]:
        why = body.get("absence", "no_match")
        return "\n\n".join(
            [f"No material: {ABSENCE.get(why, why)}. Read: {_state(body['read_context'])}", *_limits(body)]
        )
    head = f"{body['tokens']} of {body['max_tokens']} tokens · read: {_state(body['read_context'])}"
    return "\n\n".join([head, *_limits(body), body["context"]])


def element(body: Json) -> str:
    """The place in full, with its neighbours in reading order."""
    current = "" if body["current"] else " · not the version in this state"
    head = [f"{_where(body)} · read: {_state(body['read_context'])}{current}", body["citation"]]
    around = [f"[before] {item['citation']}\n\n{item['content']}" for item in body["before"]]
    after = [f"[after] {item['citation']}\n\n{item['content']}" for item in body["after"]]
    parts = ["\n".join(head), *around, body["content"], *after]
    if body.get("next_span"):
        start, end = body["next_span"]
        parts.append(f"Cut here; read on with getElement, the same element and span [{start}, {end}].")
    elif body.get("truncated"):
        parts.append("Cut to the character limit; ask for a section, or for fewer neighbours.")
    return "\n\n".join(parts)


def verdicts(body: Json) -> str:
    """A line for each quote; one that is not verified also shows what the source says."""
    counts = ", ".join(f"{count} {status}" for status, count in body["counts"].items()) or "nothing to check"
    lines = [f"Quotes: {body['total']} ({counts})", *(f"Note: {note}" for note in body["notes"])]
    for number, item in enumerate(body["verdicts"], start=1):
        lines.append(f'\n[{number}] {item["status"]}: "{_shortened(item["quote"])}"\n{item["message"]}')
        if item["citation"]:
            lines.append(f"Found at: {item['citation']}")
        if item["status"] != "verified" and item["source"]:
            lines.append(f"The source says: {item['source']['content']}")
        if item["superseded_by"]:
            lines.append(f"Current version: {item['superseded_by']}")
    return "\n".join(lines)


def comparison(body: Json) -> str:
    """What changed for the question, by kind of change; passages only if there is something new to read."""
    lines = [f"From {_state(body['from'])} to {_state(body['to'])}.", *(f"Note: {note}" for note in body["notes"])]
    for change in ("appeared", "vanished", "changed", "moved", "same"):
        found = body[change]
        lines.append(f"\n{change}: {len(found) or 'none'}")
        for item in found:
            sides = [(name, item[name]) for name in ("before", "after") if item[name]]
            ranks = " → ".join(f"rank {side['rank']}" for _, side in sides)
            lines.append(f"- {item['element_name']} ({ranks}){': ' + item['why'] if item.get('why') else ''}")
            for name, side in sides:
                told = f"\n    {side['content']}" if change in ("appeared", "vanished", "changed") else ""
                lines.append(f"  {name}: {side['citation']}{told}")
    return "\n".join(lines)


def repositories(body: Json) -> str:
    lines = [f"Repositories: {len(body['repositories'])}", *(f"Note: {note}" for note in body.get("notes", ()))]
    for item in body["repositories"]:
        named = ", ".join(item["baselines"]) or "none"
        lines.append(
            f"\n{item['repository_id']}: revision {item['head']}, published: {item['published'] or 'nothing'},"
            f" baselines: {named}"
        )
        for key, values in item.get("filters", {}).items():
            shown = ", ".join(f"{value} ({count})" for value, count in values["values"].items())
            more = f" and {values['more']} more" if values["more"] else ""
            lines.append(f"  {key}: {shown}{more}")
    return "\n".join(lines)


def health(body: Json) -> str:
    lines = ["All is well." if body["ok"] else "Something needs attention."]
    lines += [_finding("library", item) for item in body["findings"]]
    lines += [_finding(item["repository_id"], found) for item in body["repositories"] for found in item["findings"]]
    return "\n".join([*lines, *(f"Note: {note}" for note in body.get("notes", ()))])


def _finding(where: str, given: Json) -> str:
    advice = f" ({given['advice']})" if given.get("advice") else ""
    return f"- {where}, {given['what']}: {given['status']} {given['detail']}{advice}".rstrip()


def as_json(body: Json) -> str:
    """The deep-research pair: its contract is one text block with the object itself as JSON."""
    return json.dumps(body, ensure_ascii=False)


# --- parts ----------------------------------------------------------------------------------------------------


def _where(given: Mapping[str, Any]) -> str:
    """Document and headings; a heading that repeats the name of the document is left out."""
    name = given["element_name"] or given["element_id"]
    headings = [heading for heading in given.get("parent_chain") or () if heading != name]
    page = f", page {given['page']}" if given.get("page") is not None else ""
    return " > ".join([name, *headings]) + page


def _state(read_context: Mapping[str, Any]) -> str:
    """Which state was read, in a few words."""
    if "repositories" in read_context:
        return "; ".join(_state(item) for item in read_context["repositories"].values()) or "no repository"
    selector, named = read_context.get("selector", ""), read_context.get("baseline_id", "")
    kind = {"revision": "", "baseline_id": f"baseline {named!r}, ", "published": f"published {named!r}, "}
    note = f" ({read_context['note']})" if read_context.get("note") else ""
    state = f"{kind.get(selector, f'{selector}, ')}revision {read_context.get('revision')}"
    return f"{read_context.get('repository_id', '')} at {state}{note}"


def _limits(body: Json) -> Iterator[str]:
    """Notes, and the search methods that should have taken part but could not."""
    said = [f"Note: {note}" for note in body["notes"]]
    said += [
        f"Note: {leg['name']} did not take part: {leg['reason']}"
        for leg in body["legs"]
        if leg["status"] in ("partial", "unavailable")
    ]
    if said:
        yield "\n".join(said)


def _next_page(body: Json) -> Iterator[str]:
    if body.get("next_cursor"):
        yield f"More results: the same arguments and cursor {body['next_cursor']}"


def _shortened(quote: str, length: int = 200) -> str:
    plain = " ".join(quote.split())
    return plain if len(plain) <= length else f"{plain[: length - 1]}…"
