"""A shelf: a catalog with its index, and short ways to fill and ask them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date

from pincite.protocols import Catalog, Index
from pincite.queries import (
    All,
    Among,
    Found,
    IdentifierQuery,
    IndexFeatures,
    Node,
    Not,
    OneOf,
    Ranking,
    Scoring,
    Some,
    VectorQuery,
    Word,
    WordQuery,
)
from pincite.testing.vectors import MODEL, asking, embed
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
    """An engine of words or of vectors alone is asked for no more than it has."""

    @property
    def has_words(self) -> bool:
        return hasattr(self.index, "keyword")

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


def fill(shelf: Shelf) -> None:
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


Facts = tuple[Sequence[Found], int] | dict[str, dict[str, int]]


def answers(shelf: Shelf, *, revision: int | None = None, roles: tuple[str, ...] | None = None) -> list[Facts]:
    """What an index says in the roles that it has, of one state, to questions that it can answer."""
    view = shelf.view(revision=revision, roles=roles)
    out: list[Facts] = []
    features = shelf.index.features
    if shelf.has_words:
        rankings = [shelf.index.keyword([view], query) for query in QUESTIONS if _is_declared(features, query)]
        rankings.append(shelf.index.exact([view], IdentifierQuery(("page", "e1", "a"))))
        out += [(facts(ranking).found, ranking.total) for ranking in rankings]
        out.append(shelf.index.filter_values([view]))
    if features.dense:
        meanings = [shelf.mean(query, view) for query in MEANINGS if features.among or not query.among]
        out += [(facts(ranking).found, ranking.total) for ranking in meanings]
    return out


def _is_declared(features: IndexFeatures, query: WordQuery) -> bool:
    return (features.explains or not query.explained) and (features.among or not query.among)


def fill_long(shelf: Shelf) -> None:
    """Elements of several chunks, some of which a caller may not read or are no longer there."""
    shelf.add(put("a", page("a dog", "a cat", "the old dog")), put("c", page("dog dog", "dog")))
    shelf.add(put("a", page("a dog and a cat", "a cat", "the dogs bark at a dog", "dog and bird", "no animal")))
    shelf.add(put("b", page("a dog", "a cat or a dog", roles=("judge",))), put("d", page("dog", "dogs")))
    shelf.add(put("a", page("dog in statutes", "dog")), scope=SIBLING)
