"""Passages for a prompt: the budget holds, citations pin what is shown, and each part says why it is there."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import pincite
from desk import Desk
from pincite import wire
from pincite.citation import Citation
from pincite.errors import InvalidArgument
from pincite.search.context import Context
from pincite.text.tokens import count_tokens
from pincite.types import (
    Chunk,
    Commit,
    Content,
    Definition,
    Derivation,
    PutElement,
    PutRelation,
    Relation,
    Span,
    State,
)
from terminal import Run

HEAD = re.compile(r"^\[(\d+)\] (.*)$", re.MULTILINE)


def blocks(found: Context) -> list[tuple[str, str]]:
    """Heading and text of each block, cut out of the whole by its citation."""
    out, rest = [], found.text
    for number, source in enumerate(found.sources, start=1):
        block, rest = rest.split(source.citation, 1)
        heading, _, text = block.strip("\n").partition("\n")
        assert heading.startswith(f"[{number}] ")
        out.append((heading.removeprefix(f"[{number}] "), text))
    assert not rest
    return out


def holds(library: pincite.Library, found: Context) -> None:
    """What every context promises."""
    assert found.tokens == count_tokens(found.text) <= found.max_tokens
    spans: dict[tuple[str, str], list[Span]] = {}
    for source, (_, text) in zip(found.sources, blocks(found), strict=True):
        cited = Citation.parse(source.citation)
        assert cited.span is not None
        assert (cited.element_id, cited.version_id) == (source.element_id, source.version_id)
        live = library.live(source.element_id, repository=source.scope.repository)
        assert live is not None
        assert live.version.content.text[cited.span.start : cited.span.end] == text
        assert library.get(source.citation).passage.text == text
        spans.setdefault((source.scope.repository, source.element_id), []).append(cited.span)
        assert source.why_included
    for shown in spans.values():
        ordered = sorted(shown, key=lambda span: span.start)
        assert all(one.end <= other.start for one, other in pairwise(ordered))


def put_element(desk: Desk, element_id: str, text: str, *parts: str, roles: tuple[str, ...] = (), **made: Any) -> None:
    """Commit a text whose chunks are the given parts of it, with definitions and relations."""
    chunks = tuple(
        Chunk(number, Span(text.index(part), text.index(part) + len(part)), section_id=f"s{number}", language="en")
        for number, part in enumerate(parts or (text,))
    )
    state = State(
        Content("document", "page", element_id, text, "en"), Derivation("r1", chunks, **made), frozenset(roles)
    )
    desk.library.catalog.commits.commit(desk.library.scope(), Commit((PutElement(element_id, (state,)),)))


QUESTIONS = (
    "annual leave", "How many days of paid annual leave?", "§ 4.2", "Hundebiss", "dépôt de garantie", "leave.md",
    "the manual of the gauge", "contratto", "data AND incident", "zzz",
)  # fmt: skip


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(query=st.sampled_from(QUESTIONS), max_tokens=st.integers(1, 3000), limit=st.integers(1, 40))
def test_the_budget_always_holds_and_citations_pin_what_is_shown(
    handbook: pincite.Library, query: str, max_tokens: int, limit: int
) -> None:
    holds(handbook, handbook.context(query, max_tokens=max_tokens, limit=limit))


def test_a_tiny_budget_gives_nothing_and_says_what_is_needed(handbook: pincite.Library) -> None:
    found = handbook.context("annual leave", max_tokens=10)
    assert (found.text, found.sources, found.tokens) == ("", (), 0)
    (note,) = (note for note in found.notes if "no passage fits into 10 tokens" in note)
    least = int(note.rsplit(" ", 1)[1])
    assert handbook.context("annual leave", max_tokens=least).tokens == least
    assert not handbook.context("annual leave", max_tokens=least - 1).sources


def test_blocks_are_headed_by_their_place_and_end_with_their_citation(desk: Desk) -> None:
    desk.put(a="# Lease\n\n## 2 Rent\n\nThe rent is due monthly.\n\n## 3 Pets\n\nCats are welcome.")
    found = desk.library.context("rent due")
    first = found.text.splitlines()
    assert first[0] == "[1] Lease > 2 Rent"
    assert first[-1].startswith("pincite:default/default/main/a.md@")
    assert "#2;span=" in first[-1]


def test_hits_come_in_the_order_of_relevance_and_say_how_they_were_found(handbook: pincite.Library) -> None:
    found = handbook.context("paid annual leave days", max_tokens=6000, limit=10)
    best = handbook.search("paid annual leave days", group="chunk", limit=1).hits[0]
    direct = [source for source in found.sources if "match for the query" in source.why_included]
    assert [source.relevance for source in direct] == sorted((s.relevance for s in direct), reverse=True)
    assert (direct[0].element_id, direct[0].relevance) == (best.passage.element_id, best.score)
    assert direct[0].why_included.startswith("best match for the query (keyword rank 1")


def test_passages_that_touch_are_one_block_in_reading_order(desk: Desk) -> None:
    sections = (
        "## 1 Rent\n\nThe rent.",
        "## 2 Rent\n\nrent rent",
        "## 3 Pets\n\nCats.",
        "## 4 Other\n\nNo rent today.",
    )
    desk.put(a="\n\n".join(("# Lease", *sections)))
    found = desk.library.context("rent")
    assert blocks(found) == [("Lease", f"{sections[0]}\n\n{sections[1]}"), ("Lease > 4 Other", sections[3])]
    assert "#" not in found.sources[0].citation
    assert "#4;span" in found.sources[1].citation
    holds(desk.library, found)


def test_overlapping_passages_are_shown_once(desk: Desk) -> None:
    sentences = " ".join(f"Sentence {number} speaks about the lease of the house." for number in range(400))
    desk.put(a=sentences)
    derivation = desk.library.live("a.md")
    assert derivation is not None
    assert len(derivation.derivation.chunks) > 2
    found = desk.library.context("lease of the house", max_tokens=50_000)
    assert [text for _, text in blocks(found)] == [sentences]
    holds(desk.library, desk.library.context("lease of the house", max_tokens=1000))


def test_the_same_words_in_another_element_are_not_repeated(desk: Desk) -> None:
    desk.put(a="The rent is due monthly.", b="The rent is due\nmonthly.", c="The rent is late.")
    found = desk.library.context("rent due")
    assert [source.element_id for source in found.sources] == ["a.md", "c.md"]
    assert any("say the same" in note for note in found.notes)


def test_a_passage_that_does_not_fit_is_cut_at_the_end_of_a_sentence(desk: Desk) -> None:
    body = " ".join(f"The tenant pays rent number {number} to the landlord." for number in range(40))
    desk.put(a=f"# Lease\n\n## 2 Rent\n\n{body}")
    found = desk.library.context("rent", max_tokens=200)
    ((_, text),) = blocks(found)
    assert text.startswith("## 2 Rent\n\nThe tenant pays rent number 0")
    assert text.endswith("to the landlord.")
    assert 100 < found.tokens <= 200
    assert "1 cut at the end of a sentence" in found.notes
    holds(desk.library, found)


def test_a_heading_alone_is_no_passage(desk: Desk) -> None:
    long = "word " * 300
    desk.put(a=f"# Lease\n\n## 2 Rent\n\nThe rent {long}.")
    assert desk.library.context("rent", max_tokens=100).sources == ()
    desk.put(b="# Deed\n\n## 7 Deposit\n\n### 7.1 Amount\n\nThree months.\n\n## 8 Other\n\nx")
    ((_, text),) = blocks(desk.library.context("7 Deposit", limit=1))
    assert text == "## 7 Deposit\n\n### 7.1 Amount\n\nThree months."


def test_what_its_terms_mean_follows_a_passage(desk: Desk) -> None:
    parts = (
        'The Landlord is Ann.\n"Premises" means the house.\n"Deposit" means money.',
        "Pets live outdoors.",
        "The rent of the premises is due.",
    )
    text = "\n\n".join(parts)
    wanted = '"Premises" means the house.'
    span = Span(text.index(wanted), text.index(wanted) + len(wanted))
    definitions = (Definition("Premises", "the house", 0, span), Definition("Deposit", "money", 0))
    put_element(desk, "lease", text, *parts, definitions=definitions)
    found = desk.library.context("rent due")
    assert [text for _, text in blocks(found)] == [parts[2], wanted]
    assert found.sources[1].why_included == "defines 'Premises', used in [1]"
    assert found.sources[1].relevance == 0.0
    holds(desk.library, found)
    assert len(desk.library.context("rent due", include_definitions=False).sources) == 1


def test_a_definition_that_is_already_shown_is_not_repeated(desk: Desk) -> None:
    text = '"Rent" means what is due.'
    put_element(desk, "lease", text, definitions=(Definition("Rent", "what is due", 0),))
    found = desk.library.context("rent due")
    assert [source.why_included[:10] for source in found.sources] == ["best match"]


def test_what_a_passage_refers_to_is_pulled_in_if_it_can_be_read(desk: Desk) -> None:
    relations = tuple(
        Relation(f"r{number}", "cites", "lease", target, "s0" if target != "other" else "s1", section)
        for number, (target, section) in enumerate(
            [("code", "s1"), ("secret", ""), ("nowhere", ""), ("other", ""), ("lease", "s2")]
        )
    )
    parts = ("The rent is due, see below.", "Pets stay.", "Interest runs at five per cent.")
    put_element(desk, "lease", "\n\n".join(parts), *parts, relations=relations)
    put_element(desk, "code", "Art. 1 Purpose.\n\nArt. 2 Late payment.", "Art. 1 Purpose.", "Art. 2 Late payment.")
    put_element(desk, "secret", "Hidden terms.", roles=("legal",))
    put_element(desk, "other", "Something else.")
    with desk.reopened(roles=["sales"]) as sales:
        found = sales.context("rent due")
        shown = {text: source.why_included for (_, text), source in zip(blocks(found), found.sources, strict=True)}
        assert shown.keys() == {parts[0], "Art. 2 Late payment.", parts[2]}
        assert shown["Art. 2 Late payment."] == shown[parts[2]] == "referred to by [1]"
        assert len(sales.context("rent due", include_relationships=False).sources) == 1
    owner = desk.library.context("rent due")
    assert "Hidden terms." in owner.text


def test_stated_relations_lead_to_their_targets_of_the_same_state(desk: Desk) -> None:
    put_element(desk, "orders", "The order service takes orders.")
    put_element(desk, "ledger", "The ledger keeps books.")
    relation = Relation("r1", "serves", "orders", "ledger")
    desk.library.catalog.commits.commit(desk.library.scope(), Commit((PutRelation(relation),)))
    assert [s.element_id for s in desk.library.context("takes").sources] == ["orders", "ledger"]
    before = desk.library.context("takes", read_context="revision:2")
    assert [s.element_id for s in before.sources] == ["orders"]
    assert before.read_contexts[0]["revision"] == 2


def test_the_section_of_a_hit_goes_on(desk: Desk) -> None:
    body = "\n\n".join(f"Paragraph {number} {'says something at length ' * 30}." for number in range(12))
    desk.put(a=f"# Lease\n\n## 2 Rent\n\nThe unicorn pays. {body}\n\n## 3 Pets\n\nCats.")
    found = desk.library.context("unicorn", max_tokens=1800)
    (source,) = found.sources
    assert source.why_included.endswith("; next passage of the same section")
    assert "## 3 Pets" not in found.text
    holds(desk.library, found)


def test_weak_hits_leave_room_for_what_the_best_one_uses(desk: Desk) -> None:
    text = 'The rent of the premises.\n\nCats.\n\n"Premises" means the house.'
    parts = text.split("\n\n")
    put_element(desk, "a", text, *parts, definitions=(Definition("Premises", "the house", 2),))
    for number in range(40):
        put_element(desk, f"n{number}", f"{number} rent " + "with many words more that say little " * 10)
    found = desk.library.context("rent", max_tokens=700)
    assert '"Premises" means the house.' in found.text
    assert found.tokens > 600
    assert "defines" in found.sources[-1].why_included


def test_generated_passages_are_shown_whole_or_not_at_all(desk: Desk) -> None:
    chunk = Chunk(0, rendered="Order Service is an application. It serves the Ledger. It has no text.", language="en")
    state = State(Content("archimate", "service", "Order Service", "", "en"), Derivation("r1", (chunk,)))
    desk.library.catalog.commits.commit(desk.library.scope(), Commit((PutElement("e1", (state,)),)))
    found = desk.library.context("order service")
    assert chunk.rendered is not None
    assert chunk.rendered in found.text
    assert ";rev=1" in found.sources[0].citation
    assert desk.library.context("order service", max_tokens=found.tokens).sources == found.sources
    assert desk.library.context("order service", max_tokens=found.tokens - 1).sources == ()


def test_nothing_found_is_an_empty_context_that_says_so(desk: Desk) -> None:
    desk.put(a="alpha")
    body = wire.context(desk.library.context("omega"))
    assert (body["context"], body["sources"], body["tokens"], body["absence"]) == ("", [], 0, "no_match")


@pytest.mark.parametrize(
    ("options", "field"),
    [({"max_tokens": 0}, "max_tokens"), ({"max_tokens": "9"}, "max_tokens"), ({"limit": 0}, "top_k")],
)
def test_wrong_arguments_are_errors(desk: Desk, options: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidArgument) as caught:
        desk.library.context("rent", **options)
    assert caught.value.field == field


def test_filters_roles_and_repositories_choose_the_passages(desk: Desk) -> None:
    desk.put(a="---\ncourt: X\n---\nrent one", b="---\ncourt: Y\nroles: [legal]\n---\nrent two")
    assert [s.element_id for s in desk.library.context("rent", filters={"court": "Y"}).sources] == ["b.md"]
    desk.library.ingest(desk.folder, repository="second")
    with desk.reopened(roles=["sales"]) as sales:
        assert "rent two" not in sales.context("rent").text
        assert {s.scope.repository for s in sales.context("rent", repository="second").sources} == {"second"}


def test_the_wire_has_the_shape_of_the_contract(handbook: pincite.Library) -> None:
    body = wire.context(handbook.context("annual leave", max_tokens=500))
    assert body.keys() == {"context", "sources", "tokens", "max_tokens", "read_context", "legs", "notes"}
    assert body["sources"][0].keys() == {
        "element_id", "element_name", "repository_id", "version_id", "citation", "relevance", "why_included",
    }  # fmt: skip
    assert [leg["name"] for leg in body["legs"]] == ["dense", "keyword", "exact", "related", "graph"]
    assert json.loads(json.dumps(body)) == body


def test_the_command_pipes_the_text_and_tells_the_rest(desk: Desk, run: Run) -> None:
    desk.put(a="# Lease\n\n## 2 Rent\n\nThe rent is due monthly.")
    library = ("--library", str(desk.library.path))
    shown = run(*library, "context", "rent", "due", "--max-tokens", "300")
    assert shown.stdout.strip() == desk.library.context("rent due", max_tokens=300).text
    assert "[1] a.md: best match for the query" in shown.stderr
    assert "of 300 tokens" in shown.stderr
    body = json.loads(run(*library, "context", "rent", "--json").stdout)
    assert HEAD.findall(body["context"]) == [("1", "Lease > 2 Rent")]
    refused = run(*library, "context", "rent", "--max-tokens", "0", "--json")
    assert (refused.returncode, json.loads(refused.stdout)["error"]["field"]) == (2, "max_tokens")
