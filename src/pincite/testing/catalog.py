"""What every catalog must do. Subclass `CatalogContract`, say how yours is made, run pytest.

class TestMyCatalog(CatalogContract):
    engine = MyEngine()

    def address(self, folder: Path) -> str:
        return f"mine://localhost/{folder.name}"
"""

from __future__ import annotations

import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import date
from itertools import pairwise
from pathlib import Path
from typing import TypeVar

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pincite.bookkeeping import EmbeddingModel, Forgotten, Job, SourceChange, SourceElement, SourceItem, Usage
from pincite.errors import Conflict, Erased, HeadMoved, InvalidArgument, NotFound, PermissionDenied, Unavailable
from pincite.ids import erasure_key, text_hash, version_id
from pincite.protocols import Catalog, CatalogEngine, Operator, Session
from pincite.testing.batches import BatchContract
from pincite.testing.tenants import TenantContract, calls
from pincite.types import (
    FOREVER,
    Alias,
    Around,
    Called,
    Change,
    Chunk,
    Commit,
    Committed,
    Content,
    CutVersion,
    Definition,
    Derivation,
    PutElement,
    PutRelation,
    Relation,
    RemoveElement,
    RemoveRelation,
    Scope,
    Span,
    State,
    View,
)

T = TypeVar("T")
SCOPE = Scope("acme", "legal", "decisions")
DAY = date(2026, 1, 31)


def content(text: str, **metadata: str) -> Content:
    return Content("document", "page", "Title", text, "en", dict(metadata))


def state(
    text: str, recipe: str = "r1", roles: tuple[str, ...] = (), start: date | None = None, end: date | None = None
) -> State:
    """A state whose only chunk is its whole text."""
    derivation = Derivation(recipe, (Chunk(0, Span(0, len(text))),))
    return State(content(text), derivation, frozenset(roles), start, end)


def put(element_id: str, *states: State | str, message_id: str = "") -> PutElement:
    return PutElement(element_id, tuple(state(s) if isinstance(s, str) else s for s in states), message_id)


def commit(catalog: Catalog, *changes: Change, scope: Scope = SCOPE, message_ids: tuple[str, ...] = ()) -> Committed:
    return catalog.commits.commit(scope, Commit(changes, "ann", "why", message_ids))


def gave(element_id: str, item: str, digest: str = "", *relations: str) -> SourceElement:
    """That an item gave an element."""
    return SourceElement(element_id, item, digest, relations)


def remember(catalog: Catalog, *said: SourceChange | Change) -> Committed:
    """Commit what is remembered of sources, with changes of elements or without."""
    sources = tuple(item for item in said if isinstance(item, SourceChange))
    changes = tuple(item for item in said if not isinstance(item, SourceChange))
    return catalog.commits.commit(SCOPE, Commit(changes, sources=sources))


def view(revision: int, valid_at: date = DAY, roles: frozenset[str] | None = None, scope: Scope = SCOPE) -> View:
    return View(scope, revision, valid_at, roles)


def text_at(catalog: Session, revision: int, element_id: str, valid_at: date = DAY) -> str | None:
    found = catalog.elements.get(view(revision, valid_at), element_id)
    return found.version.content.text if found else None


def queue_texts(catalog: Catalog, *texts: str) -> tuple[str, ...]:
    """Commit each text as an element of that name and queue it for the model `m`; their hashes."""
    made = commit(catalog, *(put(text, text) for text in texts))
    hashes = tuple(map(text_hash, texts))
    catalog.queue.add(SCOPE, "m", dict(zip(hashes, texts, strict=True)), upto=made.revision)
    return hashes


def as_operator(catalog: Catalog, ask: Callable[[Operator], T]) -> T:
    """What the operator is answered, in a session of its own."""
    with catalog.operator() as operator:
        return ask(operator)


def totals(catalog: Catalog, fingerprint: str = "") -> dict[str, int]:
    return as_operator(catalog, lambda operator: operator.queue.totals(fingerprint))


def in_thread(work: Callable[[], T]) -> T:
    """What the work gives when another thread does it."""
    with ThreadPoolExecutor(1) as threads:
        return threads.submit(work).result()


def head_in(parts: Session) -> int:
    info = parts.repositories.get(SCOPE)
    return info.head if info else 0


def calls_of(parts: Session, scope: Scope, job: Job) -> dict[str, Callable[[], object]]:
    """Every call of every part, for this scope; the job is one of its tenant."""
    at, tenant = view(1, scope=scope), scope.tenant
    cut = CutVersion(scope, "a", "0" * 64, "r1", 1)
    return {
        "repositories.ensure": lambda: parts.repositories.ensure(scope),
        "repositories.get": lambda: parts.repositories.get(scope),
        "repositories.list": lambda: parts.repositories.list(tenant, scope.organization),
        "commits.commit": lambda: parts.commits.commit(scope, Commit((put("x", "y"),))),
        "commits.revision": lambda: parts.commits.revision(scope, 1),
        "commits.revision_at": lambda: parts.commits.revision_at(scope, 0),
        "commits.revision_of_each": lambda: parts.commits.revision_of_each({scope: 1}),
        "commits.revision_of_each_at": lambda: parts.commits.revision_of_each_at([scope], 0),
        "commits.revisions": lambda: parts.commits.revisions(scope),
        "commits.purge": lambda: parts.commits.purge(scope, ["a"]),
        "elements.get": lambda: parts.elements.get(at, "a"),
        "elements.alive": lambda: parts.elements.alive(scope, 1, ["a"]),
        "elements.get_many": lambda: parts.elements.get_many({at: ["a"]}),
        "elements.excerpts": lambda: parts.elements.excerpts({cut: [0]}),
        "elements.headers": lambda: parts.elements.headers([cut]),
        "elements.version": lambda: parts.elements.version(scope, "a", "0" * 64),
        "elements.derivation": lambda: parts.elements.derivation(scope, "a", "0" * 64),
        "elements.history": lambda: parts.elements.history(scope, "a"),
        "elements.ids": lambda: parts.elements.ids(at),
        "elements.diff": lambda: parts.elements.diff(scope, 0, 1),
        "elements.tombstone": lambda: parts.elements.tombstone(scope, "a"),
        "elements.tombstones": lambda: parts.elements.tombstones(scope, ["a"]),
        "relations.of": lambda: parts.relations.of(at, "a"),
        "relations.stated": lambda: parts.relations.stated(scope, 1, element_ids=["a"]),
        "relations.of_many": lambda: parts.relations.of_many([Around(at, ("a",))]),
        "relations.called": lambda: parts.relations.called([Called(at, ("a",))]),
        "relations.definitions": lambda: parts.relations.definitions(at, "t"),
        "relations.terms": lambda: parts.relations.terms(at),
        "relations.resolve": lambda: parts.relations.resolve(at, "i"),
        "baselines.create": lambda: parts.baselines.create(scope, "v1"),
        "baselines.get": lambda: parts.baselines.get(scope, "v1"),
        "baselines.list": lambda: parts.baselines.list(scope),
        "baselines.of_each": lambda: parts.baselines.of_each([scope], None),
        "baselines.publish": lambda: parts.baselines.publish(scope, "v1"),
        "baselines.rollback": lambda: parts.baselines.rollback(scope),
        "baselines.published": lambda: parts.baselines.published(scope),
        "feed.births": lambda: list(parts.feed.births(scope, 0, 1)),
        "feed.deaths": lambda: list(parts.feed.deaths(scope, 0, 1)),
        "feed.erased": lambda: parts.feed.erased(scope, 0),
        "vectors.put": lambda: parts.vectors.put(tenant, "m", {"h": b"1"}),
        "vectors.get": lambda: parts.vectors.get(tenant, "m", ["h"]),
        "vectors.counts": lambda: parts.vectors.counts(tenant),
        "queue.add": lambda: parts.queue.add(scope, "m", {}, upto=1),
        "queue.enqueued": lambda: parts.queue.enqueued(scope, "m"),
        "queue.claim": lambda: parts.queue.claim(tenant, "m", 1, lease_seconds=1),
        "queue.start": lambda: parts.queue.start([job], lease_seconds=1),
        "queue.finish": lambda: parts.queue.finish({job: b"1"}),
        "queue.release": lambda: parts.queue.release([job]),
        "queue.failed": lambda: parts.queue.failed(job, "why", retry_seconds=None),
        "queue.parked": lambda: parts.queue.parked(tenant, "m", 1),
        "queue.retry_parked": lambda: parts.queue.retry_parked(tenant, "m"),
        "queue.counts": lambda: parts.queue.counts(tenant=tenant),
        "contexts.get": lambda: parts.contexts.get(tenant, "k"),
        "contexts.put": lambda: parts.contexts.put(tenant, "k", "h", "c"),
        "words.get": lambda: parts.words.get(scope, "m", ["w"]),
        "words.put": lambda: parts.words.put(scope, "m", {"w": b"1"}, purges=0),
        "words.forget": lambda: parts.words.forget(scope),
        "usage.add": lambda: parts.usage.add(tenant, "2026-01-31", Usage("p", "m", "rerank")),
        "usage.total": lambda: parts.usage.total(tenant),
        "sources.items": lambda: parts.sources.items(scope, "s"),
        "sources.elements": lambda: parts.sources.elements(scope, "s", ["i"]),
        "sources.owners": lambda: parts.sources.owners(scope, ["e"]),
        "session": lambda: parts.session(tenant).__enter__(),
    }


class CatalogContract(BatchContract, TenantContract):
    """Every promise of `pincite.protocols.Catalog`, as a test."""

    engine: CatalogEngine

    def address(self, folder: Path) -> str:
        raise NotImplementedError("name an address for a catalog of the test's own; the same folder, the same address")

    def make_catalog(self, folder: Path) -> Catalog:
        return self.engine.open(self.address(folder), {})

    @pytest.fixture
    def catalog(self, tmp_path: Path) -> Iterator[Catalog]:
        catalog = self.make_catalog(tmp_path)
        yield catalog
        catalog.close()

    # --- repositories -----------------------------------------------------------------------------------------

    def test_a_repository_is_created_once_and_keeps_its_key(self, catalog: Catalog) -> None:
        assert catalog.repositories.get(SCOPE) is None
        made = catalog.repositories.ensure(SCOPE)
        assert made == catalog.repositories.ensure(SCOPE) == catalog.repositories.get(SCOPE)
        assert (made.head, made.purges) == (0, 0)

    def test_repositories_are_listed_by_name_within_their_organization(self, catalog: Catalog) -> None:
        for scope in (Scope("t", "o", "b"), Scope("t", "o", "a"), Scope("t", "p", "c"), Scope("u", "o", "d")):
            catalog.repositories.ensure(scope)
        assert [info.scope.repository for info in catalog.repositories.list("t", "o")] == ["a", "b"]
        with catalog.operator() as operator:
            assert len({info.key for info in operator.repositories.all()}) == 4

    def test_a_nameless_scope_is_refused(self, catalog: Catalog) -> None:
        for scope in (Scope("", "o", "r"), Scope("t", "o\n", "r"), Scope("t", "o", "r" * 1000)):
            with pytest.raises(InvalidArgument):
                catalog.repositories.ensure(scope)

    def test_a_catalog_is_the_same_after_reopening(self, tmp_path: Path) -> None:
        first = self.make_catalog(tmp_path)
        commit(first, put("a", "one"))
        identity, info = first.library_id, first.repositories.get(SCOPE)
        first.close()
        again = self.make_catalog(tmp_path)
        assert (again.library_id, again.repositories.get(SCOPE)) == (identity, info)
        assert text_at(again, 1, "a") == "one"
        again.close()

    # --- commits ----------------------------------------------------------------------------------------------

    def test_a_commit_is_one_revision_and_can_be_read_on_return(self, catalog: Catalog) -> None:
        made = commit(catalog, put("a", "one"), put("b", "two"))
        assert (made.revision, made.changed) == (1, True)
        assert [outcome.status for outcome in made.outcomes] == ["applied", "applied"]
        assert made.outcomes[0].version_ids == (version_id(content("one")),)
        assert catalog.elements.ids(view(1)) == ("a", "b")
        assert catalog.elements.ids(view(0)) == ()

    def test_a_commit_that_changes_nothing_makes_no_revision(self, catalog: Catalog) -> None:
        commit(catalog, put("a", "one"), PutRelation(Relation("r", "cites", "a", "b")))
        same = commit(catalog, put("a", "one"), RemoveElement("never"), PutRelation(Relation("r", "cites", "a", "b")))
        assert (same.revision, same.changed) == (1, False)
        assert {outcome.status for outcome in same.outcomes} == {"unchanged"}
        assert commit(catalog).changed is False

    def test_times_of_revisions_only_grow(self, catalog: Catalog) -> None:
        for text in "abcdefgh":
            commit(catalog, put("a", text))
        newest_first = catalog.commits.revisions(SCOPE)
        times = [revision.time for revision in newest_first]
        assert times == sorted(set(times), reverse=True)
        assert [r.number for r in catalog.commits.revisions(SCOPE, limit=2, before=5)] == [4, 3]
        for revision in newest_first:
            assert catalog.commits.revision(SCOPE, revision.number) == revision
            assert catalog.commits.revision_at(SCOPE, revision.time) == revision
        assert catalog.commits.revision_at(SCOPE, times[-1] - 1) is None
        assert (newest_first[0].author, newest_first[0].message) == ("ann", "why")

    def test_a_known_message_is_a_duplicate(self, catalog: Catalog) -> None:
        commit(catalog, put("a", "one", message_id="m1"))
        again = commit(catalog, put("a", "other", message_id="m1"), put("b", "two", message_id="m2"))
        assert [outcome.status for outcome in again.outcomes] == ["duplicate", "applied"]
        assert text_at(catalog, again.revision, "a") == "one"

    def test_a_message_that_changed_nothing_is_remembered_too(self, catalog: Catalog) -> None:
        commit(catalog, put("a", "one"))
        assert commit(catalog, put("a", "one", message_id="m")).changed is False
        assert commit(catalog, put("a", "two", message_id="m")).outcomes[0].status == "duplicate"

    def test_a_commit_sent_twice_is_applied_once(self, catalog: Catalog) -> None:
        commit(catalog, put("a", "one"), message_ids=("m1", "m2"))
        commit(catalog, put("a", "two"))
        again = commit(catalog, put("a", "three"), message_ids=("m2", "m1"))
        assert (again.revision, again.changed, again.outcomes[0].status) == (1, False, "duplicate")
        assert text_at(catalog, 2, "a") == "two"

    def test_a_commit_of_known_and_new_messages_is_a_conflict(self, catalog: Catalog) -> None:
        commit(catalog, put("a", "one"), message_ids=("m1",))
        with pytest.raises(Conflict, match="m2"):
            commit(catalog, put("a", "two"), message_ids=("m1", "m2"))
        assert text_at(catalog, 1, "a") == "one"
        assert commit(catalog, put("a", "two"), message_ids=("m2",)).changed

    def test_message_ids_are_those_of_one_repository(self, catalog: Catalog) -> None:
        commit(catalog, put("a", "one"), message_ids=("m",))
        assert commit(catalog, put("a", "one"), message_ids=("m",), scope=replace(SCOPE, repository="other")).changed

    def test_there_and_back_again_is_one_version_with_two_lifetimes(self, catalog: Catalog) -> None:
        for text in ("A", "B", "A"):
            commit(catalog, put("a", text))
        history = catalog.elements.history(SCOPE, "a")
        assert [(life.born, life.died) for life in history] == [(1, 2), (2, 3), (3, FOREVER)]
        assert history[0].version_id == history[2].version_id != history[1].version_id
        assert len({life.lifetime_id for life in history}) == 3

    def test_the_last_change_of_an_element_in_a_commit_wins(self, catalog: Catalog) -> None:
        commit(catalog, put("a", "one"), put("a", "two"), put("b", "x"), RemoveElement("b"))
        assert [life.version_id for life in catalog.elements.history(SCOPE, "a")] == [version_id(content("two"))]
        assert catalog.elements.history(SCOPE, "b") == ()
        back = commit(catalog, put("a", "other"), put("a", "two"))
        assert back.changed is False

    def test_an_element_without_states_is_removed(self, catalog: Catalog) -> None:
        commit(catalog, put("a", "one"))
        commit(catalog, PutElement("a", ()))
        assert catalog.elements.ids(view(2)) == ()
        assert commit(catalog, RemoveElement("a")).outcomes[0].status == "unchanged"

    @pytest.mark.parametrize(
        "change",
        [
            put("", "text"),
            put("a\x00b", "text"),
            put("a", "lone \ud800 surrogate"),
            put("a", state("x", start=DAY, end=DAY)),
            put("a", state("x"), state("y")),
            put("a", state("x", end=date(2026, 2, 1)), state("y", start=DAY)),
            put("a", State(content("abc"), Derivation("r", (Chunk(1, Span(0, 1)),)))),
            put("a", State(content("abc"), Derivation("r", (Chunk(0),)))),
            put("a", State(content("abc"), Derivation("r", (Chunk(0, Span(0, 1), "both"),)))),
            put("a", State(content("abc"), Derivation("r", (Chunk(0, Span(1, 4)),)))),
            put("a", State(content("abc"), Derivation("r", (Chunk(0, Span(2, 1)),)))),
            put("a", State(content("abc"), Derivation("r", (Chunk(0, rendered="\udfff"),)))),
            put("a", State(content("abc"), Derivation("r", (), (Definition("t", "x", 0),)))),
            put("a", State(content("abc"), Derivation("r", relations=(Relation("r", "cites", "other", "b"),)))),
            put("a", State(replace(content("abc"), metadata={"n": float("nan")}), Derivation("r"))),
            PutRelation(Relation("", "cites", "a", "b")),
            PutRelation(Relation("r", "cites", "a", "")),
        ],
    )
    def test_what_cannot_be_stored_is_refused_and_changes_nothing(self, catalog: Catalog, change: Change) -> None:
        with pytest.raises(InvalidArgument):
            commit(catalog, put("good", "text"), change)
        assert catalog.repositories.get(SCOPE) is None

    def test_a_recipe_determines_the_chunks(self, catalog: Catalog) -> None:
        commit(catalog, put("a", "one two"))
        other = State(content("one two"), Derivation("r1", (Chunk(0, Span(0, 3)),)))
        with pytest.raises(Conflict, match="recipe"):
            commit(catalog, put("a", other))
        with pytest.raises(Conflict, match="recipe"):
            commit(catalog, RemoveElement("a"), put("a", other))
        assert catalog.repositories.ensure(SCOPE).head == 1

    def test_fields_of_a_passage_are_kept_in_their_order_and_belong_to_its_recipe(self, catalog: Catalog) -> None:
        fields = (("zone", "north"), ("owner", "Team Ä"))
        chunk = Chunk(0, Span(0, 3), fields=fields)
        commit(catalog, put("a", State(content("one"), Derivation("r1", (chunk,)))))
        found = catalog.elements.get(view(1), "a")
        assert found is not None
        assert found.derivation.chunks == (chunk,)
        changed = replace(chunk, fields=(("zone", "south"),))
        with pytest.raises(Conflict, match="recipe"):
            commit(catalog, put("b", "other"), put("a", State(content("one"), Derivation("r1", (changed,)))))

    @pytest.mark.parametrize("name", ["content", "Owner", "two words", "", "x" * 41])
    def test_a_field_that_cannot_be_asked_for_by_name_is_refused(self, catalog: Catalog, name: str) -> None:
        chunk = Chunk(0, Span(0, 3), fields=((name, "text"),))
        with pytest.raises(InvalidArgument, match="field"):
            commit(catalog, put("a", State(content("one"), Derivation("r1", (chunk,)))))

    def test_a_new_recipe_replaces_the_chunks_not_the_version(self, catalog: Catalog) -> None:
        commit(catalog, put("a", "one two"))
        cut = Derivation("r2", (Chunk(0, Span(0, 3)), Chunk(1, Span(4, 7), context="after one")))
        commit(catalog, put("a", State(content("one two"), cut)))
        before, after = catalog.elements.get(view(1), "a"), catalog.elements.get(view(2), "a")
        assert before is not None
        assert after is not None
        assert before.version == after.version
        assert (len(before.derivation.chunks), after.derivation) == (1, cut)

    def test_everything_that_was_committed_comes_back(self, catalog: Catalog) -> None:
        text = "Zürich \U0001f600 – end\x00\r\n"
        stored = State(
            Content("document", "page", "N", text, "de", {"b": [1, 2.5, None, True], "a": {"ü": "\x00"}}),
            Derivation(
                "r",
                (
                    Chunk(0, Span(7, 8), None, "s1", ("H1", "H2"), "table", "de", 3, "context"),
                    Chunk(1, rendered="generated"),
                ),
                (Definition("Term", "meaning", 0, Span(0, 6), "section"),),
                (Alias("BGE 1 I 1", "s1"), Alias("x"), Alias("s1(a)", "s1", Span(7, 8))),
                (Relation("e1", "cites", "é", "t", "s1", "s2", {"weight": 1}),),
            ),
            frozenset({"b", "a"}),
            date(1, 1, 1),
            date(9999, 12, 31),
        )
        commit(catalog, PutElement("e\u0301", (stored,)))
        found = catalog.elements.get(view(1), "é")
        assert found is not None
        assert (found.version.content, found.derivation) == (stored.content, stored.derivation)
        assert found.lifetime == catalog.elements.history(SCOPE, "e\u0301")[0]
        assert (found.lifetime.element_id, found.lifetime.roles) == ("é", stored.roles)
        assert (found.lifetime.valid_from, found.lifetime.valid_to) == (stored.valid_from, stored.valid_to)
        (birth,) = catalog.feed.births(SCOPE, 0, 1)
        assert (birth.content, birth.derivation, birth.lifetime) == (stored.content, stored.derivation, found.lifetime)

    def test_concurrent_commits_get_distinct_revisions(self, catalog: Catalog) -> None:
        revisions: list[int] = []

        def work(worker: int) -> None:
            revisions.extend(commit(catalog, put(f"{worker}-{n}", "text")).revision for n in range(10))

        threads = [threading.Thread(target=work, args=(worker,)) for worker in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(revisions) == list(range(1, 41))
        assert len(catalog.elements.ids(view(40))) == 40

    # --- elements ---------------------------------------------------------------------------------------------

    def test_validity_selects_among_states_that_live_together(self, catalog: Catalog) -> None:
        cut = date(2026, 1, 1)
        commit(catalog, put("law", state("old", end=cut), state("new", start=cut)))
        assert text_at(catalog, 1, "law", valid_at=date(2025, 12, 31)) == "old"
        assert text_at(catalog, 1, "law", valid_at=cut) == "new"
        commit(catalog, put("law", state("old", end=cut), state("newer", start=cut, end=date(2027, 1, 1))))
        assert [(life.born, life.died) for life in catalog.elements.history(SCOPE, "law")] == [
            (1, FOREVER),
            (1, 2),
            (2, FOREVER),
        ]
        assert text_at(catalog, 2, "law", valid_at=date(2027, 1, 1)) is None

    def test_roles_decide_who_reads(self, catalog: Catalog) -> None:
        commit(catalog, put("open", "x"), put("closed", state("y", roles=("judge", "clerk"))))
        assert catalog.elements.ids(view(1)) == ("closed", "open")
        assert catalog.elements.ids(view(1, roles=frozenset())) == ("open",)
        assert catalog.elements.ids(view(1, roles=frozenset({"party"}))) == ("open",)
        assert catalog.elements.ids(view(1, roles=frozenset({"clerk", "party"}))) == ("closed", "open")
        assert catalog.elements.get(view(1, roles=frozenset({"party"})), "closed") is None

    def test_a_version_is_found_by_id_or_unique_prefix_dead_or_alive(self, catalog: Catalog) -> None:
        commit(catalog, put("a", "one"))
        commit(catalog, put("a", "two"))
        one = version_id(content("one"))
        found = catalog.elements.version(SCOPE, "a", one)
        assert found is not None
        assert found == catalog.elements.version(SCOPE, "a", one[:8])
        assert (found.version_id, found.content.text) == (one, "one")
        for wrong in (one[:7], "", "0" * 32, one + "0", "%" * 8, one[:8].upper() + "G"):
            assert catalog.elements.version(SCOPE, "a", wrong) is None
        assert catalog.elements.version(SCOPE, "b", one) is None

    def test_a_derivation_is_found_by_recipe_or_the_most_recent(self, catalog: Catalog) -> None:
        one = version_id(content("one"))
        for recipe in ("r1", "r2", "r1"):
            commit(catalog, put("a", state("one", recipe)))
        for recipe, expected in (("", "r1"), ("r2", "r2"), ("r1", "r1")):
            found = catalog.elements.derivation(SCOPE, "a", one, recipe)
            assert found is not None
            assert found.recipe == expected
        assert catalog.elements.derivation(SCOPE, "a", one, "r3") is None
        assert catalog.elements.derivation(SCOPE, "b", one) is None

    def test_ids_page_in_code_point_order(self, catalog: Catalog) -> None:
        names = ["a", "a/1", "a/2", "b", "Z", "é", "\ue000", "\U0001f600", "a%", "a_"]
        commit(catalog, *(put(name, "x") for name in names))
        assert catalog.elements.ids(view(1)) == tuple(sorted(names))
        assert catalog.elements.ids(view(1), prefix="a/") == ("a/1", "a/2")
        assert catalog.elements.ids(view(1), prefix="a%") == ("a%",)
        paged: list[str] = []
        while page := catalog.elements.ids(view(1), after=paged[-1] if paged else "", limit=3):
            paged.extend(page)
        assert paged == sorted(names)

    def test_a_diff_names_each_kind_of_change(self, catalog: Catalog) -> None:
        commit(catalog, *(put(name, "x") for name in ("access", "changed", "rederived", "removed", "same", "touched")))
        commit(catalog, put("touched", "y"), put("changed", "y"))
        commit(
            catalog,
            put("access", state("x", roles=("r",))),
            put("added", "x"),
            put("rederived", state("x", "r2")),
            RemoveElement("removed"),
            put("touched", "x"),
        )
        changes = catalog.elements.diff(SCOPE, 1, 3)
        assert [(c.element_id, c.change) for c in changes] == [
            (name, name) for name in ("access", "added", "changed", "rederived", "removed")
        ]
        x, y = version_id(content("x")), version_id(content("y"))
        assert (changes[2].name, changes[2].before, changes[2].after) == ("Title", (x,), (y,))
        back = {c.element_id: c.change for c in catalog.elements.diff(SCOPE, 3, 1)}
        assert (back["added"], back["removed"]) == ("removed", "added")
        assert catalog.elements.diff(SCOPE, 2, 2) == ()
        assert len(catalog.elements.diff(SCOPE, 0, 1)) == 6
        with pytest.raises(NotFound):
            catalog.elements.diff(SCOPE, 1, 4)

    def test_scopes_never_see_each_other(self, catalog: Catalog) -> None:
        others = (Scope("evil", "legal", "decisions"), Scope("acme", "x", "decisions"), Scope("acme", "legal", "y"))
        life = State(
            content("x"),
            Derivation("r", (Chunk(0, Span(0, 1)),), (Definition("t", "x", 0),), (Alias("i"),)),
        )
        commit(catalog, PutElement("a", (life,)), PutRelation(Relation("r", "cites", "a", "b")))
        catalog.baselines.create(SCOPE, "v1")
        for other in others:
            commit(catalog, put("own", "x"), scope=other)
            theirs = view(1, scope=other)
            assert catalog.elements.ids(theirs) == ("own",)
            assert catalog.elements.version(other, "a", version_id(life.content)) is None
            assert catalog.elements.history(other, "a") == ()
            assert catalog.relations.of(theirs, "a") == ()
            assert catalog.relations.definitions(theirs, "t") == ()
            assert catalog.relations.resolve(theirs, "i") == ()
            assert catalog.baselines.list(other) == ()
            assert [birth.lifetime.element_id for birth in catalog.feed.births(other, 0, 9)] == ["own"]

    # --- sessions ---------------------------------------------------------------------------------------------

    def test_a_session_sees_one_state_and_a_session_inside_it_another(self, catalog: Catalog) -> None:
        commit(catalog, put("a", "one"))
        with catalog.session(SCOPE.tenant) as session:
            in_thread(lambda: commit(catalog, put("a", "two")))
            with catalog.session(SCOPE.tenant) as later, session.session(SCOPE.tenant) as same:
                assert [head_in(state) for state in (session, later, same)] == [1, 2, 1]
            assert head_in(session) == 1, "the end of another session is not the end of this one"
            assert head_in(catalog) == 2
        assert session.library_id == catalog.library_id

    def test_a_session_can_be_handed_to_another_thread(self, catalog: Catalog) -> None:
        commit(catalog, put("a", "one"))
        with catalog.session(SCOPE.tenant) as session:
            commit(catalog, put("a", "two"))
            assert [in_thread(lambda: head_in(session)) for _ in range(3)] == [1, 1, 1]
            found = session.elements.get(view(1), "a")
            assert found is not None and in_thread(lambda: session.elements.get(view(1), "a")) == found

    def test_what_is_written_within_a_session_lasts_and_does_not_show_in_it(self, catalog: Catalog) -> None:
        commit(catalog, put("a", "one"))
        with pytest.raises(RuntimeError), catalog.session(SCOPE.tenant) as session:
            session.usage.add(SCOPE.tenant, "2026-01-31", Usage("p", "m", "rerank", calls=1))
            session.commits.commit(SCOPE, Commit((put("a", "two"),)))
            assert (head_in(session), session.usage.total(SCOPE.tenant)) == (1, ())
            raise RuntimeError
        assert head_in(catalog) == 2
        assert catalog.usage.total(SCOPE.tenant)[0].calls == 1

    def test_every_call_for_another_tenant_is_refused_by_a_session(self, catalog: Catalog) -> None:
        other = replace(SCOPE, tenant="other")
        commit(catalog, put("a", "one"))
        commit(catalog, put("a", "theirs"), scope=other)
        catalog.queue.add(other, "m", {text_hash("theirs"): "theirs"}, upto=1)
        (job,) = catalog.queue.claim("other", "m", 1, lease_seconds=60)
        with catalog.session(SCOPE.tenant) as session:
            asked = calls_of(session, other, job)
            assert asked.keys() == dict(calls(Session)).keys(), "every call of the protocol is tried"
            for name, call in asked.items():
                with pytest.raises(PermissionDenied):
                    call()
                    pytest.fail(f"{name} was answered")
        with catalog.session("other") as theirs:
            assert theirs.elements.ids(view(1, scope=other)) == ("a",)
            assert theirs.queue.counts("m", tenant="other")["claimed"] == 1

    def test_what_spans_tenants_is_the_operators_alone(self, catalog: Catalog) -> None:
        other = replace(SCOPE, tenant="other")
        commit(catalog, put("a", "one"))
        commit(catalog, put("a", "one"), scope=other)
        with catalog.operator() as operator, catalog.session(SCOPE.tenant) as session:
            in_thread(lambda: commit(catalog, put("b", "two")))
            assert [info.scope for info in operator.repositories.all()] == [SCOPE, other]
            assert operator.elements.ids(view(9)) == ("a",), "the operator's session is one state too"
            assert operator.elements.ids(view(1, scope=other)) == ("a",)
            for part in (catalog, session):
                assert not hasattr(part, "models")
            with operator.session(SCOPE.tenant) as bound, pytest.raises(PermissionDenied):
                bound.repositories.get(other)

    def test_a_session_that_has_ended_is_not_read_any_more(self, catalog: Catalog) -> None:
        commit(catalog, put("a", "one"))
        with catalog.session(SCOPE.tenant) as session:
            pass
        with pytest.raises(Unavailable):
            head_in(session)

    def test_a_session_ends_in_peace_when_its_catalog_is_closed(self, tmp_path: Path) -> None:
        catalog = self.make_catalog(tmp_path)
        commit(catalog, put("a", "one"))
        with catalog.session(SCOPE.tenant) as session:
            in_thread(catalog.close)
            with pytest.raises(Unavailable):
                head_in(session)
        with pytest.raises(Unavailable), catalog.session(SCOPE.tenant):
            pass

    # --- relations --------------------------------------------------------------------------------------------

    def test_stated_relations_live_and_die_by_their_id(self, catalog: Catalog) -> None:
        cites, follows = Relation("r", "cites", "a", "b"), Relation("r", "follows", "a", "c", metadata={"n": 1})
        commit(catalog, put("a", "x"), put("b", "x"), PutRelation(cites))
        commit(catalog, PutRelation(follows))
        commit(catalog, RemoveRelation("r"))
        assert catalog.relations.of(view(1), "a") == (cites,)
        assert catalog.relations.of(view(1), "b", "in") == (cites,)
        assert catalog.relations.of(view(1), "b", "out") == ()
        assert catalog.relations.of(view(2), "a", "out") == (follows,)
        assert catalog.relations.of(view(2), "b") == ()
        assert catalog.relations.of(view(3), "a") == ()
        assert commit(catalog, RemoveRelation("r")).changed is False

    def test_stated_relations_around_elements_come_at_once(self, catalog: Catalog) -> None:
        ab, bc, cd = (Relation(f"{a}{b}", "cites", a, b) for a, b in ("ab", "bc", "cd"))
        derived = Relation("text", "refers_to", "a", "c")
        secret = replace(
            state("one", roles=("hr",)), derivation=Derivation("r1", (Chunk(0, Span(0, 3)),), relations=(derived,))
        )
        commit(catalog, put("a", secret), put("b", "two"), PutRelation(ab), PutRelation(bc), PutRelation(cd))
        commit(catalog, RemoveRelation("bc"))
        stated = catalog.relations.stated
        assert stated(SCOPE, 1, element_ids=["b", "b"]) == (ab, bc), "regardless of who may read their ends"
        assert stated(SCOPE, 2, element_ids=["b"]) == (ab,)
        assert stated(SCOPE, 1, element_ids=["a"], relation_ids=["cd", "none"]) == (ab, cd)
        assert stated(SCOPE, 1) == stated(replace(SCOPE, repository="x"), 1, element_ids=["a"]) == ()

    def test_removing_an_element_ends_the_relations_that_start_at_it(self, catalog: Catalog) -> None:
        commit(
            catalog,
            put("a", "x"),
            put("b", "x"),
            PutRelation(Relation("1", "cites", "a", "b")),
            PutRelation(Relation("2", "cites", "b", "a")),
        )
        commit(catalog, RemoveElement("a"))
        commit(catalog, put("a", "x"))
        assert [r.relation_id for r in catalog.relations.of(view(1), "a")] == ["1", "2"]
        assert [r.relation_id for r in catalog.relations.of(view(3), "a")] == ["2"]

    def test_derived_relations_are_visible_while_their_state_is(self, catalog: Catalog) -> None:
        edge = Relation("r", "cites", "a", "unknown")
        derived = State(content("x"), Derivation("r", relations=(edge,)))
        commit(catalog, PutElement("a", (derived,)))
        commit(catalog, put("a", "y"))
        assert catalog.relations.of(view(1), "a") == catalog.relations.of(view(1), "unknown") == (edge,)
        assert catalog.relations.of(view(2), "a") == ()

    def test_a_relation_shows_no_end_that_the_view_may_not_read(self, catalog: Catalog) -> None:
        secret = state("x", roles=("judge",))
        commit(
            catalog,
            put("a", "x"),
            put("s", secret),
            PutRelation(Relation("1", "cites", "a", "s")),
            PutRelation(Relation("2", "cites", "s", "a")),
            PutRelation(Relation("3", "cites", "a", "elsewhere")),
        )
        public = view(1, roles=frozenset())
        assert [r.relation_id for r in catalog.relations.of(public, "a")] == ["3"]
        assert catalog.relations.of(public, "s") == ()
        assert len(catalog.relations.of(view(1, roles=frozenset({"judge"})), "a")) == 3

    def test_terms_and_identifiers_are_compared_without_case_and_accents(self, catalog: Catalog) -> None:
        definition = Definition("Öffentliche Urkunde", "ein Text", 0)
        derivation = Derivation("r", (Chunk(0, Span(0, 1)),), (definition,), (Alias("BGE 141 III 28", "E. 3"),))
        commit(catalog, PutElement("a", (State(content("x"), derivation),)))
        commit(catalog, RemoveElement("a"))
        expected = (("a", version_id(content("x")), definition),)
        assert catalog.relations.definitions(view(1), "offentliche URKUNDE") == expected
        assert catalog.relations.definitions(view(1), "Urkunde") == ()
        assert catalog.relations.terms(view(1)) == ("Öffentliche Urkunde",)
        assert catalog.relations.terms(view(2)) == ()
        assert catalog.relations.resolve(view(1), "bge141 iii28") == (("a", "E. 3"),)
        assert catalog.relations.definitions(view(2), "öffentliche urkunde") == ()
        assert catalog.relations.resolve(view(2), "BGE 141 III 28") == ()

    # --- baselines --------------------------------------------------------------------------------------------

    def test_a_baseline_names_a_revision_for_good(self, catalog: Catalog) -> None:
        commit(catalog, put("a", "one"))
        commit(catalog, put("a", "two"))
        first = catalog.baselines.create(SCOPE, "v1", revision=1, author="ann", note="first")
        second = catalog.baselines.create(SCOPE, "v2")
        assert (first.revision, second.revision, first.published) == (1, 2, False)
        assert catalog.baselines.list(SCOPE) == (first, second)
        assert catalog.baselines.get(SCOPE, "v1") == first
        assert catalog.baselines.get(SCOPE, "v3") is None
        with pytest.raises(Conflict, match="v1"):
            catalog.baselines.create(SCOPE, "v1")
        with pytest.raises(NotFound):
            catalog.baselines.create(SCOPE, "v9", revision=9)

    def test_baseline_names_are_readable_and_not_reserved(self, catalog: Catalog) -> None:
        commit(catalog, put("a", "one"))
        for name in ("", "x" * 101, "a\nb", "head", "published"):
            with pytest.raises(InvalidArgument):
                catalog.baselines.create(SCOPE, name)

    def test_an_empty_repository_has_nothing_to_name(self, catalog: Catalog) -> None:
        with pytest.raises(NotFound):
            catalog.baselines.create(SCOPE, "v1")
        catalog.repositories.ensure(SCOPE)
        with pytest.raises(NotFound):
            catalog.baselines.create(SCOPE, "v1")

    def test_rollback_walks_back_through_what_was_published(self, catalog: Catalog) -> None:
        commit(catalog, put("a", "one"))
        assert catalog.baselines.published(SCOPE) is None
        for name in ("v1", "v2", "v3"):
            catalog.baselines.create(SCOPE, name)
            assert catalog.baselines.publish(SCOPE, name).published
        catalog.baselines.publish(SCOPE, "v3")
        assert [b.name for b in catalog.baselines.list(SCOPE) if b.published] == ["v3"]
        assert catalog.baselines.rollback(SCOPE).name == "v2"
        assert catalog.baselines.rollback(SCOPE).name == "v1"
        published = catalog.baselines.published(SCOPE)
        assert published is not None
        assert (published.name, published.published) == ("v1", True)
        with pytest.raises(Conflict, match="v1"):
            catalog.baselines.rollback(SCOPE)
        catalog.baselines.publish(SCOPE, "v3")
        assert catalog.baselines.rollback(SCOPE).name == "v1"

    def test_publishing_an_unknown_baseline_suggests_a_known_one(self, catalog: Catalog) -> None:
        commit(catalog, put("a", "one"))
        catalog.baselines.create(SCOPE, "spring")
        with pytest.raises(NotFound) as raised:
            catalog.baselines.publish(SCOPE, "sprng")
        assert raised.value.suggestions == ("spring",)
        with pytest.raises(Conflict):
            catalog.baselines.rollback(SCOPE)

    # --- feed -------------------------------------------------------------------------------------------------

    def test_the_feed_tells_births_and_deaths_as_known_at_a_revision(self, catalog: Catalog) -> None:
        commit(catalog, put("a", "one"), put("b", "one"))
        commit(catalog, put("a", "two"))
        commit(catalog, RemoveElement("a"))
        known = [(b.lifetime.element_id, b.lifetime.born, b.lifetime.died) for b in catalog.feed.births(SCOPE, 0, 2)]
        assert known == [("a", 1, 2), ("b", 1, FOREVER), ("a", 2, FOREVER)]
        assert [death.died for death in catalog.feed.deaths(SCOPE, 0, 3)] == []
        assert [death.died for death in catalog.feed.deaths(SCOPE, 1, 3)] == [2]
        assert [death.died for death in catalog.feed.deaths(SCOPE, 2, 3)] == [3]

    def test_a_long_feed_lets_others_write_meanwhile(self, catalog: Catalog) -> None:
        commit(catalog, *(put(f"{n:04}", "text") for n in range(700)))
        commit(catalog, *(RemoveElement(f"{n:04}") for n in range(600)))
        seen: list[str] = []
        for birth in catalog.feed.births(SCOPE, 0, 2):
            if len(seen) % 300 == 0:
                commit(catalog, put(f"new-{len(seen)}", "text"))
            seen.append(birth.lifetime.element_id)
        assert seen == [f"{n:04}" for n in range(700)]
        assert len(list(catalog.feed.deaths(SCOPE, 1, 2))) == 600

    @settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
    @given(data=st.data())
    def test_any_history_can_be_read_back_and_rebuilt_from_the_feed(self, data: st.DataObject) -> None:
        with tempfile.TemporaryDirectory() as folder:
            catalog = self.make_catalog(Path(folder))
            try:
                models = [Model()]
                for changes in data.draw(st.lists(st.lists(_CHANGES, min_size=1, max_size=4), max_size=8)):
                    after = models[-1]
                    for change in changes:
                        after = _applied(after, change)
                    made = commit(catalog, *changes)
                    assert made.changed == (after != models[-1])
                    if made.changed:
                        models.append(after)
                    assert made.revision == len(models) - 1
                _same_at_every_revision(catalog, models)
                head = len(models) - 1
                cuts = data.draw(st.sets(st.integers(0, head)))
                _feed_rebuilds_every_lifetime(catalog, [0, *sorted(cuts), head])
                assert catalog.check() == ()
            finally:
                catalog.close()

    # --- purge ------------------------------------------------------------------------------------------------

    def test_a_purge_leaves_nothing_but_a_tombstone(self, catalog: Catalog) -> None:
        derivation = Derivation(
            "r", (Chunk(0, Span(0, 6)),), (Definition("t", "x", 0),), (Alias("i"),), (Relation("d", "c", "a", "b"),)
        )
        commit(
            catalog,
            PutElement("a", (State(content("secret"), derivation),)),
            put("b", "kept"),
            PutRelation(Relation("out", "cites", "a", "b")),
            PutRelation(Relation("in", "cites", "b", "a")),
        )
        commit(catalog, put("a", "secret two"))
        remember(catalog, SourceChange("s", items=(SourceItem("a.md", 1, 1, "h"),), elements=(gave("a", "a.md"),)))
        made = catalog.commits.purge(SCOPE, ["a"], reason="court order", author="ann")
        info = catalog.repositories.ensure(SCOPE)
        assert (made.revision, made.changed, info.head, info.purges) == (3, True, 3, 1)
        for revision in (1, 2, 3):
            assert catalog.elements.ids(view(revision)) == ("b",)
            assert catalog.relations.of(view(revision), "b") == ()
            assert catalog.relations.definitions(view(revision), "t") == ()
            assert catalog.relations.resolve(view(revision), "i") == ()
        assert catalog.elements.history(SCOPE, "a") == ()
        assert catalog.elements.version(SCOPE, "a", version_id(content("secret"))) is None
        assert catalog.sources.items(SCOPE, "s") == {}
        assert catalog.sources.owners(SCOPE, ["a"]) == {}
        tombstone = catalog.elements.tombstone(SCOPE, "a")
        assert tombstone is not None
        assert (tombstone.reason, tombstone.author) == ("court order", "ann")
        revision_three = catalog.commits.revision(SCOPE, 3)
        assert revision_three is not None
        assert tombstone.erased == revision_three.time
        assert catalog.feed.erased(SCOPE, 0) == {erasure_key(SCOPE, "a")}
        assert catalog.feed.erased(SCOPE, 1) == frozenset()
        assert catalog.elements.tombstones(SCOPE, ["a", "b", "a"]) == {"a": tombstone}
        assert catalog.check() == ()

    def test_a_purge_of_something_unknown_erases_nothing(self, catalog: Catalog) -> None:
        commit(catalog, put("a", "one"))
        with pytest.raises(NotFound):
            catalog.commits.purge(SCOPE, ["a", "b"])
        with pytest.raises(InvalidArgument):
            catalog.commits.purge(SCOPE, [])
        assert text_at(catalog, 1, "a") == "one"
        catalog.commits.purge(SCOPE, ["a"])
        with pytest.raises(Erased):
            catalog.commits.purge(SCOPE, ["a"])

    def test_a_purged_element_can_live_again(self, catalog: Catalog) -> None:
        commit(catalog, put("a", "one"))
        old = catalog.elements.history(SCOPE, "a")[0].lifetime_id
        catalog.commits.purge(SCOPE, ["a"])
        made = commit(catalog, put("a", "one"))
        assert text_at(catalog, made.revision, "a") == "one"
        assert text_at(catalog, 1, "a") is None
        assert catalog.elements.tombstone(SCOPE, "a") is not None
        assert catalog.elements.history(SCOPE, "a")[0].lifetime_id != old
        catalog.commits.purge(SCOPE, ["a"])
        assert catalog.feed.erased(SCOPE, 1) == {erasure_key(SCOPE, "a")}

    def test_a_purge_takes_the_vectors_that_no_other_chunk_needs(self, catalog: Catalog) -> None:
        situated = State(content("own"), Derivation("r", (Chunk(0, Span(0, 3), context="intro"),)))
        commit(catalog, put("a", "shared"), put("b", "shared"), PutElement("c", (situated,)))
        commit(catalog, PutElement("c", (situated,)), scope=replace(SCOPE, tenant="other"))
        own, shared = text_hash("intro\n\nown"), text_hash("shared")
        for tenant in (SCOPE.tenant, "other"):
            catalog.vectors.put(tenant, "m", {own: b"1", f"{own}:0": b"2", f"{own}:11": b"3", shared: b"4"})
            catalog.queue.add(replace(SCOPE, tenant=tenant), "n", {own: "own", shared: "shared"}, upto=1)
            catalog.contexts.put(tenant, "key", text_hash("own"), "intro")
        assert totals(catalog)["waiting"] == 3
        catalog.commits.purge(SCOPE, ["a", "c"])
        assert catalog.vectors.get(SCOPE.tenant, "m", [own, f"{own}:0", f"{own}:11", shared]) == {shared: b"4"}
        assert catalog.vectors.counts("other") == {"m": 4}
        assert totals(catalog)["waiting"] == 2
        assert catalog.contexts.get(SCOPE.tenant, "key") is None
        assert catalog.contexts.get("other", "key") == "intro"

    def test_a_purge_takes_contexts_that_no_passage_carries(self, catalog: Catalog) -> None:
        """An ingest that died before its commit leaves them, and no element leads to them."""
        situated = State(content("kept"), Derivation("r", (Chunk(0, Span(0, 4), context="Head\n\nwritten"),)))
        commit(catalog, put("a", "gone"), PutElement("b", (situated,)))
        for tenant in (SCOPE.tenant, "other"):
            catalog.contexts.put(tenant, "carried", text_hash("kept"), "written")
            catalog.contexts.put(tenant, "orphan", text_hash("never committed"), "about nobody's passage")
        catalog.commits.purge(SCOPE, ["a"])
        assert catalog.contexts.get(SCOPE.tenant, "carried") == "written"
        assert catalog.contexts.get(SCOPE.tenant, "orphan") is None
        assert catalog.contexts.get("other", "orphan") == "about nobody's passage"

    # --- vectors, queue, contexts, usage, sources ---------------------------------------------------------------

    def test_a_vector_is_stored_once_per_tenant_text_and_model(self, catalog: Catalog) -> None:
        catalog.vectors.put("t", "m", {"h1": b"\x00\x01", "h2": b""})
        catalog.vectors.put("t", "m", {"h1": b"other"})
        catalog.vectors.put("t", "n", {"h1": b"n"})
        assert catalog.vectors.get("t", "m", ["h1", "h2", "h3"]) == {"h1": b"\x00\x01", "h2": b""}
        assert catalog.vectors.get("u", "m", ["h1"]) == {}
        assert catalog.vectors.get("t", "m", []) == {}
        assert catalog.vectors.counts("t") == {"m": 2, "n": 1}

    def test_a_text_is_queued_once_per_tenant_and_model(self, catalog: Catalog) -> None:
        one, two = queue_texts(catalog, "one", "two")
        assert catalog.queue.add(SCOPE, "m", {one: "one", two: "two"}, upto=1) == 0
        assert catalog.queue.add(SCOPE, "other model", {one: "one"}, upto=1) == 1
        assert totals(catalog)["waiting"] == 3
        assert totals(catalog, "m")["waiting"] == catalog.queue.counts("m", tenant=SCOPE.tenant)["waiting"] == 2
        assert catalog.queue.counts("m", tenant="other")["waiting"] == 0
        assert catalog.queue.claim("other", "m", 9, lease_seconds=60) == ()
        assert [job.text for job in catalog.queue.claim(SCOPE.tenant, "m", 9, lease_seconds=60)] == ["one", "two"]

    def test_what_has_its_vector_or_is_not_in_the_library_is_not_queued(self, catalog: Catalog) -> None:
        commit(catalog, put("a", "one"), put("b", "two"))
        catalog.vectors.put(SCOPE.tenant, "m", {text_hash("one"): b"1"})
        texts = {text_hash(text): text for text in ("one", "two", "purged meanwhile")}
        assert catalog.queue.add(SCOPE, "m", texts, upto=1) == 1
        assert [job.text for job in catalog.queue.claim(SCOPE.tenant, "m", 9, lease_seconds=60)] == ["two"]

    def test_the_queue_remembers_up_to_which_revision_births_are_in_it(self, catalog: Catalog) -> None:
        other = replace(SCOPE, repository="other")
        assert catalog.queue.enqueued(SCOPE, "m") == 0
        assert catalog.queue.add(SCOPE, "m", {}, upto=3) == 0
        assert catalog.queue.enqueued(SCOPE, "m") == 0, "there is no such repository"
        for scope in (SCOPE, other):
            commit(catalog, put("a", "one"), scope=scope)
        catalog.queue.add(SCOPE, "m", {}, upto=3)
        catalog.queue.add(SCOPE, "m", {}, upto=2)
        assert catalog.queue.enqueued(SCOPE, "m") == 3
        assert catalog.queue.enqueued(SCOPE, "n") == catalog.queue.enqueued(other, "m") == 0

    def test_a_job_is_claimed_by_one_worker_until_its_lease_lapses(self, catalog: Catalog) -> None:
        queue_texts(catalog, "one", "two", "three")
        first = catalog.queue.claim(SCOPE.tenant, "m", 2, lease_seconds=0.05)
        assert [(job.text, job.attempts) for job in first] == [("one", 0), ("two", 0)]
        assert [job.text for job in catalog.queue.claim(SCOPE.tenant, "m", 9, lease_seconds=60)] == ["three"]
        assert catalog.queue.claim(SCOPE.tenant, "m", 9, lease_seconds=60) == ()
        assert catalog.queue.finish({first[0]: b"1"}) == 1
        time.sleep(0.06)
        assert totals(catalog)["waiting"] == 1
        assert catalog.queue.claim(SCOPE.tenant, "m", 9, lease_seconds=60) == (first[1],)
        assert totals(catalog) == {"waiting": 0, "claimed": 2, "parked": 0, "oldest_seconds": 0}

    def test_starting_counts_the_attempt_and_renews_the_lease(self, catalog: Catalog) -> None:
        queue_texts(catalog, "one", "two")
        one, two = catalog.queue.claim(SCOPE.tenant, "m", 9, lease_seconds=0.05)
        (started,) = catalog.queue.start([one], lease_seconds=60)
        assert started == replace(one, attempts=1)
        time.sleep(0.06)
        assert catalog.queue.claim(SCOPE.tenant, "m", 9, lease_seconds=60) == (two,)
        catalog.queue.finish({two: b"2"})
        assert catalog.queue.start([one, two], lease_seconds=0) == (replace(one, attempts=2),)
        assert catalog.queue.claim(SCOPE.tenant, "m", 9, lease_seconds=60) == (replace(one, attempts=2),)

    def test_finishing_stores_the_vector_and_takes_the_job_in_one(self, catalog: Catalog) -> None:
        one, two = queue_texts(catalog, "one", "two")
        jobs = catalog.queue.claim(SCOPE.tenant, "m", 9, lease_seconds=0)
        assert catalog.queue.finish({jobs[0]: b"1"}) == 1
        assert catalog.queue.finish({jobs[0]: b"late", jobs[1]: b"2"}) == 1
        assert catalog.vectors.get(SCOPE.tenant, "m", [one, two]) == {one: b"1", two: b"2"}
        assert totals(catalog) == {"waiting": 0, "claimed": 0, "parked": 0, "oldest_seconds": 0}

    def test_a_text_purged_while_it_is_embedded_gets_no_vector(self, catalog: Catalog) -> None:
        (one,) = queue_texts(catalog, "one")
        jobs = catalog.queue.claim(SCOPE.tenant, "m", 9, lease_seconds=60)
        catalog.commits.purge(SCOPE, ["one"])
        assert catalog.queue.start(jobs, lease_seconds=60) == ()
        assert catalog.queue.finish({jobs[0]: b"1"}) == 0
        assert catalog.vectors.get(SCOPE.tenant, "m", [one]) == {}

    def test_a_released_job_can_be_claimed_at_once_and_its_attempt_did_not_happen(self, catalog: Catalog) -> None:
        queue_texts(catalog, "one", "two")
        one, two = catalog.queue.claim(SCOPE.tenant, "m", 9, lease_seconds=60)
        catalog.queue.start([one], lease_seconds=60)
        catalog.queue.failed(two, "busy", retry_seconds=60)
        catalog.queue.release([one, two])
        assert catalog.queue.claim(SCOPE.tenant, "m", 9, lease_seconds=60) == (one,)

    def test_a_failed_job_waits_or_is_parked_with_its_reason(self, catalog: Catalog) -> None:
        queue_texts(catalog, "one", "two")
        one, two = catalog.queue.claim(SCOPE.tenant, "m", 2, lease_seconds=60)
        catalog.queue.failed(one, "too long", retry_seconds=None)
        catalog.queue.failed(two, "busy", retry_seconds=0.05)
        assert catalog.queue.claim(SCOPE.tenant, "m", 9, lease_seconds=60) == ()
        counts = {"waiting": 1, "claimed": 0, "parked": 1, "oldest_seconds": 0}
        assert totals(catalog) | {"oldest_seconds": 0} == counts
        time.sleep(0.06)
        (again,) = catalog.queue.claim(SCOPE.tenant, "m", 9, lease_seconds=60)
        assert (again.text, again.error) == ("two", "busy")

    def test_parked_jobs_are_listed_and_can_be_tried_again(self, catalog: Catalog) -> None:
        queue_texts(catalog, "one", "two")
        jobs = catalog.queue.start(catalog.queue.claim(SCOPE.tenant, "m", 9, lease_seconds=60), lease_seconds=60)
        for job in jobs:
            catalog.queue.failed(job, "too long", retry_seconds=None)
        assert catalog.queue.parked(SCOPE.tenant, "m", 1) == (replace(jobs[0], error="too long"),)
        assert catalog.queue.parked("other", "m", 9) == catalog.queue.parked(SCOPE.tenant, "n", 9) == ()
        assert catalog.queue.retry_parked("other", "m") == catalog.queue.retry_parked(SCOPE.tenant, "n") == 0
        assert catalog.queue.retry_parked(SCOPE.tenant, "m") == 2
        again = catalog.queue.claim(SCOPE.tenant, "m", 9, lease_seconds=60)
        assert [(job.text, job.attempts) for job in again] == [("one", 0), ("two", 0)]
        assert catalog.queue.parked(SCOPE.tenant, "m", 9) == ()

    def test_the_model_in_use_is_recorded_by_a_switch_and_outlives_a_closing(self, tmp_path: Path) -> None:
        catalog = self.make_catalog(tmp_path)
        assert (
            as_operator(catalog, lambda o: o.models.in_use()),
            as_operator(catalog, lambda o: o.models.history()),
        ) == (None, ())
        old, new = EmbeddingModel("old", "o"), EmbeddingModel("new", "n")
        assert as_operator(catalog, lambda o: o.models.switch(new, instead_of=old))
        assert not as_operator(catalog, lambda o: o.models.switch(replace(new, name="moved"), instead_of=old))
        catalog.close()
        again = self.make_catalog(tmp_path)
        first, second = as_operator(again, lambda o: o.models.history())
        assert first == old and second == as_operator(again, lambda o: o.models.in_use()) == EmbeddingModel(
            "moved", "n", second.since
        )
        assert second.since > 0
        assert (
            as_operator(again, lambda o: o.models.switch(old))
            and as_operator(again, lambda o: o.models.in_use()) != old
        ), "it has a time of its own"
        assert [model.name for model in as_operator(again, lambda o: o.models.history())] == ["old", "moved", "old"]
        again.close()

    def test_recording_the_model_that_was_used_all_along_is_no_switch(self, catalog: Catalog) -> None:
        queue_texts(catalog, "one")
        same = EmbeddingModel("m", "m")
        assert not as_operator(catalog, lambda o: o.models.switch(same, instead_of=same))
        assert as_operator(catalog, lambda o: o.models.history()) == (same,)
        assert totals(catalog, "m")["waiting"] == 1

    def test_a_switch_takes_the_jobs_of_the_model_before_and_going_back_queues_them_anew(
        self, catalog: Catalog
    ) -> None:
        one, two = queue_texts(catalog, "one", "two")
        (claimed,) = catalog.queue.claim(SCOPE.tenant, "m", 1, lease_seconds=60)
        catalog.queue.add(SCOPE, "n", {one: "one"}, upto=1)
        as_operator(catalog, lambda o: o.models.switch(EmbeddingModel("n", "n"), instead_of=EmbeddingModel("m", "m")))
        assert (totals(catalog, "m")["claimed"], totals(catalog, "m")["waiting"]) == (0, 0)
        assert totals(catalog, "n")["waiting"] == 1
        assert catalog.queue.finish({claimed: b"late"}) == 0
        assert catalog.queue.enqueued(SCOPE, "m") == 0, "who goes back must queue everything again"
        assert catalog.queue.add(SCOPE, "m", {one: "one", two: "two"}, upto=1) == 2

    def test_a_model_is_forgotten_with_its_vectors_and_jobs_of_all_tenants(self, catalog: Catalog) -> None:
        one, _ = queue_texts(catalog, "one", "two")
        for tenant in (SCOPE.tenant, "other"):
            catalog.vectors.put(tenant, "m", {one: b"123", "h": b"45"})
            catalog.vectors.put(tenant, "n", {one: b"6"})
        as_operator(catalog, lambda o: o.models.switch(EmbeddingModel("n", "n")))
        assert as_operator(catalog, lambda o: o.models.stored()) == ("m", "n")
        with pytest.raises(Conflict, match="in use"):
            as_operator(catalog, lambda o: o.models.forget("n"))
        assert as_operator(catalog, lambda o: o.models.forget("m")) == Forgotten(vectors=4, bytes=10, jobs=2)
        assert as_operator(catalog, lambda o: o.models.forget("m")) == Forgotten()
        assert as_operator(catalog, lambda o: o.models.stored()) == ("n",)
        assert catalog.queue.enqueued(SCOPE, "m") == 0
        assert catalog.vectors.get("other", "n", [one]) == {one: b"6"}

    def test_contexts_are_remembered_per_tenant(self, catalog: Catalog) -> None:
        catalog.contexts.put("t", "k", "h", "first")
        catalog.contexts.put("t", "k", "h", "second")
        assert catalog.contexts.get("t", "k") == "second"
        assert catalog.contexts.get("u", "k") is None

    def test_usage_is_summed_over_days(self, catalog: Catalog) -> None:
        call = Usage("anthropic", "haiku", "context", 1, 100, 90, 10, 5)
        for day in ("2026-01-30", "2026-01-31", "2026-01-31", "2026-02-01"):
            catalog.usage.add("t", day, call)
        catalog.usage.add("t", "2026-01-31", replace(call, provider="a"))
        assert catalog.usage.total("t", since="2026-01-31", until="2026-01-31") == (
            replace(call, provider="a"),
            Usage("anthropic", "haiku", "context", 2, 200, 180, 20, 10),
        )
        assert [usage.calls for usage in catalog.usage.total("t")] == [1, 4]
        assert catalog.usage.total("u") == ()
        with pytest.raises(InvalidArgument):
            catalog.usage.add("t", "31.01.2026", call)

    # --- sources ----------------------------------------------------------------------------------------------

    def test_a_commit_remembers_its_sources_and_only_what_changed(self, catalog: Catalog) -> None:
        one = SourceItem("a.md", 1, 2, "h", "r", '{"etag": "x"}')
        two = SourceItem("rows.jsonl", 2**40, 2**60, "h", "r", elements=2)
        rows = gave("b", "rows.jsonl", "d1"), gave("c", "rows.jsonl", "d2", "edge")
        assert catalog.sources.items(SCOPE, "docs") == {}
        made = remember(
            catalog, SourceChange("docs", items=(one, two), elements=(gave("a", "a.md"), *rows)), put("a", "one")
        )
        assert (made.revision, made.changed) == (1, True)
        assert catalog.sources.items(SCOPE, "docs") == {"a.md": one, "rows.jsonl": two}
        assert catalog.sources.elements(SCOPE, "docs", ["rows.jsonl"]) == rows
        touched = replace(one, mtime_ns=3)
        made = remember(catalog, SourceChange("docs", items=(touched,), elements_removed=("b",)))
        assert (made.revision, made.changed, made.outcomes) == (1, False, ()), "memory alone makes no revision"
        assert catalog.sources.items(SCOPE, "docs") == {"a.md": touched, "rows.jsonl": two}
        assert catalog.sources.elements(SCOPE, "docs", ["a.md", "rows.jsonl"]) == (gave("a", "a.md"), rows[1])
        assert catalog.sources.owners(SCOPE, ["a", "b", "c"]) == {
            "a": ("docs", gave("a", "a.md")),
            "c": ("docs", rows[1]),
        }
        assert catalog.sources.items(replace(SCOPE, organization="x"), "docs") == {}
        assert catalog.sources.owners(replace(SCOPE, organization="x"), ["a"]) == {}

    def test_elements_of_an_item_come_in_pages(self, catalog: Catalog) -> None:
        many = tuple(gave(f"e{number}", f"{number % 2}.jsonl") for number in range(9))
        remember(catalog, SourceChange("docs", elements=many))
        page = catalog.sources.elements(SCOPE, "docs", ["1.jsonl"], limit=2)
        assert [item.element_id for item in page] == ["e1", "e3"]
        page = catalog.sources.elements(SCOPE, "docs", ["0.jsonl", "1.jsonl"], after="e6", limit=9)
        assert [item.element_id for item in page] == ["e7", "e8"]
        assert catalog.sources.elements(SCOPE, "docs", []) == ()

    def test_an_item_counts_as_unread_until_it_was_read_to_its_end(self, catalog: Catalog) -> None:
        remember(catalog, SourceChange("docs", elements=(gave("a", "rows.jsonl", "d1"),)))
        assert catalog.sources.items(SCOPE, "docs") == {"rows.jsonl": SourceItem("rows.jsonl")}
        whole = SourceItem("rows.jsonl", 5, 6, "h", "r", elements=2)
        remember(catalog, SourceChange("docs", items=(whole,), elements=(gave("b", "rows.jsonl", "d2"),)))
        assert catalog.sources.items(SCOPE, "docs") == {"rows.jsonl": whole}
        remember(catalog, SourceChange("docs", elements=(gave("b", "rows.jsonl", "d3"),)))
        assert catalog.sources.items(SCOPE, "docs") == {"rows.jsonl": whole}, "only what was said has changed"

    def test_an_element_moves_between_items_of_its_source(self, catalog: Catalog) -> None:
        remember(catalog, SourceChange("docs", elements=(gave("a", "one"), gave("b", "one"))))
        remember(catalog, SourceChange("docs", elements=(gave("a", "two"),), items_removed=("one",)))
        assert catalog.sources.owners(SCOPE, ["a", "b"]) == {"a": ("docs", gave("a", "two"))}
        assert set(catalog.sources.items(SCOPE, "docs")) == {"two"}

    def test_an_element_belongs_to_one_source(self, catalog: Catalog) -> None:
        remember(catalog, SourceChange("docs", elements=(gave("a", "a.md"),)), put("a", "one"))
        with pytest.raises(Conflict, match="'a' belongs to another source"):
            remember(catalog, SourceChange("other", elements=(gave("a", "a.md"),)), put("a", "two"), put("b", "two"))
        assert catalog.sources.items(SCOPE, "other") == {}
        assert (text_at(catalog, 1, "a"), catalog.repositories.ensure(SCOPE).head) == ("one", 1), "nothing was changed"
        remember(catalog, SourceChange("other", elements_removed=("a",), items_removed=("a.md",)))
        assert set(catalog.sources.owners(SCOPE, ["a"])) == {"a"}, "a source forgets what is its own only"

    def test_a_source_takes_over_what_another_one_gave(self, catalog: Catalog) -> None:
        own, both = SourceItem("b.md", 1, 1, "h", "r"), SourceItem("c.md", 2, 2, "h", "r")
        remember(
            catalog,
            SourceChange(
                "old", items=(SourceItem("a.md", 1, 1, "h"), both), elements=(gave("a", "a.md"), gave("c", "c.md"))
            ),
            SourceChange("new", items=(own, both), elements=(gave("b", "b.md"), gave("new/c", "c.md"))),
        )
        remember(catalog, SourceChange("new", take_over="old", elements=(gave("a", "a.md", "d"),)), put("a", "one"))
        assert catalog.sources.items(SCOPE, "old") == {}
        items = catalog.sources.items(SCOPE, "new")
        assert items == {"a.md": SourceItem("a.md", 1, 1, "h"), "b.md": own, "c.md": items["c.md"]}
        assert (items["c.md"].digest, items["c.md"].size) == ("", -1), "both had it, so it is read again"
        owners = catalog.sources.owners(SCOPE, ["a", "b", "c", "new/c"])
        assert {element_id: (source, e.item) for element_id, (source, e) in owners.items()} == {
            "a": ("new", "a.md"), "b": ("new", "b.md"), "c": ("new", "c.md"), "new/c": ("new", "c.md"),
        }  # fmt: skip
        assert owners["a"][1].digest == "d"

    def test_all_that_is_alive_of_many_elements_comes_at_once(self, catalog: Catalog) -> None:
        spring = date(2026, 3, 1)
        commit(catalog, put("a", state("new", roles=("hr",), start=spring), state("old", end=spring)), put("b", "two"))
        commit(catalog, RemoveElement("b"))
        found = catalog.elements.alive(SCOPE, 1, ["a", "b", "c"])
        assert {name: [s.content.text for s in states] for name, states in found.items()} == {
            "a": ["old", "new"], "b": ["two"],
        }  # fmt: skip
        old, new = (alive.lifetime for alive in found["a"])
        assert (old.valid_to, new.valid_from, new.roles, new.recipe) == (spring, spring, frozenset({"hr"}), "r1")
        assert set(catalog.elements.alive(SCOPE, 2, ["a", "b"])) == {"a"}
        assert catalog.elements.alive(SCOPE, 1, []) == {}
        assert catalog.elements.alive(replace(SCOPE, organization="x"), 1, ["a"]) == {}

    def test_a_commit_for_another_head_changes_nothing(self, catalog: Catalog) -> None:
        first = Commit((put("a", "one"),), message_ids=("m",), expected_head=0)
        assert catalog.commits.commit(SCOPE, first).revision == 1
        late = Commit((put("a", "two"),), sources=(SourceChange("s", elements=(gave("a", "i"),)),), expected_head=0)
        with pytest.raises(HeadMoved) as raised:
            catalog.commits.commit(SCOPE, late)
        assert (raised.value.expected, raised.value.found, raised.value.code) == (0, 1, "conflict")
        assert "revision 1" in raised.value.message
        assert "revision 0" in raised.value.message
        assert catalog.sources.items(SCOPE, "s") == {}
        assert text_at(catalog, 1, "a") == "one"
        assert not catalog.commits.commit(SCOPE, first).changed, "a commit that is sent again is a duplicate"
        assert catalog.commits.commit(SCOPE, replace(late, expected_head=1)).revision == 2

    def test_a_purge_forgets_which_item_gave_the_element(self, catalog: Catalog) -> None:
        rows = SourceItem("rows.jsonl", 1, 1, "h", "r", elements=2)
        given = gave("a", "rows.jsonl"), gave("b", "rows.jsonl"), gave("c", "c.md")
        remember(
            catalog,
            SourceChange("docs", items=(rows, SourceItem("c.md", 1, 1, "h")), elements=given),
            *(put(element_id, "one") for element_id in "abc"),
        )
        catalog.commits.purge(SCOPE, ["a", "c"])
        items = catalog.sources.items(SCOPE, "docs")
        assert set(items) == {"rows.jsonl"}, "an item that gave nothing else is forgotten with its name"
        assert (items["rows.jsonl"].digest, items["rows.jsonl"].size) == ("", -1), "any other one is read again"
        assert set(catalog.sources.owners(SCOPE, ["a", "b", "c"])) == {"b"}

    def test_outcomes_say_which_elements_are_new(self, catalog: Catalog) -> None:
        assert commit(catalog, put("a", "one")).outcomes[0].added
        made = commit(catalog, put("a", "two"), put("b", "two"), RemoveElement("a"), put("a", "three"))
        assert [outcome.added for outcome in made.outcomes] == [False, True, False, True]

    def test_words_are_kept_by_repository_and_model_and_the_first_vector_stays(self, catalog: Catalog) -> None:
        beside = replace(SCOPE, repository="other")
        commit(catalog, put("a", "one"))
        assert catalog.words.put(SCOPE, "m", {"Straße": b"1", "rue": b"2"}, purges=0)
        assert catalog.words.put(SCOPE, "m", {"rue": b"9", "way": b"3"}, purges=0)
        assert catalog.words.put(SCOPE, "n", {"rue": b"4"}, purges=0)
        wanted = ["Straße", "rue", "way", "straße", "none"]
        assert catalog.words.get(SCOPE, "m", wanted) == {"Straße": b"1", "rue": b"2", "way": b"3"}
        assert catalog.words.get(beside, "m", wanted) == {}
        assert catalog.words.get(SCOPE, "m", []) == {}
        catalog.words.forget(SCOPE, "m")
        assert (catalog.words.get(SCOPE, "m", wanted), catalog.words.get(SCOPE, "n", wanted)) == ({}, {"rue": b"4"})
        catalog.words.forget(SCOPE)
        assert catalog.words.get(SCOPE, "n", wanted) == {}

    def test_a_purge_forgets_the_words_of_its_repository_and_late_ones_are_not_kept(self, catalog: Catalog) -> None:
        beside = replace(SCOPE, repository="other")
        for scope in (SCOPE, beside):
            commit(catalog, put("a", "one"), scope=scope)
            catalog.words.put(scope, "m", {"secret": b"1"}, purges=0)
        catalog.commits.purge(SCOPE, ["a"])
        assert not catalog.words.put(SCOPE, "m", {"secret": b"1"}, purges=0), "learned before the purge"
        assert catalog.words.get(SCOPE, "m", ["secret"]) == {}
        assert catalog.words.get(beside, "m", ["secret"]) == {"secret": b"1"}
        assert catalog.words.put(SCOPE, "m", {"new": b"2"}, purges=1)

    def test_a_model_that_is_forgotten_takes_its_words_along(self, catalog: Catalog) -> None:
        commit(catalog, put("a", "one"))
        for model in ("m", "n"):
            catalog.words.put(SCOPE, model, {"one": b"1"}, purges=0)
        as_operator(catalog, lambda operator: operator.models.forget("m"))
        assert [catalog.words.get(SCOPE, model, ["one"]) for model in ("m", "n")] == [{}, {"one": b"1"}]

    # --- upkeep -----------------------------------------------------------------------------------------------

    def test_a_catalog_exists_once_it_was_opened(self, tmp_path: Path) -> None:
        elsewhere = self.address(tmp_path / "elsewhere")
        assert not self.engine.exists(elsewhere)
        assert not self.engine.exists(elsewhere), "to ask makes nothing"
        self.make_catalog(tmp_path / "elsewhere").close()
        assert self.engine.exists(elsewhere)

    def test_a_setting_that_the_engine_does_not_know_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(InvalidArgument):
            self.engine.open(self.address(tmp_path / "elsewhere"), {"no_such_setting": 1})
        assert not self.engine.exists(self.address(tmp_path / "elsewhere"))

    def test_upkeep_changes_nothing_that_is_read(self, catalog: Catalog) -> None:
        commit(catalog, put("a", "one"), put("b", "two"))
        catalog.commits.purge(SCOPE, ["b"])
        catalog.upkeep()
        assert not catalog.traces_pending()
        assert text_at(catalog, 1, "a") == "one"
        assert catalog.check() == ()

    def test_a_backup_opens_as_the_same_catalog(self, catalog: Catalog, tmp_path: Path) -> None:
        commit(catalog, put("a", "one"))
        target = tmp_path / "backup"
        catalog.backup(target)
        files = sorted(target.rglob("*"))
        commit(catalog, put("a", "two"))
        catalog.backup(target)
        assert sorted(target.rglob("*")) == files, "a second copy takes the place of the first"
        assert not self.engine.exists(self.address(tmp_path / "restored"))
        self.engine.restore(target, self.address(tmp_path / "restored"))
        assert self.engine.exists(self.address(tmp_path / "restored"))
        copy = self.make_catalog(tmp_path / "restored")
        assert (copy.library_id, text_at(copy, 2, "a")) == (catalog.library_id, "two")
        assert copy.check() == ()
        copy.close()


# --- the model of the property test ---------------------------------------------------------------------------

_MIDDLE = date(2026, 1, 1)
_TEXTS = st.sampled_from(["x", "y"])
_ROLES = st.sampled_from([(), ("judge",)])
_IDS = st.sampled_from(["a", "b", "c"])
_CHANGES: st.SearchStrategy[Change] = st.one_of(
    st.builds(RemoveElement, _IDS),
    st.builds(put, _IDS, st.builds(state, _TEXTS, st.sampled_from(["r1", "r2"]), _ROLES)),
    st.builds(
        put, _IDS, st.builds(state, _TEXTS, end=st.just(_MIDDLE)), st.builds(state, _TEXTS, start=st.just(_MIDDLE))
    ),
    st.builds(lambda i, s, t: PutRelation(Relation(i, "cites", s, t)), st.sampled_from("12"), _IDS, _IDS),
    st.builds(RemoveRelation, st.sampled_from("12")),
)


class Model:
    """What is alive: states by element, relations by id."""

    def __init__(
        self, elements: dict[str, frozenset[str]] | None = None, relations: dict[str, Relation] | None = None
    ) -> None:
        self.elements = elements or {}
        self.relations = relations or {}
        self.states: dict[str, tuple[State, ...]] = {}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Model) and (self.elements, self.relations) == (other.elements, other.relations)

    __hash__ = None  # type: ignore[assignment]

    def visible(self, valid_at: date, roles: frozenset[str] | None) -> tuple[str, ...]:
        return tuple(
            sorted(
                element_id
                for element_id in self.elements
                if any(
                    (s.valid_from is None or s.valid_from <= valid_at)
                    and (s.valid_to is None or valid_at < s.valid_to)
                    and (roles is None or not s.roles or s.roles & roles)
                    for s in self.states[element_id]
                )
            )
        )


def _applied(model: Model, change: Change) -> Model:
    after = Model(dict(model.elements), dict(model.relations))
    after.states = dict(model.states)
    match change:
        case PutElement(element_id, states):
            after.elements[element_id] = frozenset(map(repr, states))
            after.states[element_id] = states
        case RemoveElement(element_id):
            if after.elements.pop(element_id, None) is not None:
                after.relations = {k: r for k, r in after.relations.items() if r.source != element_id}
        case PutRelation(relation):
            after.relations[relation.relation_id] = relation
        case RemoveRelation(relation_id):
            after.relations.pop(relation_id, None)
    return after


def _same_at_every_revision(catalog: Catalog, models: list[Model]) -> None:
    for revision, model in enumerate(models):
        for valid_at in (date(2025, 12, 31), _MIDDLE):
            for roles in (None, frozenset[str](), frozenset({"judge"})):
                here = view(revision, valid_at, roles)
                assert catalog.elements.ids(here) == model.visible(valid_at, roles)
            owner = view(revision, valid_at)
            for element_id in model.elements:
                expected = sorted(
                    (r for r in model.relations.values() if r.source == element_id), key=lambda r: r.relation_id
                )
                assert list(catalog.relations.of(owner, element_id, "out")) == expected


def _feed_rebuilds_every_lifetime(catalog: Catalog, steps: list[int]) -> None:
    """Rolling forward in any steps ends with the lifetimes that the histories tell."""
    rebuilt: dict[int, tuple[str, int, int]] = {}
    for after, upto in pairwise(steps):
        for birth in catalog.feed.births(SCOPE, after, upto):
            life = birth.lifetime
            assert life.lifetime_id not in rebuilt
            rebuilt[life.lifetime_id] = (life.element_id, life.born, life.died)
        for death in catalog.feed.deaths(SCOPE, after, upto):
            element_id, born, died = rebuilt[death.lifetime_id]
            assert died == FOREVER
            rebuilt[death.lifetime_id] = (element_id, born, death.died)
    told = {
        life.lifetime_id: (life.element_id, life.born, life.died)
        for element_id in "abc"
        for life in catalog.elements.history(SCOPE, element_id)
    }
    assert rebuilt == told
