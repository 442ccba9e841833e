"""The command that measures: eval, its options, and which of them go together."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pincite.cli.compare_chunks import compare_chunks
from pincite.cli.measure_answers import measure_answers
from pincite.cli.questions import Corpus, EvaluationTarget
from pincite.cli.session import AsJson, ReadContext, Repositories, progress_bar, session
from pincite.cli.suggest_queries import suggest_queries
from pincite.cli.written_files import check_target
from pincite.errors import InvalidArgument


def register(app: typer.Typer) -> None:
    app.command(name="eval")(evaluate)


def evaluate(
    context: typer.Context,
    golden: Annotated[
        str, typer.Argument(help="Golden queries, JSON or YAML.", show_default="the file that `gate:` names")
    ] = "",
    beir: Annotated[str, typer.Option(help="BEIR folder: corpus.jsonl, queries.jsonl, qrels/NAME.tsv.")] = "",
    qrels: Annotated[str, typer.Option(help="Judgements: a name with --beir, a file with --queries.")] = "",
    corpus: Annotated[str, typer.Option(help="Search this folder, file or .jsonl instead of the library.")] = "",
    queries: Annotated[str, typer.Option(help="Queries (.jsonl), with --qrels.")] = "",
    kind: Annotated[
        str,
        typer.Option(
            help="How a corpus is read: generic, or a kind (documents, tools …).",
            show_default="generic; files: documents",
        ),
    ] = "",
    only: Annotated[
        list[str] | None, typer.Option(help="Only documents with this metadata, key=value (repeatable).")
    ] = None,
    mixed: Annotated[
        bool, typer.Option("--mixed", help="With judgements named fr-de: search documents of all languages.")
    ] = False,
    work: Annotated[
        str, typer.Option(help="Keep the library built from the corpus in this folder for the next run.")
    ] = "",
    repository: Repositories = None,
    read_context: ReadContext = "",
    min_ndcg: Annotated[float | None, typer.Option(min=0, max=1, help="Fail below this nDCG@10.")] = None,
    min_mrr: Annotated[float | None, typer.Option(min=0, max=1, help="Fail below this MRR@10.")] = None,
    min_recall: Annotated[float | None, typer.Option(min=0, max=1, help="Fail below this recall@10.")] = None,
    require_tag: Annotated[
        list[str] | None, typer.Option(help="Fail below this nDCG@10 of a tag, TAG:MIN (repeatable).")
    ] = None,
    baseline: Annotated[str, typer.Option(help="Compare with an earlier report (--json or --out).")] = "",
    max_drop: Annotated[
        float | None, typer.Option(min=0, max=1, help="Fail if a metric falls by more.", show_default="0.01")
    ] = None,
    out: Annotated[str, typer.Option(help="Write the report, or the suggested queries, to this file.")] = "",
    html: Annotated[str, typer.Option(help="Write a page with plots to this file.")] = "",
    suggest: Annotated[bool, typer.Option("--suggest", help="Propose golden queries from the structure.")] = False,
    limit: Annotated[
        int | None, typer.Option("--limit", "-n", min=1, help="How many to suggest.", show_default="100")
    ] = None,
    chunks: Annotated[str, typer.Option(help="Compare the chunks with this snapshot.")] = "",
    update: Annotated[bool, typer.Option("--update", help="Save the current chunks as the snapshot.")] = False,
    json: AsJson = False,
) -> None:
    """Measure how well questions find their answers. Exit code 1 if a bound is missed or chunks differ.

    Example: pincite eval golden.yaml --min-ndcg 0.8 --baseline last.json --html report.html
    """
    from pincite.eval.gates import MAX_DROP, Gates, parse_tag

    if baseline and max_drop is None:
        max_drop = MAX_DROP
    if max_drop is not None and not baseline:
        raise InvalidArgument("--max-drop needs --baseline, the earlier report to compare with", field="max_drop")
    gates = Gates(min_ndcg, min_mrr, min_recall, dict(map(parse_tag, require_tag or ())), max_drop)
    _refuse_idle(
        {
            "--suggest": suggest,
            "--chunks": chunks,
            "--beir": beir,
            "--corpus": corpus,
            "a golden file": golden,
            "--queries": queries,
            "--kind": kind,
            "--only": only,
            "--mixed": mixed,
            "--work": work,
            "bounds": bool(gates),
            "--baseline": baseline,
            "--html": html,
            "--out": out,
            "--limit": limit,
            "--update": update,
            "--repository": repository,
            "--read-context": read_context,
        }
    )
    for target in (out, html):
        check_target(target)
    corpus_of = Corpus(beir, qrels, corpus, queries, kind, tuple(only or ()), mixed, work)
    here = session(context)
    with progress_bar(here.progress) as progress:
        place = EvaluationTarget(here, golden, corpus_of, tuple(repository or ()), read_context, progress)
        if chunks:
            passed = compare_chunks(place, Path(chunks), update=update, json=json)
        elif suggest:
            passed = suggest_queries(place, limit or 100, out, json=json)
        else:
            passed = measure_answers(place, gates, baseline, out, html, json=json)
    if not passed:
        raise typer.Exit(1)


_ASKING = {"a golden file", "--queries", "bounds", "--baseline", "--html"}
_MAKING = {"--kind", "--only", "--mixed", "--work"}


def _refuse_idle(given: dict[str, object]) -> None:
    """An option without effect is a misunderstanding; ignoring it would hide that."""
    idle: set[str] = set()
    reason = ""
    for mode, without in (("--suggest", {"--chunks", "--update"}), ("--chunks", {"--limit", "--out"})):
        if given[mode]:
            idle, reason = _ASKING | without, f"with {mode}"
    if not reason:
        idle, reason = {"--limit", "--update"}, "without --suggest or --chunks"
    if given["--beir"] or given["--corpus"]:
        idle |= {"--repository", "--read-context"}
    else:
        idle |= _MAKING
        reason += " of a library" if given["--suggest"] or given["--chunks"] else ", asked of a library"
    for name in sorted(idle):
        if given[name]:
            raise InvalidArgument(f"{name} has no effect {reason}; remove it", field=name.lstrip("-"))
