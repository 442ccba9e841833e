"""The command that rebuilds derived data: the index or, with another model, the vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from pincite.cli.embed import embedding_bar, summary, wire_report
from pincite.cli.maintain import rebuild
from pincite.cli.session import AsJson, Repository, emit, say, session
from pincite.errors import InvalidArgument

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pincite.library import Library
    from pincite.upkeep.reembed import Dropped, ReindexReport


def register(app: typer.Typer) -> None:
    app.command()(reindex)


def reindex(
    context: typer.Context,
    repository: Repository = "",
    embeddings: Annotated[
        bool, typer.Option("--embeddings", help="Move the library to another embedding model.")
    ] = False,
    model: Annotated[str, typer.Option("--model", help="Embedder to move to, e.g. onnx:models/minilm.")] = "",
    drop_old: Annotated[
        bool, typer.Option("--drop-old", help="Remove vectors and queued texts of models that are not in use.")
    ] = False,
    force: Annotated[
        bool,
        typer.Option(
            "--force",
            help="Switch even if texts lack vectors; drop even if baselines need them. The gate still applies.",
        ),
    ] = False,
    json: AsJson = False,
) -> None:
    """Rebuild the index (like rebuild), or with --embeddings move to another embedding model.

    Searches use the old model until all texts have vectors and the golden queries of the gate pass; can be stopped and
    continued. Exit code 1 if the old model stays in use. Example: pincite reindex --embeddings --model usem3
    """
    _check(embeddings=embeddings, model=model, drop_old=drop_old, force=force, repository=repository)
    if not embeddings:
        rebuild(context, repository, json)
        return
    here = session(context)
    with here.open() as library:
        if not model:
            _show_dropped(library, library.drop_old_embeddings(force=force), json=json)
            return
        with embedding_bar(here.progress) as progress:
            report = library.reindex_embeddings(
                model, repository=repository, progress=progress, force=force, drop_old=drop_old
            )
    if json:
        emit(_wire(report))
    else:
        _show(report)
    if not report.in_use:
        raise typer.Exit(1)


def _check(*, embeddings: bool, model: str, drop_old: bool, force: bool, repository: str) -> None:
    """Refuse options that make no sense together, instead of rebuilding by accident."""
    given = [name for name, value in (("--model", model), ("--drop-old", drop_old), ("--force", force)) if value]
    if given and not embeddings:
        raise InvalidArgument(f"{given[0]} needs --embeddings", field="embeddings")
    if embeddings and not model and not drop_old:
        raise InvalidArgument("name the model to move to: pincite reindex --embeddings --model M", field="model")
    if repository and drop_old:
        raise InvalidArgument("--drop-old affects the whole library; remove --repository", field="repository")


def _show(report: ReindexReport) -> None:
    typer.echo(summary(report.embedded))
    for item in report.embedded.reasons:
        say(f"parked: {item.text!r}: {item.reason}")
    if report.reason:
        say(f"{report.before or 'the previous model'} stays in use: {report.reason}")
    elif report.switched:
        typer.echo(f"the library now uses {report.model}; before: {report.before or 'none'}")
        say(
            f"the golden queries of {', '.join(report.gated)} were asked with both models and passed"
            if report.gated
            else "no gate was applied: the settings have none for this library (see gate in docs/configuration.md)"
        )
    else:
        typer.echo(f"the library already uses {report.model}")
    _show_each(report.dropped)


def _show_dropped(library: Library, dropped: Sequence[Dropped], *, json: bool) -> None:
    if json:
        emit({"in_use": library.model.name, "dropped": [_dropped(item) for item in dropped]})
        return
    _show_each(dropped)
    if not dropped:
        typer.echo(f"nothing to remove: all vectors are those of {library.model.name}")


def _show_each(dropped: Sequence[Dropped]) -> None:
    for item in dropped:
        gone = item.removed
        typer.echo(
            f"removed {gone.vectors} vectors ({gone.bytes / 1e6:.1f} MB) and {gone.jobs} queued texts of {item.model};"
            " the catalog will reuse the space"
        )


def _dropped(item: Dropped) -> dict[str, Any]:
    gone = item.removed
    return {"model": item.model, "vectors": gone.vectors, "bytes": gone.bytes, "jobs": gone.jobs}


def _wire(report: ReindexReport) -> dict[str, Any]:
    return {
        "model": report.model,
        "before": report.before or None,
        "switched": report.switched,
        "in_use": report.model if report.in_use else report.before or None,
        "reason": report.reason or None,
        "gated": list(report.gated),
        "embedding": wire_report(report.embedded),
        "dropped": [_dropped(item) for item in report.dropped],
    }
