"""Which state is read: the picker and its banner."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from served_page import search, settled

IN_SIGHT = """() => {
  const { left, top, height } = document.querySelector('#banner').getBoundingClientRect();
  return document.elementFromPoint(left + 20, top + height / 2)?.closest('#banner') !== null;
}"""


def test_a_baseline_is_chosen_and_the_banner_says_so(page) -> None:
    search(page, "inspect a light after an outage is reported")
    assert not page.is_visible("#banner")
    page.click("#state-menu > summary")
    page.get_by_label("2026-Q1 (legislation)").check()
    page.wait_for_function("() => document.querySelector('#banner').textContent.includes('revision 1 of 2')")
    assert "baseline 2026-Q1" in page.inner_text("#banner")
    assert page.input_value("#repository") == "legislation"
    settled(page)
    page.click(".hit-link")
    page.wait_for_selector(".prose")
    assert "within 48 hours" in page.inner_text(".prose")
    assert "not the current version" in page.inner_text("#reader")
    page.get_by_role("button", name="Read the newest").click()
    page.wait_for_selector("#banner", state="hidden")
    assert "at=" not in page.url


def test_published_is_offered_where_something_is_published(page) -> None:
    page.click("#state-menu > summary")
    page.get_by_label("published in legislation: 2026-Q1").check()
    page.wait_for_selector("#banner")
    assert "the published baseline" in page.inner_text("#banner")
    assert "at=published" in page.url


def test_a_day_can_be_read(visit, address) -> None:
    page = visit(f"{address}/?q=outage")
    settled(page)
    page.click("#state-menu > summary")
    page.get_by_label("Day").fill("2020-01-01")
    page.wait_for_function("() => /revision 0/.test(document.querySelector('#banner').textContent)")
    assert "the end of 2020-01-01" in page.inner_text("#banner")
    assert "there is in the newest one" in page.inner_text("#results")
    today = datetime.now(UTC).date().isoformat()
    page.goto(f"{address}/?q=outage&at=as_of:{today}")
    page.wait_for_selector(".hit")


def test_the_menu_makes_way_for_what_was_chosen_in_it(visit, address) -> None:
    page = visit(f"{address}/?q=outage")
    settled(page)
    page.locator("#state-menu > summary").press("Enter")
    page.get_by_label("2026-Q1 (legislation)").press("Space")
    page.wait_for_selector("#state-menu:not([open])")
    assert page.evaluate("() => document.activeElement.matches('#state-menu > summary')")


def test_a_day_can_be_typed(visit, address) -> None:
    page = visit(f"{address}/?q=outage", locale="en-US")
    settled(page)
    page.click("#state-menu > summary")
    page.get_by_label("Day").focus()
    page.keyboard.type("01022020")
    page.wait_for_function("() => document.querySelector('#banner').textContent.includes('the end of 2020-01-02')")


@pytest.mark.parametrize("width", [1280, 900, 380])
def test_the_banner_stays_in_sight(visit, address, width) -> None:
    page = visit(f"{address}/?q=the&at=baseline:2026-Q1&repository=legislation", width=width, height=700)
    page.wait_for_selector(".hit")
    settled(page)
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    page.wait_for_function("() => scrollY > 0")
    assert page.evaluate(IN_SIGHT)
    page.evaluate("scrollTo(0, 0)")
    page.locator(".hit-link").first.click()
    page.wait_for_selector(".prose .cited")
    assert page.evaluate(IN_SIGHT)
