"""Relative: references that only mean something where they stand.

"this section", "dieser Artikel", "the preceding article", "paragraph (b) above", "Absatz 2", "Bst. a hiervor".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from pincite.text.section_references import LETTER_WORDS, NUMERAL_WORDS, PARAGRAPH_WORDS, levels_in

Whither = Literal["here", "paragraph", "innermost", "before", "after", "levels"]

_SECTION_NOUNS = (
    r"section|article|clause|artikels?|paragra(?:f|ph)(?:en)?|bestimmung|articolo|clausola|sezione|klausel|ziffer"
)
_HERE = re.compile(
    rf"\b(?:this|dies(?:er|es|em|en)|(?:du\s+|au\s+|le\s+)?pr[ée]sent|cet|(?:il\s+|del\s+|nel\s+)?presente|quest[oa]|quest['’])\s*"
    rf"(?:{_SECTION_NOUNS})\b(?!\s*(?:\d|[A-Z]\b|headings?|titles?|is\s+intended|of\s+the\s+(?:page|site)))",
    re.IGNORECASE,
)
_PARAGRAPH = re.compile(
    r"\b(?:this\s+sub-?section|dies(?:er|es|em|en)\s+abs(?:atz(?:es)?|\.)|(?:le\s+|du\s+|au\s+)?pr[ée]sent\s+alin[ée]a|cet\s+alin[ée]a"
    r"|(?:presente|questo)\s+capoverso)\b",
    re.IGNORECASE,
)
_INNERMOST = re.compile(r"\bthis\s+(?:sub-?)?(?:paragraph|sub-?clause)\b", re.IGNORECASE)
_BEFORE = re.compile(
    rf"\b(?:the\s+)?(?:preceding|previous|foregoing)\s+(?:{_SECTION_NOUNS})\b"
    rf"|\b(?:vorangehende|vorstehende|vorhergehende|voranstehende)[rsnm]?\s+(?:{_SECTION_NOUNS})\b"
    rf"|\b(?:article|clause)\s+pr[ée]c[ée]dente?\b|\b(?:articolo|clausola)\s+precedente\b",
    re.IGNORECASE,
)
_AFTER = re.compile(
    rf"\b(?:the\s+)?(?:next|following|succeeding)\s+(?:{_SECTION_NOUNS})\b"
    rf"|\b(?:n[äa]chst?folgende|nachfolgende|folgende)[rsnm]?\s+(?:{_SECTION_NOUNS})\b"
    rf"|\b(?:article|clause)\s+suivante?\b|\b(?:articolo|clausola)\s+seguente\b",
    re.IGNORECASE,
)
_LATIN = r"(?:bis|ter|quater|quinquies|sexies|septies|octies)"
_BRACKET = r"\(\s?(?:\d{1,3}[a-z]?|[a-z]{1,2}|[ivx]{1,5})\s?\)"
_VALUE = rf"(?:{_BRACKET}|\d{{1,2}}(?:[a-z]|{_LATIN})?(?![\w.]*\w)|[a-z]{_LATIN}?(?![\w.]*\w))"
_GLUE = r"(?:[,–—‑-]|(?:und|oder|and|or|et|ou|e|o|bis|to|through|à)(?=\s))"
_WORD = rf"(?:{PARAGRAPH_WORDS}|{LETTER_WORDS}|{NUMERAL_WORDS}|clauses?)"
_LEVELS = re.compile(
    rf"(?<![\w-])(?P<word>{_WORD})[\s\u00a0](?P<value>{_VALUE})(?P<deeper>(?:\s?{_BRACKET}|,?\s+(?:{_WORD})\s{_VALUE}){{0,6}})"
    rf"(?P<more>(?:\s*{_GLUE}\s*(?:(?:{_WORD})\s)?{_VALUE}){{0,30}})",
    re.IGNORECASE,
)
_MORE = re.compile(rf"(?P<glue>{_GLUE})\s*(?:(?:{_WORD})\s)?(?P<value>{_VALUE})", re.IGNORECASE)
_RANGES = frozenset({"bis", "to", "through", "-", "–", "—", "‑", "à"})
_OUTER = re.compile(rf"(?:{PARAGRAPH_WORDS})\Z", re.IGNORECASE)
_BARE_ABOVE = re.compile(r"(?<!\w)(?P<value>\([a-z]\)|\([ivx]{1,5}\)|\(\d{1,2}\))\s+(?:above|below)\b", re.IGNORECASE)
_WEAK = re.compile(
    r"(?:para(?:graph\w*|s)?|points?|items?|clauses?|nr|n|num\w*|nummern?|chiffres?|ch)\.?\Z", re.IGNORECASE
)
_OF_THAT = re.compile(
    r"\s+(?:of\s+that|jenes|de\s+cet)\s+(?:sub-?section|section|paragraph|absatzes|artikels|article|alinéa)\b", re.I
)
_QUALIFIED = re.compile(
    r"\s+(?:of|von|des|der|de|du|della?|dell['’])\s+(?:the\s+)?(?:said|schedule|annex|anhangs?)\b", re.I
)


@dataclass(frozen=True, slots=True)
class Relative:
    """A reference from where it stands."""

    start: int
    end: int
    whither: Whither
    levels: tuple[tuple[str, ...], ...] = ()
    """Each place that is named, by its levels; a range names its ends."""
    is_range: bool = False
    outer: bool = False
    """A paragraph, counted from the section; other levels from the paragraph in which they are named."""
    weak: bool = False
    """Words that enumerate anything ("paragraph 3", "item b"): a reference only where there is such a place."""
    of_that: bool = False
    """Counted from the place that was named last: "paragraph (3) of that subsection"."""


def find_relative(text: str) -> Iterator[Relative]:
    """The relative references of a text, in order."""
    found: list[Relative] = []
    patterns: tuple[tuple[re.Pattern[str], Whither], ...] = (
        (_HERE, "here"),
        (_PARAGRAPH, "paragraph"),
        (_INNERMOST, "innermost"),
        (_BEFORE, "before"),
        (_AFTER, "after"),
    )
    for pattern, whither in patterns:
        found += [Relative(m.start(), m.end(), whither) for m in pattern.finditer(text)]
    found += [
        _by_levels(text, match)
        for match in _LEVELS.finditer(text)
        if not _QUALIFIED.match(text, match.end()) and not _is_mark(text, match)
    ]
    found += [
        Relative(m.start(), m.end(), "levels", ((m["value"].strip("()").lower(),),)) for m in _BARE_ABOVE.finditer(text)
    ]
    at = 0
    for item in sorted(found, key=lambda item: (item.start, -item.end)):
        if item.start >= at:
            yield item
            at = item.end


def _is_mark(text: str, match: re.Match[str]) -> bool:
    """Whether it numbers the paragraph that it opens ("cpv. 1 Il Fornitore …") and refers to nothing."""
    line = text.rfind("\n", 0, match.start()) + 1
    above = text[text.rfind("\n", 0, max(0, line - 1)) + 1 : line].strip()
    return not match["more"] and not text[line : match.start()].strip() and (not above or above.startswith("#"))


def _by_levels(text: str, match: re.Match[str]) -> Relative:
    first = levels_in(f"{match['word']} {match['value']}{match['deeper']}") or (match["value"].strip("()").lower(),)
    named = [first]
    is_range = False
    for more in _MORE.finditer(match["more"]):
        is_range = is_range or more["glue"].lower() in _RANGES
        named.append((*first[:-1], more["value"].strip("() ").lower()))
    outer = _OUTER.match(match["word"]) is not None
    of_that = _OF_THAT.match(text, match.end()) is not None
    weak = "(" not in match["value"] and _WEAK.match(match["word"]) is not None
    return Relative(match.start(), match.end(), "levels", tuple(named), is_range, outer, weak, of_that)
