"""Variants of questions and corpora say the same in other shapes."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.variants.__main__ import ndcg
from benchmarks.variants.texts import CORPORA, QUESTIONS, write_corpus


def test_questions_keep_their_words() -> None:
    text = "What is Tom's leave, and who (if anybody) approves it?"
    changed = {name: change(text) for name, change in QUESTIONS.items()}
    assert changed["as given"] == text
    assert changed["capitals"] == text.upper()
    assert changed["no punctuation"] == "What is Tom s leave and who if anybody approves it"
    assert changed["quoted"] == 'What is Tom\'s leave, and who (if "anybody) approves" it?'
    assert QUESTIONS["quoted"]("too short here") == "too short here"


def test_a_changed_corpus_keeps_its_questions(tmp_path: Path) -> None:
    source = tmp_path / "set"
    (source / "qrels").mkdir(parents=True)
    (source / "queries.jsonl").write_text('{"_id": "q", "text": "x"}\n', encoding="utf-8")
    row = {"_id": "1", "title": "A Title", "text": "One. Two! Three?"}
    (source / "corpus.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    texts = {}
    for name, change in CORPORA.items():
        write_corpus(source, tmp_path / name, change)
        texts[name] = json.loads((tmp_path / name / "corpus.jsonl").read_text(encoding="utf-8"))
        assert (tmp_path / name / "queries.jsonl").read_text(encoding="utf-8").startswith('{"_id": "q"')
    assert (texts["lower"]["title"], texts["bare"]["text"], texts["untitled"]["title"]) == (
        "a title",
        "One Two Three",
        "",
    )
    assert sorted(texts["shuffled"]["text"].split()) == sorted(row["text"].split())


def test_a_perfect_order_has_1_and_each_document_counts_once() -> None:
    assert ndcg(["a", "b"], {"a": 2, "b": 1}) == 1.0
    assert ndcg(["b", "a"], {"a": 2, "b": 1}) < 1.0
    assert ndcg(["a", "a", "b"], {"a": 2, "b": 1}) == 1.0
    assert ndcg([], {"a": 1}) == 0.0
