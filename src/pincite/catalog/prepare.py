"""Changes, checked and reduced to the identities and JSON texts that any engine stores."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TypeAlias

from pincite.catalog.validate import check_id, check_states
from pincite.errors import InvalidArgument
from pincite.ids import embedded_hash, text_hash, version_id
from pincite.types import (
    Change,
    Chunk,
    Content,
    Derivation,
    JsonValue,
    PutElement,
    PutRelation,
    Relation,
    RemoveElement,
    RemoveRelation,
    State,
)

StateKey: TypeAlias = tuple[str, str, str, str | None, str | None]
"""Version id, recipe, roles, valid from, valid to: equal keys are one state."""


@dataclass(frozen=True, slots=True)
class PreparedState:
    key: StateKey
    content: Content
    metadata: str
    derivation: Derivation
    digest: str
    """Hash of the derivation: a recipe must give the same one again."""


@dataclass(frozen=True, slots=True)
class PreparedElement:
    element_id: str
    states: tuple[PreparedState, ...]
    """Empty: the element is removed."""
    message_id: str


@dataclass(frozen=True, slots=True)
class PreparedRelation:
    relation_id: str
    relation: tuple[str, ...] | None
    """The columns of the relation, in the order of `relation_row`; None: the relation is removed."""
    message_id: str


Prepared: TypeAlias = PreparedElement | PreparedRelation


def prepare(change: Change) -> Prepared:
    """The change in stored form; `InvalidArgument` when it cannot be stored."""
    try:
        match change:
            case PutElement(raw, states, message_id):
                element_id = check_id(raw)
                check_states(element_id, states)
                return PreparedElement(element_id, tuple(_state(s) for s in states), message_id)
            case RemoveElement(raw, message_id):
                return PreparedElement(check_id(raw), (), message_id)
            case PutRelation(relation, message_id):
                row = relation_row(relation)
                return PreparedRelation(row[0], row, message_id)
            case RemoveRelation(raw, message_id):
                return PreparedRelation(check_id(raw, "relation_id"), None, message_id)
    except UnicodeEncodeError as error:
        raise InvalidArgument(f"text holds a lone surrogate, which is not a character: {error.object!r:.80}") from error


def relation_row(relation: Relation) -> tuple[str, ...]:
    """Relation id, type, source, target, source section, target section, metadata as JSON."""
    row = (
        check_id(relation.relation_id, "relation_id"),
        relation.relation_type,
        check_id(relation.source, "source"),
        check_id(relation.target, "target"),
        relation.source_section,
        relation.target_section,
        to_json(dict(relation.metadata)),
    )
    "".join(row).encode()
    return row


def embedded_text_hash(chunk: Chunk, text: str) -> str:
    """Identity of the text that is embedded for a chunk: its context, if any, and its passage."""
    passage = passage_of(chunk, text)
    return embedded_hash(chunk.context, passage)


def passage_of(chunk: Chunk, text: str) -> str:
    """What is cited: the rendered text, or the span cut out of the stored text."""
    if chunk.rendered is not None:
        return chunk.rendered
    assert chunk.span is not None
    return text[chunk.span.start : chunk.span.end]


def to_json(value: JsonValue) -> str:
    """Canonical JSON, so that equal values are equal texts."""
    try:
        return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InvalidArgument(f"metadata is not a JSON value: {error}", field="metadata") from error


def fields_json(chunk: Chunk) -> str:
    """The further fields of a chunk, in their order."""
    return to_json([[name, text] for name, text in chunk.fields])


def roles_json(roles: frozenset[str]) -> str:
    return to_json(list[JsonValue](sorted(roles)))


def _state(state: State) -> PreparedState:
    metadata = to_json(dict(state.content.metadata))
    content = state.content
    for text in (content.text, content.name, content.kind, content.element_type, content.language, metadata):
        text.encode()
    return PreparedState(
        key=(
            version_id(content),
            state.derivation.recipe,
            roles_json(state.roles),
            state.valid_from.isoformat() if state.valid_from else None,
            state.valid_to.isoformat() if state.valid_to else None,
        ),
        content=content,
        metadata=metadata,
        derivation=state.derivation,
        digest=_digest(state.derivation),
    )


def _digest(derivation: Derivation) -> str:
    parts: list[JsonValue] = [
        [
            [
                c.span.start if c.span else None,
                c.span.end if c.span else None,
                c.rendered,
                c.section_id,
                list[JsonValue](c.parent_chain),
                c.chunk_type,
                c.language,
                c.page,
                c.context,
                # Left out where there are none, as before there were any: what was stored then must not look changed.
                *([[[name, text] for name, text in c.fields]] if c.fields else ()),
            ]
            for c in derivation.chunks
        ],
        [
            [d.term, d.text, d.chunk, d.span.start if d.span else None, d.span.end if d.span else None, d.scope]
            for d in derivation.definitions
        ],
        # Likewise without a span.
        [[a.identifier, a.section_id, *([a.span.start, a.span.end] if a.span else ())] for a in derivation.aliases],
        [list[JsonValue](relation_row(r)) for r in derivation.relations],
        derivation.recipe,
    ]
    canonical = to_json(parts)
    canonical.encode()  # refuses lone surrogates, which the hash would let pass
    return text_hash(canonical)
