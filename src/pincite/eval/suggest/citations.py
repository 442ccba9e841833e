"""A section's number together with its document's name: "§ 4.2 Leave policy", "Art. 8 Hausordnung"."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from pincite.eval.suggest.choose import SuggestedQuestion
from pincite.eval.suggest.wording import same
from pincite.text.identifiers import normalise_identifier

if TYPE_CHECKING:
    from pincite.eval.suggest.survey import Sketch, SurveyedSection

_PLAIN = re.compile(r"\d+[.)]?(?:\s|$)")
MAX_NAME_WORDS = 12
"""Longer names are not used in citations."""


def citations(sketches: Sequence[Sketch]) -> Iterator[SuggestedQuestion]:
    """One citation per numbered section, if number and name together identify only that section."""
    bearers = Counter(same(sketch.name) for sketch in sketches)
    for sketch in sketches:
        name = " ".join(sketch.name.split())
        if bearers[same(name)] > 1 or len(name.split()) > MAX_NAME_WORDS or not any(map(str.isalpha, name)):
            continue
        numbers = Counter(
            number for section in sketch.sections for number in {*map(normalise_identifier, section.spellings)}
        )
        for section in sketch.sections:
            spelling = _spelling(section)
            if not spelling or section.is_bare or numbers[normalise_identifier(spelling)] > 1:
                continue
            if not _PLAIN.match(section.heading) or _counts_sections(sketch, section):
                query = f"{spelling} {name}"
                yield SuggestedQuestion("citation", query, sketch.element_id, section.section_id, section.language)


def _counts_sections(sketch: Sketch, section: SurveyedSection) -> bool:
    """Whether a plain number ("3. Scope") numbers the document's sections, rather than steps or parts of a part."""
    below = [other for other in sketch.sections if other.depth > 1]
    above = [other for other in below if other.chain == section.chain[: other.depth] and other is not section]
    numbered = sum(other.is_numbered for other in below)
    return 2 * numbered > len(below) and not any(other.is_numbered for other in above)


def _spelling(section: SurveyedSection) -> str:
    """The number as written in the heading ("Art. 8", "Section 3"), otherwise with a section sign ("§ 4.2")."""
    marked = (s for s in section.spellings if section.heading.startswith(s) and not s[0].isdigit())
    return next(marked, next((s for s in section.spellings if not s[0].isdigit()), ""))
