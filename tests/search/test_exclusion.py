"""What a question excludes in words ranks behind, gently, and the answer says what was understood."""

from __future__ import annotations

import pytest

from desk import Desk
from pincite.search.exclusion import exclusion_in
from pincite.search.query import Query
from pincite.search.understand import understand

LEAVE = {
    "annual": "# Annual leave\n\nEmployees have twenty days of leave a year, which they plan with their team.\n",
    "sick": "# Sick leave\n\nSick leave is leave for employees who are ill; sick leave needs a note.\n",
    "parking": "# Parking\n\nCars are parked behind the house.\n",
}


@pytest.mark.parametrize(
    "question",
    [
        "leave but not sick leave",
        "What leave do employees have, except sick leave?",
        "leave other than sick leave",
        "leave excluding sick leave",
        "leave mais pas sick leave",
        "leave, ausser sick leave",
        "leave tranne sick leave",
    ],
)
def test_what_is_mainly_about_it_ranks_behind_and_is_not_hidden(desk: Desk, question: str) -> None:
    desk.put(**LEAVE)
    answer = desk.search(question)
    assert [hit.passage.element_id for hit in answer.hits] == ["annual.md", "sick.md"]
    assert answer.hits[1].signals["excluded"] < 0
    assert any("'sick leave' rank behind" in note for note in answer.notes)
    assert desk.ids("sick leave")[0] == "sick.md"


@pytest.mark.parametrize(
    "question",
    [
        "May a lease not be terminated?",
        "what is not allowed",
        "except",
        "but not this",
        "leave but not leave",
        "leave except where the employer has agreed in writing to carry it over to the next year",
        "Kündigung aus wichtigem Grund",
        "Wann tritt das Gesetz ausser Kraft?",
        "eine Anlage außer Betrieb nehmen",
        "leave except where agreed",
        "congé sauf si prévu",
        "costs, including but not limited to travel",
    ],
)
def test_a_question_without_one_is_left_alone(question: str) -> None:
    assert exclusion_in(question) is None
    assert understand(Query(question)).excluded is None


def test_without_may_be_part_of_the_thing(desk: Desk) -> None:
    desk.put(
        meant="---\nlanguage: de\n---\n# Kündigung ohne Grund\n\nEine Kündigung braucht keinen Anlass.\n",
        other="---\nlanguage: de\n---\n# Kündigung aus wichtigem Grund\n\nDie Kündigung ohne Grund geht vor.\n",
    )
    answer = desk.search("Kündigung ohne Grund")
    assert [hit.passage.element_id for hit in answer.hits] == ["meant.md", "other.md"]
    assert "excluded" not in answer.hits[0].signals


def test_several_things_can_be_excluded() -> None:
    found = exclusion_in("leave except sick leave and parental leave?")
    assert found is not None
    assert found.parts == (("sick", "leave"), ("parental", "leave"))
    assert found.asked == "leave ?"


def test_operators_still_forbid(desk: Desk) -> None:
    desk.put(**LEAVE)
    assert desk.ids("leave -sick") == ["annual.md"]
    assert desk.ids("leave NOT sick") == ["annual.md"]
