"""The parts that a long section is packed from: paragraphs and fences, sentences, lines, and words as a last resort."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pincite.kinds.documents.markdown import inside, trimmed
from pincite.kinds.documents.tables import DELIMITER, ROW, begins_table, is_caption
from pincite.text.sentences import sentences
from pincite.text.tokens import count_tokens, split_at_tokens
from pincite.types import Span


@dataclass(frozen=True, slots=True)
class Unit:
    """A stretch of text that stays in one passage, and its length in tokens."""

    span: Span
    tokens: int


_LINE = re.compile(r"[^\n]*\n|[^\n]+\Z")


def units(
    text: str, span: Span, limit: int, language: str, fences: Sequence[Span], by_sentence: bool = False
) -> list[Unit]:
    """The parts of the span in order, none longer than `limit` tokens, together all of it but white space.

    A paragraph, table or fence that fits is one part; with `by_sentence`, prose is always taken apart into sentences.
    """
    parts: list[Unit] = []
    for block, is_prose in _blocks(text, span, fences):
        tokens = count_tokens(text[block.start : block.end])
        if tokens <= limit and not (by_sentence and is_prose):
            parts.append(Unit(block, tokens))
        elif is_prose:
            found = sentences(text[block.start : block.end], language)
            parts += _bounded(text, [Span(block.start + s.start, block.start + s.end) for s in found], limit)
        else:
            parts += _bounded(text, _rows(text, _lines(text, block), limit), limit)
    return _with_captions(text, parts, limit)


def pack(parts: list[Unit], limit: int, overlap: int) -> list[Span]:
    """Passages of consecutive parts, none longer than `limit` tokens.

    With an overlap a passage starts with the last parts of the one before, as many as fit into `overlap` tokens.
    Without one, passages are made about equally long if that takes no more of them: a full page and a leftover line
    serve worse.
    """
    full = _packed(parts, limit, overlap)
    if overlap or len(full) == 1:
        return full
    even = sum(part.tokens for part in parts) * 11 // (10 * len(full))
    balanced = _packed(parts, min(limit, even), 0)
    return balanced if len(balanced) <= len(full) else full


def _packed(parts: list[Unit], limit: int, overlap: int) -> list[Span]:
    spans: list[Span] = []
    current: list[Unit] = []
    total = 0
    for part in parts:
        if current and total + part.tokens > limit:
            spans.append(Span(current[0].span.start, current[-1].span.end))
            current = _tail(current, min(overlap, limit - part.tokens))
            total = sum(unit.tokens for unit in current)
        current.append(part)
        total += part.tokens
    if current:
        spans.append(Span(current[0].span.start, current[-1].span.end))
    return spans


def _tail(parts: list[Unit], room: int) -> list[Unit]:
    """The last parts that fit into the room, never all of them."""
    first = len(parts)
    while first > 1 and parts[first - 1].tokens <= room:
        first -= 1
        room -= parts[first].tokens
    return parts[first:]


def _bounded(text: str, spans: list[Span], limit: int) -> Iterator[Unit]:
    """The spans as parts, those beyond the limit split at words."""
    for span in spans:
        tokens = count_tokens(text[span.start : span.end])
        if tokens <= limit:
            yield Unit(span, tokens)
            continue
        for piece in split_at_tokens(text, span, limit):
            yield Unit(piece, count_tokens(text[piece.start : piece.end]))


def _lines(text: str, span: Span) -> list[Span]:
    found = (trimmed(text, match.start(), match.end()) for match in _LINE.finditer(text, span.start, span.end))
    return [line for line in found if line.start < line.end]


def _rows(text: str, lines: list[Span], limit: int) -> list[Span]:
    """The lines, those that head a table together with its first row: a header without rows says nothing."""
    if len(lines) < 3 or not begins_table(text, lines[0].start):
        return lines
    head = Span(lines[0].start, lines[2].end)
    return [head, *lines[3:]] if count_tokens(text[head.start : head.end]) <= limit else lines


def _with_captions(text: str, parts: list[Unit], limit: int) -> list[Unit]:
    """The parts, the name of a table in one part with the table or its nearest rows where both fit."""
    out: list[Unit] = []
    for part in parts:
        here, before = text[part.span.start : part.span.end], out[-1] if out else None
        if before is not None:
            above = text[before.span.start : before.span.end]
            names_it = (ROW.match(here) and is_caption(above)) or (
                is_caption(here) and ROW.match(above.rpartition("\n")[2]) and not _table_follows(text, part.span.end)
            )
            joined = Span(before.span.start, part.span.end)
            if names_it and (tokens := count_tokens(text[joined.start : joined.end])) <= limit:
                out[-1] = Unit(joined, tokens)
                continue
        out.append(part)
    return out


def _table_follows(text: str, at: int) -> bool:
    while at < len(text) and text[at].isspace():
        at += 1
    return begins_table(text, at)


def _blocks(text: str, span: Span, fences: Sequence[Span]) -> Iterator[tuple[Span, bool]]:
    """Stretches between blank lines, and whether each is prose (not a table, not code). A fence is one stretch."""
    at = span.start
    for fence in inside(fences, span):
        yield from _paragraphs(text, Span(at, max(at, fence.start)))
        code = trimmed(text, max(at, fence.start), min(fence.end, span.end))
        yield code, False
        at = code.end
    yield from _paragraphs(text, Span(at, span.end))


def _paragraphs(text: str, span: Span) -> Iterator[tuple[Span, bool]]:
    start = -1
    prose = True
    for line in _LINE.finditer(text, span.start, span.end):
        body = line.group()
        if not body.strip():
            if start >= 0:
                yield trimmed(text, start, line.start()), prose
            start = -1
        elif start < 0:
            start, prose = line.start(), ROW.match(body) is None
        elif prose and ROW.match(body) and DELIMITER.match(text, line.end()):
            yield trimmed(text, start, line.start()), True
            start, prose = line.start(), False
    if start >= 0:
        yield trimmed(text, start, span.end), prose
