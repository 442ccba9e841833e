"""Filters: inside the scan, never in the statistics."""

from __future__ import annotations

import pytest

from pincite.queries import Between, Filter, OneOf, Scoring, Word, WordQuery
from pincite.testing.index.opened import Opened
from pincite.testing.index.shelf import Shelf, page, passage, put, words
from pincite.types import JsonValue, RemoveElement


class Filters(Opened):
    """Filters and the values that there are."""

    def test_a_filter_holds_inside_the_scan(self, shelf: Shelf) -> None:
        shelf.add(*(put(f"loud {n}", "dog dog dog") for n in range(30)))
        quiet = "one dog among many other words that nobody will ever ask for"
        shelf.add(put("quiet", page(quiet, metadata={"court": "bger"})))
        asked = WordQuery(Word("dog"), filters=(OneOf("court", ("bger",)),), depth=1)
        ranking = shelf.ask(asked)
        assert [found.element_id for found in ranking.found] == ["quiet"]
        assert ranking.total == 1

    def test_a_filter_is_never_in_the_statistics(self, shelf: Shelf) -> None:
        for n in range(5):
            shelf.add(put(f"e{n}", page("dog " * n + "cat", metadata={"year": n})))
        every = shelf.ask("dog cat")
        some = shelf.ask(WordQuery(words("dog cat"), filters=(OneOf("year", ("1", "3")),), scoring=Scoring()))
        assert [found for found in every.found if found.element_id in ("e1", "e3")] == list(some.found)

    @pytest.mark.parametrize(
        ("accepts", "expected"),
        [
            (OneOf("language", ("de",)), ["german"]),
            (OneOf("language", ("de", "en")), ["english", "german"]),
            (OneOf("language", ()), []),
            (OneOf("nothing", ("x",)), []),
            (OneOf("kind", ("document",)), ["english", "german"]),
            (OneOf("topics", ("dogs",)), ["english"]),
            (OneOf("topics", ("dog",)), []),
            (OneOf("final", ("true",)), ["english"]),
            (OneOf("pages", ("12",)), ["german"]),
            (OneOf("chunk_type", ("definition",)), ["german"]),
            (Between("date"), ["english", "german"]),
            (Between("date", "2024-12-31"), ["english", "german"]),
            (Between("date", "2025"), ["german"]),
            (Between("date", "", "2024-12-31"), ["english"]),
            (Between("date", "2024-12-31", "2024-12-31"), ["english"]),
            (Between("date", "2025-01-01", "2024-01-01"), []),
            (Between("date", "2026"), []),
            (Between("topics", "b", "c"), ["english"]),
            (Between("nothing", "a"), []),
        ],
    )
    def test_filters_compare_values(self, shelf: Shelf, accepts: Filter, expected: list[str]) -> None:
        english: dict[str, JsonValue] = {
            "date": "2024-12-31T09:00", "topics": ["bites", "dogs"], "final": True, "long": "x" * 300,
        }  # fmt: skip
        german: dict[str, JsonValue] = {"date": "2025-06-01", "pages": 12, "nested": {"a": 1}}
        shelf.add(
            put("english", page("dog", metadata=english)),
            put("german", page(passage("dog", chunk_type="definition"), language="de", metadata=german)),
        )
        assert shelf.find(WordQuery(Word("dog"), filters=(accepts,))) == expected
        assert shelf.identify("Page", filters=(accepts,)) == expected

    def test_filters_are_all_demanded(self, shelf: Shelf) -> None:
        shelf.add(put("a", page("dog", metadata={"x": "1", "y": "1"})), put("b", page("dog", metadata={"x": "1"})))
        both = (OneOf("x", ("1",)), OneOf("y", ("1",)))
        assert shelf.find(WordQuery(Word("dog"), filters=both)) == ["a"]

    def test_filter_values_count_visible_chunks(self, shelf: Shelf) -> None:
        shelf.add(
            put("a", page("one", "two", metadata={"court": "bger", "language": "en", "tags": ["x", "x"]})),
            put("b", page("three", metadata={"court": "bvger"}, roles=("judge",), language="")),
        )
        assert shelf.index.filter_values([shelf.view(roles=())]) == {
            "kind": {"document": 2},
            "element_type": {"page": 2},
            "chunk_type": {"content": 2},
            "language": {"en": 2},
            "court": {"bger": 2},
            "tags": {"x": 2},
        }
        assert shelf.index.filter_values([shelf.view()])["court"] == {"bger": 2, "bvger": 1}
        shelf.add(RemoveElement("a"))
        assert shelf.index.filter_values([shelf.view()])["court"] == {"bvger": 1}
        assert shelf.index.filter_values([shelf.view(revision=1)])["court"] == {"bger": 2, "bvger": 1}
