"""What an answer says and what vectors hold, in bytes: for tests that two are the same to the last bit."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any

import pincite
from pincite.index.entries import embedded_key

TIMING = frozenset({"ms"})
HOW_IT_WAS_ASKED = frozenset({"selector", "baseline_id", "head", "note"})
"""Of a read context: a replay names the revision, and the head has moved on since."""
SEALED = frozenset({"token", "next_cursor"})
"""Only whether there is one: a seal names its library. Tests follow tokens and cursors instead."""


def said(body: Any, *without: Collection[str]) -> str:
    """The wire JSON; floats are written so that no bit is lost. Whatever else it will hold one day is compared too."""
    left_out = TIMING.union(*without)
    return json.dumps(_pruned(body, left_out), ensure_ascii=False, default=str)


def _pruned(value: Any, left_out: Collection[str]) -> Any:
    if isinstance(value, dict):
        kept = {key: _pruned(item, left_out) for key, item in value.items() if key not in left_out}
        return kept | {f"{key}?": bool(value[key]) for key in SEALED.intersection(left_out, value)}
    return [_pruned(item, left_out) for item in value] if isinstance(value, list | tuple) else value


def stored_vectors(library: pincite.Library) -> dict[str, bytes]:
    """The vectors of all that the library object may read, by the key of the text."""
    lives = [library.live(element) for element in library.elements()]
    keys = [embedded_key(live.version.content, chunk) for live in lives if live for chunk in live.derivation.chunks]
    return library.catalog.vectors.get(library.scope().tenant, library.embedder.fingerprint, keys)
