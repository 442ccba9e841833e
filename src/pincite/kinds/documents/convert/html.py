"""A web page becomes Markdown: its main content with its headings, without what surrounds it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pincite.kinds.documents.convert.checks import Unreadable
from pincite.kinds.documents.convert.converters import Converted
from pincite.kinds.documents.convert.tidy import tidy

if TYPE_CHECKING:
    from bs4 import BeautifulSoup, Tag

MAX_DEPTH = 200
"""Of elements in one another. Real pages stay below 100; the converter calls itself for each."""
_NEVER = ("script", "style", "noscript", "template", "iframe", "svg", "form", "button", "nav", "aside")
_AROUND = ("footer", "[role=navigation]", "[role=banner]", "[role=contentinfo]", "[role=search]", "[hidden]")
_MAIN = "main, [role=main], article"


def page(path: Path) -> Converted:
    """The main content of the page, named by its title."""
    from bs4 import BeautifulSoup
    from markitdown.converters import HtmlConverter

    soup = BeautifulSoup(path.read_bytes(), "html.parser")
    _check_depth(soup)
    title = " ".join(soup.title.get_text().split()) if soup.title else ""
    for element in soup.find_all(_NEVER):
        element.decompose()
    # An article among others (a list of posts) is not the page.
    mains = soup.select(_MAIN)
    root = mains[0] if len(mains) == 1 or (mains and mains[0].name == "main") else soup.body or soup
    for element in root.select(", ".join(_AROUND)):
        element.decompose()
    for table in root.find_all("table"):
        # Behind a caption or columns the first row would not be taken for the header.
        rows = table.find_all("tr", recursive=False)
        if rows and table.find(["caption", "colgroup"], recursive=False):
            rows[0].wrap(soup.new_tag("tbody")).extend(row.extract() for row in rows[1:])
    converted = HtmlConverter().convert_string(f"<html><body>{root}</body></html>")
    return Converted(tidy(converted.markdown), title)


def _check_depth(soup: BeautifulSoup) -> None:
    """`Unreadable` for a page that is nested too deeply."""
    level: list[Tag] = [soup]
    for _ in range(MAX_DEPTH + 1):
        level = [child for tag in level for child in tag.find_all(True, recursive=False)]
        if not level:
            return
    raise Unreadable(f"its elements are nested deeper than {MAX_DEPTH} levels; save the page again")
