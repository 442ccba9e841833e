"""Fusing and ranking in arrays gives what doing it one by one gives, to the last bit and in the same order."""

from __future__ import annotations

import pickle
from collections.abc import Sequence

import one_by_one
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import pincite
from desk import Desk
from pincite.queries import Finds, Found, Listed, Ranking, group_key
from pincite.search.candidates import Candidate, Candidates, at_least, found_by, in_order
from pincite.search.fuse import pool
from pincite.search.query import Query
from pincite.search.ranks import by_ranks
from pincite.search.rerank import weigh
from pincite.search.rrf import Ranks
from pincite.search.siblings import ENOUGH, passages_of
from pincite.types import Scope

SCOPES = (Scope(repository="one"), Scope(repository="two"))
SHARES = st.fixed_dictionaries(
    {}, optional={leg: st.sampled_from([0.0, 0.1, 0.3, 0.7, 1.0]) for leg in ("keyword", "dense", "related")}
)
# Few ids and few values: everything ties with something.
founds = st.builds(
    Found,
    st.sampled_from(SCOPES),
    st.sampled_from(["a", "b", "ä", "\U0001f600", "\uffff"]),
    st.sampled_from(["v1", "v2"]),
    st.just("r"),
    st.integers(1, 3),
    st.integers(0, 2),
    st.sampled_from([0.0, 0.1, 0.25, 1 / 3, 0.7, 1.0]),
    st.sampled_from([0.5, 1.0, 2.0, 3.0]),
    window=st.integers(-1, 2),
    elsewhere=st.sampled_from([0.0, 0.1]),
)
questions = st.fixed_dictionaries({"strict": st.booleans(), "quoted": st.booleans(), "points": st.booleans()})
groups = st.sampled_from(["element", "chunk"])
lifts = st.sampled_from([0.0, 0.2, 0.7])


@st.composite
def rankings(draw: st.DrawFn, group: str) -> tuple[Ranking, ...]:
    """What legs may find: best first, each group once; the exact leg may name several chunks of one."""
    out = []
    for leg in draw(st.permutations(["keyword", "dense", "related", "exact"])):
        if draw(st.booleans()):
            found = sorted(draw(st.lists(founds, max_size=8)), key=lambda item: -item.score)
            by = "chunk" if leg == "exact" else group
            if leg == "exact":
                found = [item._replace(window=-1, elsewhere=0.0) for item in found]
            distinct = {one_by_one.key_of(item, by): item for item in reversed(found)}
            out.append(Ranking(leg, tuple(sorted(distinct.values(), key=lambda item: -item.score))))
    return tuple(out)


@settings(max_examples=150, deadline=None)
@given(st.data(), groups, questions, SHARES, lifts)
def test_scores_signals_and_order_are_the_same(
    data: st.DataObject, group: str, how: dict, shares: dict, lifted: float
) -> None:
    found = data.draw(rankings(group))
    entries = list(one_by_one.pooled(found, group, **how).values())
    pooled = pool(found, group, **how)
    assert [(entry.found, entry.legs) for entry in pooled] == [(entry.found, entry.legs) for entry in entries]
    plain = one_by_one.ordered([one_by_one.by_signals(entry, shares, lifted) for entry in entries])
    assert bits(in_order(weigh(pooled, shares, "signals", lifted))) == bits(plain)
    ranked = one_by_one.ordered([one_by_one.by_rank(entry, shares) for entry in entries])
    assert bits(in_order(weigh(pooled, shares, "rrf"))) == bits(ranked)


@settings(max_examples=80, deadline=None)
@given(st.data(), groups, questions, st.tuples(*[st.sampled_from([0.0, 0.3, 1.0])] * 3).filter(any))
def test_stated_ranks_are_the_same(data: st.DataObject, group: str, how: dict, weights: tuple[float, ...]) -> None:
    found, ranks = data.draw(rankings(group)), Ranks(*weights)
    entries = list(one_by_one.pooled(found, group, **how).values())
    assert bits(by_ranks(pool(found, group, **how), ranks)) == bits(one_by_one.by_stated_ranks(entries, ranks))


@settings(max_examples=120, deadline=None)
@given(st.data(), questions, SHARES, lifts, st.sampled_from([0.0, 0.2, 0.5]))
def test_passages_of_a_hit_are_the_same(
    data: st.DataObject, how: dict, shares: dict, lifted: float, min_score: float
) -> None:
    found, asked = data.draw(rankings("element")), data.draw(rankings("chunk"))
    hits = in_order(weigh(pool(found, "element", **how), shares, "signals", lifted))[:3]
    assume(hits)
    by_element = {(hit.found.scope, hit.found.element_id): hit for hit in hits}
    parts = [one_by_one.as_found(entry, by_element) for entry in one_by_one.pooled(asked, "chunk", **how).values()]
    ranked = one_by_one.ordered([one_by_one.by_signals(part, shares, lifted) for part in parts if part])
    listed = passages_of(pool(asked, "chunk", **how), hits, shares, lifted, min_score)
    for hit, passages in zip(hits, listed, strict=True):
        mine = [c for c in ranked if (c.found.scope, c.found.element_id) == (hit.found.scope, hit.found.element_id)]
        assert bits(passages) == bits(one_by_one.best_passages(hit, mine, min_score, ENOUGH))


def test_candidates_are_a_sequence_that_makes_what_is_looked_at() -> None:
    stated = {"a": 0.9, "b": 0.5, "c": 0.1}
    names = [Found(SCOPES[0], name, "v", "r", 1, 0, score, score) for name, score in stated.items()]
    pooled = pool([Ranking("keyword", tuple(names))], "element")
    ranked = in_order(weigh(pooled, {"keyword": 1.0}, "signals"))
    assert [candidate.found.element_id for candidate in ranked] == ["a", "b", "c"]
    assert ranked[-1] is ranked[2] and [c.score for c in ranked[1:]] == [0.5, 0.1]
    assert [c.score for c in at_least(ranked, 0.5)] == [c.score for c in at_least(tuple(ranked), 0.5)] == [0.9, 0.5]
    assert found_by(ranked, "keyword").tolist() == found_by(tuple(ranked), "keyword").tolist() == [True] * 3
    assert not found_by(ranked, "dense").any()


def test_finds_of_an_index_are_what_they_would_be_one_by_one(desk: Desk) -> None:
    desk.put(**{f"page-{n}": f"# Berth {n}\n\nA berth.\n\n## Fees\n\nThe berth fee of page {n}.\n" for n in range(8)})
    with desk.reopened(dense="auto", embedding={"model": "hashing:512"}) as library:
        library.embed()
        for rankings in (traced(library, group) for group in ("element", "chunk")):
            for ranking in rankings:
                assert isinstance(ranking.found, Finds) and ranking.found
                listed = tuple(ranking.found)
                assert ranking.found == listed and hash(ranking.found) == hash(listed)
                assert pickle.loads(pickle.dumps(ranking.found)) == listed
                assert ranking.found[:3] == listed[:3] and ranking.found[-1] == listed[-1]
                assert ranking.found.scores.tolist() == [found.score for found in listed]
                for group in ("element", "chunk"):
                    numbers: dict[Scope, int] = {}
                    keys = ranking.found.groups(group, numbers)
                    assert keys == Listed(listed).groups(group, dict(numbers))
                    assert keys == [group_key(found, group, numbers) for found in listed]


def traced(library: pincite.Library, group: str) -> Sequence[Ranking]:
    trace = library.trace(Query("berth fee", group=group))
    return [ranking for ranking in trace.rankings if ranking.leg in ("keyword", "dense")]


def bits(candidates: Sequence[Candidate]) -> list[object]:
    """Everything that is said of them, floats to the last bit, in order."""
    assert isinstance(candidates, list | Candidates)
    return [
        (c.found, c.score.hex(), list(c.legs.items()), [(name, value.hex()) for name, value in c.signals.items()])
        for c in candidates
    ]
