"""A hit shows its element's best passages: which ones, with which scores, and never one that may not be read."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import pincite
from desk import Desk
from pincite.errors import InvalidArgument
from pincite.search.query import Answer, Hit, Scored
from pincite.search.siblings import ENOUGH
from pincite.types import Chunk, Commit, Content, Derivation, PutElement, RemoveElement, Span, State
from terminal import Run

HANDBOOK = """# Leave

## § 1 Annual leave

Employees take annual leave in blocks of a week.

## § 2 Canteen

The canteen opens at noon.

## § 3 Carrying over

Annual leave may be carried over to March.

## § 4 Illness

Annual leave is given back for days of illness.

## § 5 Calendar

The calendar lists holidays, plant closures, inventory days and everything else that planners ask for.
"""
WORDS = ("leave", "annual", "illness", "days", "canteen", "employees", "deposit", "rent", "notice", "period")


@pytest.fixture
def meaning(tmp_path: Path) -> Iterator[Desk]:
    """A library whose dense leg is the hashing embedder: texts that share words or parts of words are near."""
    (tmp_path / "source").mkdir()
    with pincite.open(tmp_path / "library", dense="auto", embedding={"model": "hashing:512"}) as library:
        yield Desk(tmp_path, library)


def state(*texts: str, roles: tuple[str, ...] = ()) -> State:
    """A document whose chunks are the given texts, one section each."""
    text, chunks = "", []
    for number, part in enumerate(texts):
        span = Span(len(text), len(text) + len(part))
        chunks.append(Chunk(number, span, section_id=f"{number}", parent_chain=("Doc", f"§ {number}"), language="en"))
        text += part + "\n\n"
    recipe = f"test-{len(texts)}-{hash(texts) & 0xFFFF}"
    return State(
        Content("document", "document", "Doc", text, "en"), Derivation(recipe, tuple(chunks)), frozenset(roles)
    )


def commit(library: pincite.Library, *changes: PutElement | RemoveElement) -> None:
    library.catalog.commits.commit(library.scope(""), Commit(changes))
    library.index.advance(library.scope(""))


def sections(hit: Hit) -> list[str]:
    return [item.passage.section_id for item in hit.passages]


def told(passages: tuple[Scored, ...]) -> list[tuple[Any, ...]]:
    return [(item.passage.citation, item.score, item.legs) for item in passages]


def test_a_hit_carries_the_best_passages_of_its_element_its_own_first(desk: Desk) -> None:
    desk.put(leave=HANDBOOK)
    hit = desk.first("annual leave")
    assert sections(hit) == ["1", "4", "3"]
    own, *others = hit.passages
    assert (own.passage, own.score, own.legs.keys()) == (hit.passage, hit.score, {"keyword", "exact"})
    for item in others:
        assert desk.library.get(item.passage.citation).passage.text == item.passage.text
        assert ENOUGH * own.legs["keyword"] <= item.score <= own.score
        assert item.legs == {"keyword": item.score}


def test_as_many_as_asked_for_and_only_what_counts(desk: Desk) -> None:
    desk.put(leave=HANDBOOK)
    assert sections(desk.first("annual leave", passages=1)) == ["1"]
    assert sections(desk.first("annual leave", passages=2)) == ["1", "4"]
    # §§ 2 and 5 hold one of the words, and only in the title above them.
    assert sections(desk.first("annual leave", passages=5)) == ["1", "4", "3"]
    assert desk.first("annual leave", group="chunk").passages == ()
    for wrong in (0, 6, "3", True):
        with pytest.raises(InvalidArgument, match="passages must be"):
            desk.search("annual leave", passages=wrong)


def test_a_passage_below_min_score_is_not_listed(desk: Desk) -> None:
    desk.put(leave=HANDBOOK)
    _, second, third = desk.first("annual leave").passages
    assert second.score > third.score
    assert sections(desk.first("annual leave", min_score=(second.score + third.score) / 2)) == ["1", "4"]


def test_the_same_words_are_not_listed_twice(desk: Desk) -> None:
    commit(desk.library, PutElement("a", (state("annual leave", "annual  leave", "annual leave of days", "rent"),)))
    assert sections(desk.first("annual leave", passages=5)) == ["0", "2"]


def test_passages_that_overlap_are_not_listed_twice(desk: Desk) -> None:
    text = "annual leave of staff and annual leave of others"
    chunks = (Chunk(0, Span(0, 25)), Chunk(1, Span(7, 48)), Chunk(2, Span(26, 48)))
    made = State(Content("document", "document", "Doc", text, "en"), Derivation("overlapping", chunks))
    commit(desk.library, PutElement("a", (made,)))
    assert [item.passage.chunk for item in desk.first("annual leave", passages=5).passages] == [2, 0]


def test_an_identifier_alone_lists_no_further_passage(desk: Desk) -> None:
    commit(desk.library, PutElement("handbook-7", (state("annual leave", "canteen"),)))
    hit = desk.first("handbook-7")
    assert (hit.legs.keys(), len(hit.passages)) == ({"exact"}, 1)


def test_what_a_role_may_not_read_is_never_listed(desk: Desk) -> None:
    hidden = state("annual leave of the board", "annual leave of directors", roles=("board",))
    commit(
        desk.library, PutElement("a", (hidden,)), PutElement("b", (state("annual leave", "annual leave of the year"),))
    )
    commit(desk.library, PutElement("a", (state("annual leave of employees", "rent"),)), PutElement("c", (hidden,)))
    with desk.reopened(roles=["staff"]) as staff:
        shown = {hit.passage.element_id: sections(hit) for hit in staff.search("annual leave", passages=5).hits}
        assert shown == {"a": ["0"], "b": ["0", "1"]}
        past = staff.search("annual leave", passages=5, read_context="revision:1").hits
        assert [hit.passage.element_id for hit in past] == ["b"]
    with desk.reopened(roles=["board"]) as board:
        shown = {hit.passage.element_id: sections(hit) for hit in board.search("annual leave", passages=5).hits}
        assert shown == {"a": ["0"], "b": ["0", "1"], "c": ["1", "0"]}


def test_a_passage_that_was_changed_or_deleted_is_not_listed(desk: Desk) -> None:
    desk.put(leave=HANDBOOK)
    before = desk.search("annual leave")
    desk.put(leave=HANDBOOK.replace("Annual leave may be carried over", "Nothing may be carried over"))
    assert sections(desk.first("annual leave")) == ["1", "4"]
    old = desk.first("annual leave", read_context="revision:1")
    assert told(old.passages) == told(before.hits[0].passages)
    replayed = desk.library.replay(str(before.replay["token"]))
    assert told(replayed.hits[0].passages) == told(before.hits[0].passages)


def test_what_the_words_refuse_is_neither_shown_nor_listed(meaning: Desk) -> None:
    near = "the annual leave of employees is given in days"
    commit(meaning.library, PutElement("a", (state("employees and their canteen", near, "canteen rent"),)))
    commit(meaning.library, *(PutElement(f"x{n}", (state(f"notice period {n}"),)) for n in range(9)))
    meaning.library.embed()
    query = "+canteen annual leave given days"
    assert meaning.search(query, mode="hybrid").hits[0].legs["dense"].chunk == 1
    (hit,) = meaning.search(query, passages=5).hits
    assert sections(hit) == ["2", "0"] and "canteen" in hit.passage.text


# --- many random libraries ------------------------------------------------------------------------------------


def fill(library: pincite.Library, seed: int) -> random.Random:
    """Documents of few words, in several commits, some for a role, with changes and removals."""
    chance = random.Random(seed)

    def document() -> State:
        texts = [" ".join(chance.choices(WORDS, k=chance.randint(1, 9))) for _ in range(chance.randint(1, 8))]
        return state(*texts, roles=chance.choice(((), (), ("judge",))))

    for _ in range(3):
        commit(library, *(PutElement(f"e{n}", (document(),)) for n in sorted(chance.sample(range(14), 7))))
    commit(library, *(RemoveElement(name) for name in library.elements()[:1]))
    return chance


def evidence(hit: Hit) -> float:
    return sum(hit.signals.get(leg, 0.0) for leg in ("keyword", "dense", "related"))


def expected(hit: Hit, by_chunk: Answer, count: int) -> list[tuple[Any, ...]]:
    """The hit's own passage and the first of its element where every passage is a hit of its own."""
    mine = [item for item in by_chunk.hits if item.passage.element_id == hit.passage.element_id]
    own = [item for item in mine if item.passage.citation == hit.passage.citation]
    most = max(evidence(item) for item in mine)
    rest = [item for item in mine if item not in own and evidence(item) >= ENOUGH * most and evidence(item)]
    shown: list[Hit] = []
    for item in own + rest:
        if all(item.passage.text != other.passage.text for other in shown):
            shown.append(item)
    scores = [{leg: score.score for leg, score in item.legs.items()} for item in shown]
    return [(i.passage.citation, i.score, s) for i, s in zip(shown, scores, strict=True)][:count]


@pytest.mark.parametrize("seed", range(12))
def test_passages_are_the_first_of_a_search_by_chunk(meaning: Desk, seed: int) -> None:
    library = meaning.library
    chance = fill(library, seed)
    library.embed()
    listed = 0
    for _ in range(6):
        query = " ".join(chance.sample((*WORDS, "leav", "illnes", "+days", '"annual leave"'), chance.randint(1, 4)))
        options: dict[str, Any] = {"mode": chance.choice(("hybrid", "hybrid", "semantic", "keyword"))}
        count = chance.randint(1, 5)
        with library_for(meaning, chance.choice((None, ["clerk"], ["judge"]))) as asked:
            by_chunk = asked.search(query, group="chunk", limit=100, **options)
            assert not by_chunk.next_cursor
            page = asked.search(query, limit=4, passages=count, **options)
            hits = list(page.hits)
            while page.next_cursor:
                page = asked.search(query, limit=4, passages=count, cursor=page.next_cursor, **options)
                hits += page.hits
            whole = asked.search(query, limit=50, passages=count, **options)
            again = asked.replay(str(whole.replay["token"]))
        assert [told(hit.passages) for hit in hits] == [told(hit.passages) for hit in whole.hits]
        assert [told(hit.passages) for hit in again.hits] == [told(hit.passages) for hit in whole.hits]
        for hit in whole.hits:
            assert told(hit.passages) == expected(hit, by_chunk, count)
            listed += len(hit.passages) - 1
    assert listed


def library_for(desk: Desk, roles: list[str] | None) -> pincite.Library:
    return desk.reopened(roles=roles, dense="auto", embedding={"model": "hashing:512"})


def test_pages_of_passages_do_not_move_when_something_is_committed(desk: Desk) -> None:
    fill(desk.library, 1)
    first = desk.search("annual leave days", limit=2)
    second = desk.search("annual leave days", limit=2, cursor=first.next_cursor)
    fill(desk.library, 2)
    again = desk.search("annual leave days", limit=2, cursor=first.next_cursor)
    assert [told(hit.passages) for hit in again.hits] == [told(hit.passages) for hit in second.hits]
    # How many passages a hit shows decides nothing of the order: a cursor is good for any number.
    fewer = desk.search("annual leave days", limit=2, passages=1, cursor=first.next_cursor)
    assert [told(hit.passages) for hit in fewer.hits] == [told(hit.passages[:1]) for hit in second.hits]


def test_under_plain_reciprocal_ranks_passages_are_scored_by_signals(desk: Desk) -> None:
    desk.put(leave=HANDBOOK)
    by_signals = told(desk.first("annual leave").passages)
    with desk.reopened(retrieval={"fusion": "rrf"}) as library:
        hit = library.search("annual leave").hits[0]
        assert hit.score == 1.0 and told(hit.passages) == by_signals


# --- explanations ---------------------------------------------------------------------------------------------


def test_an_explanation_shows_the_words_of_the_nearest_window(meaning: Desk) -> None:
    long = "Canteens open at noon and close at two. The keeper of a dog is liable for damage. Rooms are booked online."
    meaning.write("house.md", f"# House\n\n{long}\n")
    meaning.write("pay.md", "# Pay\n\nSalaries are transferred on the 25th of each month.\n")
    meaning.library.ingest(meaning.folder, embedding=False)
    meaning.library.embed()
    hit = meaning.first("keeper dogg liablee damagge", explain=True)
    assert hit.passage.element_id == "house.md"
    nearest = hit.legs["dense"]
    assert nearest.window > 0 and nearest.window_text == "House. The keeper of a dog is liable for damage."
    assert meaning.first("keeper dogg liablee damagge").legs["dense"] == nearest._replace(window_text="")


def test_the_window_is_of_the_passage_that_the_dense_leg_chose(meaning: Desk) -> None:
    made = state("rent rent deposit", "an employee has annuall leavve and illnesss")
    commit(meaning.library, PutElement("a", (made,)), PutElement("b", (state("notice period"),)))
    meaning.library.embed()
    hit = meaning.first("deposit annuall leavve illnesss employee", explain=True, mode="semantic")
    assert hit.legs["dense"].chunk == 1 and "annuall leavve" in hit.legs["dense"].window_text


# --- the command line -----------------------------------------------------------------------------------------


def test_the_terminal_shows_further_passages_in_a_line_each(run: Run, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "leave.md").write_text(HANDBOOK)
    assert run("ingest", "docs").returncode == 0
    shown = run("search", "annual leave").stdout
    assert "   also § 3 Carrying over: Annual leave may be carried over to March.   0." in shown
    assert "also § 4 Illness" in shown and "§ 2 Canteen" not in shown
    assert "also" not in run("search", "annual leave", "--passages", "1").stdout
    refused = run("search", "annual leave", "--passages", "9")
    assert (refused.returncode, "passages must be 1 to 5, not 9" in refused.stderr) == (2, True)


def test_the_terminal_shortens_the_window(run: Run, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# House\n\nThe keeper of a dog is liable for damage that it causes.\n")
    dense = {"PINCITE_DENSE": "auto", "PINCITE_EMBEDDING__MODEL": "hashing:512"}
    assert run("ingest", "docs", **dense).returncode == 0
    assert run("embed", **dense).returncode == 0
    shown = run("search", "keepeer dogg liablee", "--explain", **dense).stdout
    assert "      nearest: House. # House The keeper of a dog is liable for damage" in shown
    assert "nearest" not in run("search", "keepeer dogg liablee", **dense).stdout
