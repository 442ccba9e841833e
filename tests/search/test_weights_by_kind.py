"""Weights by kind of source: they count where a query is asked of one kind, and are pinned by its replay."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import pincite
from desk import Desk, by_name
from pincite import wire
from pincite.errors import UnknownArgument
from pincite.queries import OneOf
from pincite.search.understand import stated_kind
from pincite.search.weights import RankingOptions, Weights
from pincite.settings import load_config
from same_bits import said

WORDS_ONLY = {"keyword": 1.0, "dense": 0.0, "related": 0.0}
QUESTION = "employees working annuaal leavee"


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    (tmp_path / "source").mkdir()
    with opened(tmp_path) as library:
        desk = Desk(tmp_path, library)
        desk.write("leave.md", "# Leave\n\nEmployees receive 26 working days of paid annual leave.\n")
        desk.write("pay.md", "# Pay\n\nWorking hours of employees are paid monthly.\n")
        desk.library.ingest(desk.folder, embedding=False)
        desk.library.embed()
        yield desk


def opened(root: Path, **retrieval: Any) -> pincite.Library:
    return pincite.open(root / "library", dense="auto", embedding={"model": "hashing:512"}, retrieval=retrieval)


def legs(library: pincite.Library, **asked: Any) -> set[str]:
    return {leg for hit in library.search(QUESTION, **asked).hits for leg, share in hit.signals.items() if share}


def test_a_kind_has_weights_of_its_own(desk: Desk) -> None:
    assert "dense" in legs(desk.library)
    with opened(desk.root, kinds={"document": {"keywords": WORDS_ONLY}}) as library:
        assert legs(library) == {"keyword"}
        assert legs(library, filters={"kind": "document"}) == {"keyword"}
    with opened(desk.root, kinds={"tool": {"keywords": WORDS_ONLY}}) as library:
        assert "dense" in legs(library)
    with opened(desk.root, kinds={"document": {"question": WORDS_ONLY}}) as library:
        assert "dense" in legs(library), "another class of query"


def test_an_answer_replays_with_the_weights_of_its_kind(desk: Desk) -> None:
    how = {"head", "selector", "note"}
    with opened(desk.root, kinds={"document": {"keywords": WORDS_ONLY}}) as library:
        answer = library.search(QUESTION)
    again = desk.library.replay(str(answer.replay["token"]))
    assert said(wire.answer(again, by_name), how) == said(wire.answer(answer, by_name), how)


def test_which_weights_hold() -> None:
    options = RankingOptions(kinds={"tool": {"question": Weights(0.9, 0.1)}})
    assert options.weights_for("question", "tool") == Weights(0.9, 0.1)
    assert options.weights_for("question", "document") == options.weights_for("question")
    assert options.weights_for("keywords", "tool") == options.weights_for("keywords")


def test_a_filter_states_the_kind() -> None:
    assert stated_kind((OneOf("kind", ("tool",)),)) == "tool"
    assert stated_kind((OneOf("kind", ("tool", "document")),)) == ""
    assert stated_kind((OneOf("language", ("de",)),)) == ""


def test_a_misspelt_weight_is_named() -> None:
    with pytest.raises(UnknownArgument, match="densse") as told:
        load_config({"retrieval": {"kinds": {"tool": {"question": {"densse": 1}}}}})
    assert "retrieval.kinds.tool.question.dense" in told.value.message
