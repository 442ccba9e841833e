"""Plug-ins: what a table offers besides our own, from the entry points of installed packages.

Each table has a group of entry points: `pincite.catalogs`, `pincite.indexes`, `pincite.vector_stores`,
`pincite.embedders`, `pincite.rerankers`. Kinds have a table of their own (`kinds/open.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import entry_points
from typing import TypeVar, cast

from pincite.errors import Unavailable, UnknownArgument

Offered = TypeVar("Offered")


def names(group: str, ours: Mapping[str, object]) -> tuple[str, ...]:
    """All names in a table, ours first. Nothing is loaded."""
    return (*ours, *sorted({point.name for point in entry_points(group=group)} - ours.keys()))


def named(what: str, name: str, group: str, ours: Mapping[str, Offered], *, field: str) -> Offered:
    """What has this name: ours, or else another package's, which is loaded only now.

    Another package cannot take a name of ours. `UnknownArgument` for a name that nobody has, `Unavailable` for a
    package that cannot be imported.
    """
    if name in ours:
        return ours[name]
    point = next((point for point in entry_points(group=group) if point.name == name), None)
    if point is None:
        raise UnknownArgument.named(what, name, names(group, ours), field=field)
    try:
        return cast("Offered", point.load())
    except (ImportError, AttributeError) as error:
        package = point.dist.name if point.dist else point.value
        raise Unavailable(f"the {what} {name!r} of the package {package!r} cannot be loaded: {error}") from error
