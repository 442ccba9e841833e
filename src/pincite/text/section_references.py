"""References to sections, as written in laws, contracts and queries: one grammar for all.

`Art. 41 Abs. 1 lit. b`, `art. 41 al. 1 let. b`, `art. 41 cpv. 1 lett. b`, `Article 41(1)(b)`   art.41(1)(b)
`Section 203(a)(1)`, `§ 203 (a)(1)`, `paragraph (1) of subsection (a) of section 203`            203(a)(1)
`para. 4.2(a)`, `Ziff. 4.2 lit. a`, `clause 4.2 (a)`                                             4.2(a)
`§ 4 Abs. 2`, `s 4(2)`, `sub-section (2) of section 4`                                           4(2)

The normal form is the section's id followed by each lower level in brackets. Articles keep their marker (a law with
Art. 4 may also have § 4); all others are named by number alone, whatever word introduces it. Sentences ("Satz 2") are
not addressable and are ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pincite.text.fold import fold

ARTICLE_WORDS = frozenset(
    {"art", "arts", "artt", "article", "articles", "artikel", "artikeln", "artikels", "articolo", "articoli"}
)
SECTION_WORDS = frozenset(
    {"section", "sections", "sec", "secs", "sect", "ss", "paragraph", "paragraphs", "para", "paras", "paragraf",
     "paragraphe", "paragraphes", "paragrafo", "clause", "clauses", "cl", "cls", "ziffer", "ziffern", "ziff", "klausel",
     "abschnitt", "sezione", "chapter", "kapitel", "chapitre", "capitolo", "nr", "no", "rule", "regel", "part",
     "regulation", "randziffer", "rz"}
)  # fmt: skip


def bare_number(section: str) -> str:
    """The number of a part whose word can also introduce a section: 2 for `part.2`. Empty for any other section."""
    word, _, number = section.partition(".")
    return number if word in SECTION_WORDS else ""


_LATIN = r"(?:bis|ter|quater|quinquies|sexies|septies|octies|novies|decies)"
NUMBER = rf"\d+(?:(?!ff\b|ff?\.)[a-z]{{1,2}}(?![a-z])|[a-z]?{_LATIN}(?![a-z]))?(?:\.\d+[a-z]?)*"
"""`41`, `41a`, `68ter`, `4.2`, `4.2.1a`; never the "ff." after it."""
_LEVEL = rf"(?:\d{{1,3}}(?:[a-z]|{_LATIN})?|[a-z]{{1,2}}{_LATIN}?|[ivx]{{1,5}})"
_BRACKETS = rf"\(\s?{_LEVEL}\s?\)"

PARAGRAPH_WORDS = (
    r"abs(?:[äa]tze[ns]?|atz(?:es)?|\.)?|al(?:in[ée]as?|\.)?|cpv\.?|capovers[oi]|comm[ai]|para(?:graph(?:en?|s)?|s)?\.?"
    r"|sub-?sections?|subs(?:ec)?\.?|sub-?paragraphs?|sub-?clauses?"
)
LETTER_WORDS = r"litt?\.?|let(?:t(?:res?|era|ere|\.)?|\.)?|bst\.?|buchst(?:aben?|\.)?|points?|items?"
NUMERAL_WORDS = r"ziff(?:ern?|\.)?|nr\.?|nummern?|chiffres?|ch\.|num(?:er[oi]|\.)?|n\.|cifr[ae]"
_SENTENCE_WORDS = r"(?-i:S\.)|satz|s[äa]tze|sentence|phrase|periodo"
_LEVEL_WORDS = rf"(?:{PARAGRAPH_WORDS}|{LETTER_WORDS}|{NUMERAL_WORDS})"
_LEVELS = (
    rf"(?:\s?{_BRACKETS}"
    rf"|,?\s*\b{_LEVEL_WORDS}\s?(?:{_BRACKETS}|{_LEVEL}(?![\w.]*\w))"
    rf"|,?\s*\b(?:{_SENTENCE_WORDS})\s?\d(?!\w))"
)
_OF = r"\s+(?:of|von|des|der|de\s+l['’]|de|du|dell['’]|del|zu|in)\s*"
_BEFORE = rf"(?:\b{_LEVEL_WORDS}\s?(?:{_BRACKETS}|{_LEVEL}(?!\w)){_LEVELS}{{0,4}}{_OF})"
_SHORT = frozenset(
    {"art", "arts", "artt", "sec", "secs", "sect", "ss", "para", "paras", "cl", "cls", "ziff", "nr", "no", "rz"}
)
_MARKERS = "|".join(
    rf"{word}\b\.?" if word in _SHORT else rf"{word}\b"
    for word in sorted(ARTICLE_WORDS | SECTION_WORDS, key=len, reverse=True)
)
_GAP = r"[ \t\u00a0]*(?:\r?\n)?[ \t\u00a0]*"
"""A line may end between a word and its number, but a paragraph may not."""

REFERENCE = re.compile(
    rf"(?<!\w)(?P<before>{_BEFORE}{{0,3}})"
    rf"(?:(?P<marker>§§?|{_MARKERS}){_GAP}(?P<number>{NUMBER})(?P<levels>{_LEVELS}{{0,8}})"
    rf"|(?<!['’])(?P<s>s\.?)\s?(?P<s_number>{NUMBER})(?P<s_levels>(?:\s?{_BRACKETS}){{0,8}}))"
    rf"(?P<roman>(?-i:\s(?:I{{1,3}}|IV|VI{{0,3}}|IX|X)(?:\s[a-z])?(?=\s+[A-Z][A-Za-z]+|\s*$)))?",
    re.IGNORECASE,
)
_BARE = re.compile(rf"(?P<number>{NUMBER})(?P<levels>(?:\s?{_BRACKETS}){{1,8}})", re.IGNORECASE)
_LEVEL_AT = re.compile(
    rf"\(\s?(?P<bracket>{_LEVEL})\s?\)|\b(?:{_SENTENCE_WORDS})\s?\d"
    rf"|\b{_LEVEL_WORDS}\s?\(?(?P<word>{_LEVEL})(?!\w)\)?",
    re.IGNORECASE,
)
_NAMED = re.compile(r"\A\s*\Z|(?:[A-Z]{2,}[a-z]*|\s\d{4}),?\s+\Z")
"""What may come before "s 5" if that is a section: nothing, the abbreviation of an act, or its year."""
_OF_AT = re.compile(_OF, re.IGNORECASE)
_ROMANS = {"i": 1, "ii": 2, "iii": 3, "iv": 4, "v": 5, "vi": 6, "vii": 7, "viii": 8, "ix": 9, "x": 10}


@dataclass(frozen=True, slots=True)
class SectionReference:
    """A section and the levels below it."""

    section: str
    """`art.41`, `203`, `4.2`."""
    levels: tuple[str, ...] = ()
    start: int = 0
    end: int = 0

    @property
    def normal(self) -> str:
        return join_levels(self.section, self.levels)

    @property
    def chain(self) -> tuple[str, ...]:
        """The place itself and those that contain it, innermost first: `203(a)(1)`, `203(a)`, `203`."""
        return tuple(join_levels(self.section, self.levels[:depth]) for depth in range(len(self.levels), -1, -1))


def join_levels(section: str, levels: tuple[str, ...]) -> str:
    """`203` and `a`, `1` → `203(a)(1)`."""
    return section + "".join(f"({level})" for level in levels)


def section_references(text: str) -> Iterator[SectionReference]:
    """The references to numbered sections in a text, in order."""
    for match in REFERENCE.finditer(text):
        if found := _read(match):
            yield found


def whole_reference(text: str) -> SectionReference | None:
    """The reference that makes up the whole text: marked (`§ 203(a)`) or bare with its levels (`203(a)`)."""
    match = REFERENCE.fullmatch(text)
    if match:
        return _read(match, whole=True)
    bare = _BARE.fullmatch(text)
    if bare is None:
        return None
    return SectionReference(_number(bare["number"]), levels_in(bare["levels"]), 0, len(text))


def _read(match: re.Match[str], *, whole: bool = False) -> SectionReference | None:
    marker = fold((match["marker"] or match["s"]).rstrip("."))
    number, levels = match["number"] or match["s_number"], match["levels"] or match["s_levels"] or ""
    if match["s"] and not (whole or levels or match["before"] or _NAMED.search(match.string[: match.start("s")])):
        return None  # "it was s 5" does not name a section; "s 5(2)" and "RIPA s 5" do
    nested = (*levels_in(levels), *_roman_levels(match["roman"] or ""), *_levels_before(match["before"]))
    section = f"art.{_number(number)}" if marker in ARTICLE_WORDS else _number(number)
    return SectionReference(section, nested, match.start(), match.end())


def _number(raw: str) -> str:
    return fold(raw.replace(" ", ""))


def levels_in(text: str) -> tuple[str, ...]:
    """The levels named in a text, one after the other: `(a)(1)`, `Abs. 1 lit. b Ziff. 2`."""
    found = (match["bracket"] or match["word"] for match in _LEVEL_AT.finditer(text))
    return tuple(fold(level) for level in found if level)


def _levels_before(text: str) -> tuple[str, ...]:
    """`paragraph (b) of subsection (2) of` → 2, b: the last one is outermost."""
    groups = [levels_in(part) for part in _OF_AT.split(text)]
    return tuple(level for group in reversed(groups) for level in group)


def _roman_levels(text: str) -> tuple[str, ...]:
    """`Art. 8 II ZGB`: a paragraph in Roman numerals, as German lawyers cite; the law itself never uses them."""
    parts = text.split()
    if not parts:
        return ()
    return (str(_ROMANS[parts[0].lower()]), *(part.lower() for part in parts[1:]))
