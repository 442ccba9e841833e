"""How far a definition reaches: the document, the part it stands in, or its section and what lies below."""

from __future__ import annotations

from pincite.kinds.documents.definitions.forms import Forms


def scope_of(said_before: str, forms: Forms, *, has_part: bool) -> str:
    """What the words before the term say: "in this Part", "Im Sinne dieses Kapitels", "ai fini del presente articolo".

    A part is what the heading above the definition's own section opens; where there is none, the section is meant.
    """
    if forms.section.search(said_before):
        return "section"
    if forms.part.search(said_before):
        return "part" if has_part else "section"
    return "document"
