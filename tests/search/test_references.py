"""Cross-references are followed in both directions, in the state and with the rights of whoever asks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import pincite
from desk import Desk
from pincite.errors import NotFound
from terminal import Run

LEGISLATION = Path(__file__).parents[2] / "samples" / "legislation"


def lines(library: pincite.Library, element: str, **options: object) -> list[str]:
    return [
        f"{item.source}#{item.source_section} {item.text} > {item.target}#{item.target_section}"
        for item in library.references(element, **options)  # type: ignore[arg-type]
    ]


def test_what_a_section_refers_to_and_what_refers_to_it(desk: Desk) -> None:
    desk.library.ingest(LEGISLATION)
    ref = "bootshausreglement.md"
    assert lines(desk.library, ref, section="Art. 6") == [
        f"{ref}#art.6(2) Absatz 1 Buchstabe b > {ref}#art.6(1)(b)",
        f"{ref}#art.6(3) Abs. 2 > {ref}#art.6(2)",
    ]
    incoming = lines(desk.library, ref, section="art.5", incoming=True)
    assert [line.split(" > ")[0].removeprefix(ref) for line in incoming] == [
        "#art.1(2) Artikel 4 bis 6",
        "#art.7(2)(b) Artikel 5",
        "#art.9 Artikel 4, 5 oder 8 Absatz 1",
    ]
    for item in desk.library.references(ref, section="art.5", incoming=True):
        assert item.text in " ".join(desk.library.get(item.source_citation).passage.text.split())
        assert desk.library.get(item.target_citation).passage.section_id == "art.5"


def test_a_document_is_named_by_its_title(desk: Desk) -> None:
    desk.put(
        yard="# Yard\n\n## 1. Boats\n\nBoats pay as section 4 of the Mooring Policy says.\n",
        mooring="# Mooring Policy\n\n## 4. Fees\n\nFees are five francs a day.\n",
    )
    assert lines(desk.library, "yard.md") == ["yard.md#1 section 4 of the Mooring Policy > mooring.md#4"]


def test_a_section_of_another_title_is_never_our_own_and_resolves_once_that_document_is_there(desk: Desk) -> None:
    desk.put(rules="# Quay Rules\n\n## 4 Ropes\n\nWhat section 4 of the Harbour Order says applies.\n")
    [reference] = desk.library.references("rules.md")
    assert (reference.status, reference.reason) == ("unresolved", "nothing here is called 'Harbour Order'")
    desk.put(order="# Harbour Order 2019\n\n## 4 Fees\n\nFees are due.\n")
    [reference] = desk.library.references("rules.md")
    assert (reference.status, reference.target, reference.target_section) == ("resolved", "order.md", "4")


def test_a_section_that_is_not_there_is_refused(desk: Desk) -> None:
    desk.put(yard="# Yard\n\n## 1. Boats\n\nBoats pay as section 1 says.\n")
    for incoming in (False, True):
        with pytest.raises(NotFound, match="has no section '99'"):
            desk.library.references("yard.md", section="99", incoming=incoming)


def test_what_is_not_here_is_listed_and_resolves_once_it_comes_in(desk: Desk) -> None:
    desk.put(
        lease="# Lease\n\n## 1. Rent\n\nArticle 257 CO and section 9 apply. See [the rules](rules.md#quiet-hours).\n"
    )
    open_ends = desk.library.references("lease.md", unresolved=True)
    assert [(item.text, item.target, item.reason) for item in open_ends] == [
        ("Article 257 CO", "CO", "nothing here is called 'CO'"),
        ("section 9", "lease.md", "it has no section '9'"),
        ("[the rules](rules.md#quiet-hours)", "rules.md#quiet-hours", "nothing here is called 'rules.md#quiet-hours'"),
    ]
    before = desk.library.revisions()[0].number
    desk.put(
        code="---\nshort_title: CO\n---\n# Code of Obligations\n\n## Art. 257 Rent\n\nRent is due.\n",
        rules="# Rules\n\n## Quiet hours\n\nAfter ten.\n",
    )
    assert [item.text for item in desk.library.references("lease.md", unresolved=True)] == ["section 9"]
    assert lines(desk.library, "code.md", incoming=True) == ["lease.md#1 Article 257 CO > code.md#art.257"]
    assert lines(desk.library, "rules.md", section="quiet-hours", incoming=True)[0].endswith("> rules.md#quiet-hours")
    then = desk.library.references("lease.md", unresolved=True, read_context=f"revision:{before}")
    assert len(then) == 3, "in the state before, they were not here"


def test_a_link_finds_its_page_whatever_a_site_calls_it(desk: Desk) -> None:
    desk.write("en/docs/pods/_index.md", "# Pods\n\n## Restart policy\n\nAlways.\n")
    desk.write(
        "en/docs/jobs.md", "# Jobs\n\nSee [a](/docs/pods/#restart-policy), [b](pods/) and [c](./pods/_index.md).\n"
    )
    desk.ingest()
    found = desk.library.references("en/docs/jobs.md")
    assert [(item.target, item.target_section) for item in found] == [
        ("en/docs/pods/_index.md", "restart-policy"),
        ("en/docs/pods/_index.md", ""),
        ("en/docs/pods/_index.md", ""),
    ]
    assert len(desk.library.references("en/docs/pods/_index.md", incoming=True)) == 3


def test_who_may_not_read_an_end_does_not_learn_of_it(desk: Desk) -> None:
    desk.put(
        open="# Open\n\n## 1. One\n\nSee [secret](secret.md).\n",
        secret="---\nroles: [board]\n---\n# Secret\n\nSee [open](open.md#1-one).\n",
    )
    with desk.reopened(roles=["staff"]) as staff:
        assert staff.references("open.md") == ()
        assert staff.references("open.md", incoming=True) == ()
        with pytest.raises(NotFound):
            staff.references("secret.md")
    assert len(desk.library.references("open.md", incoming=True)) == 1


def test_a_changed_file_takes_its_references_with_it(desk: Desk) -> None:
    desk.put(a="# A\n\nSee [b](b.md).\n", b="# B\n\nText.\n")
    assert len(desk.library.references("b.md", incoming=True)) == 1
    desk.put(a="# A\n\nNothing.\n")
    assert desk.library.references("b.md", incoming=True) == ()


def test_a_context_brings_what_its_passages_refer_to_within_the_budget(desk: Desk) -> None:
    desk.library.ingest(LEGISLATION)
    query = "Untervermietung verboten Tausch unter Nutzern"
    context = desk.library.context(query, limit=1, max_tokens=400)
    assert any("referred to by [1]" in source.why_included for source in context.sources)
    assert "den Platz, und zwar" in context.text, "Art. 4 Abs. 2 lit. b, which Art. 5 excepts"
    assert context.tokens <= 400
    without = desk.library.context(query, limit=1, max_tokens=400, include_relationships=False)
    assert "den Platz, und zwar" not in without.text
    tight = desk.library.context(query, limit=1, max_tokens=130)
    assert tight.tokens <= 130


def test_the_command_prints_both_directions_and_json(run: Run) -> None:
    assert run("ingest", str(LEGISLATION)).returncode == 0
    done = run("references", "service-agreement.md#2.3")
    assert "'clause 2.2(b)(i)' → #2.2(b)(i)" in done.stdout
    incoming = run("references", "service-agreement.md#2.1(b)", "--incoming")
    assert "service-agreement.md#4.2(b)  'clause 2.1(b)' → service-agreement.md#2.1(b)" in incoming.stdout
    body = json.loads(run("references", "service-agreement.md", "--unresolved", "--json").stdout)
    assert [item["text"] for item in body["references"]] == ["Article 100 of the Code of Obligations", "Article 5 GDPR"]
    assert body["unresolved"] == body["total"] == 2
    assert run("references", "nowhere.md").returncode == 3
