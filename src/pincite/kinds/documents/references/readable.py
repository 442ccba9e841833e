"""A text without its markup, in which references are read, and the way back from there to the source."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from pincite.kinds.documents import front_matter
from pincite.types import Span

_DROPPED = re.compile(
    r"\*+|</?(?:sup|sub|em|strong|b|i|u|a|span)\b[^<>\n]*>|\[\^[^\]\s]{1,40}\](?!:)|(?<![\w_])_+(?=\w)|(?<=\w)_+(?![\w_])"
)
_HIDDEN = re.compile(
    r"<!--.*?(?:-->|\Z)|^\[\^[^\]\s]{1,40}\]:[^\n]*(?:\n(?:[ \t]{2,}[^\n]+|(?=\n[ \t]{2,}))[^\n]*)*|`[^`\n]+`",
    re.DOTALL | re.MULTILINE,
)
_NO_NEWLINE = re.compile(r"[^\n]")


@dataclass(frozen=True, slots=True)
class Readable:
    """The words of a text; code, comments and footnotes are blanks, emphasis and tags are gone."""

    text: str
    source: str
    """As long as the source, with blanks for what is hidden: where links are looked for."""
    _plain: tuple[int, ...]
    _source: tuple[int, ...]
    """Where each kept stretch begins, here and in the source."""

    def span(self, start: int, end: int) -> Span:
        """A stretch of the readable text as it lies in the source."""
        return Span(self._back(start), self._back(end - 1) + 1 if end > start else self._back(start))

    def _back(self, at: int) -> int:
        number = bisect_right(self._plain, at) - 1
        return self._source[number] + at - self._plain[number]


def readable(text: str, fences: Sequence[Span], is_markdown: bool = True) -> Readable:
    """The text as it is read aloud; in Markdown that has this fenced code."""
    shown = _HIDDEN.sub(_blank, _without(text, fences)) if is_markdown else text
    end = front_matter.parse(text).end if is_markdown else 0
    shown = " " * end + shown[end:]
    parts: list[str] = []
    plain: list[int] = []
    source: list[int] = []
    length = at = 0
    for match in _DROPPED.finditer(shown):
        if match.start() > at:
            plain.append(length)
            source.append(at)
            parts.append(shown[at : match.start()])
            length += match.start() - at
        at = match.end()
    plain.append(length)
    source.append(at)
    parts.append(shown[at:])
    return Readable("".join(parts), shown, tuple(plain), tuple(source))


def _without(text: str, fences: Sequence[Span]) -> str:
    """The text with blanks for its fenced code."""
    parts, at = [], 0
    for fence in fences:
        parts += [text[at : fence.start], _NO_NEWLINE.sub(" ", text[fence.start : fence.end])]
        at = fence.end
    return "".join((*parts, text[at:]))


def _blank(hidden: re.Match[str]) -> str:
    return _NO_NEWLINE.sub(" ", hidden.group())
