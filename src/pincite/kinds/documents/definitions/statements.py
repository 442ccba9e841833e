"""Statements: the paragraphs, list items and definition-list entries of a section, without their marks.

Tables, code, comments and headings state nothing here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pincite.kinds.documents.markdown import inside
from pincite.types import Span

_ORDINAL = r"(?:bis|ter|quater|quinquies|sexies|septies|octies)?"
_MARK = re.compile(
    rf"(?P<bullet>[-+>•–—]|\*(?=[ \t]))[ \t]+"
    rf"|<sup>(?P<raised>\w{{1,12}})</sup>[ \t]*"
    rf"|\(?(?:(?P<letter>[a-z])|(?P<number>\d{{1,3}})|(?P<roman>[ivx]{{1,5}})){_ORDINAL}(?:\)"
    rf"|\.)(?:\[\^\w+\])?(?:[ \t]+|(?=\s*$))"
    rf"|(?P<decimal>\d{{1,3}}(?:\.\d{{1,3}})+)\.?[ \t]+"
    rf"|(?P<bare>\d{{1,2}}){_ORDINAL}[ \t]+(?=[\"“„«*_\s]{{0,4}}[A-ZÀ-Þ])"
)
_INLINE = re.compile(rf"(?:(?<=[:;.,])|(?<=[:;.,]\s))[a-z]{_ORDINAL}\s?\.\s")
_LINE = re.compile(r"[^\n]*\n|[^\n]+\Z")
_TABLE = re.compile(r"[ \t]*\|")
_MEANING = re.compile(r"[ ]{0,3}:[ \t]+(?=\S)")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_ENDED = (".", ";", ":", ")", ",", "!", "?")


@dataclass(frozen=True, slots=True)
class Statement:
    """A stretch of text that belongs together."""

    span: Span
    """Behind its marks."""
    mark: str = ""
    """Which kind of mark stands before it: bullet, letter, number, roman, decimal, raised, bare; "" for a paragraph."""
    meaning: int = 0
    """In a definition list: where the meaning begins, behind the line that names the term."""

    def text(self, source: str) -> str:
        return source[self.span.start : self.span.end]


def statements(text: str, body: Span, fences: Sequence[Span]) -> list[Statement]:
    """What a section states, in order."""
    found = (_trimmed(text, start, end, mark, meaning) for start, end, mark, meaning in _raw(text, body, fences))
    return [statement for statement in found if statement.span.start < statement.span.end]


def inline_items(text: str, span: Span) -> list[Span]:
    """The items of a list that runs on in one paragraph ("… means: a. this; b. that"); one span if it is not a list."""
    starts = [match.end() for match in _INLINE.finditer(text, span.start, span.end)]
    ends = [match.start() for match in _INLINE.finditer(text, span.start, span.end)]
    bounds = zip([span.start, *starts], [*ends, span.end], strict=True)
    return [_trimmed(text, start, end, "", 0).span for start, end in bounds if text[start:end].strip()]


def _raw(text: str, body: Span, fences: Sequence[Span]) -> Iterator[tuple[int, int, str, int]]:
    hidden = [(match.start(), match.end()) for match in _COMMENT.finditer(text, body.start, body.end)]
    start, mark, meaning, lines = -1, "", 0, 0
    for line in _LINE.finditer(text, body.start, body.end):
        words = line.group()
        silent = (
            not words.strip()
            or bool(inside(fences, Span(line.start(), line.end())))
            or _TABLE.match(words) is not None
            or any(first <= line.start() + len(words) - len(words.lstrip()) < last for first, last in hidden)
        )
        if silent:
            if start >= 0:
                yield start, line.start(), mark, meaning
            start, meaning, lines = -1, 0, 0
            continue
        if start >= 0 and lines == 1 and not meaning and (colon := _MEANING.match(words)):
            meaning = line.start() + colon.end()
            lines += 1
            continue
        kind, at = _marks(text, line.start(), line.end())
        ended = start < 0 or text[start : line.start()].rstrip().endswith(_ENDED)
        if start < 0 or (kind and (kind != "bare" or ended)):
            if start >= 0:
                yield start, line.start(), mark, meaning
            start, mark, meaning, lines = at, kind, 0, 1
        else:
            lines += 1
    if start >= 0:
        yield start, body.end, mark, meaning


def _marks(text: str, start: int, end: int) -> tuple[str, int]:
    """The kind of the last mark at the start of a line, and where the words begin."""
    at = start + len(text[start:end]) - len(text[start:end].lstrip())
    kind = ""
    while match := _MARK.match(text, at, end):
        if match.lastgroup == "bare" and kind:
            break
        kind, at = match.lastgroup or "", match.end()
    return kind, at


def _trimmed(text: str, start: int, end: int, mark: str, meaning: int) -> Statement:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return Statement(Span(start, end), mark, meaning)
