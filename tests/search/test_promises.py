"""An index that lacks something: it is never asked for that, and whoever asks hears of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

import pincite
from pincite.errors import InvalidArgument, Unavailable
from pincite.protocols import Index
from pincite.queries import (
    All,
    IndexFeatures,
    Maybe,
    Node,
    Not,
    Phrase,
    Prefix,
    Ranking,
    Scoring,
    Some,
    VectorQuery,
    Word,
    WordQuery,
)
from pincite.search import promises
from pincite.types import View

EVERY = tuple(item.name for item in fields(IndexFeatures))
LONG = " ".join(["the owner of a dog is liable for the damage that it does"] * 10)

MISSPELT = "employeee vacationn"
"""The hashing embedder finds words near that share pieces with others, and they stand in for these."""


class Lacking:
    """An index without some of its features, which takes no question that needs them."""

    def __init__(self, index: Index, *lacks: str) -> None:
        self._index = index
        self.features = replace(index.features, **dict.fromkeys(lacks, False))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._index, name)

    def keyword(self, views: Sequence[View], query: WordQuery) -> Ranking:
        assert needed(query.words) | self.needed_beside(query) <= self.declared
        return self._index.keyword(views, query)

    def needed_beside(self, query: WordQuery) -> set[str]:
        needs = {
            "condenses": query.max_words is not None,
            "stand_ins": query.expected is not None,
            "explains": query.explained > 0,
            "ever": query.ever,
            "among": query.among is not None,
        }
        return {name for name, is_needed in needs.items() if is_needed}

    def dense(self, views: Sequence[View], query: VectorQuery) -> Ranking:
        needs = {"dense": True, "exact_scan": query.exact, "among": query.among is not None}
        assert {name for name, is_needed in needs.items() if is_needed} <= self.declared
        return self._index.dense(views, query)

    @property
    def declared(self) -> set[str]:
        return {name for name in EVERY if getattr(self.features, name)}


def needed(node: Node) -> set[str]:
    if isinstance(node, All | Some):
        return set().union(*map(needed, node.parts))
    if isinstance(node, Maybe | Not):
        return needed(node.part)
    if isinstance(node, Word):
        return {"stand_ins"} if node.weight < 1 else set()
    return {"phrases" if isinstance(node, Phrase) else "prefixes"} if isinstance(node, Phrase | Prefix) else set()


@pytest.fixture(scope="module")
def shelves(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shelves")
    texts = folder / "texts"
    texts.mkdir()
    (texts / "dogs.md").write_text(
        "# Dogs\n\n## Liability\n\nThe owner of a dog is liable for bites.\n\n## Fines\n\nA dog bite costs 200 francs.",
        encoding="utf-8",
    )
    (texts / "leave.md").write_text("# Leave\n\nEvery employee has 25 days of leave.", encoding="utf-8")
    with pincite.open(settings(folder)) as library:
        library.ingest(texts, embedding=False)
        (texts / "leave.md").write_text("# Leave\n\nEvery employee has 30 days of vacation.", encoding="utf-8")
        library.ingest(texts, embedding=False)
        library.embed()
    return folder


def settings(folder: Path, **more: Any) -> dict[str, Any]:
    return {
        "library": str(folder / "library"),
        "dense": "auto",
        "embedding": {"model": "hashing:512"},
        **more,
    }


@pytest.fixture
def library(shelves: Path) -> Iterator[pincite.Library]:
    with pincite.open(settings(shelves)) as opened:
        yield opened


def without(library: pincite.Library, *lacks: str) -> pincite.Library:
    library.index = Lacking(library.index, *lacks)  # type: ignore[assignment]
    return library


@pytest.mark.parametrize("lacks", [*((name,) for name in EVERY), EVERY], ids=[*EVERY, "everything"])
def test_an_index_is_never_asked_what_it_does_not_declare(library: pincite.Library, lacks: tuple[str, ...]) -> None:
    poor = without(library, *lacks)
    for text in ("dog bites", '"liable for bites"', "liab*", MISSPELT, LONG, "leave.md"):
        for options in (
            {},
            {"mode": "semantic"},
            {"mode": "exact"},
            {"exact": True},
            {"explain": True},
            {"group": "chunk"},
        ):
            try:
                poor.search(text, **options)  # type: ignore[arg-type]
            except InvalidArgument as refused:
                assert "the index of this library cannot search" in refused.message
                assert "choose index: segments" in refused.message
    poor.verify("The owner of a dog is liable for bites.")
    poor.verify("Every employee has 25 days of leave.")
    poor.verify("nothing that stands anywhere")
    poor.context("dog bites")
    poor.why_not("dogs.md", "annual leave")
    poor.health()


def test_a_phrase_a_beginning_and_a_full_scan_are_refused_by_name(library: pincite.Library) -> None:
    poor = without(library, "phrases", "prefixes", "exact_scan")
    with pytest.raises(
        InvalidArgument, match=r"words side by side \('liable for'\); leave the quotation marks out"
    ) as one:
        poor.search('dog "liable for"')
    with pytest.raises(InvalidArgument, match="use another mode"):
        poor.search("liable for", mode="exact")
    with pytest.raises(InvalidArgument, match=r"beginnings of words \('liab\*'\); write the word out"):
        poor.search("NOT liab*")
    with pytest.raises(InvalidArgument, match="all vectors one by one; leave --exact out") as full:
        poor.search("dog", exact=True)
    assert (one.value.field, full.value.field) == ("query", "exact")
    assert poor.search("dog").hits[0].passage.element_id == "dogs.md"


@pytest.mark.parametrize(
    ("lacks", "text", "options", "note"),
    [
        ("score_isolation", "dog", {}, promises.NOT_ISOLATED),
        ("condenses", LONG, {}, promises.ALL_WORDS),
        ("explains", "dog", {"explain": True}, promises.UNEXPLAINED),
        ("among", "dog", {}, promises.ONE_PASSAGE),
    ],
)
def test_what_an_answer_goes_without_is_said(
    library: pincite.Library, lacks: str, text: str, options: dict[str, Any], note: str
) -> None:
    assert note not in library.search(text, **options).notes
    assert note in without(library, lacks).search(text, **options).notes


def test_a_long_query_is_not_said_to_be_cut_where_it_is_not(library: pincite.Library) -> None:
    assert any("32 rarest" in note for note in library.search(LONG).notes)
    assert not any("32 rarest" in note for note in without(library, "condenses").search(LONG).notes)


def test_an_element_shows_its_own_passage_where_the_others_cannot_be_asked_for(library: pincite.Library) -> None:
    several = library.search("dog bite").hits[0].passages
    own = without(library, "among").search("dog bite").hits[0]
    assert len(several) > 1
    assert [shown.passage.citation for shown in own.passages] == [own.passage.citation]


def test_settings_that_an_index_cannot_honour_are_named(shelves: Path) -> None:
    for keyword, is_said in (({"k1": 2.0}, True), ({"boosts": {"headings": 5}}, False), ({"k1": Scoring().k1}, False)):
        with pincite.open(settings(shelves, keyword=keyword)) as library:
            assert promises.OWN_SCORING not in library.search("dog").notes
            assert (promises.OWN_SCORING in without(library, "scoring").search("dog").notes) is is_said


def test_legs_that_an_index_has_not_say_so(library: pincite.Library, shelves: Path) -> None:
    assert {leg.name: leg.status for leg in library.search(MISSPELT).legs}["related"] == "ok"
    legs = {leg.name: leg for leg in without(library, "dense", "stand_ins").search(MISSPELT).legs}
    assert (legs["dense"].status, legs["dense"].reason) == ("off", promises.NO_MEANING)
    assert (legs["related"].status, legs["related"].reason) == ("off", promises.NO_STAND_INS)
    semantic = {leg.name: leg for leg in library.search("dog", mode="semantic").legs}
    assert semantic["dense"].reason == f"{promises.NO_MEANING}; the keyword and exact legs answer instead"
    with pincite.open(settings(shelves, dense="required")) as demanding:
        poor = without(demanding, "dense")
        with pytest.raises(Unavailable, match="required and cannot answer: the index of this library has no vectors"):
            poor.search("dog")
        assert poor.search("dog", mode="keyword").hits


def test_a_quote_is_looked_for_by_its_words_and_what_was_not_looked_for_is_said(library: pincite.Library) -> None:
    before = library.verify("Every employee has 25 days of leave.")
    assert before.status == "superseded"
    poor = without(library, "phrases", "ever")
    assert poor.verify("The owner of a dog is liable for bites.").status == "verified"
    gone = poor.verify("Every employee has 25 days of leave.")
    assert gone.status != "superseded"
    assert gone.message.endswith(
        "the index of this library cannot look for words side by side or among earlier versions"
    )
