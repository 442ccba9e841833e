"""Find: the places in a text that name a section by its number, with the work that it belongs to, if one is named.

Lists and ranges name several: "§§ 3 und 4", "Artikel 5 bis 7", "Sections D.4 — D.7", "Art. 20, 20a und 21 Abs. 2".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pincite.text.section_references import (
    LETTER_WORDS,
    NUMBER,
    NUMERAL_WORDS,
    PARAGRAPH_WORDS,
    SectionReference,
    levels_in,
    section_references,
)


@dataclass(frozen=True, slots=True)
class Target:
    """One section that a mention names; `upto` makes it a range."""

    section: str
    levels: tuple[str, ...] = ()
    upto: str = ""


@dataclass(frozen=True, slots=True)
class Mention:
    """A stretch of the text that names sections."""

    start: int
    end: int
    targets: tuple[Target, ...]
    work: str = ""
    """The other work that they belong to, in its own words; "" for the document itself."""
    address: str = ""
    """The link that names that work, where it is one."""


_LATIN = r"(?:bis|ter|quater|quinquies|sexies|septies|octies|novies|decies)"
_LEVEL = rf"(?:\d{{1,3}}(?:[a-z]|{_LATIN})?|[a-z]{{1,2}}{_LATIN}?|[ivx]{{1,5}})"
_WORDS = rf"(?:{PARAGRAPH_WORDS}|{LETTER_WORDS}|{NUMERAL_WORDS})"
_RANGE = r"(?:bis|to|through|à|al?|[-–—‑])"
_AND = r"(?:,|;|und|oder|sowie|and|or|et|ou|e|o|as\s+well\s+as|respektive|bzw\.|beziehungsweise)"
_JOINED = rf"\s*(?P<glue>{_RANGE}|{_AND}(?:\s*(?:und|oder|and|or|et|ou))?)\s*"
_UNITS = (
    r"tage?n?|jahre?n?|monate?n?|wochen?|stunden?|minuten?|franken|prozent|%|days?|months?|years?|weeks?|hours?|business|percent"
    r"|jours?|ans|ann[ée]es|mois|semaines|francs|pour|giorni|mesi|anni|franchi|per|employees|users|mitgliedern?|personen|sections?|articles?|clauses?|paragraphs?|pages?"
)
_MORE_SECTIONS = re.compile(
    rf"{_JOINED}(?:(?:in|nach|of|den|der|die)\s+)?(?P<marker>(?:§|(?:artikeln?|artikel|art\.|articles?|sections?|sec\.|clauses?"
    rf"|ziff(?:er|\.))\s))?\s?(?P<number>{NUMBER})(?![\w%])(?!\s*(?:{_UNITS})\b)(?!\s+[UC]\.)(?!\s+\w*(?:januar|februar|m[äa]rz|april|mai"
    rf"|juni|juli|august|september|oktober|november|dezember)\b)(?P<levels>(?:\s?\({_LEVEL}\)|,?\s*\b{_WORDS}\s?{_LEVEL}(?!\w)){{0,8}})",
    re.IGNORECASE,
)
_MORE_LEVELS = re.compile(
    rf"{_JOINED}(?P<word>{_WORDS}\s?)?(?P<level>\({_LEVEL}\)|(?<=[\s–—-]){_LEVEL})(?![\w.]*\w)(?!\s*(?:{_UNITS})\b)",
    re.IGNORECASE,
)
_LEVEL_BEHIND = re.compile(rf",?\s*(?:{_WORDS})\s?{_LEVEL}(?!\w)", re.IGNORECASE)
MAX_LEVEL = 20
"""Nobody writes so many paragraphs into one article; a larger number is another article."""
_LETTERED = re.compile(
    r"\b(?i:sections?)\s(?P<letter>[A-Z])(?:\.(?P<number>\d{1,3}))?(?:\((?P<level>[a-z])\))?(?![\w'’])"
    r"(?:\s*(?P<glue>—|–|-|to|through|and|or)\s*(?P<last>[A-Z]\.\d{1,3})(?!\w))?",
)
_PARTS = re.compile(
    r"(?<!\w)(?:(?P<word>(?i:part|division|chapter|title|annex|appendix|schedule|exhibit|attachment|teils?|kapitels?|titels?|anhang"
    r"|anhangs|anlage|partie|chapitre|titre|annexe|parte|capitolo|titolo|allegato))\s(?P<value>\d{1,3}[a-z]?|[IVXLC]+|[A-Z])(?![\w.]*\w)"
    r"|(?P<first>\d{1,2}[a-z]?)\.\s(?P<behind>Teil|Kapitel|Titel|Abschnitt)s?(?!\w))",
)


def find(text: str) -> Iterator[Mention]:
    """What the text names by number, in order; nothing of a mention is part of another."""
    # "Part 2" may also be read as a number alone: of equals the part comes first.
    found = [*_parts(text), *_numbered(text), *_lettered(text)]
    at = 0
    for mention in sorted(found, key=lambda mention: (mention.start, -mention.end)):
        if mention.start >= at:
            yield mention
            at = mention.end


def _numbered(text: str) -> Iterator[Mention]:
    at = 0
    for reference in section_references(text):
        if reference.start < at or _is_heading(text, reference) or _is_quantity(text, reference):
            continue
        if _PARAGRAPH.match(text, reference.start, reference.end):
            continue  # "paragraph 3" counts inside its section; only "paragraph 4.2" is one
        targets, end = _listed(text, reference)
        yield Mention(reference.start, end, tuple(targets))
        at = end


_PARAGRAPH = re.compile(r"para(?:gra(?:ph|f)(?:e?s|en|o)?|s)?\.?\s+\d+[a-z]?(?!\.?\d)", re.IGNORECASE)
_FOLLOWING = re.compile(r"\s?ff?\.(?!\w)|\s?et\s+(?:seq|suiv|ss)\.|\s?e\s+segg\.|\s+ss\.", re.IGNORECASE)


def _listed(text: str, first: SectionReference) -> tuple[list[Target], int]:
    """The reference, and those that follow it in a list or range."""
    targets, end = [Target(first.section, first.levels)], first.end
    prefix = "art." if first.section.startswith("art.") else ""
    while True:
        following = _FOLLOWING.match(text, end)
        end = following.end() if following else end
        last = targets[-1]
        more = _MORE_LEVELS.match(text, end) if last.levels else None
        if more and _is_level(text, more, last):
            level = more["level"].strip("()").lower()
            parent = last.levels[:-1]
            if re.fullmatch(_RANGE, more["glue"], re.IGNORECASE):
                targets[-1] = Target(last.section, last.levels, upto=f"({level})")
            targets.append(Target(last.section, (*parent, level)))
            end = more.end()
            continue
        more = _MORE_SECTIONS.match(text, end)
        if more is None or (more["glue"] in (",", ";") and not more["marker"] and _ends_list(text, more)):
            break
        section = prefix + more["number"].lower()
        is_range = re.fullmatch(_RANGE, more["glue"], re.IGNORECASE) is not None
        if more["marker"] and not is_range:
            break  # "Artikel 66a StGB oder Artikel 49a MStG": each has a work of its own
        if is_range:
            targets[-1] = Target(last.section, last.levels, upto=section)
        targets.append(Target(section, levels_in(more["levels"])))
        end = more.end()
    return targets, end


def _ends_list(text: str, more: re.Match[str]) -> bool:
    """A number behind a comma belongs to the list only if the list goes on or ends there: "Art. 5, 30 and 31"."""
    return (
        re.match(
            r"\s*(?:,|;|\)|und|oder|and|or|et|ou|e\s|o\s|sowie|bis|to|[-–—‑]|abs|lit|bst)", text[more.end() :], re.I
        )
        is None
    )


def _is_level(text: str, more: re.Match[str], last: Target) -> bool:
    """Whether what follows goes on with the level: in "Artikel 5 Absatz 1 und 7 Absatz 2" it is the next article."""
    level = more["level"].strip("()")
    if last.levels[-1][0].isdigit() != level[0].isdigit():
        return False
    if more["word"] or "(" in more["level"]:
        return True
    number = re.match(r"\d+", level)
    return not (number and int(number[0]) > MAX_LEVEL) and not _LEVEL_BEHIND.match(text, more.end())


def _is_heading(text: str, reference: SectionReference) -> bool:
    """Whether the number heads its own section: it begins a line, and a heading mark or a title is around it."""
    line = text.rfind("\n", 0, reference.start) + 1
    return not text[line : reference.start].strip(" \t#>*") and "#" in text[line : reference.start]


def _is_quantity(text: str, reference: SectionReference) -> bool:
    behind = text[reference.end : reference.end + 15]
    return (
        re.match(rf"\s*(?:{_UNITS})\b", behind, re.IGNORECASE) is not None
        and "(" not in text[reference.start : reference.end]
    )


def _lettered(text: str) -> Iterator[Mention]:
    """`Section D.4`, `Sections D.4 — D.7`: sections that letters count."""
    for match in _LETTERED.finditer(text):
        section = match["letter"] + (f".{match['number']}" if match["number"] else "")
        target = Target(section.lower(), (match["level"],) if match["level"] else ())
        if match["last"]:
            last = match["last"].lower()
            is_range = match["glue"] not in ("and", "or")
            target = Target(target.section, target.levels, last if is_range else "")
            yield Mention(match.start(), match.end(), (target, Target(last)))
        else:
            yield Mention(match.start(), match.end(), (target,))


def _parts(text: str) -> Iterator[Mention]:
    for match in _PARTS.finditer(text):
        line = text.rfind("\n", 0, match.start()) + 1
        if "#" in text[line : match.start()] or not text[line : match.start()].strip():
            continue
        word, value = match["word"] or match["behind"], match["value"] or match["first"]
        name = word.lower()
        name = name.removesuffix("s") if name in ("teils", "kapitels", "titels", "anhangs") else name
        yield Mention(match.start(), match.end(), (Target(f"{name}.{value.lower()}"),))
