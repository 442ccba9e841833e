"""What every kind must do. Subclass `KindContract`, say how yours is opened and what it reads, run pytest.

class TestMyKind(KindContract):
    def make_kind(self) -> Kind:
        return MyKind()

    def write_items(self, folder: Path) -> None:
        (folder / "a.mine").write_text("…")
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import date
from itertools import pairwise
from pathlib import Path

import pytest

from pincite.catalog.open import open_catalog
from pincite.errors import InvalidArgument, MissingExtra, PinciteError
from pincite.fields import STRUCTURAL, is_field_name
from pincite.ids import normalise_id
from pincite.index.open import DEFAULT, open_index
from pincite.ingest.options import IngestOptions
from pincite.ingest.report import IngestReport
from pincite.ingest.sources import Source
from pincite.ingest.spine import ingest
from pincite.protocols import Kind
from pincite.protocols.kind import SignalInput
from pincite.reading import Item, Neighbour, Neighbourhood, ReadElement, ReadState, Record, Unread
from pincite.types import Content, Derivation, Relation, Scope

LANGUAGES = ("", "en", "de", "fr", "xx")
ODD_QUERIES = {
    "empty": "",
    "white space": " \n\t ",
    "signs": "§ § ( [ { \\ * + ? ^ $ | … !",
    "operators": 'a AND (b OR NOT "c" title:d',
    "100,000 characters": "word 1 " * 14_000,
    "one long word": "x" * 100_000,
    "digits and dashes": "1-" * 50_000,
    "lone surrogates": "a \ud800 b",
    "NUL": "a\x00b",
    "other scripts": "日本語の文章 مرحبا ไทย",
}
ODD_BYTES = {
    "empty": b"",
    "white space": b" \n\t \n",
    "not UTF-8": b"\xff\xfe\x00\xd8 text",
    "NUL": b"\x00" * 1_000,
    "half of it JSON": b'{"a": [1, 2',
    "a list": b"[1, 2, 3]",
    "one long line": b"x" * 200_000,
}
ODD_METADATA = {
    "title": None, "id": 5, "lang": ["de"], "language": {"a": 1}, "roles": "everyone", "valid_from": "yesterday",
    "valid_to": -1, "date": [], "nested": {"deep": [1, {"er": None}]}, "": "no name", "long": "x" * 10_000,
    "number": 1e300, "flag": True,
}  # fmt: skip
ROWS = (
    Record("row-1", "A title", "Some words that can be found.", {"lang": "en"}),
    Record("row/2", "", "Words without a title.", {}),
    Record("row 3", "A title without words", "", {}),
    Record("row-4", "Odd metadata", "Words all the same.", ODD_METADATA),  # type: ignore[arg-type]
)
SCOPE = Scope("tenant", "organization", "repository")


class KindContract:
    """Every promise of `pincite.protocols.Kind`, as a test."""

    def make_kind(self) -> Kind:
        raise NotImplementedError("say how the kind is opened; opening it twice must give the same")

    def write_items(self, folder: Path) -> None:
        """Put items that the kind reads into a folder: what they hold is up to you, at least one element."""
        raise NotImplementedError("write what the kind reads into this folder")

    def change_one(self, folder: Path) -> None:
        """Change one element of an item that holds several; the others must keep their ids and contents."""
        pytest.skip("an item of this kind holds one element")

    queries: Sequence[str] = ("What does the first one say?",)
    """Questions in which the kind may see something."""

    # --- fixtures ---------------------------------------------------------------------------------------------

    @pytest.fixture
    def kind(self) -> Kind:
        return self.make_kind()

    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        folder = tmp_path / "items"
        folder.mkdir()
        self.write_items(folder)
        return folder

    @pytest.fixture
    def items(self, folder: Path) -> list[Item]:
        files = sorted(path for path in folder.rglob("*") if path.is_file())
        assert files, "there is nothing to read"
        return [Item(path.relative_to(folder).as_posix(), path, path.stat().st_size) for path in files]

    @pytest.fixture
    def elements(self, kind: Kind, items: list[Item]) -> list[ReadElement]:
        found = [element for item in items for element in elements_in(kind, item)]
        assert found, "no item holds an element"
        return found

    # --- what it declares -------------------------------------------------------------------------------------

    def test_it_is_the_same_each_time_it_is_opened(self, kind: Kind) -> None:
        other, declared = self.make_kind(), kind.declares
        assert kind.declares is declared or kind.declares == declared
        assert (other.name, other.recipe(), other.declares.fields) == (kind.name, kind.recipe(), declared.fields)
        assert other.declares.ranking == declared.ranking

    def test_its_name_is_one_word_and_begins_every_recipe(self, kind: Kind) -> None:
        assert is_field_name(kind.name), "lower-case letters, digits and _"
        for suffix in ("", *kind.declares.suffixes):
            assert kind.recipe(f"item{suffix}" if suffix else "").startswith(f"{kind.name}/")

    def test_it_names_what_it_reads(self, kind: Kind, items: list[Item]) -> None:
        declared = kind.declares
        assert declared.content_kinds
        assert declared.max_bytes > 0
        assert all(suffix.startswith(".") and suffix == suffix.lower() for suffix in declared.suffixes)
        assert set(declared.media_types.values()) <= set(declared.suffixes)
        assert not set(declared.save_as) & set(declared.suffixes)
        assert set(declared.save_as.values()) <= set(declared.suffixes)
        assert all(declared.suffix_of(item.name) for item in items)

    def test_fields_have_names_and_boosts(self, kind: Kind) -> None:
        for name, boost in kind.declares.fields.items():
            assert name in STRUCTURAL or is_field_name(name)
            assert boost >= 0
        assert kind.declares.fields.keys() >= STRUCTURAL.keys()

    def test_relations_signals_and_facets_are_named_once(self, kind: Kind) -> None:
        declared = kind.declares
        for names in ([r.name for r in declared.relations], [s.name for s in declared.signals], declared.facets):
            assert all(names)
            assert len(set(names)) == len(names)
        assert all(0 < signal.weight <= 1 for signal in declared.signals)
        assert not declared.signals or declared.ranking, "an order that signals decide has a fingerprint"
        for relation in declared.relations:
            for phrases in (*relation.asks_out.values(), *relation.asks_in.values()):
                assert phrases and all(phrase == phrase.lower() and phrase.strip() for phrase in phrases)

    # --- reading ----------------------------------------------------------------------------------------------

    def test_the_same_item_gives_the_same_elements(self, items: list[Item]) -> None:
        for item in items:
            assert list(self.make_kind().read(item)) == list(self.make_kind().read(item))

    def test_ids_are_unique_and_valid(self, elements: list[ReadElement]) -> None:
        ids = [element.element_id for element in elements]
        assert len(set(ids)) == len(ids)
        assert [normalise_id(element_id) for element_id in ids] == ids

    def test_the_others_of_an_item_stay_when_one_of_them_changes(
        self, kind: Kind, items: list[Item], folder: Path
    ) -> None:
        before = {e.element_id: e.states for item in items for e in elements_in(kind, item)}
        self.change_one(folder)
        after = {e.element_id: e.states for item in items for e in elements_in(kind, item)}
        changed = [element_id for element_id in before | after if before.get(element_id) != after.get(element_id)]
        assert len(changed) == 1, "more than one element has changed"

    def test_a_prefix_is_put_before_ids_and_what_they_lead_to(self, kind: Kind, items: list[Item]) -> None:
        for item in items:
            plain, other = elements_in(kind, item), elements_in(kind, replace(item, prefix="there/"))
            assert [f"there/{element.element_id}" for element in plain] == [element.element_id for element in other]
            inside = {element.element_id for element in plain}
            for one, prefixed in zip(plain, other, strict=True):
                ends = [(edge.source, edge.target) for edge in one.relations if edge.target in inside]
                there = [(edge.source, edge.target) for edge in prefixed.relations]
                assert {(f"there/{source}", f"there/{target}") for source, target in ends} <= set(there)

    def test_an_element_has_contents_of_its_kind(self, kind: Kind, elements: list[ReadElement]) -> None:
        for element in elements:
            assert element.states
            for state in element.states:
                assert state.content.kind in kind.declares.content_kinds
                assert state.content.name
                json.dumps(dict(state.content.metadata))
            ends = sorted((s.valid_from or date.min, s.valid_to or date.max) for s in element.states)
            assert all(first[1] <= second[0] for first, second in pairwise(ends)), "states overlap in validity"

    def test_relations_are_of_a_declared_type(self, kind: Kind, elements: list[ReadElement]) -> None:
        known = {relation.name for relation in kind.declares.relations}
        for element in elements:
            stated = [edge for state in element.states for edge in self.derived(kind, element, state).relations]
            for edge in (*element.relations, *stated):
                assert edge.relation_type in known
                assert edge.source == element.element_id

    @pytest.mark.parametrize("given", ODD_BYTES.values(), ids=ODD_BYTES.keys())
    def test_what_cannot_be_read_is_refused_in_words(self, kind: Kind, tmp_path: Path, given: bytes) -> None:
        for number, suffix in enumerate(kind.declares.suffixes):
            path = tmp_path / f"odd{number}{suffix}"
            path.write_bytes(given)
            try:
                found = list(kind.read(Item(path.name, path, len(given))))
            except (InvalidArgument, MissingExtra) as problem:
                assert problem.message
                continue
            assert all(item.reason for item in found if isinstance(item, Unread))

    # --- passages ---------------------------------------------------------------------------------------------

    def derived(self, kind: Kind, element: ReadElement, state: ReadState) -> Derivation:
        """What it makes of a state that nothing surrounds."""
        return kind.derive(element.element_id, state.content, Neighbourhood())

    def test_the_same_content_gives_the_same_passages(self, kind: Kind, elements: list[ReadElement]) -> None:
        for element, state in states_of(elements):
            made = self.derived(kind, element, state)
            assert made == self.derived(self.make_kind(), element, state)
            assert made.recipe.startswith(f"{kind.name}/")

    def test_passages_have_numbers_texts_and_declared_fields(self, kind: Kind, elements: list[ReadElement]) -> None:
        passages = 0
        for element, state in states_of(elements):
            made = self.derived(kind, element, state)
            passages += len(made.chunks)
            assert [chunk.number for chunk in made.chunks] == list(range(len(made.chunks)))
            for chunk in made.chunks:
                assert (chunk.span is None) != (chunk.rendered is None)
                if chunk.span is not None:
                    assert 0 <= chunk.span.start < chunk.span.end <= len(state.content.text)
                for name, text in chunk.fields:
                    assert name in kind.declares.fields, f"the field {name!r} is not declared"
                    assert text.strip()
        assert passages, "nothing can be found"

    def test_neighbours_count_only_where_they_are_declared(self, kind: Kind, elements: list[ReadElement]) -> None:
        for element, state in states_of(elements):
            alone = self.derived(kind, element, state)
            made = kind.derive(element.element_id, state.content, surroundings(kind, element, state.content))
            if kind.declares.neighbours == 0:
                assert made == alone
            elif made.recipe == alone.recipe:
                assert made == alone, "what shows of neighbours is part of the recipe"

    # --- questions --------------------------------------------------------------------------------------------

    def test_it_recognises_the_same_each_time(self, kind: Kind) -> None:
        for query in self.queries:
            seen = kind.recognise(query)
            assert seen == self.make_kind().recognise(query)
            assert all(name.strip() for name in seen.identifiers)
            assert all(word in query for word in seen.expansions), "an expansion is of a word of the query"
            assert not seen.expansions or kind.declares.ranking, "a glossary has a fingerprint"

    @pytest.mark.parametrize("query", ODD_QUERIES.values(), ids=ODD_QUERIES.keys())
    def test_no_question_is_an_error(self, kind: Kind, query: str) -> None:
        seen = kind.recognise(query)
        assert len(seen.identifiers) <= len(query)

    def test_signals_are_bounded_and_need_no_text(self, kind: Kind, elements: list[ReadElement]) -> None:
        for _, state in states_of(elements):
            seen = SignalInput("a question", "en", replace(state.content, text=""), {"keyword": 0.5})
            for signal in kind.declares.signals:
                assert 0 <= signal.of(seen) <= 1
                assert signal.of(seen) == signal.of(seen)

    # --- rows of corpora --------------------------------------------------------------------------------------

    def test_a_row_becomes_an_element(self, kind: Kind) -> None:
        made = 0
        for row in ROWS:
            element = kind.interpret(row)
            if element is None:
                continue
            assert element == self.make_kind().interpret(row)
            assert element.element_id == row.record_id
            for state in element.states:
                assert state.content.kind in kind.declares.content_kinds
                made += len(self.derived(kind, element, state).chunks)
        assert made, "no row can be found"

    def test_an_empty_row_gives_nothing_to_find(self, kind: Kind) -> None:
        element = kind.interpret(Record("empty", "", "", {}))
        passages = [c for s in element.states for c in self.derived(kind, element, s).chunks] if element else []
        assert not passages or all(chunk.rendered or chunk.span for chunk in passages)

    # --- for people -------------------------------------------------------------------------------------------

    def test_every_place_can_be_cited_in_words(self, kind: Kind, elements: list[ReadElement]) -> None:
        for element, state in states_of(elements):
            places = (None, *self.derived(kind, element, state).chunks)
            for language in LANGUAGES:
                for chunk in places:
                    described = kind.describe(state.content, chunk, language)
                    assert described.citation.strip()
                    assert "\n" not in described.citation
                    json.dumps(dict(described.fields))

    # --- in a library -----------------------------------------------------------------------------------------

    def test_what_it_reads_can_be_stored_and_is_not_read_twice(self, kind: Kind, folder: Path, tmp_path: Path) -> None:
        with (
            closing(open_catalog(str(tmp_path / "library"))) as catalog,
            closing(open_index(DEFAULT, tmp_path / "projection", catalog)) as index,
        ):

            def take_in() -> IngestReport:
                return ingest(catalog, index, SCOPE, Source(folder, kind=kind.name), IngestOptions(kind))

            first, second = take_in(), take_in()
        assert not first.failed
        assert first.added > 0
        assert first.chunks > 0
        assert (second.added, second.changed, second.removed, second.revisions) == (0, 0, 0, 0)
        assert second.unchanged == first.added


def elements_in(kind: Kind, item: Item) -> list[ReadElement]:
    """What an item gives; that it cannot be read at all fails the test."""
    try:
        return [found for found in kind.read(item) if isinstance(found, ReadElement)]
    except PinciteError as problem:
        raise AssertionError(f"{item.name} cannot be read: {problem.message}") from problem


def states_of(elements: Sequence[ReadElement]) -> Iterator[tuple[ReadElement, ReadState]]:
    """Each state of each element."""
    return ((element, state) for element in elements for state in element.states)


def surroundings(kind: Kind, element: ReadElement, content: Content) -> Neighbourhood:
    """An edge of each type to an element like this one, and one from it; and an edge to something unknown."""
    out, into = [], []
    for relation in kind.declares.relations:
        there = Relation(f"{relation.name}-out", relation.name, element.element_id, "elsewhere")
        here = Relation(f"{relation.name}-in", relation.name, "elsewhere", element.element_id)
        unknown = Relation(f"{relation.name}-unknown", relation.name, element.element_id, "unknown")
        out += [Neighbour(there, "elsewhere", content, "v1"), Neighbour(unknown, "unknown", None)]
        into.append(Neighbour(here, "elsewhere", content, "v1"))
    return Neighbourhood(tuple(out), tuple(into))
