"""Answers for people: the JSON shapes, printed to a terminal."""

from __future__ import annotations

import textwrap
from typing import Any

import typer

from pincite.cli.session import say

WIDTH = 118
MAX_LINES = 6
ALSO_WIDTH = 80

ABSENCES = {
    "no_match": "nothing matches",
    "not_indexed_yet": "nothing matches yet: the index is behind the catalog",
    "not_in_this_snapshot": "nothing matches in this state of the library, though something does at head",
    "erased": "what you asked for was here and has been erased",
    "leg_unavailable": "the search could not run in full",
}


def render_answer(body: dict[str, Any], *, explain: bool) -> None:
    """Print hits with their place, score, passage and citation; notes go to stderr."""
    for number, hit in enumerate(body["results"], start=1):
        _render_hit(number, hit, explain=explain)
    if not body["results"]:
        typer.echo(ABSENCES[body.get("absence", "no_match")])
    for note in body["notes"]:
        say(f"note: {note}")
    total = f"{'at least ' if body['total_is_lower_bound'] else ''}{body['total']}"
    say(f"{len(body['results'])} of {total}; {_state(body['read_context'])}; {_legs(body['legs'])}")
    if body["next_cursor"]:
        say(f"next page: --cursor {body['next_cursor']}")


def _legs(legs: list[dict[str, Any]]) -> str:
    """Which legs answered, and why others did not."""
    shown = [leg for leg in legs if leg["status"] != "off" or leg["name"] == "dense"]
    return ", ".join(f"{g['name']} {g['status']}" + (f" ({g['reason']})" if g["reason"] else "") for g in shown)


def _render_hit(number: int, hit: dict[str, Any], *, explain: bool) -> None:
    place = " > ".join(hit["parent_chain"]) or hit["element_name"]
    typer.echo(typer.style(f"{number}. {place}", bold=True) + f"   {hit['score']:.3f}")
    _render_text(hit["content"])
    typer.echo("   " + typer.style(hit["citation"], dim=True))
    for passage in hit["passages"][1:]:
        place = " > ".join(passage["parent_chain"][1:]) or hit["element_name"]
        said = textwrap.shorten(_without_heading(passage), ALSO_WIDTH, placeholder=" …")
        typer.echo(f"   also {place}: {said}   {passage['score']:.3f}")
    if hit["definitions"]:
        typer.echo("   Relevant definitions:")
    for defined in hit["definitions"]:
        typer.echo(f"   - {defined['term']}: {textwrap.shorten(defined['text'], ALSO_WIDTH, placeholder=' …')}")
    if explain:
        for leg, score in hit["explain"].items():
            words = ", ".join(f"{m['word']} {m['share']:.2f} (in {m['df']})" for m in score["matched"] if m["idf"])
            typer.echo(
                f"   {leg}: rank {score['rank']}, score {score['score']:.3f}, raw {score['raw']:.3f}"
                + (f": {words}" if words else "")
                + (f"; other passages {score['elsewhere']:.2f}" if score["elsewhere"] else "")
            )
            if score["window_text"]:
                elsewhere = "" if score["chunk_index"] == hit["chunk_index"] else f" in passage {score['chunk_index']}"
                typer.echo(
                    f"      nearest{elsewhere}: {textwrap.shorten(score['window_text'], WIDTH, placeholder=' …')}"
                )
    typer.echo()


def _without_heading(passage: dict[str, Any]) -> str:
    """The text of a passage without heading lines, which are already shown as its place."""
    lines = [line for line in passage["content"].splitlines() if not line.startswith("#")]
    return " ".join(lines).strip() or str(passage["content"])


def _render_text(text: str) -> None:
    lines = [part for line in text.splitlines() if line.strip() for part in textwrap.wrap(line.strip(), WIDTH)]
    for line in lines[:MAX_LINES]:
        typer.echo(f"   {line}")
    if len(lines) > MAX_LINES:
        typer.echo("   …")


def _state(context: dict[str, Any]) -> str:
    """The state that was read, in a few words."""
    if "repositories" in context:
        parts = [f"{name} at revision {echo['revision']}" for name, echo in context["repositories"].items()]
        return ", ".join(parts) or "no repositories yet"
    name = f"baseline {context['baseline_id']}, " if context.get("baseline_id") else ""
    when = f" ({str(context['as_of'])[:16]})" if context["as_of"] else ""
    return f"{context['repository_id']} at {name}revision {context['revision']}{when}"


def render_found(body: dict[str, Any]) -> None:
    """Print the passage verbatim on stdout, and its place on stderr."""
    for item in body["before"]:
        typer.echo(item["content"] + "\n")
    typer.echo(body["content"])
    for item in body["after"]:
        typer.echo("\n" + item["content"])
    say("")
    say(f"{' > '.join(body['parent_chain'])}")
    say(f"{body['citation']}{'' if body['current'] else '   (not the current version)'}")


def render_verdict(body: dict[str, Any]) -> None:
    typer.echo(f"{body['status']}: {body['message']}")
    for edit in body["difference"]:
        if edit["quoted"]:
            typer.echo(f"   - {edit['quoted']}")
        if edit["source"]:
            typer.echo(f"   + {edit['source']}")
    if body["citation"]:
        typer.echo(f"   {body['citation']}")
    if body["superseded_by"]:
        typer.echo(f"   superseded by {body['superseded_by']}")
    for other in body["also_in"]:
        typer.echo(f"   also in {other}")
