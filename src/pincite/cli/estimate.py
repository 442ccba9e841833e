"""What written contexts did cost or would: lines after an ingest, and `ingest --dry-run`."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from pincite.cli.session import GlobalOptions, emit

if TYPE_CHECKING:
    from pincite.ingest.context_reports import ContextsEstimate, ContextsReport
    from pincite.library import Library


def say_contexts(report: ContextsReport) -> None:
    """What the context writer did, in one line; nothing if there was nothing to do."""
    if not report.passages:
        return
    tokens = report.tokens
    read = f"{tokens.input + tokens.cache_written + tokens.cache_read:,} tokens in ({tokens.cache_read:,} from cache)"
    parts = [f"{report.written} written", f"{report.remembered} remembered", f"{report.missing} missing"]
    typer.echo(f"contexts: {', '.join(parts)}; {read}, {tokens.output:,} out, {_dollars(report.cost_usd)}")


def say_estimate(
    here: GlobalOptions,
    source: str,
    repository: str,
    include: Sequence[str],
    exclude: Sequence[str],
    prefix: str,
    kind: str,
    *,
    json: bool,
) -> None:
    """What an ingest would ask the context model for; nothing is asked and nothing is changed."""
    with _open(here) as library:
        found = library.estimate_contexts(
            source, repository=repository, include=include, exclude=exclude, prefix=prefix, kind=kind
        )
        model = library.config.context_model.model if library.config.contextual_embeddings else ""
    if json:
        within = found.within_budget
        emit({**asdict(found), "needed": found.needed, "within_budget": within, "model": model or None})
        return
    typer.echo(f"{found.documents} new or changed, {found.unchanged} unchanged; nothing was changed")
    if found.failed:
        typer.echo(f"{found.failed} cannot be read; ingest says why")
    if not model:
        typer.echo("no context_model is configured: headings give passages their context, at no cost")
        return
    _say_cost(found, model)


def _say_cost(found: ContextsEstimate, model: str) -> None:
    typer.echo(f"{found.needed} passages need a context from {model} ({found.remembered} are stored already)")
    typer.echo(
        f"about {found.input_tokens:,} tokens in, at most {found.output_tokens:,} out; accurate to about a third"
    )
    if found.cost_usd is None:
        typer.echo("cost unknown: set context_model.prices for an estimate")
        return
    typer.echo(f"{_dollars(found.cost_usd)} with prompt caching, {_dollars(found.uncached_cost_usd)} without")
    if found.within_budget is not None:
        verdict = "enough" if found.within_budget else "writing would stop when it is used up"
        typer.echo(f"budget {_dollars(found.budget_usd)}: {verdict}")


def _dollars(amount: float | None) -> str:
    return "cost unknown" if amount is None else f"${amount:,.4f}" if amount < 10 else f"${amount:,.2f}"


@contextmanager
def _open(here: GlobalOptions) -> Iterator[Library]:
    """The library; an empty one that is thrown away where there is none yet."""
    from pincite.library import has_library, open_library

    settings = here.settings()
    if has_library(settings):
        with here.open() as library:
            yield library
        return
    with tempfile.TemporaryDirectory(prefix="pincite-dry-") as folder:
        elsewhere = settings.model_copy(update={"library": str(Path(folder) / "library")})
        with open_library(elsewhere) as library:
            yield library
