"""Searching in the page."""

from __future__ import annotations

import json
from typing import Any

from served_page import search, settled, titles


def test_results_come_while_one_types(page) -> None:
    page.locator("#query").press_sequentially("berth fee", delay=15)
    page.wait_for_selector(".hit")
    settled(page)
    assert titles(page)[0] == "Lakeport Harbor Code (LHC)"
    first = page.locator(".hit").first
    assert {"berth", "fee"} <= {word.lower().rstrip("s") for word in first.locator("mark").all_inner_texts()}
    assert "§ 203. Berths" in first.locator(".crumbs").inner_text()
    assert "words" in first.locator(".badge.leg").all_inner_texts()
    assert "result" in page.inner_text("#status")


SLOW_STREAM = """(text) => {
  window.fetch = async () => new Response(new ReadableStream({ start(stream) {
    stream.enqueue(new TextEncoder().encode(text));
    window.breakOff = () => stream.close();
  } }));
}"""
"""A server that sends this much and then thinks."""


def event(**fields: Any) -> str:
    return json.dumps(fields) + "\n"


def test_an_answer_to_a_question_that_has_changed_is_dropped(page) -> None:
    slow: list[Any] = []

    def hold(route: Any) -> None:
        asked = route.request.post_data_json["query"]
        slow.append(route) if asked == "outage" else route.continue_()

    page.route("**/v1/search/stream", hold)
    with page.expect_request("**/v1/search/stream"):
        page.fill("#query", "outage")
    page.wait_for_timeout(50)  # the route is told of the request after those who wait for it
    assert len(slow) == 1
    search(page, "berth fee")
    late = event(event="stage", stage="final", results=0) + event(
        event="done", answer={"legs": [], "notes": [], "total": 0}
    )
    slow[0].fulfill(status=200, content_type="application/x-ndjson", body=late)
    page.wait_for_timeout(200)
    assert titles(page)[0] == "Lakeport Harbor Code (LHC)"


def test_words_are_shown_before_meaning_arrives(visit, address) -> None:
    page = visit(address)
    hit = page.request.get(f"{address}/v1/search?q=berth&top_k=1").json()["results"][0]
    early = event(event="stage", stage="keyword", results=1) + event(event="hit", stage="keyword", rank=1, hit=hit)
    page.evaluate(SLOW_STREAM, early)
    page.fill("#query", "berth")
    page.wait_for_selector(".hit")
    assert page.inner_text("#status") == "1 by words so far; meaning is on its way"
    assert page.get_attribute("#results", "aria-busy") == "true"
    page.evaluate("window.breakOff()")
    page.wait_for_selector(".notice.bad")
    assert "broke off" in page.inner_text(".notice.bad")


def test_a_filter_narrows_and_the_back_button_widens(page) -> None:
    search(page, "Hund dog")
    both = titles(page)
    box = page.locator(".facet label", has_text="German").locator("input")
    label = page.locator(".facet label", has_text="German")
    assert int(label.locator(".count").inner_text()) > 0
    box.check()
    page.wait_for_url("**filter=language%3Ade**")
    page.wait_for_function(
        "() => [...document.querySelectorAll('.hit .badge[title=Language]')].every(badge => badge.textContent === 'de')"
    )
    assert 0 < len(titles(page)) <= len(both)
    page.go_back()
    page.wait_for_function("n => document.querySelectorAll('.hit').length === n", arg=len(both))
    assert titles(page) == both
    assert not page.locator(".facet label", has_text="German").locator("input").is_checked()


def test_a_link_shows_the_same(visit, address) -> None:
    page = visit(f"{address}/?q=outage&repository=legislation&mode=keyword&filter=language:en")
    settled(page)
    assert page.input_value("#query") == "outage"
    assert (page.input_value("#repository"), page.input_value("#mode")) == ("legislation", "keyword")
    assert titles(page) == ["Lighthouse Maintenance Agreement"]
    assert page.locator(".facet label", has_text="English").locator("input").is_checked()


def test_why_shows_a_bar_for_each_signal(page) -> None:
    search(page, "berth fee")
    hit = page.locator(".hit").first
    hit.get_by_role("button", name="Why?").click()
    rows = hit.locator(".why tr")
    assert "words" in rows.first.inner_text()
    widths = [
        float(width)
        for width in hit.locator(".why .bar").evaluate_all("bars => bars.map(b => b.getAttribute('width'))")
    ]
    numbers = [float(text) for text in hit.locator(".why .number").all_inner_texts()]
    assert [round(width / 100, 3) for width in widths] == numbers
    assert "berth" in hit.locator(".why").inner_text()


def test_nothing_found_says_why_and_offers_a_way_out(visit, address) -> None:
    page = visit(f"{address}/?q=zzyzx&mode=keyword&filter=language:de")
    settled(page)
    assert "Nothing found" in page.inner_text("#results")
    assert "words" in page.inner_text(".empty p")
    page.get_by_role("button", name="Remove the filters").click()
    page.wait_for_function("() => !location.search.includes('filter')")


def test_an_error_is_told_in_the_words_of_the_server(visit, address) -> None:
    page = visit(f"{address}/?q=berth&at=baseline:nope&repository=legislation", quiet=False)
    page.wait_for_selector(".notice.bad")
    assert "baseline 'nope'" in page.inner_text(".notice.bad")
    page.get_by_role("button", name="Read the newest state").click()
    page.wait_for_selector(".hit")


def test_a_leg_that_took_no_part_is_named(page) -> None:
    body = page.request.get(f"{page.url}v1/search?q=berth&top_k=1").json()
    body["legs"][0] |= {"status": "unavailable", "reason": "the model is missing"}
    body["notes"] = ["a note of the server"]
    hit = body.pop("results")[0]
    text = (
        event(event="stage", stage="final", results=1)
        + event(event="hit", stage="final", rank=1, hit=hit)
        + event(event="done", answer=body)
    )
    page.route("**/v1/search/stream", lambda route: route.fulfill(content_type="application/x-ndjson", body=text))
    page.fill("#query", "berth")
    page.wait_for_selector(".notice.warn")
    assert page.inner_text(".notice.warn") == "“meaning” took no part in this answer: the model is missing."
    assert page.inner_text(".notice:not(.warn)") == "a note of the server"


def test_more_results_follow_the_first_page(visit, address) -> None:
    page = visit(f"{address}/?q=the")
    settled(page)
    first = titles(page)
    assert len(first) == 10
    page.get_by_role("button", name="Show more").click()
    page.wait_for_function("() => document.querySelectorAll('.hit').length > 10")
    assert titles(page)[:10] == first
