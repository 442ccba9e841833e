"""Completions while typing: repositories, types, elements, versions and states, as the caller sees them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from mcp.types import CompleteRequestParams, CompleteResult, Completion

from pincite.errors import PinciteError
from pincite.serve.mcp.calls import caller_of, on_thread

if TYPE_CHECKING:
    from mcp.server import ServerRequestContext

    from pincite.library import Library
    from pincite.serve.desk import Desk

MAX_VALUES = 100
"""The protocol's limit for one answer."""


async def complete(
    params: CompleteRequestParams, desk: Callable[[], Desk], context: ServerRequestContext[Any, Any]
) -> CompleteResult:
    """Values that contain the typed text, those that begin with it first. Empty for other arguments."""
    known = (params.context.arguments if params.context else None) or {}
    typed = params.argument.value

    def ask() -> list[str]:
        opened = desk()
        library = opened.library_for(caller_of(context, opened), default_read_context="published")
        return _values(library, params.argument.name, known)

    try:
        values = await on_thread(desk, context, ask)
    except PinciteError:  # an unknown repository has no completions; the user is still typing
        values = []
    wanted = typed.casefold()
    found = [value for value in values if wanted in value.casefold()]
    found.sort(key=lambda value: not value.casefold().startswith(wanted))
    shown = Completion(values=found[:MAX_VALUES], total=len(found), has_more=len(found) > MAX_VALUES)
    return CompleteResult(completion=shown)


def _values(library: Library, name: str, known: Mapping[str, str]) -> list[str]:
    repository = known.get("repository", "")
    match name:
        case "repository":
            return [info.scope.repository for info in library.repositories()]
        case "element_type":
            return sorted(library.filters(repository or ()).get("element_type", {}))
        case "element":
            return list(library.elements(repository=repository))
        case "version" if known.get("element"):
            return [
                life.lifetime.version_id for life in reversed(library.history(known["element"], repository=repository))
            ]
        case "read_context":
            names = [item.name for item in library.baselines.list(repository=repository)]
            return ["head", "published", *(f"baseline:{item}" for item in names)]
    return []
