"""Cite: candidates become hits, read from the catalog, each with the citation that pins it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pincite.index.queries import Found
from pincite.protocols import Catalog
from pincite.search.fuse import Candidate
from pincite.search.passages import Located, chunk_passage
from pincite.search.query import Hit
from pincite.types import Lifetime, Scope


def cite(
    catalog: Catalog, candidates: Sequence[Candidate], contexts: Mapping[Scope, Mapping[str, object]]
) -> list[Hit]:
    """Hits in the order given. A chunk that was erased a moment ago is left out."""
    hits = []
    known: dict[tuple[object, ...], Located | None] = {}
    for candidate in candidates:
        found = candidate.found
        # Many hits may be passages of one long document, which is read once.
        key = (found.scope, found.element_id, found.version_id, found.recipe, found.lifetime_id)
        if key not in known:
            known[key] = _located(catalog, found)
        located = known[key]
        if located is not None and 0 <= found.chunk < len(located.derivation.chunks):
            passage = chunk_passage(located, found.chunk)
            hits.append(Hit(passage, candidate.score, candidate.legs, contexts[found.scope], candidate.signals))
    return hits


def _located(catalog: Catalog, found: Found) -> Located | None:
    version = catalog.elements.version(found.scope, found.element_id, found.version_id)
    derivation = catalog.elements.derivation(found.scope, found.element_id, found.version_id, found.recipe)
    if version is None or derivation is None:
        return None
    lifetimes: tuple[Lifetime, ...] = catalog.elements.history(found.scope, found.element_id)
    mine = [item for item in lifetimes if item.lifetime_id == found.lifetime_id]
    return Located(version, derivation, mine[0] if mine else None)
