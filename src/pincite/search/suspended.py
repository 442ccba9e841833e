"""Suspended compounds: the half that a writer left out of "Vor- und Nachteile" or "Netzarchitektur und -design".

Where a compound is to be cut is not known here, so every cut is tried. What is no word of the passages counts nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

JOINING = frozenset({"und", "oder", "bzw.", "bzw", "et", "ou", "e", "o", "and", "or", "sowie", "resp.", "&"})
MIN_HALF = 3
"""Letters of the shortest half of a compound."""
MAX_WORD = 40
_MARKS = ".,;:!?"


def is_joining(word: str) -> bool:
    """Whether a word joins the parts of a list, in German, French, Italian or English."""
    return word.lower() in JOINING


def completed_end(whole: str, half: str) -> Iterator[str]:
    """ "Netzarchitektur" and "design": "Netzdesign", among other cuts of the first."""
    whole, half = whole.strip(_MARKS), half.strip(_MARKS)
    head, hyphen, _ = whole.rpartition("-")
    if hyphen:
        yield f"{head}-{half}"
    elif _can_be_cut(whole) and len(half) >= MIN_HALF:
        yield from (whole[:cut] + half.lower() for cut in range(MIN_HALF, len(whole) - MIN_HALF + 1))


def completed_start(half: str, whole: str) -> Iterator[str]:
    """ "Vor-" and "Nachteile": "Vorteile", among other cuts of the second."""
    half, whole = half.rstrip("-"), whole.strip(_MARKS)
    _, hyphen, tail = whole.partition("-")
    if not half:
        return
    if hyphen:
        yield f"{half}-{tail}"
    elif _can_be_cut(whole):
        yield from (half + whole[cut:].lower() for cut in range(MIN_HALF, len(whole) - MIN_HALF + 1))


def _can_be_cut(word: str) -> bool:
    return word.isalpha() and 2 * MIN_HALF <= len(word) <= MAX_WORD
