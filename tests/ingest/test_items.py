"""An item of a source gives as many elements as its kind reads of it: one, a thousand, or none."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from desk import Desk
from notes_kind import DECLARATION, NotesKind
from pincite.ingest import batch
from pincite.ingest.options import IngestOptions
from pincite.ingest.report import IngestReport
from pincite.ingest.sources import open_source
from pincite.ingest.spine import ingest
from pincite.types import View


class Notes:
    """A folder of `.jsonl` files, read by the kind of this test."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.library = desk.library

    def write(self, name: str, *rows: dict[str, Any] | str) -> Path:
        lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
        return self.desk.write(name, "\n".join(lines) + "\n")

    def ingest(self, **options: Any) -> IngestReport:
        source = open_source(self.desk.folder, kind="notes")
        given = IngestOptions(NotesKind(), **options)
        return ingest(self.library.catalog, self.library.index, self.library.scope(), source, given)

    def put(self, name: str, *rows: dict[str, Any] | str) -> IngestReport:
        self.write(name, *rows)
        return self.ingest()

    def ids(self) -> list[str]:
        return list(self.library.elements())

    def links(self, element_id: str) -> list[str]:
        info = self.library.catalog.repositories.ensure(self.library.scope())
        view = View(self.library.scope(), info.head, date(2026, 1, 1), None)
        return [relation.target for relation in self.library.catalog.relations.of(view, element_id, "out")]


@pytest.fixture
def notes(desk: Desk) -> Iterator[Notes]:
    yield Notes(desk)


def note(name: str, text: str = "", *links: str) -> dict[str, Any]:
    return {"id": name, "text": text or f"the words of {name}", "links": list(links)}


def counts(report: IngestReport) -> tuple[int, int, int, int]:
    return report.added, report.changed, report.unchanged, report.removed


def test_each_record_of_a_file_is_an_element(notes: Notes) -> None:
    report = notes.put("n.jsonl", note("a"), note("b"), note("c"))
    assert (counts(report), report.revisions) == ((3, 0, 0, 0), 1)
    assert notes.ids() == ["a", "b", "c"]
    assert counts(notes.ingest()) == (0, 0, 3, 0)


def test_of_a_changed_file_only_the_changed_records_are_derived_again(
    notes: Notes, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes.put("n.jsonl", note("a"), note("b"), note("c"))
    derived: list[str] = []
    real = NotesKind.derive

    def derive(kind: NotesKind, element_id: str, *given: Any) -> Any:
        derived.append(element_id)
        return real(kind, element_id, *given)

    monkeypatch.setattr(NotesKind, "derive", derive)
    report = notes.put("n.jsonl", note("a"), note("b", "other words"), note("d"))
    assert counts(report) == (1, 1, 1, 1)
    assert derived == ["b", "d"]
    assert notes.ids() == ["a", "b", "d"]


def test_a_record_may_move_from_one_file_to_another(notes: Notes) -> None:
    notes.write("m.jsonl", note("a"))
    notes.put("n.jsonl", note("b"), note("c"))
    notes.write("m.jsonl", note("a"), note("b"))
    assert counts(notes.put("n.jsonl", note("c"))) == (0, 0, 3, 0)
    assert notes.ids() == ["a", "b", "c"]
    (notes.desk.folder / "n.jsonl").unlink()
    assert counts(notes.ingest()) == (0, 0, 2, 1)
    assert notes.ids() == ["a", "b"]


def test_a_record_that_two_files_have_is_refused_in_one_of_them(notes: Notes) -> None:
    notes.write("m.jsonl", note("a"), note("b"))
    report = notes.put("n.jsonl", note("b"), note("c"))
    (failed,) = report.failed
    assert (failed.path, failed.reason) == ("n.jsonl", "'b' is in m.jsonl as well; ids must differ")
    assert notes.ids() == ["a", "b"]


def test_a_line_that_cannot_be_read_costs_itself_only(notes: Notes) -> None:
    notes.put("n.jsonl", note("a"), note("b"), note("c"))
    report = notes.put("n.jsonl", note("a", "new words"), "{not json", note("d"))
    assert [(item.path, item.reason) for item in report.failed] == [("n.jsonl", "line 2: it is not JSON")]
    assert (report.added, report.changed, report.removed) == (1, 1, 0)
    assert notes.ids() == ["a", "b", "c", "d"], "what may have stood in the unread line stays"
    assert [item.reason for item in notes.ingest().failed] == ["line 2: it is not JSON"], (
        "it is read again until it is whole"
    )
    assert notes.put("n.jsonl", note("a"), note("d")).removed == 2


def test_a_record_given_twice_is_taken_once(notes: Notes) -> None:
    report = notes.put("n.jsonl", note("a"), note("a", "again"))
    assert "same id" in report.failed[0].reason
    assert notes.ids() == ["a"]


def test_relations_that_a_file_no_longer_states_end(notes: Notes) -> None:
    notes.put("n.jsonl", note("a", "", "b", "c"), note("b"), note("c"))
    assert sorted(notes.links("a")) == ["b", "c"]
    report = notes.put("n.jsonl", note("a", "", "c"), note("b"), note("c"))
    assert counts(report) == (0, 1, 2, 0)
    assert notes.links("a") == ["c"]
    notes.put("n.jsonl", note("b"), note("c"))
    assert notes.links("a") == []


def test_a_file_split_over_several_commits_survives_a_kill_between_them(
    notes: Notes, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [note(f"e{number:02}") for number in range(10)]
    made: list[object] = []

    def apply_twice(*given: Any, **options: Any) -> Any:
        if len(made) == 2:
            raise KeyboardInterrupt
        made.append(real(*given, **options))
        return made[-1]

    real = batch.apply
    monkeypatch.setattr(batch, "MAX_ELEMENTS", 3)
    with monkeypatch.context() as patch:
        patch.setattr(batch, "apply", apply_twice)
        with pytest.raises(KeyboardInterrupt):
            notes.put("n.jsonl", *rows)
    assert len(notes.ids()) == 6
    report = notes.ingest()
    assert (counts(report), report.revisions) == ((4, 0, 6, 0), 2), "what was committed is not committed again"
    assert counts(notes.ingest()) == (0, 0, 10, 0)
    assert counts(notes.put("n.jsonl", *rows[:7])) == (0, 0, 7, 3)


def test_two_kinds_read_one_folder_without_missing_each_others_files(notes: Notes) -> None:
    notes.desk.write("a.md", "words of a document")
    notes.put("n.jsonl", note("a"))
    notes.desk.ingest()
    assert counts(notes.ingest()) == (0, 0, 1, 0)
    assert counts(notes.desk.ingest()) == (0, 0, 1, 0)
    assert notes.ids() == ["a", "a.md"]


def test_a_file_that_is_too_large_for_its_kind_is_not_read(notes: Notes) -> None:
    path = notes.write("n.jsonl", note("a"))
    with path.open("r+b") as file:
        file.truncate(DECLARATION.max_bytes + 1)
    assert "larger than 10,000,000 bytes" in notes.ingest().failed[0].reason
