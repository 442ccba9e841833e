"""Types of passages: what states duties, what only points elsewhere, and what is neither."""

from __future__ import annotations

import pytest

from pincite.kinds.documents import cut
from pincite.types import Content


def type_of(text: str, language: str) -> str:
    (chunk,) = cut(
        Content("document", "document", "Rules", f"# Rules\n\n{text}\n", language, {"file_type": "md"})
    ).chunks
    return chunk.chunk_type


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("The supplier shall deliver on time. It must keep records for ten years.", "en", "requirement"),
        ("Staff may not lend keys. Visitors are required to sign in.", "en", "requirement"),
        ("The archive opened in 1999. It holds maps. Visitors must sign in.", "en", "content"),
        ("Lieferungen müssen pünktlich sein. Der Schlüssel darf nicht verliehen werden.", "de", "requirement"),
        ("Der Schlüssel hängt am Brett und passt zu beiden Türen.", "de", "content"),
        ("Le locataire doit entretenir le logement. Il est tenu de signaler les défauts.", "fr", "requirement"),
        ("Il fornitore deve consegnare la merce. È vietato cedere il contratto.", "it", "requirement"),
        ("- [Leave](leave.md)\n- [Expenses](expenses.md)\n- [Remote work](remote-work.md)", "en", "reference"),
        ("Ask for leave as the page [Leave](leave.md) says, at least ten days before you want to go.", "en", "content"),
    ],
)
def test_a_passage_is_called_what_most_of_it_is(text: str, language: str, expected: str) -> None:
    assert type_of(text, language) == expected


def test_a_definition_stays_one_though_it_says_must() -> None:
    assert type_of("“Notice” means a letter that must be signed by both.", "en") == "definition"
