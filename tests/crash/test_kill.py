"""Nothing lost: `kill -9` at any instant of ingest, merge, rebuild, purge, backup, restore."""

from __future__ import annotations

import random
import signal
import time
from collections import Counter
from pathlib import Path

import pytest
from crash_child import run_once, run_until_killed
from crash_lab import Homes, check_after_kill, check_restored, read_log, start

pytestmark = pytest.mark.crash

DENSE = 45
"""Durable steps at each of which a process is killed."""
PREPARED = ("commits", "commits", "commits", "purge", "write_rare", "backup")


@pytest.fixture(scope="module")
def homes(ground: Path) -> Homes:
    return Homes(ground / "steps", *PREPARED)


@pytest.mark.parametrize("operation", ["ingest", "merge", "rebuild", "purge", "backup", "restore"])
def test_a_process_that_dies_at_any_durable_step_loses_nothing(homes: Homes, operation: str) -> None:
    step, kills = 0, -1  # the last round lives
    while True:
        step += 1 if step < DENSE else 4  # beyond, an ingest only removes what its merges replaced
        kills += 1
        home = homes.fresh()
        (home / "restores").mkdir()
        victim = start(run_once, home, operation, step, 1000)
        victim.join(60)
        if victim.exitcode == 0:
            break
        assert victim.exitcode == -signal.SIGKILL
        if operation == "restore":
            check_restore(home)
        else:
            check_after_kill(home)
    assert kills > 5
    print(f"\n{operation}: {kills} kills within {step - 1} steps")


def check_restore(home: Path) -> None:
    restored = home / "restores" / "restored"
    if restored.exists():
        check_restored(restored)


@pytest.mark.parametrize("seed", range(4))
def test_a_process_killed_at_random_instants_again_and_again_loses_nothing(ground: Path, seed: int) -> None:
    """Each kill meets the library as the one before left it, so that recoveries get killed too."""
    home = Homes(ground / f"random-{seed}", "ingest", seed=seed).home
    dice = random.Random(seed)
    hit: Counter[str] = Counter()
    for number in range(20):
        victim = start(run_until_killed, home, 1000 * (number + 1))
        time.sleep(dice.choice((0.02, 0.1, 0.5)) * dice.random())
        victim.kill()
        victim.join(60)
        assert victim.exitcode == -signal.SIGKILL
        hit[(read_log(home).pending or {"intent": "between two"})["intent"]] += 1
        check_after_kill(home)
    print(f"\nseed {seed}: killed in {dict(hit)}")
