"""Metrics, computed by ir_measures over trec_eval's own code.

Order is by score, ties by document id downwards, as trec_eval does. A judged query without results counts 0
(`trec_eval -c`). nDCG takes the grade itself as gain.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pincite.extras import require

METRICS = ("ndcg@10", "recall@10", "recall@100", "mrr@10", "hit@1", "map")

Values = Mapping[str, float]
"""Metric → value."""


def require_metrics() -> None:
    """Raise `MissingExtra` if they are not installed, before the long work starts."""
    require("eval", "evaluation", "ir_measures", "pytrec_eval")


def measure(
    judged: Mapping[str, Mapping[str, int]], runs: Mapping[str, Mapping[str, float]]
) -> dict[str, dict[str, float]]:
    """Values of each judged query by metric. `runs`: query → document → score."""
    require_metrics()
    import ir_measures

    # RR instead of RR@10, which ir_measures leaves to code that breaks ties the other way; the cut is made below.
    names = dict(zip(METRICS, ("nDCG@10", "R@10", "R@100", "RR", "Success@1", "AP"), strict=True))
    measures = {ir_measures.parse_measure(text): name for name, text in names.items()}
    out: dict[str, dict[str, float]] = {query: dict.fromkeys(METRICS, 0.0) for query in judged}
    for value in ir_measures.iter_calc(list(measures), judged, runs):
        if value.query_id in out:
            out[value.query_id][measures[value.measure]] = float(value.value)
    for values in out.values():
        if values["mrr@10"] < 1 / 10:
            values["mrr@10"] = 0.0
    return out


def as_run(ranked: Sequence[str]) -> dict[str, float]:
    """Scores that preserve an order that is already total."""
    return {name: float(len(ranked) - place) for place, name in enumerate(ranked)}


def mean(values: Sequence[Values]) -> dict[str, float]:
    """The average of each metric over queries."""
    return {name: sum(value[name] for value in values) / len(values) if values else 0.0 for name in METRICS}
