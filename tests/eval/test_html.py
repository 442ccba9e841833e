"""The page of an evaluation run: whole, safe, alone, and the same each time."""

from __future__ import annotations

import copy
import random
import re
from html.parser import HTMLParser
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from beir_folder import write_beir
from pincite import extras
from pincite.errors import MissingExtra
from pincite.eval.html import render_page, require_templates, templating
from pincite.eval.html.colours import DARK, LIGHT
from terminal import Run

VOID = {"meta", "br"}
LEGS = {"keyword": 0.62, "dense": 0.58, "exact": 0.31, "rrf": 0.68, "final": 0.71}
QUESTIONS = [
    "how many days of leave does a new colleague get",
    "§ 4.2 company/leave.md",
    "Wann verjährt der Anspruch auf Urlaub aus dem Vorjahr, wenn der Arbeitgeber nicht gewarnt hat?",
    "who signs a contract above 50,000 euros",
    "ما هي مدة الإجازة السنوية؟",
    "travel expenses 'first class' <b>train</b>",
    "Donaudampfschifffahrtsgesellschaftskapitänsmützenverordnungsänderungsgesetz" * 2,
]
BREAKING = "\"'><script>alert(1)</script><img src=x onerror=alert(1)> & so on"
SCRIPTED = '<script>alert("1")</script><img src="http://evil.example/x.png" onerror=alert(1)>'


def sample_report(queries: int = 120, *, compared: bool = True, seed: int = 7) -> dict[str, Any]:
    """A made-up run that holds everything a report can hold."""
    chance = random.Random(seed)
    per_query = {f"q{n}": _judged_query(chance, n) for n in range(1, queries + 1)}
    tags = sorted({tag for query in per_query.values() for tag in query["tags"]})
    sizes = {tag: sum(tag in query["tags"] for query in per_query.values()) for tag in tags}
    by = {tag: {leg: _metrics(value + chance.uniform(-0.2, 0.15)) for leg, value in LEGS.items()} for tag in tags}
    metrics = {leg: _metrics(value) for leg, value in LEGS.items()}
    report: dict[str, Any] = {
        "dataset": "handbook",
        "qrels": "test",
        "kind": "documents",
        "queries": queries,
        "description": "Questions that colleagues asked about the company handbook, judged by two people.",
        "metrics": metrics,
        "intervals": {leg: _intervals(values, 0.05) for leg, values in metrics.items()},
        "by": by,
        "by_queries": sizes,
        "by_intervals": {
            tag: {leg: _intervals(values, 0.5 / max(sizes[tag], 1) ** 0.5) for leg, values in legs.items()}
            for tag, legs in by.items()
        },
        "latency_ms": {
            "p50": 3.1,
            "p95": 7.7,
            "stages": {
                name: {"p50": p50, "p95": p50 * 2.4}
                for name, p50 in {"understand": 0.08, "keyword": 1.2, "exact": 0.4, "fuse": 0.06, "cite": 1.1}.items()
            },
        },
        "index": {
            "engine": "segments",
            "chunks": 1840,
            "analyzer": {"de": "snowball", "en": "snowball"},
            "hash": "9f" * 32,
        },
        "notes": ["2 queries without a judgement were passed over", "the dense leg ran on the processor"],
        "per_query": per_query,
        "gates": {
            "passed": False,
            "checks": [
                _check("min-ndcg", "nDCG@10", wanted=0.75, reached=0.71, passed=False),
                _check("min-recall", "Recall@10", wanted=0.78, reached=0.781, passed=True),
            ],
        },
    }
    return report | ({"comparison": _comparison(chance, report)} if compared else {})


def sample_worst(many: int = 6) -> list[dict[str, Any]]:
    """Made-up queries that went wrong, with what came instead."""
    hits = [
        {
            "rank": rank,
            "name": f"company/travel.md#{rank}",
            "title": f"Travel policy, part {rank}",
            "place": "Handbook > Travel > Trains and planes",
            "score": 0.5 / rank,
            "grade": {1: None, 2: 2, 3: 0}.get(rank),
            "excerpt": "Colleagues travel second class by train.\nFirst class needs the consent of the team lead. " * 2,
            "citation": f"pincite:handbook/company/travel.md@r12#{rank}",
            "why": [f"keyword: rank {rank}, score 0.420: leave 0.21 (in 14)", "exact: no match"],
        }
        for rank in range(1, 5)
    ]
    relevant = [{"name": "company/leave.md#4.2", "grade": 3, "rank": 14}, {"name": "a/b.md", "grade": 1, "rank": None}]
    return [
        {
            "id": f"q{n}",
            "query": QUESTIONS[n % len(QUESTIONS)],
            "tags": ["type:citation", "lang:de"],
            "value": n / 100,
            "relevant": relevant,
            "hits": hits,
        }
        for n in range(many)
    ]


def _judged_query(chance: random.Random, n: int) -> dict[str, Any]:
    kinds = ["type:citation"] * 4 + ["type:question"] * 5 + ["type:wording"]
    value = chance.choice([0.0, 1.0, 1.0, 1.0, 0.63, 0.5, round(chance.random(), 4)])
    tags = [
        chance.choice(kinds),
        chance.choice(["lang:de", "lang:en"]),
        "class:question",
        *(["rare"] if n % 40 == 1 else []),
    ]
    question = QUESTIONS[n % len(QUESTIONS)]
    return {"query": question, "tags": tags, "final": _metrics(value), "keyword": _metrics(value * 0.9)}


def _metrics(value: float) -> dict[str, float]:
    value = min(max(value, 0.0), 1.0)
    return {
        "ndcg@10": value,
        "recall@10": min(value * 1.1, 1),
        "recall@100": min(value * 1.25, 1),
        "mrr@10": value * 0.95,
        "hit@1": value * 0.8,
        "map": value * 0.9,
    }


def _intervals(values: dict[str, float], width: float) -> dict[str, list[float]]:
    return {name: [max(value - width, 0), min(value + width, 1)] for name, value in values.items()}


def _check(name: str, metric: str, *, wanted: float, reached: float, passed: bool) -> dict[str, Any]:
    text = f"{metric} {reached:.3f} is {'at least' if passed else 'below'} {wanted:.3f}"
    return {"name": name, "wanted": wanted, "reached": reached, "passed": passed, "text": text}


def _change(before: float, difference: float, width: float) -> dict[str, Any]:
    interval = [difference - width, difference + width]
    return {
        "before": before,
        "after": before + difference,
        "difference": difference,
        "interval": interval,
        "p": 0.004 if abs(difference) > width else 0.41,
    }


def _comparison(chance: random.Random, report: dict[str, Any]) -> dict[str, Any]:
    after = {query_id: query["final"]["ndcg@10"] for query_id, query in report["per_query"].items()}
    before = {i: v if chance.random() < 0.6 else min(max(v + chance.gauss(0.05, 0.3), 0), 1) for i, v in after.items()}
    moved = [
        {"id": i, "query": report["per_query"][i]["query"], "before": before[i], "after": after[i]}
        | {"difference": after[i] - before[i]}
        for i in after
        if abs(after[i] - before[i]) > 0.05
    ]
    drops = {"keyword": 0.0, "dense": 0.004, "exact": 0.012, "rrf": -0.011, "final": -0.024}
    return {
        "queries": len(after),
        "metrics": {
            leg: {
                name: _change(value - drops[leg], drops[leg], 0.011) for name, value in report["metrics"][leg].items()
            }
            for leg in LEGS
        },
        "by": {
            tag: _change(0.7, chance.uniform(-0.08, 0.05), 0.03) | {"queries": size}
            for tag, size in report["by_queries"].items()
        },
        "moved": moved,
        "before": before,
        "after": after,
        "notes": ["the earlier run knew 2 queries that are gone"],
    }


class Reader(HTMLParser):
    """Reads a page as a browser would, and refuses a tag that is not closed in order."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


def test_the_page_is_well_formed_and_shows_every_leg_tag_and_check() -> None:
    report = sample_report()
    page = Reader(render_page(report, sample_worst()))
    titles = {attrs.get("title") for _, attrs in page.tags}
    assert set(report["by"]) <= titles
    for leg in LEGS:
        assert any(tag == "svg" and (attrs["aria-label"] or "").startswith(f"{leg}:") for tag, attrs in drawn(page))
    for expected in (
        "handbook",
        "120 queries",
        "0.710",
        "Gates refused",
        "min-recall",
        "few queries",
        "2.88",
        "segments",
    ):
        assert expected in page.text
    assert "Significantly worse than before" in page.text
    assert "excludes 0" in page.text


def drawn(page: Reader) -> list[tuple[str, dict[str, str | None]]]:
    return [(tag, attrs) for tag, attrs in page.tags if attrs.get("role") == "img"]


def test_a_query_that_holds_markup_is_shown_and_not_run() -> None:
    report, worst = sample_report(), sample_worst(1)
    report["per_query"]["q1"]["query"] = report["comparison"]["moved"][0]["query"] = worst[0]["query"] = SCRIPTED
    report |= {"dataset": SCRIPTED, "description": SCRIPTED, "qrels": SCRIPTED, "notes": [SCRIPTED]}
    report["index"][SCRIPTED] = {"a": SCRIPTED}
    report["by"][f"type:{SCRIPTED}"] = report["by"]["rare"]
    page = Reader(render_page(report, worst))
    assert [tag for tag, _ in page.tags].count("script") == 1
    assert "img" not in {tag for tag, _ in page.tags}
    assert not any(name.startswith("on") for _, attrs in page.tags for name in attrs)
    assert page.text.count(SCRIPTED) >= 6


def hostile(value: Any, fixed: frozenset[str]) -> Any:
    """The same report with markup in every text, and in every name that a report is free to choose."""
    if isinstance(value, dict):
        return {key if key in fixed else f"{key}{BREAKING}": hostile(each, fixed) for key, each in value.items()}
    if isinstance(value, list):
        return [hostile(each, fixed) for each in value]
    return BREAKING if isinstance(value, str) else value


def test_markup_and_quotes_in_any_text_or_name_stay_text() -> None:
    report, worst = sample_report(), sample_worst(3)
    plain = Reader(render_page(report, worst))
    fixed = frozenset({*report, *report["comparison"], *report["gates"], *report["gates"]["checks"][0]})
    fixed |= {*worst[0], *worst[0]["hits"][0], *report["latency_ms"], *_change(0, 0, 0), "final", "ndcg@10"}
    page = Reader(render_page(hostile(report, fixed), hostile(worst, fixed)))
    assert {tag for tag, _ in page.tags} == {tag for tag, _ in plain.tags}
    assert {name for _, attrs in page.tags for name in attrs} == {name for _, attrs in plain.tags for name in attrs}
    assert [tag for tag, _ in page.tags].count("script") == 1
    labels = [attrs[name] or "" for _, attrs in page.tags for name in ("aria-label", "title") if name in attrs]
    assert sum(BREAKING in label for label in labels) > 20, "it is read back as it was given"
    assert page.text.count(BREAKING) > 100


def test_every_template_escapes_and_none_leaves_out_what_is_missing() -> None:
    from jinja2 import StrictUndefined, UndefinedError

    environment = templating._environment()
    names = environment.list_templates()
    assert "page.html.j2" in names
    for name in names:
        source, _, _ = environment.loader.get_source(environment, name)
        assert not re.search(r"\|\s*safe\b|autoescape|Markup", source), name
    assert environment.autoescape is True
    assert environment.undefined is StrictUndefined
    with pytest.raises(UndefinedError, match="'content' is undefined"):
        templating.render("notes")


def test_without_jinja_the_page_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda name: None if name == "jinja2" else find_spec(name))
    templating._environment.cache_clear()
    for make in (require_templates, lambda: render_page(sample_report())):
        with pytest.raises(MissingExtra, match=r'the page of an evaluation.*pip install "pincite\[eval\]"'):
            make()


def test_a_page_that_cannot_be_made_is_refused_before_anything_is_asked(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda name: None if name == "jinja2" else find_spec(name))
    done = run("eval", "--beir", str(write_beir(tmp_path / "pets")), "--work", "kept", "--html", "page.html")
    assert (done.returncode, done.stdout) == (4, "")
    assert 'pip install "pincite[eval]"' in done.stderr
    assert not (tmp_path / "kept").exists()


def test_characters_that_cannot_stand_in_a_page_are_replaced() -> None:
    report = sample_report() | {"dataset": "a\x00b\ud800c", "notes": ["one\r\ntwo"]}
    page = render_page(report)
    assert "a\ufffdb\ufffdc" in page.encode().decode()
    assert "one\r\ntwo" in page


def test_nothing_is_loaded_from_anywhere() -> None:
    page = Reader(render_page(sample_report(), sample_worst()))
    assert any(attrs.get("href") for _, attrs in page.tags)
    for _, attrs in page.tags:
        assert "src" not in attrs
        assert (attrs.get("href") or "#").startswith("#")
    policies = [attrs["content"] for _, attrs in page.tags if attrs.get("http-equiv") == "Content-Security-Policy"]
    assert policies == ["default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"]
    assert "url(" not in render_page(sample_report())


def test_the_same_report_gives_the_same_bytes() -> None:
    report, worst = sample_report(), sample_worst()
    untouched = copy.deepcopy((report, worst))
    assert render_page(report, worst) == render_page(copy.deepcopy(report), copy.deepcopy(worst))
    assert (report, worst) == untouched


NEEDED_BY = {"metrics": ["legs"], "by": ["tags"], "comparison": ["changes"], "per_query": ["spread"]}
NEEDED_BY |= {"latency_ms": ["latency"]}
"""Which section goes with a part; the notes of a comparison are notes too."""


def sections_of(page: Reader) -> list[str | None]:
    return [attrs["id"] for tag, attrs in page.tags if tag == "section"]


@pytest.mark.parametrize("missing", sorted(sample_report()))
def test_a_report_without_one_of_its_parts_still_makes_a_page(missing: str) -> None:
    report = sample_report()
    whole = sections_of(Reader(render_page(report, sample_worst())))
    del report[missing]
    assert sections_of(Reader(render_page(report, sample_worst()))) == [
        anchor for anchor in whole if anchor not in NEEDED_BY.get(missing, ())
    ]


@pytest.mark.parametrize(
    "report",
    [
        {},
        dict.fromkeys(sample_report()),
        {"queries": 0, "metrics": {"keyword": {}}, "by": {"lang:de": {}, "x": None}},
        {"comparison": {"queries": 0, "metrics": {"final": {"ndcg@10": {}}}, "by": {"x": {}}, "moved": [{}]}},
        {"gates": {"passed": True}, "latency_ms": {"stages": {"fuse": None}}},
    ],
    ids=["empty", "nulls", "no-queries", "empty-comparison", "empty-gates"],
)
def test_a_report_with_hardly_anything_still_makes_a_page(report: dict[str, Any]) -> None:
    page = Reader(render_page(report, [{}, {"hits": [{}], "relevant": [{}]}]))
    assert "worst" in sections_of(page)
    assert "Nothing was found." in page.text and "not found" in page.text


def test_a_value_that_is_no_number_is_shown_as_missing() -> None:
    report = sample_report()
    report["metrics"]["final"]["ndcg@10"] = float("nan")
    report["intervals"]["final"]["ndcg@10"] = [None, 1]
    page = Reader(render_page(report))
    assert "nan" not in " ".join(label for _, attrs in drawn(page) if (label := attrs["aria-label"]))


def test_a_run_with_a_single_leg_takes_it_for_the_headline() -> None:
    report = sample_report(compared=False)
    report["metrics"] = {"keyword": report["metrics"]["keyword"]}
    report["by"] = {tag: {"keyword": legs["keyword"]} for tag, legs in report["by"].items()}
    page = Reader(render_page(report))
    assert "nDCG@10 of keyword" in page.text
    assert "Spread over queries" in page.text
    assert "What changed" not in page.text


def test_a_difference_whose_interval_includes_zero_is_not_called_significant() -> None:
    report = sample_report()
    report["comparison"]["metrics"]["final"]["ndcg@10"] |= {"difference": -0.01, "interval": [-0.03, 0.01], "p": 0.3}
    page = Reader(render_page(report))
    assert "No significant difference" in page.text
    assert "p = 0.300" in page.text
    assert "Significantly" not in page.text


def test_a_small_difference_whose_interval_excludes_zero_is_significant() -> None:
    report = sample_report()
    report["comparison"]["metrics"]["final"]["ndcg@10"] |= {
        "difference": 0.0003,
        "interval": [0.0001, 0.0005],
        "p": 0.0004,
    }
    page = Reader(render_page(report))
    assert "Significantly better than before" in page.text
    assert "p < 0.001" in page.text


def test_the_largest_drop_comes_first_and_the_rest_is_counted() -> None:
    report = sample_report()
    moved = report["comparison"]["moved"]
    assert len(moved) > 25
    page = render_page(report)
    listed = page[page.index("Queries that moved") :]
    worst = min(moved, key=lambda row: row["difference"])
    found = re.search(r'aria-label="(q\d+): ', listed)
    assert found is not None
    assert found[1] == worst["id"]
    assert f"… {len(moved) - 25} queries more" in listed


def test_equal_points_share_a_dot_and_no_query_is_lost() -> None:
    report = sample_report()
    page = render_page(report)
    chart = page[page.index('class="scatter"') :]
    titles = re.findall(r"<title>(.*?)</title>", chart[: chart.index("</svg>")], re.S)
    unnamed = [int(many) for title in titles for many in re.findall(r"and (\d+) more", title)]
    assert sum(title.count(" → ") for title in titles) + sum(unnamed) == len(report["per_query"]) > len(titles)


def test_five_thousand_queries_stay_below_a_megabyte_and_a_half() -> None:
    report = sample_report(5000)
    chance = random.Random(1)
    for side in ("before", "after"):
        report["comparison"][side] = {query_id: chance.random() for query_id in report["per_query"]}
    page = render_page(report, sample_worst(200))
    assert len(page.encode()) < 1_500_000
    assert "… 175 queries more" in page


def test_every_drawing_says_what_it_shows_and_headings_do_not_skip() -> None:
    page = Reader(render_page(sample_report(), sample_worst()))
    assert len(drawn(page)) > 20 and "th" in {tag for tag, _ in page.tags}
    assert all(attrs.get("role") == "img" or attrs.get("aria-hidden") for tag, attrs in page.tags if tag == "svg")
    assert all(attrs.get("aria-label") for _, attrs in drawn(page))
    assert all(attrs.get("scope") for tag, attrs in page.tags if tag == "th")
    levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1 and max(levels) == 3
    assert all(deeper - level <= 1 for level, deeper in pairwise(levels))


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_colours_keep_their_contrast(palette: dict[str, str]) -> None:
    for ground in ("page", "card"):
        for name in ("ink", "soft", "final", "better", "worse", "same"):
            assert contrast(palette[name], palette[ground]) >= 4.5, name
        assert contrast(palette["other"], palette[ground]) >= 3
    assert contrast(palette["on-final"], palette["final"]) >= 4.5


def contrast(one: str, other: str) -> float:
    """The contrast ratio of WCAG 2.2, from 1 to 21."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
