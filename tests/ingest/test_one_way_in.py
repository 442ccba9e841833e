"""Every write ends in `ingest.apply`, in few calls, with what is remembered of its source in the same transaction."""

from __future__ import annotations

import ast
import sqlite3
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import pincite
from desk import Desk
from pincite.catalog.sqlite import SqliteCatalog
from pincite.errors import HeadMoved, PermissionDenied
from pincite.index.open import open_index
from pincite.ingest import batch
from pincite.ingest.options import IngestOptions
from pincite.ingest.report import IngestReport
from pincite.ingest.sources import open_source
from pincite.ingest.spine import ingest
from pincite.kinds.open import open_kind
from pincite.protocols import Index
from pincite.testing.budget import counted
from pincite.types import Chunk, Content, Derivation, PutElement, RemoveElement, Scope, Span, State

SOURCE = Path(pincite.__file__).parent
SCOPE = Scope("default", "default", "main")
CALLS_PER_HUNDRED = 5
"""Of a catalog, for a hundred files, beside the commits themselves and including what the index reads."""


def test_nothing_but_the_tail_commits() -> None:
    """`….commits.commit(…)` stands once in the engine; contract suites and what wraps a catalog aside."""
    callers = {
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        if not path.is_relative_to(SOURCE / "testing") and _commits(path)
    }
    assert callers == {"ingest/apply.py"}


def _commits(path: Path) -> bool:
    """Whether the file calls `commit` of something that is called `commits`, or takes it to call it later."""
    return any(
        isinstance(node, ast.Attribute)
        and node.attr == "commit"
        and isinstance(node.value, ast.Attribute | ast.Name)
        and (node.value.attr if isinstance(node.value, ast.Attribute) else node.value.id).endswith("commits")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    )


# --- few calls ------------------------------------------------------------------------------------------------


class Shelf:
    """A catalog with its index, and a folder of notes."""

    def __init__(self, root: Path) -> None:
        self.folder = root / "source"
        self.folder.mkdir()
        self.catalog = SqliteCatalog(root / "catalog.db")
        self.index: Index = open_index("segments", root / "index", self.catalog)

    def write(self, numbers: range, text: str = "words") -> None:
        for number in numbers:
            (self.folder / f"{number:04}.md").write_text(f"# Note {number}\n\nThe {text} of note {number}.\n")

    def ingest(self) -> IngestReport:
        options = IngestOptions(open_kind("documents"))
        return ingest(self.catalog, self.index, SCOPE, open_source(self.folder), options)

    def close(self) -> None:
        self.index.close()
        self.catalog.close()


@pytest.fixture
def shelf(tmp_path: Path) -> Iterator[Shelf]:
    opened = Shelf(tmp_path)
    yield opened
    opened.close()


def test_a_hundred_files_cost_five_calls_beside_their_commits(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch, "MAX_ELEMENTS", 100)
    shelf.write(range(400))
    with counted(shelf.catalog) as calls:
        assert shelf.ingest().added == 400
    assert calls["commits.commit"] == 4
    assert calls.total() - calls["commits.commit"] <= 4 * CALLS_PER_HUNDRED, calls
    shelf.write(range(150, 250), "new words")
    (shelf.folder / "0000.md").unlink()
    with counted(shelf.catalog) as calls:
        report = shelf.ingest()
    assert (report.changed, report.unchanged, report.removed) == (100, 299, 1)
    assert calls.total() - calls["commits.commit"] <= 4 * CALLS_PER_HUNDRED, calls
    with counted(shelf.catalog) as calls:
        assert shelf.ingest().unchanged == 399
    assert calls.total() <= CALLS_PER_HUNDRED, f"nothing has changed, and yet {calls}"


# --- what is remembered ---------------------------------------------------------------------------------------


def test_each_file_is_remembered_once_however_many_commits_there_are(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = _rows_of_memory(shelf)
    monkeypatch.setattr(batch, "MAX_ELEMENTS", 20)
    shelf.write(range(400))
    assert shelf.ingest().revisions == 20
    assert written == {"source_items": 400, "source_elements": 400}
    written.clear()
    shelf.write(range(3), "new words")
    shelf.ingest()
    assert written == {"source_items": 3, "source_elements": 3}


def _rows_of_memory(shelf: Shelf) -> Counter[str]:
    """Rows written from now on, by table of the source memory."""
    written: Counter[str] = Counter()
    with shelf.catalog._database.write() as connection:
        connection.create_function("written", 1, lambda table: written.update([table]))
        for table in ("source_items", "source_elements"):
            for what in ("INSERT", "UPDATE", "DELETE"):
                connection.execute(
                    f"CREATE TEMP TRIGGER {table}_{what} AFTER {what} ON {table} BEGIN SELECT written('{table}'); END"
                )
    return written


def test_a_commit_that_fails_leaves_no_memory(shelf: Shelf) -> None:
    shelf.write(range(2))
    with shelf.catalog._database.write() as connection:
        connection.execute("CREATE TRIGGER full BEFORE INSERT ON source_elements BEGIN SELECT RAISE(ABORT, 'x'); END")
    with pytest.raises(sqlite3.Error):
        shelf.ingest()
    assert shelf.catalog.sources.items(SCOPE, str(shelf.folder)) == {}
    assert shelf.catalog.repositories.ensure(SCOPE).head == 0


# --- the front door -------------------------------------------------------------------------------------------


def put(element_id: str, text: str) -> PutElement:
    content = Content("document", "document", element_id, text, "en", {"file_type": "md"})
    return PutElement(element_id, (State(content, Derivation("by hand", (Chunk(0, Span(0, len(text))),))),))


def test_what_is_applied_is_found_at_once(desk: Desk) -> None:
    made = desk.library.apply([put("a", "alpha words"), put("b", "beta words")], author="ann", message="by hand")
    assert (made.revision, made.changed) == (1, True)
    assert sorted(desk.ids("words")) == ["a", "b"]
    (life,) = desk.library.history("a")
    assert (life.born.author, life.born.message) == ("ann", "by hand")
    desk.library.apply([RemoveElement("a")])
    assert desk.ids("words") == ["b"]


def test_changes_made_for_another_head_are_refused(desk: Desk) -> None:
    first = desk.library.apply([put("a", "alpha words")], expected_head=0)
    with pytest.raises(HeadMoved, match=r"revision 1.*revision 0"):
        desk.library.apply([put("a", "late words")], expected_head=0)
    assert desk.ids("late") == []
    assert desk.library.apply([put("a", "new words")], expected_head=first.revision).revision == 2


def test_a_message_that_comes_again_changes_nothing(desk: Desk) -> None:
    for _ in range(2):
        made = desk.library.apply([put("a", "alpha words")], message_ids=["m-1"])
        desk.library.apply([put("a", "beta words")])
    assert (made.changed, made.outcomes[0].status) == (False, "duplicate")
    assert desk.ids("beta") == ["a"]


def test_a_caller_who_may_only_read_applies_nothing(desk: Desk) -> None:
    desk.put(a="alpha words")
    reader = desk.library.for_caller(tenant="default", organization="default", roles=frozenset({"hr"}))
    with pytest.raises(PermissionDenied):
        reader.apply([put("b", "beta words")])
    elsewhere = desk.library.for_caller(tenant="default", organization="default", repositories=frozenset({"other"}))
    with pytest.raises(PermissionDenied):
        elsewhere.apply([put("b", "beta words")], repository="main")
