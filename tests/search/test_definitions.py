"""Terms travel with passages, are looked up across documents, and are found when asked for by name alone."""

from __future__ import annotations

import json

import pytest

from desk import Desk
from pincite import wire
from pincite.errors import InvalidArgument
from terminal import Run

CONTRACT = """# Supply

## 1. Definitions

“Goods” means flour and bran. Goods do not include samples.

“Working Day” means a day on which banks are open.

“You” means the buyer.

## 2. Delivery

The Goods arrive within three working days. You sign for them.

## 3. Defects

In this section, “Defect” means a deviation that can be measured.

A defect is reported at once.

## 4. Recall

A defect that is found later is no reason for a recall.
"""
LEASE = "# Lease\n\n“Goods” means furniture that belongs to the flat.\n"


def hit(desk: Desk, query: str, **options: object) -> dict[str, object]:
    return wire.hit(desk.search(query, **options).hits[0], desk.library.describe)


def test_a_hit_explains_the_terms_of_its_passage_with_their_own_citations(desk: Desk) -> None:
    desk.put(contract=CONTRACT)
    defined = hit(desk, "arrive within three", group="chunk")["definitions"]
    assert isinstance(defined, list)
    assert [(item["term"], item["scope"]) for item in defined] == [("Goods", "document"), ("Working Day", "document")]
    for item in defined:
        assert desk.library.get(item["citation"]).passage.text == item["text"]
    assert defined[0]["text"].endswith("Goods do not include samples.")


def test_what_a_passage_defines_itself_is_not_repeated(desk: Desk) -> None:
    desk.put(contract=CONTRACT)
    defined = hit(desk, "banks are open", group="chunk")["definitions"]
    assert defined == []


def test_a_definition_that_is_stated_again_leaves_room_for_other_terms(desk: Desk) -> None:
    again = "".join(f"## Schedule {n}\n\n“Goods” means flour and bran.\n\n" for n in range(7))
    other = "## Annex\n\n“Goods” means bread.\n\n“Rent” means money for a room.\n\n"
    desk.put(contract=f"# Supply\n\n{again}{other}## Delivery\n\nThe Goods arrive when the rent is paid.\n")
    defined = hit(desk, "arrive is paid", group="chunk")["definitions"]
    assert isinstance(defined, list)
    assert [(item["term"], item["text"].split(" means ")[1]) for item in defined] == [
        ("Goods", "flour and bran."),
        ("Goods", "bread."),
        ("Rent", "money for a room."),
    ]


def test_a_definition_for_a_section_is_used_there_only(desk: Desk) -> None:
    desk.put(contract=CONTRACT.replace("A defect is reported at once.", "### Notice\n\nA defect is reported at once."))
    inside = hit(desk, "reported at once", group="chunk")["definitions"]
    assert isinstance(inside, list)
    assert [(item["term"], item["within"]) for item in inside] == [("Defect", ["Supply", "3. Defects"])]
    assert hit(desk, "reason for a recall", group="chunk")["definitions"] == []
    assert "defines 'Defect'" in str(desk.library.context("reported at once").sources)
    assert "defines 'Defect'" not in str(desk.library.context("reason for a recall", limit=1).sources)


def test_of_two_terms_that_begin_alike_the_longer_is_meant(desk: Desk) -> None:
    head = "# T\n\n## Definitions\n\n“Customer” means a buyer.\n\n“Customer Content” means what a buyer writes.\n\n"
    desk.put(terms=f"{head}## Rights\n\nWe store customer content safely.\n")
    defined = hit(desk, "store safely", group="chunk")["definitions"]
    assert isinstance(defined, list)
    assert [item["term"] for item in defined] == ["Customer Content"]


def test_a_bare_term_finds_its_definition_first(desk: Desk) -> None:
    filler = "\n\n".join(f"## Part {n}\n\nGoods, goods and more goods." for n in range(5))
    desk.put(contract=CONTRACT, catalogue=f"# Catalogue\n\n{filler}\n")
    first = desk.first("Goods")
    assert "exact" in first.legs
    assert "“Goods” means" in first.passage.text


def test_a_term_inside_a_longer_query_lifts_nothing(desk: Desk) -> None:
    desk.put(
        terms="# Terms\n\n“GitHub” means GitHub, Inc.\n",
        pages="# Pages\n\nHow to publish a site with GitHub Pages from a branch.\n",
    )
    assert desk.ids("publish a site with GitHub")[0] == "pages.md"


def test_a_look_up_shows_documents_that_differ(desk: Desk) -> None:
    desk.put(contract=CONTRACT, lease=LEASE)
    found = wire.looked_up(desk.library.definitions("the goods"))
    assert [item["element_id"] for item in found["definitions"]] == ["contract.md", "lease.md"]
    assert found["conflicts"]
    assert not desk.library.definitions("working days").conflicts


def test_documents_that_say_the_same_do_not_conflict(desk: Desk) -> None:
    desk.put(one=LEASE, two=LEASE.replace("# Lease", "# Another lease"))
    found = desk.library.definitions("Goods")
    assert (len(found.found), found.conflicts) == (2, False)


def test_a_look_up_follows_revisions_and_roles(desk: Desk) -> None:
    desk.put(lease=LEASE)
    desk.put(lease=LEASE.replace("furniture", "plants"))
    secret = "---\nroles: [judge]\n---\n# Secret\n\n“Goods” means gold.\n"
    desk.put(secret=secret)
    then = desk.library.definitions("Goods", read_context="revision:1").found
    assert ["furniture" in item.defined.text for item in then] == [True]
    assert len(desk.library.definitions("Goods").found) == 2
    with desk.reopened(roles=["clerk"]) as clerk:
        assert [item.element_id for item in clerk.definitions("Goods").found] == ["lease.md"]


def test_an_unknown_term_names_the_nearest(desk: Desk) -> None:
    desk.put(contract=CONTRACT)
    found = desk.library.definitions("Business Day")
    assert (found.found, found.nearest) == ((), ("Working Day",))
    with pytest.raises(InvalidArgument, match="say which term"):
        desk.library.definitions("…")


def test_the_command_shows_meanings_and_conflicts(desk: Desk, run: Run) -> None:
    desk.put(contract=CONTRACT, lease=LEASE)
    library = ("--library", str(desk.library.path))
    shown = run(*library, "definitions", "Goods")
    assert shown.returncode == 0
    assert "“Goods” means flour and bran. Goods do not include samples." in shown.stdout
    assert "conflict: 2 documents define 'Goods' in different words" in shown.stderr
    scoped = run(*library, "definitions", "defect")
    assert "(in 3. Defects only)" in scoped.stdout
    body = json.loads(run(*library, "definitions", "Goods", "--json").stdout)
    assert body["conflicts"] is True
    missing = run(*library, "definitions", "Business Day")
    assert (missing.returncode, "similar defined terms: 'Working Day'" in missing.stdout) == (1, True)
    assert "Relevant definitions:" in run(*library, "search", "arrive within three working days").stdout


ACT = """# Boats Act

## Part 1 Hulls

### Division 1 Wood

#### 11 Terms

In this Part, “lot” means a hull.

#### 12 Sale

A lot is sold.

### Division 2 Steel

#### 21 Rust

A lot rusts.

## Part 2 Sails

#### 31 Cloth

A lot is cut.
"""


def test_a_term_of_a_part_holds_in_all_its_divisions_and_not_beyond(desk: Desk) -> None:
    desk.write("act.md", ACT)
    desk.ingest()
    answers = {word: desk.library.search(word, group="chunk").hits[0] for word in ("rusts", "cloth cut")}
    (term,) = answers["rusts"].definitions
    assert (term.term, term.scope, term.within) == ("lot", "part", ("Boats Act", "Part 1 Hulls"))
    assert answers["cloth cut"].definitions == ()
