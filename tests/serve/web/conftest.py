"""A browser that is started once, and a page for each test.

Without Chromium or Playwright these tests skip, and say so.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from served_page import FLAGS, build, serving

Open = Callable[..., Any]


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        pytest.skip("there is no Chromium on this machine")
    with api.sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=chromium, args=list(FLAGS))
        yield running
        running.close()


@pytest.fixture(scope="session")
def address(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server of the samples; the browser comes first, so that nothing is built where it is missing."""
    assert browser.is_connected()
    folder = tmp_path_factory.mktemp("page")
    build(folder)
    with serving(folder / "library") as found:
        yield found


@pytest.fixture
def visit(browser: Any) -> Iterator[Open]:
    """Open an address in a fresh window; whatever the page logs as an error fails the test."""
    contexts, wrong = [], []

    def go(url: str, *, width: int = 1280, height: int = 900, quiet: bool = True, **options: Any) -> Any:
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        contexts.append(context)
        context.set_default_timeout(60_000)
        page = context.new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        if quiet:
            page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
        page.goto(url)
        page.wait_for_selector("#results[aria-busy], #results .empty, #reader:not([hidden]), dialog[open], .notice")
        return page

    yield go
    for context in contexts:
        context.close()
    assert wrong == []


@pytest.fixture
def page(visit: Open, address: str) -> Any:
    return visit(address)
