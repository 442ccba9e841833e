"""Numbers that headings carry ("Art. 41a", "§ 4.2", "1.2.3"), in one normal form, and the spellings that find them.

Art. 41a, Article 41a, Artikel 41a, Articolo 41a   art.41a
§ 4.2, Section 4.2, Sec. 4.2, Clause 4.2, 4.2      4.2
Section 203(a)(1)                                  203(a)(1)
Part II, Chapter 3, Titre 2, 1a. Kapitel           part.ii, chapter.3, titre.2, kapitel.1a
A. Scope, IV. Scope                                A, IV
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_NUMBER = r"(?:\d+(?:\.\d+)*[a-z]?(?:[ ]?(?:bis|ter|quater|quinquies|sexies|septies|octies))?(?:\([0-9A-Za-z]{1,5}\))*)"
_ARTICLE = re.compile(
    rf"(?:Art\.?|Artt\.|Article|Artikel|Articolo|Artículo|Artigo|Articolul)[ \u00a0]?({_NUMBER})(?!\w)", re.I
)
_SECTION = re.compile(
    rf"(?:§§?|Section|Sec\.|Sect\.|Clause|Ziffer|Ziff\.|Paragraph|Paragraphe|Sezione)"
    rf"[ \u00a0]?({_NUMBER})(?!\w)",
    re.I,
)
_PART = re.compile(
    r"(Part|Division|Chapter|Title|Book|Annex|Appendix|Schedule|Teil|Kapitel|Titel|Buch|Abschnitt|Anhang|Anlage|Partie|Chapitre"
    r"|Titre|Livre|Annexe|Parte|Capitolo|Titolo|Libro|Allegato|Hoofdstuk|Deel|Bijlage|Capítulo|Título|Capitolul|Titlul)"
    r"[ \u00a0](\d+[a-z]?|[IVXLC]+|[A-Z])(?![\w])",
    re.I,
)
_PART_BEHIND = re.compile(r"(\d+[a-z]?)\.[ \u00a0](Teil|Kapitel|Titel|Buch|Abschnitt|Unterabschnitt)(?!\w)", re.I)
_DECIMAL = re.compile(r"(\d{1,3}(?:\.\d{1,3})+[a-h]?)[.)]?(?=\s|$)")
_INTEGER = re.compile(r"(\d{1,3})[.)](?=\s|$)|(\d{1,2})(?=\s+[^\W\d_a-z])")
_LETTER = re.compile(r"([A-Z]|[IVX]{2,5})[.)](?=\s+\S)")


@dataclass(frozen=True, slots=True)
class Number:
    """The number of a heading: its normal form, how it may be spelled, how deep it lies, where the title begins."""

    section_id: str
    spellings: tuple[str, ...]
    depth: int
    """Depth for texts without heading marks: parts 1, decimals by their count of numbers, articles below all."""
    end: int
    keyword: bool
    """Whether a word or sign announces the number, so that it is not a list item or quantity."""


def heading_number(title: str) -> Number | None:
    """The number that a heading begins with, or None."""
    if match := _ARTICLE.match(title):
        number = _compact(match.group(1))
        return Number(f"art.{number}", _unique(f"Art. {number}", match.group(0)), 6, match.end(), True)
    if match := _SECTION.match(title):
        number = _compact(match.group(1))
        return Number(number, _unique(f"§ {number}", match.group(0)), 5, match.end(), True)
    if match := _PART.match(title):
        section_id = f"{match.group(1).lower()}.{match.group(2).lower()}"
        return Number(section_id, (match.group(0),), 1, match.end(), True)
    if match := _PART_BEHIND.match(title):
        section_id = f"{match.group(2).lower()}.{match.group(1).lower()}"
        return Number(section_id, (match.group(0),), 1, match.end(), True)
    if match := _DECIMAL.match(title):
        number = match.group(1)
        return Number(number, _unique(f"§ {number}", number), number.count(".") + 1, match.end(), False)
    if match := _INTEGER.match(title):
        number = match.group(1) or match.group(2)
        return Number(number, (f"§ {number}",), 1, match.end(), False)
    if match := _LETTER.match(title):
        return Number(match.group(1), (), 1, match.end(), False)
    return None


def _compact(number: str) -> str:
    return number.replace(" ", "").replace("\u00a0", "")


def _unique(*spellings: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(spelling.replace("\u00a0", " ") for spelling in spellings))
