"""`pincite eval --beir`: the contract of its JSON, and what it makes of folders that are not as they should be."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from beir_folder import DOCUMENTS, QRELS, QUERIES, write_beir
from pincite.errors import InvalidArgument, NotFound
from pincite.eval.beir import load_cases, load_qrels
from pincite.eval.metrics import METRICS
from terminal import Run


def evaluated(run: Run, *arguments: str) -> dict[str, Any]:
    done = run("eval", *arguments, "--json")
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_the_json_is_the_contract(run: Run, tmp_path: Path) -> None:
    body = evaluated(run, "--beir", str(write_beir(tmp_path / "pets")))
    assert (body["dataset"], body["kind"], body["queries"]) == ("pets", "generic", 3)
    assert set(body["metrics"]) == {"keyword", "exact", "rrf", "final"}
    for values in body["metrics"].values():
        assert set(values) == set(METRICS)
        assert all(0 <= value <= 1 for value in values.values())
    assert {"type:question", "type:name", "lang:en"} <= set(body["by"])
    assert body["by"]["type:question"].keys() == body["metrics"].keys()
    assert body["by_queries"]["type:question"] == 2
    assert {"p50", "p95", "stages"} <= body["latency_ms"].keys()
    assert {"understand", "keyword", "exact", "fuse", "cite"} <= body["latency_ms"]["stages"].keys()
    assert body["index"]["engine"] == "segments" and body["index"]["chunks"] == 4
    assert body["metrics"]["final"]["hit@1"] == 1
    assert body["metrics"]["exact"]["hit@1"] == pytest.approx(1 / 3)  # only "Cats" is a name
    assert list(body["per_query"]) == ["q1", "q2", "q3"]
    low, high = body["intervals"]["final"]["ndcg@10"]
    assert low <= body["metrics"]["final"]["ndcg@10"] <= high


def test_the_same_run_twice_is_the_same_to_the_byte_but_for_times(run: Run, tmp_path: Path) -> None:
    folder = str(write_beir(tmp_path / "pets"))
    texts = []
    for _ in range(2):
        body = evaluated(run, "--beir", folder)
        del body["latency_ms"]
        texts.append(json.dumps(body, indent=2))
    assert texts[0] == texts[1]


def test_a_library_that_is_kept_gives_the_same_figures_and_follows_the_corpus(run: Run, tmp_path: Path) -> None:
    folder, work = write_beir(tmp_path / "pets"), str(tmp_path / "kept")
    first = evaluated(run, "--beir", str(folder), "--work", work)
    again = evaluated(run, "--beir", str(folder), "--work", work)
    fresh = evaluated(run, "--beir", str(folder))
    for body in (first, again, fresh):
        del body["latency_ms"]
    assert first == again == fresh
    write_beir(folder, documents=[row for row in DOCUMENTS if row["_id"] != "rent"])
    shrunken = evaluated(run, "--beir", str(folder), "--work", work)
    assert shrunken["index"]["chunks"] == 3
    assert any("not in the library" in note and "rent" in note for note in shrunken["notes"])
    assert shrunken["per_query"]["q2"]["final"]["recall@100"] == 0


def test_judgements_named_after_two_languages_are_asked_of_documents_in_the_second(run: Run, tmp_path: Path) -> None:
    documents = [
        {"_id": "de:1", "title": "", "text": "Der Tierhalter haftet für den Schaden.", "metadata": {"lang": "de"}},
        {"_id": "fr:1", "title": "", "text": "Le détenteur répond du dommage.", "metadata": {"lang": "fr"}},
        {"_id": "fr:2", "title": "", "text": "Tierhalter est un mot allemand.", "metadata": {"lang": "fr"}},
    ]
    queries = [{"_id": "q", "text": "Tierhalter dommage", "metadata": {"lang": "de"}}]
    folder = write_beir(tmp_path / "xl", documents, queries, {"de-fr": [("q", "fr:1", 1)], "de-de": [("q", "de:1", 1)]})
    body = evaluated(run, "--beir", str(folder), "--qrels", "de-fr")
    assert body["index"]["chunks"] == 2
    assert any("2 of 3 documents with lang=fr" in note for note in body["notes"])
    assert evaluated(run, "--beir", str(folder), "--qrels", "de-fr", "--mixed")["index"]["chunks"] == 3
    assert evaluated(run, "--beir", str(folder), "--qrels", "de-de", "--only", "lang=de")["index"]["chunks"] == 1
    wrong = run("eval", "--beir", str(folder), "--qrels", "de-fr", "--only", "lang=de")
    assert wrong.returncode == 3 and "none of the 1 judged places is in this library" in wrong.stderr
    done = run("eval", "--beir", str(folder))
    assert done.returncode == 3 and "de-de, de-fr" in done.stderr


def test_a_kind_says_how_documents_are_read(run: Run, tmp_path: Path) -> None:
    documents = [{"_id": "m", "title": "Manual", "text": "## Start\n\nPress it.\n\n## Stop\n\nRelease it."}]
    folder = write_beir(tmp_path / "m", documents, [{"_id": "q", "text": "stop"}], {"test": [("q", "m", 1)]})
    assert evaluated(run, "--beir", str(folder), "--kind", "documents")["index"]["chunks"] == 3
    assert evaluated(run, "--beir", str(folder))["index"]["chunks"] == 1
    done = run("eval", "--beir", str(folder), "--kind", "document")
    assert done.returncode == 2 and "'documents'" in done.stderr


def test_only_a_newline_ends_a_row_and_ids_may_hold_anything(run: Run, tmp_path: Path) -> None:
    documents = [{"_id": "a b/c#d", "title": "One\u2028two", "text": "before\u2028after\x85and\x0bmore"}]
    folder = write_beir(
        tmp_path / "odd", documents, [{"_id": "q ü", "text": "after"}], {"test": [("q ü", "a b/c#d", 1)]}
    )
    assert evaluated(run, "--beir", str(folder))["metrics"]["final"]["hit@1"] == 1


def test_judgements_come_with_three_or_four_columns_and_with_or_without_a_header(tmp_path: Path) -> None:
    path = tmp_path / "q.tsv"
    for text in ("query-id\tcorpus-id\tscore\nq\td\t2\n", "q\td\t2\n", "q 0 d 2\n", "q\t0\td\t2\r\n"):
        path.write_text(text, encoding="utf-8")
        assert load_qrels(path) == {"q": {"d": 2}}
    for text, said in (
        ("q\td\t1\nq\td\n", "line 2"),
        ("query\tdocument\tgrade\n", "no judgements"),
        ("nonsense\nq\td\t1\n", "line 1"),
    ):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(InvalidArgument, match=said):
            load_qrels(path)


def test_judged_queries_that_are_not_there_are_said(tmp_path: Path) -> None:
    folder = write_beir(tmp_path / "pets", qrels={"test": [*QRELS, ("ghost", "dog", 1)]})
    cases = load_cases(folder / "queries.jsonl", folder / "qrels" / "test.tsv", "pets")
    assert len(cases.cases) == 3 and "ghost" in cases.notes[0]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("corpus.jsonl", "{broken", "corpus.jsonl, line 1 is not JSON"),
        ("corpus.jsonl", '{"title": "x"}', "an object with an `_id`"),
        ("corpus.jsonl", '{"_id": "a", "text": "x"}\n{"_id": "a", "text": "y"}', "two documents have the id 'a'"),
        ("corpus.jsonl", '{"_id": "a", "text": " "}', "has text to search"),
        ("queries.jsonl", "[]", "an object with an `_id`"),
    ],
)
def test_a_broken_folder_is_an_error_that_names_the_line(
    run: Run, tmp_path: Path, name: str, text: str, said: str
) -> None:
    folder = write_beir(tmp_path / "pets")
    (folder / name).write_text(text, encoding="utf-8")
    done = run("eval", "--beir", str(folder))
    assert done.returncode == 2 and said in done.stderr


@pytest.mark.parametrize(
    ("queries", "said"),
    [
        ([{"_id": "q1", "text": "x"}, {"_id": "q1", "text": "y"}], "two queries have the id 'q1'"),
        ([{"_id": "q1", "text": "x", "metadata": "de"}], "metadata of 'q1' must be an object"),
    ],
)
def test_queries_that_cannot_be_told_apart_or_read_are_refused(
    run: Run, tmp_path: Path, queries: list[dict[str, Any]], said: str
) -> None:
    done = run("eval", "--beir", str(write_beir(tmp_path / "pets", queries=queries)))
    assert done.returncode == 2 and said in done.stderr


def test_an_empty_query_is_not_asked_and_said(run: Run, tmp_path: Path) -> None:
    queries = [*QUERIES[:2], {"_id": "q3", "text": " ", "metadata": {"lang": ["de", "fr"]}}]
    body = evaluated(run, "--beir", str(write_beir(tmp_path / "pets", queries=queries)))
    assert body["queries"] == 2 and any("1 of 3 queries" in note for note in body["notes"])


def test_a_library_that_somebody_fills_is_never_taken_for_a_corpus(run: Run, tmp_path: Path) -> None:
    folder = str(write_beir(tmp_path / "pets"))
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# A\n\nMine.\n", encoding="utf-8")
    assert run("--library", "mine", "ingest", "docs").returncode == 0
    done = run("eval", "--beir", folder, "--work", "mine")
    assert done.returncode == 2 and "was not created by an evaluation" in done.stderr
    assert "Mine." in run("--library", "mine", "search", "mine").stdout
    assert run("eval", "--beir", folder, "--work", "kept").returncode == 0
    other = str(write_beir(tmp_path / "other"))
    done = run("eval", "--beir", other, "--work", "kept")
    assert done.returncode == 2 and "was built from another corpus" in done.stderr


def test_a_folder_that_is_none_says_what_it_lacks(run: Run, tmp_path: Path) -> None:
    done = run("eval", "--beir", str(tmp_path))
    assert done.returncode == NotFound.exit_code and "no corpus.jsonl" in done.stderr


def test_a_source_of_files_is_asked_with_queries_and_judgements(run: Run, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "leave.md").write_text(
        "# Leave\n\n## Carry-over\n\nFive days.\n\n## Sickness\n\nCall.\n", "utf-8"
    )
    (tmp_path / "docs" / "pay.md").write_text("# Pay\n\nMonthly.\n", "utf-8")
    folder = write_beir(
        tmp_path / "b", queries=[{"_id": "1", "text": "carry days over"}, {"_id": "2", "text": "monthly"}]
    )
    (tmp_path / "judged.tsv").write_text("1\tleave.md#carry-over\t1\n2\tpay.md\t1\n", "utf-8")
    body = evaluated(
        run, "--corpus", str(tmp_path / "docs"), "--kind", "documents",
        "--queries", str(folder / "queries.jsonl"), "--qrels", str(tmp_path / "judged.tsv"),
    )  # fmt: skip
    assert body["kind"] == "documents" and body["metrics"]["final"]["hit@1"] == 1
    rows = evaluated(
        run, "--corpus", str(folder / "corpus.jsonl"), "--queries", str(write_beir(tmp_path / "c") / "queries.jsonl"),
        "--qrels", str(folder / "qrels" / "test.tsv"),
    )  # fmt: skip
    assert rows["kind"] == "generic" and rows["queries"] == len(QUERIES) - 1


def test_options_that_do_not_fit_together_are_refused(run: Run, tmp_path: Path) -> None:
    folder = str(write_beir(tmp_path / "pets"))
    for arguments, said in (
        (("--beir", folder, "--corpus", folder), "has its own corpus"),
        (("--corpus", folder, "--queries", f"{folder}/queries.jsonl"), "must be given together"),
        (("--beir", folder, "--max-drop", "0.1"), "needs --baseline"),
        (("--beir", folder, "--read-context", "published"), "--read-context has no effect"),
        (("--beir", folder, "--limit", "3"), "--limit has no effect"),
        (("golden.yaml", "--kind", "generic"), "--kind has no effect"),
        (("--suggest", "--html", "x.html"), "--html has no effect with --suggest"),
        (("--chunks", "x.chunks", "--min-ndcg", "1"), "bounds has no effect with --chunks"),
        (("--suggest", "--work", "x"), "--work has no effect"),
        (("--beir", folder, "--out", folder), "is a folder"),
        (("--beir", folder, "--require-tag", "nonsense"), "TAG:MIN"),
        (("--beir", folder, "--require-tag", "type:questoin:0.5"), "did you mean 'type:question'"),
        (("--beir", folder, "--baseline", f"{folder}/queries.jsonl"), "is not a report"),
        ((), "pincite eval --suggest"),
    ):
        done = run("eval", *arguments)
        assert done.returncode == 2 and said in done.stderr, (arguments, done.stderr)


def test_headings_that_a_corpus_states_above_a_document_situate_it_but_not_its_own(run: Run, tmp_path: Path) -> None:
    above = {"path": ["Road traffic", "Speed limits"], "heading": "Speed limits"}
    documents = [
        {"_id": "one", "title": "Art. 1", "text": "Fifty in town.", "metadata": above},
        {"_id": "two", "title": "Art. 2", "text": "Eighty outside.", "metadata": {"path": "roads/two.md"}},
    ]
    queries = [{"_id": "q1", "text": "road traffic"}, {"_id": "q2", "text": "speed limits"}]
    folder = write_beir(tmp_path / "law", documents, queries, {"test": [("q1", "one", 1), ("q2", "one", 1)]})
    asked = evaluated(run, "--beir", str(folder))["per_query"]
    assert {name: item["final"]["ndcg@10"] for name, item in asked.items()} == {"q1": 1.0, "q2": 0.0}
