"""A full disk gives `StorageFull`, loses nothing, and everything goes on once there is space."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from crash_child import run_in_small_batches, run_short_of_space
from crash_lab import Homes, check_after_kill, check_restored, start

pytestmark = pytest.mark.crash

OPERATIONS = ("ingest", "merge", "rebuild", "purge", "backup", "restore")
PAGE = 4096
FREE_PAGES = (0, 1, 6, 20, 45)
FILE_LIMITS = (8 << 10, 40 << 10, 200 << 10)


@pytest.fixture(scope="module")
def homes(ground: Path) -> Homes:
    return Homes(ground / "full", "commits", "commits", "purge", "write_rare", "backup")


@contextmanager
def small_disk(folder: Path, free_pages: int) -> Iterator[None]:
    """The folder on a file system of its own with so much room left; skips where that is not allowed."""
    away = folder.with_name(folder.name + ".away")
    folder.rename(away)
    folder.mkdir()
    big = "size=64m"
    if subprocess.run(["mount", "-t", "tmpfs", "-o", big, "tmpfs", folder], check=False).returncode:
        pytest.skip("a small file system cannot be mounted here; needs root")
    try:
        shutil.copytree(away, folder, dirs_exist_ok=True)
        found = os.statvfs(folder)
        size = max(1, found.f_blocks - found.f_bfree + free_pages) * found.f_frsize  # 0 would mean: no limit
        subprocess.run(["mount", "-o", f"remount,size={size}", folder], check=True)
        yield
        subprocess.run(["mount", "-o", f"remount,{big}", folder], check=True)
    finally:
        shutil.rmtree(away)
        shutil.copytree(folder, away)
        subprocess.run(["umount", folder], check=True)
        folder.rmdir()
        away.rename(folder)


def full_folder(home: Path, operation: str) -> Path:
    """Where the operation writes."""
    name = {"backup": "backups", "restore": "restores"}.get(operation, "library")
    (home / name).mkdir(exist_ok=True)
    return home / name


def attempt(home: Path, operation: str, max_file_bytes: int = 0) -> str:
    process = start(run_short_of_space, home, operation, 1000, max_file_bytes)
    process.join(60)
    assert process.exitcode == 0
    return (home / "outcome").read_text()


@pytest.mark.parametrize("operation", OPERATIONS)
def test_on_a_full_disk_nothing_is_lost(homes: Homes, operation: str) -> None:
    outcomes = []
    for pages in FREE_PAGES:
        home = homes.fresh()
        with small_disk(full_folder(home, operation), pages):
            outcomes.append(attempt(home, operation))
        assert outcomes[-1] == "done" or outcomes[-1].startswith("StorageFull: no space left"), outcomes[-1]
        check(home, operation)
    assert any(outcome != "done" for outcome in outcomes), "the disk was never full"


@pytest.mark.parametrize("operation", OPERATIONS)
def test_where_no_file_may_grow_nothing_is_lost(homes: Homes, operation: str) -> None:
    outcomes = []
    for limit in FILE_LIMITS:
        home = homes.fresh()
        full_folder(home, operation)
        outcomes.append(attempt(home, operation, limit))
        assert outcomes[-1] == "done" or outcomes[-1].startswith("StorageFull: no space left"), outcomes[-1]
        check(home, operation)
    assert any(outcome != "done" for outcome in outcomes), "no file ever met its limit"


def test_a_disk_that_fills_up_between_two_commits_is_not_blamed_on_a_file(homes: Homes) -> None:
    home = homes.fresh()
    process = start(run_in_small_batches, home, 1000, FILE_LIMITS[1])
    process.join(60)
    assert process.exitcode == 0
    assert (home / "outcome").read_text().startswith("StorageFull: no space left")


def check(home: Path, operation: str) -> None:
    if operation == "restore":
        restored = home / "restores" / "restored"
        if restored.exists():
            check_restored(restored)
    else:
        check_after_kill(home)


@pytest.mark.parametrize("command", ["ingest", "rebuild", "purge", "backup"])
def test_the_command_line_says_that_the_disk_is_full(homes: Homes, command: str) -> None:
    home = homes.fresh()
    folder = full_folder(home, command)
    arguments = {
        "ingest": ["ingest", str(home / "folder")],
        "rebuild": ["rebuild"],
        "purge": ["purge", sorted((home / "folder").glob("doc-*"))[0].name, "--yes"],
        "backup": ["backup", str(home / "backups" / "new")],
    }[command]
    (home / "folder" / "doc-new.md").write_text("# New\n\n" + "A new notice to the tenant. " * 20_000)
    with small_disk(folder, 2):
        program = [sys.executable, "-c", "from pincite.cli import main; main()", "--library", str(home / "library")]
        ran = subprocess.run([*program, *arguments], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout) == (4, "")
    assert ran.stderr.startswith("pincite: no space left") and "Traceback" not in ran.stderr
    assert "free some space" in ran.stderr
