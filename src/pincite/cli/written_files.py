"""Files that a command writes: checking the target, and writing."""

from __future__ import annotations

from pathlib import Path

from pincite.errors import InvalidArgument, NotFound


def check_target(path: str) -> None:
    """Raise if no file can be written there, before the long work starts."""
    target = Path(path).expanduser()
    if path and not target.parent.is_dir():
        raise NotFound(f"there is no folder {str(target.parent)!r} to write {target.name} into", field="out")
    if path and target.is_dir():
        raise InvalidArgument(f"{path} is a folder; choose a file", field="out")


def write_file(path: str, text: str) -> None:
    """Write the text to a file; lone surrogates, which UTF-8 cannot encode, are written as escapes."""
    Path(path).expanduser().write_text(text, encoding="utf-8", errors="backslashreplace")
