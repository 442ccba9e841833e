"""The document beside the results."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from served_page import search, settled

BASE = "pincite:default/default/legislation/service-agreement.md"


def opened(page, query: str) -> None:
    search(page, query)
    page.locator(".hit-link").first.click()
    page.wait_for_selector(".prose")


def test_a_hit_opens_at_its_place(page) -> None:
    opened(page, "berth withdrawal fee not paid")
    assert page.inner_text("#reader h2") == "Lakeport Harbor Code (LHC)"
    cited = page.locator(".prose .cited").all_inner_texts()
    assert cited[0] == "§ 203. Berths"
    assert cited[-1].startswith("(c) Appeal")
    assert "title: Lakeport" not in page.inner_text(".prose")
    top, bottom = page.evaluate(
        "() => { const r = document.querySelector('.cited').getBoundingClientRect(); return [r.top, innerHeight]; }"
    )
    assert 0 < top < bottom
    page.go_back()
    page.wait_for_selector("#reader", state="hidden")


def test_history_shows_what_changed_word_by_word(page) -> None:
    opened(page, "inspect a light after an outage is reported")
    page.click("#tab-history")
    page.wait_for_selector(".diff")
    assert page.locator(".lives li").count() == 2
    assert page.locator(".diff del").all_inner_texts() == ["48"]
    assert page.locator(".diff ins").all_inner_texts() == ["24"]
    assert "unchanged lines" in page.inner_text(".diff")
    assert "view=history" in page.url
    page.locator(".lives a").last.click()
    page.wait_for_function("() => document.querySelector('.prose')?.textContent.includes('within 48 hours')")
    assert "not the current version" in page.inner_text("#reader")
    page.get_by_role("link", name="Read the current one").click()
    page.wait_for_function("() => document.querySelector('.prose')?.textContent.includes('within 24 hours')")


def test_a_link_to_a_comparison_shows_it(visit, address) -> None:
    page = visit(f"{address}/elements/{quote(BASE.removeprefix('pincite:'), safe='')}?view=history")
    page.wait_for_selector(".diff")
    assert page.locator(".diff ins").all_inner_texts() == ["24"]


def test_relations_are_drawn_and_listed(page) -> None:
    opened(page, "inspect a light after an outage is reported")
    page.click("#tab-relations")
    page.wait_for_selector(".graph svg")
    nodes = page.locator(".graph a").count()
    assert nodes > 3
    assert page.locator(".graph > svg > path").count() >= nodes
    assert "“clause 3.1”" in page.inner_text(".references")
    page.locator(".graph a").first.click()
    page.wait_for_selector(".prose .cited")


def test_a_defined_term_is_explained_to_mouse_and_keyboard(page) -> None:
    search(page, "withdrawal of a berth by the harbormaster")
    term = page.locator(".hit .term").first
    term.hover()
    tip = page.locator("[role=tooltip]")
    tip.wait_for()
    said = tip.inner_text()
    assert "means" in said
    assert "harbor-code.md" in said
    page.mouse.move(0, 0)
    tip.wait_for(state="detached")
    term.focus()
    tip.wait_for()
    assert tip.inner_text() == said
    assert term.get_attribute("aria-describedby") == "tip"
    page.keyboard.press("Escape")
    tip.wait_for(state="detached")


def test_a_term_is_looked_up(page) -> None:
    opened(page, "berth fee")
    page.get_by_text("What does a term mean?").click()
    page.fill("#term", "berth")
    page.get_by_role("button", name="Define").click()
    page.wait_for_function(
        "() => document.querySelector('#reader .panel [role=status]').textContent.includes('a place at a quay')"
    )


@pytest.mark.parametrize(
    ("choice", "holds"),
    [
        ("Citation (URI)", ["pincite:default/default/legislation/harbor-code.md@", ";span="]),
        ("Citation in words", ["Lakeport Harbor Code (LHC) § 203"]),
        ("Markdown", ["[Lakeport Harbor Code (LHC), § ", "](pincite:default/"]),
        ("BibTeX", ["@misc{harbor-code-", "title = {{Lakeport Harbor Code (LHC)}}", "howpublished = {\\url{pincite:"]),
        ("Quote with citation", ["> ", "— [Lakeport Harbor Code (LHC)"]),
        ("Link to this page", ["/elements/default%2Fdefault%2Flegislation%2Fharbor-code.md%40"]),
    ],
)
def test_a_citation_is_copied(visit, address, choice, holds) -> None:
    page = visit(f"{address}/?q=berth+fee", permissions=["clipboard-read", "clipboard-write"])
    settled(page)
    hit = page.locator(".hit").first
    hit.locator(".cite > summary").click()
    hit.get_by_role("button", name=choice, exact=True).click()
    page.wait_for_selector("#toast")
    copied = page.evaluate("navigator.clipboard.readText()")
    for part in holds:
        assert part in copied


def test_a_citation_that_leads_nowhere_is_told(visit, address) -> None:
    page = visit(f"{address}/elements/default%2Fdefault%2Flegislation%2Fnope.md", quiet=False)
    page.wait_for_selector("#reader .notice.bad")
    assert "nope.md" in page.inner_text("#reader")
