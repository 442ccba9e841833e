"""One normal form for the many ways people write an identifier; and no identifier where none is meant."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.text.identifiers import identifiers_in, normalise_identifier


@pytest.mark.parametrize(
    ("normal", "spellings"),
    [
        ("4a.123.2020", ["4A_123/2020", "4A 123/2020", "4a-123-2020", " 4A.123/2020 ", "«4A_123/2020»"]),
        ("bge.140.iii.115", ["BGE 140 III 115", "bge 140 iii 115", "BGE 140-III-115"]),
        ("art.41", ["Art. 41", "art 41", "Artikel 41", "article 41", "articolo 41", "ART.41"]),
        ("art.41a", ["Art. 41a", "Artikel 41A"]),
        ("art.4bis", ["Art. 4bis"]),
        ("4.2", ["§ 4.2", "Section 4.2", "sec. 4.2", "4.2", "Ziff. 4.2", "§§ 4.2"]),
        ("203(a)(1)", ["Sec. 203(a)(1)", "§ 203(a)(1)", "203(a)(1)", "section 203 (a) (1)", "s 203(a)(1)"]),
        ("203(a)(1)", ["paragraph (1) of subsection (a) of section 203", "Section 203, subsection (a), paragraph (1)"]),
        ("art.41(1)(b)", ["Art. 41 Abs. 1 lit. b", "Artikel 41 Absatz 1 Buchstabe b", "Art. 41 Abs. 1 Bst. b"]),
        ("art.41(1)(b)", ["art. 41 al. 1 let. b", "article 41, alinéa 1, lettre b", "art. 41 cpv. 1 lett. b"]),
        ("art.41(1)(b)", ["Article 41(1)(b)", "Art. 41(1) lit. b", "lit. b von Art. 41 Abs. 1", "Art. 41 I b"]),
        ("art.41(1)(b)(2)", ["Art. 41 Abs. 1 lit. b Ziff. 2", "articolo 41 capoverso 1 lettera b numero 2"]),
        ("art.33(1)(hbis)", ["Art. 33 Abs. 1 Bst. hbis"]),
        ("4(2)", ["§ 4 Abs. 2", "§ 4 Abs. 2 Satz 1", "s 4(2)", "s. 4(2)", "subsection (2) of section 4", "§ 4 II"]),
        ("4.2(a)", ["para. 4.2(a)", "clause 4.2 (a)", "Ziff. 4.2 lit. a", "4.2(a)"]),
        ("order.service", ["OrderService", "order_service", "order-service", "Order Service"]),
        ("uberblick", ["Überblick", "UBERBLICK", "U\u0308berblick"]),
        ("ecli.ch.bger.2020.4a.123", ["ECLI:CH:BGER:2020:4A.123"]),
        ("", ["", "  ", "…", "«»"]),
    ],
)
def test_all_spellings_have_one_normal_form(normal: str, spellings: list[str]) -> None:
    assert {normalise_identifier(spelling) for spelling in spellings} == {normal}


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("what does Art. 41 say", ("art.41",)),
        ("§ 4.2 and section 5", ("4.2", "5")),
        ("Art. 41 Abs. 1 lit. b OR", ("art.41(1)(b)",)),
        ("Art. 41 ff. OR", ("art.41",)),
        ("it was Peter's 5 and s 5", ()),
        ("Section 3 I think", ("3",)),
        ("see 4A_123/2020", ("4a.123.2020",)),
        ("who calls OrderService and order_service", ("order.service",)),
        ("within 41 days", ()),
        ("a plain question about dogs", ()),
        ("either/or and well-known", ()),
        ("version 1.2.3 of it", ("1.2.3",)),
        ("", ()),
    ],
)
def test_only_what_can_only_be_an_identifier_is_taken_for_one(query: str, found: tuple[str, ...]) -> None:
    assert identifiers_in(query) == found


@given(st.text(max_size=40))
def test_normal_forms_never_raise_and_are_blind_to_composition(text: str) -> None:
    composed, decomposed = (normalise_identifier(unicodedata.normalize(form, text)) for form in ("NFC", "NFD"))
    assert composed == decomposed


@given(st.lists(st.sampled_from(("4A", "123", "order", "Service", "III", "2020")), min_size=1, max_size=4))
def test_connectors_do_not_matter(parts: list[str]) -> None:
    assert len({normalise_identifier(glue.join(parts)) for glue in (" ", "_", "-", "/", " . ", ":")}) == 1


@given(
    st.sampled_from(("Art. ", "§ ", "Section ", "")),
    st.sampled_from(("4", "41a", "68ter", "4.2", "4.2.1")),
    st.lists(st.sampled_from(("1", "12", "1bis", "a", "hbis", "iv", "B")), max_size=4),
)
def test_the_normal_form_of_a_section_is_its_own(marker: str, number: str, levels: list[str]) -> None:
    once = normalise_identifier(f"{marker}{number}" + "".join(f"({level})" for level in levels))
    assert normalise_identifier(once) == once
    assert once.count("(") == len(levels)


@given(st.text(max_size=60))
def test_what_is_found_in_a_query_is_in_normal_form_and_found_once(text: str) -> None:
    found = identifiers_in(text)
    assert len(found) == len(set(found))
    assert all(found)
