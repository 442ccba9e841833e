"""What every index must do. Subclass `IndexContract`, say how yours is made, run pytest.

class TestMyIndex(IndexContract):
    def make_index(self, catalog: Catalog, folder: Path) -> Index:
        return MyIndex(folder / "index", catalog)
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Literal

import pytest

from pincite.catalog.sqlite import SqliteCatalog
from pincite.errors import Conflict, InvalidArgument
from pincite.meaning import Calibration
from pincite.protocols import Catalog, Index
from pincite.queries import (
    All,
    Among,
    Between,
    Filter,
    Found,
    IdentifierQuery,
    Maybe,
    Node,
    Not,
    OneOf,
    Phrase,
    Prefix,
    Ranking,
    Scoring,
    Some,
    VectorQuery,
    Word,
    WordQuery,
)
from pincite.testing.vectors import CALIBRATION, MODEL, asking, embed
from pincite.text.identifiers import term_key
from pincite.types import (
    Alias,
    Change,
    Chunk,
    Commit,
    Content,
    Definition,
    Derivation,
    JsonValue,
    PutElement,
    RemoveElement,
    Scope,
    Span,
    State,
    View,
)

SCOPE = Scope("acme", "legal", "decisions")
SIBLING = replace(SCOPE, repository="statutes")
DAY = date(2026, 1, 31)
PLAIN = Scoring(literal=0.0)


# --- writing --------------------------------------------------------------------------------------------------


def passage(text: str, number: int = 0, **rest: object) -> Chunk:
    """A rendered chunk."""
    return Chunk(number, rendered=text, **rest)  # type: ignore[arg-type]


def page(
    *parts: str | Chunk,
    name: str = "Page",
    language: str = "en",
    element_type: str = "page",
    roles: tuple[str, ...] = (),
    start: date | None = None,
    end: date | None = None,
    defined: tuple[tuple[str, int], ...] = (),
    aliases: tuple[Alias, ...] = (),
    metadata: dict[str, JsonValue] | None = None,
) -> State:
    """A state of an element whose chunks are the given texts."""
    text = "\n\n".join(part for part in parts if isinstance(part, str))
    chunks, at = [], 0
    for number, part in enumerate(parts):
        if isinstance(part, str):
            chunks.append(Chunk(number, Span(at, at + len(part))))
            at += len(part) + 2
        else:
            chunks.append(replace(part, number=number))
    definitions = tuple(Definition(term, "what it means", chunk) for term, chunk in defined)
    content = Content("document", element_type, name, text, language, metadata or {})
    recipe = hashlib.sha256(repr((chunks, definitions, aliases)).encode()).hexdigest()[:12]
    return State(content, Derivation(recipe, tuple(chunks), definitions, aliases), frozenset(roles), start, end)


def put(element_id: str, *states: State | str) -> PutElement:
    return PutElement(element_id, tuple(page(s) if isinstance(s, str) else s for s in states))


def words(text: str) -> Node:
    """Any of the words."""
    return Some(tuple(Word(word) for word in text.split()))


@dataclass
class Shelf:
    """A catalog, its index, and short ways to fill and ask them."""

    catalog: Catalog
    index: Index

    def commit(self, *changes: Change, scope: Scope = SCOPE) -> int:
        """Commit without indexing."""
        return self.catalog.commits.commit(scope, Commit(changes)).revision

    def add(self, *changes: Change, scope: Scope = SCOPE) -> int:
        """Commit and index."""
        self.commit(*changes, scope=scope)
        return self.index.advance(scope)

    def view(
        self,
        scope: Scope = SCOPE,
        revision: int | None = None,
        valid_at: date = DAY,
        roles: tuple[str, ...] | None = None,
    ) -> View:
        head = self.index.reached(scope) if revision is None else revision
        return View(scope, head, valid_at, None if roles is None else frozenset(roles))

    def ask(self, query: WordQuery | Node | str, *views: View) -> Ranking:
        node = words(query) if isinstance(query, str) else query
        asked = node if isinstance(node, WordQuery) else WordQuery(node)
        return self.index.keyword(views or (self.view(),), asked)

    def find(self, query: WordQuery | Node | str, *views: View) -> list[str]:
        """Ids of the elements found, best first."""
        return [found.element_id for found in self.ask(query, *views).found]

    def embed(self, scope: Scope = SCOPE, *, chosen: Callable[[str], bool] | None = None) -> int:
        """Put the vectors of all passages (or the chosen ones) into the catalog and take them in; how many were new."""
        embed(self.catalog, scope, chosen=chosen)
        return self.index.take_vectors(scope, MODEL)

    def mean(self, query: VectorQuery | str, *views: View) -> Ranking:
        asked = asking(query) if isinstance(query, str) else query
        return self.index.dense(views or (self.view(),), asked)

    def near(self, query: VectorQuery | str, *views: View) -> list[str]:
        """Ids of the elements found by meaning, nearest first."""
        return [found.element_id for found in self.mean(query, *views).found]

    def identify(self, *identifiers: str, views: tuple[View, ...] = (), **options: object) -> list[str]:
        query = IdentifierQuery(identifiers, **options)  # type: ignore[arg-type]
        return [found.element_id for found in self.index.exact(views or (self.view(),), query).found]


def scores(ranking: Ranking) -> dict[tuple[str, int], float]:
    return {(found.element_id, found.chunk): found.raw for found in ranking.found}


def facts(ranking: Ranking) -> Ranking:
    """A ranking without lifetime ids, which are opaque and may differ between libraries."""
    return replace(ranking, found=tuple(found._replace(lifetime_id=0) for found in ranking.found))


QUESTIONS: tuple[WordQuery, ...] = (
    WordQuery(words("dog bites court")),
    WordQuery(words("dog"), depth=1),
    WordQuery(words("dog court"), group="chunk", explained=3),
    WordQuery(words("the dog"), filters=(OneOf("element_type", ("page",)),)),
    WordQuery(All((Word("dog"), Not(Word("cat"))))),
    WordQuery(words("secret")),
    WordQuery(words("dog bites court cat chunk other again secret old law page rest word"), explained=3),
    WordQuery(words("dog chunk court"), among=Among(frozenset({(SCOPE, "a"), (SCOPE, "e1"), (SCOPE, "e4")}), 2)),
)


MEANINGS: tuple[VectorQuery, ...] = (
    asking("dog bites the court"),
    asking("cat", depth=2),
    asking("chunk 3 dog", group="chunk"),
    asking("dog again", filters=(OneOf("language", ("de", "fr")),), group="chunk"),
    asking("dog court", among=Among(frozenset({(SCOPE, "a"), (SCOPE, "e1"), (SCOPE, "e4")}), 1)),
)


class IndexContract:
    """Every promise of `pincite.protocols.Index`, as a test."""

    def make_index(self, catalog: Catalog, folder: Path) -> Index:
        raise NotImplementedError("say how an index is opened in this folder; opening it again must find the same one")

    def make_catalog(self, folder: Path) -> Catalog:
        return SqliteCatalog(folder / "catalog.db")

    def make_shelf(self, folder: Path) -> Shelf:
        folder.mkdir(parents=True, exist_ok=True)
        catalog = self.make_catalog(folder)
        return Shelf(catalog, self.make_index(catalog, folder))

    @pytest.fixture
    def shelf(self, tmp_path: Path) -> Iterator[Shelf]:
        shelf = self.make_shelf(tmp_path)
        yield shelf
        shelf.catalog.close()

    @pytest.fixture
    def phrases(self, shelf: Shelf) -> Shelf:
        if not shelf.index.features.phrases:
            pytest.skip("the engine declares that it has no phrases")
        return shelf

    @pytest.fixture
    def prefixes(self, shelf: Shelf) -> Shelf:
        if not shelf.index.features.prefixes:
            pytest.skip("the engine declares that it has no prefixes")
        return shelf

    @pytest.fixture
    def dense(self, shelf: Shelf) -> Shelf:
        if not shelf.index.features.dense:
            pytest.skip("the engine declares that it has no dense leg")
        return shelf

    @pytest.fixture
    def scoring(self, shelf: Shelf) -> Shelf:
        if not shelf.index.features.scoring:
            pytest.skip("the engine declares that it scores by its own formula")
        return shelf

    @pytest.fixture
    def isolated(self, shelf: Shelf) -> Shelf:
        if not shelf.index.features.score_isolation:
            pytest.skip("the engine declares that scores depend on what the caller may not read")
        return shelf

    @pytest.fixture
    def replaying(self, shelf: Shelf) -> Shelf:
        if not shelf.index.features.replay:
            pytest.skip("the engine declares that it cannot replay")
        return shelf

    # --- rolling forward --------------------------------------------------------------------------------------

    def test_what_is_committed_is_found_once_the_index_has_advanced(self, shelf: Shelf) -> None:
        assert shelf.commit(put("a", "a dog")) == 1
        assert (shelf.index.reached(SCOPE), shelf.find("dog", shelf.view(revision=1))) == (0, [])
        assert (shelf.index.advance(SCOPE), shelf.index.reached(SCOPE)) == (1, 1)
        assert shelf.find("dog") == ["a"]

    def test_advancing_again_changes_nothing(self, shelf: Shelf) -> None:
        shelf.add(put("a", "a dog"), put("b", "another dog"))
        before = shelf.ask("dog"), shelf.index.status(SCOPE)
        assert shelf.index.advance(SCOPE) == 1
        assert (shelf.ask("dog"), shelf.index.status(SCOPE)) == before

    def test_many_commits_are_taken_in_one_advance(self, shelf: Shelf) -> None:
        for text in ("a dog", "a cat", "a dog again"):
            shelf.commit(put("a", text))
        shelf.commit(RemoveElement("a"))
        shelf.commit(put("b", "one dog"))
        assert shelf.index.advance(SCOPE) == 5
        assert [shelf.find("dog", shelf.view(revision=r)) for r in range(6)] == [[], ["a"], [], ["a"], [], ["b"]]

    def test_an_unknown_repository_is_empty(self, shelf: Shelf) -> None:
        assert shelf.index.reached(SCOPE) == shelf.index.advance(SCOPE) == shelf.index.rebuild(SCOPE) == 0
        assert shelf.index.merge(SCOPE) is False
        assert (shelf.find("dog"), shelf.identify("dog"), shelf.index.filter_values([shelf.view()])) == ([], [], {})
        assert (shelf.index.check(SCOPE), shelf.index.status(SCOPE).revision) == ((), 0)

    def test_an_empty_repository_answers_nothing(self, shelf: Shelf) -> None:
        shelf.catalog.repositories.ensure(SCOPE)
        assert (shelf.index.advance(SCOPE), shelf.index.reached(SCOPE)) == (0, 0)
        assert shelf.ask("dog").total == 0
        shelf.add(put("a", State(Content("document", "page", "No chunk", ""), Derivation("r"))))
        assert (shelf.index.reached(SCOPE), shelf.find("chunk"), shelf.index.filter_values([shelf.view()])) == (
            1,
            [],
            {},
        )

    def test_no_view_finds_nothing(self, shelf: Shelf) -> None:
        assert shelf.index.keyword((), WordQuery(Word("dog"))).found == ()
        assert shelf.index.exact((), IdentifierQuery(("dog",))).found == ()
        assert shelf.index.filter_values(()) == {}

    def test_the_status_says_how_far_behind_it_is(self, shelf: Shelf) -> None:
        shelf.add(put("a", page("one", "two")), put("b", "three"))
        shelf.add(RemoveElement("b"))
        shelf.commit(put("c", "four"))
        status = shelf.index.status(SCOPE)
        assert (status.revision, status.head, status.chunks, status.problem) == (2, 3, 2, "")

    # --- time, validity, roles --------------------------------------------------------------------------------

    def test_a_removed_element_is_found_until_its_death(self, shelf: Shelf) -> None:
        born = shelf.add(put("a", "a dog"), put("b", "a dog"))
        shelf.add(RemoveElement("a"))
        assert shelf.find("dog") == ["b"]
        assert shelf.find("dog", shelf.view(revision=born)) == ["a", "b"]

    def test_a_changed_element_leaves_no_stale_word(self, shelf: Shelf) -> None:
        shelf.add(put("a", page("a dog", "a long tail")))
        shelf.add(put("a", page("a cat")))
        assert (shelf.find("dog tail"), shelf.find("cat")) == ([], ["a"])

    def test_there_and_back_again_is_found_in_both_lifetimes(self, shelf: Shelf) -> None:
        for text in ("a dog", "a cat", "a dog"):
            shelf.add(put("a", text))
        (first,), (last,) = (shelf.ask("dog", shelf.view(revision=r)).found for r in (1, 3))
        assert first.version_id == last.version_id
        assert first.lifetime_id != last.lifetime_id
        assert shelf.find("dog", shelf.view(revision=2)) == []

    def test_a_new_recipe_replaces_the_chunks(self, shelf: Shelf) -> None:
        whole = page(passage("a dog and a cat"))
        cut = page(passage("a dog"), passage("a cat"))
        shelf.add(put("a", whole))
        shelf.add(put("a", cut))
        (found,) = shelf.ask("cat").found
        assert (found.chunk, found.recipe) == (1, cut.derivation.recipe)
        (before,) = shelf.ask("cat", shelf.view(revision=1)).found
        assert (before.chunk, before.recipe, before.version_id) == (0, whole.derivation.recipe, found.version_id)

    def test_validity_selects_what_is_in_force(self, shelf: Shelf) -> None:
        cut = date(2026, 1, 1)
        shelf.add(put("law", page("old dogs", end=cut), page("new dogs", start=cut, end=date(2027, 1, 1))))
        for day, expected in ((date(2025, 12, 31), "old"), (cut, "new"), (date(2026, 12, 31), "new")):
            assert shelf.find(expected, shelf.view(valid_at=day)) == ["law"]
            assert len(shelf.ask("dogs", shelf.view(valid_at=day)).found) == 1
        assert shelf.find("dogs", shelf.view(valid_at=date(2027, 1, 1))) == []

    def test_roles_decide_who_finds(self, shelf: Shelf) -> None:
        shelf.add(put("open", "a dog"), put("closed", page("a dog", roles=("judge", "clerk"))))
        for roles, expected in (
            (None, ["closed", "open"]),
            ((), ["open"]),
            (("party",), ["open"]),
            (("party", "clerk"), ["closed", "open"]),
        ):
            view = shelf.view(roles=roles)
            assert shelf.find("dog", view) == shelf.identify("Page", views=(view,)) == expected
            assert shelf.index.filter_values([view])["kind"] == {"document": len(expected)}

    def test_changed_roles_hold_from_their_revision_on(self, shelf: Shelf) -> None:
        shelf.add(put("a", "a dog"))
        shelf.add(put("a", page("a dog", roles=("judge",))))
        assert [shelf.find("dog", shelf.view(revision=r, roles=())) for r in (1, 2)] == [["a"], []]

    def test_where_a_quote_may_have_come_from_is_also_asked_of_the_dead(self, phrases: Shelf) -> None:
        shelf = phrases
        shelf.add(put("a", "the old words"), put("b", page("the old words", roles=("judge",))))
        shelf.add(put("a", "other words"))
        asked = WordQuery(Phrase("old words"), ever=True)
        assert shelf.find(asked, shelf.view(roles=())) == ["a"]
        assert shelf.find(asked) == ["a", "b"]
        assert shelf.find(replace(asked, ever=False)) == ["b"]

    def test_lifetimes_of_one_version_tie_in_the_order_of_its_chunks(self, shelf: Shelf) -> None:
        for text in ("dog", "cat", "dog"):
            shelf.add(put("a", page(text, text)), put("b", "a dog or so"))
        asked = WordQuery(Word("dog"), ever=True, group="chunk")
        first, second = (found.lifetime_id for found in shelf.ask(asked).found[:2])
        expected = [("a", 0, first), ("a", 0, second), ("a", 1, first), ("a", 1, second)]
        for _ in range(2):
            for depth in (1, 2, 3, 4):
                found = shelf.ask(replace(asked, depth=depth)).found
                assert [(hit.element_id, hit.chunk, hit.lifetime_id) for hit in found] == expected[:depth]
            shelf.index.rebuild(SCOPE)
        by_element = shelf.ask(replace(asked, group="element", depth=2))
        assert ([hit.element_id for hit in by_element.found], by_element.total) == (["a", "b"], 2)

    # --- filters ----------------------------------------------------------------------------------------------

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

    # --- words ------------------------------------------------------------------------------------------------

    def test_more_and_rarer_words_score_higher(self, shelf: Shelf) -> None:
        shelf.add(
            put("both", "the dog bites"), put("rare", "it bites"), put("common", "some dog"), put("other", "one dog"),
            *(put(f"none {n}", "a cat") for n in range(5)),
        )  # fmt: skip
        assert shelf.find("dog bites") == ["both", "rare", "common", "other"]
        assert shelf.ask("dog bites").total == 4

    def test_scores_lie_between_0_and_1(self, shelf: Shelf) -> None:
        shelf.add(*(put(f"e{n}", page("dog " * n + "cat", name="dog")) for n in range(1, 9)))
        ranking = shelf.ask("dog cat")
        assert len(ranking.found) == ranking.total == 8
        for found in ranking.found:
            assert 0 < found.score <= 1
            assert found.raw > 0

    def test_unknown_words_find_nothing_and_hurt_nothing(self, shelf: Shelf) -> None:
        shelf.add(put("a", "a dog"))
        unknown = shelf.ask("xyzzy plugh")
        assert (unknown.found, unknown.total, unknown.status) == ((), 0, "ok")
        assert shelf.find("dog xyzzy") == ["a"]

    @pytest.mark.parametrize("text", ["", "   ", "…", "___", "'", "\x00"])
    def test_a_query_without_words_finds_nothing(self, shelf: Shelf, text: str) -> None:
        shelf.add(put("a", "a dog"))
        for node in (Word(text), Phrase(text), Some(()), All(()), Not(Word("cat")), Maybe(Word(text))):
            assert shelf.find(node) == []

    def test_stop_words_count_only_if_nothing_else_is_left(self, shelf: Shelf) -> None:
        shelf.add(put("a", "the dog"), put("b", "the cat"))
        the = Word("the", stop=True)
        assert shelf.find(Some((the, Word("dog")))) == ["a"]
        assert shelf.find(Some((the,))) == ["a", "b"]

    def test_a_word_counts_as_much_as_its_weight(self, shelf: Shelf) -> None:
        shelf.add(put("a", "dog"), put("b", "cat"), put("c", "mouse"))
        asked = Some((Word("dog", weight=0.25), Word("cat", weight=0.5), Word("cats", weight=0.1)))
        found = shelf.ask(WordQuery(asked, scoring=PLAIN)).found
        assert [item.element_id for item in found] == ["b", "a"]
        assert found[1].raw == pytest.approx(found[0].raw / 2)

    def test_a_stand_in_that_nobody_can_see_counts_for_nothing(self, isolated: Shelf) -> None:
        shelf = isolated
        shelf.add(put("a", "dog"), put("b", "cat"), put("hidden", page("fox", roles=("partner",))))
        view = shelf.view(roles=())
        alone = shelf.ask(WordQuery(Some((Word("dog", weight=0.5),))), view)
        beside = shelf.ask(WordQuery(Some((Word("dog", weight=0.5), Word("fox", weight=0.4)))), view)
        assert beside.found == alone.found

    def test_a_full_score_needs_as_many_words_as_are_expected(self, shelf: Shelf) -> None:
        shelf.add(put("a", "dog cat mouse"), put("b", "dog"), put("c", "horse"))
        tree = words("dog cat mouse")
        one, all_of_them = shelf.ask(WordQuery(tree, expected=1)), shelf.ask(WordQuery(tree))
        assert [item.raw for item in one.found] == [item.raw for item in all_of_them.found]
        assert all_of_them.found[0].score < one.found[0].score <= 1

    def test_a_long_query_keeps_its_rarest_words_and_says_so(self, shelf: Shelf) -> None:
        shelf.add(put("a", "dog cat"), put("b", "dog"), put("c", "dog mouse"))
        ranking = shelf.ask(WordQuery(words("dog cat unknown"), max_words=1))
        assert [found.element_id for found in ranking.found] == ["a"]
        assert "1 rarest" in ranking.notes[0]
        assert "2 left out" in ranking.notes[0]

    def test_a_word_as_typed_ranks_before_its_stem(self, scoring: Shelf) -> None:
        shelf = scoring
        shelf.add(put("a", page("les droits", language="fr")), put("b", page("les droit", language="fr")))
        assert shelf.find("droit") == ["b", "a"]
        assert shelf.find("droits") == ["a", "b"]
        assert len(set(scores(shelf.ask(WordQuery(Word("droit"), scoring=PLAIN))).values())) == 1

    def test_headings_and_defined_terms_weigh_more_than_text(self, shelf: Shelf) -> None:
        filler = "some words that fill the passage"
        shelf.add(
            put("text", page(f"{filler} lease", name="x")),
            put("heading", page(passage(filler, parent_chain=("lease",)), name="x")),
            put("term", page(filler, name="x", defined=(("lease", 0),))),
        )
        assert shelf.find(WordQuery(Word("lease"), scoring=PLAIN)) == ["term", "heading", "text"]
        content_only = Scoring(boosts={"content": 1.0})
        ranking = shelf.ask(WordQuery(Word("lease"), scoring=content_only))
        assert ([found.element_id for found in ranking.found], ranking.total) == (["text"], 1)

    def test_written_context_is_searched_and_repeated_headings_count_once(self, shelf: Shelf) -> None:
        written = passage("the dog", parent_chain=("Animals",), context="about liability of keepers")
        structural = passage("the dog", parent_chain=("Animals",), context="Animals")
        plain = passage("the dog", parent_chain=("Animals",))
        shelf.add(put("written", page(written)), put("structural", page(structural)), put("plain", page(plain)))
        assert shelf.find("liability") == ["written"]
        found = scores(shelf.ask("animals"))
        assert found["structural", 0] == found["plain", 0]

    # --- field queries ----------------------------------------------------------------------------------------

    def test_a_field_query_looks_only_there(self, shelf: Shelf) -> None:
        shelf.add(
            put("text", page("rent", name="x")),
            put("heading", page(passage("x", parent_chain=("Rent",)), name="x")),
            put("term", page("x", name="x", defined=(("rent", 0),))),
            put("section", page(passage("x", section_id="4.2"), name="x")),
        )
        assert shelf.find(Word("rent", field="content")) == ["text"]
        assert shelf.find(Word("rent", field="headings")) == ["heading"]
        assert shelf.find(Word("rent", field="terms")) == ["term"]
        assert shelf.find(Word("4.2", field="section")) == ["section"]
        assert shelf.find(Word("rent", field="section")) == []
        assert shelf.find(All((Word("rent", field="headings"), Word("x", field="content")))) == ["heading"]

    def test_a_word_that_also_stands_in_another_field_gains_nothing_there(self, shelf: Shelf) -> None:
        both = page(passage("rent droits", parent_chain=("droit",)), language="fr", name="x")
        other = page(passage("rent droit", parent_chain=("droit",)), language="fr", name="x")
        shelf.add(put("both", both), put("other", other))
        found = scores(shelf.ask(Word("droit", field="headings")))
        assert found["both", 0] == found["other", 0]

    # --- phrases and prefixes ---------------------------------------------------------------------------------

    def test_a_phrase_needs_its_words_side_by_side(self, phrases: Shelf) -> None:
        phrases.add(
            put("yes", "The Owner of a Dog is liable."), put("reversed", "a dog of owner"),
            put("apart", "owner, of dog"), put("twice", "owner of a dog; owner of a dog"),
        )  # fmt: skip
        assert phrases.find(Phrase("owner of a dog")) == ["twice", "yes"]
        assert phrases.find(Phrase("owner of a cat")) == []
        assert phrases.ask(Phrase("OWNER, of - a dog")).total == 2

    def test_a_phrase_is_found_at_both_ends_of_a_field(self, phrases: Shelf) -> None:
        phrases.add(put("a", "first words in the middle last words"))
        assert phrases.find(Phrase("first words")) == phrases.find(Phrase("last words")) == ["a"]
        assert phrases.find(Phrase("words in the middle last words")) == ["a"]

    def test_no_phrase_crosses_from_one_field_or_chunk_into_another(self, phrases: Shelf) -> None:
        chunks = (passage("ends here", section_id="begins"), passage("next one", 1, section_id="x"))
        phrases.add(put("a", page(*chunks, name="over", defined=(("and out", 0),))))
        for crossing in ("here over", "over begins", "begins and", "out next", "here next"):
            assert phrases.find(Phrase(crossing)) == []
        assert phrases.find(Phrase("and out")) == ["a"]

    def test_a_phrase_is_compared_without_case_and_accents_but_not_by_stem(self, phrases: Shelf) -> None:
        phrases.add(put("a", page("Die Häuser der Stadt Zürich", language="de")))
        assert phrases.find(Phrase("HAUSER DER")) == ["a"]
        assert phrases.find(Phrase("Haus der")) == []

    def test_a_phrase_may_hold_identifiers_and_elisions(self, phrases: Shelf) -> None:
        phrases.add(put("a", page("selon l'arrêt 4A_123/2020 du 3 mai", language="fr")))
        assert phrases.find(Phrase("l'arrêt 4A_123/2020")) == ["a"]
        assert phrases.find(Phrase("arret 4a 123 2020 du")) == ["a"]
        assert phrases.find(Phrase("123/2020")) == ["a"]

    def test_a_phrase_in_a_field(self, phrases: Shelf) -> None:
        phrases.add(put("a", page(passage("the dog bites", parent_chain=("dog bites man",)))))
        assert phrases.find(Phrase("dog bites man", field="headings")) == ["a"]
        assert phrases.find(Phrase("the dog bites", field="headings")) == []

    def test_a_prefix_finds_every_word_that_begins_like_it(self, prefixes: Shelf) -> None:
        prefixes.add(
            put("a", page("Mietvertrag", language="de")), put("b", page("Mieterin", language="de")),
            put("c", page("Vermieter", language="de")), put("d", page("ÉTATS", language="fr")),
        )  # fmt: skip
        assert prefixes.find(Prefix("miet")) == ["a", "b"]
        assert prefixes.find(Prefix("Mieter")) == ["b"]
        assert prefixes.find(Prefix("eta")) == prefixes.find(Prefix("Éta")) == ["d"]
        assert prefixes.find(Prefix("zz")) == []

    # --- trees ------------------------------------------------------------------------------------------------

    @pytest.mark.parametrize(
        ("tree", "expected"),
        [
            (All((Word("dog"), Word("cat"))), {"dog cat", "dog cat bird"}),
            (All((Word("dog"), Not(Word("cat")))), {"dog", "dog bird"}),
            (All((Word("dog"), Maybe(Word("cat")))), {"dog", "dog cat", "dog bird", "dog cat bird"}),
            (All((Word("dog"), Some((Word("cat"), Word("bird"))))), {"dog cat", "dog bird", "dog cat bird"}),
            (Some((All((Word("dog"), Word("bird"))), Word("fish"))), {"dog bird", "dog cat bird", "fish"}),
            (Some((Word("fish"), Not(Word("dog")))), {"fish"}),
            (All((Word("dog"), Not(All((Word("cat"), Word("bird")))))), {"dog", "dog cat", "dog bird"}),
            (All((Word("dog"), Not(Not(Word("cat"))))), {"dog cat", "dog cat bird"}),
            (All((Word("dog"), Word("unknown"))), set()),
            (All((Maybe(Word("fish")), Maybe(Word("bird")))), {"fish", "dog bird", "dog cat bird"}),
        ],
    )
    def test_a_tree_demands_and_forbids(self, shelf: Shelf, tree: Node, expected: set[str]) -> None:
        shelf.add(*(put(text, text) for text in ("dog", "cat", "dog cat", "dog bird", "dog cat bird", "fish")))
        ranking = shelf.ask(tree)
        assert {found.element_id for found in ranking.found} == expected
        assert ranking.total == len(expected)

    def test_a_forbidden_word_adds_nothing_to_a_score(self, shelf: Shelf) -> None:
        shelf.add(put("a", "dog"), put("b", "dog cat"))
        assert scores(shelf.ask(All((Word("dog"), Not(Word("bird")))))) == scores(shelf.ask("dog"))

    def test_an_optional_word_raises_what_holds_it(self, shelf: Shelf) -> None:
        shelf.add(put("a", "dog mouse"), put("b", "dog cat"))
        assert shelf.find(All((Word("dog"), Maybe(Word("cat"))))) == ["b", "a"]

    def test_a_demanded_identifier_must_be_there_as_a_whole(self, shelf: Shelf) -> None:
        shelf.add(put("yes", "see 4A_123/2020"), put("parts", "4A and 123 in 2020"))
        assert shelf.find(All((Word("4A_123/2020"),))) == ["yes"]
        assert shelf.find(Word("4A_123/2020")) == ["yes", "parts"]

    # --- languages --------------------------------------------------------------------------------------------

    @pytest.mark.parametrize(
        ("language", "text", "query"),
        [
            ("en", "liabilities of owners", "liability owner"),
            ("de", "die Häuser", "haus"),
            ("de", "die Häuser", "HÄUSER"),
            ("de", "der Hundebiss", "Biss Hund"),
            ("de", "der Biss eines Hundes", "Hundebiss"),
            ("de", "die Kündigungsfrist", "Frist der Kündigung"),
            ("de", "Frist für die Kündigung", "Kündigungsfrist"),
            ("de", "Herr Müller", "Mueller"),
            ("de", "Herr Mueller", "Müller"),
            ("de", "Herr Müller", "muller"),
            ("de", "gemäss Strasse", "Straße"),
            ("de", "die Straße", "strasse"),
            ("fr", "la responsabilité de l'État", "état"),
            ("fr", "l’article 41", "article"),
            ("fr", "un article", "l'article"),
            ("fr", "où qu'il soit", "qu'il"),
            ("fr", "un réseau", "reseaux"),
            ("it", "dell'ordinanza", "ordinanza"),
            ("it", "le ordinanze", "dell'ordinanza"),
            ("", "keine Sprache bekannt", "SPRACHE"),
            ("ja", "東京都の条例", "東京"),
            ("ja", "東京都の条例", "条例"),
            ("zh", "民法典第一条", "民法"),
            ("zh", "民法典第一条", "法"),
            ("ko", "대한민국 헌법", "헌법"),
            ("th", "กฎหมายแพ่งและพาณิชย์" * 10 + "ทนายความ", "ทนายความ"),
            ("en", "Tokyo東京 office", "Tokyo東京"),
            ("en", "ﬁnancial ＡＢＣ", "financial abc"),
            ("en", "the OrderService calls", "order service"),
            ("en", "the OrderService calls", "order_service"),
            ("en", "the order_service calls", "OrderService"),
            ("en", "an order service", "OrderService"),
            ("en", "HTTPServer2", "httpserver2"),
            ("en", "4A_123/2020", "4a_123/2020"),
            ("en", "4A_123/2020", "4A 123"),
            ("en", "4A 123/2020", "4A_123/2020"),
            ("en", "mail ann.smith@example.org now", "ann.smith@example.org"),
            ("el", "Ο νόμος", "ΝΟΜΟΣ"),
            ("ru", "законы", "закон"),
            ("hi", "हिन्दी कानून", "कानून"),
        ],
    )
    def test_a_word_is_found_however_it_is_written(self, shelf: Shelf, language: str, text: str, query: str) -> None:
        other = {"th": "เรื่องอื่น", "ja": "別の話", "zh": "其他", "ko": "다른"}.get(language, "nothing of the kind")
        shelf.add(put("yes", page(text, language=language)), put("no", page(other, language=language)))
        assert shelf.find(query)[:1] == ["yes"]
        assert shelf.find(All(tuple(Word(word) for word in query.split() if word not in ("der",)))) == ["yes"]

    @pytest.mark.parametrize("text", ["Zürich", "l'État", "Ελλάδα", "한국어", "ガス"])
    def test_composed_and_decomposed_text_is_the_same(self, shelf: Shelf, text: str) -> None:
        composed, decomposed = unicodedata.normalize("NFC", text), unicodedata.normalize("NFD", text)
        shelf.add(put("a", page(composed, language="fr")), put("b", page(decomposed, language="fr")))
        for typed in (composed, decomposed):
            found = scores(shelf.ask(Word(typed)))
            assert found["a", 0] == found["b", 0]

    def test_stems_of_different_languages_do_not_meet(self, shelf: Shelf) -> None:
        shelf.add(put("de", page("die Häuser", language="de")), put("en", page("the haus", language="en")))
        assert shelf.find("Häuser") == ["de"]

    def test_every_visible_language_stems_the_query(self, shelf: Shelf) -> None:
        shelf.add(put("de", page("viele Artikel", language="de")), put("fr", page("des articles", language="fr")))
        assert shelf.find("article") == ["fr"]
        assert shelf.find("Artikeln") == ["de"]
        assert set(shelf.find("article Artikeln")) == {"de", "fr"}

    def test_a_phrase_of_a_script_without_spaces_ignores_spaces(self, phrases: Shelf) -> None:
        phrases.add(put("one", page("東京都大阪府", language="ja")), put("two", page("東京都 大阪府", language="ja")))
        phrases.add(put("no", page("大阪府東京都", language="ja")), put("ko", page("대한민국 헌법", language="ko")))
        assert sorted(phrases.find(Phrase("都大阪"))) == ["one", "two"]
        assert sorted(phrases.find(Phrase("東京都 大阪府"))) == ["one", "two"]
        assert phrases.find(Phrase("대한민국 헌법")) == ["ko"]

    def test_a_prefix_of_a_script_without_spaces_is_a_run_of_characters(self, prefixes: Shelf) -> None:
        prefixes.add(put("a", page("東京都の条例", language="ja")), put("b", page("京都", language="ja")))
        assert prefixes.find(Prefix("東京")) == ["a"]
        assert sorted(prefixes.find(Prefix("京"))) == ["a", "b"]

    # --- groups, ties, totals ---------------------------------------------------------------------------------

    def test_an_element_is_one_hit_shown_by_its_best_chunk(self, shelf: Shelf) -> None:
        shelf.add(put("a", page("a cat and a dog and more", "a dog", "a mouse")), put("b", "a dog and a cat or so"))
        ranking = shelf.ask(WordQuery(Word("dog"), scoring=PLAIN))
        assert [(found.element_id, found.chunk) for found in ranking.found] == [("a", 1), ("b", 0)]
        assert ranking.total == 2

    def test_chunks_are_hits_of_their_own_when_asked_for(self, shelf: Shelf) -> None:
        shelf.add(put("a", page("a cat and a dog and more", "a dog", "a mouse")), put("b", "a dog and a cat or so"))
        ranking = shelf.ask(WordQuery(Word("dog"), group="chunk", scoring=PLAIN))
        assert [(found.element_id, found.chunk) for found in ranking.found] == [("a", 1), ("a", 0), ("b", 0)]
        assert ranking.total == 3

    def test_the_depth_counts_groups_not_chunks(self, shelf: Shelf) -> None:
        shelf.add(put("a", page(*["dog"] * 10)), put("b", "dog cat"), put("c", "dog cat bird"))
        assert shelf.find(WordQuery(Word("dog"), depth=2)) == ["a", "b"]
        assert shelf.ask(WordQuery(Word("dog"), depth=2)).total == 3

    def test_ties_are_broken_by_id(self, shelf: Shelf) -> None:
        ids = ["b", "a", "é", "Z", "10", "9", "\U0001f600", "\uffee"]
        for element_id in ids:
            shelf.add(put(element_id, page("dog", "dog")))
        shelf.add(put("b", page("dog", "dog")), scope=SIBLING)
        ordered = sorted(ids)
        assert shelf.find("dog") == ordered
        for depth in range(1, len(ids)):
            assert shelf.find(WordQuery(Word("dog"), depth=depth)) == ordered[:depth]
        chunks = shelf.ask(WordQuery(Word("dog"), group="chunk")).found
        assert [(found.element_id, found.chunk) for found in chunks] == [(i, n) for i in ordered for n in (0, 1)]
        both = shelf.ask(Word("dog"), shelf.view(SIBLING), shelf.view()).found
        assert [found.scope for found in both if found.element_id == "b"] == [SCOPE, SIBLING]
        assert shelf.identify("Page") == ordered

    @pytest.mark.parametrize("group", ["element", "chunk"])
    def test_a_shallow_answer_is_the_head_of_a_deep_one(self, shelf: Shelf, group: Literal["element", "chunk"]) -> None:
        texts = ("dog cat", "dog", "cat", "dog dog bird", "a long text about a dog and nothing else", "bird cat fish")
        for n in range(36):
            shelf.add(put(f"e{n}", page(texts[n % 6], texts[n // 6], language=("en", "de")[n % 2])))
        asked = WordQuery(words("dog cat bird"), group=group, scoring=PLAIN)
        deep = shelf.ask(asked).found
        for depth in (1, 2, 7, 20):
            assert shelf.ask(replace(asked, depth=depth)).found == deep[:depth]

    def test_totals_count_all_that_match(self, shelf: Shelf) -> None:
        shelf.add(*(put(f"e{n}", page("dog", "dog cat")) for n in range(30)))
        for depth in (1, 10, 100):
            ranking = shelf.ask(WordQuery(words("dog cat"), depth=depth))
            assert (ranking.total, ranking.total_is_lower_bound) == (30, False)
        assert shelf.ask(WordQuery(words("dog cat"), group="chunk")).total == 60

    def test_a_hit_explains_itself(self, shelf: Shelf) -> None:
        shelf.add(put("a", "the dog bites and bit"), put("b", "dogs"), put("c", "a cat"))
        ranking = shelf.ask(WordQuery(words("dog bites unknown"), explained=1))
        first, second = ranking.found
        assert {matched.word: matched.df for matched in first.matched} == {"dog": 2, "bites": 1}
        assert all("dog~en" in matched.terms for matched in first.matched if matched.word == "dog")
        assert sum(matched.share for matched in first.matched) == pytest.approx(first.raw)
        assert all(0 < matched.share <= matched.idf * 1.2 for matched in first.matched)
        assert second.matched == ()

    # --- the best chunks of some elements ---------------------------------------------------------------------

    def _long(self, shelf: Shelf) -> None:
        """Elements of several chunks, some of which a caller may not read or are no longer there."""
        shelf.add(put("a", page("a dog", "a cat", "the old dog")), put("c", page("dog dog", "dog")))
        shelf.add(put("a", page("a dog and a cat", "a cat", "the dogs bark at a dog", "dog and bird", "no animal")))
        shelf.add(put("b", page("a dog", "a cat or a dog", roles=("judge",))), put("d", page("dog", "dogs")))
        shelf.add(put("a", page("dog in statutes", "dog")), scope=SIBLING)

    def test_other_passages_of_an_element_complete_what_a_long_query_asks(self, scoring: Shelf) -> None:
        shelf = scoring
        first, second = "ant bee cat dog elk fox gnu", "hen ibis jay kite lark mole newt"
        shelf.add(
            put("scattered", page(first, second)),
            put("one sided", page(first, "something else entirely and nothing more")),
            put("apart", second),
        )
        asked = WordQuery(words(f"{first} {second}"), explained=10)
        found = {hit.element_id: hit for hit in shelf.ask(asked).found}
        assert next(iter(found)) == "scattered"
        assert found["scattered"].elsewhere > 0
        assert found["one sided"].elsewhere == found["apart"].elsewhere == 0
        for hit in found.values():
            assert sum(word.share for word in hit.matched) + hit.elsewhere == pytest.approx(hit.raw)
        assert {word.word for word in found["scattered"].matched} in ({*first.split()}, {*second.split()})

        def added(query: WordQuery, *views: View) -> list[float]:
            return [hit.elsewhere for hit in shelf.ask(query, *views).found if hit.element_id == "scattered"]

        assert added(replace(asked, scoring=Scoring(elsewhere=0.0))) == [0.0]
        assert added(replace(asked, group="chunk")) == [0.0, 0.0]
        assert added(WordQuery(words(f"{first} hen ibis"))) == [0.0], "a short query is answered by one passage"

    @pytest.mark.parametrize("each", [1, 2, 50])
    def test_among_some_elements_chunks_score_as_they_do_among_all(self, shelf: Shelf, each: int) -> None:
        self._long(shelf)
        elements = frozenset({(SCOPE, "a"), (SCOPE, "b"), (SCOPE, "nothing like it")})
        views = (shelf.view(roles=("clerk",)), shelf.view(SIBLING))
        by_chunk = WordQuery(words("dog cat"), group="chunk", depth=50)
        everything = shelf.ask(by_chunk, *views)
        of_a = [f for f in everything.found if (f.scope, f.element_id) == (SCOPE, "a")]
        assert len(of_a) == 4
        for depth in (1, 50):
            among = Among(elements, each)
            found = shelf.ask(replace(by_chunk, among=among, depth=depth, group="element"), *views)
            assert list(found.found) == of_a[:each]
            assert (found.total, found.total_is_lower_bound) == (4, False)

    def test_among_some_elements_demands_and_filters_hold(self, shelf: Shelf) -> None:
        self._long(shelf)
        among = Among(frozenset({(SCOPE, "a"), (SCOPE, "c")}), 10)
        found = shelf.ask(WordQuery(All((Word("dog"), Not(Word("cat")))), among=among)).found
        assert sorted((f.element_id, f.chunk) for f in found) == [("a", 2), ("a", 3), ("c", 0), ("c", 1)]
        assert shelf.ask(WordQuery(Word("dog"), (OneOf("language", ("de",)),), among=among)).found == ()
        assert shelf.ask(WordQuery(Word("dog"), among=Among(frozenset(), 10))) == Ranking("keyword")
        past = shelf.ask(WordQuery(Word("dog"), among=among), shelf.view(revision=1)).found
        assert sorted((f.element_id, f.chunk) for f in past) == [("a", 0), ("a", 2), ("c", 0), ("c", 1)]

    @pytest.mark.parametrize("each", [1, 2, 50])
    def test_among_some_elements_meaning_is_measured_as_among_all(self, shelf: Shelf, each: int) -> None:
        if not shelf.index.features.dense:
            pytest.skip("the engine declares that it has no dense leg")
        self._long(shelf)
        shelf.embed()
        shelf.embed(SIBLING)
        views = (shelf.view(roles=("clerk",)), shelf.view(SIBLING))
        among = Among(frozenset({(SIBLING, "a"), (SCOPE, "d"), (SCOPE, "b")}), each)
        everything = [f._replace(window=-1) for f in shelf.mean(asking("the old dog", group="chunk"), *views).found]
        expected = []
        for scope, element_id in ((SIBLING, "a"), (SCOPE, "d")):
            expected += [f for f in everything if (f.scope, f.element_id) == (scope, element_id)][:each]
        found = shelf.mean(asking("the old dog", depth=1, among=among), *views)
        assert list(found.found) == [f for f in everything if f in expected]
        assert (found.total, found.background) == (4, None)

    # --- identifiers ------------------------------------------------------------------------------------------

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

    # --- meaning ----------------------------------------------------------------------------------------------

    def test_the_nearest_passage_comes_first(self, dense: Shelf) -> None:
        dense.add(put("far", "tax on income"), put("near", "the dog bites"), put("same", "dog bites man"))
        assert dense.embed() == 3
        ranking = dense.mean("dog bites man")
        assert [found.element_id for found in ranking.found] == ["same", "near", "far"]
        assert (ranking.leg, ranking.total, ranking.status, ranking.reason) == ("dense", 3, "ok", "")
        same, near, far = ranking.found
        assert same.raw == pytest.approx(1, abs=1e-3)
        assert (same.score, same.window, same.matched) == (1.0, 0, ())
        assert 0 <= far.score < near.score < 1 and near.score == CALIBRATION.score(near.raw)

    def test_whole_and_nearest_window_count_half_each(self, dense: Shelf) -> None:
        dense.add(put("mixed", "Income tax. the dog bites. Lease of land"), put("whole", "the dog bites"))
        dense.embed()
        whole, mixed = dense.mean("the dog bites").found
        assert (whole.element_id, whole.window, mixed.window) == ("whole", 0, 2)
        assert 0.5 < mixed.raw < whole.raw
        alone = dense.mean("Income tax. the dog bites. Lease of land").found[0]
        assert (alone.element_id, alone.window) == ("mixed", 0)

    def test_a_score_is_bounded_by_what_the_model_calls_unrelated_and_the_same(self, dense: Shelf) -> None:
        dense.add(put("a", "dog bites"), put("b", "income tax"))
        dense.embed()
        strict = dense.mean(asking("dog bites", calibration=Calibration(unrelated=0.97, same=0.99)))
        assert [found.score for found in strict.found] == [1.0, 0.0]
        assert [found.raw for found in strict.found] == [found.raw for found in dense.mean("dog bites").found]

    def test_one_passage_of_an_element_stands_for_it_or_each_for_itself(self, dense: Shelf) -> None:
        dense.add(put("a", page("income tax", "the dog", "dog bites")), put("b", page("dog of the neighbour")))
        dense.embed()
        by_element = dense.mean("dog bites")
        assert [(f.element_id, f.chunk) for f in by_element.found] == [("a", 2), ("b", 0)]
        by_chunk = dense.mean(asking("dog bites", group="chunk"))
        assert (by_element.total, by_chunk.total, len(by_chunk.found)) == (2, 4, 4)
        assert by_chunk.found[0] == by_element.found[0]
        for depth in (1, 2, 3):
            assert dense.mean(asking("dog bites", group="chunk", depth=depth)).found == by_chunk.found[:depth]

    def test_equal_passages_tie_in_the_order_of_ids(self, dense: Shelf) -> None:
        ids = ("é", "b", "a", "Z", "z")
        for element_id in ids:
            dense.add(put(element_id, page("a dog", "a dog")))
            dense.add(put(element_id, page("a dog", "a dog")), scope=SIBLING)
        dense.embed()
        dense.embed(SIBLING)
        ordered = sorted(ids)
        for depth in range(1, 6):
            assert dense.near(asking("dog", depth=depth)) == ordered[:depth]
        chunks = dense.mean(asking("dog", group="chunk")).found
        assert [(found.element_id, found.chunk) for found in chunks] == [(i, n) for i in ordered for n in (0, 1)]
        both = dense.mean("dog", dense.view(SIBLING), dense.view()).found
        assert [found.scope for found in both if found.element_id == "b"] == [SCOPE, SIBLING]

    def test_meaning_is_asked_at_a_revision_of_what_is_in_force_and_open_to_the_roles(self, dense: Shelf) -> None:
        cut = date(2026, 1, 1)
        dense.add(put("law", page("old dogs", end=cut), page("new dogs", start=cut)), put("gone", "old dogs"))
        dense.add(RemoveElement("gone"), put("closed", page("old dogs", roles=("judge",))))
        dense.embed()
        before = dense.view(revision=1, valid_at=date(2025, 1, 1))
        assert dense.near("old dogs", before) == ["gone", "law"]
        assert dense.near("old dogs", dense.view(revision=1)) == ["gone", "law"]
        assert dense.mean("old dogs", dense.view(revision=1)).found[1].raw < 0.99
        assert dense.near("old dogs") == dense.near("old dogs", dense.view(roles=("judge",))) == ["closed", "law"]
        assert dense.near("old dogs", dense.view(roles=())) == ["law"]
        assert dense.mean("old dogs", dense.view(roles=())).total == 1
        assert dense.near("old dogs", dense.view(revision=0)) == []

    def test_a_filter_holds_inside_the_scan_of_vectors(self, dense: Shelf) -> None:
        dense.add(*(put(f"loud {n}", "dog bites") for n in range(30)))
        dense.add(put("quiet", page("income tax", metadata={"court": "bger", "date": "2025-06-01"})))
        dense.embed()
        for accepts in (OneOf("court", ("bger",)), Between("date", "2025", "2025-12")):
            ranking = dense.mean(asking("dog bites", filters=(accepts,), depth=1))
            assert ([found.element_id for found in ranking.found], ranking.total) == (["quiet"], 1)
        every = dense.mean("dog bites").found
        assert ranking.found[0] in every
        nothing = dense.mean(asking("dog", filters=(OneOf("court", ("none",)),)))
        assert (nothing.found, nothing.total, nothing.status) == ((), 0, "ok")

    def test_what_has_no_vectors_yet_is_said(self, dense: Shelf) -> None:
        assert dense.index.dense((), asking("dog")) == Ranking("dense")
        assert dense.mean("dog") == Ranking("dense")
        dense.add(put("a", page("a dog", metadata={"x": "1"})), put("b", "a cat"), put("c", "a cow"))
        nothing = dense.mean("dog")
        assert (nothing.status, nothing.found, nothing.total) == ("unavailable", (), 0)
        assert "pincite embed" in nothing.reason
        assert dense.index.take_vectors(SCOPE, MODEL) == 0
        assert dense.mean("dog") == nothing
        assert dense.embed(chosen=lambda text: "dog" in text) == 1
        some = dense.mean("dog")
        assert (some.status, some.total, [found.element_id for found in some.found]) == ("partial", 1, ["a"])
        assert some.reason == "1 of 3 passages have vectors; the rest wait for: pincite embed"
        assert dense.mean(asking("dog", filters=(OneOf("x", ("1",)),))).status == "ok"
        assert (dense.embed(), dense.embed()) == (2, 0)
        assert (dense.mean("dog").status, dense.mean("dog").total) == ("ok", 3)
        dense.add(put("d", "a bird"))
        assert dense.mean("dog").reason.startswith("3 of 4 ")
        assert dense.mean("dog", dense.view(revision=1)).status == "ok"

    def test_vectors_wait_in_the_catalog_until_they_are_taken(self, dense: Shelf) -> None:
        assert dense.index.take_vectors(SCOPE, MODEL) == 0
        dense.commit(put("a", "a dog"))
        assert dense.embed() == 0
        dense.index.advance(SCOPE)
        assert dense.mean("dog").status == "unavailable"
        assert dense.index.take_vectors(SCOPE, MODEL) == 1
        assert dense.near("dog") == ["a"]

    def test_a_bare_heading_has_no_meaning_of_its_own(self, dense: Shelf) -> None:
        heading = passage("Dogs", chunk_type="header", parent_chain=("Dogs",))
        dense.add(put("a", page(heading, passage("they bite", parent_chain=("Dogs", "Bites")))))
        dense.embed()
        ranking = dense.mean(asking("Dogs", group="chunk"))
        assert ([found.chunk for found in ranking.found], ranking.status) == ([1], "ok")

    def test_models_do_not_mix(self, dense: Shelf) -> None:
        dense.add(put("a", "a dog"), put("b", "a cat"))
        dense.embed()
        other = asking("a dog", fingerprint="other/1")
        assert dense.mean(other).status == "unavailable"
        embed(dense.catalog, SCOPE, fingerprint="other/1", chosen=lambda text: "cat" in text)
        assert dense.index.take_vectors(SCOPE, "other/1") == 1
        assert (dense.near(other), dense.near("a dog")) == (["b"], ["a", "b"])

    def test_a_repository_without_vectors_is_counted_beside_one_with(self, dense: Shelf) -> None:
        dense.add(put("a", "a dog"))
        dense.add(put("b", "a dog"), put("c", "a cat"), scope=SIBLING)
        dense.embed()
        both = dense.mean("dog", dense.view(), dense.view(SIBLING))
        assert ([found.element_id for found in both.found], both.status) == (["a"], "partial")
        assert both.reason.startswith("1 of 3 ")
        assert dense.mean("dog", dense.view(SIBLING)).status == "unavailable"
        dense.embed(SIBLING)
        assert dense.near("dog", dense.view(SIBLING), dense.view()) == ["a", "b", "c"]

    def test_a_purge_erases_vectors_and_a_text_that_others_hold_keeps_them(self, dense: Shelf) -> None:
        dense.add(put("a", page("a secret", "a dog")), put("b", "a dog"))
        dense.embed()
        dense.catalog.commits.purge(SCOPE, ["a"])
        dense.index.advance(SCOPE)
        assert dense.near("a secret") == dense.near("a secret", dense.view(revision=1)) == ["b"]
        assert (dense.mean("dog").status, dense.mean("dog").total) == ("ok", 1)
        dense.add(put("c", "a secret"))
        assert dense.mean("dog").reason.startswith("1 of 2 ")
        assert dense.embed() == 1
        assert dense.near("a secret") == ["c", "b"]

    def test_a_text_that_was_erased_and_came_back_is_embedded_anew(self, dense: Shelf) -> None:
        dense.add(put("a", "a secret"), put("b", "a dog"))
        dense.embed()
        dense.catalog.commits.purge(SCOPE, ["a"])
        dense.add(put("c", "a secret"))
        assert dense.mean("dog").reason.startswith("1 of 2 ")
        assert (dense.embed(), dense.mean("dog").status) == (1, "ok")

    def test_an_answer_says_what_it_stands_out_of(self, dense: Shelf) -> None:
        dense.add(put("a", page("dog bites", metadata={"x": "1"})), put("b", "income tax"), put("c", "dog bites"))
        dense.add(put("d", page("dog bites often", roles=("judge",))), RemoveElement("c"))
        dense.embed()
        view = dense.view(roles=())
        ranking = dense.mean("dog bites", view)
        one, other = (found.raw for found in ranking.found)
        assert ranking.background is not None
        assert ranking.background.mean == pytest.approx((one + other) / 2)
        assert ranking.background.deviation == pytest.approx((one - other) / 2)
        filtered = dense.mean(asking("dog bites", filters=(OneOf("x", ("1",)),)), view)
        assert (len(filtered.found), filtered.background) == (1, ranking.background)

    def test_the_vectors_of_a_model_can_be_let_go_and_taken_again(self, dense: Shelf) -> None:
        dense.index.drop_vectors(SCOPE, MODEL)
        dense.add(put("a", "one"))
        dense.embed()
        embed(dense.catalog, SCOPE, fingerprint="other/1")
        dense.index.take_vectors(SCOPE, "other/1")
        dense.index.drop_vectors(SCOPE, MODEL)
        dense.index.drop_vectors(SCOPE, MODEL)
        assert not dense.index.has_vectors([dense.view()], MODEL)
        assert dense.index.has_vectors([dense.view()], "other/1")
        assert dense.index.take_vectors(SCOPE, MODEL) == 1
        assert dense.near("one") == ["a"]

    def test_whether_there_are_vectors_is_known_without_a_question(self, dense: Shelf) -> None:
        assert not dense.index.has_vectors((), MODEL)
        assert not dense.index.has_vectors([dense.view()], MODEL)
        dense.add(put("a", "a dog"))
        assert not dense.index.has_vectors([dense.view()], MODEL)
        dense.embed()
        assert dense.index.has_vectors([dense.view(SIBLING), dense.view()], MODEL)
        assert not dense.index.has_vectors([dense.view()], "other/1")
        assert not dense.index.has_vectors([dense.view(SIBLING)], MODEL)

    def test_scanning_every_vector_gives_the_same_answer(self, dense: Shelf) -> None:
        _fill(dense)
        dense.embed()
        for group in ("element", "chunk"):
            assert dense.mean(asking("dog court", group=group, exact=True)) == dense.mean(
                asking("dog court", group=group)
            )

    def test_a_question_of_other_dimensions_is_refused(self, shelf: Shelf) -> None:
        if not shelf.index.features.dense:
            pytest.skip("the engine declares that it has no dense leg")
        shelf.add(put("a", "a dog"))
        shelf.embed()
        with pytest.raises(InvalidArgument, match=r"3 dimensions.* 64"):
            shelf.mean(replace(asking("dog"), vector=(1, 2, 3)))

    # --- several repositories, isolation ----------------------------------------------------------------------

    def test_views_of_several_repositories_share_their_statistics(self, shelf: Shelf) -> None:
        texts = {f"e{n}": ("dog " * (n % 3) + "cat " * (n % 4) + "bird").strip() for n in range(12)}
        together = Scope("acme", "legal", "together")
        for n, (element_id, text) in enumerate(texts.items()):
            shelf.add(put(element_id, text), scope=(SCOPE, SIBLING)[n % 2])
            shelf.add(put(element_id, text), scope=together)
        one = shelf.ask("dog cat", shelf.view(together))
        for views in ((SCOPE, SIBLING), (SIBLING, SCOPE)):
            two = shelf.ask("dog cat", *(shelf.view(scope) for scope in views))
            assert [(f.element_id, f.raw, f.score) for f in two.found] == [
                (f.element_id, f.raw, f.score) for f in one.found
            ]
            assert two.total == one.total
            merged = shelf.index.filter_values([shelf.view(scope) for scope in views])
            assert merged == shelf.index.filter_values([shelf.view(together)])

    def test_a_view_may_lag_in_one_repository(self, shelf: Shelf) -> None:
        shelf.add(put("a", "dog"))
        shelf.add(put("b", "dog"), scope=SIBLING)
        shelf.add(put("c", "dog"))
        assert shelf.find("dog", shelf.view(revision=1), shelf.view(SIBLING)) == ["a", "b"]

    @pytest.mark.parametrize(
        "elsewhere",
        [replace(SCOPE, tenant="other"), replace(SCOPE, organization="other"), SIBLING],
        ids=["tenant", "organization", "repository"],
    )
    def test_what_others_store_changes_no_answer(self, isolated: Shelf, elsewhere: Scope) -> None:
        shelf = isolated
        _fill(shelf)
        before = _answers(shelf)
        shelf.add(
            *(put(f"x{n}", page("dog dog cat court", metadata={"secret": n})) for n in range(20)), scope=elsewhere
        )
        shelf.add(put("a", page("dog dog Hundebiss", language="de")), scope=elsewhere)
        assert _answers(shelf) == before

    def test_what_roles_hide_changes_no_answer(self, isolated: Shelf) -> None:
        shelf = isolated
        _fill(shelf)
        before = _answers(shelf, roles=("clerk",))
        hidden = [
            page("dog dog cat secret", roles=("judge",), metadata={"secret": "x"}, language="de") for _ in range(9)
        ]
        shelf.add(*(put(f"x{n}", state) for n, state in enumerate(hidden)))
        assert _answers(shelf, roles=("clerk",)) == before
        assert shelf.find("secret") != []

    def test_what_is_not_in_force_changes_no_answer(self, isolated: Shelf) -> None:
        shelf = isolated
        _fill(shelf)
        before = _answers(shelf)
        shelf.add(put("x", page("dog dog cat secret", end=DAY)), put("y", page("dog", start=date(2026, 2, 1))))
        assert _answers(shelf) == before

    # --- replay -----------------------------------------------------------------------------------------------

    def test_an_answer_at_a_revision_never_changes(self, replaying: Shelf) -> None:
        shelf = replaying
        _fill(shelf)
        revision = shelf.index.reached(SCOPE)
        before = _answers(shelf, revision=revision)
        for n in range(8):
            shelf.add(put(f"later {n}", page("dog court secret", language=("de", "fr")[n % 2])))
            shelf.add(RemoveElement(f"e{n}"), put("a", f"dog {n}"))
            assert _answers(shelf, revision=revision) == before
        while shelf.index.merge(SCOPE):
            assert _answers(shelf, revision=revision) == before
        shelf.index.rebuild(SCOPE)
        assert _answers(shelf, revision=revision) == before

    def test_the_order_of_ingest_changes_nothing(self, tmp_path: Path) -> None:
        texts = {f"e{n}": "dog " * (n % 3) + "cat " * (n % 4) + "court" for n in range(10)}
        one, many, backwards = (self.make_shelf(tmp_path / name) for name in ("one", "many", "backwards"))
        one.add(*(put(element_id, text) for element_id, text in texts.items()))
        for element_id, text in texts.items():
            many.add(put(element_id, text))
        for element_id, text in reversed(texts.items()):
            backwards.commit(put(element_id, text))
        backwards.index.advance(SCOPE)
        assert _answers(one) == _answers(many) == _answers(backwards)
        for shelf in (one, many, backwards):
            shelf.catalog.close()

    def test_merging_rebuilding_and_reopening_change_nothing(self, shelf: Shelf, tmp_path: Path) -> None:
        _fill(shelf)
        revisions = range(shelf.index.reached(SCOPE) + 1)
        before = [_answers(shelf, revision=r) for r in revisions]
        while shelf.index.merge(SCOPE):
            assert [_answers(shelf, revision=r) for r in revisions] == before
        assert shelf.index.rebuild(SCOPE) == revisions[-1]
        assert [_answers(shelf, revision=r) for r in revisions] == before
        shelf.index = self.make_index(shelf.catalog, tmp_path)
        shelf.index.advance(SCOPE)
        if shelf.index.features.dense:
            shelf.index.take_vectors(SCOPE, MODEL)
        assert [_answers(shelf, revision=r) for r in revisions] == before
        assert shelf.index.check(SCOPE) == ()

    def test_a_rebuild_is_shown_before_it_is_taken_up_and_dropped_if_refused(self, shelf: Shelf) -> None:
        _fill(shelf)
        before, status = _answers(shelf), shelf.index.status(SCOPE)
        seen = []

        def refuse(candidate: Index) -> None:
            seen.append(_answers(Shelf(shelf.catalog, candidate)))
            raise Conflict("no")

        with pytest.raises(Conflict, match="no"):
            shelf.index.rebuild(SCOPE, accept=refuse)
        assert seen == [before] == [_answers(shelf)]
        assert shelf.index.status(SCOPE) == status
        shelf.index.rebuild(SCOPE, accept=lambda candidate: seen.append(_answers(Shelf(shelf.catalog, candidate))))
        assert seen == [before, before] and _answers(shelf) == before

    def test_two_open_indexes_see_each_others_work(self, shelf: Shelf, tmp_path: Path) -> None:
        shelf.add(put("a", "a dog"))
        other = Shelf(shelf.catalog, self.make_index(shelf.catalog, tmp_path))
        other.index.advance(SCOPE)
        assert other.find("dog") == ["a"]
        other.add(put("b", "a dog"))
        shelf.index.advance(SCOPE)
        assert shelf.find("dog") == other.find("dog") == ["a", "b"]

    # --- erasure ----------------------------------------------------------------------------------------------

    def test_a_purged_element_is_gone_from_every_leg_and_every_revision(self, shelf: Shelf) -> None:
        _fill(shelf)
        secret = page("dog secret", name="Secret", metadata={"party": "secret"})
        shelf.add(put("secret", secret), put("e1", "dog cat again"))
        shelf.add(put("secret", "another secret"))
        shelf.catalog.commits.purge(SCOPE, ["secret"], reason="order")
        head = shelf.index.advance(SCOPE)
        for revision in range(head + 1):
            view = shelf.view(revision=revision)
            assert shelf.find("secret", view) == shelf.identify("secret", views=(view,)) == []
            assert "party" not in shelf.index.filter_values([view])
        assert shelf.find(WordQuery(Word("secret"), ever=True)) == []

    def test_a_purge_changes_no_answer_at_a_revision_before_the_element_came(self, replaying: Shelf) -> None:
        shelf = replaying
        _fill(shelf)
        untouched = shelf.view(revision=shelf.index.reached(SCOPE))
        before = facts(shelf.ask("dog court", untouched))
        shelf.add(put("secret", "dog secret"), put("e1", "dog cat again"))
        shelf.add(put("secret", "another secret"))
        shelf.catalog.commits.purge(SCOPE, ["secret"], reason="order")
        shelf.index.advance(SCOPE)
        assert facts(shelf.ask("dog court", untouched)) == before

    def test_after_a_purge_the_index_equals_a_rebuild(self, shelf: Shelf) -> None:
        _fill(shelf)
        shelf.add(RemoveElement("e2"))
        shelf.catalog.commits.purge(SCOPE, ["e1", "e2", "e3"])
        head = shelf.index.advance(SCOPE)
        before = [_answers(shelf, revision=r) for r in range(head + 1)]
        shelf.index.rebuild(SCOPE)
        assert [_answers(shelf, revision=r) for r in range(head + 1)] == before

    def test_an_element_that_comes_back_after_a_purge_is_found(self, shelf: Shelf) -> None:
        shelf.add(put("a", "old secret"), put("b", "x"))
        shelf.catalog.commits.purge(SCOPE, ["a"])
        shelf.add(put("a", "new text"))
        assert (shelf.find("text"), shelf.find("secret")) == (["a"], [])


def _fill(shelf: Shelf) -> None:
    """A small history: births, changes, deaths, several languages, roles and chunks."""
    for n in range(8):
        body = "dog " * (n % 3) + "cat " * (n % 2) + "bites the court"
        roles = ("clerk", "judge") if n % 4 == 3 else ()
        state = page(body, f"chunk {n} dog", language=("en", "de", "fr")[n % 3], roles=roles, metadata={"n": n})
        shelf.add(put(f"e{n}", state))
    shelf.add(put("e1", page("dog dog", language="de")), RemoveElement("e5"), put("a", "the dog of the court"))
    shelf.add(put("e1", page("cat", language="de")), put("e5", "back again with a dog"))
    if shelf.index.features.dense:
        shelf.embed()


def _answers(
    shelf: Shelf, *, revision: int | None = None, roles: tuple[str, ...] | None = None
) -> list[tuple[tuple[Found, ...], int] | dict[str, dict[str, int]]]:
    """What the questions are answered, what identifiers find and which filter values there are."""
    view = shelf.view(revision=revision, roles=roles)
    rankings = [shelf.index.keyword([view], query) for query in QUESTIONS]
    rankings.append(shelf.index.exact([view], IdentifierQuery(("page", "e1", "a"))))
    if shelf.index.features.dense:
        rankings += [shelf.mean(query, view) for query in MEANINGS]
    answers: list[tuple[tuple[Found, ...], int] | dict[str, dict[str, int]]] = []
    answers += [(facts(ranking).found, ranking.total) for ranking in rankings]
    return [*answers, shelf.index.filter_values([view])]
