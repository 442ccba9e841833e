"""Quotations: which passages a draft quotes, and which citation stands beside each.

A quotation stands in quotation marks (English, German, French, Italian) or in a Markdown block quote. Its citation is,
in this order: one that follows at once, in brackets or as a link; the footnote or source number that follows at once
(`[1]`), looked up where a line begins with it; one named before it in its sentence; the next in its paragraph, unless
that stands at once behind the quotation of a later sentence; the last before it in its paragraph.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pincite.errors import InvalidArgument
from pincite.types import Span

LEAST_WORDS = 3
"""Shorter ones are names and scare quotes, unless a citation stands beside them."""

MAX_QUOTATIONS = 200
"""Each is a search of its own."""

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
    """A quoted passage, and the citation beside it; empty where there is none."""

    quote: str
    citation: str
    span: Span | None
    """Where it stands in the draft; None for one that was given by itself."""


@dataclass(frozen=True, slots=True)
class _Cited:
    uri: str
    start: int
    end: int


def quotations(draft: str) -> tuple[Quotation, ...]:
    """The quoted passages of a draft that can be checked, in their order."""
    citations = [_cited(match) for match in _CITED.finditer(draft)]
    notes = {match["number"]: _CITED.search(match["rest"]) for match in _NOTE.finditer(draft)}
    numbered = {number: _trimmed(found[0]) for number, found in notes.items() if found}
    quoted = _quoted(draft)
    if len(quoted) > MAX_QUOTATIONS:
        raise InvalidArgument(
            f"the draft quotes {len(quoted)} passages, at most {MAX_QUOTATIONS} are checked at once; give it in parts",
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
    """Quoted texts with their places; what stands in quotation marks inside a block quote is part of it."""
    blocks = [(_inside(match[0]), Span(match.start(), match.end())) for match in _BLOCK.finditer(draft)]
    marked = []
    for match in _QUOTED.finditer(draft):
        text = next(group for group in match.groups() if group is not None)
        within = any(span.start <= match.start() < span.end for _, span in blocks)
        if not within and "\n\n" not in text:
            marked.append((text, Span(match.start(), match.end())))
    return sorted(blocks + marked, key=lambda item: item[1].start)


def _inside(block: str) -> str:
    """The words of a block quote, without its margin, a closing attribution, citations and outer quotation marks."""
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
    """Without the punctuation of the sentence around it."""
    return uri.rstrip(".,;:!?*_")


def _beside(
    draft: str, span: Span, others: tuple[int, Span | None], citations: Sequence[_Cited], numbered: dict[str, str]
) -> tuple[str, bool]:
    """The citation of a quotation, and whether it stands directly beside it. `others`: the end of the one before it,
    and the one behind it."""
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
    """Whether a citation stands at once behind the next quotation, which begins in another sentence."""
    beside = later.end <= cited.start and _AT_ONCE.match(draft[later.end : cited.start]) is not None
    closing = draft[span.start : span.end].rstrip('"”“«»\n ')[-1:]
    return beside and (closing in (".", "!", "?") or _SENTENCE_END.search(draft[span.end : later.start]) is not None)


def _paragraph(draft: str, span: Span) -> tuple[int, int]:
    """From blank line to blank line; a block quote has the lines that follow it too."""
    start = draft.rfind("\n\n", 0, span.start)
    skip = (
        len(draft[span.end :]) - len(draft[span.end :].lstrip("\n"))
        if draft[span.start : span.end].endswith("\n")
        else 0
    )
    end = draft.find("\n\n", span.end + skip)
    return (start if start >= 0 else 0), (end if end >= 0 else len(draft))
