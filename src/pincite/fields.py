"""Text fields of passages: which ones every passage has, and in which order fields stand.

Each passage fills the structural fields; a kind may add others through `Chunk.fields`. Everything that sums over fields
does so in the one order given here, so that a score does not depend on which fields a store happens to hold.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

STRUCTURAL: Mapping[str, float] = {"content": 1.0, "headings": 2.0, "section": 2.0, "terms": 3.0}
"""Fields that every passage has → how much a word counts in them, unless a kind or a setting says otherwise.
`content` is the passage with its written context, `terms` are the terms that it defines."""

MAX_NAME = 40
_NAME = re.compile(r"[a-z][a-z0-9_]*")


def in_order(names: Iterable[str]) -> tuple[str, ...]:
    """The structural fields, then the others by name."""
    return (*STRUCTURAL, *sorted(set(names) - STRUCTURAL.keys()))


def is_field_name(name: str) -> bool:
    """Whether a kind may call a field of its own like this: a short word in lower case that is not taken."""
    return len(name) <= MAX_NAME and _NAME.fullmatch(name) is not None and name not in STRUCTURAL
