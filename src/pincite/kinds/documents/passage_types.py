"""Which passages state duties and which only point elsewhere: the types `requirement` and `reference`.

Both are said of a passage as a whole, and only where most of it is of that kind: a filter that lets through whatever
has a "must" in it would let through everything. They change no ranking.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from pincite.kinds.documents.outline import Section
from pincite.text.sentences import sentences
from pincite.types import Chunk, Content

TYPES = 1
"""Bump when types are given in other ways than before."""

_HALF = 0.5
_MOSTLY = 0.6
_DUTIES = {
    "en": r"shall|must|may not|(?:is|are) (?:required|obliged|obligated|prohibited|forbidden)",
    "de": r"muss|müssen|(?:darf|dürfen)\b[^.;]{0,60}?\b(?:nicht|kein\w*)"
    r"|(?:ist|sind) (?:verpflichtet|verboten|untersagt)",
    "fr": r"doit|doivent|(?:est|sont) tenue?s?|ne peu(?:t|vent)|(?:est|sont) interdite?s?",
    "it": r"deve|devono|(?:è|sono) (?:tenut[oaie]|vietat[oaie]|obbligat[oaie])|non (?:può|possono)",
}
_PATTERNS = {language: re.compile(rf"\b(?:{words})\b", re.IGNORECASE) for language, words in _DUTIES.items()}
_LINK = re.compile(r"(?<!!)\[[^\[\]\n]+\]\([^()\n]*\)|<https?://[^<>\s]+>|(?<![\w(\[<])https?://[^\s<>)]+")
_MARKS = re.compile(r"^[ \t]*(?:[-*+]|\d+[.)])[ \t]+", re.MULTILINE)


def with_duties_and_references(
    content: Content, chunks: Sequence[Chunk], sections: Sequence[Section]
) -> tuple[Chunk, ...]:
    """The chunks; plain content that mostly states duties, or is mostly links, is called so."""
    headings = {section.heading.start: section.heading.end for section in sections if section.heading}
    out = []
    for chunk in chunks:
        if chunk.chunk_type == "content" and chunk.span:
            start = headings.get(chunk.span.start, chunk.span.start)
            body = content.text[start : chunk.span.end]
            if _is_links(body):
                chunk = replace(chunk, chunk_type="reference")
            elif _states_duties(body, chunk.language or content.language):
                chunk = replace(chunk, chunk_type="requirement")
        out.append(chunk)
    return tuple(out)


def _is_links(body: str) -> bool:
    words = len("".join(_MARKS.sub("", body).split()))
    linked = sum(len("".join(link.group().split())) for link in _LINK.finditer(body))
    return words > 0 and linked >= _MOSTLY * words


def _states_duties(body: str, language: str) -> bool:
    """Whether half of the sentences oblige or forbid."""
    pattern = _PATTERNS.get(language[:2])
    if pattern is None or pattern.search(body) is None:
        return False
    said = [body[span.start : span.end] for span in sentences(body, language)]
    return sum(pattern.search(sentence) is not None for sentence in said) >= _HALF * len(said)
