"""Through time: the lives of an element, and what differs between two states — as far as the caller may read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pincite.citation import Citation
from pincite.protocols import Session
from pincite.search.passages import absent, may_read
from pincite.types import ElementChange, Lifetime, Revision, Scope, View


@dataclass(frozen=True, slots=True)
class Life:
    """One entry of an element's history."""

    lifetime: Lifetime
    name: str
    born: Revision
    died: Revision | None
    citation: str


def lives(catalog: Session, view: View, element_id: str) -> tuple[Life, ...]:
    """The lives of an element, oldest first. `Erased` or `NotFound` when the caller may read none."""
    lifetimes = [life for life in catalog.elements.history(view.scope, element_id) if may_read(view.roles, life)]
    if not lifetimes:
        raise absent(catalog, view, element_id)
    return tuple(_life(catalog, view.scope, lifetime) for lifetime in lifetimes)


def _life(catalog: Session, scope: Scope, lifetime: Lifetime) -> Life:
    version = catalog.elements.version(scope, lifetime.element_id, lifetime.version_id)
    born = catalog.commits.revision(scope, lifetime.born)
    assert version is not None and born is not None
    died = catalog.commits.revision(scope, lifetime.died)
    citation = str(Citation(scope, lifetime.element_id, lifetime.version_id))
    return Life(lifetime, version.content.name, born, died, citation)


def changes(catalog: Session, old: View, new: View) -> tuple[ElementChange, ...]:
    """What the new state has that the old one has not, judged by what these roles may read of both."""
    found = catalog.elements.diff(old.scope, old.revision, new.revision)
    if old.roles is None:
        return found
    return tuple(change for item in found if (change := _readable(catalog, old, new, item)) is not None)


def _readable(catalog: Session, old: View, new: View, change: ElementChange) -> ElementChange | None:
    history = [x for x in catalog.elements.history(old.scope, change.element_id) if may_read(old.roles, x)]
    before = _alive(history, old.revision)
    after = _alive(history, new.revision)
    if not before and not after:
        return None
    versions = tuple(x.version_id for x in before), tuple(x.version_id for x in after)
    shown = catalog.elements.version(old.scope, change.element_id, (after or before)[0].version_id)
    name = shown.content.name if shown else change.name
    told = replace(change, name=name, before=versions[0], after=versions[1])
    if not before or not after:
        return replace(told, change="removed" if before else "added")
    return None if before == after else told


def _alive(history: Sequence[Lifetime], revision: int) -> list[Lifetime]:
    return [lifetime for lifetime in history if lifetime.born <= revision < lifetime.died]
