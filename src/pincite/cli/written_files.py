"""Files that a command writes: whether they can be, and how."""

from __future__ import annotations

from pathlib import Path

from pincite.errors import InvalidArgument, NotFound


def check_target(path: str) -> None:
    """Whether a file can be written there, asked before the long work begins."""
    target = Path(path).expanduser()
    if path and not target.parent.is_dir():
        raise NotFound(f"there is no folder {str(target.parent)!r} to write {target.name} into", field="out")
    if path and target.is_dir():
        raise InvalidArgument(f"{path} is a folder; name a file", field="out")


def write_file(path: str, text: str) -> None:
    """The text as a file; half of a character, which no file can hold, is written as an escape."""
    Path(path).expanduser().write_text(text, encoding="utf-8", errors="backslashreplace")
