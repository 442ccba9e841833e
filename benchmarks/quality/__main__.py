"""Evaluate every corpus in a folder and write the table into docs/laboratory.md.

    python -m benchmarks.quality DATA [SET …] [--kind generic] [--dense off] [--no-table]

Resumable: a corpus whose files, settings and code are those of the last run is not asked again. Libraries, and with
them whatever was computed for their passages, are kept in .eval between runs.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import time
from pathlib import Path
from typing import Any

import pincite
from benchmarks.quality.sets import Corpus, present
from benchmarks.quality.table import write_table
from pincite.benches import BenchOptions, beir_bench
from pincite.eval.evaluate import evaluate
from pincite.eval.report import report
from pincite.settings import Config

ROOT = Path(__file__).parents[2]
KEPT = ROOT / ".eval"
APART = {"cli", "serve", "testing", "html", "suggest"}
"""Folders of the package that take no part in a ranking."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quality", description=__doc__.split("\n", 1)[0])
    parser.add_argument("data", type=Path, help="folder of BEIR folders")
    parser.add_argument("sets", nargs="*", help="only sets whose name begins so")
    parser.add_argument("--kind", default="generic")
    parser.add_argument("--dense", choices=("auto", "off"), default="auto", help="off: words and identifiers only")
    parser.add_argument("--no-table", action="store_true", help="leave docs/laboratory.md alone")
    given = parser.parse_args()
    chosen = present(given.data, given.sets)
    if not chosen:
        print(f"no set found in {given.data}; nothing was measured", file=sys.stderr)
        return 1
    code = _code_hash()
    bodies = []
    for number, corpus in enumerate(chosen, start=1):
        started = time.perf_counter()
        body, fresh = measured(given.data, corpus, given.kind, Config(dense=given.dense), code)
        bodies.append(body)
        final = body["metrics"]["final"]["ndcg@10"]
        took = f"{time.perf_counter() - started:.0f} s" if fresh else "kept"
        print(f"{number:>3}/{len(chosen)}  {corpus.name:<32} nDCG@10 {final:.4f}  {took}", flush=True)
    if given.sets:
        print("the table in docs/laboratory.md is written when all sets are measured")
    elif not given.no_table:
        place = given.kind if given.dense == "auto" else f"{given.kind}, words"
        write_table(ROOT / "docs" / "laboratory.md", list(zip(chosen, bodies, strict=True)), place)
    return 0


def measured(data: Path, corpus: Corpus, kind: str, config: Config, code: str) -> tuple[dict[str, Any], bool]:
    """The report of a corpus, and whether it had to be made."""
    key = f"{code} {_data_hash(data / corpus.folder, corpus.qrels)} {config.model_dump_json()}"
    path = _path(corpus, kind, config)
    if path.is_file():
        found = json.loads(path.read_text(encoding="utf-8"))
        if found["key"] == key:
            return found["report"], False
    options = BenchOptions(kind, corpus.only, work=str(KEPT / "libraries" / kind / corpus.library))
    with beir_bench(data / corpus.folder, corpus.qrels, config, options) as bench:
        body = report(evaluate(bench.library, bench.cases, bench.options))
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".part")
    unfinished.write_text(json.dumps({"key": key, "report": body}), encoding="utf-8")
    unfinished.replace(path)
    return body, True


def _path(corpus: Corpus, kind: str, config: Config) -> Path:
    legs = "words" if config.dense == "off" else "all"
    return KEPT / "reports" / kind / legs / f"{corpus.folder.replace('/', '.')}.{corpus.qrels}.json"


def _code_hash() -> str:
    """Of everything that can change a figure."""
    source = Path(pincite.__file__).parent
    files = [path for path in sorted(source.rglob("*.py")) if not APART & {*path.relative_to(source).parts}]
    texts = [path.read_bytes() for path in files]
    return hashlib.blake2b(b"\0".join(texts), digest_size=8).hexdigest()


def _data_hash(folder: Path, qrels: str) -> str:
    files = (folder / "corpus.jsonl", folder / "queries.jsonl", folder / "qrels" / f"{qrels}.tsv")
    return hashlib.blake2b(b"\0".join(path.read_bytes() for path in files), digest_size=8).hexdigest()


if __name__ == "__main__":
    sys.exit(main())
