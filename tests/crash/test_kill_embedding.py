"""Embedding workers killed again and again: nothing lost, nothing that was stored embedded again."""

from __future__ import annotations

import json
import random
import shutil
import signal
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from crash_lab import start
from embed_child import BATCH, SCOPE, LoggingEmbedder, embed_and_die, embed_slowly, expected_vectors, prepare

from pincite.catalog.sqlite import SqliteCatalog
from pincite.testing.catalog import totals

pytestmark = [pytest.mark.crash, pytest.mark.slow]

KILLS = 50
MAX_TEXTS_PER_LIFE = 24
TEXTS = 1600
"""More than all lives embed together: after the last kill something is left to do."""
LEASE_SECONDS = 2.0


def embedded(home: Path, worker: int = 0) -> list[str]:
    """Hashes of the texts that were given to the embedder so far, by one worker or by all."""
    lines = [line.split() for line in (home / "log").read_text().splitlines()]
    return [text for pid, text in lines if worker in (0, int(pid))]


def stored(home: Path) -> dict[str, bytes]:
    """Vectors by text hash, as another process reads them."""
    catalog = SqliteCatalog(home / "catalog.db")
    found = catalog.vectors.get(SCOPE.tenant, LoggingEmbedder.fingerprint, expected_vectors(TEXTS))
    catalog.close()
    return found


def kill_after(victim: Any, home: Path, texts: int, dice: random.Random) -> None:
    """Let the worker embed so many texts and a moment more, then kill it; at none: while it opens or enqueues."""
    deadline = time.monotonic() + 60
    while texts and len(embedded(home, victim.pid)) < texts:
        assert victim.is_alive() and time.monotonic() < deadline
        time.sleep(0.001)
    time.sleep(dice.random() * 0.02)
    victim.kill()
    victim.join(60)
    assert victim.exitcode == -signal.SIGKILL


def check_complete(home: Path, texts: int) -> None:
    """Every text has exactly its vector, nothing waits, nothing was given up."""
    assert json.loads((home / "outcome").read_text())["parked"] == 0
    assert stored(home) == expected_vectors(texts)
    catalog = SqliteCatalog(home / "catalog.db")
    assert catalog.check() == ()
    assert totals(catalog) == {"waiting": 0, "claimed": 0, "parked": 0, "oldest_seconds": 0}
    assert catalog.vectors.counts(SCOPE.tenant) == {LoggingEmbedder.fingerprint: texts}
    catalog.close()


@pytest.mark.parametrize("survivors", [0, 1], ids=["alone", "beside another worker"])
def test_fifty_kills_lose_nothing_and_nothing_stored_is_embedded_again(ground: Path, survivors: int) -> None:
    home = ground / f"embedding-{survivors}"
    prepare(home, TEXTS)
    dice = random.Random(survivors)
    others = [start(embed_slowly, home, LEASE_SECONDS, 0.1) for _ in range(survivors)]
    in_flight = 0
    for _ in range(KILLS):
        done = stored(home)
        victim = start(embed_slowly, home, LEASE_SECONDS)
        kill_after(victim, home, dice.randrange(MAX_TEXTS_PER_LIFE), dice)
        own = set(embedded(home, victim.pid))
        assert not done.keys() & own, "what has its vector is embedded by nobody any more"
        unfinished = own - stored(home).keys()
        assert len(unfinished) <= BATCH, "a kill costs no more than the batch in flight"
        in_flight += len(unfinished)
    assert len(stored(home)) < TEXTS, "the last kills met a worker without work"
    for process in (*others, start(embed_slowly, home, LEASE_SECONDS)):
        process.join(120)
        assert process.exitcode == 0
    check_complete(home, TEXTS)
    counts = Counter(embedded(home))
    again = counts.total() - len(counts)
    assert again <= in_flight
    print(
        f"\n{KILLS} kills, {TEXTS} texts: {again} embedded again, all in flight at a kill; {in_flight} were in flight"
    )


def test_a_worker_that_dies_at_any_durable_step_loses_nothing(ground: Path) -> None:
    texts = 4 * BATCH
    prepare(ground / "prepared", texts)
    kills = 0
    while True:
        home = ground / f"step-{kills + 1}"
        shutil.copytree(ground / "prepared", home)
        victim = start(embed_and_die, home, kills + 1, 0.3)
        victim.join(60)
        if victim.exitcode == 0:
            break
        assert victim.exitcode == -signal.SIGKILL
        kills += 1
        done, before = stored(home), len(embedded(home))
        last = start(embed_slowly, home, 0.3, 0.0)
        last.join(60)
        assert last.exitcode == 0
        assert not done.keys() & set(embedded(home)[before:])
        check_complete(home, texts)
        shutil.rmtree(home)
    assert kills > 3 * texts / BATCH
    print(f"\n{kills} kills, one at each durable step")
