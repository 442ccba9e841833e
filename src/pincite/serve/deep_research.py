"""The tools `search` and `fetch` in the exact shapes that deep-research clients (such as ChatGPT connectors) expect.

A result is one version of an element, so its id will fetch the same text tomorrow.
"""

from __future__ import annotations

from pincite import wire
from pincite.library import Library
from pincite.serve.links import element_url
from pincite.serve.requests import DeepFetch, DeepSearch
from pincite.wire import Json

MAX_CHARACTERS = 200_000
"""Maximum length of a fetched text; its metadata says if it was cut."""
METADATA = (
    "version_id", "repository_id", "element_id", "element_type", "language", "source_path", "file_type", "section_id",
)  # fmt: skip


def deep_search(library: Library, asked: DeepSearch) -> Json:
    """`{"results": [{"id", "title", "url"}]}`"""
    hits = wire.answer(library.search(asked.query), library.describe)["results"]
    return {"results": [_result(library, hit["element_name"], _whole(hit["citation"])) for hit in hits]}


def deep_fetch(library: Library, asked: DeepFetch) -> Json:
    """`{"id", "title", "text", "url", "metadata"}`; metadata values are strings only, as the contract requires."""
    found = wire.found(library.get(asked.id), library.describe)
    text = str(found["content"])
    metadata = {name: str(found[name]) for name in METADATA if found.get(name) is not None}
    metadata |= {"citation": found["citation"], "current": str(found["current"]).lower()}
    if found["span"]:
        metadata["span"] = "{}-{}".format(*found["span"])
    if len(text) > MAX_CHARACTERS:
        metadata["truncated"] = f"the first {MAX_CHARACTERS} of {len(text)} characters; read sections with getElement"
    result = _result(library, found["element_name"], asked.id)
    shown = {"id": result["id"], "title": result["title"], "text": text[:MAX_CHARACTERS]}
    return {**shown, "url": element_url(library.config.serve, found["citation"]), "metadata": metadata}


def _result(library: Library, title: str, citation: str) -> Json:
    return {"id": citation, "title": title, "url": element_url(library.config.serve, citation)}


def _whole(citation: str) -> str:
    """The cited version without the place in it. Both marks are unambiguous, because every part is encoded."""
    return citation.partition("#")[0].partition(";")[0]
