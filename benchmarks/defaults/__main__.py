"""Learn the weights that are shipped, from the corpora in a folder.

    python -m benchmarks.defaults DATA [SET …] [--kind generic] [--write]

The questions are those that the ablation has kept, ranked again with every weights of a small grid. Each corpus is held
out once: the others choose, it judges. Without names the sets are those whose libraries `make eval` has left in .eval
with all their vectors; a set that is named is built.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.ablation.kept import CONFIG, state_of
from benchmarks.ablation.recall import recall
from benchmarks.defaults.choose import choose
from benchmarks.defaults.report import Run, write_report
from benchmarks.defaults.settings import as_source, as_yaml
from benchmarks.defaults.tables import by_class, by_corpus
from benchmarks.defaults.tried import together, try_all
from benchmarks.page import aligned, markdown, put
from benchmarks.quality.__main__ import KEPT, ROOT
from benchmarks.quality.sets import Corpus, present
from pincite.eval.metrics import require_metrics

FOLDER = KEPT / "defaults"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.defaults", description=__doc__.split("\n", 1)[0])
    parser.add_argument("data", type=Path, help="folder of BEIR folders")
    parser.add_argument("sets", nargs="*", help="only sets whose name begins so; their libraries are built if need be")
    parser.add_argument("--kind", default="generic")
    parser.add_argument("--write", action="store_true", help="put the table into docs/laboratory.md")
    given = parser.parse_args()
    require_metrics()
    found = present(given.data, given.sets)
    left_out = {} if given.sets else _left_out(found, given.kind)
    for name, reason in left_out.items():
        print(f"left out: {name}: {reason}; name it to have it built", file=sys.stderr)
    chosen = [corpus for corpus in found if corpus.name not in left_out]
    if not chosen:
        print(f"no set of {given.data} can be asked; build one by naming it, or with: make eval", file=sys.stderr)
        return 1
    run = _tried(given.data, chosen, given.kind)
    tried = together(run.tried)
    choices = [choose(name, current, tried) for name, current in run.options.weights.items()]
    for choice in choices:
        for corpus, queries in choice.too_small.items():
            print(f"left out: {choice.query_class} of {corpus}: too few questions ({queries})", file=sys.stderr)
    for table in (by_corpus(choices), by_class(choices)):
        print(f"\n{aligned(*table)}")
    print(f"\nas configuration:\n\n{as_yaml(choices)}\n\nas src/pincite/search/weights.py:\n\n{as_source(choices)}\n")
    report = FOLDER / ("report-of-some.json" if given.sets else "report.json")
    write_report(report, run, tried, choices, left_out)
    print(f"all figures: {report.relative_to(ROOT)}")
    if given.write and given.sets:
        print("the table in docs/laboratory.md is written when all sets are asked")
    elif given.write:
        missing = [f"Left out, for want of vectors: {', '.join(left_out)}."] if left_out else []
        put(ROOT / "docs" / "laboratory.md", "make tune", [markdown(*by_class(choices)), *missing])
    return 0


def _tried(data: Path, chosen: Sequence[Corpus], kind: str) -> Run:
    """Set by set: the questions of all sets would not fit into memory."""
    run = Run(CONFIG.retrieval.options())
    for number, corpus in enumerate(chosen, start=1):
        started = time.perf_counter()
        recalled = recall(data, corpus, kind)
        run.states[corpus.name] = recalled.state
        run.tried += try_all(corpus.folder.split("/")[0], recalled.asked, run.options)
        took = time.perf_counter() - started
        questions = f"{len(recalled.asked):,} questions {recalled.how}"
        print(f"{number}/{len(chosen)}  {corpus.name}: {questions}, {took:.0f} s", flush=True)
    return run


def _left_out(found: Sequence[Corpus], kind: str) -> dict[str, str]:
    """Sets that cannot be asked without embedding first, and why."""
    states = {corpus.name: state_of(corpus, kind) for corpus in found}
    return {
        name: "its library lacks vectors" if state else "there is no library of it yet"
        for name, state in states.items()
        if state is None or not state.is_complete
    }


if __name__ == "__main__":
    sys.exit(main())
