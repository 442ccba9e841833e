"""Is a file what its suffix says? Asked before a parser sees it: wrong suffixes, passwords, archives that explode."""

from __future__ import annotations

import zipfile
from pathlib import Path

MAX_UNPACKED_BYTES = 1_000_000_000
"""Office files are archives; a real one with a thousand pictures stays below."""

_PARTS = {".docx": "word/", ".pptx": "ppt/", ".xlsx": "xl/"}
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


class Unreadable(Exception):
    """Why a file cannot be converted, and what to do."""


def check(path: Path, suffix: str) -> None:
    """`Unreadable` if the file is not what its suffix says."""
    with path.open("rb") as file:
        head = file.read(1024)
    if suffix == ".pdf" and b"%PDF-" not in head:
        raise Unreadable(f"not a PDF, despite its suffix ({_looks_like(head)}); rename it")
    if suffix in _PARTS:
        _check_office(path, suffix, head)


def _check_office(path: Path, suffix: str, head: bytes) -> None:
    if head.startswith(_OLE):
        raise Unreadable(f"password-protected, or in a format from before 2007; save it as {suffix} without a password")
    if not head.startswith(b"PK"):
        raise Unreadable(f"not a {suffix} file, despite its suffix ({_looks_like(head)}); rename it")
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
    except (zipfile.BadZipFile, ValueError) as error:
        raise Unreadable("truncated or damaged: the end of its archive is missing; fetch it again") from error
    unpacked = sum(member.file_size for member in members)
    if unpacked > MAX_UNPACKED_BYTES:
        raise Unreadable(f"it unpacks to {unpacked:,} bytes, more than {MAX_UNPACKED_BYTES:,}; split the file")
    if not any(member.filename.startswith(_PARTS[suffix]) for member in members):
        raise Unreadable(f"an archive, but not a {suffix} file: there is no {_PARTS[suffix]} in it; rename it")


def _looks_like(head: bytes) -> str:
    if not head:
        return "it is empty"
    known = ((b"%PDF-", "a PDF"), (b"PK", "a ZIP archive or Office file"), (_OLE, "an older Office file"))
    for mark, name in known:
        if head.startswith(mark):
            return f"it looks like {name}"
    if head.lstrip()[:5].lower() in (b"<html", b"<!doc"):
        return "it looks like HTML"
    return "its first bytes are of no known type"
