"""The labels of references stand where they say, and what can be measured without the corpora is as good as stated."""

from __future__ import annotations

from pathlib import Path

from benchmarks.extraction.exact import sample
from benchmarks.extraction.references import Counts, Label, Stretch, measure, same, stretches

from pincite.kinds.documents import read_document

SAMPLES = Path(__file__).parents[2] / "samples" / "legislation"


def test_there_are_enough_labels_and_each_lies_in_a_stretch_that_was_read() -> None:
    read = list(stretches())
    assert sum(len(label.targets) for stretch in read for label in stretch.labels) >= 200
    assert {stretch.half for stretch in read} == {"tuning", "held-out"}
    for stretch in read:
        assert all(stretch.start <= label.start < label.end <= stretch.end for label in stretch.labels), (
            stretch.document
        )


def test_our_own_texts_are_read_as_labelled() -> None:
    own = Counts()
    for stretch in stretches():
        if stretch.corpus == "samples":
            own.add(measure(stretch, None))
    assert own.labelled == 65
    assert (own.found, own.right) == (own.labelled, own.said), own.wrong
    assert own.resolved >= 64, own.wrong


def test_what_is_missed_and_what_is_none_are_counted() -> None:
    text = read_document(SAMPLES / "service-agreement.md", "service-agreement.md").content.text
    at = text.index("clause 5.2")
    labels = (Label(at, at + 10, ("5.9",)), Label(0, 3, ("1",)))
    counts = measure(Stretch("tuning", "samples", "service-agreement.md", 0, at + 10, labels), None)
    assert (counts.labelled, counts.found, counts.resolved) == (2, 1, 0)
    assert counts.said == counts.right + 1, "Schedule 1 is not labelled here"


def test_the_name_of_a_work_may_go_on() -> None:
    assert same("bundesgesetz:art.61", "bundesgesetzvom1.mai2000:art.61")
    assert not same("or:art.61", "zgb:art.61") and not same("art.61", "or:art.61")


def test_every_citation_of_our_own_acts_is_first() -> None:
    result = sample()
    assert result.asked >= 40 and result.missed == ()
