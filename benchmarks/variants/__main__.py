"""python -m benchmarks.variants DATA SET[@lower|bare|untitled|shuffled]… [--most 300] [--out FILE]

Every set is asked as given, in capitals, without punctuation and with a phrase in quotes; a corpus may be changed too.
A row for each class of questions compares the order of the search with its legs alone and with plain reciprocal rank
fusion, and says where it is significantly worse (paired bootstrap). Exits with 1 if it is, or if 100 questions or more
lose over 0.02.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.ablation.asked import Asked, ask_one
from benchmarks.ablation.kept import FOLDER, built
from benchmarks.ablation.variants import DEFAULT, VARIANTS
from benchmarks.quality.sets import SETS, Corpus
from benchmarks.variants.texts import CORPORA, QUESTIONS, write_corpus
from pincite.eval.cases import Case
from pincite.eval.places import JudgedPlaces
from pincite.search.weights import RankingOptions
from pincite.settings.retrieval import Retrieval
from pincite.text.words import tokens

RIVALS = ("keyword", "dense", "plain RRF")
ENOUGH, LARGE, MOST_LOSS = 14, 100, 0.02
"""Questions from which a class has a row, and from which a loss counts though it may be chance."""
SAMPLES = 2_000


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.variants", description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("sets", nargs="+", metavar="SET")
    parser.add_argument("--most", type=int, default=300, help="questions as given; half as many of each variant")
    parser.add_argument("--out", type=Path, help="write the table to a file too")
    given = parser.parse_args(arguments)
    options = Retrieval(deadline_seconds=600).options()
    heading = ("set", "questions", *RIVALS, "search", "worse than")
    lines = ["| " + " | ".join(heading) + " |", "|" + " --- |" * len(heading)]
    print(*lines, sep="\n", flush=True)
    failed = False
    for name in given.sets:
        for label, asked in _asked(given.data, name, given.most):
            line, worse = _row(label, asked, options)
            failed |= worse
            lines.append(line)
            print(line, flush=True)
    if given.out:
        given.out.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 1 if failed else 0


def _asked(data: Path, name: str, most: int) -> Iterator[tuple[str, list[Asked]]]:
    """Questions with what every leg found, by variant and class."""
    known = {corpus.name: corpus for corpus in SETS}
    base, _, changed = name.partition("@")
    corpus: Corpus = known[base]
    if changed:
        folder = FOLDER / "variants"
        write_corpus(data / corpus.folder, folder / f"{corpus.folder}@{changed}", CORPORA[changed])
        data, corpus = folder, replace(corpus, folder=f"{corpus.folder}@{changed}")
    with built(data, corpus, "generic") as bench:
        places = JudgedPlaces(bench.library, (bench.library.config.repository,))
        cases = [case for case in bench.cases.cases if case.query.strip() and any(j.grade > 0 for j in case.relevant)]
        for variant, write in QUESTIONS.items() if not changed else [("as given", str)]:
            step = max(1, -(-len(cases) // (most if variant == "as given" else most // 2)))
            classes: dict[str, list[Asked]] = {}
            for case in cases[::step]:
                text = write(case.query)
                if not tokens(text):  # nothing but punctuation
                    continue
                found = ask_one(bench.library, case.id, text)
                classes.setdefault(_class(case), []).append(
                    Asked(case.id, text, places.locate(case, None).grades, found)
                )
            for tag, asked in classes.items():
                if len(asked) >= ENOUGH:
                    yield f"{name}, {variant}{', ' + tag if tag and len(classes) > 1 else ''}", asked


def _class(case: Case) -> str:
    return next((str(tag).removeprefix("type:") for tag in case.tags if str(tag).startswith("type:")), "")


def _row(label: str, asked: Sequence[Asked], options: RankingOptions) -> tuple[str, bool]:
    ways = {variant.name: variant.rank for variant in VARIANTS if variant.name in (*RIVALS, DEFAULT)}
    found = {name: np.array([ndcg(rank(one, options), one.grades) for one in asked]) for name, rank in ways.items()}
    rng = np.random.default_rng(0)
    worse = []
    for rival in RIVALS:
        lost = found[DEFAULT] - found[rival]
        means = lost[rng.integers(0, len(lost), (SAMPLES, len(lost)))].mean(axis=1)
        if np.quantile(means, 0.975) < 0:
            worse.append(f"{rival} {lost.mean():+.3f}, significantly")
        elif len(asked) >= LARGE and lost.mean() < -MOST_LOSS:
            worse.append(f"{rival} {lost.mean():+.3f}")
    figures = (f"{found[name].mean():.3f}" for name in (*RIVALS, DEFAULT))
    return "| " + " | ".join((label, str(len(asked)), *figures, "; ".join(worse))) + " |", bool(worse)


def ndcg(ranked: Sequence[str], grades: Mapping[str, int], k: int = 10) -> float:
    """Of the first k, with linear gains, as BEIR counts it."""
    gained = sum(grades.get(name, 0) / math.log2(at + 2) for at, name in enumerate(list(dict.fromkeys(ranked))[:k]))
    best = sum(grade / math.log2(at + 2) for at, grade in enumerate(sorted(grades.values(), reverse=True)[:k]))
    return gained / best if best else 0.0


if __name__ == "__main__":
    sys.exit(main())
