"""What a heading says once its markup is gone, and the anchor it is known by."""

from __future__ import annotations

import html
import re

_ANCHOR = re.compile(r"[ \t]*\{#([^\s{}]+)[^{}]*\}[ \t]*\Z")
_SHORTCODE = re.compile(r"\{\{[<%][^{}]*?\"([^\"{}]*)\"[^{}\"]*[%>]\}\}")
_MARKUP = (
    (_SHORTCODE, r"\1"),
    (re.compile(r"\[\^[^\[\]\s]+\]"), ""),  # footnotes
    (re.compile(r"!?\[([^\[\]]*)\]\([^()]*(?:\([^()]*\)[^()]*)*\)"), r"\1"),
    (re.compile(r"!?\[([^\[\]]+)\]\[[^\[\]]*\]"), r"\1"),
    (re.compile(r"</?[A-Za-z][^<>]*>"), ""),
    (re.compile(r"`+([^`]+)`+"), r"\1"),
    (re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1"), r"\2"),
    (re.compile(r"(?<!\\)\*(?=\S)([^*]+)(?<=[^\s\\])\*"), r"\1"),  # inside words, too: **Art. 962***a*
    (re.compile(r"(?<!\w)_(?=\S)([^_]+)(?<=\S)_(?!\w)"), r"\1"),
    (re.compile(r"\\([!-/:-@\[-`{-~])"), r"\1"),
)
_NEEDS_WORK = re.compile(r"[*_`\[\]<&\\{]")
_NO_SLUG = re.compile(r"[^\w\- ]")
_MAX_MARKUP_CHARS = 2_000
"""Longer headings keep their markup: patterns with look-ahead take quadratic time on hostile ones."""


def explicit_anchor(source: str) -> tuple[str, str]:
    """The heading without a trailing `{#anchor}`, and the anchor ("" if there is none)."""
    match = _ANCHOR.search(source) if source.endswith("}") and len(source) <= _MAX_MARKUP_CHARS else None
    return (source[: match.start()], match.group(1)) if match else (source, "")


def plain_title(source: str) -> str:
    """The heading's text: links give their text, emphasis, code marks, tags and escapes go, white space is single."""
    if _NEEDS_WORK.search(source) and len(source) <= _MAX_MARKUP_CHARS:
        for pattern, replacement in _MARKUP:
            source = pattern.sub(replacement, source)
        source = html.unescape(source)
    return " ".join(source.split())


def slug(title: str) -> str:
    """The anchor that GitHub would give the heading: lower case, letters of all scripts kept, blanks as hyphens."""
    return _NO_SLUG.sub("", title.lower()).strip().replace(" ", "-") or "section"
