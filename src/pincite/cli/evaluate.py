"""The command that measures: eval."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pincite.cli.render_report import render_report
from pincite.cli.session import (
    AsJson,
    ReadContext,
    Repositories,
    Session,
    Update,
    emit,
    parse_filters,
    progress_bar,
    say,
    session,
)
from pincite.errors import Conflict, InvalidArgument, NotFound

if TYPE_CHECKING:
    from pincite.eval.benches import Bench
    from pincite.eval.cases import CaseSet
    from pincite.eval.gates import Gates


def register(app: typer.Typer) -> None:
    app.command(name="eval")(evaluate)


def evaluate(
    context: typer.Context,
    golden: Annotated[
        str, typer.Argument(help="Golden queries, JSON or YAML.", show_default="the file that `gate:` names")
    ] = "",
    beir: Annotated[str, typer.Option(help="BEIR folder: corpus.jsonl, queries.jsonl, qrels/NAME.tsv.")] = "",
    qrels: Annotated[str, typer.Option(help="Judgements: a name with --beir, a file with --queries.")] = "",
    corpus: Annotated[str, typer.Option(help="Ask of this folder, file or .jsonl instead of the library.")] = "",
    queries: Annotated[str, typer.Option(help="Queries (.jsonl), with --qrels.")] = "",
    kind: Annotated[
        str, typer.Option(help="How a corpus is read: generic or documents.", show_default="generic; files: documents")
    ] = "",
    only: Annotated[
        list[str] | None, typer.Option(help="Only documents with this metadata, key=value (repeatable).")
    ] = None,
    mixed: Annotated[
        bool, typer.Option("--mixed", help="Judgements named fr-de: ask the documents of all languages.")
    ] = False,
    work: Annotated[str, typer.Option(help="Keep the library made of the corpus in this folder, for next time.")] = "",
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
    chunks: Annotated[str, typer.Option(help="Compare how things are cut with this snapshot.")] = "",
    update: Annotated[bool, typer.Option("--update", help="Accept the chunks as they are now.")] = False,
    json: AsJson = False,
) -> None:
    """Measure how well questions find their answers. Exit code 1 if a bound is missed or passages are cut otherwise.

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
        place = Place(here, golden, corpus_of, tuple(repository or ()), read_context, progress)
        if chunks:
            passed = _compare_chunks(place, Path(chunks), update=update, json=json)
        elif suggest:
            passed = _suggest(place, limit or 100, out, json=json)
        else:
            passed = _measure(place, gates, baseline, out, html, json=json)
    if not passed:
        raise typer.Exit(1)


_ASKING = {"a golden file", "--queries", "bounds", "--baseline", "--html"}
_MAKING = {"--kind", "--only", "--mixed", "--work"}


def _refuse_idle(given: dict[str, object]) -> None:
    """An option that has no effect is a misunderstanding; to pass it over would hide that."""
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
            raise InvalidArgument(f"{name} has no effect {reason}; leave it out", field=name.lstrip("-"))


@dataclass(frozen=True, slots=True)
class Corpus:
    """Options that say what is asked of what, when it is not the library."""

    beir: str
    qrels: str
    corpus: str
    queries: str
    kind: str
    only: tuple[str, ...]
    mixed: bool
    work: str


@dataclass(frozen=True, slots=True)
class Place:
    """Everything that says what is asked of what."""

    here: Session
    golden: str
    corpus: Corpus
    repositories: tuple[str, ...]
    read_context: str
    progress: Update

    @contextmanager
    def bench(self, *, asks: bool = True) -> Iterator[Bench]:
        """The library and the questions; without `asks` the questions do not matter."""
        from pincite.eval.benches import Bench, BenchOptions, beir_bench, corpus_bench
        from pincite.eval.evaluate import EvaluateOptions

        given = self.corpus
        if given.beir and (given.corpus or given.queries or self.golden):
            raise InvalidArgument("--beir brings its own corpus and queries; leave the others out", field="beir")
        only = {
            key: value if isinstance(value, list) else [value]
            for key, value in parse_filters(given.only, "--only").items()
        }
        config = self.here.settings()
        if given.beir:
            options = BenchOptions(given.kind or "generic", only, given.mixed, given.work)
            with beir_bench(Path(given.beir).expanduser(), given.qrels, config, options, self.progress) as bench:
                yield bench
        elif given.corpus:
            fallback = "generic" if given.corpus.endswith(".jsonl") else "documents"
            options = BenchOptions(given.kind or fallback, only, given.mixed, given.work)
            cases = self._cases(config.gate.golden, asks=asks)
            with corpus_bench(given.corpus, cases, config, options, self.progress) as bench:
                yield bench
        else:
            cases = self._cases(config.gate.golden, asks=asks)
            with self.here.open() as library:
                yield Bench(
                    library,
                    cases,
                    EvaluateOptions(
                        cases.name, given.kind or "documents", self.repositories, self.read_context or None
                    ),
                )

    def asks_the_gate(self) -> bool:
        """Whether it is the golden queries of the configuration that are asked: then its bounds hold too."""
        given = self.corpus
        return not (self.golden or given.beir or given.queries) and bool(self.here.settings().gate.golden)

    def _cases(self, configured: str, *, asks: bool) -> CaseSet:
        from pincite.eval.beir import load_cases
        from pincite.eval.cases import CaseSet
        from pincite.eval.golden import load_golden

        given = self.corpus
        if not asks:
            return CaseSet("", ())
        if bool(given.queries) != bool(given.qrels):
            raise InvalidArgument(
                "--queries and --qrels go together: questions and their judgements (--beir FOLDER brings both)",
                field="queries",
            )
        if given.queries:
            return load_cases(Path(given.queries), Path(given.qrels), Path(given.queries).stem)
        golden = self.golden or configured
        if not golden:
            raise InvalidArgument(
                "what should be asked? Name a golden file, a BEIR folder (--beir), or --queries with --qrels; a golden"
                " file to begin with comes from: pincite eval --suggest --out golden.yaml",
                field="golden",
            )
        return load_golden(Path(golden).expanduser())


def _measure(place: Place, gates: Gates, baseline: str, out: str, html: str, *, json: bool) -> bool:
    from pincite.eval.compare import compare, load_report
    from pincite.eval.evaluate import evaluate as run_cases
    from pincite.eval.gates import check
    from pincite.eval.guard import gates_of
    from pincite.eval.report import report
    from pincite.eval.worst import worst

    before = load_report(Path(baseline)) if baseline else None
    if place.asks_the_gate() and not gates:
        gates = replace(gates_of(place.here.settings()), max_drop=None)
    with place.bench() as bench:
        run = run_cases(bench.library, bench.cases, bench.options, place.progress)
        body = report(run)
        shown = worst(bench.library, run, bench.options) if html or not json else []
    if before is not None:
        body["comparison"] = compare(before, body)
    if gates:
        body["gates"] = check(body, gates, body.get("comparison"))
    if html:
        from pincite.eval.html import render_page

        _write(html, render_page(body, shown))
    if out:
        _write(out, dumps(body, ensure_ascii=False, indent=2) + "\n")
    if json:
        emit(body)
    else:
        render_report(body, shown)
    verdict = body.get("gates", {"passed": True, "checks": []})
    for item in verdict["checks"]:
        if json and not item["passed"]:
            say(f"FAILED {item['name']}: {item['text']}")
    return bool(verdict["passed"])


def _suggest(place: Place, limit: int, out: str, *, json: bool) -> bool:
    from pincite.eval.golden import golden_text
    from pincite.eval.suggest import suggest

    if len(place.repositories) > 1:
        raise InvalidArgument("--suggest takes one repository at a time", field="repository")
    if out and Path(out).expanduser().exists():
        raise Conflict(f"{out} exists and may hold your own questions; name another file", field="out")
    with place.bench(asks=False) as bench:
        name = place.repositories[0] if place.repositories else ""
        cases = suggest(bench.library, repository=name, limit=limit, read_context=place.read_context or None)
    text = golden_text(cases, as_json=json or out.endswith(".json"))
    if out and cases.cases:
        _write(out, text)
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


def _compare_chunks(place: Place, path: Path, *, update: bool, json: bool) -> bool:
    from pincite.eval.chunks import difference, read_accepted, snapshot

    if len(place.repositories) > 1:
        raise InvalidArgument("--chunks takes one repository at a time", field="repository")
    with place.bench(asks=False) as bench:
        now = snapshot(bench.library, bench.options.kind, repository="".join(place.repositories))
    if update:
        if path.exists():
            read_accepted(path)  # another file of this name is not overwritten
        _write(str(path), now)
        say(f"accepted: {path}")
        changed = ""
    else:
        changed = difference(read_accepted(path), now)
    if json:
        emit({"snapshot": str(path), "changed": bool(changed), "difference": changed})
    elif changed:
        typer.echo(changed)
        say(f"passages are cut otherwise than in {path}; if that is meant, accept it with --update")
    elif not update:
        say(f"passages are cut as in {path}")
    return not changed


def check_target(path: str) -> None:
    """Whether a file can be written there, asked before the long work begins."""
    target = Path(path).expanduser()
    if path and not target.parent.is_dir():
        raise NotFound(f"there is no folder {str(target.parent)!r} to write {target.name} into", field="out")
    if path and target.is_dir():
        raise InvalidArgument(f"{path} is a folder; name a file", field="out")


def _write(path: str, text: str) -> None:
    Path(path).expanduser().write_text(text, encoding="utf-8", errors="backslashreplace")
