"""Metrics are trec_eval's: compared with its own code, and with figures worked out by hand."""

from __future__ import annotations

import math

import pytest
import pytrec_eval

from pincite.eval.metrics import METRICS, as_run, mean, measure

# Grades as in a TREC file: b and c are tied in the run of "ties"; nothing was returned for "silent"; "graded" has
# grades 0 to 3 and a relevant document beyond the first ten; "unjudged" is asked but not judged.
JUDGED = {
    "ties": {"a": 1, "b": 1, "c": 0, "z": 1},
    "silent": {"a": 2},
    "graded": {"d01": 3, "d02": 2, "d03": 0, "d11": 1, "d99": 1},
    "nothing right": {"x": 1, "y": 0},
}
RUN = {
    "ties": {"a": 2.0, "b": 1.0, "c": 1.0},
    "graded": {f"d{number:02d}": 20.0 - number for number in range(1, 13)} | {"d02": 19.5},
    "nothing right": {"y": 1.0, "q": 0.5},
    "unjudged": {"a": 1.0},
}


def test_the_values_are_those_worked_out_by_hand() -> None:
    values = measure(JUDGED, RUN)
    # trec_eval breaks ties by document id downwards: a, c, b.
    ideal = 1 + 1 / math.log2(3) + 1 / math.log2(4)
    assert values["ties"]["ndcg@10"] == pytest.approx((1 + 1 / math.log2(4)) / ideal)
    assert values["ties"]["recall@10"] == pytest.approx(2 / 3)
    assert values["ties"]["map"] == pytest.approx((1 + 2 / 3) / 3)
    assert values["ties"]["mrr@10"] == values["ties"]["hit@1"] == 1
    # The order is d02 (19.5), d01 (19), d03 …; the gain is the grade itself, d11 comes eleventh.
    gained = 2 + 3 / math.log2(3)
    ideal = 3 + 2 / math.log2(3) + 1 / math.log2(4) + 1 / math.log2(5)
    assert values["graded"]["ndcg@10"] == pytest.approx(gained / ideal)
    assert values["graded"]["recall@10"] == pytest.approx(2 / 4)
    assert values["graded"]["recall@100"] == pytest.approx(3 / 4)
    assert values["graded"]["map"] == pytest.approx((1 + 1 + 3 / 11) / 4)
    assert values["nothing right"] == dict.fromkeys(METRICS, 0.0)


def test_a_judged_query_without_results_counts_zero_and_an_unjudged_one_not_at_all() -> None:
    values = measure(JUDGED, RUN)
    assert values["silent"] == dict.fromkeys(METRICS, 0.0)
    assert values.keys() == JUDGED.keys()
    assert mean(list(values.values()))["hit@1"] == pytest.approx(2 / 4)


def test_the_values_equal_those_of_trec_eval() -> None:
    names = {"ndcg_cut_10": "ndcg@10", "recall_10": "recall@10", "recall_100": "recall@100", "success_1": "hit@1"}
    names |= {"map": "map"}
    theirs = pytrec_eval.RelevanceEvaluator(JUDGED, set(names)).evaluate(RUN)
    ours = measure(JUDGED, RUN)
    for query, values in theirs.items():
        for name, mine in names.items():
            assert ours[query][mine] == pytest.approx(values[name], abs=1e-12), (query, name)
    # trec_eval's reciprocal rank has no cut-off: where it lies within ten they agree, beyond it ours is 0.
    late = {"q": {"far": 1}}
    run = {"q": as_run([f"d{n}" for n in range(10)] + ["far"])}
    assert pytrec_eval.RelevanceEvaluator(late, {"recip_rank"}).evaluate(run)["q"]["recip_rank"] == pytest.approx(
        1 / 11
    )
    assert measure(late, run)["q"]["mrr@10"] == 0


def test_ties_before_the_first_relevant_document_count_as_trec_eval_counts_them() -> None:
    judged = {"q": {"a": 3, "b": 1, "c": 0, "d": 2}}
    run = {"q": {"z": 2.0, "a": 1.0, "b": 1.0, "c": 1.0, "d": 0.5}}
    theirs = pytrec_eval.RelevanceEvaluator(judged, {"recip_rank"}).evaluate(run)["q"]["recip_rank"]
    assert measure(judged, run)["q"]["mrr@10"] == pytest.approx(theirs) == pytest.approx(1 / 3)


def test_an_order_that_is_already_total_is_kept() -> None:
    names = ["b", "a", "c"]
    run = as_run(names)
    assert sorted(run, key=lambda name: -run[name]) == names
    assert measure({"q": {"a": 1}}, {"q": run})["q"]["mrr@10"] == 0.5
