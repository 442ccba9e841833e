"""Identifiers in every spelling."""

from __future__ import annotations

import pytest

from pincite.queries import IdentifierQuery
from pincite.testing.index.opened import Opened
from pincite.testing.index.shelf import Shelf, page, passage, put
from pincite.text.identifiers import term_key
from pincite.types import Alias, Chunk, Content, Derivation, Span, State


class Identifiers(Opened):
    """The exact leg."""

    @pytest.mark.parametrize(
        "spelling",
        [
            "4A_123/2020", "4A 123/2020", "4a-123-2020", "4A.123/2020", "BGE 140 III 115", "bge 140 iii 115",
            "Art. 41", "art 41", "Artikel 41", "article 41", "OrderService", "order_service", "order-service",
            "Order Service", "ECLI:CH:BGER:2020:4A.123", "doc",
            term_key("Good Faith"), term_key("good faith"), term_key("«Good Faith»"),
        ],
    )  # fmt: skip
    def test_an_identifier_is_found_in_every_spelling(self, shelf: Shelf, spelling: str) -> None:
        shelf.add(
            put(
                "doc",
                page(
                    passage("text", section_id="Art. 41"),
                    name="4A_123/2020",
                    defined=(("Good faith", 0),),
                    aliases=(
                        Alias("BGE 140 III 115"),
                        Alias("OrderService", "Art. 41"),
                        Alias("ECLI:CH:BGER:2020:4A.123"),
                    ),
                ),
            ),
            put("other", page(passage("4A_123/2020 BGE 140 III 115", section_id="Art. 42"), name="Art. 410")),
        )
        assert shelf.identify(spelling) == ["doc"]

    def test_an_alias_of_a_section_names_only_its_chunks(self, shelf: Shelf) -> None:
        chunks = (passage("one", section_id="1"), passage("two", section_id="2"))
        shelf.add(put("a", page(*chunks, aliases=(Alias("Intro", "1"), Alias("Whole")))))
        asked = IdentifierQuery(("intro",), group="chunk")
        assert [found.chunk for found in shelf.index.exact([shelf.view()], asked).found] == [0]
        whole = shelf.index.exact([shelf.view()], IdentifierQuery(("whole",), group="chunk"))
        assert ([found.chunk for found in whole.found], whole.total) == ([0, 1], 2)

    def test_a_place_inside_a_section_names_only_the_chunks_that_hold_it(self, shelf: Shelf) -> None:
        text = "aaaa bbbb cccc"
        chunks = tuple(Chunk(n, Span(5 * n, 5 * n + 4), section_id="4") for n in range(3))
        content = Content("document", "document", "Act", text, "en")
        aliases = (Alias("4(2)", "4", Span(5, 14)), Alias("4(2)(b)", "4", Span(10, 14)))
        shelf.add(put("a", State(content, Derivation("r", chunks, (), aliases))))

        def found(*names: str) -> list[int]:
            asked = IdentifierQuery(names, group="chunk")
            return [item.chunk for item in shelf.index.exact([shelf.view()], asked).found]

        assert (found("§ 4"), found("4(2)"), found("§ 4 Abs. 2 lit. b")) == ([0, 1, 2], [1, 2], [2])
        assert found("4(2)(b)", "4(2)", "4") == [2, 1, 0], "the innermost place first"
        assert found("act.4") == [0, 1, 2], "the section in the work that it belongs to"

    def test_more_identifiers_come_first(self, shelf: Shelf) -> None:
        shelf.add(
            put("both", page(passage("x", section_id="2"), name="Law")), put("a", page("x", name="Law")),
            put("b", page(passage("x", section_id="2"), name="Code")),
        )  # fmt: skip
        ranking = shelf.index.exact([shelf.view()], IdentifierQuery(("law", "§ 2", "Law")))
        assert [(found.element_id, found.score) for found in ranking.found] == [("both", 1.0), ("a", 0.5), ("b", 0.5)]
        assert ranking.total == 3
        assert {matched.word for matched in ranking.found[0].matched} == {"law", "2"}
        assert shelf.identify("law", "§ 2", depth=1) == ["both"]

    def test_what_names_nothing_is_not_found(self, shelf: Shelf) -> None:
        shelf.add(put("a", "text"))
        assert shelf.identify("4A_9/1999") == shelf.identify() == shelf.identify("", "…") == []

    def test_identifiers_follow_revision_and_roles(self, shelf: Shelf) -> None:
        shelf.add(put("a", page("x", name="Old")), put("b", page("x", name="Old", roles=("judge",))))
        shelf.add(put("a", page("x", name="New")))
        assert shelf.identify("old") == ["b"]
        assert shelf.identify("old", views=(shelf.view(revision=1, roles=()),)) == ["a"]
        assert shelf.identify("old", "new", views=(shelf.view(roles=()),)) == ["a"]
