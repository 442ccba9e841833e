"""What a catalog says of many things at once is what it says of each: part of `CatalogContract`."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from pincite.errors import InvalidArgument
from pincite.protocols import Catalog
from pincite.types import (
    Alias,
    Around,
    Called,
    Chunk,
    Commit,
    Content,
    CutVersion,
    Definition,
    Derivation,
    Lifetime,
    PutElement,
    PutRelation,
    Relation,
    RemoveElement,
    Scope,
    Span,
    State,
    View,
)

HERE = Scope("acme", "legal", "here")
THERE = Scope("acme", "legal", "there")
NEVER = Scope("acme", "legal", "never")
DAY = date(2026, 1, 31)
NOBODY: frozenset[str] = frozenset()


def document(element_id: str, text: str, *, roles: tuple[str, ...] = (), target: str = "b") -> PutElement:
    """Three chunks, the last with a definition; names of the whole, of a section and of a place; one reference."""
    third = len(text) // 3
    spans = (Span(0, third), Span(third, 2 * third), Span(2 * third, len(text)))
    derivation = Derivation(
        "r1",
        tuple(Chunk(n, span, None, f"s{n}", ("Title",), "text", "en", n, "") for n, span in enumerate(spans)),
        (Definition("Term", f"as {element_id} says", 2, Span(2 * third, len(text)), "section"),),
        (Alias(f"Work {element_id}"), Alias("S 1", "s1"), Alias("S 1(a)", "s1", Span(third, third + 1))),
        (Relation(f"{element_id}-says", "refers_to", element_id, target),),
    )
    content = Content("document", "page", element_id, text, "en", {"date": "2026-01-01", "of": element_id})
    return PutElement(element_id, (State(content, derivation, frozenset(roles)),))


class BatchContract:
    """Batch reads, each compared with the reads of one."""

    @pytest.fixture
    def filled(self, catalog: Catalog) -> Catalog:
        """Two repositories of three revisions: what lives, what changed, what died, what not everybody may read."""
        for scope in (HERE, THERE):
            changes = (document("a", "one " * 9), document("é", "two " * 9, target="a"), document("gone", "x" * 9))
            secret = document("secret", "who " * 9, roles=("judge",), target="a")
            stated = PutRelation(Relation("stated", "cites", "a", "é"))
            catalog.commits.commit(scope, Commit((*changes, secret, stated)))
            catalog.commits.commit(scope, Commit((document("a", f"newer in {scope.repository} " * 3),)))
            catalog.commits.commit(scope, Commit((RemoveElement("gone"),)))
        catalog.commits.commit(HERE, Commit((document("later", "z" * 30),)))
        return catalog

    def test_many_elements_are_those_that_each_view_sees(self, filled: Catalog) -> None:
        ids = ("a", "e\u0301", "gone", "secret", "never")
        views = [View(scope, r, DAY, roles) for scope in (HERE, THERE) for r in (0, 1, 3) for roles in (None, NOBODY)]
        found = filled.elements.get_many(dict.fromkeys(views, ids))
        assert list(found) == views
        for view in views:
            each = [filled.elements.get(view, element_id) for element_id in ids]
            assert found[view] == {live.version.element_id: live for live in each if live}
        assert sorted(found[View(HERE, 1, DAY, NOBODY)]) == ["a", "gone", "é"]
        assert filled.elements.get_many({}) == {}

    def test_excerpts_hold_the_chunks_asked_for_and_those_with_definitions(self, filled: Catalog) -> None:
        old, new = filled.elements.get(View(HERE, 1, DAY), "a"), filled.elements.get(View(THERE, 3, DAY), "a")
        gone = filled.elements.get(View(HERE, 1, DAY), "gone")
        assert old and new and gone
        cuts = [cut_of(HERE, old.lifetime), cut_of(THERE, new.lifetime), cut_of(HERE, gone.lifetime)]
        found = filled.elements.excerpts({cuts[0]: [0], cuts[1]: [0, 1, 7], cuts[2]: []}, names=True)
        assert list(found) == cuts
        for cut, live, numbers in zip(cuts, (old, new, gone), ((0, 2), (0, 1, 2), (2,)), strict=True):
            assert found[cut].version == live.version
            assert found[cut].lifetime == filled.elements.history(cut.scope, cut.element_id)[live is new]
            assert dict(found[cut].chunks) == {number: live.derivation.chunks[number] for number in numbers}
            assert found[cut].definitions == live.derivation.definitions
            assert found[cut].names == live.derivation.aliases[:2], "places inside a section are left out"
        assert filled.elements.excerpts({cuts[0]: [1]})[cuts[0]].names == ()

    def test_excerpts_of_what_is_not_there_are_left_out(self, filled: Catalog) -> None:
        live = filled.elements.get(View(HERE, 3, DAY), "a")
        assert live
        cut = cut_of(HERE, live.lifetime)
        strange = (
            cut._replace(scope=NEVER),
            cut._replace(element_id="b"),
            cut._replace(version_id="0" * 64),
            cut._replace(recipe="other"),
        )
        assert filled.elements.excerpts({cut: [0] for cut in strange}) == {}
        assert filled.elements.excerpts({}) == {}
        other = filled.elements.get(View(HERE, 3, DAY), "é")
        assert other
        mixed = cut._replace(lifetime_id=other.lifetime.lifetime_id)
        assert filled.elements.excerpts({mixed: [0]})[mixed].lifetime is None, "the lifetime of another is not its own"
        filled.commits.purge(HERE, ["a"])
        assert filled.elements.excerpts({cut: [0]}) == {}
        assert filled.elements.headers([cut]) == {}

    def test_headers_are_versions_without_their_texts(self, filled: Catalog) -> None:
        lives = [filled.elements.get(View(scope, 3, DAY), "é") for scope in (HERE, THERE)]
        cuts = [cut_of(live.version.scope, live.lifetime) for live in lives if live]
        never = cuts[0]._replace(version_id="0" * 64)
        found = filled.elements.headers([*cuts, never])
        known = [replace(live.version.content, text="") for live in lives if live]
        assert found == dict(zip(cuts, known, strict=True))
        assert filled.elements.headers([]) == {}

    def test_relations_of_many_are_those_of_each(self, filled: Catalog) -> None:
        views = [View(scope, r, DAY, roles) for scope in (HERE, THERE) for r in (1, 3) for roles in (None, NOBODY)]
        ids = ("a", "e\u0301", "gone", "secret", "never")
        answers = filled.relations.of_many([Around(view, ids, ("a", "b")) for view in views])
        for view, edges in zip(views, answers, strict=True):
            out = [relation for element_id in ids for relation in filled.relations.of(view, element_id, "out")]
            incoming = [relation for target in ("a", "b") for relation in filled.relations.of(view, target, "in")]
            singly = {relation.relation_id: relation for relation in (*out, *incoming)}
            assert edges.relations == tuple(singly[key] for key in sorted(singly))
            ends = {end for relation in edges.relations for end in (relation.source, relation.target)}
            assert {end for end in ends if filled.elements.get(view, end)} == edges.elements & ends
        assert filled.relations.of_many([]) == ()

    def test_what_many_names_lead_to_is_what_each_leads_to(self, filled: Catalog) -> None:
        views = [View(scope, r, DAY, roles) for scope in (HERE, THERE) for r in (1, 3) for roles in (None, NOBODY)]
        ids, names = ("a", "é", "gone", "secret", "never"), ("WORK a", "work secret", "s 1", "unheard of", "Work É")
        answers = filled.relations.called([Called(view, ids, names) for view in views])
        for view, callees in zip(views, answers, strict=True):
            assert callees.named == {name: filled.relations.resolve(view, name) for name in names}
            assert callees.elements == {i for i in ids if filled.elements.get(view, i)}
        assert answers[0].named["WORK a"] == (("a", ""),)
        assert filled.relations.called([Called(views[0])])[0].named == {}

    def test_revisions_and_baselines_of_each_repository(self, filled: Catalog) -> None:
        for scope, name in ((HERE, "v1"), (THERE, "v1"), (HERE, "v2")):
            filled.baselines.create(scope, name)
        filled.baselines.publish(HERE, "v1")
        scopes = (HERE, THERE, NEVER)
        assert filled.baselines.of_each(scopes, "v1") == {s: filled.baselines.get(s, "v1") for s in (HERE, THERE)}
        assert filled.baselines.of_each(scopes, "v2") == {HERE: filled.baselines.get(HERE, "v2")}
        assert filled.baselines.of_each(scopes, None) == {HERE: filled.baselines.published(HERE)}
        numbered = filled.commits.revision_of_each({HERE: 4, THERE: 4, NEVER: 1})
        assert numbered == {HERE: filled.commits.revision(HERE, 4)}
        last = filled.commits.revision(THERE, 3)
        assert last
        for time in (0, last.time - 1, last.time, last.time + 10**9):
            each = {scope: filled.commits.revision_at(scope, time) for scope in scopes}
            assert filled.commits.revision_of_each_at(scopes, time) == {s: r for s, r in each.items() if r}
        assert filled.baselines.of_each((), None) == {}
        assert filled.commits.revision_of_each({}) == {}

    def test_named_repositories_are_listed_with_the_time_of_their_head(self, filled: Catalog) -> None:
        found = filled.repositories.list("acme", "legal", ["there", "never"])
        assert [info.scope for info in found] == [THERE]
        assert filled.repositories.list("acme", "legal", []) == ()
        listed = filled.repositories.list("acme", "legal")
        assert [info.scope for info in listed] == [HERE, THERE]
        for info in listed:
            assert info == filled.repositories.get(info.scope)
            head = filled.commits.revision(info.scope, info.head)
            assert head is not None and info.committed == head.time
        assert filled.repositories.ensure(replace(HERE, repository="new")).committed is None

    def test_half_a_character_is_refused_in_a_batch_as_in_one(self, filled: Catalog) -> None:
        view, bad = View(HERE, 1, DAY), "a\ud800"
        for ask in (
            lambda: filled.elements.get_many({view: [bad]}),
            lambda: filled.relations.of_many([Around(view, (bad,))]),
            lambda: filled.relations.called([Called(view, (bad,))]),
            lambda: filled.relations.called([Called(view, identifiers=(bad,))]),
            lambda: filled.repositories.list("acme", "legal", [bad]),
            lambda: filled.baselines.of_each([HERE], bad),
        ):
            with pytest.raises(InvalidArgument):
                ask()


def cut_of(scope: Scope, lifetime: Lifetime) -> CutVersion:
    """What an index would name, for one lifetime."""
    return CutVersion(scope, lifetime.element_id, lifetime.version_id, lifetime.recipe, lifetime.lifetime_id)
