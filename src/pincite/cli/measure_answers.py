"""`pincite eval`: asks the questions and reports how good the answers are."""

from __future__ import annotations

from dataclasses import replace
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING

from pincite.cli.questions import EvaluationTarget
from pincite.cli.render_report import render_report
from pincite.cli.session import emit, say
from pincite.cli.written_files import write_file

if TYPE_CHECKING:
    from pincite.eval.gates import Gates


def measure_answers(place: EvaluationTarget, gates: Gates, baseline: str, out: str, html: str, *, json: bool) -> bool:
    """Ask, report and compare; True if every bound is met."""
    from pincite.eval.compare import compare, load_report
    from pincite.eval.evaluate import evaluate as run_cases
    from pincite.eval.gates import check
    from pincite.eval.guard import gates_of
    from pincite.eval.report import report
    from pincite.eval.worst import worst

    if html:
        from pincite.eval.html import require_templates

        require_templates()
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

        write_file(html, render_page(body, shown))
    if out:
        write_file(out, dumps(body, ensure_ascii=False, indent=2) + "\n")
    if json:
        emit(body)
    else:
        render_report(body, shown)
    verdict = body.get("gates", {"passed": True, "checks": []})
    for item in verdict["checks"]:
        if json and not item["passed"]:
            say(f"FAILED {item['name']}: {item['text']}")
    return bool(verdict["passed"])
