"""Answers stay under 32,000 characters, are cut where a result ends, and what was left out can be had."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

import pincite
from desk import Desk as Files
from mcp_client import answer, call, text_of, with_client
from pincite.serve.audit import Served
from pincite.serve.desk import Desk
from pincite.serve.mcp.fit import MAX_CHARACTERS
from pincite.serve.mcp.server import build_server

PARAGRAPH = "The harbour fee is due in spring, and the harbour master measures every vessel once. "


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Files]:
    """Forty documents that all match, each of several thousand characters; only read."""
    root = tmp_path_factory.mktemp("long")
    (root / "source").mkdir()
    desk = Files(root, pincite.open(root / "library"))
    for number in range(40):
        sections = [f"## § {part} Harbour fee {part}\n\n{PARAGRAPH * 25}\n" for part in range(1, 4)]
        desk.write(f"harbour-{number:02}.md", f"# Harbour rules {number}\n\n" + "\n".join(sections))
    desk.ingest()
    yield desk
    desk.library.close()


def sizes(files: Files, tool: str, **arguments: Any) -> tuple[int, int]:
    """Characters of the text and of the structured content."""
    result = call(files.library, tool, **arguments)
    assert not result.is_error, text_of(result)
    return len(text_of(result)), len(json.dumps(result.structured_content, ensure_ascii=False))


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("semanticSearch", {"query": "harbour fee"}),
        ("semanticSearch", {"query": "harbour fee", "top_k": 40, "response_format": "detailed", "explain": True}),
        ("semanticSearch", {"query": "harbour fee", "top_k": 100, "group": "chunk"}),
        ("getContext", {"query": "harbour fee"}),
        ("compareBaselines", {"query": "harbour fee", "from": "revision:0", "top_k": 40}),
        ("listRepositories", {}),
        ("search", {"query": "harbour fee"}),
    ],
)
def test_an_answer_stays_under_its_limit(long: Files, tool: str, arguments: dict[str, Any]) -> None:
    assert max(sizes(long, tool, **arguments)) <= MAX_CHARACTERS


def test_pages_that_were_cut_lose_and_repeat_nothing(long: Files) -> None:
    wanted = [hit.passage.element_id for hit in long.search("harbour fee", limit=40).hits]
    asked: dict[str, Any] = {"query": "harbour fee", "top_k": 40}
    page = answer(long.library, "semanticSearch", **asked)
    assert page["truncated"] is True
    assert 1 < len(page["results"]) < 40
    assert any("results fit" in note for note in page["notes"])
    found = [hit["element_id"] for hit in page["results"]]
    while page["next_cursor"]:
        asked["cursor"] = page["next_cursor"]
        page = answer(long.library, "semanticSearch", **asked)
        found += [hit["element_id"] for hit in page["results"]]
    assert found == wanted


def test_an_answer_that_fits_is_not_cut(long: Files) -> None:
    page = answer(long.library, "semanticSearch", query="harbour fee", top_k=2, passages=1)
    assert (page["truncated"], len(page["results"])) == (False, 2)


def test_a_long_text_is_read_part_by_part_with_the_citation_of_each(desk: Files) -> None:
    text = "# Long\n\n" + "\n\n".join(f"Paragraph {number}. {PARAGRAPH}" for number in range(900)) + "\n"
    desk.put(long=text)
    part = answer(desk.library, "getElement", element="long.md")
    read = part["content"]
    assert part["truncated"] is True
    while part["next_span"]:
        assert f"span={part['span'][0]}-{part['span'][1]}" in part["citation"]
        part = answer(desk.library, "getElement", element=part["citation"], span=part["next_span"])
        assert max(len(part["content"]), len(json.dumps(part))) <= MAX_CHARACTERS
        read += part["content"]
    assert read == text


def test_fetch_gives_a_long_text_by_ids_that_follow_each_other(desk: Files) -> None:
    text = "# Long\n\n" + "\n\n".join(f'Paragraph {number} says "{PARAGRAPH}"' for number in range(900)) + "\n"
    desk.put(long=text)
    (first,) = answer(desk.library, "search", query="paragraph harbour")["results"]
    read, following = "", first["id"]
    while following:
        result = call(desk.library, "fetch", id=following)
        part = result.structured_content
        assert part is not None
        assert len(text_of(result)) <= MAX_CHARACTERS
        read += part["text"]
        following = part["metadata"].get("next_id", "")
    assert read == text


def test_neighbours_give_way_before_the_place_itself(long: Files) -> None:
    found = answer(long.library, "getElement", element="harbour-00.md", section="2", neighbours=20)
    assert "Harbour fee 2" in found["content"]
    assert max(sizes(long, "getElement", element="harbour-00.md", section="2", neighbours=20)) <= MAX_CHARACTERS


def test_many_verdicts_are_cut_and_counted_in_full(long: Files) -> None:
    quotes = [{"quote": PARAGRAPH * 20}] * 30
    found = answer(long.library, "verifyCitations", quotes=quotes)
    assert found["truncated"] is True
    assert sum(found["counts"].values()) == found["total"] == 30
    assert any(f"from number {len(found['verdicts']) + 1} on" in note for note in found["notes"])
    assert max(sizes(long, "verifyCitations", quotes=quotes)) <= MAX_CHARACTERS


def test_one_request_is_logged_however_often_its_page_is_cut(long: Files) -> None:
    told: list[Served] = []
    desk = Desk(long.library, observers=[told.append])
    with_client(build_server(lambda: desk), lambda c: c.call_tool("semanticSearch", {"query": "fee", "top_k": 40}))
    assert [(served.operation, served.door) for served in told] == [("semanticSearch", "mcp")]
