"""Random histories, random questions: segments answer like the brute-force index, bit by bit, and never change it."""

from __future__ import annotations

import hashlib
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pincite.catalog.sqlite import SqliteCatalog
from pincite.index.queries import (
    All,
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
    Word,
    WordQuery,
)
from pincite.index.segments import merge, roll, upkeep
from pincite.index.segments.index import SegmentIndex
from pincite.testing.oracle import BruteForceIndex
from pincite.types import (
    FOREVER,
    Alias,
    Change,
    Chunk,
    Commit,
    Content,
    Definition,
    Derivation,
    PutElement,
    RemoveElement,
    Scope,
    State,
    View,
)

HOME = Scope("acme", "legal", "decisions")
SIBLING = Scope("acme", "legal", "statutes")
STRANGER = Scope("other", "legal", "decisions")
CUT = date(2025, 1, 1)
DAYS = (date(2024, 6, 1), CUT, date(2026, 6, 1))

# Few words, so that ties, phrases, repetitions, compounds and spellings that meet are common.
WORDS = (
    "Hund", "Hunde", "Biss", "Hundebiss", "Tierhalter", "Müller", "Mueller", "Muller", "droit", "droits", "l'article",
    "article", "the", "réseau", "reseau", "OrderService", "order_service", "order", "services", "4A_123/2020", "4A_123",
    "2020", "東京", "東京都", "京", "東京Tower", "第4条", "Straße",
)  # fmt: skip
SECTIONS = ("", "§ 4", "Art. 41", "4.2")

# --- what happens ---------------------------------------------------------------------------------------------

texts = st.builds(
    lambda words, glue: glue.join(words),
    st.lists(st.sampled_from(WORDS), max_size=6),
    st.sampled_from((" ", ", ", "\n")),
)
languages = st.sampled_from(("de", "fr", "en", "ja", ""))
audiences = st.sampled_from((frozenset(), frozenset({"judge"}), frozenset({"clerk", "judge"})))


@st.composite
def states(draw: st.DrawFn) -> State:
    name = draw(st.sampled_from(WORDS))
    chunks = tuple(
        Chunk(
            number,
            rendered=text,
            section_id=draw(st.sampled_from(SECTIONS)),
            parent_chain=draw(st.sampled_from(((), (name,), (name, "Hunde")))),
            chunk_type=draw(st.sampled_from(("content", "definition"))),
            language=draw(st.sampled_from(("", "", "fr"))),
            context=draw(st.sampled_from(("", name, "Biss"))),
        )
        for number, text in enumerate(draw(st.lists(texts, max_size=3)))
    )
    definitions = tuple(Definition(draw(st.sampled_from(WORDS)), "x", c.number) for c in chunks if draw(st.booleans()))
    aliases = tuple(Alias(draw(st.sampled_from(WORDS)), draw(st.sampled_from(SECTIONS))) for _ in chunks[:1])
    made = (chunks, definitions, aliases)
    recipe = hashlib.sha256(repr(made).encode()).hexdigest()[:8]
    metadata = {
        "layer": draw(st.sampled_from(("business", "technology"))),
        "date": draw(st.sampled_from(DAYS)).isoformat(),
    }
    content = Content("document", draw(st.sampled_from(("page", "law"))), name, name, draw(languages), metadata)
    return State(content, Derivation(recipe, *made), draw(audiences))


@st.composite
def changes(draw: st.DrawFn) -> Change:
    element = draw(st.sampled_from(("a", "b", "c", "d", "é", "Ω")))
    kind = draw(st.integers(0, 7))
    if kind == 0:
        return RemoveElement(element)
    if kind == 1:
        before, after = draw(states()), draw(states())
        return PutElement(element, (replace(before, valid_to=CUT), replace(after, valid_from=CUT)))
    return PutElement(element, (draw(states()),))


commits = st.builds(lambda c: Commit(tuple(c)), st.lists(changes(), min_size=1, max_size=5))
UPKEEP = ("advance", "merge", "merge everything", "rebuild", "reopen")
steps = st.one_of(
    st.tuples(st.sampled_from((HOME, HOME, SIBLING)), commits),
    st.tuples(st.sampled_from((HOME, HOME, SIBLING)), st.sampled_from(UPKEEP)),
)
histories = st.lists(steps, min_size=1, max_size=14)

# --- what is asked --------------------------------------------------------------------------------------------

fields = st.sampled_from(("", "", "", "content", "headings", "section", "terms"))
query_words = st.sampled_from((*WORDS, "Hundebisse", "hund", "biss", "MULLER", "unknown", "OrderServices", "___", "都"))
leaves: st.SearchStrategy[Node] = st.one_of(
    st.builds(Word, query_words, fields, st.sampled_from((False, False, False, True))),
    st.builds(
        lambda words, field: Phrase(" ".join(words), field), st.lists(query_words, min_size=1, max_size=3), fields
    ),
    st.builds(lambda word, size, field: Prefix(word[:size], field), query_words, st.integers(1, 5), fields),
)
trees: st.SearchStrategy[Node] = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.builds(lambda parts: Some(tuple(parts)), st.lists(inner, max_size=4)),
        st.builds(lambda parts: All(tuple(parts)), st.lists(inner, max_size=3)),
        st.builds(Maybe, inner),
        st.builds(Not, inner),
    ),
    max_leaves=6,
)
plain = st.builds(lambda words: Some(tuple(map(Word, words))), st.lists(query_words, min_size=1, max_size=6))
filters: st.SearchStrategy[Filter] = st.one_of(
    st.builds(OneOf, st.just("layer"), st.sampled_from((("business",), ("business", "none"), ()))),
    st.builds(OneOf, st.just("language"), st.sampled_from((("de",), ("fr", "ja")))),
    st.builds(OneOf, st.just("unknown"), st.just(("x",))),
    st.builds(
        Between, st.just("date"), st.sampled_from(("", "2024-07", "2025")), st.sampled_from(("", "2025", "2026-06-01"))
    ),
)
scorings = st.sampled_from(
    (
        Scoring(),
        Scoring(),
        Scoring(literal=0),
        Scoring(k1=1.2, boosts={"content": 1.0}),
        Scoring(k1=0.9, b=0.4, boosts={"content": 0.1, "headings": 0.7, "terms": 1.3}, literal=0.7),
        Scoring(k1=0.0),
        Scoring(b=0.0),
    )
)
word_queries = st.builds(
    WordQuery,
    words=st.one_of(trees, plain),
    filters=st.lists(filters, max_size=2).map(tuple),
    depth=st.one_of(st.integers(1, 4), st.integers(1, 50)),
    group=st.sampled_from(("element", "chunk")),
    scoring=scorings,
    max_words=st.sampled_from((None, None, 1, 2)),
    ever=st.sampled_from((False, False, False, True)),
    explained=st.sampled_from((0, 2)),
)
identifier_queries = st.builds(
    IdentifierQuery,
    identifiers=st.lists(st.sampled_from((*WORDS, *SECTIONS, "a", "é", "Artikel 41")), max_size=3).map(tuple),
    filters=st.lists(filters, max_size=1).map(tuple),
    depth=st.integers(1, 20),
    group=st.sampled_from(("element", "chunk")),
)
roles = st.sampled_from((None, None, frozenset(), frozenset({"judge"}), frozenset({"clerk"})))


@dataclass(frozen=True)
class Question:
    """What one caller asks; `share` picks the revision: 0 is none, 1 the head."""

    query: WordQuery | IdentifierQuery
    share: float
    valid_at: date
    roles: frozenset[str] | None
    scopes: tuple[Scope, ...]

    def views(self, heads: dict[Scope, int]) -> list[View]:
        return [View(s, round(heads.get(s, 0) * self.share), self.valid_at, self.roles) for s in self.scopes]


questions = st.builds(
    Question,
    st.one_of(word_queries, word_queries, word_queries, identifier_queries),
    st.sampled_from((1.0, 1.0, 0.75, 0.5, 0.25, 0.0)),
    st.sampled_from(DAYS),
    roles,
    st.sampled_from(((HOME,), (HOME,), (HOME, SIBLING), (SIBLING, HOME))),
)


# --- the library ----------------------------------------------------------------------------------------------


class Library:
    """A catalog with a segment index beside it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.catalog = SqliteCatalog(folder / "catalog.db")
        self.index = SegmentIndex(folder / "index", self.catalog)

    def play(self, history: list[tuple[Scope, Commit | str]]) -> None:
        actions: dict[str, Callable[[Scope], object]] = {
            "advance": lambda scope: self.index.advance(scope),
            "merge": lambda scope: self.index.merge(scope),
            "merge everything": lambda scope: self.index.merge(scope, everything=True),
            "rebuild": lambda scope: self.index.rebuild(scope),
        }
        for scope, step in history:
            if isinstance(step, Commit):
                self.catalog.commits.commit(scope, step)
            elif step == "reopen":
                self.index = SegmentIndex(self.folder / "index", self.catalog)
            else:
                actions[step](scope)

    def catch_up(self, *scopes: Scope) -> None:
        for scope in scopes:
            self.index.advance(scope)

    def heads(self) -> dict[Scope, int]:
        return {info.scope: info.head for info in self.catalog.repositories.all()}


@contextmanager
def library() -> Iterator[Library]:
    with tempfile.TemporaryDirectory() as folder:
        opened = Library(Path(folder))
        try:
            yield opened
        finally:
            opened.catalog.close()


def ask(index: SegmentIndex | BruteForceIndex, views: list[View], query: WordQuery | IdentifierQuery) -> Ranking:
    return index.keyword(views, query) if isinstance(query, WordQuery) else index.exact(views, query)


def random_histories(max_examples: int) -> settings:
    return settings(max_examples=max_examples, deadline=None, suppress_health_check=list(HealthCheck))


@pytest.fixture(autouse=True, scope="module")
def small_pieces() -> Iterator[None]:
    """Bounds on memory so low that a dozen words exceed them: whatever is done in pieces is done in many."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(merge, "SLICE", 7)
        patch.setattr(roll, "MAX_BATCH_CHARACTERS", 60)
        patch.setattr(upkeep, "FAN_IN", 3)
        yield


# --- the promises ---------------------------------------------------------------------------------------------


@random_histories(150)
@given(histories, st.lists(questions, min_size=1, max_size=12))
def test_segments_answer_like_brute_force_to_the_last_bit(
    history: list[tuple[Scope, Commit | str]], asked: list[Question]
) -> None:
    with library() as lib:
        lib.play(history)
        lib.catch_up(HOME, SIBLING)
        oracle = BruteForceIndex(lib.catalog)
        for scope in (HOME, SIBLING):
            assert oracle.advance(scope) == lib.index.reached(scope)
            assert lib.index.check(scope) == ()
        heads = lib.heads()
        for question in asked:
            views = question.views(heads)
            assert ask(lib.index, views, question.query) == ask(oracle, views, question.query)
            assert lib.index.filter_values(views) == oracle.filter_values(views)


@random_histories(80)
@given(histories, histories, st.lists(questions, min_size=1, max_size=8))
def test_an_answer_at_a_revision_stays_the_same_whatever_happens_later(
    history: list[tuple[Scope, Commit | str]], later: list[tuple[Scope, Commit | str]], asked: list[Question]
) -> None:
    with library() as lib:
        lib.play(history)
        lib.catch_up(HOME, SIBLING)
        heads = lib.heads()
        asked = [q for q in asked if not (isinstance(q.query, WordQuery) and q.query.ever)]
        before = [ask(lib.index, q.views(heads), q.query) for q in asked]
        values = [lib.index.filter_values(q.views(heads)) for q in asked]
        lib.play(later)
        assert [ask(lib.index, q.views(heads), q.query) for q in asked] == before
        lib.catch_up(HOME, SIBLING)
        assert [ask(lib.index, q.views(heads), q.query) for q in asked] == before
        assert [lib.index.filter_values(q.views(heads)) for q in asked] == values


@random_histories(60)
@given(histories, histories, st.lists(questions, min_size=1, max_size=8))
def test_what_a_stranger_stores_changes_nothing(
    history: list[tuple[Scope, Commit | str]], foreign: list[tuple[Scope, Commit | str]], asked: list[Question]
) -> None:
    with library() as alone, library() as shared:
        alone.play(history)
        strangers = (STRANGER, replace(HOME, organization="other"), replace(HOME, repository="other"))
        for number, (_, step) in enumerate(foreign):
            shared.play([(strangers[number % 3], step)])
        for number, step in enumerate(history):
            shared.play([step])
            shared.play([(strangers[number % 3], s) for _, s in foreign[number : number + 1]])
        for lib in (alone, shared):
            lib.catch_up(HOME, SIBLING)
        shared.catch_up(*strangers)
        heads = alone.heads()
        for question in asked:
            views = question.views(heads)
            ours, theirs = (ask(lib.index, views, question.query) for lib in (alone, shared))
            assert _without_lifetimes(ours) == _without_lifetimes(theirs)
            assert alone.index.filter_values(views) == shared.index.filter_values(views)


@random_histories(60)
@given(histories, st.lists(questions, min_size=1, max_size=8))
def test_rows_hidden_by_roles_change_nothing(history: list[tuple[Scope, Commit | str]], asked: list[Question]) -> None:
    with library() as full, library() as without:
        secret = frozenset({"secret"})
        for scope, step in history:
            without.play([(scope, step)])
            full.play([(scope, step)])
            if isinstance(step, Commit):
                hidden = [_hidden(change, secret) for change in step.changes if isinstance(change, PutElement)]
                full.play([(scope, Commit(tuple(hidden)))])
        for lib in (full, without):
            lib.catch_up(HOME, SIBLING)
        for question in asked:
            # Revisions are numbered differently; both libraries are read at their head.
            caller = question.roles or frozenset()
            views = [View(scope, FOREVER - 1, question.valid_at, caller) for scope in question.scopes]
            ours, theirs = (ask(lib.index, views, question.query) for lib in (without, full))
            assert _without_lifetimes(ours) == _without_lifetimes(theirs)
            assert full.index.filter_values(views) == without.index.filter_values(views)


def _hidden(change: PutElement, audience: frozenset[str]) -> PutElement:
    return PutElement(f"hidden {change.element_id}", tuple(replace(s, roles=audience) for s in change.states))


def _without_lifetimes(ranking: Ranking) -> Ranking:
    """Lifetime ids are opaque: a shared catalog may number them otherwise."""
    return replace(ranking, found=tuple(replace(found, lifetime_id=0) for found in ranking.found))


ANOTHER_PROCESS = """
import pickle, sys
from pathlib import Path
from pincite.catalog.sqlite import SqliteCatalog
from pincite.index.queries import WordQuery
from pincite.index.segments import merge, roll, upkeep
from pincite.index.segments.index import SegmentIndex

folder = Path(sys.argv[1])
index = SegmentIndex(folder / "index", SqliteCatalog(folder / "catalog.db"))
asked = pickle.loads((folder / "asked").read_bytes())
answers = [index.keyword(v, q) if isinstance(q, WordQuery) else index.exact(v, q) for v, q in asked]
(folder / "answers").write_bytes(pickle.dumps(answers))
"""


@pytest.mark.slow
@settings(max_examples=4, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.lists(steps, min_size=8, max_size=20),
    st.lists(steps, min_size=4, max_size=10),
    st.lists(questions, min_size=20, max_size=40),
)
def test_another_process_gives_the_same_answers(
    history: list[tuple[Scope, Commit | str]], later: list[tuple[Scope, Commit | str]], asked: list[Question]
) -> None:
    with library() as lib:
        lib.play(history)
        lib.catch_up(HOME, SIBLING)
        heads = lib.heads()
        pairs = [(q.views(heads), q.query) for q in asked if not (isinstance(q.query, WordQuery) and q.query.ever)]
        before = [ask(lib.index, views, query) for views, query in pairs]
        lib.play(later)
        (lib.folder / "asked").write_bytes(pickle.dumps(pairs))
        subprocess.run([sys.executable, "-c", ANOTHER_PROCESS, str(lib.folder)], check=True, timeout=60)
        assert pickle.loads((lib.folder / "answers").read_bytes()) == before
