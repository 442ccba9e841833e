"""Verdicts on quotes: verified, altered, superseded, erased, not found."""

from __future__ import annotations

import unicodedata

import pytest

import pincite
from desk import Desk
from pincite.errors import InvalidArgument
from pincite.search.verify import MAX_QUOTE
from runaway import stopped_if_it_runs_away

LEASE = """# Lease

## Art. 1 Rent

The tenant pays ten francs “every month” to the landlord.

## Art. 2 Term

The lease ends on the\nlast day of June.
"""


@pytest.mark.parametrize(
    "quote",
    [
        "The tenant pays ten francs",
        "tenant",
        '"The tenant pays ten francs "every month" to the landlord."',
        "ends  on the last\nday of June",
        "pays ten fran\u00adcs",
        "Rent\n\nThe tenant",
    ],
)
def test_what_stands_there_is_verified(desk: Desk, quote: str) -> None:
    desk.put(lease=LEASE)
    citation = str(pincite.Citation(desk.library.scope(), "lease.md"))
    for verdict in (desk.library.verify(quote), desk.library.verify(quote, citation)):
        assert verdict.status == "verified"
        assert verdict.passage is not None
        assert desk.library.get(verdict.passage.citation).passage.text == verdict.passage.text


def test_accents_may_be_composed_either_way(desk: Desk) -> None:
    desk.put(a="# Charte\n\nLe dépôt de garantie est bloqué.")
    assert desk.library.verify(unicodedata.normalize("NFD", "dépôt de garantie est bloqué")).status == "verified"


@pytest.mark.parametrize(
    ("quote", "told"),
    [
        ("The tenant pays five francs “every month”", "'five' instead of 'ten'"),
        ("The tenant pays francs “every month” to the landlord", "'ten' left out"),
        ("The tenant always pays ten francs “every month”", "'always' added"),
        ("The Tenant pays ten francs", "'Tenant' instead of 'tenant'"),
    ],
)
def test_what_was_altered_says_how(desk: Desk, quote: str, told: str) -> None:
    desk.put(lease=LEASE)
    citation = str(pincite.Citation(desk.library.scope(), "lease.md", section_id="art.1"))
    for verdict in (desk.library.verify(quote), desk.library.verify(quote, citation)):
        assert (verdict.status, told in verdict.message) == ("altered", True), verdict.message
        assert verdict.passage is not None
        assert 0.6 <= verdict.similarity < 1


def test_superseded_names_the_current_version_and_whether_it_still_says_so(desk: Desk) -> None:
    desk.put(lease=LEASE)
    rent, term = desk.first("tenant pays").passage.citation, desk.first("lease ends").passage.citation
    desk.put(lease=LEASE.replace("ten francs", "twelve francs"))
    gone = desk.library.verify("The tenant pays ten francs", rent)
    assert (gone.status, gone.still_there) == ("superseded", False)
    assert "twelve francs" in desk.library.get(gone.superseded_by).passage.text
    kept = desk.library.verify("The lease ends", term)
    assert (kept.status, kept.still_there) == ("superseded", True)
    assert desk.library.get(kept.superseded_by).passage.text == "The lease ends"
    uncited = desk.library.verify("The tenant pays ten francs")
    assert (uncited.status, "does not say it" in uncited.message) == ("superseded", True)
    unversioned = str(pincite.Citation(desk.library.scope(), "lease.md"))
    assert desk.library.verify("The tenant pays ten francs", unversioned).status == "superseded"
    assert desk.library.verify("The tenant pays ten francs", rent, read_context="revision:1").status == "verified"
    (desk.folder / "lease.md").unlink()
    desk.write("other.md", "other")
    desk.ingest()
    for citation in (rent, unversioned, ""):
        assert desk.library.verify("The tenant pays ten francs", citation).status == "superseded"


def test_erased_and_not_found(desk: Desk) -> None:
    desk.put(lease=LEASE, other="something else")
    citation = desk.first("tenant pays").passage.citation
    assert desk.library.verify("whales sing at night", citation).status == "not_found"
    assert desk.library.verify("whales sing at night").status == "not_found"
    assert desk.library.verify("x", citation.replace("lease.md", "none.md")).status == "not_found"
    assert desk.library.verify("x", citation.replace("/main/", "/other/")).status == "not_found"
    desk.library.purge("lease.md")
    assert desk.library.verify("The tenant pays ten francs", citation).status == "erased"
    assert desk.library.verify("The tenant pays ten francs").status == "not_found"


def test_a_quote_outside_the_cited_place_is_not_found_there_and_the_right_place_is_named(desk: Desk) -> None:
    desk.put(lease=LEASE + "\n## Art. 3\n\nThe lease ends early.\n")
    wrong = str(pincite.Citation(desk.library.scope(), "lease.md", section_id="art.1"))
    verdict = desk.library.verify("The lease ends", wrong)
    assert (verdict.status, "not at the cited place" in verdict.message) == ("not_found", True)
    assert verdict.passage is not None
    assert verdict.passage.section_id == "art.2"
    third = desk.library.verify(
        "The lease ends", str(pincite.Citation(desk.library.scope(), "lease.md", section_id="Art. 3"))
    )
    assert third.passage is not None
    assert (third.passage.section_id, third.message) == ("art.3", "found in 'lease.md'")


def test_a_quote_may_cross_chunks(desk: Desk) -> None:
    desk.put(lease=LEASE, **{f"n{number}": f"The landlord and the lease, note {number}." for number in range(30)})
    for quote in ("every month” to the landlord.\n\n## Art. 2 Term\n\nThe lease ends", "landlord. ## Art. 2 Term"):
        verdict = desk.library.verify(quote)
        assert (verdict.status, verdict.passage and verdict.passage.element_id) == ("verified", "lease.md")
    crossing = desk.library.verify("every month” to the lord. ## Art. 2 Term The lease ends on the last day")
    assert (crossing.status, "'lord' instead of 'landlord'" in crossing.message) == ("altered", True)


def test_a_quote_stands_in_several_places(desk: Desk) -> None:
    desk.put(a="the very same words", b="again the very same words", c="other")
    verdict = desk.library.verify("the very same words")
    assert len({verdict.passage and verdict.passage.citation, *verdict.also_in}) == 2


def test_long_quotes_of_long_texts_get_their_verdicts(desk: Desk) -> None:
    sentences = [
        f"Clause {n} binds party {n % 97} to deliver item {n * 7 % 1013} in month {n % 12}.\n" for n in range(19_000)
    ]
    flat, parts = "".join(sentences), [f"## {n}. Part\n\n{text}\n" for n, text in enumerate(sentences[:3_000], 1)]
    desk.put(flat=flat, cut="# Doc\n\n" + "".join(parts))
    assert len(flat) > 1_000_000
    long = flat[500_000:505_000]
    altered = long.replace("deliver", "supply", 1)
    flat_citation, cut_citation = (str(pincite.Citation(desk.library.scope(), name)) for name in ("flat.md", "cut.md"))
    with stopped_if_it_runs_away():
        verdicts = [
            desk.library.verify(quote, where).status
            for quote, where in (
                (long, ""), (long, flat_citation),
                (altered, ""), (altered, flat_citation),
                (long, cut_citation), (altered, cut_citation),
                ("Clause", ""), ("zebra " * 900, flat_citation), ("zebra " * 900, cut_citation),
            )
        ]  # fmt: skip
    assert verdicts == [
        "verified", "verified", "altered", "altered", "not_found", "not_found", "verified", "not_found", "not_found"
    ]  # fmt: skip


@pytest.mark.parametrize("quote", ["", "  ", "“”", "x" * (MAX_QUOTE + 1)])
def test_no_quote_is_an_error(desk: Desk, quote: str) -> None:
    desk.put(a="alpha")
    with pytest.raises(InvalidArgument):
        desk.library.verify(quote)


def test_a_citation_that_is_none_is_an_error(desk: Desk) -> None:
    with pytest.raises(InvalidArgument, match="not a citation"):
        desk.library.verify("alpha", "somewhere")


def test_an_erased_version_stays_erased_when_the_element_comes_back(desk: Desk) -> None:
    desk.put(lease="The rent is five francs.")
    cited = desk.library.get("lease.md").passage.citation
    desk.library.purge("lease.md")
    desk.put(lease="The rent is six francs.")
    assert desk.library.verify("The rent is five francs.", cited).status == "erased"
    assert desk.library.verify("The rent is six francs.").status == "verified"
