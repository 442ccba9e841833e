"""JSON as the doors read it: input that parsers interpret differently is refused, not guessed at."""

from __future__ import annotations

import json
import math
from typing import Any

from pincite.errors import InvalidArgument

MAX_DIGITS = 300
"""Maximum length of a number in characters. No argument needs more, and long numbers are slow to parse."""
SHOWN = 20


def loads(body: bytes) -> Any:
    """The value; `InvalidArgument` for a repeated key or a number that is too long.

    `ValueError` or `RecursionError` if it is not JSON.
    """
    return json.loads(
        body, parse_constant=_no_number, parse_int=_whole, parse_float=_broken, object_pairs_hook=_without_twins
    )


def _without_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Parsers differ in which of two values they use (RFC 8259, 4), so a repeated key is refused."""
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            shown = name.encode("utf-8", "replace").decode()[:80]
            raise InvalidArgument(f"{shown!r} appears twice in the body; send it once", field=shown)
        found[name] = value
    return found


def _whole(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise _too_long(digits)
    return int(digits)


def _broken(digits: str) -> float:
    number = float(digits)
    if len(digits) > MAX_DIGITS or math.isinf(number):
        raise _too_long(digits)
    return number


def _too_long(digits: str) -> InvalidArgument:
    shown = digits if len(digits) <= SHOWN else f"{digits[:SHOWN]}… ({len(digits)} characters)"
    return InvalidArgument(f"the number {shown} in the body is larger or longer than any argument allows; shorten it")


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is not a number")
