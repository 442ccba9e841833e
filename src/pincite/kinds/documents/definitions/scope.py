"""How far a definition reaches: the document, the part it stands in, or its section and what lies below."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pincite.kinds.documents.definitions.forms import Forms
from pincite.kinds.documents.numbering import heading_number

_WORD = re.compile(r"\w+")


def scope_of(said_before: str, forms: Forms, chain: Sequence[str]) -> str:
    """What the words before the term say: "in this Part", "Im Sinne dieses Kapitels", "ai fini del presente articolo".

    `chain` holds the headings above, the section's own last. A part is opened by the nearest heading that calls itself
    so ("Part 2"), else by the one above the definition's own section: `part`; `part/2` if it lies one higher, and so
    on. Where there is none above, the section is meant.
    """
    if forms.section.search(said_before):
        return "section"
    said = forms.part.search(said_before)
    if said is None:
        return "document"
    words = {_base(word) for word in _WORD.findall(said.group())}
    for up, title in enumerate(reversed(chain)):
        number = heading_number(title)
        if number and number.section_id.partition(".")[0] in words:
            return "section" if up == 0 else "part" if up == 1 else f"part/{up}"
    return "part" if len(chain) > 1 else "section"


def _base(word: str) -> str:
    """The word as a heading has it: "Kapitels" → "kapitel"."""
    word = word.casefold()
    for ending in ("es", "s"):
        if word.endswith(ending) and word.removesuffix(ending) in _GENITIVES:
            return word.removesuffix(ending)
    return word


_GENITIVES = frozenset({"kapitel", "titel", "teil", "abschnitt", "unterabschnitt", "buch"})
