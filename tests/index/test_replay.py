"""Random histories, random questions: segments answer like the brute-force index, bit by bit, and never change it."""

from __future__ import annotations

import hashlib
import pickle
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import TypeAlias, TypeVar

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pincite.catalog.sqlite import SqliteCatalog
from pincite.fields import STRUCTURAL
from pincite.index.segments import blocks, merge, roll, take, upkeep
from pincite.index.segments.index import SegmentIndex
from pincite.queries import (
    All,
    Among,
    Between,
    Filter,
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
from pincite.testing.catalog import as_operator
from pincite.testing.oracle import BruteForceIndex
from pincite.testing.vectors import MODEL, asking, embed
from pincite.types import (
    FOREVER,
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
    State,
    View,
)

HOME = Scope("acme", "legal", "decisions")
SIBLING = Scope("acme", "legal", "statutes")
CUT = date(2025, 1, 1)
DAYS = (date(2024, 6, 1), CUT, date(2026, 6, 1))

# Few words, so that ties, phrases, repetitions, compounds and spellings that meet are common.
WORDS = (
    "Hund", "Hunde", "Biss", "Hundebiss", "Tierhalter", "Müller", "Mueller", "Muller", "droit", "droits", "l'article",
    "article", "the", "réseau", "reseau", "OrderService", "order_service", "order", "services", "4A_123/2020", "4A_123",
    "2020", "東京", "東京都", "京", "東京Tower", "第4条", "Straße",
)  # fmt: skip
OWN_FIELDS = ("owner", "zone", "docket", "abstract", "parties")
"""Fields of kinds: with the structural ones more than fit into one word of a frequency vector."""
SECTIONS = ("", "§ 4", "Art. 41", "4.2")
JUDGE, CLERK = frozenset({"judge"}), frozenset({"clerk"})
UPKEEP = ("advance", "merge", "merge", "merge everything", "rebuild", "reopen")
SCORINGS = (
    Scoring(),
    Scoring(),
    Scoring(literal=0, elsewhere=0.9),
    Scoring(k1=1.2, boosts={**dict.fromkeys(STRUCTURAL, 0.0), "content": 1.0}),
    Scoring(k1=0.9, b=0.4, boosts={"content": 0.1, "headings": 0.7, "terms": 1.3}, literal=0.7),
    Scoring(k1=0.0),
    Scoring(b=0.0),
    Scoring(boosts={**STRUCTURAL, "owner": 1.5, "zone": 0.3, "docket": 4.0}),
    Scoring(boosts={"owner": 2.0, "terms": 0.5}),
)
T = TypeVar("T")

Step: TypeAlias = tuple[Scope, Commit | str]
Query: TypeAlias = WordQuery | IdentifierQuery | VectorQuery


class Chance:
    """Draws histories and questions. Everything follows from the seed; sizes are drawn by Hypothesis, which shrinks."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self.one = self._random.choice
        self.words = self._random.sample(WORDS, self._random.randint(4, len(WORDS)))
        self.languages = self._random.sample(("de", "fr", "en", "ja", ""), self._random.randint(1, 3))
        # From a stock, so that elements come back as they were, and different elements tie.
        self.states = [self.state() for _ in range(self._random.randint(2, 30))]

    def some(self, items: Sequence[T], least: int, most: int) -> list[T]:
        return self._random.choices(items, k=self._random.randint(least, most))

    def happens(self, share: float) -> bool:
        return self._random.random() < share

    # --- what happens -----------------------------------------------------------------------------------------

    def history(self, length: int) -> list[Step]:
        steps: list[Step] = []
        for _ in range(length):
            scope = self.one((HOME, HOME, SIBLING))
            if self.happens(0.7):
                steps.append((scope, Commit(tuple(self.change() for _ in range(self._random.randint(1, 6))))))
                steps += [(scope, "advance")] if self.happens(0.7) else []
            else:
                steps.append((scope, self.one(UPKEEP)))
        return steps

    def change(self) -> Change:
        element = self.one(("a", "b", "c", "d", "e", "f", "é", "Ω"))
        if self.happens(0.1):
            return RemoveElement(element)
        if self.happens(0.1):
            before, after = self.one(self.states), self.one(self.states)
            return PutElement(element, (replace(before, valid_to=CUT), replace(after, valid_from=CUT)))
        return PutElement(element, (self.one(self.states),))

    def state(self) -> State:
        name = self.one(self.words)
        chunks = tuple(
            Chunk(
                number,
                rendered=self.one((" ", ", ", "\n")).join(self.some(self.words, 0, 6)),
                section_id=self.one(SECTIONS),
                parent_chain=self.one(((), (name,), (name, "Hunde"))),
                chunk_type=self.one(("content", "definition")),
                language=self.one(("", "", "", "fr")),
                context=self.one(("", "", name, "Biss")),
                fields=tuple((field, " ".join(self.some(self.words, 0, 3))) for field in self.own_fields()),
            )
            for number in range(self.one((0, 1, 1, 2, 3)))
        )
        definitions = tuple(Definition(self.one(self.words), "x", c.number) for c in chunks if self.happens(0.3))
        aliases = tuple(Alias(self.one(self.words), self.one(SECTIONS)) for _ in chunks[:1])
        made = (chunks, definitions, aliases)
        recipe = hashlib.sha256(repr(made).encode()).hexdigest()[:8]
        language = self.one(self.languages)
        metadata: dict[str, JsonValue] = {
            "layer": self.one(("business", "technology")),
            "date": self.one(DAYS).isoformat(),
        }
        if self.happens(0.2):
            metadata |= {"language": language, "tags": ["x", "x"]}
        content = Content("document", self.one(("page", "law")), name, "", language, metadata)
        return State(content, Derivation(recipe, *made), self.one((frozenset(), frozenset(), JUDGE, JUDGE | CLERK)))

    def own_fields(self) -> list[str]:
        """Mostly none: segments with and without them lie side by side, and are merged."""
        return self._random.sample(OWN_FIELDS, self.one((1, 2, 5))) if self.happens(0.2) else []

    # --- what is asked ----------------------------------------------------------------------------------------

    def questions(self, count: int) -> list[Question]:
        return [self.question() for _ in range(count)]

    def question(self) -> Question:
        kind = self.one((self.word_query, self.word_query, self.word_query, self.vector_query, self.identifier_query))
        return Question(
            kind(),
            self.one((1.0, 1.0, 1.0, 0.75, 0.5, 0.25, 0.0)),
            self.one(DAYS),
            self.one((None, None, None, frozenset(), JUDGE, CLERK)),
            self.one(((HOME,), (HOME,), (HOME, SIBLING), (SIBLING, HOME))),
        )

    def word_query(self) -> WordQuery:
        # Now and then a text so long that other passages of an element count too.
        count = 30 if self.happens(0.15) else self._random.randint(1, 6)
        plain = Some(tuple(Word(self.typed()) for _ in range(count)))
        return WordQuery(
            words=plain if self.happens(0.4) else self.tree(3),
            filters=tuple(self.filter() for _ in range(self.one((0, 0, 0, 1, 2)))),
            depth=self.one((1, 1, 2, 3, 5, 50)),
            group=self.one(("element", "chunk")),
            scoring=self.one(SCORINGS),
            max_words=self.one((None, None, None, 1, 2)),
            ever=self.happens(0.2),
            explained=self.one((0, 2)),
            among=self.among(),
        )

    def among(self) -> Among | None:
        names = self.some(("a", "b", "c", "é", "Ω", "nowhere"), 0, 4)
        elements = frozenset((self.one((HOME, HOME, SIBLING)), name) for name in names)
        return Among(elements, self.one((1, 2, 5))) if self.happens(0.3) else None

    def tree(self, height: int) -> Node:
        if not height or self.happens(0.3):
            return self.leaf()
        parts = tuple(self.tree(height - 1) for _ in range(self.one((0, 1, 2, 2, 3))))
        return self.one((Some(parts), Some(parts), All(parts), All(parts), Maybe(self.leaf()), Not(self.leaf())))

    def leaf(self) -> Node:
        field = self.one(("", "", "", "", "content", "headings", "section", "terms", "owner", "zone"))
        return self.one(
            (
                Word(self.typed(), field, stop=self.happens(0.1)),
                Word(self.typed(), field),
                Phrase(" ".join(self.typed() for _ in range(self.one((1, 2, 2, 3)))), field),
                Prefix(self.typed()[: self.one((1, 2, 3, 5))], field),
            )
        )

    def typed(self) -> str:
        if self.happens(0.85):
            return self.one(self.words)
        return self.one(("Hundebisse", "hund", "biss", "MULLER", "unknown", "OrderServices", "___", "都", *SECTIONS))

    def filter(self) -> Filter:
        return self.one(
            (
                OneOf("layer", self.one((("business",), ("business", "none"), ()))),
                OneOf("language", self.one((("de",), ("fr", "ja", "en")))),
                OneOf("tags", ("x",)),
                Between("date", self.one(("", "2024-07", "2025")), self.one(("", "2025", "2026-06-01"))),
            )
        )

    def vector_query(self) -> VectorQuery:
        return asking(
            " ".join(self.typed() for _ in range(self.one((1, 2, 4)))),
            filters=tuple(self.filter() for _ in range(self.one((0, 0, 1)))),
            depth=self.one((1, 2, 5, 50)),
            group=self.one(("element", "chunk")),
            exact=self.happens(0.2),
            among=self.among(),
        )

    def identifier_query(self) -> IdentifierQuery:
        identifiers = self.some((*self.words, *SECTIONS, "a", "é", "Artikel 41"), 0, 3)
        filters = tuple(self.filter() for _ in range(self.one((0, 0, 1))))
        return IdentifierQuery(tuple(identifiers), filters, self.one((1, 3, 20)), self.one(("element", "chunk")))


@dataclass(frozen=True)
class Question:
    """What one caller asks; `share` picks the revision: 0 is none, 1 the head."""

    query: Query
    share: float
    valid_at: date
    roles: frozenset[str] | None
    scopes: tuple[Scope, ...]

    def views(self, heads: dict[Scope, int]) -> list[View]:
        return [View(s, round(heads.get(s, 0) * self.share), self.valid_at, self.roles) for s in self.scopes]

    @property
    def has_context(self) -> bool:
        """Whether it is asked of one revision, and not of all that ever lived."""
        return not (isinstance(self.query, WordQuery) and self.query.ever)


seeds = st.integers(0, 2**32)
lengths = st.integers(1, 16)
QUESTIONS = 40


# --- the library ----------------------------------------------------------------------------------------------


class Library:
    """A catalog with a segment index beside it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.catalog = SqliteCatalog(folder / "catalog.db")
        self.index = SegmentIndex(folder / "index", self.catalog)

    def play(self, history: list[Step]) -> None:
        actions: dict[str, Callable[[Scope], object]] = {
            "advance": lambda scope: self.index.advance(scope),
            "merge": lambda scope: self.index.merge(scope),
            "merge everything": lambda scope: self.index.merge(scope, everything=True),
            "rebuild": lambda scope: self.index.rebuild(scope),
        }
        for scope, step in history:
            if isinstance(step, Commit):
                self.catalog.commits.commit(scope, step)
            elif step == "purge":
                self.purge(scope)
            elif step == "reopen":
                self.index = SegmentIndex(self.folder / "index", self.catalog)
            else:
                actions[step](scope)

    def purge(self, scope: Scope) -> None:
        """Erase the first element that is alive, if there is one."""
        head = self.heads().get(scope, 0)
        alive = [i for day in DAYS for i in self.catalog.elements.ids(View(scope, head, day)) if head]
        if alive:
            self.catalog.commits.purge(scope, alive[:1])

    def catch_up(self, *scopes: Scope) -> None:
        for scope in scopes:
            self.index.advance(scope)
            embed(self.catalog, scope)
            self.index.take_vectors(scope, MODEL)

    def heads(self) -> dict[Scope, int]:
        return {info.scope: info.head for info in as_operator(self.catalog, lambda o: o.repositories.all())}


@contextmanager
def library() -> Iterator[Library]:
    with tempfile.TemporaryDirectory() as folder:
        opened = Library(Path(folder))
        try:
            yield opened
        finally:
            opened.catalog.close()


def ask(index: SegmentIndex | BruteForceIndex, views: list[View], query: Query) -> Ranking:
    if isinstance(query, VectorQuery):
        return index.dense(views, query)
    return index.keyword(views, query) if isinstance(query, WordQuery) else index.exact(views, query)


def random_histories(max_examples: int) -> settings:
    return settings(max_examples=max_examples, deadline=None, suppress_health_check=list(HealthCheck))


@pytest.fixture(autouse=True, scope="module")
def small_pieces() -> Iterator[None]:
    """Bounds on memory so low that a dozen words exceed them: whatever is done in pieces is done in many."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(merge, "SLICE", 7)
        patch.setattr(roll, "MAX_BATCH_CHARACTERS", 60)
        patch.setattr(upkeep, "FEW", 2)
        patch.setattr(blocks, "SLICE", 3)
        patch.setattr(take, "FETCH", 3)
        patch.setattr(take, "MAX_BLOCK_BYTES", 600)
        patch.setattr(take, "FEW", 2)
        yield


# --- the promises ---------------------------------------------------------------------------------------------


@random_histories(50)
@given(seeds, lengths)
def test_segments_answer_like_brute_force_to_the_last_bit(seed: int, length: int) -> None:
    chance = Chance(seed)
    with library() as lib:
        for step in chance.history(length):
            lib.play([step, (step[0], "purge")] if chance.happens(0.08) else [step])
        lib.catch_up(HOME, SIBLING)
        oracle = BruteForceIndex(lib.catalog)
        for scope in (HOME, SIBLING):
            assert oracle.advance(scope) == lib.index.reached(scope)
            oracle.take_vectors(scope, MODEL)
            assert lib.index.check(scope) == ()
        heads = lib.heads()
        for question in chance.questions(QUESTIONS):
            views = question.views(heads)
            assert ask(lib.index, views, question.query) == ask(oracle, views, question.query)
            assert lib.index.filter_values(views) == oracle.filter_values(views)


@random_histories(30)
@given(seeds, lengths)
def test_vectors_that_arrive_at_any_moment_are_answered_like_brute_force(seed: int, length: int) -> None:
    chance = Chance(seed)
    with library() as lib:
        oracle = BruteForceIndex(lib.catalog)
        for scope, step in chance.history(length):
            lib.play([(scope, step)])
            if step in ("advance", "rebuild"):
                oracle.advance(scope) if step == "advance" else oracle.rebuild(scope)
            if chance.happens(0.1):
                lib.purge(scope)
            if chance.happens(0.5):
                embed(lib.catalog, scope, chosen=lambda _: chance.happens(0.4))
            if chance.happens(0.5):
                assert lib.index.take_vectors(scope, MODEL) == oracle.take_vectors(scope, MODEL)
            heads = {where: oracle.reached(where) for where in (HOME, SIBLING)}
            for _ in range(3):
                question = replace(chance.question(), query=chance.vector_query())
                views = question.views(heads)
                assert ask(lib.index, views, question.query) == ask(oracle, views, question.query)
        for where in (HOME, SIBLING):
            assert lib.index.check(where) == ()


@random_histories(20)
@given(seeds, lengths, lengths)
def test_an_answer_at_a_revision_stays_the_same_whatever_happens_later(seed: int, length: int, later: int) -> None:
    chance = Chance(seed)
    with library() as lib:
        lib.play(chance.history(length))
        lib.catch_up(HOME, SIBLING)
        heads = lib.heads()
        asked = [(q.views(heads), q.query) for q in chance.questions(QUESTIONS) if q.has_context]
        before = [(ask(lib.index, views, query), lib.index.filter_values(views)) for views, query in asked]
        for step in chance.history(later):
            lib.play([step])
            assert [(ask(lib.index, views, q), lib.index.filter_values(views)) for views, q in asked[:5]] == before[:5]
        lib.catch_up(HOME, SIBLING)
        assert [(ask(lib.index, views, query), lib.index.filter_values(views)) for views, query in asked] == before


@random_histories(20)
@given(seeds, lengths)
def test_what_a_stranger_stores_changes_nothing(seed: int, length: int) -> None:
    chance = Chance(seed)
    strangers = (replace(HOME, tenant="other"), replace(HOME, organization="other"), replace(HOME, repository="other"))
    with library() as alone, library() as shared:
        for step in chance.history(length):
            alone.play([step])
            shared.play([step])
            shared.play([(chance.one(strangers), what) for _, what in chance.history(1)])
        alone.catch_up(HOME, SIBLING)
        shared.catch_up(HOME, SIBLING, *strangers)
        heads = alone.heads()
        for question in chance.questions(QUESTIONS):
            views = question.views(heads)
            ours, theirs = (ask(lib.index, views, question.query) for lib in (alone, shared))
            assert _without_lifetimes(ours) == _without_lifetimes(theirs)
            assert alone.index.filter_values(views) == shared.index.filter_values(views)


@random_histories(20)
@given(seeds, lengths)
def test_rows_hidden_by_roles_change_nothing(seed: int, length: int) -> None:
    chance = Chance(seed)
    with library() as full, library() as without:
        for scope, step in chance.history(length):
            without.play([(scope, step)])
            full.play([(scope, step)])
            if isinstance(step, Commit):
                hidden = [_hidden(change) for change in step.changes if isinstance(change, PutElement)]
                full.play([(scope, Commit(tuple(hidden)))])
        for lib in (full, without):
            lib.catch_up(HOME, SIBLING)
        for question in chance.questions(QUESTIONS):
            # Revisions are numbered differently; both libraries are read at their head.
            caller = question.roles or frozenset()
            views = [View(scope, FOREVER - 1, question.valid_at, caller) for scope in question.scopes]
            ours, theirs = (ask(lib.index, views, question.query) for lib in (without, full))
            assert _without_lifetimes(ours) == _without_lifetimes(theirs)
            assert full.index.filter_values(views) == without.index.filter_values(views)


def _hidden(change: PutElement) -> PutElement:
    secret = frozenset({"secret"})
    return PutElement(f"hidden {change.element_id}", tuple(replace(s, roles=secret) for s in change.states))


def _without_lifetimes(ranking: Ranking) -> Ranking:
    """Lifetime ids are opaque: a shared catalog may number them otherwise."""
    return replace(ranking, found=tuple(found._replace(lifetime_id=0) for found in ranking.found))


ANOTHER_PROCESS = """
import pickle, sys
from pathlib import Path
from pincite.catalog.sqlite import SqliteCatalog
from pincite.queries import VectorQuery, WordQuery
from pincite.index.segments.index import SegmentIndex

folder = Path(sys.argv[1])
index = SegmentIndex(folder / "index", SqliteCatalog(folder / "catalog.db"))
asked = pickle.loads((folder / "asked").read_bytes())
legs = {WordQuery: index.keyword, VectorQuery: index.dense}
answers = [legs.get(type(q), index.exact)(v, q) for v, q in asked]
(folder / "answers").write_bytes(pickle.dumps(answers))
"""


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_another_process_gives_the_same_answers(seed: int) -> None:
    chance = Chance(seed)
    with library() as lib:
        lib.play(chance.history(20))
        lib.catch_up(HOME, SIBLING)
        heads = lib.heads()
        asked = [(q.views(heads), q.query) for q in chance.questions(200) if q.has_context]
        before = [ask(lib.index, views, query) for views, query in asked]
        lib.play(chance.history(10))
        (lib.folder / "asked").write_bytes(pickle.dumps(asked))
        subprocess.run([sys.executable, "-c", ANOTHER_PROCESS, str(lib.folder)], check=True, timeout=60)
        assert pickle.loads((lib.folder / "answers").read_bytes()) == before
