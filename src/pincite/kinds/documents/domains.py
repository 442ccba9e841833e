"""Domains: what kind of work a document is decides which of its enumerations are places that people cite.

Detection is precise or silent: a document that does not clearly look like one of the domains has none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pincite.kinds.documents.numbering import heading_number
from pincite.kinds.documents.outline import Section
from pincite.kinds.options import Domain
from pincite.types import Content

_OPENING = 3_000
"""Characters in which a contract names itself."""
_CONTRACT_NAME = re.compile(
    r"\b(?:agreements?|contracts?|terms\s+(?:of|and)|addendum|licen[cs]e|lease|vertr[aä]ge?s?|\w*vertrag|vereinbarung"
    r"|agb|gesch[aä]ftsbedingungen|contrats?|conventions?\s+(?:de|entre)|charte|bail|contratt[oi]|accord[oi]?|capitolato)\b",
    re.IGNORECASE,
)
_CONTRACT_WORDS = re.compile(
    r"\b(?:(?:the|each|either|other)\s+part(?:y|ies)|hereinafter|herein|this\s+agreement|die\s+parteien|vertragspartei\w*"
    r"|les\s+parties|le\s+parti)\b",
    re.IGNORECASE,
)
_ACT_NAME = re.compile(
    r"\b(?:act|code|statute|regulations?|bill|ordinance|bylaws?|\w*gesetz\w*|\w*verordnung|\w*reglement|verfassung|loi|ordonnance"
    r"|r[eè]glement|constitution|legge|ordinanza|regolamento|costituzione)\b",
    re.IGNORECASE,
)
_LETTER_FIRST = re.compile(r"^[ \t>*-]*\([a-z]\)(?:\(\d+\))?\s", re.MULTILINE)
_NUMBER_FIRST = re.compile(r"^[ \t>*-]*\(\d{1,3}[A-Z]{0,2}\)\s", re.MULTILINE)
_US_HEADING = re.compile(r"(?:§|sec(?:tion|\.))", re.IGNORECASE)
_AU_PART = re.compile(r"(?:part|division|subdivision|schedule)\s", re.IGNORECASE)
_ABSTRACT = re.compile(r"(?:\d+\.?\s+)?(?:abstract|zusammenfassung|résumé|riassunto)", re.IGNORECASE)
_REFERENCES = re.compile(
    r"(?:\d+\.?\s+)?(?:references|bibliography|literatur(?:verzeichnis)?|bibliographie|bibliografia)", re.I
)
_CODE = re.compile(r"^[ \t]*(?:```|~~~)", re.MULTILINE)
_MANUAL_NAME = re.compile(r"\b(?:manual|handbook|guide|reference|handbuch|anleitung|manuel|manuale)\b", re.IGNORECASE)


def detect_domain(content: Content, sections: Sequence[Section]) -> Domain:
    """The domain that the structure shows, `none` in doubt."""
    titles = [section.title for section in sections if section.title]
    if any(map(_ABSTRACT.fullmatch, titles)) and any(map(_REFERENCES.fullmatch, titles)):
        return "academic"
    numbers = [number for number in map(heading_number, titles or [content.name]) if number]
    marked = [number for number in numbers if number.keyword]  # codes count their titles with bare letters, too
    articles = sum(number.section_id.startswith("art.") for number in marked)
    if _is_contract(content, len(numbers)):
        return "legal_contract"
    if articles and 2 * articles >= len(marked) and content.language in ("de", "fr", "it"):
        return "swiss_legislative"
    if act := _english_act(content, titles, len(numbers)):
        return act
    return "technical" if _is_technical(content) else "none"


def _is_contract(content: Content, numbered: int) -> bool:
    opening = content.text[:_OPENING]
    named = _CONTRACT_NAME.search(content.name) is not None and not _ACT_NAME.search(content.name)
    return numbered >= 2 and (
        named or (len(_CONTRACT_WORDS.findall(opening)) >= 2 and not _ACT_NAME.search(content.name))
    )


def _english_act(content: Content, titles: Sequence[str], numbered: int) -> Domain | None:
    """Acts in English number their subsections with letters first (a)(1), or with numbers first (1)(a)."""
    letter, number = _LETTER_FIRST.search(content.text), _NUMBER_FIRST.search(content.text)
    if not numbered or not (letter or number):
        return None
    marked = sum(_US_HEADING.match(title) is not None for title in titles or [content.name])
    is_act = _ACT_NAME.search(content.name) is not None
    if letter and marked and (is_act or number) and (number is None or letter.start() < number.start()):
        return "us_legislative"
    is_act = is_act or any(map(_AU_PART.match, titles)) or marked >= 2
    if number and is_act and (letter is None or number.start() < letter.start()):
        return "au_legislative"
    return None


def _is_technical(content: Content) -> bool:
    fences = len(_CODE.findall(content.text)) // 2
    return fences >= 3 or (fences >= 1 and _MANUAL_NAME.search(content.name) is not None)
