"""What can be searched, and whether it is healthy: listRepositories and indexHealth."""

from __future__ import annotations

from pincite import wire
from pincite.library import Library
from pincite.serve.requests import IndexHealth, ListRepositories
from pincite.wire import Json

MAX_VALUES = 20
"""How many values of a filter are listed; the rest is only counted."""


def list_repositories(library: Library, asked: ListRepositories) -> Json:
    """Each repository with its baselines, the published one, and its filters."""
    return {
        "repositories": [_listed(library, info.scope.repository, info.head, asked) for info, _ in library.freshness()]
    }


def _listed(library: Library, name: str, head: int, asked: ListRepositories) -> Json:
    named = library.baselines.list(repository=name)
    published = next((item.name for item in named if item.published), None)
    out: Json = {
        "repository_id": name,
        "head": head,
        "published": published,
        "baselines": [item.name for item in named],
    }
    if asked.include_filters:
        out["filters"] = {key: _values(values) for key, values in sorted(library.filters(name).items())}
    return out


def _values(counts: dict[str, int]) -> Json:
    common = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return {"values": dict(common[:MAX_VALUES]), "more": max(0, len(common) - MAX_VALUES)}


def index_health(library: Library, _asked: IndexHealth) -> Json:
    """The checks of `pincite doctor`, without its checksums.

    A caller limited to roles only learns how far each index is; sizes and the checked passages are for the owner.
    """
    if library.roles is None:
        return wire.health(library.health())
    known = [_reached(info.scope.repository, info.head, reached) for info, reached in library.freshness()]
    return {"ok": True, "findings": [], "repositories": known}


def _reached(name: str, head: int, reached: int) -> Json:
    lag = max(0, head - reached)
    detail = f"at revision {reached}" if not lag else f"{lag} revision(s) behind"
    finding = {"what": "index", "status": "warning" if lag else "ok", "detail": detail, "advice": None, "ms": 0.0}
    return {"repository_id": name, "head": head, "index": {"revision": reached, "lag": lag}, "findings": [finding]}
