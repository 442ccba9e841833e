"""What CommonMark reads in a text: its headings, its fenced code, and the code and HTML in which nothing else is read.

markdown-it-py reads the blocks; what stands inside a line is never parsed. Our own rules are few:
- a heading without words is none, since nothing would name its section;
- neither is a heading in a block quote: it belongs to what is quoted;
- several lines over `---` are prose above a rule, and a table row or a footnote over it is not a title;
- converted files have headings with `#` only; an underline or a tag in them is text of the original.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.parser_block import RuleFuncBlockType
from markdown_it.rules_block import StateBlock, blockquote, list_block, reference
from markdown_it.token import Token

from pincite.kinds.documents import front_matter
from pincite.types import Span

MAX_NESTING = 24
"""Of lists (which count twice) and quotes. A mark that would nest deeper is text, and what follows is read as ever."""

_NEWLINE = re.compile(r"\r\n?|\n")
_FENCE_MARK = re.compile(r"`{3}|~{3}")
_NO_TITLE = re.compile(r"\||\[\^[^\]\s]{1,40}\]:")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading as found: where its lines are, how deep it lies, what it says."""

    span: Span
    level: int
    source: str


@dataclass(frozen=True, slots=True)
class Blocks:
    """The blocks of a text, each kind in order; spans are whole lines without the white space around them."""

    headings: tuple[Heading, ...] = ()
    fences: tuple[Span, ...] = ()
    """Fenced code with the lines of its fences."""
    silent: tuple[Span, ...] = ()
    """Code of either kind, and HTML."""


def read_blocks(text: str, file_type: str = "md") -> Blocks:
    """The blocks of a text behind its front matter. In plain text there are no headings, but fences are kept whole."""
    is_plain = file_type in ("txt", "plain")
    if is_plain and _FENCE_MARK.search(text) is None:
        return Blocks()
    start = text_start(text, file_type)
    tokens = _Tokens()
    # The parser is given what it would make of the text itself, with the same lines.
    source = _NEWLINE.sub("\n", text[start:]).replace("\0", "\ufffd")
    parser = _parser(as_written=file_type == "md")
    parser.block.parse(source, parser, {}, tokens)
    lines = [start, *(newline.end() for newline in _NEWLINE.finditer(text, start)), len(text)]
    fences = (_span(text, lines, token) for token in tokens if token.type == "fence")
    silent = (_span(text, lines, token) for token in tokens if token.type in _SILENT)
    headings = () if is_plain else _headings(text, lines, tokens)
    return Blocks(tuple(headings), tuple(fences), tuple(silent))


def text_start(text: str, file_type: str) -> int:
    """Where the text begins: behind the front matter of a Markdown file; what looks like one in others is text."""
    return front_matter.parse(text).end if file_type == "md" else 0


def inside(spans: Sequence[Span], within: Span) -> Sequence[Span]:
    """Those of the spans, which are in order, that overlap a stretch."""
    first = bisect_right(spans, within.start, key=lambda span: span.end)
    return spans[first : bisect_left(spans, within.end, key=lambda span: span.start)]


def between(spans: Sequence[Span], within: Span) -> Iterator[Span]:
    """What is left of a stretch without the spans."""
    at = within.start
    for span in inside(spans, within):
        if at < span.start:
            yield Span(at, span.start)
        at = span.end
    if at < within.end:
        yield Span(at, within.end)


def trimmed(text: str, start: int, end: int) -> Span:
    """The stretch without the white space around it."""
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return Span(start, end)


# --- from tokens to spans -------------------------------------------------------------------------------------

_SILENT = frozenset({"fence", "code_block", "html_block"})
_KEPT = _SILENT | {"heading_open", "blockquote_open", "blockquote_close"}


class _Tokens(list[Token]):
    """Only the tokens that are asked for: a file of short list items would fill the memory with the others."""

    def append(self, token: Token) -> None:
        last = self[-1].type if self else ""
        if token.type == "blockquote_close" and last == "blockquote_open":
            self.pop()
        elif token.type in _KEPT or (token.type == "inline" and last == "heading_open"):
            super().append(token)


def _headings(text: str, lines: Sequence[int], tokens: Sequence[Token]) -> Iterator[Heading]:
    quotes = 0
    for number, token in enumerate(tokens):
        quotes += (token.type == "blockquote_open") - (token.type == "blockquote_close")
        if token.type == "heading_open" and not quotes:
            source = tokens[number + 1].content
            if source and not (token.markup in "-=" and _is_no_title(token, source)):
                yield Heading(_span(text, lines, token), int(token.tag[1:]), source)


def _is_no_title(underlined: Token, source: str) -> bool:
    return (underlined.markup == "-" and "\n" in source) or _NO_TITLE.match(source) is not None


def _span(text: str, lines: Sequence[int], token: Token) -> Span:
    first, end = token.map or (0, 0)
    return trimmed(text, lines[first], lines[end])


# --- the parser -----------------------------------------------------------------------------------------------


class _AnyLink(MarkdownIt):
    """Takes the address of a link definition as it is: a page that is never rendered needs no safe addresses."""

    def normalizeLink(self, url: str) -> str:
        return url

    def validateLink(self, url: str) -> bool:  # noqa: ARG002 - the name is markdown-it's
        return True


@cache
def _parser(as_written: bool) -> MarkdownIt:
    """The block rules of CommonMark; without underlined headings and HTML unless a text is Markdown as written."""
    # The guard below holds first: beyond its own limit the parser would pass over the rest of the text.
    parser = _AnyLink("commonmark", {"maxNesting": 2 * MAX_NESTING})
    rules = parser.block.ruler
    rules.at("blockquote", _guarded(blockquote), {"alt": ["paragraph", "reference", "blockquote", "list"]})
    rules.at("list", _guarded(list_block), {"alt": ["paragraph", "reference", "blockquote"]})
    rules.at("reference", _forgotten(reference))
    if not as_written:
        parser.disable(["lheading", "html_block", "reference"])
    rules.getRules()  # compiles the rules, which two threads at once must not do
    return parser


def _guarded(rule: RuleFuncBlockType) -> RuleFuncBlockType:
    def read(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
        return state.level < MAX_NESTING and rule(state, start_line, end_line, silent)

    return read


def _forgotten(rule: RuleFuncBlockType) -> RuleFuncBlockType:
    """The rule for link definitions, which are nowhere used."""

    def read(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
        found = rule(state, start_line, end_line, silent)
        state.env.clear()
        return found

    return read
