"""The same query in two states: what appeared, vanished, changed and moved, and why."""

from __future__ import annotations

import json
from typing import Any

import pytest

from desk import Desk
from pincite import wire
from pincite.errors import NotFound
from pincite.search.compare import Compared
from terminal import Run


def changes(desk: Desk, query: str, old: Any, new: Any = None, **options: Any) -> dict[str, tuple[str, str]]:
    found = desk.library.compare(query, old, new, **options)
    return {hit.element_id: (hit.change, hit.why) for hit in found.hits}


def only(desk: Desk, query: str, old: Any, element: str, **options: Any) -> Compared:
    (hit,) = (hit for hit in desk.library.compare(query, old, **options).hits if hit.element_id == element)
    return hit


def ranks(hit: Compared) -> tuple[int | None, int | None]:
    return hit.before.rank if hit.before else None, hit.after.rank if hit.after else None


def test_each_change_is_named_with_its_reason(desk: Desk) -> None:
    desk.put(kept="rent rent rent", edited="rent and more words", gone="rent", silent="rent one", top="nothing yet")
    (desk.folder / "gone.md").unlink()
    desk.put(edited="rent and other words", silent="one", fresh="rent here", top="rent rent rent rent")
    assert changes(desk, "rent", "revision:1") == {
        "top.md": ("appeared", "changed so that it matches"),
        "kept.md": ("moved", ""),
        "fresh.md": ("appeared", "not in the old state"),
        "edited.md": ("changed", "another version; the passage reads differently"),
        "gone.md": ("vanished", "not in the new state"),
        "silent.md": ("vanished", "changed so that it no longer matches"),
    }


def test_both_sides_of_a_change_are_cited(desk: Desk) -> None:
    desk.put(a="The rent is due monthly.")
    desk.put(a="The rent is due weekly.")
    hit = only(desk, "rent", "revision:1", "a.md")
    assert hit.before is not None
    assert hit.after is not None
    for side, text in ((hit.before, "monthly"), (hit.after, "weekly")):
        assert text in desk.library.get(side.passage.citation).passage.text
    assert ranks(hit) == (1, 1)


def test_a_new_version_whose_passage_reads_the_same_is_said_so(desk: Desk) -> None:
    desk.put(a="# A\n\n## Rent\n\nThe rent is due.\n\n## Other\n\nold")
    desk.put(a="# A\n\n## Rent\n\nThe rent is due.\n\n## Other\n\nnew")
    assert only(desk, "rent due", "revision:1", "a.md").why == "another version; the passage reads the same"


def test_what_others_push_out_says_where_it_went(desk: Desk) -> None:
    desk.put(a="rent", b="rent and a few words more")
    desk.put(c="rent", d="rent")
    hit = only(desk, "rent", "revision:1", "b.md", limit=2)
    assert (hit.change, hit.why, ranks(hit)) == ("vanished", "pushed out by others: now rank 4", (2, 4))
    back = {hit.element_id: hit for hit in desk.library.compare("rent", None, "revision:1", limit=2).hits}
    assert (back["b.md"].change, back["b.md"].why) == ("appeared", "up from rank 4")
    assert back["c.md"].why == "not in the new state"


def test_what_falls_out_of_the_pool_is_not_said_to_match_no_longer(desk: Desk) -> None:
    desk.put(a="rent and a few words more that make it long")
    desk.put(**{f"n{number:03}": "rent" for number in range(210)})
    assert changes(desk, "rent", "revision:1", limit=1)["a.md"] == (
        "vanished",
        "no longer among the best that the legs find",
    )


def test_the_same_state_twice_differs_in_nothing(desk: Desk) -> None:
    desk.put(a="rent one", b="rent two")
    found = desk.library.compare("rent", "head", "head")
    assert {hit.change for hit in found.hits} == {"same"}
    assert found.before == found.after


def test_baselines_name_the_states(desk: Desk) -> None:
    desk.put(a="rent")
    desk.library.baselines.create("spring")
    desk.put(b="rent")
    found = desk.library.compare("rent", "baseline:spring")
    assert [echo["selector"] for echo in (*found.before, *found.after)] == ["baseline_id", "head"]
    assert [hit.element_id for hit in found.of("appeared")] == ["b.md"]
    with pytest.raises(NotFound, match="no baseline 'autumn'"):
        desk.library.compare("rent", "baseline:autumn")


def test_filters_and_roles_hold_on_both_sides(desk: Desk) -> None:
    desk.put(a="---\ncourt: X\n---\nrent", b="---\ncourt: Y\n---\nrent", c="---\ncourt: Y\nroles: [legal]\n---\nrent")
    desk.put(a="---\ncourt: Y\n---\nrent", c="---\ncourt: Y\n---\nrent")
    assert set(changes(desk, "rent", "revision:1", filters={"court": "X"})) == {"a.md"}
    assert changes(desk, "rent", "revision:1", filters={"court": "X"})["a.md"][0] == "vanished"
    with desk.reopened(roles=["sales"]) as sales:
        (opened,) = sales.compare("rent", "revision:1").of("appeared")
        assert (opened.element_id, opened.before, opened.why) == ("c.md", None, "not in the old state")


def test_elements_of_the_same_name_in_two_repositories_are_two(desk: Desk) -> None:
    desk.put(a="rent")
    desk.library.ingest(desk.folder, repository="second")
    found = desk.library.compare("rent", "head")
    assert [(hit.scope.repository, hit.element_id) for hit in found.hits] == [("main", "a.md"), ("second", "a.md")]


def test_the_wire_groups_hits_by_change(desk: Desk) -> None:
    desk.put(a="rent")
    desk.put(b="rent")
    body = wire.comparison(desk.library.compare("rent", "revision:1"))
    assert body.keys() == {
        "query", "limit", "from", "to", "appeared", "vanished", "changed", "moved", "same", "legs", "notes",
    }  # fmt: skip
    (hit,) = body["appeared"]
    assert hit.keys() == {"element_id", "repository_id", "element_name", "before", "after", "why"}
    assert (hit["before"], hit["after"].keys()) == (None, {"rank", "score", "version_id", "citation", "content"})
    assert (body["from"]["revision"], body["to"]["revision"]) == (1, 2)
    assert body["legs"].keys() == {"from", "to"}


def test_the_command_draws_ranks_and_reasons(desk: Desk, run: Run) -> None:
    desk.put(a="rent", b="rent words")
    desk.put(b="rent other words", c="rent")
    library = ("--library", str(desk.library.path))
    shown = run(*library, "compare", "rent", "--from", "1")
    assert shown.returncode == 0
    assert "appeared    – → 2   c.md: not in the old state" in shown.stdout
    assert "changed     2 → 3   b.md: another version" in shown.stdout
    assert shown.stdout.count("pincite:default") == 3
    body = json.loads(run(*library, "compare", "rent", "--from", "1", "--to", "revision:2", "--json").stdout)
    assert [hit["element_id"] for hit in body["same"]] == ["a.md"]
    assert "nothing matches in either state" in run(*library, "compare", "drone", "--from", "1").stdout
    assert run(*library, "compare", "rent", "--from", "baseline:none").returncode == 3
