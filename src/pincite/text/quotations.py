"""Quotations: which passages a draft quotes, and which citation belongs to each.

A quotation is text in quotation marks (English, German, French, Italian) or in a Markdown block quote. Its citation is
the first of these: one that follows directly, in brackets or as a link; the footnote or source number that follows
directly (`[1]`), looked up where a line begins with it; one named earlier in its sentence; the next in its paragraph,
unless that directly follows the quotation of a later sentence; the last one before it in its paragraph.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pincite.errors import InvalidArgument
from pincite.types import Span

LEAST_WORDS = 3
"""Shorter quotations are names or scare quotes, unless a citation is next to them."""

MAX_QUOTATIONS = 200
"""Each quotation costs one search."""

_MARKS = (("“", "”"), ("„", "“”"), ("«", "»"), ("»", "«"), ('"', '"'))
_QUOTED = re.compile(
    "|".join(rf"{first}(?P<q{n}>[^{first}{last}]{{1,20000}}?)[{last}]" for n, (first, last) in enumerate(_MARKS))
)
_BLOCK = re.compile(r"(?:^[ \t]{0,3}>[^\n]*(?:\n|\Z))+", re.MULTILINE)
_MARGIN = re.compile(r"^[ \t]{0,3}>[ \t]?", re.MULTILINE)
_CITED = re.compile(r"pincite:[^\s<>()\[\]{}\"'“”„«»`|]+")
_AT_ONCE = re.compile(r"[\s.,;:!?…*_—–-]*[(\[<][^()\[\]\n]{0,200}?(?:\]\s*\(\s*<?)?\Z")
_NUMBER = re.compile(r"[\s.,;:!?*_]*\[\^?(?P<number>[\w-]{1,20})\](?!\()")
_NOTE = re.compile(r"^[ \t]*[-*]?[ \t]*\[\^?(?P<number>[\w-]{1,20})\]:?(?!\()(?P<rest>[^\n]*)", re.MULTILINE)
_ATTRIBUTION = re.compile(r"\n[ \t]*(?:[—–-]{1,3}|\()[^\n]*\Z")
_SENTENCE_END = re.compile(r"[.!?](?:\s|$)")
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Quotation:
    """A quoted passage and its citation, empty if there is none."""

    quote: str
    citation: str
    span: Span | None
    """Its place in the draft; None for a quotation passed in on its own."""


@dataclass(frozen=True, slots=True)
class _Cited:
    uri: str
    start: int
    end: int


def quotations(draft: str) -> tuple[Quotation, ...]:
    """The quoted passages of a draft that can be checked, in order."""
    citations = [_cited(match) for match in _CITED.finditer(draft)]
    notes = {match["number"]: _CITED.search(match["rest"]) for match in _NOTE.finditer(draft)}
    numbered = {number: _trimmed(found[0]) for number, found in notes.items() if found}
    quoted = _quoted(draft)
    if len(quoted) > MAX_QUOTATIONS:
        raise InvalidArgument(
            f"the draft quotes {len(quoted)} passages, but the limit is {MAX_QUOTATIONS}; split it into parts",
            field="text",
        )
    out = []
    for place, (quote, span) in enumerate(quoted):
        before = quoted[place - 1][1].end if place else 0
        later = quoted[place + 1][1] if place + 1 < len(quoted) else None
        uri, beside = _beside(draft, span, (before, later), citations, numbered)
        if quote.strip() and (beside or len(_WORD.findall(quote)) >= LEAST_WORDS):
            out.append(Quotation(quote, uri, span))
    return tuple(out)


def _quoted(draft: str) -> list[tuple[str, Span]]:
    """Quoted texts with their places. Quotation marks inside a block quote do not start another quotation."""
    blocks = [(_inside(match[0]), Span(match.start(), match.end())) for match in _BLOCK.finditer(draft)]
    marked = []
    for match in _QUOTED.finditer(draft):
        text = next(group for group in match.groups() if group is not None)
        within = any(span.start <= match.start() < span.end for _, span in blocks)
        if not within and "\n\n" not in text:
            marked.append((text, Span(match.start(), match.end())))
    return sorted(blocks + marked, key=lambda item: item[1].start)


def _inside(block: str) -> str:
    """The words of a block quote, without its margin, closing attribution, citations and outer quotation marks."""
    text = _MARGIN.sub("", block).strip()
    last = _ATTRIBUTION.search(text)
    if last and (_CITED.search(last[0]) or not last[0].lstrip().startswith("(")):
        text = text[: last.start()]
    text = re.sub(r"\s*[(\[<]?pincite:[^\s<>()\[\]{}\"'“”„«»`|]+[)\]>]?\s*\Z", "", text).strip()
    whole = _QUOTED.fullmatch(text)
    return next(group for group in whole.groups() if group is not None) if whole else text


def _cited(match: re.Match[str]) -> _Cited:
    uri = _trimmed(match[0])
    return _Cited(uri, match.start(), match.start() + len(uri))


def _trimmed(uri: str) -> str:
    """The text without the punctuation of the surrounding sentence."""
    return uri.rstrip(".,;:!?*_")


def _beside(
    draft: str, span: Span, others: tuple[int, Span | None], citations: Sequence[_Cited], numbered: dict[str, str]
) -> tuple[str, bool]:
    """The citation of a quotation, and whether it is directly next to it.

    `others`: the end of the previous quotation, and the next quotation.
    """
    before, later = others
    inside = [item for item in citations if span.start <= item.start < span.end]
    if inside:
        return inside[-1].uri, True
    after = [item for item in citations if item.start >= span.end]
    if after and _AT_ONCE.match(draft[span.end : after[0].start]):
        return after[0].uri, True
    number = _NUMBER.match(draft, span.end)
    if number and number["number"] in numbered:
        return numbered[number["number"]], True
    start, end = _paragraph(draft, span)
    earlier = [item for item in citations if before <= item.start and item.end <= span.start]
    if earlier and not _SENTENCE_END.search(draft[earlier[-1].end : span.start]) and earlier[-1].start >= start:
        return earlier[-1].uri, False
    following = [item for item in after if item.start < end]
    if following and not (later and _is_of_another(draft, span, later, following[0])):
        return following[0].uri, False
    preceding = [item for item in citations if start <= item.start and item.end <= span.start]
    return (preceding[-1].uri if preceding else ""), False


def _is_of_another(draft: str, span: Span, later: Span, cited: _Cited) -> bool:
    """Whether a citation directly follows the next quotation, which begins in another sentence."""
    beside = later.end <= cited.start and _AT_ONCE.match(draft[later.end : cited.start]) is not None
    closing = draft[span.start : span.end].rstrip('"”“«»\n ')[-1:]
    return beside and (closing in (".", "!", "?") or _SENTENCE_END.search(draft[span.end : later.start]) is not None)


def _paragraph(draft: str, span: Span) -> tuple[int, int]:
    """From blank line to blank line; for a block quote, including the lines that follow it."""
    start = draft.rfind("\n\n", 0, span.start)
    skip = (
        len(draft[span.end :]) - len(draft[span.end :].lstrip("\n"))
        if draft[span.start : span.end].endswith("\n")
        else 0
    )
    end = draft.find("\n\n", span.end + skip)
    return (start if start >= 0 else 0), (end if end >= 0 else len(draft))
