"""What views and filters leave of the rows, as SQL: the same predicate in every leg."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from pincite.index.sqlite_vec.store import SqliteVecFile
from pincite.queries import Among, Between, Filter, OneOf
from pincite.types import Scope, View

ROWS = "chunks c JOIN lives l ON l.id = c.life"


@dataclass(frozen=True, slots=True)
class ViewedRepository:
    """A view with the repository that it reads in this file."""

    view: View
    repository: int
    revision: int
    limited: bool
    """Whether some of its lifetimes are not in force on every day."""
    restated: bool
    """Whether metadata call some passage's language by another name than it has."""
    audiences: tuple[int, ...] | None
    """Those that the roles open; None for all."""


@dataclass
class Condition:
    """A condition over `ROWS` with its values; what is asked of the same rows is remembered under `key`."""

    sql: str
    values: dict[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> tuple[object, ...]:
        return self.sql, tuple(sorted(self.values.items()))

    def __and__(self, other: Condition) -> Condition:
        return Condition(f"({self.sql}) AND ({other.sql})", self.values | other.values)


def places(store: SqliteVecFile, keys: dict[Scope, str], views: Sequence[View]) -> list[ViewedRepository]:
    """The views whose repositories the file holds; `keys`: the names of their repositories in it."""
    found = []
    for view in views:
        row = store.all(_REPOSITORY, (keys[view.scope],)) if view.scope in keys else []
        for repository, revision, limited, restated in row:
            opened = _opened(store, view.roles)
            found.append(ViewedRepository(view, repository, revision, bool(limited), bool(restated), opened))
    return found


_REPOSITORY = "SELECT id, revision, limited, restated FROM repositories WHERE key = ?"


def _opened(store: SqliteVecFile, roles: frozenset[str] | None) -> tuple[int, ...] | None:
    if roles is None:
        return None
    audiences = store.all("SELECT id, roles FROM audiences ORDER BY id")
    opened = [number for number, names in audiences if names == "[]" or not roles.isdisjoint(json.loads(names))]
    return tuple(opened) if len(opened) < len(audiences) else None


def visible(places: Sequence[ViewedRepository], *, ever: bool = False) -> Condition:
    """Rows that the views may read; `ever`: alive, in force or not."""
    out = Condition("0")
    for number, place in enumerate(places):
        view, tag = place.view, f"v{number}"
        parts, values = [f"l.repository = :{tag}_repository"], {f"{tag}_repository": place.repository}
        if not ever:
            parts.append(f"l.born <= :{tag}_revision AND l.died > :{tag}_revision")
            values[f"{tag}_revision"] = view.revision
        if not ever and place.limited:
            parts.append(f"l.valid_from <= :{tag}_day AND l.valid_to > :{tag}_day")
            values[f"{tag}_day"] = view.valid_at.toordinal()
        if place.audiences is not None:
            parts.append(f"l.audience IN ({_numbers(place.audiences)})")
        one = Condition(" AND ".join(parts), values)
        out = one if number == 0 else Condition(f"{out.sql} OR {one.sql}", out.values | one.values)
    return out


def _numbers(values: Sequence[int]) -> str:
    return ", ".join(map(str, values))


def filtered(filters: Sequence[Filter]) -> Condition:
    """Rows that all filters leave."""
    out = Condition("1")
    for number, item in enumerate(filters):
        tag = f"f{number}"
        values: dict[str, Any] = {f"{tag}_field": item.field}
        if isinstance(item, OneOf):
            values[f"{tag}_values"] = json.dumps(item.values)
            accepts = f"f.value IN (SELECT value FROM json_each(:{tag}_values))"
        else:
            assert isinstance(item, Between)
            values |= {f"{tag}_low": item.low, f"{tag}_high": item.high}
            accepts = f"f.value >= :{tag}_low"
            if item.high:  # what begins like the upper end counts too: "2024-12" holds all of December
                accepts += f" AND (f.value <= :{tag}_high OR substr(f.value, 1, length(:{tag}_high)) = :{tag}_high)"
        one = Condition(_HOLDS.format(tag=tag, accepts=accepts), values)
        out = one if number == 0 else out & one
    return out


_HOLDS = """EXISTS (
    SELECT 1 FROM holds h JOIN facets f ON f.id = h.facet
    WHERE h.chunk = c.id AND f.field = :{tag}_field AND {accepts}
)"""


def among(places: Sequence[ViewedRepository], wanted: Among | None) -> Condition:
    """Rows of some elements only."""
    if wanted is None:
        return Condition("1")
    of = {place.view.scope: place.repository for place in places}
    pairs = sorted([of[scope], element_id] for scope, element_id in wanted.elements if scope in of)
    return Condition(_AMONG, {"elements": json.dumps(pairs)})


_AMONG = """l.element IN (
    SELECT e.id FROM json_each(:elements) j
    JOIN elements e ON e.repository = j.value ->> 0 AND e.element_id = j.value ->> 1
)"""
