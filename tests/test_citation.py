"""Citations round-trip, whatever the names hold; what is none is refused with an example."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.citation import Citation
from pincite.errors import InvalidArgument
from pincite.types import Scope, Span

NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30).map(
    lambda text: unicodedata.normalize("NFC", text)
)


@given(
    scope=st.builds(Scope, NAMES, NAMES, NAMES),
    element=NAMES,
    version=st.one_of(st.just(""), st.text("0123456789abcdef", min_size=8, max_size=32)),
    section=st.one_of(st.just(""), NAMES),
    span=st.one_of(
        st.none(), st.tuples(st.integers(0, 10**9), st.integers(0, 10**9)).map(sorted).map(lambda p: Span(*p))
    ),
    revision=st.one_of(st.none(), st.integers(0, 10**12)),
)
def test_a_citation_round_trips(
    scope: Scope, element: str, version: str, section: str, span: Span | None, revision: int | None
) -> None:
    cited = Citation(scope, element, version, section, span, revision)
    text = str(cited)
    assert Citation.parse(text) == cited
    assert re.fullmatch(r"pincite:[A-Za-z0-9._~%/@#;=-]+", text), "survives mail, Markdown and shells"


def test_decomposed_names_become_composed_ones() -> None:
    cited = Citation(Scope(), unicodedata.normalize("NFD", "Gebühr.md"))
    assert Citation.parse(str(cited)).element_id == "Gebühr.md"


def test_white_space_around_and_capitals_in_the_version_are_understood() -> None:
    cited = Citation.parse("  pincite:t/o/r/a%2Fb.md@ABCDEF0123#4.2;span=1-2\n")
    assert cited == Citation(Scope("t", "o", "r"), "a/b.md", "abcdef0123", "4.2", Span(1, 2))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not a citation"),
        ("http://example.org", "use the form"),
        ("pincite:t/o/r", "use the form"),
        ("pincite:t/o/r/e@xyz", "use the form"),
        ("pincite:t/o/r/e@abc", "use the form"),
        ("pincite:t/o/r/%FF", "UTF-8"),
        ("pincite:t/o/r/e;page=3", "unknown option 'page'"),
        ("pincite:t/o/r/e;span=9-3", "not a span"),
        ("pincite:t/o/r/e;span=9", "not a span"),
        ("pincite:t/o/r/e;rev=1-2", "not a revision"),
        ("pincite:t/o/r/e;rev=1;rev=2", "repeats"),
    ],
)
def test_what_is_no_citation_is_refused(text: str, message: str) -> None:
    with pytest.raises(InvalidArgument, match=message) as caught:
        Citation.parse(text)
    assert caught.value.field == "citation"


def test_a_lone_surrogate_cannot_be_cited() -> None:
    with pytest.raises(InvalidArgument, match="surrogate"):
        str(Citation(Scope(), "\ud800"))
