"""Pages, replay, read contexts, several repositories: every answer belongs to one state of each repository."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pincite
from desk import Desk, by_name
from pincite import wire
from pincite.errors import Conflict, InvalidArgument, NotFound, PermissionDenied
from pincite.search.cursor import seal, unseal
from pincite.search.query import Answer


def seen(answer: Answer) -> dict[str, Any]:
    """What must be the same on replay: everything but when and how it was asked."""
    body = wire.answer(answer, by_name)
    for part in ("read_context", "legs", "replay"):
        body.pop(part)
    for result in body["results"]:
        result.pop("read_context")
    return body


# --- pages ----------------------------------------------------------------------------------------------------


@settings(max_examples=12, deadline=None)
@given(
    texts=st.lists(
        st.lists(st.sampled_from(["alpha", "beta", "gamma", "delta"]), min_size=1, max_size=6), min_size=1, max_size=25
    ),
    size=st.integers(1, 7),
    group=st.sampled_from(["element", "chunk"]),
    sort=st.sampled_from(["relevance", "date_desc"]),
)
def test_pages_never_overlap_or_skip_whatever_happens_between_them(
    texts: list[list[str]], size: int, group: str, sort: str
) -> None:
    with tempfile.TemporaryDirectory() as root, pincite.open(Path(root) / "library") as library:
        desk = Desk(Path(root), library)
        for number, words in enumerate(texts):
            desk.write(
                f"{number}.md", f"---\ndate: 2024-01-{1 + number % 5:02}\n---\n# T\n\n{' '.join(words)}\n\n## U\n\nbeta"
            )
        desk.ingest()
        options: dict[str, Any] = {"group": group, "sort": sort}
        whole = library.search("alpha beta", limit=100, **options)
        pages, cursor = [], ""
        while True:
            page = library.search("alpha beta", limit=size, cursor=cursor, **options)
            pages += [(hit.passage.citation, hit.score) for hit in page.hits]
            assert page.total == whole.total
            cursor = page.next_cursor
            if not cursor:
                break
            desk.put(**{f"new{len(pages)}": "alpha beta alpha", "0": "alpha"})
            while library.index.merge(library.scope()):
                pass
        assert pages == [(hit.passage.citation, hit.score) for hit in whole.hits]


def test_a_cursor_belongs_to_its_question_its_caller_and_its_library(desk: Desk, tmp_path: Path) -> None:
    desk.put(a="alpha one", b="alpha two", c="alpha three")
    cursor = desk.search("alpha", limit=1).next_cursor
    assert desk.search("alpha", limit=2, cursor=cursor).hits
    for options in ({"mode": "keyword"}, {"group": "chunk"}, {"read_context": "revision:1"}, {"min_score": 0.1}):
        with pytest.raises(InvalidArgument, match="another question"):
            desk.search("alpha", cursor=cursor, **options)  # type: ignore[arg-type]
    with pytest.raises(InvalidArgument, match="another question"):
        desk.search("beta", cursor=cursor)
    with desk.reopened(roles=["x"]) as other, pytest.raises(InvalidArgument, match="another question"):
        other.search("alpha", cursor=cursor)
    with pincite.open(tmp_path / "second") as second:
        second.ingest(desk.folder)
        with pytest.raises(InvalidArgument, match="not a cursor that was issued here"):
            second.search("alpha", cursor=cursor)
    flipped = cursor[:-3] + ("A" if cursor[-3] != "A" else "B") + cursor[-2:]
    for tampered in (flipped, cursor[:-1], "x", "ä", cursor + "AAAA", str(desk.search("alpha").replay["token"])):
        with pytest.raises(InvalidArgument, match="not a cursor"):
            desk.search("alpha", cursor=tampered)


def test_a_repository_made_between_pages_does_not_matter_a_purge_does(desk: Desk) -> None:
    desk.put(a="alpha one", b="alpha two", c="alpha three")
    cursor = desk.search("alpha", limit=1).next_cursor
    desk.ingest(repository="second")
    assert len(desk.search("alpha", cursor=cursor).hits) == 2
    desk.library.purge("c.md")
    with pytest.raises(Conflict, match="erased"):
        desk.search("alpha", cursor=cursor)


# --- replay ---------------------------------------------------------------------------------------------------


def test_replay_gives_the_same_answer_after_more_commits(desk: Desk) -> None:
    desk.put(a="alpha beta", b="alpha alpha gamma", c="beta gamma")
    first = desk.search("alpha beta", explain=True, limit=2)
    token = str(first.replay["token"])
    desk.put(a="nothing", d="alpha beta alpha beta", e="alpha")
    assert seen(desk.search("alpha beta", explain=True, limit=2)) != seen(first)
    for _ in range(2):
        again = desk.library.replay(token)
        assert seen(again) == seen(first)
        token = str(again.replay["token"])
        desk.library.rebuild()
    with desk.reopened() as other:
        assert seen(other.replay(token)) == seen(first)
        assert other.search("alpha beta", explain=True, limit=2, cursor=first.next_cursor).hits


def test_replay_keeps_page_filters_context_and_scoring(desk: Desk) -> None:
    for name in "abcd":
        desk.write(f"{name}.md", f"---\ncourt: {'X' if name < 'd' else 'Y'}\n---\nalpha {name}")
    desk.ingest()
    desk.library.baselines.create("one")
    options: dict[str, Any] = {"filters": {"court": ["X"]}, "read_context": "baseline:one", "limit": 1}
    cursor = desk.search("alpha", **options).next_cursor
    second = desk.search("alpha", cursor=cursor, **options)
    desk.put(e="alpha alpha")
    with desk.reopened(keyword={"k1": 0.3, "b": 0.1, "boosts": {"content": 5}}) as tuned:
        again = tuned.replay(str(second.replay["token"]))
    assert seen(again) == seen(second)


def test_replay_over_several_repositories_at_their_own_revisions(desk: Desk) -> None:
    desk.put(a="alpha one")
    desk.ingest(repository="second")
    desk.put(b="alpha two")
    first = desk.search("alpha")
    assert {echo["repository_id"]: echo["revision"] for echo in first.read_contexts} == {"main": 2, "second": 1}
    desk.ingest(repository="second")
    desk.ingest(repository="third")
    again = desk.library.replay(str(first.replay["token"]))
    assert seen(again) == seen(first)
    assert len(first.hits) == 3


def test_a_purge_ends_the_replay(desk: Desk) -> None:
    desk.put(a="alpha one", b="alpha two")
    token = str(desk.search("alpha").replay["token"])
    desk.library.purge("b.md")
    with pytest.raises(Conflict, match=r"erased.*revision:1"):
        desk.library.replay(token)


def test_a_token_never_widens_access(desk: Desk) -> None:
    desk.put(a="alpha one", b="---\nroles: [legal]\n---\nalpha secret")
    owners = desk.search("alpha")
    with desk.reopened(roles=["sales"]) as sales, desk.reopened(roles=["legal", "sales"]) as both:
        with pytest.raises(PermissionDenied):
            sales.replay(str(owners.replay["token"]))
        with pytest.raises(PermissionDenied):
            sales.replay(str(both.search("alpha").replay["token"]))
        for replayer in (desk.library, both, sales):
            assert len(replayer.replay(str(sales.search("alpha").replay["token"])).hits) == 1
    with (
        desk.reopened(tenant="other") as other,
        pytest.raises(InvalidArgument, match="not a replay token that was issued here"),
    ):
        other.replay(str(owners.replay["token"]))


# --- read contexts --------------------------------------------------------------------------------------------


def test_read_contexts(desk: Desk) -> None:
    desk.put(a="alpha old")
    desk.library.baselines.create("spring", note="as signed")
    with pytest.raises(NotFound, match="nothing is published"):
        desk.search("alpha", read_context="published")
    desk.library.baselines.publish("spring")
    desk.put(a="alpha new")
    first = desk.library.revisions()[-1]
    instant = wire.revision(first)["time"]
    for context in (
        "published",
        "baseline:spring",
        "revision:1",
        f"as_of:{instant}",
        {"selector": "baseline_id", "baseline_id": "spring"},
        {"baseline_ref": "spring"},
        {"version_ref": "1"},
        {"version_ref": "spring"},
        {"as_of": instant},
    ):
        answer = desk.search("alpha", read_context=context)
        assert (answer.hits[0].passage.text, answer.read_contexts[0]["revision"]) == ("alpha old", 1), context
    assert desk.first("alpha").passage.text == "alpha new"
    empty = desk.search("alpha", read_context="as_of:2001-01-01")
    assert (empty.hits, empty.absence) == ((), "not_in_this_snapshot")
    with pytest.raises(NotFound, match="did you mean 'spring'"):
        desk.search("alpha", read_context="baseline:sprnig")
    with pytest.raises(InvalidArgument):
        desk.search("alpha", read_context={"selector": "head", "revision": 1})


def test_baselines_are_published_and_rolled_back(desk: Desk) -> None:
    with pytest.raises(NotFound, match="no repository"):
        desk.library.baselines.list()
    desk.put(a="alpha")
    desk.library.baselines.create("one")
    desk.put(a="beta")
    desk.library.baselines.create("two", revision=2)
    desk.library.baselines.publish("one")
    desk.library.baselines.publish("two")
    assert desk.ids("beta", read_context="published") == ["a.md"]
    assert desk.library.baselines.rollback().name == "one"
    assert [(b.name, b.published) for b in desk.library.baselines.list()] == [("one", True), ("two", False)]
    with pytest.raises(Conflict):
        desk.library.baselines.create("one")


def test_valid_at_is_another_axis(desk: Desk) -> None:
    desk.put(
        old="---\nvalid_to: 2020-01-01\n---\nspeed limit words",
        new="---\nvalid_from: 2020-01-01\n---\nspeed limit words",
        open="speed limit words",
    )
    assert desk.ids("speed limit") == ["new.md", "open.md"]
    for day in ("2019-12-31", "31.12.2019"):
        assert desk.ids("speed limit", valid_at=day) == ["old.md", "open.md"]
        assert desk.library.get("old.md", valid_at=day).current
    assert desk.library.verify("speed limit words", valid_at="2019-12-31").status == "verified"
    with pytest.raises(NotFound):
        desk.library.get("old.md")


def test_several_repositories_answer_together_and_echo_apart(desk: Desk) -> None:
    desk.put(a="alpha one")
    desk.ingest(repository="second", prefix="s/")
    desk.put(b="alpha two")
    answer = desk.search("alpha", repository=["main", "second"])
    body = wire.answer(answer, by_name)
    assert body["read_context"]["repositories"].keys() == {"main", "second"}
    assert {(r["repository_id"], r["element_id"], r["read_context"]["revision"]) for r in body["results"]} == {
        ("main", "a.md", 2),
        ("main", "b.md", 2),
        ("second", "s/a.md", 1),
    }
    assert desk.ids("alpha", repository="second") == ["s/a.md"]
    for hit in answer.hits:
        assert desk.library.get(hit.passage.citation).passage.text == hit.passage.text


# --- isolation ------------------------------------------------------------------------------------------------


def test_nothing_of_one_scope_shows_in_another(desk: Desk) -> None:
    desk.put(a="alpha words", b="beta words")
    alone = seen(desk.search("alpha words", explain=True))
    citation = desk.first("alpha").passage.citation
    for place in ({"tenant": "t2"}, {"organization": "o2"}):
        with desk.reopened(**place) as other:
            assert other.search("alpha").absence == "no_match"
            assert other.repositories() == ()
            assert other.filters() == {}
            assert other.verify("alpha words").status == "not_found"
            assert other.verify("alpha words", citation).status == "not_found"
            for ask in (lambda lib=other: lib.get(citation), lambda lib=other: lib.history(citation)):
                with pytest.raises(NotFound) as caught:
                    ask()
                assert caught.value.suggestions == ()
            with pytest.raises(NotFound) as unknown:
                other.search("alpha", repository="main")
            assert "known: none" in unknown.value.message
            for name in "abcdefgh":
                desk.write(f"x{name}.md", f"alpha alpha {name}")
            other.ingest(desk.folder)
    assert seen(desk.search("alpha words", explain=True)) == alone


def test_roles_hide_text_totals_scores_suggestions_and_history(desk: Desk) -> None:
    desk.put(a="alpha words", b="beta words")
    with desk.reopened(roles=["sales"]) as sales:
        before = seen(sales.search("alpha words", explain=True))
        desk.write("secret.md", "---\nroles: [legal]\nmatter: m1\n---\n# Secret\n\nalpha words words hidden")
        desk.ingest()
        citation = desk.first("hidden").passage.citation
        assert seen(sales.search("alpha words", explain=True)) == before
        assert sales.search("hidden").absence == "no_match"
        assert "matter" not in sales.filters()
        assert sales.verify("words words hidden").status == "not_found"
        assert sales.verify("words words hidden", citation).status == "not_found"
        for ask in (lambda: sales.get(citation), lambda: sales.get("secret.md"), lambda: sales.history("secret.md")):
            with pytest.raises(NotFound):
                ask()
        with pytest.raises(NotFound) as near:
            sales.get("secrets.md")
        assert near.value.suggestions == ()
        assert sales.diff("revision:1", "head") == ()
    with desk.reopened(roles=["legal"]) as legal:
        assert legal.get(citation).passage.text == desk.library.get(citation).passage.text
        assert [c.element_id for c in legal.diff("revision:1", "head")] == ["secret.md"]


def test_a_diff_tells_only_what_the_caller_may_read_of_both_states(desk: Desk) -> None:
    desk.put(a="# Open\n\nalpha")
    desk.put(a="---\nroles: [legal]\n---\n# Closed name\n\nalpha secret")
    (owner,) = desk.library.diff("revision:1", "revision:2")
    assert owner.change == "changed"
    with desk.reopened(roles=["sales"]) as sales:
        (told,) = sales.diff("revision:1", "revision:2")
        assert (told.change, told.name, told.after) == ("removed", "Open", ())
        assert [life.name for life in sales.history("a.md")] == ["Open"]


def test_no_token_can_be_taken_for_an_option_of_the_command_line() -> None:
    sealed = [seal({"number": number}, "cursor", "library") for number in range(300)]
    assert all(token[0].isalpha() for token in sealed)
    assert [unseal(token, "cursor", "library")["number"] for token in sealed] == list(range(300))
    with pytest.raises(InvalidArgument):
        unseal(sealed[0].removeprefix("p."), "cursor", "library")


def test_who_has_only_roles_changes_nothing(desk: Desk) -> None:
    desk.put(a="alpha")
    with desk.reopened(roles=["guest"]) as library:
        for attempt in (
            lambda: library.ingest(desk.folder),
            library.rebuild,
            library.embed,
            library.health,
            lambda: library.baselines.create("mine"),
            lambda: library.baselines.publish("mine"),
            library.baselines.rollback,
        ):
            with pytest.raises(PermissionDenied, match="limited to roles"):
                attempt()
        assert library.baselines.list() == ()
