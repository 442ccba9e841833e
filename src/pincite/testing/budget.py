"""How often a catalog may be asked for one answer, counted: on a network every call is a wait.

Subclass `BudgetContract`, say how a library over your catalog is made, run pytest:

class TestMyCatalog(BudgetContract):
    def make_library(self, folder: Path, **settings: object) -> Library:
        return pincite.open(folder / "library", **settings)

    def statements(self) -> list[str] | None:
        return everything_that_my_driver_sent
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pincite.protocols import Catalog

if TYPE_CHECKING:
    from pincite.library import Library

SEARCH_CALLS = 6
"""Of a hybrid page, however many hits it has, however many repositories it searches, with references counted in."""
SEARCH_STATEMENTS = 25
"""Of the same in one repository, beginnings and ends of transactions included."""
CONTEXT_CALLS = 12
"""Of passages for a prompt, with their definitions and what they refer to."""
QUESTIONS = ("berth assigned by the harbormaster", "When is the mooring fee due?", "section 2 deposit")
PARTS = (
    "repositories", "commits", "elements", "relations", "baselines", "feed",
    "vectors", "queue", "models", "contexts", "words", "usage", "sources",
)  # fmt: skip


@contextmanager
def counted(catalog: Catalog) -> Iterator[Counter[str]]:
    """How often each method of the catalog's parts is called in the block, in a session or outside one."""
    calls: Counter[str] = Counter()
    own = vars(catalog)
    before = {name: own[name] for name in (*PARTS, "session", "operator") if name in own}
    begin = {name: getattr(catalog, name) for name in ("session", "operator")}
    try:
        for name in PARTS:
            if hasattr(catalog, name):
                setattr(catalog, name, _Counted(getattr(catalog, name), name, calls))
        for name, method in begin.items():
            setattr(catalog, name, _counted_begin(method, calls))
        yield calls
    finally:
        for name in (*PARTS, *begin):
            own.pop(name, None)
        own.update(before)


def _counted_begin(begin: Callable[..., AbstractContextManager[Any]], calls: Counter[str]) -> Callable[..., Any]:
    @contextmanager
    def begun(*given: Any) -> Iterator[Any]:
        with begin(*given) as session:
            yield _CountedSession(session, calls)

    return begun


class _CountedSession:
    """A session whose parts count; a session begun within it is counted as well."""

    def __init__(self, session: Any, calls: Counter[str]) -> None:
        self._session = session
        self._calls = calls

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._session, name)
        if name in PARTS:
            return _Counted(found, name, self._calls)
        return _counted_begin(found, self._calls) if name in ("session", "operator") else found


class _Counted:
    """A part of a catalog that counts what is asked of it."""

    def __init__(self, part: Any, name: str, calls: Counter[str]) -> None:
        self._part = part
        self._name = name
        self._calls = calls

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._part, name)
        if not callable(method):
            return method

        @wraps(method)
        def asked(*given: Any, **named: Any) -> Any:
            self._calls[f"{self._name}.{name}"] += 1
            return method(*given, **named)

        return asked


class BudgetContract:
    """A library over the catalog answers within the budget. The first question may cost more: it opens things."""

    def make_library(self, folder: Path, **settings: Any) -> Library:
        raise NotImplementedError("say how a library over your catalog is made in this folder, with these settings")

    def statements(self) -> list[str] | None:
        """A list to which every statement sent to the store is appended; None where they are not counted."""
        return None

    def source(self, folder: Path) -> Path:
        """Files that define terms and refer to each other, by address and by name."""
        source = folder / "source"
        source.mkdir()
        for number in range(14):
            (source / f"page-{number}.md").write_text(_page(number), encoding="utf-8")
        return source

    @pytest.fixture
    def opened(self, tmp_path: Path) -> Iterator[Callable[..., Library]]:
        """Opens the filled library with some settings; the embedder needs no model."""
        made: list[Library] = []

        def opening(*repositories: str, **settings: Any) -> Library:
            settings = {"dense": "auto", "embedding": {"model": "hashing:512"}, **settings}
            library = self.make_library(tmp_path, **settings)
            made.append(library)
            source = self.source(tmp_path)
            for repository in repositories or ("main",):
                library.ingest(source, repository=repository)
                library.baselines.create("v1", repository=repository)
                library.baselines.publish("v1", repository=repository)
            library.embed()
            return library

        yield opening
        for library in made:
            library.close()

    @pytest.mark.parametrize("limit", [10, 50])
    @pytest.mark.parametrize("graph", [0.0, 0.3])
    def test_a_page_of_hits_costs_a_handful_of_calls(
        self, opened: Callable[..., Library], limit: int, graph: float
    ) -> None:
        library = opened(retrieval={"graph": graph})
        sent = self.statements()
        for question in QUESTIONS:
            library.search(question)
            with counted(library.catalog) as calls:
                already = len(sent or ())
                answer = library.search(question, limit=limit, group="chunk" if limit > 10 else "element")
            assert len(answer.hits) >= 10
            assert {leg.name for leg in answer.legs if leg.status == "ok"} >= {"dense", "keyword"}
            assert calls.total() <= SEARCH_CALLS, dict(calls)
            if sent is not None:
                assert len(sent) - already <= SEARCH_STATEMENTS, sent[already:]

    def test_a_published_state_costs_no_more_than_the_budget(self, opened: Callable[..., Library]) -> None:
        library = opened()
        library.search(QUESTIONS[0])
        with counted(library.catalog) as calls:
            assert library.search(QUESTIONS[0], read_context="published").hits
        assert calls.total() <= SEARCH_CALLS, dict(calls)

    def test_more_repositories_cost_no_more_calls(self, opened: Callable[..., Library]) -> None:
        library = opened("one", "two", "three", "four")
        library.search(QUESTIONS[0])
        with counted(library.catalog) as calls:
            answer = library.search(QUESTIONS[0])
        assert len(answer.read_contexts) == 4
        assert calls.total() <= SEARCH_CALLS, dict(calls)

    @pytest.mark.parametrize("graph", [0.0, 0.3])
    def test_a_context_for_a_prompt_costs_a_dozen_calls(self, opened: Callable[..., Library], graph: float) -> None:
        library = opened(retrieval={"graph": graph})
        for question in QUESTIONS:
            library.context(question)
            with counted(library.catalog) as calls:
                assert library.context(question).text
            assert calls.total() <= CONTEXT_CALLS, dict(calls)


def _page(number: int) -> str:
    following = (number + 1) % 14
    return f"""---
date: 2026-01-{number + 1:02}
---
# Harbour rules, part {number}

## 1 Definitions

"Berth {number}" means a place that the harbormaster assigned to a boat. See [the next part](page-{following}.md).

## 2 Fees

The mooring fee and the deposit of berth {number} are due in April, as [part {following}](page-{following}.md#2-fees)
and section 1 say; section 2 of the Harbour rules, part {following} remains reserved.
"""
