"""The ablation: rivals of the fusion, verdicts and tables, and that what is ranked offline is what the search ranks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from benchmarks.ablation import shelf
from benchmarks.ablation.asked import Asked, ask_one
from benchmarks.ablation.averages import averages
from benchmarks.ablation.measured import Measured, ndcg
from benchmarks.ablation.minmax import min_max
from benchmarks.ablation.passages import Passages, questions, stored_passages
from benchmarks.ablation.recall import still_holds
from benchmarks.ablation.tables import against_legs, by_set, by_variant, by_windows
from benchmarks.ablation.variants import DEFAULT, VARIANTS
from benchmarks.ablation.windows import BOTH, SENTENCES, WHOLE, nearest

import pincite
from desk import SAMPLES
from pincite.eval.cases import Case
from pincite.eval.evaluate import EvaluateOptions, ask
from pincite.library import Library
from pincite.meaning import Calibration
from pincite.queries import Background, Found, Ranking
from pincite.search.fuse import Pooled
from pincite.search.query import LegScore
from pincite.search.weights import Need, RankingOptions, Trust, Weights
from pincite.types import Scope

QUESTIONS = (
    "How much holiday do I get?",
    "confidential information",
    "wer genehmigt Reisen?",
    '"notice period"',
    "§ 4.2",
)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    folder = tmp_path_factory.mktemp("ablation") / "library"
    settings = {"library": str(folder), "dense": "auto", "embedding": {"model": "hashing:512"}}
    with pincite.open(settings) as opened:
        opened.ingest(SAMPLES, embedding=False)
        opened.embed()
        yield opened


@pytest.fixture(scope="module")
def asked(library: Library) -> list[Asked]:
    return [Asked(str(n), text, {}, ask_one(library, str(n), text)) for n, text in enumerate(QUESTIONS)]


def entry(name: str, **raw: float) -> Pooled:
    found = Found(Scope(), name, "v", "r", 1, 0, score=0.5, raw=0.0)
    return Pooled(dict.fromkeys(raw, found), {leg: LegScore(1, value, value, 0) for leg, value in raw.items()})


def scores(entries: list[Pooled], shares: Mapping[str, float]) -> dict[str, float]:
    return {c.found.element_id: round(c.score, 6) for c in min_max(entries, shares)}


HALF = {"keyword": 0.5, "dense": 0.5}


def test_min_max_stretches_each_leg_over_the_pool() -> None:
    pool = [entry("a", keyword=10.0, dense=0.2), entry("b", keyword=5.0, dense=0.6), entry("c", keyword=0.0)]
    assert scores(pool, {"keyword": 0.7, "dense": 0.3}) == {"a": 0.7, "b": 0.65, "c": 0.0}
    assert list(scores(pool, HALF)) == ["b", "a", "c"]


def test_min_max_calls_everything_best_where_a_leg_cannot_tell() -> None:
    assert scores([entry("a", dense=0.3), entry("b", dense=0.3)], HALF) == {"a": 0.5, "b": 0.5}
    assert scores([], HALF) == {}


def test_min_max_leaves_identifiers_on_top() -> None:
    pool = [entry("a", keyword=9.0, dense=0.9), entry("b", keyword=1.0, exact=1.0), entry("c", keyword=2.0)]
    assert list(scores(pool, HALF)) == ["b", "a", "c"]


def test_the_default_ranked_offline_is_what_a_search_answers(library: Library, asked: list[Asked]) -> None:
    default = next(variant for variant in VARIANTS if variant.name == DEFAULT)
    for item in asked:
        trace = ask(library, Case(item.id, item.query, ()), EvaluateOptions("samples"))
        expected = [candidate.found.element_id for candidate in trace.pool]
        assert expected
        assert default.rank(item, library.config.retrieval.options()) == expected


def test_every_variant_ranks_each_document_once(library: Library, asked: list[Asked]) -> None:
    options = library.config.retrieval.options()
    orders = {variant.name: [tuple(variant.rank(item, options)) for item in asked] for variant in VARIANTS}
    for name, ranked in orders.items():
        assert any(ranked), name
        assert all(len(set(names)) == len(names) for names in ranked), name
    assert orders["keyword"] != orders["dense"]
    for rival in ("plain RRF", "min-max 0.5 : 0.5", "equal weights"):
        assert orders[rival] != orders[DEFAULT], f"{rival} changes nothing on these questions"


LARGE = Background(mean=0.55, deviation=0.1, count=10_000, among=10_000)
"""So near are all passages that 0.6 is nothing."""
PLAIN = Need(plain=1.0, none_above=2.0, most=1.0)
GRADED = Need(plain=0.2, none_above=0.9, most=4.0, least=0.0, short=0)


@pytest.mark.parametrize(
    ("part", "words", "background", "need", "first", "without"),
    [
        ("no trust", (0.55, 0.50), LARGE, PLAIN, "a", "b"),
        ("no need", (0.95, 0.90), None, GRADED, "a", "b"),
        ("no calibration", (0.55, 0.35), None, PLAIN, "b", "a"),
    ],
)
def test_each_part_decides_something_and_its_variant_takes_it_away(
    part: str, words: tuple[float, float], background: Background | None, need: Need, first: str, without: str
) -> None:
    def found(name: str, score: float, raw: float) -> Found:
        return Found(Scope(), name, "v", "r", 1, 0, score, raw)

    keyword = Ranking("keyword", (found("a", words[0], 9.0), found("b", words[1], 8.0)))
    near = (found("b", 0.8, 0.6), found("a", 0.2, 0.3))
    dense = Ranking("dense", near, background=background, calibration=Calibration(0.18, 0.8))
    weights = dict.fromkeys(("identifier", "quoted", "keywords", "question"), Weights(0.7, 0.3))
    options = RankingOptions("signals", weights, trust=Trust(-0.5, 1.0), need=need)
    asked = Asked("1", "How long is the notice?", {}, (keyword, dense))
    ranked = {variant.name: variant.rank(asked, options) for variant in VARIANTS}
    assert ranked[DEFAULT][0] == first
    assert ranked[part][0] == without


def test_kept_questions_come_back_to_the_bit_and_only_under_their_key(tmp_path: Path, asked: list[Asked]) -> None:
    path = tmp_path / "kept" / "set.npz"
    shelf.save(path, "key", "code", asked)
    kept = shelf.load(path, "key")
    assert kept is not None
    assert kept.code == "code"
    for before, after in zip(asked, kept.asked, strict=True):
        assert (before.id, before.query, before.grades) == (after.id, after.query, after.grades)
        for one, other in zip(before.rankings, after.rankings, strict=True):
            assert (one.leg, one.found, one.total) == (other.leg, other.found, other.total)
            assert (one.background, one.calibration) == (other.background, other.calibration)
    assert shelf.load(path, "another key") is None
    assert shelf.load(tmp_path / "nothing.npz", "key") is None


def test_a_leg_that_finds_something_else_is_noticed(library: Library, asked: list[Asked]) -> None:
    assert still_holds(library, asked)
    keyword, *others = asked[0].rankings
    moved = replace(keyword, found=tuple(found._replace(raw=found.raw + 1e-9) for found in keyword.found))
    assert not still_holds(library, [replace(asked[0], rankings=(moved, *others)), *asked[1:]])


def test_half_and_half_over_all_vectors_is_the_dense_leg(library: Library, asked: list[Asked], tmp_path: Path) -> None:
    vectors = questions(library, [item.plan.text for item in asked], tmp_path)
    found = nearest(stored_passages(library), vectors)
    for item, ranked in zip(asked, found[BOTH], strict=True):
        leg = [place.element_id for place in item.leg("dense").found[:10]]
        assert ranked[: len(leg)] == leg
    assert np.array_equal(questions(library, [item.plan.text for item in asked], tmp_path), vectors)


def test_whole_and_sentences_choose_different_passages() -> None:
    vectors = np.array([[10, 0], [0, 10], [6, 6], [5, 5]], np.int16)
    # `a`: a whole and a sentence that point elsewhere; `b`: a whole and a sentence between the two.
    passages = Passages(("a", "b"), np.array([0, 1]), np.array([0, 2]), vectors)
    found = nearest(passages, np.array([[10, 0], [0, 10]], np.int16))
    assert found[WHOLE] == [["a", "b"], ["b", "a"]]
    assert found[SENTENCES] == [["b", "a"], ["a", "b"]]
    assert found[BOTH] == [["b", "a"], ["b", "a"]]


def measured(name: str = "set", **values: list[float]) -> Measured:
    """A set on which all variants are like the default but for those given."""
    base = values.pop(DEFAULT)
    by_name = {"keyword": values.get("keyword", base), "dense": values.get("dense", base)}
    return Measured(name, {variant.name: by_name.get(variant.name, base) for variant in VARIANTS})


def test_a_set_hurts_only_where_final_is_surely_worse_than_the_better_leg() -> None:
    final = [0.5, 0.6, 0.4, 0.5] * 25
    worse = measured(default=final, keyword=[value + 0.1 for value in final], dense=[0.1] * 100)
    assert worse.never_hurts.leg == "keyword"
    assert worse.never_hurts.hurts
    better = measured(default=final, keyword=[0.1] * 100, dense=[value - 0.1 for value in final])
    assert better.never_hurts.leg == "dense"
    assert not better.never_hurts.hurts
    unsure = measured(default=final, keyword=[0.0, 1.0] * 49 + [1.0, 1.0], dense=[0.0] * 100)
    assert unsure.never_hurts.difference.difference < 0
    assert not unsure.never_hurts.hurts


def test_where_the_legs_are_equal_words_are_the_one_to_beat() -> None:
    assert measured(default=[0.5, 0.5]).never_hurts.leg == "keyword"


def test_in_the_average_every_set_counts_once() -> None:
    small = measured("small", default=[0.0] * 10, keyword=[1.0] * 10, dense=[0.0] * 10)
    large = measured("large", default=[0.5] * 1000, keyword=[0.5] * 1000, dense=[0.25] * 1000)
    over = averages([small, large])
    assert (over["keyword"].mean, over["keyword"].difference) == (0.75, 0.5)
    assert (over["keyword"].low, over["keyword"].high) == pytest.approx((0.5, 0.5))
    assert over["dense"].difference == -0.125
    assert (over[DEFAULT].difference, over[DEFAULT].low, over[DEFAULT].high) == (0, 0, 0)


def test_the_tables_mark_what_is_significant() -> None:
    final = [0.5, 0.6, 0.4, 0.5] * 25
    one = measured("one", default=final, keyword=[value + 0.1 for value in final], dense=[0.1] * 100)
    two = measured("two", default=final, keyword=[0.2] * 100, dense=[0.0] * 100)
    head, rows = by_set([one, two])
    assert rows[0][head.index("keyword")] == "0.600▲"
    assert rows[1][head.index("keyword")] == "0.200▼"
    assert rows[0][head.index("no trust")] == rows[0][head.index(DEFAULT)] == "0.500"
    head, rows = by_variant([one, two], averages([one, two]))
    assert rows[0][head.index("sets better") :] == ["1", "1"]
    assert rows[-1][0] == DEFAULT
    assert set(rows[-1][3:]) == {""}
    head, rows = against_legs([one, two])
    assert rows[0][1] == "keyword"
    assert rows[0][2:5] == ["0.600", "0.500", "−0.100"]
    assert [row[-1] for row in rows] == ["**worse**", "better"]


def test_the_table_of_windows_leaves_out_what_was_not_tried() -> None:
    values = {BOTH: [0.5, 0.6] * 20, WHOLE: [0.4, 0.5] * 20, SENTENCES: [0.5, 0.6] * 20}
    _, ((name, whole, sentences, fewer, both, _),) = by_windows([Measured("set", values, BOTH)])
    assert (name, whole, sentences, fewer, both) == ("set", "0.450▼", "0.550", "", "0.550")


def test_ndcg_sees_ten_and_counts_a_question_without_answers() -> None:
    grades = [{"a": 1}, {"a": 1}, {"a": 1}]
    late = [str(n) for n in range(10)] + ["a"]
    assert ndcg(grades, [["a"], late, []]) == [1.0, 0.0, 0.0]
