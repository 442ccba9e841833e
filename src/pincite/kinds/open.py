"""Which kinds there are: ours in one table, those of other packages by the entry-point group `pincite.kinds`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import entry_points
from typing import cast

from pincite.errors import UnknownArgument
from pincite.kinds.documents.cut import CutOptions
from pincite.protocols.kind import Kind

GROUP = "pincite.kinds"


@dataclass(frozen=True, slots=True)
class KindSettings:
    """What a kind is opened with."""

    cut: CutOptions = field(default_factory=CutOptions)
    """How long passages are: the same for every kind that cuts texts."""
    own: Mapping[str, object] = field(default_factory=dict)
    """What the configuration says under the kind's name; the kind checks it."""


Opener = Callable[[KindSettings], Kind]


def _documents(settings: KindSettings) -> Kind:
    from pincite.kinds.documents.kind import DocumentsKind

    return DocumentsKind(settings.cut)


_OURS: Mapping[str, Opener] = {"documents": _documents}


@cache
def openers() -> Mapping[str, Opener]:
    """All kinds by name. Another package cannot take a name of ours."""
    others = {point.name: cast("Opener", point.load()) for point in entry_points(group=GROUP)}
    return {**others, **_OURS}


def open_kind(name: str, settings: KindSettings | None = None) -> Kind:
    """The kind of this name, opened with its settings."""
    known = openers()
    if name not in known:
        raise UnknownArgument.named("kind", name, known, field="kind")
    return known[name](settings or KindSettings())
