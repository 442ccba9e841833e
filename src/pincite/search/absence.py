"""Honest absence: no match, not indexed yet, not in this snapshot, erased, leg unavailable — five different answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pincite.catalog.resolve import Resolved
from pincite.search.legs import Retrieved, retrieve
from pincite.search.query import Absence, Query, Reader
from pincite.search.understand import Plan
from pincite.types import Scope


def absence(reader: Reader, query: Query, plan: Plan, retrieved: Retrieved, resolved: Sequence[Resolved]) -> Absence:
    """Why nothing was found."""
    if any(leg.status == "unavailable" and leg.name not in ("dense", "related") for leg in retrieved.reports):
        return "leg_unavailable"
    if any(_erased(reader, item.view.scope, plan.text.strip()) for item in resolved):
        return "erased"
    if lag_notes(resolved):
        return "not_indexed_yet"
    published = any(item.echo.get("selector") == "published" for item in resolved)
    if query.read_context is None and not published:
        return "no_match"  # asked of the head of its time: what came later must not change a replay
    at_head = [replace(item.view, revision=reader.index.reached(item.view.scope)) for item in resolved]
    later = [view for view, item in zip(at_head, resolved, strict=True) if view.revision > item.view.revision]
    if later and any(r.found for r in retrieve(reader, later, plan, query).rankings):
        return "not_in_this_snapshot"
    return "no_match"


def lag_notes(resolved: Sequence[Resolved]) -> list[str]:
    """One note per repository whose head the index has not reached."""
    notes = []
    for item in resolved:
        head = item.echo.get("head")
        if item.echo.get("selector") == "head" and isinstance(head, int) and head > item.view.revision:
            behind = head - item.view.revision
            notes.append(f"the index of {item.view.scope.repository!r} is {behind} revision(s) behind the catalog")
    return notes


def _erased(reader: Reader, scope: Scope, name: str) -> bool:
    elements = reader.catalog.elements
    return elements.tombstone(scope, name) is not None and not elements.history(scope, name)
