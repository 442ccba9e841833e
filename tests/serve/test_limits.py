"""Rate limits, by a clock that the test turns."""

from __future__ import annotations

import threading

import pytest

from pincite.errors import RateLimited
from pincite.serve import limits
from pincite.serve.limits import Limiter
from pincite.settings.serve import RateLimit


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_a_burst_passes_then_one_waits_as_long_as_is_said() -> None:
    clock = Clock()
    limiter = Limiter(RateLimit(requests_per_minute=60, burst=3), clock=clock)
    left = [limiter.take("k") for _ in range(3)]
    assert [item.remaining for item in left if item] == [2, 1, 0]
    with pytest.raises(RateLimited) as refused:
        limiter.take("k")
    assert refused.value.retry_after == pytest.approx(1.0)
    assert refused.value.code == "unavailable"
    clock.now += refused.value.retry_after
    limiter.take("k")


def test_asking_at_the_normal_rate_always_passes() -> None:
    clock = Clock()
    limiter = Limiter(RateLimit(requests_per_minute=60, burst=1), clock=clock)
    for _ in range(500):
        limiter.take("k")
        clock.now += 1.0


def test_one_key_does_not_use_up_what_another_has() -> None:
    limiter = Limiter(RateLimit(requests_per_minute=1, burst=1), clock=Clock())
    limiter.take("a")
    limiter.take("b")
    with pytest.raises(RateLimited):
        limiter.take("a")


def test_a_refused_request_costs_nothing() -> None:
    clock = Clock()
    limiter = Limiter(RateLimit(requests_per_minute=60, burst=1), clock=clock)
    limiter.take("k")
    for _ in range(10):
        with pytest.raises(RateLimited):
            limiter.take("k")
    clock.now += 1.0
    limiter.take("k")


def test_no_limit_is_no_limit() -> None:
    limiter = Limiter(RateLimit(requests_per_minute=0, burst=1))
    assert [limiter.take("k") for _ in range(1000)] == [None] * 1000


def test_the_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_BUCKETS", 10)
    limiter = Limiter(RateLimit(requests_per_minute=1, burst=1), clock=Clock())
    for number in range(1000):
        limiter.take(str(number))
    assert len(limiter._buckets) == 10
    with pytest.raises(RateLimited):
        limiter.take("999")


def test_threads_together_get_no_more_than_one_would() -> None:
    limiter = Limiter(RateLimit(requests_per_minute=1, burst=50), clock=Clock())
    passed: list[int] = []

    def ask() -> None:
        for _ in range(50):
            try:
                limiter.take("k")
                passed.append(1)
            except RateLimited:
                pass

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(passed) == 50
