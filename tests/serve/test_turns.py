"""Turns: few questions at once, the others wait within their time."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar

import pytest

from pincite.errors import DeadlineExceeded, NotFound, Unavailable
from pincite.serve.turns import Turns


def test_no_more_than_allowed_are_worked_on_at_once() -> None:
    turns, lock, now, most = Turns(2), threading.Lock(), 0, 0

    def work(_seconds: float | None) -> None:
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        time.sleep(0.02)
        with lock:
            now -= 1

    with ThreadPoolExecutor(12) as doors:
        list(doors.map(lambda _: turns.take(work, 10), range(12)))
    assert most == 2


def test_what_waits_too_long_is_refused_and_never_begun() -> None:
    turns, release, begun = Turns(1), threading.Event(), list[int]()
    with ThreadPoolExecutor(1) as door:
        first = door.submit(turns.take, lambda _: release.wait(10), 10)
        with pytest.raises(DeadlineExceeded, match="others were served first; try again"):
            turns.take(lambda _: begun.append(1), 0.05)
        release.set()
        assert first.result() is True
    assert turns.take(lambda _: "next", 5) == "next"
    assert begun == []


def test_what_takes_too_long_is_told_to_ask_for_less() -> None:
    turns, release = Turns(1), threading.Event()
    with pytest.raises(DeadlineExceeded, match=r"longer than 0\.05 s: ask for less"):
        turns.take(lambda _: release.wait(10), 0.05)
    release.set()


def test_work_is_told_what_is_left_of_its_time() -> None:
    turns = Turns(1)
    with ThreadPoolExecutor(1) as door:
        door.submit(turns.take, lambda _: time.sleep(0.2), 10)
        time.sleep(0.05)
        left = turns.take(lambda seconds: seconds, 5.0)
    assert left is not None
    assert 4.0 < left < 4.9
    assert turns.take(lambda seconds: seconds, None) is None


def test_errors_and_context_cross_the_thread() -> None:
    asked: ContextVar[str] = ContextVar("asked", default="nobody")
    asked.set("caller")
    turns = Turns(1)
    assert turns.take(lambda _: asked.get(), 5) == "caller"

    def fails(_seconds: float | None) -> None:
        raise NotFound("no such element")

    with pytest.raises(NotFound, match="no such element"):
        turns.take(fails, 5)


@pytest.mark.parametrize("seconds", [30, None])
def test_whoever_waits_when_it_closes_is_refused_at_once(seconds: float | None) -> None:
    turns, release = Turns(1), threading.Event()
    with ThreadPoolExecutor(2) as doors:
        first = doors.submit(turns.take, lambda _: release.wait(10), seconds)
        second = doors.submit(turns.take, lambda _: "begun", seconds)
        time.sleep(0.1)
        turns.close()
        with pytest.raises(Unavailable, match="stopping"):
            second.result(5)
        with pytest.raises(Unavailable, match="stopping"):
            turns.take(lambda _: "late", seconds)
        release.set()
        assert first.result(5) is True, "what is under way comes to its end"
