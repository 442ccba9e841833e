"""Exclusion in words: "leave but not sick leave" asks for leave, and passages about sick leave come last.

A NOT or a hyphen forbids; words of a sentence only say what is not meant. So nothing is left out: what is mainly about
it, by its headings, ranks behind. "not" alone belongs to the question ("may not be terminated") and changes nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from pincite.text.stopwords import STOPWORDS
from pincite.text.words import tokens

MOST_WORDS = 6
"""Of what is not meant: a longer stretch is a sentence of its own."""
_PLAIN = (
    "but not", "except for", "except", "other than", "excluding", "nicht aber", "aber nicht", "ausser", "außer",
    "sauf", "mais pas", "eccetto", "tranne", "ma non",
)  # fmt: skip
"""What follows is not meant, whatever it is."""
_OPEN = ("ohne", "hors")
"""What follows may also be part of the thing: "Kündigung ohne Grund". It is searched like the rest."""
_NO_THING = (
    "wenn", "dass", "falls", "soweit", "that", "where", "when", "if", "as", "si", "que", "quand", "che", "se", "quando",
    "kraft", "betrieb", "haus", "acht", "frage", "dienst", "landes", "stande", "kontrolle", "reichweite", "zweifel",
    "verkehr", "sich", "sicht", "gebrauch", "limited",
)  # fmt: skip
"""A clause ("except where …") is a condition, and "ausser Kraft" is a state: neither names something to leave out."""
_FOUND = re.compile(
    rf"(?<!\w)(?P<by>{'|'.join(map(re.escape, (*_PLAIN, *_OPEN)))})\s+(?!(?:{'|'.join(_NO_THING)})\b)"
    r"(?P<what>[^.,;:?!()\"“”„«»]+)",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"\s+(?:and|or|nor|und|oder|et|ou|ni|e|o|né)\s+", re.IGNORECASE)
_FUNCTION_WORDS = frozenset().union(*STOPWORDS.values())


@dataclass(frozen=True, slots=True)
class Exclusion:
    """What a question does not mean."""

    asked: str
    """The question without it, where it cannot be part of the thing; else the whole question."""
    what: str
    """As it is written."""
    phrase: str
    """With the word before it: a heading that says the same is what is meant."""
    parts: tuple[tuple[str, ...], ...]
    """The words of each thing that is not meant."""


def exclusion_in(text: str) -> Exclusion | None:
    """What a question excludes in words; None where it asks for nothing else, or says too much of it."""
    found = _FOUND.search(text)
    if found is None or not _says(text[: found.start()]):
        return None
    what = found["what"].strip()
    asked = {word.lower() for word in _says(text[: found.start()])}
    parts = [tuple(_says(part)) for part in _BETWEEN.split(what)]
    parts = [part for part in parts if part and not {word.lower() for word in part} <= asked]
    if not parts or len(tokens(what)) > MOST_WORDS:
        return None
    rest = f"{text[: found.start()].rstrip()} {text[found.end() :].lstrip()}".strip()
    is_plain = found["by"].lower() in _PLAIN
    return Exclusion(rest if is_plain else text, what, f"{found['by']} {what}", tuple(parts))


def _says(text: str) -> list[str]:
    return [word for word in tokens(text) if word.lower() not in _FUNCTION_WORDS]
