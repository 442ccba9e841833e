"""JSON as the doors read it: what readers of JSON understand differently is refused, not guessed at."""

from __future__ import annotations

import json
from typing import Any

from pincite.errors import InvalidArgument


def loads(body: bytes) -> Any:
    """The value; `InvalidArgument` names a key that is given twice, `ValueError` or `RecursionError`: it is no JSON."""
    return json.loads(body, parse_constant=_no_number, object_pairs_hook=_without_twins)


def _without_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Which of two values a reader takes depends on the reader (RFC 8259, 4), so neither is taken."""
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            shown = name.encode("utf-8", "replace").decode()[:80]
            raise InvalidArgument(f"{shown!r} is given twice in the body; give it once", field=shown)
        found[name] = value
    return found


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no number")
