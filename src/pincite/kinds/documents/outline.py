"""The sections of a Markdown or text file: which heading governs which stretch of the text.

Of Markdown, CommonMark says what is a heading (`markdown.py`); beyond it, the bold number of an article that begins a
line ("**Art. 5** …") is a heading below all others. In plain text only numbered headings on a line of their own count,
and in doubt a line is not a heading.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pincite.kinds.documents.markdown import Blocks, Heading, between, read_blocks, text_start, trimmed
from pincite.kinds.documents.numbering import heading_number
from pincite.text.titles import explicit_anchor, plain_title, slug
from pincite.types import Span


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and the text up to the next one; what precedes the first is a section of level 0 without title."""

    title: str
    level: int
    heading: Span | None
    body: Span
    section_id: str = ""
    chain: tuple[str, ...] = ()
    """Titles of the headings above, outermost first, its own last."""
    spellings: tuple[str, ...] = ()
    """How its number may be written in a query."""


def outline(text: str, file_type: str = "md", blocks: Blocks | None = None) -> list[Section]:
    """The sections of the text in order; together, heading and body spans cover it from the end of the front matter.

    A text of type `plain` has none: it comes from somewhere that has headings of its own, and none are guessed.
    Without its blocks they are read.
    """
    if file_type in ("txt", "plain"):
        return _sections(text, 0, [] if file_type == "plain" else list(_text_headings(text)))
    start = text_start(text, file_type)
    return _sections(text, start, _markdown_headings(text, start, blocks or read_blocks(text, file_type)))


# --- Markdown -------------------------------------------------------------------------------------------------

_BOLD_ARTICLE = re.compile(
    r"(?P<article>\*\*(?:Art\.?|Article|Artikel|Articolo|§|Section|Sec\.)[ \u00a0]?\d[^\r\n*]{0,20}\*\*)[^\r\n]*"
)


def _markdown_headings(text: str, start: int, blocks: Blocks) -> list[Heading]:
    """The headings of CommonMark, and outside code, HTML and headings the lines that begin with a bold article."""
    taken = sorted((*blocks.silent, *(heading.span for heading in blocks.headings)), key=lambda span: span.start)
    articles = (
        _article(text, mark)
        for stretch in between(taken, Span(start, len(text)))
        for mark in _BOLD_ARTICLE.finditer(text, stretch.start, stretch.end)
        if _begins_line(text, mark.start())
    )
    return sorted((*blocks.headings, *articles), key=lambda heading: heading.span.start)


def _begins_line(text: str, at: int) -> bool:
    """Whether nothing but an indentation of up to three blanks stands before a place in its line."""
    before = text[max(0, at - 4) : at].rstrip(" ")
    return before.endswith(("\r", "\n")) if before else at < 4


_ARTICLE_LEVEL = 7
_ARTICLE_TITLE = 200
"""A longer line is the article itself; then its number alone is the heading."""


def _article(text: str, mark: re.Match[str]) -> Heading:
    whole = mark.end() - mark.start() <= _ARTICLE_TITLE
    span = trimmed(text, mark.start("article"), mark.end() if whole else mark.end("article"))
    number = mark["article"].strip("*")
    rest = text[mark.end("article") : span.end].strip()
    # Converters of statutes write "**Art. 5** Art. 5 Title".
    return Heading(span, _ARTICLE_LEVEL, rest if rest.startswith(number) else text[span.start : span.end])


# --- plain text -----------------------------------------------------------------------------------------------

_LINE = re.compile(r"^[ \t]{0,3}(?=[^\r\n]{1,120}\r?$)((?:§|\d|[^\W\d_])[^\r\n]*?)[ \t]*\r?$", re.MULTILINE)
_LIST_ITEM = re.compile(r"\s*\d{1,3}[.)]?\s")
_MAX_TITLE_WORDS = 12
_ENDS_SENTENCE = (".", ",", ";", ":", "!", "?")


def _text_headings(text: str) -> Iterator[Heading]:
    for line in _LINE.finditer(text):
        source = line.group(1)
        number = heading_number(source)
        if number is None or number.section_id.isalpha() or not _blank_before(text, line.start()):
            continue
        title = source[number.end :].strip(" \t.:–-")
        following = text[line.end() : line.end() + 400]
        blank_after = not following.strip("\r\n \t") or re.match(r"\r?\n[ \t]*\r?\n", following) is not None
        bare = number.keyword and not title
        if not (blank_after or bare) or not _is_title(title, bare):
            continue
        if not number.keyword and "." not in number.section_id and _LIST_ITEM.match(following.lstrip()):
            continue  # one of a list of numbered items
        yield Heading(Span(line.start(1), line.end(1)), number.depth, source)


def _blank_before(text: str, start: int) -> bool:
    before = text[max(0, start - 80) : start]
    return not before.strip() or re.search(r"\n[ \t]*\r?\n\Z", before) is not None


def _is_title(title: str, bare: bool) -> bool:
    """Whether the words behind a number read like a title rather than like a sentence."""
    if bare:
        return True
    words = title.split()
    return 0 < len(words) <= _MAX_TITLE_WORDS and not title[0].islower() and not title.endswith(_ENDS_SENTENCE)


# --- sections -------------------------------------------------------------------------------------------------


def _sections(text: str, start: int, headings: list[Heading]) -> list[Section]:
    first = headings[0].span.start if headings else len(text)
    sections = [Section("", 0, None, Span(start, first))] if text[start:first].strip() else []
    ends = [*(heading.span.start for heading in headings), len(text)][1:]
    taken = _Ids()
    above: list[Section] = []
    for heading, end in zip(headings, ends, strict=True):
        while above and above[-1].level >= heading.level:
            above.pop()
        section = _section(heading, end, above[-1] if above else None, taken)
        sections.append(section)
        above.append(section)
    return sections


def _section(heading: Heading, end: int, parent: Section | None, taken: _Ids) -> Section:
    source, anchor = explicit_anchor(heading.source)
    title = plain_title(source) or source
    number = heading_number(title)
    above = parent.chain if parent else ()
    if number:
        wanted = [number.section_id, *([f"{parent.section_id}/{number.section_id}"] if parent else ())]
    else:
        wanted = [anchor or slug(title)]
    return Section(
        title=title,
        level=heading.level,
        heading=heading.span,
        body=Span(heading.span.end, end),
        section_id=taken.take(wanted),
        chain=(*above, title),
        spellings=number.spellings if number else (),
    )


class _Ids:
    """The section ids given so far."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._next: dict[str, int] = {}

    def take(self, wanted: Iterable[str]) -> str:
        """The first of the wanted ids that is free, else the last one with -1, -2 …"""
        last = ""
        for last in wanted:
            if last not in self._taken:
                self._taken.add(last)
                return last
        number = self._next.get(last, 1)
        while f"{last}-{number}" in self._taken:
            number += 1
        self._next[last] = number + 1
        self._taken.add(f"{last}-{number}")
        return f"{last}-{number}"
