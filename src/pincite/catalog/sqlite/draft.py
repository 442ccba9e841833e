"""What a commit would leave alive, worked out before anything is written.

Changes apply in order, but only the difference between what was alive and what is alive in the end is stored:
an element put twice leaves no trace of the first, and there and back again changes nothing.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass, field

from pincite.catalog.prepare import PreparedElement, PreparedRelation, PreparedState, StateKey
from pincite.errors import Conflict
from pincite.types import FOREVER, Outcome

_LIVE_STATES = f"""
    SELECT l.id, v.version_id, r.fingerprint, l.roles, l.valid_from, l.valid_to
    FROM elements e
    JOIN lifetimes l ON l.element = e.id AND l.died = {FOREVER}
    JOIN derivations d ON d.id = l.derivation
    JOIN versions v ON v.id = d.version
    JOIN recipes r ON r.id = d.recipe
    WHERE e.repository = ? AND e.element_id = ?
"""
_DIGEST = """
    SELECT d.digest
    FROM elements e
    JOIN versions v ON v.element = e.id AND v.version_id = ?
    JOIN recipes r ON r.repository = e.repository AND r.fingerprint = ?
    JOIN derivations d ON d.version = v.id AND d.recipe = r.id
    WHERE e.repository = ? AND e.element_id = ?
"""
_LIVE_RELATION = f"""
    SELECT id, relation_id, relation_type, source, target, source_section, target_section, metadata
    FROM relations
    WHERE repository = ? AND relation_id = ? AND died = {FOREVER}
"""
_LIVE_RELATIONS_FROM = f"SELECT relation_id FROM relations WHERE repository = ? AND source = ? AND died = {FOREVER}"


@dataclass(slots=True)
class DraftElement:
    before: dict[StateKey, int]
    """Live lifetimes in the file."""
    after: dict[StateKey, PreparedState | None]
    """What should be alive; None stands for a state that only the file knows."""


@dataclass(slots=True)
class DraftRelation:
    row_id: int
    before: tuple[str, ...] | None
    after: tuple[str, ...] | None


@dataclass(slots=True)
class Draft:
    connection: sqlite3.Connection
    repository: int
    elements: dict[str, DraftElement] = field(default_factory=dict)
    relations: dict[str, DraftRelation] = field(default_factory=dict)
    messages: set[str] = field(default_factory=set)
    _digests: dict[tuple[str, str, str], str] = field(default_factory=dict)

    def apply(self, change: PreparedElement | PreparedRelation) -> Outcome:
        """What became of the change, given the changes before it."""
        if isinstance(change, PreparedRelation):
            return self._apply_relation(change)
        element = self._element(change.element_id)
        for state in change.states:
            self._require_same_derivation(change.element_id, state)
        wanted: dict[StateKey, PreparedState | None] = {state.key: state for state in change.states}
        applied, added = wanted.keys() != element.after.keys(), bool(wanted) and not element.after
        if applied:
            element.after = wanted
            if not wanted:
                self._end_relations_from(change.element_id)
        version_ids = tuple(state.key[0] for state in change.states)
        return Outcome("applied" if applied else "unchanged", change.element_id, version_ids, added)

    def _apply_relation(self, change: PreparedRelation) -> Outcome:
        relation = self._relation(change.relation_id)
        applied = relation.after != change.relation
        relation.after = change.relation
        return Outcome("applied" if applied else "unchanged")

    def _element(self, element_id: str) -> DraftElement:
        if element_id not in self.elements:
            rows = self.connection.execute(_LIVE_STATES, (self.repository, element_id))
            before: dict[StateKey, int] = {(row[1], row[2], row[3], row[4], row[5]): row[0] for row in rows}
            self.elements[element_id] = DraftElement(before, dict.fromkeys(before))
        return self.elements[element_id]

    def _relation(self, relation_id: str) -> DraftRelation:
        if relation_id not in self.relations:
            row = self.connection.execute(_LIVE_RELATION, (self.repository, relation_id)).fetchone()
            live = tuple(row[1:]) if row else None
            self.relations[relation_id] = DraftRelation(row[0] if row else 0, live, live)
        return self.relations[relation_id]

    def _end_relations_from(self, element_id: str) -> None:
        for (relation_id,) in self.connection.execute(_LIVE_RELATIONS_FROM, (self.repository, element_id)).fetchall():
            self._relation(relation_id)
        for relation in self.relations.values():
            if relation.after is not None and relation.after[2] == element_id:
                relation.after = None

    def _require_same_derivation(self, element_id: str, state: PreparedState) -> None:
        version_id, recipe = state.key[:2]
        place = (element_id, version_id, recipe)
        if place not in self._digests:
            row = self.connection.execute(_DIGEST, (version_id, recipe, self.repository, element_id)).fetchone()
            self._digests[place] = row[0] if row else state.digest
        if self._digests[place] != state.digest:
            raise Conflict(
                f"{element_id!r}: recipe {recipe!r} cut version {version_id} differently before; nothing was changed; "
                "a recipe that makes other chunks needs another fingerprint"
            )
