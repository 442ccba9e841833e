"""Calls in a process of its own: what becomes of one that ends it, and of those that follow."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from pincite import apart
from pincite.apart import limits, process
from pincite.errors import InvalidArgument, MissingExtra


@pytest.fixture(autouse=True)
def _importable(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The other process finds what the tests call."""
    here = str(Path(__file__).parent)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, (os.environ.get("PYTHONPATH", ""), here))))
    process._workers.close()
    yield
    process._workers.close()


def test_calls_share_one_process_which_is_not_this_one() -> None:
    first, second = apart.ask("called:process_id"), apart.ask("called:process_id")
    assert first == second != os.getpid()


def test_a_call_that_crashes_says_so_and_the_next_one_is_answered() -> None:
    with pytest.raises(apart.CallFailed, match=r"ended the process that read it \(segmentation fault\)"):
        apart.ask("called:crash")
    assert apart.ask("called:process_id") != os.getpid()


def test_a_call_that_ends_its_process_says_with_which_code() -> None:
    with pytest.raises(apart.CallFailed, match=r"ended the process that read it \(exit code 5\)"):
        apart.ask("called:leave", 5)


def test_a_call_that_takes_too_long_is_ended() -> None:
    before = apart.ask("called:process_id")
    began = time.monotonic()
    with pytest.raises(apart.CallFailed, match=r"it took longer than 0.2 s to read; split the file"):
        apart.ask("called:sleep", 60, seconds=0.2)
    assert time.monotonic() - began < 30
    assert apart.ask("called:process_id") != before


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not bound the memory of a process")
def test_a_call_that_fills_the_memory_is_refused_it() -> None:
    with pytest.raises(apart.CallFailed, match=r"it needs more than \d\.\d GB of memory; split the file"):
        apart.ask("called:fill", limits.memory_bytes() // 2**20 + 1)
    assert apart.ask("called:fill", 1) == 2**20


@pytest.mark.skipif(not limits.HAS_ALARM, reason="the system has no alarm")
def test_a_process_without_parent_or_work_does_not_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    apart.ask("called:process_id")
    (worker,) = process._workers.idle
    assert worker.process.stdin is not None
    worker.process.stdin.close()
    assert worker.process.wait(10) == 0
    monkeypatch.setattr(worker.process, "stdin", None)


def test_errors_of_ours_arrive_as_they_are() -> None:
    with pytest.raises(InvalidArgument, match="line 3 is no line; mend it") as refused:
        apart.ask("called:refuse")
    assert refused.value.field == "line"
    with pytest.raises(MissingExtra, match="needs a package"):
        apart.ask("called:miss")


def test_an_error_that_nobody_expected_is_said_in_one_line() -> None:
    with pytest.raises(apart.CallFailed, match=r"its reader gave up \(KeyError: 'nobody expected that'\)"):
        apart.ask("called:break_")


def test_a_stream_comes_one_by_one_and_other_calls_go_on_beside_it() -> None:
    stream = apart.stream("called:count", 100)
    assert next(stream) == 0
    beside = apart.ask("called:process_id")
    assert list(stream) == list(range(1, 100))
    assert apart.ask("called:process_id") != os.getpid()
    assert beside != os.getpid()


def test_a_stream_that_crashes_gives_what_came_before() -> None:
    taken = []
    with pytest.raises(apart.CallFailed, match="segmentation fault"):
        taken += [taken.append(value) for value in apart.stream("called:count_and_crash", 3)]
    assert taken == [0, 1, 2]


def test_a_stream_that_nobody_wants_to_the_end_leaves_nothing_behind() -> None:
    stream = apart.stream("called:count", 10_000_000)
    next(stream)
    stream.close()  # type: ignore[attr-defined]
    assert process._workers.idle == []
    assert apart.ask("called:process_id") != os.getpid()


def test_an_answer_can_hold_nouns_only() -> None:
    with pytest.raises(apart.CallFailed, match=r"broken answer \((posix|nt)\.system in an answer\)"):
        apart.ask("called:evil")


def test_an_answer_beyond_the_limit_is_not_taken_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "MAX_ANSWER_BYTES", 1_000)
    with pytest.raises(apart.CallFailed, match=r"it expands to more than 1,000 bytes; split the file"):
        apart.ask("called:long", 1_000)
    assert apart.ask("called:long", 10) == b"x" * 10


def test_threads_call_at_the_same_time() -> None:
    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(lambda n: apart.ask("called:long", n), range(50)))
    assert [len(data) for data in made] == list(range(50))
    assert len(process._workers.idle) <= process.MAX_IDLE
