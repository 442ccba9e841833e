"""Which strings of an element's metadata can be filtered on."""

from __future__ import annotations

import re
from collections.abc import Mapping

from pincite.types import JsonValue

MAX_FILTER_VALUE = 200
"""Longer metadata values are kept and shown, but cannot be filtered on."""
_ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}(?!\d)")


def is_iso_date(text: str) -> bool:
    """Whether dates written like this sort as they should; a filter does not treat others as dates."""
    return _ISO_DATE.match(text) is not None


def filter_values(value: JsonValue) -> list[str]:
    """A metadata value as the strings that a filter compares; lists give several, objects none."""
    if isinstance(value, list):
        return [text for item in value if not isinstance(item, list) for text in filter_values(item)]
    if value is None or isinstance(value, dict):
        return []
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return [text] if len(text) <= MAX_FILTER_VALUE else []


def filterable(metadata: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """What of a row's metadata can be filtered on; a corpus may carry whole texts beside it."""
    return {str(key): value for key, value in metadata.items() if filter_values(value)}


def stated_language(metadata: Mapping[str, JsonValue]) -> str:
    """The language that a row's metadata name by its code; "" where they do not."""
    stated = str(metadata.get("lang") or metadata.get("language") or "")
    return stated if len(stated) == 2 else ""
