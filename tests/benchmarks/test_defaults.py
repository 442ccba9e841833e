"""The shipped weights: held-out corpora judge, each counts once, and only what is surely better is taken."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from benchmarks.ablation.asked import Asked
from benchmarks.ablation.averages import averages
from benchmarks.ablation.kept import State
from benchmarks.ablation.measured import Measured
from benchmarks.defaults.choose import MIN_QUERIES, Choice, best_of, choose
from benchmarks.defaults.grid import DENSE, RELATED, grid
from benchmarks.defaults.report import Run, write_report
from benchmarks.defaults.settings import as_source, as_yaml
from benchmarks.defaults.stratified import stratified
from benchmarks.defaults.tables import by_class, by_corpus
from benchmarks.defaults.tried import Tried, together, try_all

from pincite.queries import Found, Ranking
from pincite.search.weights import DEFAULT_WEIGHTS, RankingOptions, Weights
from pincite.settings import Config
from pincite.types import Scope

NOW, MORE, LESS = Weights(0.7, 0.3, 0.3), Weights(0.5, 0.5, 0.3), Weights(0.9, 0.1, 0.3)


def tried(corpus: str, now: Sequence[float], more: Sequence[float], less: Sequence[float] = ()) -> Tried:
    return Tried(corpus, "question", {NOW: now, MORE: more, LESS: less or [0.0] * len(now)}, related=0)


def clearly(corpus: str, gain: float, count: int = 40) -> Tried:
    """A corpus on which more meaning helps every question alike."""
    now = [0.3, 0.5, 0.4, 0.6] * (count // 4)
    return tried(corpus, now, [value + gain for value in now])


def test_the_grid_begins_with_what_is_shipped_and_holds_every_pair() -> None:
    found = grid(NOW)
    assert found[0] == NOW
    assert {(weights.dense, weights.related) for weights in found} == {(d, r) for d in DENSE for r in RELATED}
    assert all(weights.keyword + weights.dense == pytest.approx(1) for weights in found)
    assert found.index(Weights(0.6, 0.4, 0.3)) < found.index(Weights(0.4, 0.6, 0.3))
    between = Weights(0.65, 0.35, 0.2)
    assert grid(between)[0] == between
    assert len(grid(between)) == len(found) + 1


def test_the_bootstrap_is_that_of_the_ablation() -> None:
    before = {"small": [0.2, 0.4, 0.1, 0.9, 0.5], "large": [0.5, 0.1] * 300}
    after = {"small": [0.4, 0.4, 0.0, 1.0, 0.9], "large": [0.4, 0.3] * 300}
    found = stratified(before, after)
    sets = [Measured(name, {"before": before[name], "after": after[name]}, "before") for name in before]
    over = averages(sets)["after"]
    assert (found.after, found.difference) == pytest.approx((over.mean, over.difference))
    assert (found.low, found.high) == pytest.approx((over.low, over.high), abs=1e-12)


def test_a_difference_of_nothing_is_not_significant_and_pairs_must_match() -> None:
    same = {"a": [0.5, 0.6], "b": [0.1]}
    found = stratified(same, same)
    assert (found.low, found.high, found.p) == (0, 0, 1)
    assert not found.significant
    with pytest.raises(ValueError, match="same questions"):
        stratified(same, {"a": [0.5, 0.6], "b": [0.1, 0.2]})
    with pytest.raises(ValueError, match="same questions"):
        stratified({}, {})


def test_of_the_best_each_corpus_counts_once_and_equals_stay_as_they_are() -> None:
    large = tried("large", [0.5] * 1000, [0.4] * 1000)
    small = tried("small", [0.5] * 10, [0.7] * 10)
    assert best_of([large, small]) == MORE
    assert best_of([tried("a", [0.5], [0.5], [0.5])]) == NOW


def test_a_corpus_has_no_say_in_the_weights_it_judges() -> None:
    loves_less = tried("odd", [0.5] * 40, [0.4] * 40, [0.9] * 40)
    others = [tried(name, [0.5] * 40, [0.6] * 40, [0.45] * 40) for name in ("one", "two", "three")]
    found = choose("question", NOW, [loves_less, *others])
    chosen = {held.corpus: held.chosen for held in found.held_out}
    assert chosen == {"odd": MORE, "one": LESS, "two": LESS, "three": LESS}
    assert {held.corpus: round(held.after, 6) for held in found.held_out} == {
        "odd": 0.4, "one": 0.45, "two": 0.45, "three": 0.45
    }  # fmt: skip
    assert found.best == LESS
    assert not found.taken
    assert found.weights == NOW


def test_a_sure_gain_is_taken() -> None:
    found = choose("question", NOW, [clearly(name, 0.05) for name in ("one", "two", "three")])
    assert found.difference is not None
    assert found.difference.difference == pytest.approx(0.05)
    assert found.taken
    assert found.weights == MORE
    assert (found.corpora, found.queries) == (3, 120)


def test_a_gain_that_other_questions_might_undo_is_kept_out() -> None:
    unsure = [tried(name, [0.0, 1.0] * 20, [1.0, 0.0] * 19 + [1.0, 1.0]) for name in ("one", "two", "three")]
    found = choose("question", NOW, unsure)
    assert found.best == MORE
    assert found.difference is not None
    assert found.difference.difference > 0
    assert not found.taken


def test_few_corpora_or_few_questions_change_nothing() -> None:
    two = [clearly("one", 0.2), clearly("two", 0.2)]
    few = clearly("few", 0.2, count=MIN_QUERIES - MIN_QUERIES % 4)
    found = choose("question", NOW, [*two, few])
    assert found.difference is None
    assert (found.corpora, found.queries) == (2, 80)
    assert found.too_small == {"few": few.queries}
    assert found.weights == NOW
    assert choose("quoted", NOW, two).queries == 0


def test_pairs_of_languages_are_one_corpus() -> None:
    parts = [tried("swiss", [0.1], [0.2]), tried("other", [0.5], [0.5]), tried("swiss", [0.3, 0.4], [0.4, 0.5])]
    swiss, other = together([replace(part, related=1) for part in parts])
    assert (swiss.corpus, other.corpus) == ("swiss", "other")
    assert swiss.values[NOW] == [0.1, 0.3, 0.4]
    assert swiss.values[MORE] == [0.2, 0.4, 0.5]
    assert (swiss.related, other.related) == (2, 1)


def found_in(leg: str, **scores: float) -> Ranking:
    items = (Found(Scope(), name, "v", "r", 1, 0, score=score, raw=score) for name, score in scores.items())
    return Ranking(leg, tuple(items))


def test_weights_are_tried_with_the_ranking_of_the_search() -> None:
    words, meaning = found_in("keyword", a=0.15, b=0.1), found_in("dense", b=0.3, a=0.2)
    related = found_in("related", c=0.9)
    asked = [
        Asked("by words", "How long is the notice?", {"a": 1}, (words, found_in("dense", b=0.2, a=0.1))),
        Asked("by meaning", "How long is the notice?", {"b": 1}, (words, meaning)),
        Asked("by related words", "How long is the notice?", {"c": 1}, (words, meaning, related)),
        Asked("of another class", "notice", {"a": 1}, (words, meaning)),
    ]
    question, keywords = try_all("set", asked, RankingOptions())
    assert (question.query_class, keywords.query_class) == ("question", "keywords")
    assert (question.queries, question.related, keywords.queries) == (3, 1, 1)
    assert question.values.keys() == set(grid(DEFAULT_WEIGHTS["question"]))
    by_words = [question.values[Weights(round(1 - dense, 2), dense, 0.0)][0] for dense in DENSE]
    assert by_words[0] == 1.0
    assert by_words[-1] < 1.0
    by_meaning = [question.values[Weights(round(1 - dense, 2), dense, 0.6)][1] for dense in DENSE]
    assert by_meaning == sorted(by_meaning)
    assert by_meaning[-1] == 1.0
    assert question.values[Weights(0.9, 0.1, 0.0)][2] == 0.0
    assert question.values[Weights(0.9, 0.1, 0.6)][2] == 1.0


@pytest.fixture
def choices() -> list[Choice]:
    corpora = [clearly(name, 0.05) for name in ("one", "two", "three")]
    return [choose(name, current, corpora) for name, current in DEFAULT_WEIGHTS.items()]


def test_what_is_printed_is_a_configuration_and_source_with_the_weights_that_were_taken(choices: list[Choice]) -> None:
    expected = {**DEFAULT_WEIGHTS, "question": MORE}
    settings = yaml.safe_load(as_yaml(choices))
    assert Config.model_validate(settings).retrieval.options().weights == expected
    source = as_source(choices).replace(": Mapping[str, Weights]", "", 1)
    known = {"Weights": Weights}
    exec(source, known)
    assert known["DEFAULT_WEIGHTS"] == expected


def test_the_tables_say_what_was_taken(choices: list[Choice]) -> None:
    head, rows = by_class(choices)
    verdicts = {row[0]: row[head.index("verdict")] for row in rows}
    assert verdicts["question"] == "taken"
    assert verdicts["quoted"] == "kept, too few corpora"
    assert all(len(row) == len(head) for row in rows)
    question = rows[-1]
    assert question[head.index("shipped before") : head.index("difference") + 1] == [
        "0.7 : 0.3 : 0.3", "0.5 : 0.5 : 0.3", "0.4500", "0.5000", "+0.0500"
    ]  # fmt: skip
    head, rows = by_corpus(choices)
    assert [row[head.index("held out")] for row in rows] == ["one", "two", "three"]


def test_the_report_holds_every_weights_that_was_tried(tmp_path: Path, choices: list[Choice]) -> None:
    corpora = [clearly(name, 0.05) for name in ("one", "two", "three")]
    run = Run(RankingOptions(), states={"one": State("id", 1, "model", 10, 0)})
    write_report(tmp_path / "new" / "report.json", run, corpora, choices, {"four": "there is no library of it yet"})
    found = json.loads((tmp_path / "new" / "report.json").read_text(encoding="utf-8"))
    question = next(item for item in found["classes"] if item["class"] == "question")
    assert question["taken"]
    assert question["weights"] == {"keyword": 0.5, "dense": 0.5, "related": 0.3}
    assert [item["ndcg@10"] for item in found["corpora"][0]["tried"]] == [0.45, 0.5, 0.0]
    assert found["left_out"] == {"four": "there is no library of it yet"}
