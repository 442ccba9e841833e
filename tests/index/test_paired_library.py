"""A library whose vectors lie in a store beside the words of its index: the same answers, through the front door."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

import pincite
from pincite import plugins
from pincite.errors import InvalidArgument, Unavailable, UnknownArgument
from pincite.index import stores
from pincite.index.flat import FlatVectors
from pincite.library import restore_library
from pincite.search.query import Answer

QUESTIONS = ("annual leave", "how long may a worker rest", "dog bites owner", "liable", '"25 days" leave', "§ 2")


def settings(folder: Path, **more: Any) -> dict[str, Any]:
    return {"library": str(folder / "library"), "dense": "required", "embedding": {"model": "hashing:512"}, **more}


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    folder = tmp_path / "texts"
    folder.mkdir()
    for name, text in {
        "leave.md": "# Leave\n\n## § 1 Days\n\nEach employee has 25 days of leave.\n\n## § 2 Rest\n\nWork on no Sunday",
        "dogs.md": "# Dogs\n\nThe owner of a dog is liable for bites.\n\n## Fines\n\nA bite costs 200 francs.",
        "lease.md": "# Lease\n\nThe tenant pays rent each month and is liable for damage.",
    }.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def answered(answer: Answer) -> tuple[object, ...]:
    """All of an answer that is not a duration."""
    legs = [(leg.name, leg.status, leg.candidates, leg.reason) for leg in answer.legs]
    return answer.hits, answer.total, answer.notes, legs, answer.replay, answer.next_cursor


def test_a_store_beside_the_words_gives_the_answers_of_the_segments_to_the_last_bit(
    tmp_path: Path, texts: Path
) -> None:
    with pincite.open(settings(tmp_path)) as library:
        library.ingest(texts, embedding=False)
        library.embed()
        own = [library.search(text, explain=True, limit=2) for text in QUESTIONS]
        token = str(own[0].replay["token"])
        replayed = library.replay(token)
        by_meaning = library.search("a dog that bites", mode="semantic", filters={"kind": "document"})
    with pincite.open(settings(tmp_path, vectors="flat")) as library:
        with pytest.raises(Unavailable, match="make them with: pincite embed"):
            library.search("leave")
        library.embed()
        assert [answered(library.search(text, explain=True, limit=2)) for text in QUESTIONS] == list(map(answered, own))
        again = library.search("a dog that bites", mode="semantic", filters={"kind": "document"})
        assert answered(again) == answered(by_meaning)
        assert answered(library.replay(token)) == answered(replayed)
        assert library.health(deep=True).ok
        assert library.status()[0][1].engine == "segments+flat"
    with pincite.open(settings(tmp_path, vectors="flat")) as library:
        opened_again = library.search(QUESTIONS[0], explain=True, limit=2)
        assert answered(opened_again) == answered(own[0])


def test_what_changes_and_what_is_erased_reaches_the_store(tmp_path: Path, texts: Path) -> None:
    with pincite.open(settings(tmp_path, vectors="flat")) as library:
        library.ingest(texts, embedding=False)
        library.embed()
        (texts / "leave.md").write_text("# Leave\n\nEvery employee has 30 days of vacation.", encoding="utf-8")
        library.ingest(texts, embedding=False)
        library.embed()
        now = library.search("days of vacation", mode="semantic")
        assert "30 days" in now.hits[0].passage.text
        past = library.search("days of leave", mode="semantic", read_context="revision:1")
        assert "25 days" in past.hits[0].passage.text
        library.purge("leave.md")
        assert "leave.md" not in {hit.passage.element_id for hit in library.search("vacation", mode="semantic").hits}
        assert [status.engine for status in library.rebuild()] == ["segments+flat"]
        assert library.search("dog bites", mode="semantic").hits[0].passage.element_id == "dogs.md"


def test_a_backup_is_restored_and_filled_again_from_the_catalog(tmp_path: Path, texts: Path) -> None:
    with pincite.open(settings(tmp_path, vectors="flat")) as library:
        library.ingest(texts, embedding=False)
        library.embed()
        before = library.search("annual leave")
        library.backup(tmp_path / "backup")
    restore_library(tmp_path / "backup", tmp_path / "restored")
    with pincite.open(settings(tmp_path, library=str(tmp_path / "restored"), vectors="flat")) as library:
        assert library.embed().embedded == 0, "the catalog has the vectors"
        assert answered(library.search("annual leave")) == answered(before)


def test_a_store_that_nobody_has_is_refused_with_those_there_are(tmp_path: Path) -> None:
    with pytest.raises(UnknownArgument, match="unknown vector store 'flet'; did you mean 'flat'"):
        pincite.open(settings(tmp_path, vectors="flet"))
    with pytest.raises(InvalidArgument, match="has no address"):
        pincite.open(settings(tmp_path, vectors="flat://host"))
    with pytest.raises(UnknownArgument, match="unknown setting of vectors: flat 'rows'"):
        pincite.open(settings(tmp_path, vectors="flat", vectors_settings={"rows": 7}))


def test_another_package_brings_its_own_store(tmp_path: Path, texts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    point = EntryPoint("mine", f"{__name__}:Mine", stores.GROUP)
    monkeypatch.setattr(plugins, "entry_points", lambda group: [point] if group == stores.GROUP else [])
    with pincite.open(settings(tmp_path, vectors="mine://here", vectors_settings={"rows": 7})) as library:
        library.ingest(texts, embedding=False)
        library.embed()
        assert library.search("dog bites", mode="semantic").hits[0].passage.element_id == "dogs.md"
        assert library.status()[0][1].engine == "segments+mine"


class Mine(FlatVectors):
    name = "mine"

    def __init__(self, address: str, settings: Mapping[str, object]) -> None:
        assert (address, dict(settings)) == ("mine://here", {"rows": 7})
        super().__init__()
