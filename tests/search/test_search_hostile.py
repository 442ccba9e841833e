"""Nothing that can be typed makes a search fail or slow."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import pincite
from pincite import wire
from pincite.errors import InvalidArgument
from runaway import stopped_if_it_runs_away

SYNTAX = st.sampled_from(
    [
        "AND",
        "OR",
        "NOT",
        "(",
        ")",
        '"',
        "“",
        "”",
        "«",
        "*",
        "+",
        "-",
        ":",
        "title:",
        "a",
        "leave",
        "§ 4",
        "le*",
        " ",
        "-x",
    ]
)
ODD = st.one_of(
    st.text(max_size=60),
    st.text(alphabet=st.characters(), max_size=40),  # surrogates, controls and private characters included
    st.lists(SYNTAX, max_size=40).map(" ".join),
    st.lists(SYNTAX, max_size=40).map("".join),
)


@settings(max_examples=250, deadline=None)
@given(query=ODD, mode=st.sampled_from(["hybrid", "keyword", "exact", "semantic"]))
@example(query="NOT " * 900 + "a", mode="hybrid")
@example(query="\ud800", mode="hybrid")
@example(query="\x00", mode="exact")
@example(query="\u202eevael launna\u202c", mode="hybrid")
def test_hostile_syntax_never_raises(handbook: pincite.Library, query: str, mode: str) -> None:
    if not query.strip():
        return
    answer = handbook.search(query, mode=mode, explain=True)
    assert bool(answer.hits) != bool(answer.absence)
    again = handbook.replay(str(answer.replay["token"]))
    assert [(hit.passage, hit.score, hit.legs) for hit in again.hits] == [
        (hit.passage, hit.score, hit.legs) for hit in answer.hits
    ]
    wire.answer(answer, handbook.describe)


@pytest.mark.parametrize(
    "query",
    [
        "(" * 4000,
        ")" * 4000,
        "(" * 2000 + ")" * 2000,
        "() " * 1333,
        '"' * 4000,
        "“" * 4000,
        "„" * 4000,
        "*" * 4000,
        "a* " * 1333,
        "NOT " * 999 + "a",
        "(a AND " * 400 + "b" + ")" * 400,
        "title:" * 660,
        "a OR " * 799,
        "\u0301" * 4000,
        "ſ" * 4000,
        " ".join(f"w{number}" for number in range(800))[:4000],
        '"the ' * 800,
        "the " * 1000,
        "4.2." * 1000,
        "a-b_c/" * 660,
    ],
    ids=lambda query: ascii(query[:12]),
)
def test_four_thousand_characters_cost_no_leg_its_answer(handbook: pincite.Library, query: str) -> None:
    """A leg that is too late for the answer is unavailable in it."""
    with stopped_if_it_runs_away():
        answer = handbook.search(query, explain=True)
    assert {leg.name: leg.status for leg in answer.legs} == {
        "dense": "off", "keyword": "ok", "exact": "ok", "related": "off", "graph": "off"
    }  # fmt: skip


@pytest.mark.parametrize("text", ["\ud800", "\x00", "a" * 10_000])
def test_odd_names_are_errors_not_crashes(handbook: pincite.Library, text: str) -> None:
    for ask in (
        lambda: handbook.get(text),
        lambda: handbook.history(text),
        lambda: handbook.search("leave", repository=text),
        lambda: handbook.search("leave", cursor=text),
        lambda: handbook.search("leave", filters={text: "x"}),
        lambda: handbook.search("leave", read_context=f"baseline:{text}"),
        lambda: handbook.replay(text),
        lambda: handbook.get("company/leave.md", section=text),
        lambda: handbook.get("company/leave.md", version=text),
    ):
        with pytest.raises(pincite.PinciteError):
            ask()
    with contextlib.suppress(pincite.PinciteError):
        handbook.search("leave", filters={"language": text})
    assert handbook.verify(f"leave {text} xyzzy").status == "not_found"


def test_half_a_character_in_a_filter_is_refused_by_name(handbook: pincite.Library) -> None:
    """It has no bytes, so no index could compare it with anything."""
    for filters in ({"\ud800": "x"}, {"language": "\ud800"}, {"language": ["en", "\udfff"]}):
        with pytest.raises(InvalidArgument) as caught:
            handbook.search("leave", filters=filters)  # type: ignore[arg-type]
        assert "lone surrogate" in caught.value.message
        assert caught.value.field == "filters"
