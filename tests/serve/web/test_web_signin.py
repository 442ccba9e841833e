"""A server that asks for a key."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from served_page import search, serving, titles

import pincite
from pincite.catalog.sqlite.server import SqliteServerState
from pincite.serve.auth.keys import KeyStore


@pytest.fixture
def locked(browser: Any, tmp_path: Path) -> Iterator[tuple[str, str]]:
    """A server that wants a key, and one that it takes."""
    assert browser.is_connected()
    (tmp_path / "source").mkdir()
    (tmp_path / "source/a.md").write_text("# Secrets\n\nThe lighthouse key hangs behind the door.\n", "utf-8")
    with pincite.open(tmp_path / "library") as library:
        library.ingest(tmp_path / "source")
    _, token = KeyStore(SqliteServerState(tmp_path / "library").keys).create(
        "reader", tenant="default", organization="default", scopes=("search:read",)
    )
    with serving(tmp_path / "library") as found:
        yield found, token


def test_a_key_is_asked_for_and_forgotten_with_the_tab(visit, locked) -> None:
    address, token = locked
    page = visit(address, quiet=False)
    page.wait_for_selector("dialog[open]")
    assert "requires authentication" in page.inner_text("dialog")
    page.fill("#key", "pk_wrong")
    page.get_by_role("button", name="Use this key").click()
    page.wait_for_function("() => document.querySelector('dialog[open]')?.textContent.includes('invalid token')")
    page.fill("#key", token)
    page.get_by_role("button", name="Use this key").click()
    page.wait_for_selector("dialog", state="detached")
    search(page, "lighthouse")
    assert titles(page) == ["Secrets"]
    assert token not in page.evaluate("JSON.stringify(localStorage) + document.cookie + location.href")
    other = page.context.new_page()
    other.goto(address)
    other.wait_for_selector("dialog[open]")


def test_without_a_key_the_page_says_what_is_missing(visit, locked) -> None:
    page = visit(locked[0], quiet=False)
    page.get_by_role("button", name="Not now").click()
    page.wait_for_selector(".notice.bad")
    assert "uthentication required" in page.inner_text(".notice.bad")
