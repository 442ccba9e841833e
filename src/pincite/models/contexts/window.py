"""Which part of a document a model sees together with a passage.

A document that fits is shown whole. Sending all of a long document with each of its passages has quadratic cost (a
hundred pages with 125 passages: 12.5 million tokens), so its passages are grouped into runs of neighbours. The window
of a run is the outline, the beginning of the document, and the run with the text before and after it. All passages of a
run share their window, so a service's cache can serve all calls but the first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pincite.text.tokens import count_tokens, split_at_tokens
from pincite.types import Chunk, Content, Span

VERSION = 1
"""Bump when the same document and size could give different windows."""

TOKENS_PER_ESTIMATED = 1.3
"""Our estimate is calibrated on an older vocabulary; newer ones give about 30 % more tokens."""
_OUTLINE = 0.2
_LEAD = 0.15
_RUN = 0.45
"""Shares of a window; the rest is for the text before and after the run."""
_LONG_WORD = 50
_GAP = "\n\n[…]\n\n"


def billed_tokens(text: str) -> int:
    """About how many tokens a service counts; accurate to about a third."""
    return round(count_tokens(text) * TOKENS_PER_ESTIMATED)


@dataclass(frozen=True, slots=True)
class Window:
    """A text, and the chunks for which it is shown."""

    text: str
    chunks: tuple[Chunk, ...]


def windows(content: Content, chunks: Sequence[Chunk], max_tokens: int) -> tuple[Window, ...]:
    """The windows of a document, of at most `max_tokens` each; every chunk that needs a context is in exactly one.

    Bare headings and generated passages need none: headings answer no question, and generated passages already say
    where they belong.
    """
    wanted = tuple(chunk for chunk in chunks if chunk.span is not None and chunk.chunk_type != "header")
    if not wanted:
        return ()
    title = f"{content.name}\n\n" if content.name else ""
    whole = title + content.text.strip()
    if billed_tokens(whole) <= max_tokens:
        return (Window(whole, wanted),)
    estimated = int(max_tokens / TOKENS_PER_ESTIMATED)
    head = title + _outline(chunks, int(estimated * _OUTLINE)) + _lead(content.text, int(estimated * _LEAD))
    room = max(1, estimated - count_tokens(head + _GAP))
    runs = _runs(content.text, wanted, int(estimated * _RUN))
    return tuple(Window(head + _GAP + _stretch(content.text, run, room), run) for run in runs)


def _outline(chunks: Sequence[Chunk], limit: int) -> str:
    """The headings, indented by depth; the deepest levels are left out until the rest fits."""
    chains = list(dict.fromkeys(chunk.parent_chain for chunk in chunks if chunk.parent_chain))
    depth = max(map(len, chains), default=0)
    while depth:
        shown = dict.fromkeys(chain[:depth] for chain in chains)
        lines = dict.fromkeys(f"{'  ' * (len(chain) - 1)}{chain[-1]}" for chain in shown)
        text = "\n".join(lines)
        if count_tokens(text) <= limit:
            return f"Outline:\n{text}\n\n"
        depth -= 1
    return ""


def _lead(text: str, limit: int) -> str:
    return _first(text, Span(0, len(text)), limit)


def _runs(text: str, chunks: Sequence[Chunk], limit: int) -> list[tuple[Chunk, ...]]:
    """Neighbouring chunks of at most `limit` tokens together. A main section starts a new run if the current one is at
    least half full.

    So a change in one chapter does not shift the runs of all later chapters.
    """
    runs: list[tuple[Chunk, ...]] = []
    run: list[Chunk] = []
    tokens = 0
    for chunk in chunks:
        assert chunk.span is not None
        size = count_tokens(text[chunk.span.start : chunk.span.end])
        turns = bool(run) and run[-1].parent_chain[:2] != chunk.parent_chain[:2] and 2 * tokens >= limit
        if run and (tokens + size > limit or turns):
            runs.append(tuple(run))
            run, tokens = [], 0
        run.append(chunk)
        tokens += size
    return [*runs, tuple(run)]


def _stretch(text: str, run: Sequence[Chunk], room: int) -> str:
    """The text of a run, and as much of the text before and after it as fits."""
    spans = [chunk.span for chunk in run if chunk.span is not None]
    start, end = min(span.start for span in spans), max(span.end for span in spans)
    around = (room - count_tokens(text[start:end])) // 2
    if around < 0:  # one passage, longer than its share; it is sent whole after the window
        return _first(text, Span(start, end), room)
    before = _last(text, Span(0, start), around)
    after = _first(text, Span(end, len(text)), around)
    return f"{before}{text[start:end]}{after}"


def _first(text: str, span: Span, limit: int) -> str:
    """The beginning of a span. Only a short prefix is read, since no token is longer than 30 characters."""
    if limit < 1:
        return ""
    near = Span(span.start, min(span.end, span.start + 30 * limit))
    pieces = split_at_tokens(text, near, limit)
    return text[span.start : pieces[0].end] if pieces else ""


def _last(text: str, span: Span, limit: int) -> str:
    """The end of a span, starting at a word if one begins nearby."""
    if limit < 1:
        return ""
    start = max(span.start, span.end - 30 * limit)
    while count_tokens(text[start : span.end]) > limit:
        excess = count_tokens(text[start : span.end]) - limit
        start += max(1, excess)
    if start > span.start:
        words = text[start : span.end].split(maxsplit=1)
        if len(words) == 2 and len(words[0]) < _LONG_WORD:
            start = span.end - len(words[1])
    return text[start : span.end]
