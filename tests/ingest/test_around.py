"""Passages that show their neighbours follow them: in the same revision, and no others are derived again."""

from __future__ import annotations

import json
from datetime import date
from typing import Any

import pytest

from desk import Desk
from notes_kind import LinkedNotesKind
from pincite.errors import HeadMoved
from pincite.ingest import apply as tail
from pincite.ingest.apply import apply
from pincite.ingest.options import IngestOptions
from pincite.ingest.report import IngestReport
from pincite.ingest.sources import open_source
from pincite.ingest.spine import ingest
from pincite.types import (
    Change,
    Committed,
    Content,
    Derivation,
    PutElement,
    PutRelation,
    Relation,
    RemoveElement,
    RemoveRelation,
    State,
    View,
)


class Web:
    """Notes that link to each other."""

    def __init__(self, desk: Desk, neighbours: int = 1) -> None:
        self.desk, self.library = desk, desk.library
        self.kind = LinkedNotesKind(neighbours)

    def apply(self, *changes: Change, **options: Any) -> Committed:
        return apply(
            self.library.catalog, self.library.index, self.library.scope(), changes, kinds=[self.kind], **options
        )

    def ingest(self, **files: list[dict[str, Any]]) -> IngestReport:
        for name, rows in files.items():
            self.desk.write(f"{name}.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
        source, options = open_source(self.desk.folder, kind="linked"), IngestOptions(self.kind)
        return ingest(self.library.catalog, self.library.index, self.library.scope(), source, options)

    def passage(self, element_id: str) -> str:
        """What is found of a note at head."""
        head = self.library.catalog.repositories.ensure(self.library.scope()).head
        live = self.library.catalog.elements.get(View(self.library.scope(), head, date(2026, 1, 1), None), element_id)
        assert live is not None
        (chunk,) = live.derivation.chunks
        assert chunk.rendered is not None
        return chunk.rendered

    def lives(self, element_id: str) -> int:
        return len(self.library.history(element_id))


@pytest.fixture
def web(desk: Desk) -> Web:
    return Web(desk)


def note(name: str, text: str, message_id: str = "") -> PutElement:
    content = Content("note", "note", name, text, "en", {})
    return PutElement(name, (State(content, Derivation("not yet", ())),), message_id)


def link(source: str, target: str) -> PutRelation:
    return PutRelation(Relation(f"{source}->{target}", "links_to", source, target))


def test_a_passage_shows_what_is_put_with_it(web: Web) -> None:
    web.apply(note("a", "alpha"), note("b", "beta"), link("a", "b"), link("a", "z"))
    assert web.passage("a") == "alpha; b: beta; z: unknown; linked from 0"
    assert web.passage("b") == "beta; linked from 1"


def test_a_changed_neighbour_changes_the_passage_in_the_same_revision(web: Web) -> None:
    web.apply(note("a", "alpha"), note("b", "beta"), note("c", "gamma"), link("a", "b"))
    made = web.apply(note("b", "better"))
    assert web.passage("a") == "alpha; b: better; linked from 0"
    assert (made.revision, len(made.outcomes)) == (2, 1)
    assert (web.lives("a"), web.lives("c")) == (2, 1), "what lies elsewhere is left alone"
    assert set(web.desk.ids("better")) == {"a", "b"}


def test_a_neighbour_that_goes_or_comes_is_shown_so(web: Web) -> None:
    web.apply(note("a", "alpha"), note("b", "beta"), link("a", "b"))
    web.apply(RemoveElement("b"))
    assert web.passage("a") == "alpha; b: unknown; linked from 0"
    web.apply(note("b", "back"))
    assert web.passage("a") == "alpha; b: back; linked from 0"


def test_relations_that_come_and_go_change_both_ends(web: Web) -> None:
    web.apply(note("a", "alpha"), note("b", "beta"), note("c", "gamma"))
    web.apply(link("a", "b"))
    assert (web.passage("a"), web.passage("b")) == ("alpha; b: beta; linked from 0", "beta; linked from 1")
    web.apply(PutRelation(Relation("a->b", "links_to", "a", "c")))
    assert (web.passage("b"), web.passage("c")) == ("beta; linked from 0", "gamma; linked from 1")
    web.apply(RemoveRelation("a->b"))
    assert (web.passage("a"), web.passage("c")) == ("alpha; linked from 0", "gamma; linked from 0")


def test_what_starts_at_a_removed_element_is_over(web: Web) -> None:
    web.apply(note("a", "alpha"), note("b", "beta"), link("a", "b"))
    web.apply(RemoveElement("a"), note("a", "again"))
    assert (web.passage("a"), web.passage("b")) == ("again; linked from 0", "beta; linked from 0")


def test_a_passage_looks_as_far_as_its_kind_says(desk: Desk) -> None:
    web = Web(desk, neighbours=2)
    web.apply(*(note(name, name * 2) for name in "abcd"), link("a", "b"), link("b", "c"), link("c", "d"))
    assert web.passage("a") == "aa; b: bb; c: cc; linked from 0"
    web.apply(note("c", "see"))
    assert web.passage("a") == "aa; b: bb; c: see; linked from 0"
    web.apply(note("d", "dee"))
    assert (web.lives("a"), web.lives("b"), web.lives("c")) == (2, 3, 3)


def test_an_ingest_of_one_file_reaches_the_notes_of_another(web: Web) -> None:
    web.ingest(m=[{"id": "a", "text": "alpha", "links": ["b"]}], n=[{"id": "b", "text": "beta"}])
    report = web.ingest(n=[{"id": "b", "text": "better"}])
    assert (report.changed, report.unchanged, report.revisions) == (1, 1, 1)
    assert web.passage("a") == "alpha; b: better; linked from 0"


def test_a_commit_in_between_is_not_overlooked(web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    web.apply(note("a", "alpha"), note("b", "beta"), link("a", "b"))
    real, others = tail._rederived, [note("b", "overtaken")]

    def overtaken(*given: Any) -> Any:
        found = real(*given)
        if others:
            web.apply(others.pop())
        return found

    monkeypatch.setattr(tail, "_rederived", overtaken)
    assert web.apply(note("a", "new")).revision == 3
    assert web.passage("a") == "new; b: overtaken; linked from 0"
    others.append(note("b", "overtaken again"))
    with pytest.raises(HeadMoved):
        web.apply(note("a", "newer"), expected_head=3)


def test_a_message_that_comes_again_leaves_its_neighbours_as_they_are(web: Web) -> None:
    web.apply(note("a", "alpha"), note("b", "beta", message_id="m-1"), link("a", "b"))
    web.apply(note("b", "better"))
    made = web.apply(note("b", "beta", message_id="m-1"), note("c", "gamma"))
    assert [outcome.status for outcome in made.outcomes] == ["duplicate", "applied"]
    assert web.passage("a") == "alpha; b: better; linked from 0"
