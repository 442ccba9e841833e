"""Resemble: which stretch of a version a quote that does not stand in it was probably taken from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pincite.search.passages import Located
from pincite.text.quotes import Alignment, Edit, align_quote
from pincite.text.words import tokens
from pincite.types import Span

SIMILAR_ENOUGH = 0.6
"""Share of agreeing words below which a passage is another passage, not an altered one."""
CERTAIN = 0.9
"""Similarity from which no other place is tried."""
MAX_WINDOWS = 6


def closest(located: Located, quote: str, place: Span | None = None) -> Alignment | None:
    """The stretch most like the quote, inside `place` if one there is similar enough, else anywhere in the version."""
    if place is not None:
        inside = _best(located, quote, place)
        if inside is not None:
            return inside
    return _best(located, quote, Span(0, len(located.version.content.text)))


def _best(located: Located, quote: str, place: Span) -> Alignment | None:
    text = located.version.content.text
    best: Alignment | None = None
    for window in _windows(located, quote, place):
        found = align_quote(quote, text[window.start : window.end], window.start)
        if found is not None and (best is None or found.similarity > best.similarity):
            best = found
        if best is not None and best.similarity >= CERTAIN:
            break
    return best if best is not None and best.similarity >= SIMILAR_ENOUGH else None


def _windows(located: Located, quote: str, place: Span) -> list[Span]:
    """Runs of chunks long enough for the quote wherever it begins, those that share most words with it first."""
    text = located.version.content.text
    spans = [
        Span(max(c.span.start, place.start), min(c.span.end, place.end))
        for c in located.derivation.chunks
        if c.span and c.span.start < place.end and place.start < c.span.end
    ]
    wanted = Counter(word.lower() for word in tokens(quote))
    words = [[word for word in map(str.lower, tokens(text[s.start : s.end])) if word in wanted] for s in spans]
    overlap = _Overlap(wanted)
    windows: list[tuple[int, Span]] = []
    last = -1
    for first, span in enumerate(spans):
        while last < first or (last + 1 < len(spans) and spans[last].end - span.end < len(quote)):
            last += 1
            overlap.add(words[last])
        windows.append((overlap.size, Span(span.start, spans[last].end)))
        overlap.remove(words[first])
    windows.sort(key=lambda item: -item[0])
    return [window for count, window in windows[:MAX_WINDOWS] if count]


class _Overlap:
    """How many words of a quote a window holds, each at most as often as the quote does."""

    def __init__(self, wanted: Counter[str]) -> None:
        self._wanted = wanted
        self._held: Counter[str] = Counter()
        self.size = 0

    def add(self, words: Sequence[str]) -> None:
        for word in words:
            self.size += self._held[word] < self._wanted[word]
            self._held[word] += 1

    def remove(self, words: Sequence[str]) -> None:
        for word in words:
            self._held[word] -= 1
            self.size -= self._held[word] < self._wanted[word]


def describe(edits: Sequence[Edit]) -> str:
    """The differences in a few words."""
    said = {
        "replaced": lambda e: f"{e.quoted!r} instead of {e.source!r}",
        "inserted": lambda e: f"{e.quoted!r} added",
        "omitted": lambda e: f"{e.source!r} left out",
    }
    shown = "; ".join(said[edit.change](edit) for edit in edits[:5])
    return shown + ("; …" if len(edits) > 5 else "")
