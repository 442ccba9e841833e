"""Chunk snapshots: how a source was cut, as text that people can read and diff.

    # chunks of kind documents, recipe documents/1;max=800;overlap=50
    == company/leave.md · Leave policy · en
    [0] 0-212 content en § Leave policy
        Leave policy  …  of the calendar year.  {a1b2c3d4}

Each passage has its number, span, type, language, section and headings, its first and last words, and a hash of all.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from pincite.catalog.resolve import resolve
from pincite.errors import InvalidArgument, NotFound
from pincite.ids import text_hash
from pincite.index.entries import passage
from pincite.types import Chunk, LiveElement

if TYPE_CHECKING:
    from pincite.library import Library

HEAD = "# chunks of kind"
_EDGE = 40
"""Characters shown of each end of a passage."""


def snapshot(library: Library, kind: str, *, repository: str = "") -> str:
    """The passages of a repository at head, in the order of their elements."""
    return "\n".join(_lines(library, kind, repository)) + "\n"


def difference(accepted: str, now: str) -> str:
    """What changed, as a unified diff that shows element and passage; empty if nothing did."""
    lines = difflib.unified_diff(accepted.splitlines(), now.splitlines(), "accepted", "now", lineterm="", n=2)
    return "\n".join(lines)


def read_accepted(path: Path) -> str:
    """The snapshot in a file; an error if it contains something else."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise NotFound(f"there is no snapshot {str(path)!r} yet; create it with --update", field="chunks") from error
    except UnicodeDecodeError:
        text = ""
    if not text.startswith(HEAD):
        raise InvalidArgument(f"{path} is not a snapshot of chunks; choose another file", field="chunks")
    return text


def _lines(library: Library, kind: str, repository: str) -> Iterator[str]:
    scope = library.scope(repository)
    info = library.catalog.repositories.get(scope)
    view = resolve(library.catalog, scope, None, reached=info.head if info else 0).view
    recipe = ""
    for element_id in library.catalog.elements.ids(view):
        live = library.catalog.elements.get(view, element_id)
        if live is None:
            continue
        if live.derivation.recipe != recipe:
            recipe = live.derivation.recipe
            yield f"{HEAD} {kind}, recipe {recipe}"
        yield from _element(live)


def _element(live: LiveElement) -> Iterator[str]:
    content = live.version.content
    yield " · ".join(filter(None, (f"== {live.version.element_id}", content.name, content.language)))
    for chunk in live.derivation.chunks:
        where = f"{chunk.span.start}-{chunk.span.end}" if chunk.span else "generated"
        section = f"§{chunk.section_id}" if chunk.section_id else ""
        facts = (f"[{chunk.number}]", where, chunk.chunk_type, chunk.language, section, _page(chunk))
        yield " ".join(filter(None, facts)) + "  " + " > ".join(chunk.parent_chain)
        yield f"    {_ends(passage(content, chunk))}"
    for definition in live.derivation.definitions:
        yield f"    defines {definition.term!r} in [{definition.chunk}] for {definition.scope}"
    for relation in live.derivation.relations:
        target = f"{relation.target}#{relation.target_section}" if relation.target_section else relation.target
        yield f"    {relation.relation_type} {target}"


def _page(chunk: Chunk) -> str:
    return f"p.{chunk.page}" if chunk.page is not None else ""


def _ends(text: str) -> str:
    flat = " ".join(text.split())
    shown = flat if len(flat) <= 2 * _EDGE + 5 else f"{flat[:_EDGE].rstrip()} … {flat[-_EDGE:].lstrip()}"
    return f"{shown}  {{{text_hash(text)[:8]}}}"
