"""Punctuation of a sentence is not syntax; what is read as syntax is stated in the answer."""

from __future__ import annotations

import pytest

from desk import Desk
from pincite.errors import Conflict
from pincite.search.cursor import TOKEN, seal, unseal
from pincite.search.query import Answer, Query
from pincite.search.syntax import parse
from pincite.search.understand import understand


def never(_: str) -> bool:
    return False


# --- quotations -----------------------------------------------------------------------------------------------


def test_among_other_words_a_phrase_weighs_and_its_words_are_searched(desk: Desk) -> None:
    desk.put(
        phrase="# A\n\nThe annual leave of all staff is carried over.\n",
        words="# B\n\nLeave is granted once; an annual report follows, and days are carried over.\n",
        neither="# C\n\nDays are carried over.\n",
    )
    assert desk.ids('is "annual leave" carried over') == ["phrase.md", "words.md", "neither.md"]
    assert desk.ids('"annual leave"') == ["phrase.md"]
    assert desk.ids('+"annual leave" carried over') == ["phrase.md"]
    assert desk.ids('"annual leave" AND carried') == ["phrase.md"]


def test_a_phrase_that_stands_nowhere_is_said_and_the_rest_is_answered(desk: Desk) -> None:
    desk.put(a="# A\n\nThe owner of a dog is liable.\n")
    among = desk.search('who is liable for a "biting dog"')
    assert [hit.passage.element_id for hit in among.hits] == ["a.md"]
    assert any("no passage holds 'biting dog' word for word" in note for note in among.notes)


def test_a_query_that_is_only_a_quotation_is_strict(desk: Desk) -> None:
    desk.put(a="# A\n\nThe owner of a dog is liable.\n")
    assert desk.ids('"owner of a dog"') == ["a.md"]
    alone = desk.search('"liable owner of dogs"')
    assert (alone.hits, alone.absence) == ((), "no_match")
    assert 'only passages with "liable owner of dogs"' in alone.notes
    assert desk.ids('"liable owner of dogs"', mode="exact") == []
    assert desk.ids('+"liable owner of dogs"') == []


# --- exclusions and demands -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Netzarchitektur und -design", {"Netzdesign"}),
        ("E-Mail-Client und -Server", {"E-Mail-Server"}),
        ("Hardware, -software", {"Hardsoftware"}),
        ("Vor- und Nachteile", {"Vorteile"}),
        ("Haupt- oder Nebeneingang", {"Haupteingang"}),
    ],
)
def test_half_a_compound_is_completed_and_excludes_nothing(text: str, words: set[str]) -> None:
    found = parse(text, never)
    assert found.forbidden == ()
    assert words <= {leaf.text for leaf in found.tree.parts}  # type: ignore[union-attr]


def test_a_completed_compound_finds_its_passage(desk: Desk) -> None:
    desk.put(
        design="---\nlanguage: de\n---\n# A\n\nDas Netzdesign folgt der Norm.\n",
        other="---\nlanguage: de\n---\n# B\n\nDie Kantine hat ein neues Schild.\n",
    )
    answer = desk.search("Netzarchitektur und -design")
    assert [hit.passage.element_id for hit in answer.hits] == ["design.md"]
    assert any("'-design' is read as the end of a compound" in note for note in answer.notes)


def test_a_hyphen_elsewhere_still_excludes_and_the_answer_says_so(desk: Desk) -> None:
    desk.put(a="# A\n\nleave of staff\n", b="# B\n\nleave of guests\n")
    answer = desk.search("leave -guests")
    assert [hit.passage.element_id for hit in answer.hits] == ["a.md"]
    assert "without passages that hold guests" in answer.notes


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("+leave staff", "only passages with leave"),
        ("leave AND staff", "only passages with leave, staff"),
        ('"annual leave"', 'only passages with "annual leave"'),
        ("headings:leave staff", "only passages with headings:leave"),
        ("leave AND (staff OR guests)", "only passages with leave, staff or guests"),
        ("leave NOT staff", "without passages that hold staff"),
    ],
)
def test_what_is_demanded_or_excluded_is_stated(text: str, said: str) -> None:
    assert said in understand(Query(text=text)).notes


@pytest.mark.parametrize(
    "text",
    [
        "What is NOT allowed in the office?",
        "Is leave granted (in full) AND carried over?",
        "leave: who approves it, and when?",
        "input/output of a state-of-the-art system",
        'the "leave" of staff',
        "Tom's leave – and Anna’s",
    ],
)
def test_a_sentence_demands_and_excludes_nothing(text: str) -> None:
    plan = understand(Query(text=text))
    assert not plan.strict
    assert not [note for note in plan.notes if note.startswith(("only passages", "without passages"))]


def scored(answer: Answer) -> list[tuple[str, float]]:
    return [(hit.passage.citation, hit.score) for hit in answer.hits]


# --- tokens of before -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "still_answered"), [("leave of staff", True), ('"annual leave" of staff', False), ("leave -staff", False)]
)
def test_a_token_of_before_is_refused_where_its_question_is_read_differently(
    desk: Desk, text: str, still_answered: bool
) -> None:
    desk.put(a="# A\n\nannual leave of staff\n", b="# B\n\nleave of guests\n")
    answer = desk.search(text)
    token = str(answer.replay["token"])
    assert scored(desk.library.replay(token)) == scored(answer)
    library_id = desk.library.catalog.library_id
    note = unseal(token, TOKEN, library_id)
    del note["reading"]
    before = seal(note, TOKEN, library_id)
    if still_answered:
        assert scored(desk.library.replay(before)) == scored(answer)
    else:
        with pytest.raises(Conflict, match="read in another way"):
            desk.library.replay(before)
