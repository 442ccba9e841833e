"""The files of the page: nothing from elsewhere, nothing inline, no way for a text to become markup."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import pincite

WEB = Path(pincite.__file__).parent / "serve/web"
FILES = sorted(path for path in WEB.rglob("*") if path.suffix in (".html", ".css", ".js", ".svg"))
SCRIPTS = [path for path in FILES if path.suffix == ".js"]
WAYS_TO_MARKUP = (
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|createContextualFragment|DOMParser"
)
NAMESPACE = "http://www.w3.org/2000/svg"


def test_the_page_is_there() -> None:
    assert {path.suffix for path in FILES} == {".html", ".css", ".js", ".svg"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_nothing_comes_from_elsewhere(path) -> None:
    text = path.read_text("utf-8").replace(NAMESPACE, "")
    assert not re.search(r"https?://[\w-]|[\"'(]//[\w-]|@import|url\((?!#)", text)


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_no_text_becomes_markup_or_code(path) -> None:
    text = re.sub(r"^\s*//.*$", "", path.read_text("utf-8"), flags=re.M)
    assert not re.search(WAYS_TO_MARKUP, text)


def test_the_key_is_kept_for_the_tab_alone() -> None:
    keepers = {path.name for path in SCRIPTS if "localStorage" in path.read_text("utf-8")}
    assert keepers == {"theme.js"}
    assert "sessionStorage" in (WEB / "js/signin.js").read_text("utf-8")


def test_the_document_has_no_inline_script_or_style() -> None:
    text = (WEB / "index.html").read_text("utf-8")
    assert not re.search(r"<style|style=|\son\w+=|<script(?![^>]*\ssrc=)", text)


def test_every_file_that_is_named_exists() -> None:
    named = re.findall(r'(?:href|src)="/web/([^"]+)"', (WEB / "index.html").read_text("utf-8"))
    assert named
    for name in named:
        assert (WEB / name).is_file()
    imported = [(path, name) for path in SCRIPTS for name in re.findall(r'from "\./([^"]+)"', path.read_text("utf-8"))]
    assert imported
    for path, name in imported:
        assert (path.parent / name).is_file(), f"{path.name} imports {name}"
