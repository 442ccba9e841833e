"""Questions a second: one thread, two threads of one process, two processes."""

from __future__ import annotations

import multiprocessing
import threading
import time
from typing import Any

from benchmarks.speed.engines.engine import Engine, Only
from benchmarks.speed.setup import Setup


def throughput(setup: Setup) -> dict[str, Any]:
    """Hybrid, without filter, each worker for the time of one series."""
    engine = setup.open()
    one = _threads(setup, engine, 1)
    two = _threads(setup, engine, 2)
    return {"queries_per_s": {"one_thread": one, "two_threads": two, "two_processes": _processes(setup, 2)}}


def _threads(setup: Setup, engine: Engine, count: int) -> float:
    asked = [0] * count
    begin = threading.Barrier(count)
    took = [0.0] * count

    def work(number: int) -> None:
        begin.wait()
        asked[number], took[number] = _ask(setup, engine, number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return round(sum(done / seconds for done, seconds in zip(asked, took, strict=True)), 2)


def _processes(setup: Setup, count: int) -> float:
    context = multiprocessing.get_context("spawn")
    begin, results = context.Barrier(count), context.Queue()
    workers = [context.Process(target=_work, args=(setup.stored(), number, begin, results)) for number in range(count)]
    for worker in workers:
        worker.start()
    rates: list[float] = [results.get(timeout=600) for _ in workers]
    for worker in workers:
        worker.join()
    return round(sum(rates), 2)


def _work(stored: str, number: int, begin: Any, results: Any) -> None:
    setup = Setup.load(stored)
    engine = setup.open()
    engine.hybrid(setup.asked[0], Only())
    begin.wait()
    done, seconds = _ask(setup, engine, number)
    results.put(done / seconds)


def _ask(setup: Setup, engine: Engine, number: int) -> tuple[int, float]:
    """Each worker begins elsewhere, so that they do not ask the same at the same time."""
    asked = setup.asked
    place = number * len(asked) // 2
    started = time.perf_counter()
    done = 0
    while time.perf_counter() - started < setup.seconds / 2 or not done:
        engine.hybrid(asked[(place + done) % len(asked)], Only())
        done += 1
    return done, time.perf_counter() - started
