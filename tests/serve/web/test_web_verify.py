"""Checking a pasted quote in the page."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("quote", "verdict"),
    [
        ("a place at a quay or mooring that is assigned to one vessel", "Verified"),
        ("28 working days of paid annual leave", "Altered"),
        ("within 48 hours after an Outage is reported under clause 3.1", "Superseded"),
        ("The moon is made of green cheese and belongs to nobody at all", "Not found"),
    ],
)
def test_a_quote_gets_its_verdict(page, quote, verdict) -> None:
    page.click("#open-verify")
    page.fill("#verify-text", quote)
    page.get_by_role("button", name="Check", exact=True).click()
    page.wait_for_selector(".verdict")
    assert page.locator(".verdict .state").all_inner_texts() == [verdict]
    if verdict == "Altered":
        assert page.locator(".verdict del").all_inner_texts() == ["28"]
        assert page.locator(".verdict ins").all_inner_texts() == ["26"]


def test_a_draft_gets_a_verdict_for_each_quote_and_opens_a_source(page) -> None:
    page.keyboard.press("Escape")
    page.click("#open-verify")
    page.fill(
        "#verify-text", 'They grant "26 working days of paid annual leave", and "free ice cream on all Fridays of May".'
    )
    page.get_by_role("button", name="Check", exact=True).click()
    page.wait_for_selector(".verdict")
    assert page.locator(".verdict .state").all_inner_texts() == ["Verified", "Not found"]
    page.locator(".verdict a").first.click()
    page.wait_for_selector(".prose .cited")
    assert "26 working days" in page.inner_text(".prose .cited")
    assert page.locator("dialog").count() == 0
