"""Which passages a draft quotes, and which citation belongs to each."""

from __future__ import annotations

import pytest

from pincite.errors import InvalidArgument
from pincite.text.quotations import quotations

A, B = "pincite:t/o/r/a.md@0123456789abcdef#4.2;span=1-9", "pincite:t/o/r/b.md"


@pytest.mark.parametrize(
    ("draft", "expected"),
    [
        (f'It grants "26 working days of leave" ({A}).', [("26 working days of leave", A)]),
        (f"It grants “26 working days of leave” [Leave, § 4.2]({A}).", [("26 working days of leave", A)]),
        (f"In {A} we read „eins zwei drei“, in {B} «uno due tre».", [("eins zwei drei", A), ("uno due tre", B)]),
        (f'"one two three" and "four five six" (see {A})', [("one two three", A), ("four five six", A)]),
        (f'"one two three" ({A}), and "four five six" ({B})', [("one two three", A), ("four five six", B)]),
        (f"> Ask in the portal.\n> At once.\n> — {A}\n", [("Ask in the portal.\nAt once.", A)]),
        (f"> “Ask in the portal.”\n\n({A})\n", [("Ask in the portal.", A)]),
        (f'It says "one two three" [1].\n\n[1] Leave: {A}.\n', [("one two three", A)]),
        (f'It says "one two three".[^x]\n\n[^x]: {B}\n', [("one two three", B)]),
        (f'A lone "one two three".\n\nElsewhere {A}.', [("one two three", "")]),
        (f'It says "one two three" here. Then "four five six" ({A}).', [("one two three", ""), ("four five six", A)]),
        (f'The term "Supplier" is meant, "Buyer" ({A}) too.', [("Buyer", A)]),
        ("It's the company's and the staff's, isn't it?", []),
        ('An inch is 12" wide.\n\nA foot is 3" long.', []),
    ],
)
def test_each_quotation_has_the_citation_beside_it(draft: str, expected: list[tuple[str, str]]) -> None:
    found = quotations(draft)
    assert [(item.quote, item.citation) for item in found] == expected
    for item in found:
        assert item.span is not None
        assert item.quote.split()[0] in draft[item.span.start : item.span.end]


def test_a_long_draft_is_read_at_once_or_refused() -> None:
    assert quotations("> \n" * 20_000 + "“" * 20_000) == ()
    with pytest.raises(InvalidArgument, match="passages, but the limit is 200"):
        quotations(f'"one two three" ({A}) ' * 3_000)
