"""Which kinds there are: ours in one table, those of other packages by the entry-point group `pincite.kinds`.

An entry point names a function that takes `KindSettings` and gives a `Kind`. It is loaded when its kind is asked for,
so that a broken package costs only its own kind, and says so with its name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points

from pincite.errors import PinciteError, Unavailable, UnknownArgument
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


def kind_names() -> tuple[str, ...]:
    """The names of all kinds: ours first, then those of other packages in order."""
    return (*OURS, *sorted(_others()))


def open_kind(name: str, settings: KindSettings | None = None) -> Kind:
    """The kind of this name, opened with its settings.

    `UnknownArgument` for a name that nobody has, `Unavailable` where the package that has it is broken.
    """
    opener = OURS.get(name)
    if opener is not None:
        return opener(settings or KindSettings())
    point = _others().get(name)
    if point is None:
        raise UnknownArgument.named("kind", name, kind_names(), field="kind")
    return _opened(point, settings or KindSettings())


def open_kinds(settings: Callable[[str], KindSettings]) -> OpenKinds:
    """All kinds, each with the settings for its name; a broken one of another package is left out, with the reason."""
    opened, problems = [], {}
    for name in kind_names():
        try:
            opened.append(open_kind(name, settings(name)))
        except Unavailable as problem:
            problems[name] = problem.message
    return OpenKinds(tuple(opened), problems)


@cache
def declared_fields() -> Mapping[str, float]:
    """The text fields of all kinds that can be opened, with their boosts."""
    return open_kinds(lambda _: KindSettings()).fields


def _others() -> dict[str, EntryPoint]:
    """Kinds of other packages by name; of two packages with one name the first found, as Python itself decides."""
    found: dict[str, EntryPoint] = {}
    for point in entry_points(group=GROUP):
        if point.name not in OURS:
            found.setdefault(point.name, point)
    return found


def _opened(point: EntryPoint, settings: KindSettings) -> Kind:
    """The kind behind an entry point; whatever somebody else's code raises is the fault of its package."""
    package = point.dist.name if point.dist else point.value
    try:
        opener = point.load()
    except Exception as problem:  # importing a package runs its code
        raise Unavailable(_broken(point, package, f"cannot be loaded: {_said(problem)}")) from problem
    if not callable(opener):
        raise Unavailable(_broken(point, package, f"names {point.value}, which is not a function"))
    try:
        kind: Kind = opener(settings)
    except PinciteError:
        raise  # the kind refuses its settings, in words of its own
    except Exception as problem:  # as above
        raise Unavailable(_broken(point, package, f"cannot be opened: {_said(problem)}")) from problem
    if kind.name != point.name:
        raise Unavailable(_broken(point, package, f"gives a kind that calls itself {kind.name!r}"))
    taken = next((name for name in kind.declares.content_kinds if name in RESERVED), "")
    if taken:
        raise Unavailable(_broken(point, package, f"writes contents of kind {taken!r}, which another kind has"))
    return kind


RESERVED = ("document", "tool")
"""What our kinds write."""


def _broken(point: EntryPoint, package: str, why: str) -> str:
    return f"the kind {point.name!r} of the package {package!r} {why}; update or uninstall {package}"


def _said(problem: Exception) -> str:
    return f"{type(problem).__name__}: {problem}"
