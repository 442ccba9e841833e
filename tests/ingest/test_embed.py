"""Every text gets its vectors, once; what fails is retried, then parked with its reason; nothing waits for ever."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from desk import Desk
from pincite.bookkeeping import Job
from pincite.catalog.sqlite import SqliteCatalog
from pincite.cli import embed as command
from pincite.errors import EmbeddingFailed, Locked
from pincite.fixed import pack, to_fixed
from pincite.ids import embedded_hash, text_hash
from pincite.ingest import embed as spine
from pincite.ingest.embed import EmbedOptions, EmbedReport, Parked, embed, enqueue
from pincite.ingest.embed_batches import PROBE, batches
from pincite.ingest.embed_worker import EmbedWorker
from pincite.meaning import Calibration, Floats
from pincite.protocols import Catalog, Index
from pincite.testing.catalog import SCOPE, commit, put, totals
from pincite.types import EmbeddedText, RemoveElement, Scope

QUICK = EmbedOptions(backoff_seconds=(0.01,), lease_seconds=60)
TENANT = SCOPE.tenant


class WordEmbedder:
    """Words hashed to 32 dimensions; counts how often each text was embedded, and fails where it is told to."""

    name = "words"
    fingerprint = "words-32"
    dimensions = 32
    deterministic = True
    calibration = Calibration(0.0, 1.0)

    def __init__(self) -> None:
        self.seen: Counter[str] = Counter()
        self.calls: list[list[str]] = []
        self.raises: set[str] = set()
        self.zeros: set[str] = set()
        self.nans: set[str] = set()
        self.pause = 0.0

    def windows(self, passage: EmbeddedText) -> tuple[str, ...]:
        whole = f"{passage.context}\n{passage.text}" if passage.context else passage.text
        return (whole, passage.text[:20]) if len(passage.text) > 40 else (whole,)

    def embed(self, texts: Sequence[str]) -> Floats:
        time.sleep(self.pause)
        self.calls.append(list(texts))
        if bad := self.raises.intersection(texts):
            raise ValueError(f"cannot read {sorted(bad)}")
        self.seen.update(texts)
        rows = [unit(text) for text in texts]
        for row, text in zip(rows, texts, strict=True):
            row[:] = 0 if text in self.zeros else np.nan if text in self.nans else row
        return np.stack(rows)

    def embed_query(self, text: str) -> Floats:
        return unit(text)


def unit(text: str) -> Floats:
    row = np.zeros(32, dtype=np.float32)
    for word in text.split() or [""]:
        digest = hashlib.blake2b(word.encode(), digest_size=4).digest()
        row[digest[0] % 32] += 1 + digest[1] / 256
    return cast("Floats", row / np.linalg.norm(row))


def expected(embedder: WordEmbedder, text: str, context: str = "") -> bytes:
    return pack(to_fixed(np.stack([unit(window) for window in embedder.windows(EmbeddedText(text, context))])))


class StubIndex:
    """Notes what it is shown."""

    def __init__(self) -> None:
        self.taken: list[tuple[Scope, str]] = []
        self.locked = 0

    def take_vectors(self, scope: Scope, fingerprint: str) -> int:
        if self.locked:
            self.locked -= 1
            raise Locked("another process works at the index")
        self.taken.append((scope, fingerprint))
        return 0


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[SqliteCatalog]:
    catalog = SqliteCatalog(tmp_path / "catalog.db")
    yield catalog
    catalog.close()


@pytest.fixture
def embedder() -> WordEmbedder:
    return WordEmbedder()


def run(
    catalog: Catalog,
    embedder: WordEmbedder,
    options: EmbedOptions = QUICK,
    scopes: Sequence[Scope] = (SCOPE,),
    index: StubIndex | None = None,
    **more: Any,
) -> EmbedReport:
    return embed(catalog, cast("Index", index or StubIndex()), scopes, embedder, options, **more)


def texts_with_vectors(catalog: Catalog, embedder: WordEmbedder, *texts: str) -> set[str]:
    """Those of the texts whose vector is stored and right."""
    found = catalog.vectors.get(TENANT, embedder.fingerprint, map(text_hash, texts))
    return {text for text in texts if found.get(text_hash(text)) == expected(embedder, text)}


# --- which texts ----------------------------------------------------------------------------------------------


def test_every_passage_gets_its_vector_once_also_when_documents_share_it(
    catalog: Catalog, embedder: WordEmbedder
) -> None:
    long = "a long passage that is embedded as a whole and by its beginning"
    commit(catalog, put("a", "shared passage"), put("b", "shared passage"), put("c", long))
    index = StubIndex()
    report = run(catalog, embedder, index=index)
    assert (report.embedded, report.failed, report.parked, report.waiting) == (2, 0, 0, 0)
    assert (report.vectors, report.coverage) == (2, 1.0)
    assert set(embedder.seen.values()) == {1}
    assert texts_with_vectors(catalog, embedder, "shared passage", long) == {"shared passage", long}
    assert index.taken == [(SCOPE, embedder.fingerprint)]


def test_vectors_are_kept_under_the_context_and_the_passage(desk: Desk, embedder: WordEmbedder) -> None:
    desk.put(a="# Law\n\n## Art. 1 Purpose\n\nThis law protects tenants.\n")
    scope = desk.library.scope()
    run(desk.library.catalog, embedder, scopes=[scope])
    (birth,) = desk.library.catalog.feed.births(scope, 0, 1)
    wanted = {}
    for chunk in birth.derivation.chunks:
        assert chunk.span is not None
        passage = birth.content.text[chunk.span.start : chunk.span.end]
        wanted[embedded_hash(chunk.context, passage)] = expected(embedder, passage, chunk.context)
    assert desk.library.catalog.vectors.get(scope.tenant, embedder.fingerprint, wanted) == wanted


def test_an_unchanged_ingest_queues_nothing_and_reads_nothing(
    desk: Desk, embedder: WordEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.put(a="# A\n\nalpha", b="# B\n\nbeta")
    catalog, scope = desk.library.catalog, desk.library.scope()
    assert enqueue(catalog, scope, embedder.fingerprint) > 0
    desk.ingest()
    monkeypatch.setattr(catalog, "feed", None)
    assert enqueue(catalog, scope, embedder.fingerprint) == 0


def test_of_a_changed_file_only_the_changed_passages_are_embedded(desk: Desk, embedder: WordEmbedder) -> None:
    law = "# Law\n\n## Art. 1 One\n\nalpha stays\n\n## Art. 2 Two\n\nbeta {}\n"
    desk.put(a=law.format("was"))
    run(desk.library.catalog, embedder, scopes=[desk.library.scope()])
    before = Counter(embedder.seen)
    desk.put(a=law.format("is new"))
    report = run(desk.library.catalog, embedder, scopes=[desk.library.scope()])
    fresh = [text for text in embedder.seen if text not in before]
    assert report.embedded >= 1
    assert fresh and all("beta is new" in text for text in fresh)
    assert set(embedder.seen.values()) == {1}


def test_what_is_dead_gets_its_vector_too_because_baselines_read_it(catalog: Catalog, embedder: WordEmbedder) -> None:
    commit(catalog, put("a", "first version"))
    commit(catalog, put("a", "second version"), put("b", "removed"))
    commit(catalog, RemoveElement("b"))
    run(catalog, embedder)
    texts = {"first version", "second version", "removed"}
    assert texts_with_vectors(catalog, embedder, *texts) == texts


def test_another_model_embeds_everything_anew_and_leaves_the_jobs_of_the_first(
    catalog: Catalog, embedder: WordEmbedder
) -> None:
    commit(catalog, put("a", "one"), put("b", "two"))
    enqueue(catalog, SCOPE, "abandoned model")
    assert run(catalog, embedder).embedded == 2
    assert totals(catalog, "abandoned model")["waiting"] == 2


def test_a_text_belongs_to_its_tenant(catalog: Catalog, embedder: WordEmbedder) -> None:
    other = replace(SCOPE, tenant="other")
    for scope in (SCOPE, other):
        commit(catalog, put("a", "one"), scope=scope)
        enqueue(catalog, scope, embedder.fingerprint)
    assert run(catalog, embedder).embedded == 1
    assert catalog.vectors.counts("other") == {}
    assert run(catalog, embedder, scopes=[SCOPE, other]).vectors == 2


def test_repositories_of_a_tenant_share_the_vectors_of_equal_texts(catalog: Catalog, embedder: WordEmbedder) -> None:
    other = replace(SCOPE, repository="other")
    for scope in (SCOPE, other):
        commit(catalog, put("a", "one"), scope=scope)
    index = StubIndex()
    assert run(catalog, embedder, scopes=[SCOPE, other], index=index).embedded == 1
    assert embedder.seen["one"] == 1
    assert [scope for scope, _ in index.taken] == [SCOPE, other]


def test_what_is_purged_and_added_again_gets_its_vectors_again(catalog: Catalog, embedder: WordEmbedder) -> None:
    commit(catalog, put("a", "one"), put("b", "two"))
    run(catalog, embedder)
    catalog.commits.purge(SCOPE, ["a"])
    assert texts_with_vectors(catalog, embedder, "one", "two") == {"two"}
    assert run(catalog, embedder).embedded == 0
    commit(catalog, put("a", "one"))
    assert run(catalog, embedder).embedded == 1
    assert texts_with_vectors(catalog, embedder, "one", "two") == {"one", "two"}


def test_a_large_repository_is_queued_in_parts_that_a_kill_cannot_tear(
    catalog: Catalog, embedder: WordEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spine, "MAX_ENQUEUED_CHARACTERS", 60)
    for number in range(3):
        commit(catalog, *(put(f"{number}-{n}", f"text {number} {n}") for n in range(5)))
    told: list[int] = []
    stop = threading.Event()

    def progress(_stage: str, done: int, _total: int) -> None:
        told.append(done)
        if len(told) == 3:
            stop.set()

    first = enqueue(catalog, SCOPE, embedder.fingerprint, progress=progress, stop=stop)
    assert 0 < first < 15
    assert catalog.queue.enqueued(SCOPE, embedder.fingerprint) == told[-1] < 3
    assert first + enqueue(catalog, SCOPE, embedder.fingerprint) == 15
    assert catalog.queue.enqueued(SCOPE, embedder.fingerprint) == 3


# --- batches --------------------------------------------------------------------------------------------------


def job(text: str, attempts: int = 0) -> Job:
    return Job("t", text_hash(text), "m", text, attempts)


def test_batches_hold_texts_of_like_length_and_what_was_tried_before_goes_alone() -> None:
    jobs = [job("x" * 3), job("y" * 30), job("z" * 29), job("w" * 2), job("tried", 1), job("again", 2), job("v" * 99)]
    made = [[j.text[0] for j in batch] for batch in batches(jobs, 60)]
    assert made[:3] == [["v"], ["y", "z"], ["x", "w"]]
    assert sorted(made[3:]) == [["a"], ["t"]]
    assert list(batches([], 60)) == []


def test_all_windows_of_a_batch_are_embedded_in_one_call(catalog: Catalog, embedder: WordEmbedder) -> None:
    commit(catalog, *(put(str(n), f"text {n} " * n) for n in range(1, 20)))
    run(catalog, embedder)
    assert len(embedder.calls) == 1
    run_again = WordEmbedder()
    run_again.fingerprint = "small batches"
    run(catalog, run_again, replace(QUICK, batch_characters=200))
    lengths = [len(call[0]) for call in run_again.calls]
    assert len(lengths) > 5
    assert lengths == sorted(lengths, reverse=True)


def test_a_fast_embedder_gets_larger_batches_up_to_a_limit(catalog: Catalog, embedder: WordEmbedder) -> None:
    commit(catalog, *(put(str(n), f"text {n:03d}") for n in range(400)))
    run(catalog, embedder, replace(QUICK, claim_texts=40, batch_characters=100, max_batch_characters=1000))
    sizes = [len(call) for call in embedder.calls]
    assert sizes[0] < 6 < max(sizes) < 60


def test_fixed_point_is_little_endian_and_never_overflows() -> None:
    assert pack(to_fixed(np.array([[1.0005, -1.0, 0.5]], dtype=np.float32))) == b"\xff\x7f" + b"\x01\x80" + b"\x00\x40"


# --- failures -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("how", "reason"),
    [("raises", "ValueError: cannot read ['bad text']"), ("zeros", "length 0.0000 instead of 1"), ("nans", "NaN")],
)
def test_a_text_that_cannot_be_embedded_is_retried_then_parked_and_the_others_go_on(
    catalog: Catalog, embedder: WordEmbedder, how: str, reason: str
) -> None:
    good = [f"good text {n}" for n in range(20)]
    commit(catalog, put("bad", "bad text"), *(put(text, text) for text in good))
    getattr(embedder, how).add("bad text")
    report = run(catalog, embedder)
    assert (report.embedded, report.failed, report.parked, report.waiting) == (20, 5, 1, 0)
    (given_up,) = report.reasons
    assert given_up.text == "bad text"
    assert reason in given_up.reason
    assert report.coverage == pytest.approx(20 / 21)
    assert texts_with_vectors(catalog, embedder, *good, "bad text") == set(good)
    assert catalog.vectors.counts(TENANT) == {embedder.fingerprint: 20}
    assert sum("bad text" in call for call in embedder.calls) >= 5
    assert max(embedder.seen[text] for text in good) == 1, "what succeeded is not embedded again with what failed"


def test_a_parked_text_is_left_alone_until_somebody_asks(catalog: Catalog, embedder: WordEmbedder) -> None:
    commit(catalog, put("bad", "bad text"), put("good", "good text"))
    embedder.zeros.add("bad text")
    run(catalog, embedder)
    embedder.zeros.clear()
    again = run(catalog, embedder)
    assert (again.embedded, again.parked) == (0, 1)
    mended = run(catalog, embedder, replace(QUICK, retry_parked=True))
    assert (mended.embedded, mended.parked, mended.coverage) == (1, 0, 1.0)


def test_a_text_that_fails_at_first_gets_its_vector_later(catalog: Catalog, embedder: WordEmbedder) -> None:
    class Moody(WordEmbedder):
        def embed(self, texts: Sequence[str]) -> Floats:
            self.nans = {"moody text"} if len(self.calls) < 2 else set()
            return super().embed(texts)

    commit(catalog, put("a", "moody text"))
    report = run(catalog, Moody())
    assert (report.embedded, report.failed, report.parked) == (1, 2, 0)
    assert texts_with_vectors(catalog, embedder, "moody text")


def test_when_the_embedder_itself_fails_no_text_is_blamed(catalog: Catalog, embedder: WordEmbedder) -> None:
    commit(catalog, *(put(str(n), f"text {n}") for n in range(9)))
    embedder.raises = {PROBE, *(f"text {n}" for n in range(9))}
    for _ in range(6):
        with pytest.raises(EmbeddingFailed, match="words cannot embed at present: ValueError"):
            run(catalog, embedder)
    assert len(embedder.calls) == 12, "one call and one probe each time"
    assert {j.attempts for j in catalog.queue.claim(TENANT, embedder.fingerprint, 99, lease_seconds=0)} == {0}
    embedder.raises.clear()
    assert run(catalog, embedder).embedded == 9


def test_an_array_of_the_wrong_shape_is_the_embedders_fault(catalog: Catalog, embedder: WordEmbedder) -> None:
    commit(catalog, put("a", "one"))
    embedder.dimensions = 16
    with pytest.raises(EmbeddingFailed, match=r"shape \(1, 32\) for 1 text\(s\) of 16 dimensions"):
        run(catalog, embedder)


def test_a_text_that_kills_its_worker_is_parked_with_a_reason_that_says_so(
    catalog: Catalog, embedder: WordEmbedder
) -> None:
    commit(catalog, put("a", "deadly"), put("b", "harmless"))
    enqueue(catalog, SCOPE, embedder.fingerprint)
    for _ in range(5):  # a worker that claims everything, begins with one text and is never heard of again
        jobs = catalog.queue.claim(TENANT, embedder.fingerprint, 9, lease_seconds=0)
        catalog.queue.start([j for j in jobs if "deadly" in j.text], lease_seconds=0)
    report = run(catalog, embedder)
    assert report.reasons == (Parked("deadly", "its worker died while embedding it, at attempt 5 of 5"),)
    assert (report.embedded, embedder.seen["deadly"]) == (1, 0)


# --- several workers, stopping, going on ----------------------------------------------------------------------


def test_a_vector_that_is_there_already_is_not_embedded_again(catalog: Catalog, embedder: WordEmbedder) -> None:
    commit(catalog, put("a", "one"), put("b", "two"))
    enqueue(catalog, SCOPE, embedder.fingerprint)
    catalog.vectors.put(TENANT, embedder.fingerprint, {text_hash("one"): expected(embedder, "one")})
    report = run(catalog, embedder)
    assert (report.embedded, report.already_there, embedder.seen["one"]) == (1, 1, 0)


def test_an_interrupted_worker_gives_back_what_it_held(catalog: Catalog, embedder: WordEmbedder) -> None:
    commit(catalog, *(put(str(n), f"text {n}") for n in range(40)))

    class Interrupted(WordEmbedder):
        def embed(self, texts: Sequence[str]) -> Floats:
            if len(self.calls) == 3:
                raise KeyboardInterrupt
            return super().embed(texts)

    cut_short = Interrupted()
    with pytest.raises(KeyboardInterrupt):
        run(catalog, cut_short, replace(QUICK, batch_characters=60))
    counts = totals(catalog)
    assert counts["claimed"] == 0 and 0 < counts["waiting"] < 40
    assert run(catalog, embedder).embedded == counts["waiting"]
    assert (cut_short.seen + embedder.seen).most_common(1)[0][1] == 1


def test_a_worker_stops_between_two_batches_and_another_goes_on(catalog: Catalog, embedder: WordEmbedder) -> None:
    commit(catalog, *(put(str(n), f"text {n}") for n in range(40)))
    stop = threading.Event()

    def progress(stage: str, done: int, _total: int) -> None:
        if stage == "embedding" and done:
            stop.set()

    embedder.pause = 0.3
    first = run(catalog, embedder, replace(QUICK, batch_characters=120), progress=progress, stop=stop)
    assert 0 < first.embedded < 40
    assert first.embedded + first.waiting == 40
    assert first.coverage == pytest.approx(first.embedded / 40)
    assert totals(catalog)["claimed"] == 0
    embedder.pause = 0.0
    assert run(catalog, embedder).embedded == first.waiting
    assert set(embedder.seen.values()) == {1}


def test_a_run_waits_for_what_a_dead_worker_held(catalog: Catalog, embedder: WordEmbedder) -> None:
    commit(catalog, put("a", "one"))
    enqueue(catalog, SCOPE, embedder.fingerprint)
    assert catalog.queue.claim(TENANT, embedder.fingerprint, 9, lease_seconds=0.5)
    assert run(catalog, embedder).embedded == 1


def test_a_slow_worker_claims_anew_before_others_take_it_for_dead(catalog: Catalog, embedder: WordEmbedder) -> None:
    commit(catalog, *(put(str(n), f"text {n}") for n in range(12)))
    embedder.pause = 0.2
    slow = replace(QUICK, batch_characters=1, lease_seconds=2)
    threads = [threading.Thread(target=run, args=(catalog, embedder, slow)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(embedder.seen) == 12
    assert set(embedder.seen.values()) == {1}


def test_progress_speaks_of_all_there_is_and_ends_complete(catalog: Catalog, embedder: WordEmbedder) -> None:
    commit(catalog, *(put(str(n), f"text {n}") for n in range(9)))
    told: list[tuple[str, int, int]] = []
    run(catalog, embedder, progress=lambda *facts: told.append(facts))
    assert told[0] == ("queueing", 1, 1)
    assert told[1] == ("embedding", 0, 9)
    assert told[-1] == ("embedding", 9, 9)


def test_answers_learn_of_new_vectors_while_the_run_goes_on(catalog: Catalog, embedder: WordEmbedder) -> None:
    commit(catalog, *(put(str(n), f"text {n}") for n in range(9)))
    index = StubIndex()
    index.locked = 1
    run(catalog, embedder, replace(QUICK, batch_characters=1, index_seconds=0), index=index)
    assert 2 < len(index.taken) <= 10


class WaitsForTheOther(WordEmbedder):
    """Embeds its first text when two processes hold one, so that neither can take all of them."""

    def __init__(self, folder: Path, name: str) -> None:
        super().__init__()
        self._folder, self._name = folder, name

    def embed(self, texts: Sequence[str]) -> Floats:
        (self._folder / f"{self._name}.holds").touch()
        while len(list(self._folder.glob("*.holds"))) < 2:
            time.sleep(0.001)
        return super().embed(texts)


def embed_in_a_process(folder: Path, name: str) -> None:
    catalog, embedder = SqliteCatalog(folder / "catalog.db"), WaitsForTheOther(folder, name)
    report = run(catalog, embedder, replace(QUICK, batch_characters=200, max_batch_characters=200, claim_texts=10))
    (folder / name).write_text(json.dumps({"embedded": report.embedded, "seen": embedder.seen}))
    catalog.close()


def test_two_processes_share_the_queue_and_embed_nothing_twice(tmp_path: Path, catalog: Catalog) -> None:
    commit(catalog, *(put(str(n), f"text {n} of many") for n in range(300)))
    spawner = multiprocessing.get_context("spawn")
    names = ("one", "two")
    workers = [spawner.Process(target=embed_in_a_process, args=(tmp_path, name)) for name in names]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
        assert worker.exitcode == 0
    said = [json.loads((tmp_path / name).read_text()) for name in names]
    seen = Counter(said[0]["seen"]) + Counter(said[1]["seen"])
    assert sum(item["embedded"] for item in said) == len(seen) == 300
    assert set(seen.values()) == {1}
    assert min(item["embedded"] for item in said) > 0
    assert totals(catalog, "words-32")["waiting"] == 0


# --- the worker in the background -----------------------------------------------------------------------------


def test_a_worker_embeds_in_the_background_and_again_when_started_again(
    catalog: Catalog, embedder: WordEmbedder
) -> None:
    commit(catalog, *(put(str(n), f"text {n}") for n in range(9)))
    worker = EmbedWorker(catalog, cast("Index", StubIndex()), [SCOPE], embedder, QUICK)
    assert worker.wait(0)
    embedder.pause = 0.2
    worker.start()
    assert not worker.wait(0.01)
    commit(catalog, put("late", "committed while the first round is under way"))
    worker.start()
    assert worker.wait(10)
    assert worker.problem == ""
    assert catalog.vectors.counts(TENANT) == {embedder.fingerprint: 10}


def test_a_stopped_worker_can_be_started_again(catalog: Catalog, embedder: WordEmbedder) -> None:
    commit(catalog, *(put(str(n), f"text {n}") for n in range(9)))
    worker = EmbedWorker(catalog, cast("Index", StubIndex()), [SCOPE], embedder, replace(QUICK, batch_characters=1))
    embedder.pause = 0.1
    worker.start()
    while not embedder.calls:
        time.sleep(0.01)
    worker.stop()
    assert worker.report is not None
    assert worker.report.waiting > 0
    embedder.pause = 0
    worker.start()
    assert worker.wait(10)
    assert worker.report.waiting == 0


def test_a_worker_keeps_what_went_wrong(catalog: Catalog, embedder: WordEmbedder) -> None:
    commit(catalog, put("a", "one"))
    worker = EmbedWorker(catalog, cast("Index", StubIndex()), [SCOPE], embedder, QUICK)
    embedder.raises = {PROBE, "one"}
    worker.start()
    assert worker.wait(10)
    assert "cannot embed at present" in worker.problem
    embedder.raises.clear()
    worker.start()
    assert worker.wait(10)
    assert worker.problem == ""


# --- with the real index, and the command ---------------------------------------------------------------------


def test_the_real_index_takes_the_vectors(desk: Desk, embedder: WordEmbedder) -> None:
    desk.put(a="# A\n\nalpha", b="# B\n\nbeta")
    scope = desk.library.scope()
    report = embed(desk.library.catalog, desk.library.index, [scope], embedder, QUICK)
    assert report.embedded == 2
    assert desk.library.index.take_vectors(scope, embedder.fingerprint) == 0, "all were taken by the run"


class StubLibrary:
    """Answers `embed` with a report that was prepared."""

    progress = False

    def __init__(self, report: EmbedReport) -> None:
        self.report = report
        self.asked: dict[str, Any] = {}

    @contextmanager
    def open(self) -> Iterator[StubLibrary]:
        yield self

    def embed(self, repository: str, **options: Any) -> EmbedReport:
        self.asked = {"repository": repository, **options}
        return self.report


def call(monkeypatch: pytest.MonkeyPatch, library: StubLibrary, *arguments: str) -> Any:
    monkeypatch.setattr(command, "session", lambda _context: library)
    app = typer.Typer()
    command.register(app)
    return CliRunner().invoke(app, arguments)


def test_the_command_says_what_was_done_how_fast_and_how_complete(monkeypatch: pytest.MonkeyPatch) -> None:
    library = StubLibrary(EmbedReport(embedded=30, vectors=30, seconds=2.0))
    done = call(monkeypatch, library, "--repository", "laws", "--model", "words", "--retry-parked")
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout == "30 embedded in 2.0 s (15.0/s); 100.0 % of the texts have their vectors\n"
    assert {**library.asked, "progress": None} == {
        "repository": "laws",
        "model": "words",
        "retry_parked": True,
        "progress": None,
    }


def test_the_command_fails_when_texts_were_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    report = EmbedReport(embedded=9999, failed=5, parked=2, reasons=(Parked("bad", "NaN"),), vectors=9999, seconds=3)
    done = call(monkeypatch, StubLibrary(report))
    assert done.exit_code == 1
    assert "5 attempts failed, 2 parked; 99.9 % of the texts" in done.stdout
    assert "parked: 'bad': NaN\nparked: 1 more\nretry them with: pincite embed --retry-parked" in done.stderr
    as_json = call(monkeypatch, StubLibrary(report), "--json")
    assert as_json.exit_code == 1
    assert json.loads(as_json.stdout)["reasons"] == [{"text": "bad", "reason": "NaN"}]
    assert json.loads(as_json.stdout)["rate"] == 3333
