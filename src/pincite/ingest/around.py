"""Passages that show their neighbours: when an element changes, those around it are derived again.

A kind says how many steps along relations its passages look (`Declaration.neighbours`). The relations are those that
commits state; what a text states is made by its derivation, and cannot decide it as well.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from pincite.ids import normalise_id, version_id
from pincite.protocols import Kind, Session
from pincite.reading import Neighbour, Neighbourhood
from pincite.types import (
    AliveState,
    Change,
    Content,
    PutElement,
    PutRelation,
    Relation,
    RemoveElement,
    RemoveRelation,
    Scope,
    State,
)


@dataclass(frozen=True, slots=True)
class Rederived:
    """Changes whose passages show their neighbours."""

    changes: tuple[Change, ...]
    """Those that were given, in order, and then the elements around them whose passages differ now."""
    touched: frozenset[str]
    """Ids of what was looked at: whatever lies within reach of a change."""


def looking_around(kinds: Iterable[Kind]) -> dict[str, Kind]:
    """The kinds whose passages look at neighbours, by the kind of content that they write."""
    return {name: kind for kind in kinds if kind.declares.neighbours for name in kind.declares.content_kinds}


def rederive(
    session: Session,
    scope: Scope,
    head: int,
    changes: Sequence[Change],
    kinds: Mapping[str, Kind],
    touched: Collection[str] = (),
) -> Rederived:
    """Derive what the changes put, and what lies around it, as it will be once they are committed upon `head`.

    `touched`: elements that count as changed although no change names them.
    """
    graph = _Graph(session, scope, head, changes)
    steps = max(kind.declares.neighbours for kind in kinds.values())
    reached = graph.within({*graph.named, *map(normalise_id, touched)}, steps)
    graph.prepare(reached, steps)
    made: dict[str, PutElement] = {}
    for element_id in sorted(reached):
        put = _derived(graph, element_id, kinds)
        if put is not None:
            made[element_id] = put
    given = [_replaced(change, number, graph, made) for number, change in enumerate(changes)]
    beside = [put for element_id, put in made.items() if element_id not in graph.puts]
    return Rederived((*given, *beside), frozenset(reached))


def _replaced(change: Change, number: int, graph: _Graph, made: Mapping[str, PutElement]) -> Change:
    """The change with its passages derived, if it is the one that decides what its element is."""
    if not isinstance(change, PutElement):
        return change
    element_id = normalise_id(change.element_id)
    decides = element_id in made and graph.puts.get(element_id, (None, ()))[0] == number
    return replace(change, states=made[element_id].states) if decides else change


def _derived(graph: _Graph, element_id: str, kinds: Mapping[str, Kind]) -> PutElement | None:
    """The element with its passages; None where they do not look at neighbours, or are as they were."""
    put = graph.puts.get(element_id)
    if put is not None:
        if not all(state.content.kind in kinds for state in put[1]):
            return None
        states = [_state(graph, element_id, state.content, kinds) for state in put[1]]
        kept = [replace(old, derivation=new.derivation) for old, new in zip(put[1], states, strict=True)]
        return PutElement(element_id, tuple(kept))
    alive = graph.alive.get(element_id, ())
    if element_id in graph.ended or not alive or not all(state.content.kind in kinds for state in alive):
        return None
    again = [
        replace(
            _state(graph, element_id, state.content, kinds),
            roles=state.lifetime.roles,
            valid_from=state.lifetime.valid_from,
            valid_to=state.lifetime.valid_to,
        )
        for state in alive
    ]
    recipes = [state.derivation.recipe for state in again]
    return PutElement(element_id, tuple(again)) if recipes != [state.lifetime.recipe for state in alive] else None


def _state(graph: _Graph, element_id: str, content: Content, kinds: Mapping[str, Kind]) -> State:
    kind = kinds[content.kind]
    return State(content, kind.derive(element_id, content, graph.around(element_id, kind.declares.neighbours)))


class _Graph:
    """Elements and stated relations: as they are at a revision, and as they will be after some changes."""

    def __init__(self, session: Session, scope: Scope, head: int, changes: Sequence[Change]) -> None:
        self._session, self._scope, self._head = session, scope, head
        self.puts: dict[str, tuple[int, tuple[State, ...]]] = {}
        """Elements that the changes leave alive: the number of the change that decides, and the states."""
        self.ended: set[str] = set()
        """Elements that the changes end, some of which they put again: relations that started at them are over."""
        self.alive: dict[str, tuple[AliveState, ...]] = {}
        """Elements at the revision, as far as they are needed."""
        self._stated: dict[str, Relation | None] = {}
        """What the changes say of relations, by id; None: removed."""
        self._starting_at: defaultdict[str, set[str]] = defaultdict(set)
        """Ids of relations that the changes put, by their source."""
        self._before: dict[str, Relation] = {}
        self._looked_at: set[str] = set()
        for number, change in enumerate(changes):
            self._note(number, change)
        if self._stated:
            self._keep(session.relations.stated(scope, head, relation_ids=list(self._stated)))
        relations = (*filter(None, self._stated.values()), *self._before.values())
        self.named = {*self.puts, *self.ended, *(end for relation in relations for end in _ends(relation))}
        """Elements that the changes put or end, and both ends of the relations that they put or remove."""
        self._edges: defaultdict[str, dict[str, Relation]] = defaultdict(dict)

    def _note(self, number: int, change: Change) -> None:
        match change:
            case PutElement(element_id, states) if states:
                self.puts[normalise_id(element_id)] = (number, states)
            case PutElement(element_id) | RemoveElement(element_id):
                gone = normalise_id(element_id)
                self.puts.pop(gone, None)
                self.ended.add(gone)
                self._stated |= dict.fromkeys(self._starting_at.pop(gone, ()))
            case PutRelation(relation):
                relation_id = normalise_id(relation.relation_id)
                self._stated[relation_id] = relation
                self._starting_at[_ends(relation)[0]].add(relation_id)
            case RemoveRelation(relation_id):
                self._stated[normalise_id(relation_id)] = None

    def within(self, start: Collection[str], steps: int) -> set[str]:
        """What lies so many steps from these elements, before the changes or after them."""
        reached, frontier = set(start), set(start)
        for _ in range(steps):
            self._look_at(frontier)
            relations = [*self._before.values(), *filter(None, self._stated.values())]
            ends = {end for relation in relations for end in _ends(relation) if {*_ends(relation)} & frontier}
            frontier = ends - reached
            reached |= frontier
        return reached

    def prepare(self, elements: Collection[str], steps: int) -> None:
        """Read what the neighbourhoods of these elements need."""
        needed = self.within(elements, steps)
        for relation in self._after():
            for end in _ends(relation):
                self._edges[end][relation.relation_id] = relation
        unread = sorted(needed - self.puts.keys())
        self.alive = self._session.elements.alive(self._scope, self._head, unread) if unread else {}

    def around(self, element_id: str, steps: int) -> Neighbourhood:
        """What surrounds an element after the changes: the nearest first, then by type and id of the relation."""
        outgoing: list[Neighbour] = []
        incoming: list[Neighbour] = []
        walked, visited, frontier = set[str](), {element_id}, {element_id}
        for _ in range(steps):
            found: list[tuple[Relation, str, bool]] = []
            for here in sorted(frontier):
                for relation in self._edges[here].values():
                    if relation.relation_id not in walked:
                        walked.add(relation.relation_id)
                        source, target = _ends(relation)
                        found.append((relation, target if source == here else source, source == here))
            for relation, other, leaves in sorted(found, key=lambda edge: (edge[0].relation_type, edge[0].relation_id)):
                content = self._content(other)
                version = version_id(content) if content else ""
                (outgoing if leaves else incoming).append(Neighbour(relation, other, content, version))
            frontier = {other for _, other, _ in found} - visited
            visited |= frontier
        return Neighbourhood(tuple(outgoing), tuple(incoming))

    def _look_at(self, elements: Collection[str]) -> None:
        unseen = sorted(set(elements) - self._looked_at)
        if unseen:
            self._keep(self._session.relations.stated(self._scope, self._head, element_ids=unseen))
            self._looked_at.update(unseen)

    def _keep(self, relations: Iterable[Relation]) -> None:
        self._before |= {relation.relation_id: relation for relation in relations}

    def _after(self) -> Iterable[Relation]:
        """The relations that are known here, as they will be."""
        for relation_id, relation in self._before.items():
            if relation_id not in self._stated and _ends(relation)[0] not in self.ended:
                yield relation
        yield from filter(None, self._stated.values())

    def _content(self, element_id: str) -> Content | None:
        """What an element says after the changes; of several states the one that comes into force last."""
        if element_id in self.puts:
            states = self.puts[element_id][1]
            return max(states, key=lambda state: state.valid_from or date.min).content
        alive = () if element_id in self.ended else self.alive.get(element_id, ())
        return max(alive, key=lambda state: state.lifetime.valid_from or date.min).content if alive else None


def _ends(relation: Relation) -> tuple[str, str]:
    return normalise_id(relation.source), normalise_id(relation.target)
