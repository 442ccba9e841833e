"""`pincite eval --suggest`: a first set of golden queries, derived from the structure of the documents."""

from __future__ import annotations

from pathlib import Path

import typer

from pincite.cli.questions import EvaluationTarget
from pincite.cli.session import say
from pincite.cli.written_files import write_file
from pincite.errors import Conflict, InvalidArgument


def suggest_queries(place: EvaluationTarget, limit: int, out: str, *, json: bool) -> bool:
    """Print or write the queries; True if there are any."""
    from pincite.eval.golden import golden_text
    from pincite.eval.suggest import suggest

    if len(place.repositories) > 1:
        raise InvalidArgument("--suggest takes one repository at a time", field="repository")
    if out and Path(out).expanduser().exists():
        raise Conflict(f"{out} exists and may contain your own questions; choose another file", field="out")
    with place.bench(asks=False) as bench:
        name = place.repositories[0] if place.repositories else ""
        cases = suggest(bench.library, repository=name, limit=limit, read_context=place.read_context or None)
    text = golden_text(cases, as_json=json or out.endswith(".json"))
    if out and cases.cases:
        write_file(out, text)
    elif not out:
        typer.echo(text, nl=False)
    kinds = sorted({tag for case in cases.cases for tag in case.tags if tag.startswith("type:")})
    counts = [f"{sum(tag in case.tags for case in cases.cases)} {tag.removeprefix('type:')}" for tag in kinds]
    say(
        f"{len(cases.cases)} queries suggested"
        + (f" ({', '.join(counts)})" if counts else "")
        + (f" → {out}" if out and cases.cases else "")
    )
    for note in cases.notes:
        say(f"note: {note}")
    return bool(cases.cases)
