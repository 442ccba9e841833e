"""Is a file what its suffix says? Asked before a parser sees it: wrong suffixes, passwords, archives that explode."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from pathlib import Path
from xml.parsers import expat

MAX_UNPACKED_BYTES = 1_000_000_000
"""Office files are archives; a real one with a thousand pictures stays below."""
MAX_TEXT_BYTES = 100_000_000
"""The parts of a document or presentation that hold its text: parsers build a tree of ten times the size in memory."""
MAX_EXPANSION = 200
"""How many times its size a file may unpack to, from `EXPANDING_BYTES` on. Text packs to a tenth, a sheet to less."""
EXPANDING_BYTES = 20_000_000
MAX_DEPTH = 200
"""Of elements in one another: tables in tables and boxes in shapes stay far below. Converters recurse into each."""

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
        archive = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, ValueError) as error:
        raise Unreadable("truncated or damaged: the end of its archive is missing; fetch it again") from error
    with archive:
        _check_parts(path, suffix, archive)


def _check_parts(path: Path, suffix: str, archive: zipfile.ZipFile) -> None:
    members = archive.infolist()
    _check_sizes(path, suffix, members)
    if not any(member.filename.startswith(_PARTS[suffix]) for member in members):
        raise Unreadable(f"an archive, but not a {suffix} file: there is no {_PARTS[suffix]} in it; rename it")
    if suffix != ".xlsx":
        _check_depth(archive, members)


def _check_sizes(path: Path, suffix: str, members: Sequence[zipfile.ZipInfo]) -> None:
    """By what the archive says of itself. Nothing of it is unpacked, and no reader unpacks more than it says."""
    unpacked = sum(member.file_size for member in members)
    if unpacked > MAX_UNPACKED_BYTES:
        raise Unreadable(f"it unpacks to {unpacked:,} bytes, more than {MAX_UNPACKED_BYTES:,}; split the file")
    packed = path.stat().st_size
    if unpacked > EXPANDING_BYTES and unpacked > MAX_EXPANSION * packed:
        raise Unreadable(
            f"it unpacks to {unpacked:,} bytes, more than {MAX_EXPANSION} times its size, as no real file does;"
            " save it again with the program that it comes from"
        )
    text = sum(member.file_size for member in members if _is_text(member))
    if suffix != ".xlsx" and text > MAX_TEXT_BYTES:  # sheets are read row by row
        raise Unreadable(f"its text unpacks to {text:,} bytes, more than {MAX_TEXT_BYTES:,}; split the file")


def _is_text(member: zipfile.ZipInfo) -> bool:
    return member.filename.endswith((".xml", ".rels"))


def _check_depth(archive: zipfile.ZipFile, members: Sequence[zipfile.ZipInfo]) -> None:
    """`Unreadable` for XML that is nested too deeply or defines entities: read as a stream, no tree is made of it."""
    for member in filter(_is_text, members):
        parser, depth = expat.ParserCreate(), _Depth(member.filename)
        parser.StartElementHandler, parser.EndElementHandler = depth.down, depth.up
        parser.StartDoctypeDeclHandler = depth.doctype
        try:
            with archive.open(member) as part:
                parser.ParseFile(part)
        except expat.ExpatError as error:
            raise Unreadable(f"damaged: {member.filename} is not XML ({error}); fetch it again") from error
        except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError) as error:
            raise Unreadable(f"damaged: {member.filename} cannot be unpacked ({error}); fetch it again") from error


class _Depth:
    """How deep a parser is."""

    def __init__(self, part: str) -> None:
        self._part, self._levels = part, 0

    def down(self, _name: str, _attributes: object) -> None:
        self._levels += 1
        if self._levels > MAX_DEPTH:
            raise Unreadable(f"{self._part} in it is nested deeper than {MAX_DEPTH} levels, as no real file is")

    def up(self, _name: str) -> None:
        self._levels -= 1

    def doctype(self, *_said: object) -> None:
        raise Unreadable(f"{self._part} in it declares a document type, as no office program does; save it again")


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
