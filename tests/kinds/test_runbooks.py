"""The kind in `examples/runbooks`: a stranger's package, found by its entry point, works through every door."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

import pincite
from grpc_client import serving
from installed import EXAMPLES, install
from mcp_client import answer as ask_mcp
from pincite.errors import Conflict, UnknownArgument
from pincite.kinds.open import declared_fields, kind_names, open_kind
from pincite.kinds.options import KindSettings
from pincite.protocols import Kind
from pincite.reading import Record
from pincite.serve.desk import Desk
from pincite.serve.grpc.generated import semantic_query_pb2 as pb
from pincite.serve.http.app import create_app
from pincite.serve.http.guard import HttpGuard
from pincite.testing.kind import KindContract
from terminal import Run

PACKAGE = EXAMPLES / "runbooks"
BOOK = "checkout.runbooks.toml"
GLOSSARY = {"words": {"stuck": ["waits", "queue"]}}


@pytest.fixture(scope="module", autouse=True)
def installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    site = tmp_path_factory.mktemp("site")
    install(PACKAGE, site)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(site)
        declared_fields.cache_clear()
        yield site
    sys.modules.pop("pincite_runbooks", None)
    declared_fields.cache_clear()


class TestRunbooks(KindContract):
    queries = ("What does CHK-7 say?", "payments are stuck")

    def make_kind(self) -> Kind:
        return open_kind("runbooks", KindSettings(own=GLOSSARY))

    def write_items(self, folder: Path) -> None:
        shutil.copy(PACKAGE / BOOK, folder)

    def change_one(self, folder: Path) -> None:
        book = folder / BOOK
        book.write_text(book.read_text(encoding="utf-8").replace("one by one", "by twos"), encoding="utf-8")


# --- as a library sees it -------------------------------------------------------------------------------------


@pytest.fixture
def library(tmp_path: Path) -> Iterator[pincite.Library]:
    """Runbooks beside a document."""
    source = tmp_path / "source"
    source.mkdir()
    shutil.copy(PACKAGE / BOOK, source)
    (source / "orders.md").write_text("# Orders\n\nAn order waits in the queue until it is confirmed.\n", "utf-8")
    with pincite.open(tmp_path / "library", dense="off", kinds={"runbooks": GLOSSARY}) as opened:
        report = opened.ingest(source, kind="runbooks")
        assert (report.added, [item.path for item in report.skipped]) == (3, ["orders.md"])
        opened.ingest(source)
        yield opened


def test_it_is_known_by_its_entry_point() -> None:
    assert kind_names() == ("documents", "tools", "runbooks")
    with pytest.raises(UnknownArgument, match="'runbooks'"):
        open_kind("runbook")


def test_a_file_gives_many_elements_and_documents_live_beside_them(library: pincite.Library) -> None:
    assert library.elements() == ("CHK-7", "CHK-9", "DB-2", "orders.md")


def test_words_count_by_the_boosts_of_its_fields(library: pincite.Library) -> None:
    hits = library.search("confirmation queue").hits
    assert [hit.passage.element_id for hit in hits] == ["CHK-7", "orders.md"]
    assert [hit.passage.element_id for hit in library.search('owner:"database team"').hits] == ["DB-2"]
    assert library.search("symptoms:acquirer OR symptoms:wait").total == 2


def test_an_id_in_a_question_comes_first(library: pincite.Library) -> None:
    best = library.search("what do I do about CHK-9 when orders wait").hits[0]
    assert best.passage.element_id == "CHK-9"
    assert "exact" in best.legs


def test_words_of_its_glossary_stand_in_and_the_answer_says_so(library: pincite.Library) -> None:
    answer = library.search("stuck")
    assert {hit.passage.element_id for hit in answer.hits} == {"CHK-7", "orders.md"}
    assert "'stuck' is also searched as 'waits', 'queue'" in answer.notes


def test_its_signal_is_traced_and_never_more_than_its_weight(library: pincite.Library) -> None:
    signals = {hit.passage.element_id: hit.signals.get("urgency") for hit in library.search("refused orders wait").hits}
    assert signals["orders.md"] is None
    assert 0 < (signals["CHK-9"] or 0) < (signals["CHK-7"] or 0) <= 0.1


def test_a_passage_shows_what_it_escalates_to_and_follows_its_name(library: pincite.Library, tmp_path: Path) -> None:
    def shown() -> list[str]:
        return [hit.passage.text for hit in library.search('"escalates to"').hits]

    assert shown() == ["Orders wait for their confirmation escalates to: The orders database is out of space."]
    book = tmp_path / "source" / BOOK
    text = book.read_text(encoding="utf-8").replace("The orders database is out of space", "The disk is full")
    book.write_text(text, encoding="utf-8")
    library.ingest(tmp_path / "source", kind="runbooks")
    assert shown() == ["Orders wait for their confirmation escalates to: The disk is full."]


def test_its_facets_come_first(library: pincite.Library) -> None:
    values = library.filters()
    assert values["service"] == {"checkout": 11}
    assert list(values).index("service") < list(values).index("runbook_id")
    found = library.search("orders", filters={"severity": "2"})
    assert [hit.passage.element_id for hit in found.hits] == []


def test_an_answer_is_not_replayed_with_another_glossary(library: pincite.Library) -> None:
    answer = library.search("stuck")
    token = str(answer.replay["token"])
    assert [hit.score for hit in library.replay(token).hits] == [hit.score for hit in answer.hits]
    folder = library.path
    library.close()
    with (
        pincite.open(folder, dense="off", kinds={"runbooks": {"words": {"stuck": ["refused"]}}}) as other,
        pytest.raises(Conflict, match="the kind 'runbooks', which ranks in another way now"),
    ):
        other.replay(token)


def test_its_settings_are_checked_by_the_kind(tmp_path: Path) -> None:
    with (
        pincite.open(tmp_path / "library", dense="off", kinds={"runbooks": {"wrods": {}}}) as library,
        pytest.raises(UnknownArgument, match="did you mean 'words'"),
    ):
        library.search("x")
    with pytest.raises(UnknownArgument, match=r"'kinds\.runbook'; did you mean 'kinds\.runbooks'"):
        pincite.open(tmp_path / "other", dense="off", kinds={"runbook": {}})


def test_a_row_of_a_corpus_has_its_metadata_and_roles() -> None:
    row = Record("A-1", "Title", "Text", {"service": "mail", "severity": 3, "roles": ["oncall"], "other": "x"})
    read = open_kind("runbooks").interpret(row)
    assert read is not None
    (state,) = read.states
    assert (dict(state.content.metadata), state.roles) == (
        {"service": "mail", "severity": 3, "runbook_id": "A-1"},
        frozenset({"oncall"}),
    )


# --- through every door ---------------------------------------------------------------------------------------

QUERY = "restart the workers"
PLACE = ("CHK-7", "CHK-7 Orders wait for their confirmation, step 2", "step", True)


def place(hit: dict[str, Any]) -> tuple[str, str, str, bool]:
    return hit["element_id"], hit["citation_text"], hit["chunk_type"], hit["metadata"]["urgent"]


def test_the_command_line(run: Run, tmp_path: Path, library: pincite.Library) -> None:
    library.close()
    here = ("--library", str(tmp_path / "library"))
    assert run(*here, "ingest", str(PACKAGE / BOOK), "--kind", "runbooks", "--repository", "ops").returncode == 0
    body = json.loads(run(*here, "search", QUERY, "--repository", "ops", "--json").stdout)
    assert place(body["results"][0]) == PLACE
    shown = run(*here, "search", QUERY, "--repository", "ops").stdout
    assert "Restart the confirmation workers one by one" in shown


def test_mcp(library: pincite.Library) -> None:
    found = ask_mcp(library, "semanticSearch", query=QUERY, response_format="detailed")
    assert place(found["results"][0]) == PLACE
    whole = ask_mcp(library, "getElement", element="CHK-7", section="2")
    assert whole["content"] == "Restart the confirmation workers one by one, never all at once."


def test_http(library: pincite.Library) -> None:
    desk = Desk(library)
    with TestClient(HttpGuard(create_app(desk), desk.settings), base_url="http://127.0.0.1:8080") as client:
        body = client.post("/v1/search", json={"query": QUERY}).json()
    assert place(body["results"][0]) == PLACE


def test_grpc(library: pincite.Library) -> None:
    with serving(Desk(library)) as served:
        best = served.ask("Search", pb.SearchRequest(query=QUERY)).results[0]
    assert (best.element_id, best.citation_text, best.chunk_type, best.metadata["urgent"]) == PLACE


def test_an_evaluation(run: Run, tmp_path: Path) -> None:
    """`pincite eval --kind` knows every kind."""
    beir = tmp_path / "beir"
    (beir / "qrels").mkdir(parents=True)
    rows = [
        {"_id": "R-1", "title": "Mail is late", "text": "The queue of mail grows.", "metadata": {"severity": 1}},
        {"_id": "R-2", "title": "Disk is full", "text": "Writes fail.", "metadata": {}},
    ]
    (beir / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (beir / "queries.jsonl").write_text('{"_id": "q", "text": "queue of mail"}\n', encoding="utf-8")
    (beir / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq\tR-1\t1\n", encoding="utf-8")
    for kind in ("runbooks", "tools", "documents", "generic"):
        done = run("eval", "--beir", str(beir), "--kind", kind, "--work", str(tmp_path / kind), "--json")
        assert done.returncode == 0, done.stderr
        assert (json.loads(done.stdout)["kind"], "1.0" in done.stdout) == (kind, True)
