"""Links: Markdown links to an anchor of the document or to another file; addresses on the web are none of ours."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote

from pincite.ids import normalise_id

_LINK = re.compile(r"(?<!!)\[(?P<words>[^\[\]]{1,300})\]\(\s*<?(?P<target>[^()\s<>]+)>?(?:\s+[\"'(][^()]*)?\s*\)")
_ELSEWHERE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//|.*\{[{%]")
_NO_DOCUMENT = re.compile(r"\.(?:png|jpe?g|gif|svg|webp|ico|zip|gz|css|js|json|ya?ml|sh|mp4)\Z", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Link:
    """A link that leads to a place in the document or in another one."""

    start: int
    end: int
    words: str
    path: str
    """Id of the other document as far as it is known here; "" for this one."""
    fragment: str
    address: str


def find_links(text: str, element_id: str) -> Iterator[Link]:
    """The links of a text to documents."""
    for match in _LINK.finditer(text):
        address = match["target"]
        if _ELSEWHERE.match(address):
            continue
        path, _, fragment = address.partition("#")
        path = unquote(path.partition("?")[0])
        if _NO_DOCUMENT.search(path) or not (path or fragment):
            continue
        words = " ".join(match["words"].split())
        yield Link(match.start(), match.end(), words, _joined(element_id, path), unquote(fragment), address)


def _joined(element_id: str, path: str) -> str:
    """The path from the root of the repository; one that begins with a slash is from the root of a site."""
    if not path:
        return ""
    base = "" if path.startswith("/") else posixpath.dirname(element_id)
    joined = posixpath.normpath(posixpath.join(base, path.lstrip("/")))
    return "" if joined.startswith("..") else normalise_id(joined.strip("/"))
