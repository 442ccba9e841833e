"""Which kinds there are: ours in one table, those of other packages by entry points of `pincite.kinds`.

An entry point names a function that takes `KindSettings` and gives a `Kind`. It is loaded when its kind is asked for,
so that a package that cannot be imported costs only its own kind.

Ours read and cut files in a process of its own (`confined.py`); what another package reads, it reads in ours.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache

from pincite import plugins
from pincite.errors import MissingExtra, Unavailable, UnknownArgument
from pincite.kinds.confined import ConfinedKind
from pincite.kinds.options import KindSettings
from pincite.protocols.kind import Kind
from pincite.protocols.open_kinds import OpenKinds

GROUP = "pincite.kinds"

Opener = Callable[[KindSettings], Kind]


def _documents(settings: KindSettings) -> Kind:
    from pincite.kinds.documents.kind import DocumentsKind

    _refuse_own("documents", settings)
    return DocumentsKind(settings.cut)


def _tools(settings: KindSettings) -> Kind:
    from pincite.kinds.tools.kind import ToolsKind

    _refuse_own("tools", settings)
    return ToolsKind()


def _refuse_own(name: str, settings: KindSettings) -> None:
    """For a kind without settings of its own."""
    if settings.own:
        unknown = min(settings.own)
        raise UnknownArgument.named(f"setting of the kind {name!r}:", unknown, (), field=f"kinds.{name}.{unknown}")


OURS: Mapping[str, Opener] = {"documents": _documents, "tools": _tools}
"""Another package cannot take a name of ours."""
RESERVED = ("document", "tool")
"""Values of `Content.kind` that our kinds write."""


def kind_names() -> tuple[str, ...]:
    """The names of all kinds: ours first, then those of other packages in order."""
    return plugins.names(GROUP, OURS)


def open_kind(name: str, settings: KindSettings | None = None) -> Kind:
    """The kind of this name, opened with its settings.

    `UnknownArgument` for a name that nobody has, `Unavailable` for a package whose kind cannot be used.
    """
    kind = plugins.named("kind", name, GROUP, OURS, field="kind")(settings or KindSettings())
    if kind.name != name:
        raise Unavailable(f"the kind {name!r} calls itself {kind.name!r}; its entry point must have the same name")
    taken = next((written for written in kind.declares.content_kinds if written in RESERVED), "")
    if taken and name not in OURS:
        raise Unavailable(f"the kind {name!r} writes contents of kind {taken!r}, a name reserved for Pincite")
    return ConfinedKind(kind, OURS[name], settings or KindSettings()) if name in OURS else kind


def open_kinds(settings: Callable[[str], KindSettings]) -> OpenKinds:
    """All kinds, each with the settings for its name; one that cannot be opened is left out, with the reason."""
    opened, problems = [], {}
    for name in kind_names():
        try:
            opened.append(open_kind(name, settings(name)))
        except (Unavailable, MissingExtra) as problem:
            problems[name] = problem.message
    return OpenKinds(tuple(opened), problems)


@cache
def declared_fields() -> Mapping[str, float]:
    """The text fields of all kinds that can be opened, with their boosts."""
    return open_kinds(lambda _: KindSettings()).fields
