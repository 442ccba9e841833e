"""Bytes become text: UTF-8, or UTF-16 that says so by its byte order mark. Newlines stay as they are."""

from __future__ import annotations

import codecs


def decode(data: bytes) -> str:
    """The text of the bytes; ValueError with the reason and what to do."""
    encoding = "utf-8-sig"
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        encoding = "utf-16"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        name = "UTF-16" if encoding == "utf-16" else "UTF-8"
        # utf-8-sig counts from behind the byte order mark.
        mark = len(codecs.BOM_UTF8) if encoding == "utf-8-sig" and data.startswith(codecs.BOM_UTF8) else 0
        raise ValueError(
            f"byte {error.start + mark} is not {name} ({error.reason}); save the file as UTF-8, "
            "for example: iconv -f WINDOWS-1252 -t UTF-8"
        ) from error
    if "\0" in text:
        at = data.index(b"\0") if encoding == "utf-8-sig" else 2 * text.index("\0") + 2
        raise ValueError(f"NUL at byte {at}: a binary file, not text; convert it to UTF-8 text first")
    return text
