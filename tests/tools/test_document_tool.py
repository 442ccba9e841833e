"""A document tool honours each of its fields, keeps what it should and leaves nothing else behind."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import pincite
from pincite.document_tools import DocumentTool, DocumentToolConfig, Results
from pincite.document_tools.config import check_tool
from pincite.document_tools.settings import library_settings
from pincite.errors import InvalidArgument, NotFound, UnknownArgument
from pincite.search.query import Query

POLICY = """# Travel policy

## 1 Terms

"Trip" means any journey of more than 50 km that an employee makes for the company.

## 2 Booking

### 2.1 Trains

A trip of less than four hours is made by train. Section 3 says what is paid back.

### 2.2 Flights

Flights need the consent of the head of department. The request names the purpose and the price.

## 3 Costs

(a) Receipts are handed in within 30 days.
(b) A trip by car is paid at 0.70 per kilometre.
"""
NOTES = "\n\n".join(f"Sentence number {n} says something about parcels and how they are sent." for n in range(120))


@pytest.fixture
def base(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "travel.md").write_text(POLICY)
    (tmp_path / "docs" / "parcels.txt").write_text(NOTES)
    return tmp_path


Opened = Callable[..., DocumentTool]


@pytest.fixture
def opened(base: Path, request: pytest.FixtureRequest) -> Opened:
    def open_tool(**fields: Any) -> DocumentTool:
        tool = DocumentTool.open({"name": "travel", "source": "docs", **fields}, base=base)
        request.addfinalizer(tool.close)
        return tool

    return open_tool


@pytest.fixture
def with_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PINCITE_DENSE", "auto")
    monkeypatch.setenv("PINCITE_EMBEDDING__MODEL", "hashing:512")


# --- every field ----------------------------------------------------------------------------------------------

ELSEWHERE: dict[str, str] = {
    "type": "there is one type",
    "name": "test_results_read_as_an_agent_expects_them",
    "description": "test_a_description_is_what_the_agent_is_told",
    "source": "test_results_read_as_an_agent_expects_them",
    "search_mode": "test_each_mode_asks_its_own_legs",
    "top_k": "test_top_k_and_min_score_bound_an_answer",
    "min_score": "test_top_k_and_min_score_bound_an_answer",
    "embedding_dimensions": "test_other_dimensions_than_the_models_are_refused_with_both_numbers",
    "database": "test_a_database_is_kept_and_a_temporary_library_is_not",
    "defer_loading": "test_deferred_loading_reads_with_the_first_question",
}
"""Fields that steer the tool itself, with the test that shows it."""

SETTINGS: list[tuple[dict[str, Any], str, Any]] = [
    ({"semantic_weight": 0.9}, "retrieval.ranks.semantic", 0.9),
    ({"keyword_weight": 0.9}, "retrieval.ranks.keyword", 0.9),
    ({"exact_weight": 0.9}, "retrieval.ranks.exact", 0.9),
    ({"rrf_k": 7}, "retrieval.ranks.k", 7),
    ({"chunking_strategy": "token"}, "chunking.chunking_strategy", "token"),
    ({"max_chunk_tokens": 120}, "chunking.max_chunk_tokens", 120),
    ({"chunk_overlap": 7}, "chunking.chunk_overlap", 7),
    ({"document_domain": "legal_contract"}, "chunking.document_domain", "legal_contract"),
    ({"max_subsection_depth": 1}, "chunking.max_subsection_depth", 1),
    ({"extract_definitions": False}, "chunking.extract_definitions", False),
    ({"extract_cross_references": False}, "chunking.extract_cross_references", False),
    ({"contextual_embeddings": False}, "contextual_embeddings", False),
    ({"context_model": {"name": "m"}}, "context_model.model", "m"),
    ({"context_model": {"name": "m", "temperature": 0.5}}, "context_model.temperature", 0.5),
    ({"context_model": {"name": "m", "prices": {"input": 1, "output": 2}}}, "context_model.prices.output", 2),
    ({"context_model": {"name": "m"}, "context_max_tokens": 60}, "context_model.max_tokens", 60),
    ({"context_model": {"name": "m"}, "context_concurrency": 3}, "context_model.concurrency", 3),
    ({"embedding_model": "hashing:64"}, "embedding.model", "hashing:64"),
    ({"enable_reranking": True, "reranker_model": "overlap"}, "reranker.model", "overlap"),
]


@pytest.mark.parametrize(("fields", "setting", "value"), SETTINGS, ids=lambda given: str(given)[:40])
def test_a_field_reaches_the_library(base: Path, fields: dict[str, Any], setting: str, value: object) -> None:
    config = check_tool({"name": "t", "source": "docs", **fields})
    found: Any = library_settings(config, base, base / "library")
    plain: Any = library_settings(check_tool({"name": "t", "source": "docs"}), base, base / "library")
    for part in setting.split("."):
        found, plain = getattr(found, part), getattr(plain, part, None)
    assert found == value
    assert plain != value


def test_no_field_is_parsed_and_ignored() -> None:
    honoured = {name for fields, _, _ in SETTINGS for name in fields} | ELSEWHERE.keys()
    assert honoured == set(DocumentToolConfig.model_fields)


def test_defaults_are_those_of_the_contract() -> None:
    config = check_tool({"name": "t", "source": "docs"})
    assert (config.search_mode, config.top_k, config.rrf_k) == ("hybrid", 10, 60)
    assert (config.semantic_weight, config.keyword_weight, config.exact_weight) == (0.5, 0.3, 0.2)
    assert (config.max_chunk_tokens, config.chunk_overlap) == (800, 50)
    assert (config.contextual_embeddings, config.context_max_tokens, config.context_concurrency) == (True, 100, 10)
    assert (config.extract_definitions, config.extract_cross_references) == (True, True)
    assert (config.enable_reranking, config.database, config.context_model) == (False, None, None)


# --- answers --------------------------------------------------------------------------------------------------


def test_results_read_as_an_agent_expects_them(opened: Opened) -> None:
    tool = opened()
    text = tool.format(tool.search("consent for flights", top_k=1))
    lines = text.splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith("Score: "))
    assert lines[first].partition(" | ")[2] == "Source: travel.md"
    assert lines[first + 1] == "Location: Travel policy > 2 Booking > 2.2 Flights"
    assert lines[first + 2] == "Section: 2.2"
    assert lines[first + 3].startswith("Citation: pincite:default/default/travel/travel.md@")
    assert "Flights need the consent of the head of department." in text


def test_definitions_of_terms_come_with_their_citations(opened: Opened) -> None:
    found = opened().search("train journeys of less than four hours", top_k=1)
    (meaning,) = found[0].definitions
    assert meaning.term == "Trip"
    assert "more than 50 km" in meaning.text
    assert meaning.citation.startswith("pincite:default/default/travel/travel.md@")
    text = opened().format(found)
    assert "\nRelevant definitions:\n- Trip: " in text
    assert meaning.citation in text
    assert opened(extract_definitions=False).search("train journeys of less than four hours")[0].definitions == ()


def test_a_description_is_what_the_agent_is_told(opened: Opened) -> None:
    assert opened(description="How to travel").description == "How to travel"


def test_an_answer_without_vectors_says_so(opened: Opened) -> None:
    tool = opened(search_mode="semantic")
    assert "Note: dense: switched off" in tool.format(tool.search("flights"))
    tool = opened(search_mode="keyword")
    assert "Note:" not in tool.format(tool.search("flights"))


def test_a_file_that_cannot_be_read_is_named_in_the_answer(opened: Opened, base: Path) -> None:
    (base / "docs" / "broken.md").write_bytes(b"\x00\xff\x00")
    tool = opened(search_mode="keyword")
    assert "broken.md" in tool.format(tool.search("flights"))


def test_nothing_found_is_said(opened: Opened) -> None:
    tool = opened(search_mode="keyword")
    assert tool.format(tool.search("xylophone")) == "No matching passage was found."
    assert tool.format(Results("x", ())) == "No matching passage was found."


def test_top_k_and_min_score_bound_an_answer(opened: Opened) -> None:
    assert len(opened(top_k=3).search("parcels")) == 3
    scores = [item.score for item in opened(top_k=100, max_chunk_tokens=100).search("flights price train")]
    assert len(scores) > 1
    least = scores[0]
    found = opened(min_score=least, max_chunk_tokens=100).search("flights price train")
    assert [item.score for item in found] == [score for score in scores if score >= least]
    assert len(found) < len(scores)


@pytest.mark.usefixtures("with_vectors")
def test_each_mode_asks_its_own_legs(opened: Opened) -> None:
    def asked(mode: str, query: str) -> set[str]:
        found = opened(search_mode=mode).search(query)
        return {name for item in found for name, score in item.scores.items() if score is not None}

    assert asked("keyword", "flights consent") == {"keyword"}
    assert asked("semantic", "flights need consent") == {"semantic"}
    assert asked("hybrid", "flights need consent") >= {"keyword", "semantic"}
    exact = opened(search_mode="exact").search("2.2")
    assert exact[0].section_id == "2.2"
    assert exact[0].scores["exact"] == 1.0


@pytest.mark.usefixtures("with_vectors")
def test_stated_weights_are_reciprocal_rank_fusion_and_nothing_else(opened: Opened) -> None:
    weights, k = {"dense": 0.2, "keyword": 0.7, "exact": 0.1}, 10
    tool = opened(semantic_weight=0.2, keyword_weight=0.7, exact_weight=0.1, rrf_k=k)
    for query in ("flights consent price", "trip by train", "2.2 flights"):
        answer = tool.answer(query)
        legs = {leg for hit in answer.hits for leg in hit.legs if leg in weights}
        most = sum(weights[leg] for leg in legs) / (k + 1)
        assert legs >= {"dense", "keyword"}
        for hit in answer.hits:
            raw = sum(weights[leg] / (k + score.rank) for leg, score in hit.legs.items())
            assert hit.score == pytest.approx(raw / most)
    keys = [("exact" not in hit.legs, -hit.score) for hit in answer.hits]
    assert keys == sorted(keys)
    assert answer.hits[0].passage.section_id == "2.2"


@pytest.mark.usefixtures("with_vectors")
def test_fused_ranks_are_replayed_and_paged_as_they_were(opened: Opened) -> None:
    tool = opened(keyword_weight=0.9, semantic_weight=0.1, max_chunk_tokens=100)
    query = Query("parcels are sent", ("travel",), limit=2, group="chunk")
    first = tool.library.trace(query).answer
    again = tool.library.replay(str(first.replay["token"]))
    assert [hit.score for hit in again.hits] == [hit.score for hit in first.hits]
    both = tool.library.search("parcels are sent", repository="travel", limit=4, group="chunk")
    after = tool.library.search(
        "parcels are sent", repository="travel", limit=2, group="chunk", cursor=first.next_cursor
    )
    assert [hit.passage.citation for hit in (*first.hits, *after.hits)] == [h.passage.citation for h in both.hits]


def test_without_stated_weights_the_librarys_own_ranking_decides(opened: Opened) -> None:
    assert opened().library.config.retrieval.fusion == "signals"
    assert opened(search_mode="keyword", rrf_k=10).library.config.retrieval.fusion == "signals"


def test_a_weight_of_nothing_leaves_its_leg_out(opened: Opened) -> None:
    found = opened(exact_weight=0.0, keyword_weight=1.0).search("2.2")
    assert found and all(item.scores["exact"] is None for item in found)


@pytest.mark.parametrize(("tokens", "most"), [(100, 100), (300, 300)])
def test_passages_are_as_long_as_stated(opened: Opened, tokens: int, most: int) -> None:
    from pincite.text.tokens import count_tokens

    found = opened(max_chunk_tokens=tokens, top_k=100).search("parcels")
    lengths = [count_tokens(item.content) for item in found]
    assert most / 2 < max(lengths) <= most


# --- where it is kept -----------------------------------------------------------------------------------------


def test_a_database_is_kept_and_a_temporary_library_is_not(opened: Opened, base: Path) -> None:
    for given in ("kept", {"path": "kept"}, {"provider": "pincite", "path": "kept"}):
        tool = opened(database=given)
        tool.close()
        assert (base / "kept" / "catalog.db").exists()
    for given in (None, "in-memory", {"provider": "in-memory"}):
        tool = opened(database=given)
        folder = tool.library.path
        tool.close()
        assert not folder.exists()
    with pytest.raises(InvalidArgument, match="is closed"):
        tool.search("x")


def test_two_tools_share_a_database_without_mixing(opened: Opened) -> None:
    first = opened(name="one", source="docs/travel.md", database="kept")
    second = opened(name="two", source="docs/parcels.txt", database="kept", max_chunk_tokens=100)
    assert {item.source_path for item in first.search("flights parcels")} == {"travel.md"}
    assert {item.source_path for item in second.search("flights parcels")} == {"parcels.txt"}


def test_deferred_loading_reads_with_the_first_question(opened: Opened, base: Path) -> None:
    tool = opened(defer_loading=True, database="later")
    assert tool.report is None
    assert not (base / "later").exists()
    assert tool.search("flights")
    assert tool.report is not None and tool.report.added == 2


def test_refreshing_takes_changes_up_and_leaves_nothing_stale(opened: Opened, base: Path) -> None:
    tool = opened(search_mode="keyword")
    (base / "docs" / "travel.md").unlink()
    (base / "docs" / "ships.md").write_text("# Ships\n\nA ferry is booked at the harbour.\n")
    report = tool.refresh()
    assert (report.added, report.removed) == (1, 1)
    assert tool.search("ferry")[0].source_path == "ships.md"
    assert not tool.search("flights")


def test_a_source_that_is_not_there_is_named_and_leaves_nothing_open(opened: Opened) -> None:
    with pytest.raises(NotFound, match="nowhere"):
        opened(source="nowhere")


@pytest.mark.usefixtures("with_vectors")
def test_other_dimensions_than_the_models_are_refused_with_both_numbers(opened: Opened) -> None:
    assert opened(embedding_model="hashing:64", embedding_dimensions=64).search("flights")
    with pytest.raises(InvalidArgument, match="is 1536, but hashing:64 gives 64"):
        opened(embedding_model="hashing:64", embedding_dimensions=1536)


# --- files ----------------------------------------------------------------------------------------------------


def test_tools_of_a_file_are_opened_by_name(base: Path) -> None:
    path = base / "agent.yaml"
    path.write_text("tools:\n- {name: a, source: docs}\n- {name: b, source: docs, search_mode: keyword}\n")
    with pincite.load_tools(path, "b") as tools:
        assert list(tools) == ["b"]
        assert tools["b"].search("flights")
    with pytest.raises(UnknownArgument, match="unknown tool 'c'"):
        pincite.load_tools(path, "c")


def test_when_one_tool_cannot_be_opened_the_others_are_closed(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import tempfile

    made = base / "made"
    made.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(made))
    path = base / "agent.yaml"
    path.write_text("tools:\n- {name: a, source: docs}\n- {name: b, source: nowhere}\n")
    with pytest.raises(NotFound):
        pincite.load_tools(path)
    assert list(made.iterdir()) == []
