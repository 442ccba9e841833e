"""Why an element is not in an answer: each verdict, and what nobody may learn from it."""

from __future__ import annotations

import json
from typing import Any

import pytest

import pincite
from desk import Desk
from pincite import wire
from pincite.citation import Citation
from pincite.errors import InvalidArgument, NotFound, UnknownArgument
from terminal import Run

CASE = "---\ncourt: {court}\ndate: {date}\n---\n# Case\n\nThe ruling about the {what}.\n"


def verdict(desk: Desk, element: str, query: str, **options: Any) -> str:
    return desk.library.why_not(element, query, **options).verdict


def test_an_element_on_the_page_is_shown_with_its_rank(handbook: pincite.Library) -> None:
    answer = handbook.search("paid annual leave days", limit=3)
    assert len(answer.hits) == 3
    for rank, hit in enumerate(answer.hits, start=1):
        told = handbook.why_not(hit.passage.element_id, "paid annual leave days", limit=3)
        assert (told.verdict, told.rank, told.score) == ("shown", rank, hit.score)
        assert (told.citation, f"hit {rank}" in told.message) == (hit.passage.citation, True)
        assert {leg: score for leg, score in told.legs.items() if score} == dict(hit.legs)


def test_an_element_after_the_page_says_how_far(handbook: pincite.Library) -> None:
    third = handbook.search("paid annual leave days", limit=10).hits[2]
    told = handbook.why_not(third.passage.element_id, "paid annual leave days", limit=2)
    assert (told.verdict, told.rank, told.limit) == ("beyond_page", 3, 2)
    assert "ask for 3 hits" in told.message


def test_what_min_score_cuts_is_said_with_the_score(handbook: pincite.Library) -> None:
    second = handbook.search("paid annual leave days").hits[1]
    told = handbook.why_not(second.passage.element_id, "paid annual leave days", min_score=0.99)
    assert (told.verdict, told.score) == ("below_min_score", second.score)
    assert "below min_score 0.99" in told.message


def test_what_lies_deeper_than_the_pool_has_its_rank_in_each_leg(desk: Desk) -> None:
    for number in range(230):
        desk.write(f"{number:03}.md", "ruling ruling ruling")
    desk.write("deep.md", "one ruling among very many other words that make this text longer than the others are")
    desk.ingest()
    told = desk.library.why_not("deep.md", "ruling")
    assert (told.verdict, told.rank) == ("outside_pool", 231)
    keyword = told.legs["keyword"]
    assert keyword is not None
    assert (keyword.rank, told.legs["exact"]) == (231, None)
    assert "keyword rank 231" in told.message
    assert desk.search("ruling", limit=100).total == 231


def test_filters_that_exclude_are_named_one_by_one(desk: Desk) -> None:
    for name, court, date in (("a", "X", "2024-01-01"), ("b", "Y", "2020-01-01"), ("c", "Y", "2024-06-01")):
        desk.write(f"{name}.md", CASE.format(court=court, date=date, what="lease"))
    desk.ingest()

    def excluding(element: str, **filters: Any) -> tuple[str, tuple[str, ...]]:
        told = desk.library.why_not(element, "lease ruling", filters=filters)
        return told.verdict, told.filters

    assert excluding("a.md", court="Y") == ("filtered", ("court",))
    assert excluding("b.md", court="X", date_from="2023-01-01") == ("filtered", ("court", "date_from"))
    assert excluding("b.md", court=["X", "Y"], date_from="2023-01-01") == ("filtered", ("date_from",))
    assert excluding("c.md", date_to="31.12.2023", language="en")[0] == "filtered"
    assert excluding("c.md", court="Y") == ("shown", ())
    told = desk.library.why_not("b.md", "lease", filters={"court": "X"})
    assert "court=X excludes it" in told.message
    assert told.legs["keyword"] is not None
    assert desk.library.why_not("b.md", "drone", filters={"court": "X"}).verdict == "no_match"


def test_filters_that_exclude_only_together_are_all_named(desk: Desk) -> None:
    german = "Der Mieter zahlt die lease jeden Monat an den Vermieter des Hauses, wie es im Vertrag vereinbart ist."
    desk.put(a=f"---\nlanguage: en\n---\n# A\n\n## Eins\n\n{german}\n\n## Lease\n")
    for filters in ({"language": "de"}, {"chunk_type": "header"}):
        assert verdict(desk, "a.md", "lease", filters=filters) == "shown"
    told = desk.library.why_not("a.md", "lease", filters={"language": "de", "chunk_type": "header"})
    assert (told.verdict, told.filters) == ("filtered", ("language", "chunk_type"))


def test_no_match_names_the_words_that_are_missing(desk: Desk) -> None:
    desk.put(a="# Leases\n\nTenants pay rents.", b="# Other\n\ncommercial drones")
    told = desk.library.why_not("a.md", "the drone flight")
    assert (told.verdict, told.lacks) == ("no_match", ("drone", "flight"))
    assert "'drone', 'flight'" in told.message
    assert set(told.legs.values()) == {None}


def test_what_a_query_demands_or_forbids_is_said(desk: Desk) -> None:
    english = "---\nlanguage: en\n---\n"
    desk.put(a=f"{english}# Leases\n\n## § 4.2 Dues\n\nTenants pay rents.", b=f"{english}# Other\n\ncommercial leases")
    demanded = desk.library.why_not("a.md", "lease AND commercial")
    assert (demanded.verdict, demanded.lacks) == ("no_match", ("commercial",))
    forbidden = desk.library.why_not("b.md", "lease NOT commercial")
    assert (forbidden.verdict, "forbids 'commercial'" in forbidden.message) == ("no_match", True)
    phrase = desk.library.why_not("a.md", '+"rents pay" lease')
    assert phrase.lacks == ("rents pay",)
    named = desk.library.why_not("a.md", "+4.2 +commercial")
    assert (named.verdict, "demands words that it lacks" in named.message) == ("no_match", True)
    assert named.legs["exact"] is not None
    assert verdict(desk, "a.md", "commerc* tenan*") == "shown"


def test_removed_erased_hidden_and_never_there_cannot_be_told_apart(desk: Desk) -> None:
    desk.put(
        seen="alpha",
        hidden="---\nroles: [legal]\n---\nalpha beta",
        erased="alpha gamma",
        removed="alpha delta",
        later="---\nvalid_from: 2999-01-01\n---\nalpha",
    )
    (desk.folder / "removed.md").unlink()
    desk.ingest()
    desk.library.purge("erased.md")
    with desk.reopened(roles=["sales"]) as sales, desk.reopened(roles=["legal"]) as legal:
        for filters in ({}, {"kind": "document"}):
            for query in ("alpha", "hidden.md", "beta"):
                bodies = []
                for name in ("hidden.md", "erased.md", "removed.md", "later.md", "nothere.md"):
                    body = wire.why_not(sales.why_not(name, query, filters=filters))
                    assert body["verdict"] == "absent"
                    bodies.append(json.dumps(body, sort_keys=True).replace(name, "?").replace("hidden.md", "?"))
                assert len(set(bodies)) == 1
        assert legal.why_not("hidden.md", "beta").verdict == "shown"
        scope = desk.library.scope()
        hidden = sales.why_not(str(Citation(scope, "hidden.md")), "alpha")
        foreign = sales.why_not("pincite:other/default/main/hidden.md", "alpha")
        unknown = sales.why_not("pincite:default/default/none/hidden.md", "alpha")
        assert wire.why_not(hidden) == wire.why_not(foreign) == wire.why_not(unknown)


def test_the_answer_belongs_to_the_read_context(desk: Desk) -> None:
    desk.put(a="alpha")
    desk.put(b="alpha beta")
    assert verdict(desk, "b.md", "beta") == "shown"
    assert verdict(desk, "b.md", "beta", read_context="revision:1") == "absent"
    told = desk.library.why_not("a.md", "alpha", read_context="revision:1")
    assert told.read_contexts[0]["revision"] == 1


def test_an_element_is_found_in_the_repository_that_holds_it(desk: Desk) -> None:
    desk.put(a="alpha")
    (desk.root / "other").mkdir()
    (desk.root / "other" / "x.md").write_text("alpha beta")
    desk.library.ingest(desk.root / "other", repository="second")
    assert verdict(desk, "x.md", "alpha") == "shown"
    assert verdict(desk, "x.md", "alpha", repository="main") == "absent"
    assert verdict(desk, desk.first("beta").passage.citation, "alpha") == "shown"


def test_meaning_is_a_leg_like_the_others(desk: Desk) -> None:
    desk.put(**{f"n{number}": f"words about subject number {number}" for number in range(5)})
    with desk.reopened(dense="auto", embedding={"model": "hashing"}) as library:
        library.embed()
        told = library.why_not("n3.md", "subject", limit=2)
        assert (told.verdict, told.legs["dense"] is not None) == ("beyond_page", True)


def test_mistakes_are_those_of_a_search(desk: Desk) -> None:
    desk.put(a=CASE.format(court="X", date="2024-01-01", what="lease"))
    with pytest.raises(InvalidArgument, match="empty"):
        desk.library.why_not("a.md", " ")
    with pytest.raises(UnknownArgument, match="did you mean 'court'"):
        desk.library.why_not("a.md", "lease", filters={"curt": "X"})
    with pytest.raises(NotFound, match="no repository"):
        desk.library.why_not("a.md", "lease", repository="mian")
    with pytest.raises(InvalidArgument, match="is not a citation"):
        desk.library.why_not("pincite:nonsense", "lease")


def test_the_command_says_it_in_words_and_in_json(desk: Desk, run: Run) -> None:
    desk.put(a="# Leave\n\nTwenty-six days.", b="# Expenses\n\nReceipts.")
    library = ("--library", str(desk.library.path))
    shown = run(*library, "why-not", "a.md", "twenty-six", "days")
    assert (shown.returncode, shown.stdout.splitlines()[0].startswith("shown: it is hit 1")) == (0, True)
    missing = run(*library, "why-not", "nothere.md", "days", "--json")
    body = json.loads(missing.stdout)
    assert (missing.returncode, body["verdict"]) == (0, "absent")
    assert body.keys() == {
        "element_id", "query", "verdict", "message", "rank", "score", "limit", "legs", "filters", "lacks", "citation",
        "read_context", "notes",
    }  # fmt: skip
    lacking = json.loads(run(*library, "why-not", "b.md", "days", "--json").stdout)
    assert (lacking["verdict"], lacking["lacks"], lacking["legs"]["keyword"]) == ("no_match", ["days"], None)


def test_below_the_least_score_the_rank_is_that_among_all(desk: Desk) -> None:
    """Lowering `min_score` shows it there."""
    desk.put(a="alpha beta gamma", b="alpha beta", c="alpha")
    query = "alpha beta gamma"
    every = desk.ids(query)
    assert len(every) == 3
    found = desk.library.why_not(every[-1], query, min_score=0.99)
    assert (found.verdict, found.rank) == ("below_min_score", len(every))
