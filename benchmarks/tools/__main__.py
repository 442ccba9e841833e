"""Rank agent tools for requests in words, through `ToolIndex`, and measure hit@1, hit@5 and nDCG@10.

    python -m benchmarks.tools DATA [--dense off] [--limit N]

DATA is a BEIR folder whose documents are tools: the title is the name, the text the description.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from pincite.eval.beir import load_cases, load_documents, open_folder
from pincite.eval.metrics import as_run, measure
from pincite.tool_index import ToolIndex

DEPTH = 10


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tools", description=__doc__.split("\n", 1)[0])
    parser.add_argument("data", type=Path, help="BEIR folder of tools")
    parser.add_argument("--dense", choices=("auto", "off"), default="auto", help="off: words and names only")
    parser.add_argument("--limit", type=int, default=0, help="ask only so many requests; 0: all")
    given = parser.parse_args()
    files = open_folder(given.data)
    names = {document.title: document.id for document in load_documents(files.corpus)}
    tools = [{"name": item.title, "description": item.text} for item in load_documents(files.corpus)]
    cases = load_cases(files.queries, files.qrels, files.name).cases
    cases = cases[: given.limit] if given.limit else cases
    started = time.perf_counter()
    with ToolIndex(tools, dense=given.dense) as index:
        built = time.perf_counter() - started
        ranked = {case.id: [names[match.name] for match in index.search(case.query, DEPTH)] for case in cases}
    asked = time.perf_counter() - started - built
    judged = {case.id: {item.target: item.grade for item in case.relevant} for case in cases}
    values = measure(judged, {query: as_run(found) for query, found in ranked.items()})
    hit5 = sum(any(judged[query].get(name, 0) > 0 for name in found[:5]) for query, found in ranked.items())
    for title, tag in (("all", ""), *((tag, tag) for tag in sorted({tag for case in cases for tag in case.tags}))):
        mine = [case.id for case in cases if not tag or tag in case.tags]
        ndcg = sum(values[query]["ndcg@10"] for query in mine) / len(mine)
        first = sum(values[query]["hit@1"] for query in mine) / len(mine)
        print(f"{title:<14} {len(mine):>5} requests   hit@1 {first:.3f}   nDCG@10 {ndcg:.3f}")
    print(f"hit@5 {hit5 / len(cases):.3f} over all")
    speed = f"{1000 * asked / len(cases):.1f} ms a request"
    print(f"{len(tools)} tools indexed in {built:.1f} s, {speed} (dense: {given.dense})")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
