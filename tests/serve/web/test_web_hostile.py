"""A hostile document must neither run script nor break the page."""

from __future__ import annotations

import pytest
from served_page import search, settled


def harmless(page) -> None:
    assert page.evaluate("window.hacked") is None
    assert (
        page.locator("main script, main img, main iframe, main [onclick], main [onmouseover], main [onerror]").count()
        == 0
    )
    assert page.locator("a[href^='javascript:' i], a[href^='data:' i]").count() == 0


@pytest.mark.parametrize("width", [1440, 380])
def test_a_hostile_document_is_only_text(visit, address, width) -> None:
    page = visit(f"{address}/?q=lantern", width=width)
    settled(page)
    page.wait_for_selector(".hit")
    assert "<img src=x onerror=window.hacked=1>" in page.inner_text(".hit h3")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    harmless(page)
    page.locator(".hit").first.get_by_role("button", name="Why?").click()
    page.locator(".hit-link").first.click()
    page.wait_for_selector(".prose")
    assert "<script>window.hacked=5</script>" in page.inner_text(".prose")
    assert "[a trap](javascript:window.hacked=7)" in page.inner_text(".prose")
    assert page.locator(".prose a").evaluate_all("links => links.map(a => [a.href, a.rel])") == [
        ["https://example.org/x", "noopener noreferrer nofollow"]
    ]
    for tab in ("history", "relations"):
        page.click(f"#tab-{tab}")
        page.wait_for_selector(f"#tab-{tab}[aria-selected=true]")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    harmless(page)


def test_hostile_values_of_filters_are_only_text(page) -> None:
    search(page, "lantern")
    page.evaluate("document.querySelectorAll('.facet').forEach((facet) => { facet.open = true; })")
    assert "<script>window.hacked=2</script>" in page.inner_text("#facets")
    page.locator(".facet label", has_text="<b onclick").locator("input").check()
    page.wait_for_url("**filter=tags**")
    settled(page)
    harmless(page)


def test_a_hostile_link_to_the_page_is_only_text(visit, address) -> None:
    page = visit(
        f"{address}/?q=%3Cimg%20src%3Dx%20onerror%3Dwindow.hacked%3D1%3E&open=javascript:window.hacked=2", quiet=False
    )
    page.wait_for_selector("#reader .notice.bad")
    harmless(page)


def test_the_policy_forbids_what_the_page_does_not_need(visit, address) -> None:
    page = visit(address, quiet=False)
    policy = page.request.get(page.url).headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    added = page.evaluate("""() => { const s = document.createElement('script'); s.textContent = 'window.hacked = 1';
        document.body.append(s); return window.hacked ?? null; }""")
    assert added is None
