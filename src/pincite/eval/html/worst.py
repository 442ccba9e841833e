"""The queries that were answered worst: what should have come, and what came instead."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pincite.eval.html.markup import amount, more, number, text

MAX_QUERIES = 25
MAX_HITS = 10
MAX_JUDGED = 20
MAX_REASONS = 12
MAX_EXCERPT_CHARS = 600


def worst_queries(worst: Sequence[Mapping[str, Any]]) -> str:
    """Each query as a fold, the first one open."""
    folds = "\n".join(_fold(case, first=place == 0) for place, case in enumerate(worst[:MAX_QUERIES]))
    return folds + more(MAX_QUERIES, len(worst), "query")


def _fold(case: Mapping[str, Any], *, first: bool) -> str:
    tags = "".join(f'<span class="badge">{text(tag, 60)}</span> ' for tag in case.get("tags") or ())
    return (
        f'<details{" open" if first else ""}><summary><b class="mark">{number(case.get("value"))}</b>'
        f'<span><span class="query" dir="auto">{text(case.get("query", ""), 400)}</span>'
        f"<small>{text(case.get('id', ''), 80)} {tags}</small></span></summary>"
        f'<div class="columns">{_judged(case.get("relevant") or ())}{_hits(case.get("hits") or ())}</div></details>'
    )


def _judged(relevant: Sequence[Mapping[str, Any]]) -> str:
    rows = "".join(
        f'<tr><td><span class="path">{text(place.get("name", ""), 300)}</span></td>'
        f"<td>{_grade(place.get('grade'))}</td>"
        f"<td>{text(place['rank']) if place.get('rank') is not None else 'not found'}</td></tr>"
        for place in relevant[:MAX_JUDGED]
    )
    return (
        '<div><h3>Should have come</h3><table><thead><tr><th scope="col">Place</th><th scope="col">Grade</th>'
        f'<th scope="col">Rank</th></tr></thead><tbody>{rows}</tbody></table>'
        f"{more(MAX_JUDGED, len(relevant), 'place')}</div>"
    )


def _hits(hits: Sequence[Mapping[str, Any]]) -> str:
    items = "".join(_hit(hit) for hit in hits[:MAX_HITS]) or "<li>Nothing came.</li>"
    return f'<div><h3>Came instead</h3><ol class="hits">{items}</ol>{more(MAX_HITS, len(hits), "hit")}</div>'


def _hit(hit: Mapping[str, Any]) -> str:
    reasons = "".join(f"<li>{text(reason, 300)}</li>" for reason in (hit.get("why") or ())[:MAX_REASONS])
    title, place = hit.get("title") or hit.get("name", ""), hit.get("place") or hit.get("name", "")
    return (
        f'<li><p><b>{text(hit.get("rank", "–"))}.</b> <b dir="auto">{text(title, 200)}</b> {_grade(hit.get("grade"))} '
        f'<small>score {number(hit.get("score"))}</small></p><p class="soft" dir="auto">{text(place, 300)}</p>'
        f'<blockquote dir="auto">{text(hit.get("excerpt", ""), MAX_EXCERPT_CHARS)}</blockquote>'
        f'<p class="path">{text(hit.get("citation", ""), 300)}</p>'
        + (f'<ul class="why">{reasons}</ul>' if reasons else "")
        + "</li>"
    )


def _grade(grade: Any) -> str:
    given = amount(grade)
    if given is None:
        return '<span class="badge">unjudged</span>'
    return f'<span class="badge{" answers" if given > 0 else ""}">grade {given:g}</span>'
