"""Cite: candidates become hits, read from the catalog, each with the citation that pins it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pincite.protocols import Catalog
from pincite.search.fuse import Candidate
from pincite.search.passages import Located, chunk_passage
from pincite.search.query import Hit
from pincite.types import Derivation, Lifetime, Scope


def cite(
    catalog: Catalog, candidates: Sequence[Candidate], contexts: Mapping[Scope, Mapping[str, object]]
) -> list[Hit]:
    """Hits in the order given. A chunk that was erased a moment ago is left out."""
    hits = []
    for candidate in candidates:
        located = _located(catalog, candidate)
        if located is not None:
            passage = chunk_passage(located, candidate.found.chunk)
            context = contexts[candidate.found.scope]
            hits.append(Hit(passage, candidate.score, candidate.legs, context, candidate.signals))
    return hits


def _located(catalog: Catalog, candidate: Candidate) -> Located | None:
    found = candidate.found
    version = catalog.elements.version(found.scope, found.element_id, found.version_id)
    derivation = catalog.elements.derivation(found.scope, found.element_id, found.version_id, found.recipe)
    if version is None or derivation is None or not 0 <= found.chunk < len(derivation.chunks):
        return None
    lifetimes: tuple[Lifetime, ...] = catalog.elements.history(found.scope, found.element_id)
    mine = [item for item in lifetimes if item.lifetime_id == found.lifetime_id]
    return Located(version, derivation if derivation else Derivation(""), mine[0] if mine else None)
