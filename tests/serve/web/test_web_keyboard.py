"""The page without a mouse."""

from __future__ import annotations

from served_page import settled

NAMELESS = """() => [...document.querySelectorAll('button, a[href], input, select, summary, textarea')]
    .filter(e => !(e.getAttribute('aria-label') || e.textContent.trim() || e.labels?.length))
    .map(e => e.outerHTML)"""


def focused(page) -> str:
    found: str = page.evaluate(
        "document.activeElement.id || document.activeElement.className || document.activeElement.tagName"
    )
    return found


def test_from_the_query_to_a_document_and_back(visit, address) -> None:
    page = visit(f"{address}/?q=berth+fee")
    settled(page)
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("/")
    assert focused(page) == "query"
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    second = page.locator(".hit-link").nth(1)
    assert page.evaluate("document.activeElement.textContent") == second.inner_text()
    outline = page.evaluate(
        "getComputedStyle(document.activeElement).outlineStyle + getComputedStyle(document.activeElement).outlineWidth"
    )
    assert outline == "solid3px"
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    page.wait_for_selector(".prose")
    assert focused(page) == "reader"
    page.keyboard.press("Escape")
    page.wait_for_selector("#reader", state="hidden")
    assert page.evaluate("document.activeElement.textContent") == page.locator(".hit-link").first.inner_text()
    page.keyboard.press("ArrowUp")
    assert focused(page) == "query"


def test_the_views_turn_with_arrows(visit, address) -> None:
    page = visit(f"{address}/?q=outage")
    settled(page)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_selector(".prose")
    page.locator("#tab-text").focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("#tab-history[aria-selected=true]")
    assert focused(page) == "tab-history"
    page.keyboard.press("ArrowLeft")
    page.wait_for_selector("#tab-text[aria-selected=true]")


def test_keys_are_listed_and_letters_stay_letters_in_the_query(visit, address) -> None:
    page = visit(f"{address}/?q=outage", permissions=["clipboard-read", "clipboard-write"])
    settled(page)
    page.locator("#query").focus()
    page.keyboard.type("?cv")
    assert page.input_value("#query").endswith("?cv")
    assert page.locator("dialog").count() == 0
    settled(page)
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("?")
    page.wait_for_selector("dialog[open]")
    assert "Esc" in page.inner_text("dialog")
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog", state="detached")
    page.keyboard.press("v")
    page.wait_for_selector("#verify-text")
    page.keyboard.press("Escape")
    page.fill("#query", "berth fee")
    page.wait_for_function("() => document.querySelector('.hit-link')?.textContent.includes('Harbor')")
    settled(page)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("c")
    page.wait_for_selector("#toast")
    assert page.evaluate("navigator.clipboard.readText()") == page.get_attribute(".hit >> nth=0", "data-citation")
    page.locator("#state-menu > summary").focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("#state-menu[open]")
    page.keyboard.press("Tab")
    page.keyboard.press("Escape")
    page.wait_for_selector("#state-menu:not([open])")


def test_everything_that_can_be_pressed_has_a_name(visit, address) -> None:
    page = visit(f"{address}/?q=berth+fee")
    settled(page)
    page.locator(".hit-link").first.click()
    page.wait_for_selector(".prose")
    assert page.evaluate(NAMELESS) == []
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map(e => e.id)")
    assert len(ids) == len(set(ids))
