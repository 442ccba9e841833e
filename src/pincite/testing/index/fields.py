"""Text fields that a kind adds to its passages."""

from __future__ import annotations

from pincite.fields import STRUCTURAL
from pincite.queries import Phrase, Prefix, Scoring, Word, WordQuery
from pincite.testing.index.opened import Opened
from pincite.testing.index.shelf import PLAIN, SCOPE, Shelf, page, passage, put, scores


class Fields(Opened):
    """Words in fields of kinds are found, and count by boosts of their own where the engine declares it."""

    def test_words_in_a_field_of_a_kind_are_found(self, shelf: Shelf) -> None:
        owned = passage("the ledger", fields=(("owner", "platform team"),))
        shelf.add(put("a", page(owned, name="x")), put("b", page("the journal", name="x")))
        scoring = Scoring(boosts={**STRUCTURAL, "owner": 2.0})
        assert shelf.find(WordQuery(Word("platform"), scoring=scoring)) == ["a"]
        assert shelf.find(WordQuery(Word("platform", field="owner"), scoring=scoring)) == ["a"]
        assert shelf.find(WordQuery(Word("ledger", field="headings"), scoring=scoring)) == []

    def test_a_field_of_a_kind_has_a_boost_of_its_own_also_after_a_merge(self, fields: Shelf) -> None:
        fields.add(put("text", page("ledger platform", name="x")))
        owned = passage("ledger ledger", fields=(("owner", "platform"),))
        fields.add(put("owned", page(owned, name="x")))
        fields.add(put("zoned", page(passage("ledger ledger", fields=(("zone", "platform"),)), name="x")))
        heavy = Scoring(boosts={**STRUCTURAL, "owner": 9.0, "zone": 0.1}, literal=0.0)
        asked = (
            WordQuery(Word("platform"), scoring=heavy),
            WordQuery(Word("platform"), scoring=PLAIN),
            WordQuery(Word("platform", field="owner"), scoring=heavy),
            WordQuery(Phrase("platform", field="zone"), scoring=heavy),
            WordQuery(Prefix("plat", field="owner"), scoring=heavy),
            WordQuery(Word("platform", field="nowhere"), scoring=heavy),
        )
        before = [fields.ask(query) for query in asked]
        found = [[item.element_id for item in ranking.found] for ranking in before]
        assert found == [["owned", "text", "zoned"], ["text"], ["owned"], ["zoned"], ["owned"], []]
        while fields.index.merge(SCOPE):
            pass
        fields.index.rebuild(SCOPE)
        assert [scores(fields.ask(query)) for query in asked] == [scores(ranking) for ranking in before]
