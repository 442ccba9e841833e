"""Resources, the prompt and completions through the official client."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import pytest
from mcp import Client, MCPError
from mcp.shared.uri_template import UriTemplate
from mcp.types import PromptReference, ResourceTemplateReference

import pincite
from desk import Desk as Files
from mcp_client import MODES, with_client
from pincite.errors import InvalidArgument
from pincite.serve.desk import Desk
from pincite.serve.mcp.resources import ELEMENT_TEMPLATE, VERSION_TEMPLATE, request_behind
from pincite.serve.mcp.server import build_server

T = TypeVar("T")
HOSTILE = ["company/leave.md", "a@b#c?d=e&f.md", "100%.md", "über straße/§ 4;x.md", "a%2Fb.md", "plus+and space.md"]


def ask(library: pincite.Library, work: Callable[[Client], Awaitable[T]], mode: str = "auto") -> T:
    desk = Desk(library)
    return with_client(build_server(lambda: desk), work, mode)


def read(library: pincite.Library, uri: str, mode: str = "auto") -> Any:
    (content,) = ask(library, lambda client: client.read_resource(uri), mode).contents
    return content


# --- resources ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
def test_templates_lead_to_elements_and_versions(desk: Files, mode: str) -> None:
    desk.put(leave="# Leave\n\n## § 1 Days\n\nTwenty days.\n\n## § 2 Rest\n\nNone.\n")
    listed = ask(desk.library, lambda client: client.list_resource_templates(), mode).resource_templates
    assert [item.uri_template for item in listed] == [ELEMENT_TEMPLATE, VERSION_TEMPLATE]
    uri = UriTemplate.parse(ELEMENT_TEMPLATE).expand({"repository": "main", "element": "leave.md", "section": "1"})
    found = read(desk.library, uri, mode)
    assert found.text == "## § 1 Days\n\nTwenty days."
    assert found.mime_type == "text/markdown"
    assert found.meta["citation"].startswith("pincite:default/default/main/leave.md@")


def test_a_version_is_the_same_for_ever(desk: Files) -> None:
    desk.put(leave="# Leave\n\nTwenty days.\n")
    version = desk.first("leave").passage.version_id
    desk.put(leave="# Leave\n\nThirty days.\n")
    uri = UriTemplate.parse(VERSION_TEMPLATE).expand({"repository": "main", "version": version, "element": "leave.md"})
    found = read(desk.library, uri)
    assert found.text == "# Leave\n\nTwenty days.\n"
    assert found.meta["current"] is False
    assert read(desk.library, "pincite://elements/main/leave.md").text == "# Leave\n\nThirty days.\n"


def test_an_earlier_state_is_read_by_its_name(desk: Files) -> None:
    desk.put(leave="# Leave\n\nTwenty days.\n")
    desk.library.baselines.create("2026-Q1")
    desk.put(leave="# Leave\n\nThirty days.\n")
    assert "Twenty" in read(desk.library, "pincite://elements/main/leave.md?read_context=baseline%3A2026-Q1").text


@pytest.mark.parametrize("name", HOSTILE)
def test_whatever_an_element_is_called_its_address_leads_to_it(desk: Files, name: str) -> None:
    desk.write(name, "# Odd\n\nAn odd name.\n")
    desk.ingest()
    citation = desk.first("odd").passage.citation
    uri = UriTemplate.parse(ELEMENT_TEMPLATE).expand({"repository": "main", "element": name})
    assert request_behind(uri) == ("getElement", {"repository_id": "main", "element": name})
    assert read(desk.library, uri).text == "# Odd\n\nAn odd name.\n"
    assert "odd name" in read(desk.library, citation).text


def test_slashes_of_an_element_may_stand_as_they_are() -> None:
    told = {"repository_id": "main", "element": "a/b/c.md"}
    assert request_behind("pincite://elements/main/a/b/c.md") == ("getElement", told)
    told = {"repository_id": "main", "version_id": "0123abcd", "element": "a/b.md"}
    assert request_behind("pincite://versions/main/0123abcd/a/b.md") == ("getElement", told)


@pytest.mark.parametrize(
    "uri", ["https://example.org", "pincite://elements/main", "pincite://elements//x", "pincite://x"]
)
def test_an_address_that_is_none_of_ours_is_refused(uri: str) -> None:
    with pytest.raises(InvalidArgument):
        request_behind(uri)


@pytest.mark.parametrize("mode", MODES)
def test_what_is_not_there_is_a_protocol_error_that_helps(desk: Files, mode: str) -> None:
    desk.put(leave="# Leave\n\nTwenty days.\n")
    for uri, said in (
        ("pincite://elements/main/leaf.md", "leaf.md"),
        ("pincite://elements/mian/leave.md", "did you mean 'main'?"),
        ("pincite://elements/main/leave.md?sektion=1", "did you mean 'section'?"),
    ):
        with pytest.raises(MCPError) as problem:
            read(desk.library, uri, mode)
        assert problem.value.error.code == -32602
        assert said in problem.value.error.message


def test_the_repositories_are_a_resource(desk: Files) -> None:
    desk.put(leave="# Leave\n\nTwenty days.\n")
    (listed,) = ask(desk.library, lambda client: client.list_resources()).resources
    found = json.loads(read(desk.library, listed.uri).text)
    assert found["repositories"][0]["repository_id"] == "main"


# --- the prompt -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
def test_the_prompt_leads_from_the_question_to_verified_citations(handbook: pincite.Library, mode: str) -> None:
    (listed,) = ask(handbook, lambda client: client.list_prompts(), mode).prompts
    assert [(item.name, item.required) for item in listed.arguments or ()] == [
        ("question", True), ("repository", False), ("element_type", False), ("read_context", False),
    ]  # fmt: skip
    given = {"question": "How much leave?", "repository": "main", "read_context": "baseline:Q1", "element_type": ""}
    (message,) = ask(handbook, lambda client: client.get_prompt(listed.name, given), mode).messages
    said = message.content.text  # type: ignore[union-attr]
    assert said.endswith("Question: How much leave?")
    assert all(name in said for name in ("getContext", "verifyCitations", "repository_id 'main'", "'baseline:Q1'"))
    assert "element_type" not in said


def test_a_prompt_without_a_question_or_with_another_name_is_refused(handbook: pincite.Library) -> None:
    for name, given, said in (
        ("citedAnswer", {}, "question is required"),
        ("citedAnswers", {"question": "x"}, "did you mean 'citedAnswer'?"),
        ("citedAnswer", {"question": "x", "repo": "main"}, "unknown argument 'repo'"),
    ):
        with pytest.raises(MCPError) as problem:
            ask(handbook, lambda client, name=name, given=given: client.get_prompt(name, given))  # type: ignore[misc]
        assert said in problem.value.error.message


# --- completions ----------------------------------------------------------------------------------------------


def completed(library: pincite.Library, name: str, typed: str, **known: str) -> list[str]:
    about = PromptReference(type="ref/prompt", name="citedAnswer")
    place = ResourceTemplateReference(type="ref/resource", uri=ELEMENT_TEMPLATE)
    ref = about if name in ("element_type", "read_context") else place

    async def work(client: Client) -> list[str]:
        found = await client.complete(ref, {"name": name, "value": typed}, context_arguments=known or None)
        return list(found.completion.values)

    return ask(library, work)


def test_repositories_types_elements_and_versions_are_completed(desk: Files) -> None:
    desk.put(leave="# Leave\n\nTwenty days.\n", travel="# Travel\n\nTrains.\n")
    desk.ingest(repository="archive")
    desk.library.baselines.create("2026-Q1")
    assert completed(desk.library, "repository", "") == ["archive", "main"]
    assert completed(desk.library, "repository", "ma") == ["main"]
    assert completed(desk.library, "element_type", "doc") == ["document"]
    assert completed(desk.library, "element", "LEA", repository="main") == ["leave.md"]
    assert completed(desk.library, "element", "md", repository="archive") == ["leave.md", "travel.md"]
    version = desk.first("leave").passage.version_id
    assert completed(desk.library, "version", version[:4], repository="main", element="leave.md") == [version]
    assert completed(desk.library, "read_context", "") == ["head", "published", "baseline:2026-Q1"]
    assert completed(desk.library, "element", "", repository="nowhere") == []
    assert completed(desk.library, "section", "1") == []
