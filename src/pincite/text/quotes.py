"""Quotes, compared as a careful reader would: white space and typography are ignored, words are not."""

from __future__ import annotations

import difflib
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from pincite.types import Span

# Characters that look different but mean the same in a quote.
_SAME = str.maketrans({**dict.fromkeys("“”„«»", '"'), **dict.fromkeys("‹›‘’‚‛′´", "'"), **dict.fromkeys("–—‐‑‒−", "-")})
_LONGER = {"…": "...", "ﬁ": "fi", "ﬂ": "fl", "ﬀ": "ff", "ﬃ": "ffi", "ﬄ": "ffl"}
# Soft hyphens, zero-width characters, and Markdown's marks, which are lost when the rendered page is copied.
_INVISIBLE = "\u00ad\u200b\u200c\u200d\u2060\ufeff*`"
# Characters not copied one to one: white space other than single spaces, invisible characters, and ligatures.
_ODD = re.compile(rf"[\s{_INVISIBLE}]{{2,}}|[^\S ]|[{_INVISIBLE}]|[{''.join(_LONGER)}]")
# In a text that is not NFC, also every word, because it may contain something to compose.
_ODD_OR_WORD = re.compile(rf"{_ODD.pattern}|[^\s{_INVISIBLE}{''.join(_LONGER)}]+")
_WORD = re.compile(r"\d[\d.,']*\d|\w+|[^\w\s]")
_EDGES = "\"' \t\r\n"
LONG = 200
"""From this many words, a quote is aligned by its rarer words first: comparing all pairs takes quadratic time."""


@dataclass(frozen=True, slots=True)
class Normalised:
    """A text in comparable form, with the origin of each character."""

    text: str
    starts: tuple[int, ...]
    """Where the pieces begin in `text`. A piece was either copied or replaces something else."""
    sources: tuple[tuple[int, int], ...]
    """For each piece, where it began in the original, and where it ended there if it was replaced, otherwise -1."""

    def span(self, start: int, end: int) -> Span:
        """The part of the original that these characters came from."""
        return Span(self._origin(start)[0], self._origin(end - 1)[1] if end > start else self._origin(start)[0])

    def position(self, offset: int) -> int:
        """The first character that came from `offset` of the original or later."""
        low, high = 0, len(self.text)
        while low < high:
            middle = (low + high) // 2
            if self._origin(middle)[0] < offset:
                low = middle + 1
            else:
                high = middle
        return low

    def _origin(self, at: int) -> tuple[int, int]:
        piece = max(0, bisect_right(self.starts, at) - 1)
        begin, end = self.sources[piece]
        if end >= 0:
            return begin, end
        here = begin + at - self.starts[piece]
        return here, here + 1


class _Pieces:
    """A normalised text under construction."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.length = 0
        self.starts: list[int] = []
        self.sources: list[tuple[int, int]] = []
        self.after_space = True

    def add(self, text: str, begin: int, end: int = -1) -> None:
        if not text or (text == " " and self.after_space):
            return
        if text[0] == " " and self.after_space:  # a copied piece after white space that was folded
            text, begin = text[1:], begin + 1
        self.parts.append(text)
        self.starts.append(self.length)
        self.sources.append((begin, end))
        self.length += len(text)
        self.after_space = text.endswith(" ")


def normalise_quote(text: str) -> Normalised:
    """White space folded to single spaces, quotes and dashes unified, NFC."""
    pieces = _Pieces()
    done = 0
    odd = _ODD if unicodedata.is_normalized("NFC", text) else _ODD_OR_WORD
    for match in odd.finditer(text):
        found, at = match.group(), match.start()
        pieces.add(text[done:at].translate(_SAME), done)
        done = match.end()
        if found in _LONGER:
            pieces.add(_LONGER[found], at, done)
        elif found[0].isspace() or found[0] in _INVISIBLE:
            # A soft hyphen at the end of a line: the word continues.
            goes_on = found[0] == "\u00ad" or not any(char.isspace() for char in found)
            pieces.add("" if goes_on else " ", at, done)
        else:
            _compose(pieces, found, at)
    pieces.add(text[done:].translate(_SAME), done)
    joined = "".join(pieces.parts)
    return Normalised(joined.rstrip(" "), (*pieces.starts, pieces.length), (*pieces.sources, (len(text), -1)))


def _compose(pieces: _Pieces, word: str, at: int) -> None:
    """Add a word in NFC, each letter together with the marks that follow it."""
    if unicodedata.is_normalized("NFC", word):
        pieces.add(word.translate(_SAME), at)
        return
    ends = [end for end in range(1, len(word) + 1) if end == len(word) or not unicodedata.combining(word[end])]
    clusters = [word[start:end] for start, end in pairwise([0, *ends])]
    composed = [unicodedata.normalize("NFC", cluster) for cluster in clusters]
    if "".join(composed) != unicodedata.normalize("NFC", word):  # scripts that compose letter with letter
        pieces.add(unicodedata.normalize("NFC", word).translate(_SAME), at, at + len(word))
        return
    for start, end, cluster in zip([0, *ends], ends, composed, strict=False):
        pieces.add(cluster.translate(_SAME), at + start, at + end)


def find_quote(quote: str, source: Normalised, *, start: int = 0) -> Span | None:
    """The place of the quote in the original of `source`, or None. Surrounding quotation marks do not count."""
    wanted = normalise_quote(quote).text.strip(_EDGES)
    if not wanted:
        return None
    at = source.text.find(wanted, start)
    return source.span(at, at + len(wanted)) if at >= 0 else None


@dataclass(frozen=True, slots=True)
class Edit:
    """One difference between a quote and its source."""

    change: str
    """`replaced`, `inserted` (only in the quote) or `omitted` (only in the source)."""
    quoted: str
    source: str


@dataclass(frozen=True, slots=True)
class Alignment:
    """The part of a source that most resembles a quote."""

    similarity: float
    """Share of matching words of the quote and this part of the source, 0 to 1."""
    span: Span
    edits: tuple[Edit, ...]


def align_quote(quote: str, source: str, offset: int = 0) -> Alignment | None:
    """The most similar part of the source, word by word, or None if no word matches; `offset` shifts its span."""
    quoted = [m.group() for m in _WORD.finditer(normalise_quote(quote).text.strip(_EDGES))]
    clean = normalise_quote(source)
    found = [(m.group(), m.start(), m.end()) for m in _WORD.finditer(clean.text)]
    words = [word for word, _, _ in found]
    if not quoted or not words:
        return None
    # The search for the anchor ignores common words, which make it slow and say little.
    longest = difflib.SequenceMatcher(None, quoted, words).find_longest_match()
    if not longest.size:
        longest = difflib.SequenceMatcher(None, quoted, words, autojunk=False).find_longest_match()
    if not longest.size:
        return None
    # Anchor at the longest matching run; the window is as long as the quote, plus a little room.
    room = 3 + len(quoted) // 5
    low = max(0, longest.b - longest.a - room)
    high = min(len(words), longest.b + (len(quoted) - longest.a) + room)
    codes = difflib.SequenceMatcher(None, quoted, words[low:high], autojunk=len(quoted) > LONG).get_opcodes()
    equal = [(i1, i2, j1, j2) for tag, i1, i2, j1, j2 in codes if tag == "equal"]
    # A difference at either edge stands for the same number of words of the source.
    first = max(0, equal[0][2] - equal[0][0])
    last = min(high - low, equal[-1][3] + len(quoted) - equal[-1][1])
    edits = tuple(_edits(quoted, words[low:high], codes, first, last))
    similarity = 2 * sum(i2 - i1 for i1, i2, _, _ in equal) / (len(quoted) + last - first)
    span = clean.span(found[low + first][1], found[low + last - 1][2])
    return Alignment(min(1.0, similarity), Span(span.start + offset, span.end + offset), edits)


def _edits(
    quoted: list[str], words: list[str], codes: Sequence[tuple[str, int, int, int, int]], first: int, last: int
) -> list[Edit]:
    names = {"replace": "replaced", "delete": "inserted", "insert": "omitted"}
    out = []
    for tag, i1, i2, j1, j2 in codes:
        if tag == "equal":
            continue
        j1, j2 = max(j1, first), min(j2, last)
        source = _join(words[j1:j2]) if j1 < j2 else ""
        mine = _join(quoted[i1:i2])
        if mine or source:
            kind = names[tag] if mine and source else ("inserted" if mine else "omitted")
            out.append(Edit(kind, mine, source))
    return out


def _join(words: list[str]) -> str:
    return re.sub(r"\s+([,.;:!?)\]])", r"\1", " ".join(words))
