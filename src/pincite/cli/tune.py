"""The command that learns: tune."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pincite.cli.questions import Corpus, EvaluationTarget
from pincite.cli.session import AsJson, ReadContext, Repositories, emit, progress_bar, say, session
from pincite.cli.written_files import check_target
from pincite.errors import Conflict

if TYPE_CHECKING:
    from pincite.eval.tune import ClassResult, Tuned


def register(app: typer.Typer) -> None:
    app.command()(tune)


def tune(
    context: typer.Context,
    golden: Annotated[str, typer.Argument(help="Golden queries, JSON or YAML.")] = "",
    beir: Annotated[str, typer.Option(help="BEIR folder, instead of golden queries.")] = "",
    qrels: Annotated[str, typer.Option(help="Judgements of the BEIR folder, by name.")] = "",
    kind: Annotated[str, typer.Option(help="How the documents of a BEIR folder are read.")] = "",
    work: Annotated[str, typer.Option(help="Keep the library built from the BEIR folder here.")] = "",
    repository: Repositories = None,
    read_context: ReadContext = "",
    out: Annotated[str, typer.Option(help="Write the learned settings to this YAML file.")] = "",
    json: AsJson = False,
) -> None:
    """Learn how much meaning should count for each class of query. Exit code 1 if nothing is significantly better.

    Example: pincite tune golden.yaml --out weights.yaml
    """
    from pincite.eval.tune import tune as learn

    check_target(out)
    if out and Path(out).expanduser().exists():
        raise Conflict(f"{out} exists; choose another file", field="out")
    here = session(context)
    corpus = Corpus(beir, qrels, "", "", kind, (), False, work)
    with progress_bar(here.progress) as progress:
        place = EvaluationTarget(here, golden, corpus, tuple(repository or ()), read_context, progress)
        with place.bench() as bench:
            found = learn(bench.library, bench.cases, bench.options, progress)
    if json:
        emit(_wire(found))
    else:
        _render(found)
    if found.settings and out:
        import yaml

        Path(out).expanduser().write_text(yaml.safe_dump(found.settings, sort_keys=False), encoding="utf-8")
        say(f"written to {out}; copy it into your configuration")
    if not found.settings:
        say("nothing is significantly better than the current settings; nothing was written")
        raise typer.Exit(1)


def _render(found: Tuned) -> None:
    typer.echo("shares of keyword : dense : related\n")
    typer.echo(f"{'class':<20}{'queries':>8}{'now':>22}{'learned':>22}   nDCG@10 of unseen questions")
    for item in found.classes:
        shares = f"{_shares(item.before):>22}{_shares(item.after):>22}"
        name = f"{item.kind} {item.query_class}".strip()
        typer.echo(f"{name:<20}{item.queries:>8}{shares}   {_said(item)}")
    total = found.difference
    bounds = f"{total.low:+.4f} to {total.high:+.4f}"
    typer.echo(f"\nall: {total.before:.4f} → {total.after:.4f} ({total.difference:+.4f}, {bounds})")


def _shares(weights: Any) -> str:
    return f"{weights.keyword:.2f} : {weights.dense:.2f} : {weights.related:.2f}"


def _said(item: ClassResult) -> str:
    found = item.difference
    if found is None:
        return "too few to learn from"
    moved = f"{found.before:.4f} → {found.after:.4f} ({found.low:+.4f} to {found.high:+.4f}, p {found.p:.3g})"
    return moved if item.taken else f"{moved}: not significant, kept"


def _wire(found: Tuned) -> dict[str, Any]:
    return {
        "classes": [
            {
                "class": item.query_class,
                "kind": item.kind,
                "queries": item.queries,
                "before": asdict(item.before),
                "after": asdict(item.after),
                "taken": item.taken,
                "difference": _difference(item.difference) if item.difference else None,
            }
            for item in found.classes
        ],
        "difference": _difference(found.difference),
        "settings": found.settings,
    }


def _difference(found: Any) -> dict[str, Any]:
    return {
        "before": round(found.before, 6),
        "after": round(found.after, 6),
        "interval": [round(found.low, 4), round(found.high, 4)],
        "p": round(found.p, 4),
    }
