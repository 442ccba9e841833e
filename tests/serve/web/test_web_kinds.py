"""A kind of somebody else's in the page."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from served_page import MODEL, search, serving, titles

import pincite
from installed import EXAMPLES, install


def test_a_runbook_is_found_and_cited_in_words(visit: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = tmp_path / "site"
    install(EXAMPLES / "runbooks", site)
    monkeypatch.syspath_prepend(site)
    monkeypatch.setenv("PYTHONPATH", str(site), prepend=os.pathsep)
    with pincite.open(tmp_path / "library", **MODEL) as library:  # type: ignore[arg-type]
        library.ingest(EXAMPLES / "runbooks" / "checkout.runbooks.toml", kind="runbooks")
        library.embed()
    with serving(tmp_path / "library") as address:
        page = visit(address)
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        search(page, "restart the workers")
        assert titles(page)[0] == "Orders wait for their confirmation"
        first = page.locator(".hit").first
        first.locator(".cite summary").click()
        first.get_by_role("button", name="Citation in words").click()
        copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == "CHK-7 Orders wait for their confirmation, step 2"
