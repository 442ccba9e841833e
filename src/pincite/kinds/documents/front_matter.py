"""YAML front matter: the block between two `---` lines at the head of a Markdown file."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date

import yaml

from pincite.types import JsonValue

MAX_CHARS = 65_536
"""A longer block is text: nobody writes that much metadata by hand."""
MAX_DEPTH = 16
"""Of lists and mappings in one another. The parser calls itself for each, and metadata have one or two."""
MAX_VALUES = 20_000
"""With every alias written out: a block of this length cannot have as many without them."""

_BLOCK = re.compile(r"---[ \t]*\r?\n(.*?)(?:(?<=\n)(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z))", re.DOTALL)
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The values of the block and where the text after it begins; no values and 0 when there is no usable block."""

    values: Mapping[str, object] = field(default_factory=dict)
    end: int = 0
    note: str = ""
    """Why a block was left as text, "" when there was none or it was read."""
    rejected: str = ""
    """The block that was left as text."""


def parse(text: str) -> FrontMatter:
    """The front matter of a text. A block that is not a YAML mapping stays text, and the note says so."""
    block = _BLOCK.match(text, 0, MAX_CHARS)
    if block is None:
        return FrontMatter()
    try:
        _check(block.group(1))
        values = yaml.load(block.group(1), Loader=_LOADER)  # a safe loader, see above
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        reason = " ".join(str(error).split())[:200]
        return FrontMatter(
            note=f"front matter is not valid YAML and was left as text: {reason}", rejected=block.group(1)
        )
    if values is None:
        return FrontMatter(end=block.end())
    if not isinstance(values, dict):
        # Two horizontal rules with prose between them look like front matter and are none.
        return FrontMatter(note="front matter is not a mapping and was left as text", rejected=block.group(1))
    return FrontMatter({str(key): value for key, value in values.items()}, block.end())


def _check(block: str) -> None:
    """`YAMLError` for what would overflow the stack of the parser, or grow without end. Events are read in a loop."""
    totals = [0]
    anchors: list[str | None] = []
    sizes: dict[str, int] = {}
    for event in yaml.parse(block, Loader=_LOADER):
        if isinstance(event, yaml.CollectionStartEvent):
            totals.append(1)
            anchors.append(event.anchor)
            if len(totals) > MAX_DEPTH + 1:
                raise yaml.YAMLError(f"it is nested deeper than {MAX_DEPTH} levels")
        elif isinstance(event, yaml.CollectionEndEvent):
            size, anchor = totals.pop(), anchors.pop()
            totals[-1] += size
            if anchor:
                sizes[anchor] = size
        elif isinstance(event, yaml.AliasEvent):
            if event.anchor in anchors:
                raise yaml.YAMLError("a value in it refers to itself")
            totals[-1] += sizes.get(event.anchor or "", 1)
        if totals[-1] > MAX_VALUES:
            raise yaml.YAMLError(f"with its aliases it has more than {MAX_VALUES:,} values")


def to_json(value: object) -> JsonValue:
    """A scalar, or a list of scalars, as JSON: dates become ISO strings. TypeError for anything else."""
    if isinstance(value, list):
        return [_scalar(item) for item in value]
    return _scalar(value)


def _scalar(value: object) -> JsonValue:
    if isinstance(value, date):  # a datetime is one, too
        return value.isoformat()
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if value is None or isinstance(value, str | int | float | bool):
        return value
    raise TypeError(type(value).__name__)
