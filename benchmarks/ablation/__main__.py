"""What each leg, the windows, the calibration and the fusion are worth, on the corpora in a folder.

    python -m benchmarks.ablation DATA [SET …] [--kind generic] [--again] [--write]

Every question is asked once; what the legs found is kept in .eval/ablation and ranked in all variants from there, so
that a run with other weights asks nothing again. Without names the sets are those whose libraries `make eval` has left
in .eval with all their vectors; a set that is named is built.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.ablation.averages import averages
from benchmarks.ablation.kept import CONFIG, FOLDER, opened, state_of
from benchmarks.ablation.measured import measure_variants
from benchmarks.ablation.recall import recall
from benchmarks.ablation.report import Results, write_report
from benchmarks.ablation.tables import against_legs, by_set, by_variant, by_windows, one_set
from benchmarks.ablation.windows import measure_windows
from benchmarks.page import aligned, markdown, put
from benchmarks.quality.__main__ import ROOT
from benchmarks.quality.sets import Corpus, present
from pincite.eval.metrics import require_metrics


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ablation", description=__doc__.split("\n", 1)[0])
    parser.add_argument("data", type=Path, help="folder of BEIR folders")
    parser.add_argument("sets", nargs="*", help="only sets whose name begins so; their libraries are built if need be")
    parser.add_argument("--kind", default="generic")
    parser.add_argument("--again", action="store_true", help="ask every question, also those that were kept")
    parser.add_argument("--write", action="store_true", help="put the tables into docs/laboratory.md")
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
    results = _measured(given.data, chosen, given.kind, again=given.again)
    over_all = averages(results.sets)
    tables = [
        by_variant(results.sets, over_all),
        against_legs(results.sets),
        by_windows(results.windows),
        by_set(results.sets),
    ]
    for table in tables[:3]:
        print(f"\n{aligned(*table)}")
    hurt = [measured.name for measured in results.sets if measured.never_hurts.hurts]
    print(f"\nsignificantly worse than the better leg: {', '.join(hurt) or 'on no set'}")
    report = FOLDER / ("report-of-some.json" if given.sets else "report.json")
    write_report(report, results, over_all, left_out)
    print(f"all figures: {report.relative_to(ROOT)}")
    if given.write and given.sets:
        print("the tables in docs/laboratory.md are written when all sets are asked")
    elif given.write:
        missing = [f"Left out, for want of vectors: {', '.join(left_out)}."] if left_out else []
        put(ROOT / "docs" / "laboratory.md", "make ablation", [*(markdown(*table) for table in tables), *missing])
    return 0


def _measured(data: Path, chosen: Sequence[Corpus], kind: str, *, again: bool) -> Results:
    """Set by set, each shown as soon as it is there."""
    results = Results(CONFIG.retrieval.options())
    for number, corpus in enumerate(chosen, start=1):
        started = time.perf_counter()
        recalled = recall(data, corpus, kind, again=again)
        measured = measure_variants(corpus.name, recalled.asked, results.options)
        results.sets.append(measured)
        results.states[corpus.name] = recalled.state
        with opened(corpus, kind) as library:
            vectors = FOLDER / "vectors" / kind
            results.windows.append(measure_windows(corpus.name, recalled.asked, library, vectors))
        took = time.perf_counter() - started
        print(f"\n{number}/{len(chosen)}  {measured.queries:,} questions {recalled.how}, {took:.0f} s")
        print(aligned(*one_set(measured)), flush=True)
    return results


def _left_out(found: Sequence[Corpus], kind: str) -> dict[str, str]:
    """Sets that cannot be asked without embedding first, and why."""
    out = {}
    for corpus in found:
        state = state_of(corpus, kind)
        if state is None:
            out[corpus.name] = "there is no library of it yet"
        elif not state.is_complete:
            waiting = f"{state.waiting:,}" if state.waiting >= 0 else "some"
            out[corpus.name] = f"{waiting} passages wait for vectors" if state.vectors else "it has no vectors"
    return out


if __name__ == "__main__":
    sys.exit(main())
