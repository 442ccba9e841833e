"""The dense leg in answers: what it adds, what it must not spoil, and what is said while vectors are missing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import pincite
from desk import Desk
from old_tokens import token_of_before
from pincite.errors import Conflict, Unavailable
from pincite.search.query import Answer, LegReport
from pincite.upkeep.health import Finding
from terminal import Run

TEXTS = {
    "dog": "# Dogs\n\nThe keeper of a dog is liable for damage that the animal causes.\n",
    "rent": "# Rent\n\nThe deposit must not exceed three months of rent.\n",
    "leave": "# Leave\n\nEmployees receive 26 working days of paid annual leave.\n",
    "pay": "# Pay\n\nSalaries are transferred on the 25th of each month.\n",
}

NEAR = "employeees receivee workingg annuaal leavee"
"""No word of it stands in a text, but parts of words do: the hashing embedder finds leave.md near."""


@pytest.fixture
def meaning(tmp_path: Path) -> Iterator[Desk]:
    """A library whose dense leg is the hashing embedder: texts that share words or parts of words are near."""
    (tmp_path / "source").mkdir()
    settings = {"dense": "auto", "embedding": {"model": "hashing:512"}}
    with pincite.open(tmp_path / "library", **settings) as library:
        yield Desk(tmp_path, library)


def filled(desk: Desk) -> Desk:
    for name, text in TEXTS.items():
        desk.write(f"{name}.md", text)
    desk.library.ingest(desk.folder, embedding=False)
    desk.library.embed()
    return desk


def leg(answer: Answer, name: str) -> LegReport:
    return next(report for report in answer.legs if report.name == name)


def test_a_question_without_a_common_word_finds_what_is_near(meaning: Desk) -> None:
    filled(meaning)
    answer = meaning.search(NEAR)
    assert leg(answer, "keyword").candidates == 0
    assert leg(answer, "dense").status == "ok"
    assert answer.hits[0].passage.element_id == "leave.md"
    assert answer.hits[0].legs["dense"].window >= 0
    assert answer.total_is_lower_bound


def test_scores_are_between_0_and_1_and_are_the_sum_of_their_signals(meaning: Desk) -> None:
    filled(meaning)
    hits = meaning.search("deposit of three months").hits
    assert len(hits) > 1
    for hit in hits:
        assert 0 < hit.score <= 1
        assert hit.score == pytest.approx(sum(hit.signals.values()))


def test_until_vectors_exist_words_answer_and_the_answer_says_so(meaning: Desk) -> None:
    meaning.write("dog.md", TEXTS["dog"])
    meaning.library.ingest(meaning.folder, embedding=False)
    answer = meaning.search("liable keeper")
    assert answer.hits and leg(answer, "dense").status == "unavailable"
    assert "pincite embed" in leg(answer, "dense").reason
    meaning.library.embed()
    meaning.write("rent.md", TEXTS["rent"])
    meaning.library.ingest(meaning.folder, embedding=False)
    answer = meaning.search("liable keeper")
    assert leg(answer, "dense").status == "partial" and "1 of 2 passages" in leg(answer, "dense").reason
    assert not answer.replay["replayable"]


def test_ingest_embeds_in_the_background(meaning: Desk) -> None:
    meaning.put(**TEXTS)
    worker = meaning.library._worker
    assert worker is not None and worker.wait(30) and not worker.problem
    assert leg(meaning.search("salaries"), "dense").status == "ok"


def test_modes_choose_the_legs(meaning: Desk) -> None:
    filled(meaning)
    names = {mode: {r.name for r in meaning.search("deposit", mode=mode).legs if r.status == "ok"} for mode in (
        "hybrid", "semantic", "keyword", "exact"
    )}  # fmt: skip
    assert names == {
        "hybrid": {"dense", "keyword", "exact"},
        "semantic": {"dense", "exact"},
        "keyword": {"keyword"},
        "exact": {"keyword", "exact"},
    }
    assert set(meaning.first("deposit", mode="semantic").legs) == {"dense"}


def test_a_demanded_or_quoted_word_stays_demanded(meaning: Desk) -> None:
    filled(meaning)
    assert meaning.ids('"annual leave"') == ["leave.md"]
    assert meaning.ids("+deposit months") == ["rent.md"]
    assert "rent.md" not in meaning.ids("months NOT deposit")
    assert meaning.ids(f'"{NEAR}"') == ["leave.md"], "where nothing holds it, meaning stands in"


def test_an_exact_identifier_stays_first(meaning: Desk) -> None:
    filled(meaning)
    meaning.write("sections.md", "# Manual\n\n## 4.2 Stop\n\nPress the button.\n\n## 4.3 Annual leave\n\nNone.\n")
    meaning.library.ingest(meaning.folder, embedding=False)
    meaning.library.embed()
    assert meaning.first("§ 4.2").passage.section_id == "4.2"


def test_filters_and_roles_hold_in_the_dense_leg(meaning: Desk) -> None:
    filled(meaning)
    meaning.write("secret.md", "---\nroles: [board]\n---\n# Secret\n\nEmployees receive no working days of leave.\n")
    meaning.library.ingest(meaning.folder, embedding=False)
    meaning.library.embed()
    with meaning.reopened(roles=["staff"], dense="auto", embedding={"model": "hashing:512"}) as staff:
        assert "secret.md" not in [hit.passage.element_id for hit in staff.search(NEAR).hits]
    assert "secret.md" in meaning.ids(NEAR)
    assert meaning.ids(NEAR, filters={"source_path": "pay.md"}) in ([], ["pay.md"])


def test_plain_reciprocal_ranks_can_be_chosen(tmp_path: Path) -> None:
    settings = {"dense": "auto", "embedding": {"model": "hashing:512"}, "retrieval": {"fusion": "rrf"}}
    (tmp_path / "source").mkdir()
    with pincite.open(tmp_path / "library", **settings) as library:
        desk = filled(Desk(tmp_path, library))
        hit = desk.first("deposit of three months")
    assert hit.passage.element_id == "rent.md" and hit.score == pytest.approx(1.0)


def test_a_replay_gives_the_same_bits_and_only_tokens_of_before_need_the_model(meaning: Desk) -> None:
    filled(meaning)
    answer = meaning.search("working days of leave")
    assert answer.replay["replayable"]
    token = str(answer.replay["token"])
    meaning.write("more.md", "# More\n\nWorking days of leave for everyone, and more leave.\n")
    meaning.library.ingest(meaning.folder, embedding=False)
    meaning.library.embed()
    meaning.library.rebuild()
    with meaning.reopened(dense="off") as without:
        for library in (meaning.library, without):
            again = library.replay(token)
            assert [(h.passage.citation, h.score, h.signals) for h in again.hits] == [
                (h.passage.citation, h.score, h.signals) for h in answer.hits
            ]
        with pytest.raises(Conflict, match="choose that model"):
            without.replay(token_of_before(without, token))


def test_scores_of_one_repository_do_not_depend_on_another(meaning: Desk) -> None:
    filled(meaning)
    before = [(h.passage.element_id, h.score) for h in meaning.search(NEAR, repository="main").hits]
    other = meaning.root / "other"
    other.mkdir()
    for number in range(30):
        (other / f"{number}.md").write_text(f"# N{number}\n\nEmployees receive {number} working days.\n", "utf-8")
    meaning.library.ingest(other, repository="other", embedding=False)
    meaning.library.embed()
    after = [(h.passage.element_id, h.score) for h in meaning.search(NEAR, repository="main").hits]
    assert before == after


def test_dense_required_makes_its_absence_an_error(tmp_path: Path) -> None:
    settings = {"dense": "required", "embedding": {"model": "hashing:512"}}
    (tmp_path / "source").mkdir()
    with pincite.open(tmp_path / "library", **settings) as library:
        desk = Desk(tmp_path, library)
        desk.write("dog.md", TEXTS["dog"])
        library.ingest(desk.folder, embedding=False)
        with pytest.raises(Unavailable, match="required"):
            library.search("dog")


def test_a_leg_that_takes_too_long_is_left_out_and_said(meaning: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(meaning)
    import time

    embedder = meaning.library.embedder
    quick = type(embedder).embed_query
    monkeypatch.setattr(type(embedder), "embed_query", lambda self, text: (time.sleep(0.5), quick(self, text))[1])
    with meaning.reopened(
        dense="auto", embedding={"model": "hashing:512"}, retrieval={"deadline_seconds": 0.05}
    ) as hasty:
        answer = hasty.search("deposit")
    assert answer.hits and leg(answer, "dense").status == "unavailable" and "longer than" in leg(answer, "dense").reason


def test_the_command_line_embeds_after_ingest_and_explains(run: Run, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    for name, text in TEXTS.items():
        (tmp_path / "docs" / f"{name}.md").write_text(text, encoding="utf-8")
    model = {"PINCITE_DENSE": "auto", "PINCITE_EMBEDDING__MODEL": "hashing:512"}
    done = run("ingest", "docs", **model)
    assert done.returncode == 0 and "embedded" in done.stderr
    body = json.loads(run("search", *NEAR.split(), "--json", "--explain", **model).stdout)
    first = body["results"][0]
    assert first["scores"]["semantic"] > 0 and first["signals"]["dense"] > 0
    assert sum(first["signals"].values()) == pytest.approx(first["score"])
    assert first["explain"]["dense"]["window"] is not None
    late = run("ingest", "docs", "--no-embed", **model)
    assert late.returncode == 0 and "embedded" not in late.stderr
    assert run("embed", **model).returncode == 0


def test_the_default_model_finds_across_languages(tmp_path: Path) -> None:
    (tmp_path / "source").mkdir()
    with pincite.open(tmp_path / "library", dense="auto") as library:
        desk = Desk(tmp_path, library)
        desk.write("hund.md", "# Hundereglement\n\nWer von einem Hund gebissen wird, meldet es der Gemeinde.\n")
        desk.write("boot.md", "# Seeufer\n\nMotorboote halten vom Ufer einen Abstand von 150 Metern.\n")
        desk.write("miete.md", "# Miete\n\nDie Kaution beträgt höchstens drei Monatsmieten.\n")
        library.ingest(desk.folder, embedding=False)
        library.embed()
        assert desk.first("whom do I tell about a dog bite?").passage.element_id == "hund.md"
        assert desk.first("quelle est la garantie de loyer maximale").passage.element_id == "miete.md"


def test_the_doctor_asks_the_dense_leg_too_and_says_what_waits(meaning: Desk) -> None:
    for name, text in TEXTS.items():
        meaning.write(f"{name}.md", text)
    meaning.library.ingest(meaning.folder, embedding=False)

    def dense() -> Finding:
        return next(item for item in meaning.library.health().all() if item.what == "dense leg")

    assert (dense().status, dense().advice) == ("warning", "run: pincite embed")
    meaning.library.embed()
    assert dense().status == "ok" and "hashing" in dense().detail
    meaning.write("more.md", "# More\n\nSomething else entirely.\n")
    meaning.library.ingest(meaning.folder, embedding=False)
    assert dense().status == "warning" and "4 of 5 passages" in dense().detail


def test_an_evaluation_says_that_vectors_are_missing(meaning: Desk, run: Run) -> None:
    meaning.write("dog.md", TEXTS["dog"])
    meaning.library.ingest(meaning.folder, embedding=False)
    (meaning.root / "g.json").write_text('{"queries": [{"query": "dog", "relevant": ["dog.md"]}]}', encoding="utf-8")
    model = {"PINCITE_DENSE": "auto", "PINCITE_EMBEDDING__MODEL": "hashing:512"}
    place = ("--library", str(meaning.library.path), "eval", str(meaning.root / "g.json"), "--json")
    body = json.loads(run(*place, **model).stdout)
    assert "dense" not in body["metrics"] and any("no vectors" in note for note in body["notes"])
    meaning.library.embed()
    body = json.loads(run(*place, **model).stdout)
    assert body["metrics"]["dense"]["hit@1"] == 1 and not body["notes"]
