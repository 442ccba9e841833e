"""Conversion in a process of its own: a file that hangs, crashes or fills the memory of a parser costs only itself."""

from __future__ import annotations

from pathlib import Path

from pincite import apart
from pincite.apart.limits import seconds_for
from pincite.kinds.documents.convert.converters import Converted
from pincite.kinds.documents.convert.here import ConversionFailed


def convert(path: Path, suffix: str, seconds: float | None = None) -> Converted:
    """The file as Markdown; `ConversionFailed` with the reason."""
    limit = seconds_for(path.stat().st_size) if seconds is None else seconds
    try:
        made = apart.ask(f"{__package__}.here:convert_here", path, suffix, seconds=limit)
    except apart.CallFailed as error:
        raise ConversionFailed(error.message) from error
    text, title, notes = made
    return Converted(str(text), str(title), tuple(map(str, notes)))
