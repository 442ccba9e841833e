"""What a catalog refuses, whatever engine stores it. Each check raises `InvalidArgument` that names the field."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from datetime import date
from itertools import pairwise

from pincite.errors import InvalidArgument
from pincite.fields import is_field_name
from pincite.ids import normalise_id
from pincite.types import Chunk, Definition, Derivation, Scope, Span, State

MAX_NAME = 200
MAX_BASELINE_NAME = 100
RESERVED_BASELINES = ("head", "published")


def check_scope(scope: Scope) -> None:
    """Names of a scope are short, printable and not empty."""
    for field, value in (
        ("tenant", scope.tenant),
        ("organization", scope.organization),
        ("repository", scope.repository),
    ):
        if not 1 <= len(value) <= MAX_NAME or _has_control(value):
            raise InvalidArgument(
                f"{field} {value!r:.80} must have 1 to {MAX_NAME} characters and no control characters", field=field
            )


def check_baseline_name(name: str) -> str:
    """The name, if it can be one."""
    if not 1 <= len(name) <= MAX_BASELINE_NAME or _has_control(name):
        raise InvalidArgument(
            f"baseline name {name!r:.120} must have 1 to {MAX_BASELINE_NAME} characters and no control characters",
            field="name",
        )
    if name in RESERVED_BASELINES:
        raise InvalidArgument(
            f"{name!r} is reserved for selecting a state and cannot name a baseline; choose another name", field="name"
        )
    return name


def check_id(raw: str, field: str = "element_id") -> str:
    """The id in NFC. NUL is refused: engines end a text there, and two ids would become one."""
    if not raw or "\x00" in raw:
        raise InvalidArgument(f"{field} {raw!r:.80} is empty or holds a NUL character; give a readable id", field=field)
    return normalise_id(raw)


def check_states(element_id: str, states: Sequence[State]) -> None:
    """Validity must be ordered and disjoint, derivations must fit their text."""
    for state in states:
        if state.valid_from is not None and state.valid_to is not None and state.valid_from >= state.valid_to:
            raise InvalidArgument(
                f"{element_id!r}: valid_from {state.valid_from} is not before valid_to {state.valid_to} (exclusive)",
                field="valid_to",
            )
        check_derivation(element_id, state.content.text, state.derivation)
    ordered = sorted(states, key=lambda s: s.valid_from or date.min)
    for earlier, later in pairwise(ordered):
        if earlier.valid_to is None or later.valid_from is None or later.valid_from < earlier.valid_to:
            raise InvalidArgument(
                f"{element_id!r}: two states are valid at once (from {earlier.valid_from} to {earlier.valid_to}, "
                f"and from {later.valid_from}); end the earlier one first",
                field="valid_from",
            )


def check_derivation(element_id: str, text: str, derivation: Derivation) -> None:
    """Chunks are numbered from 0 and lie in the text; definitions point to a chunk; edges start at the element."""
    for position, chunk in enumerate(derivation.chunks):
        if chunk.number != position:
            raise InvalidArgument(
                f"{element_id!r}: chunk number {chunk.number} comes where {position} is expected; number them from 0",
                field="chunks",
            )
        _check_chunk(element_id, text, chunk)
    for definition in derivation.definitions:
        _check_definition(element_id, text, definition, len(derivation.chunks))
    for alias in derivation.aliases:
        if alias.span is not None:
            _check_span(element_id, text, alias.span, f"the place {alias.identifier!r}")
    for relation in derivation.relations:
        if normalise_id(relation.source) != element_id:
            raise InvalidArgument(
                f"{element_id!r}: derived relation {relation.relation_id!r} starts at {relation.source!r}; "
                "an element can only state its own edges, use PutRelation for others",
                field="relations",
            )
        check_id(relation.target, "target")
        check_id(relation.relation_id, "relation_id")


def _check_chunk(element_id: str, text: str, chunk: Chunk) -> None:
    if (chunk.span is None) == (chunk.rendered is None):
        raise InvalidArgument(
            f"{element_id!r}: chunk {chunk.number} needs either a span of the text or a rendered text", field="chunks"
        )
    if chunk.span is not None:
        _check_span(element_id, text, chunk.span, f"chunk {chunk.number}")
    names = [name for name, _ in chunk.fields]
    for name in names:
        if not is_field_name(name) or names.count(name) > 1:
            raise InvalidArgument(
                f"{element_id!r}: chunk {chunk.number} has a field {name!r:.80}; give each field once, under a name of"
                " lower-case letters, digits and _ that is not one of the structural fields",
                field="fields",
            )
    if chunk.page is not None and not 0 <= chunk.page < 2**31:
        raise InvalidArgument(
            f"{element_id!r}: chunk {chunk.number} is on page {chunk.page}, which is not a page number", field="page"
        )


def _check_definition(element_id: str, text: str, definition: Definition, chunks: int) -> None:
    if not 0 <= definition.chunk < chunks:
        raise InvalidArgument(
            f"{element_id!r}: the definition of {definition.term!r} points to chunk {definition.chunk}, "
            f"there are {chunks}",
            field="definitions",
        )
    if definition.span is not None:
        _check_span(element_id, text, definition.span, f"the definition of {definition.term!r}")


def _check_span(element_id: str, text: str, span: Span, what: str) -> None:
    if not 0 <= span.start <= span.end <= len(text):
        raise InvalidArgument(
            f"{element_id!r}: the span {span.start}-{span.end} of {what} lies outside the text, "
            f"which has {len(text)} characters",
            field="span",
        )


def _has_control(text: str) -> bool:
    return any(unicodedata.category(c) in ("Cc", "Cs") for c in text)
