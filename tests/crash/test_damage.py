"""A truncated file or a flipped byte: no crash, a clear word, and a way out."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from crash_child import run_on_damage
from crash_lab import QUERIES, Homes, answers, start

from pincite.errors import Damaged
from pincite.library import open_library

pytestmark = pytest.mark.crash

KINDS = {
    "columns": "index/*/g-*/seg-*/columns.bin",
    "header": "index/*/g-*/seg-*/header.json",
    "manifest": "index/*/g-*/manifest",
    "current": "index/*/current",
    "deaths": "index/*/g-*/deaths-*",
}
FLIPS = {"columns": 8}


@pytest.fixture(scope="module")
def homes(ground: Path) -> Homes:
    return Homes(ground / "damage", *["commits"] * 5, "merge", "ingest")


@pytest.fixture(scope="module")
def sound(homes: Homes) -> list[dict[str, Any]]:
    with open_library(homes.fresh() / "library") as library:
        return answers(library, [2, 3])


def flip(path: Path, dice: random.Random) -> None:
    data = bytearray(path.read_bytes())
    data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
    path.write_bytes(data)


def scramble(path: Path, dice: random.Random) -> None:
    """The top of a number is where it does the most harm."""
    data = bytearray(path.read_bytes())
    data[dice.randrange(len(data) // 8) * 8 + 7] = dice.choice((0x7F, 0x80, 0xFF))
    path.write_bytes(data)


def cut(path: Path, dice: random.Random) -> None:
    path.write_bytes(path.read_bytes()[: dice.randrange(path.stat().st_size)])


def empty(path: Path, _dice: random.Random) -> None:
    path.write_bytes(b"")


def remove(path: Path, _dice: random.Random) -> None:
    path.unlink()


def look(home: Path) -> dict[str, list[str]]:
    """What search and doctor say, in a process of their own, which must survive."""
    process = start(run_on_damage, home, QUERIES)
    process.join(60)
    assert process.exitcode == 0, "the process died of the damage"
    said: dict[str, list[str]] = json.loads((home / "outcome").read_text())
    return said


@pytest.mark.parametrize("harm", [flip, scramble, cut, empty, remove])
@pytest.mark.parametrize("kind", KINDS)
def test_damage_to_the_index_is_found_and_a_rebuild_repairs_it(
    homes: Homes, sound: list[dict[str, Any]], kind: str, harm: Callable[[Path, random.Random], None]
) -> None:
    dice = random.Random(f"{kind} {harm.__name__}")
    harmed = 0
    for _ in range(FLIPS.get(kind, 3) if harm in (flip, scramble) else 2):
        home = homes.fresh()
        path = dice.choice(sorted((home / "library").glob(KINDS[kind])))
        before = path.read_bytes()
        harm(path, dice)
        said = look(home)
        if path.exists() and path.read_bytes() == before:
            continue  # the byte had that value
        harmed += 1
        if not (kind == "current" and harm is remove):  # without a pointer there is no index: the next search makes one
            assert said["problems"] or same_meaning(path, before), f"{path}: doctor found nothing"
        assert all("pincite rebuild" in line for line in said["problems"] + said["errors"] + said["legs"])
        with open_library(home / "library") as library:
            library.rebuild()
            assert library.health(deep=True).ok
            assert answers(library, [2, 3]) == sound
    assert harmed


def same_meaning(path: Path, before: bytes) -> bool:
    """A flip that turns one kind of white space into another changes no JSON."""
    return path.suffix != ".bin" and path.exists() and b"".join(path.read_bytes().split()) == b"".join(before.split())


def test_no_flipped_byte_of_a_column_escapes_the_doctor(homes: Homes) -> None:
    dice = random.Random(11)
    with open_library(homes.fresh() / "library") as library:
        for _ in range(300):
            path = dice.choice(sorted(library.path.glob(KINDS["columns"])))
            before = path.read_bytes()
            flip(path, dice)
            assert any("columns.bin" in problem for problem in library.index.check(library.scope()))
            path.write_bytes(before)
        assert library.index.check(library.scope()) == ()


@pytest.mark.parametrize("harm", [flip, scramble, cut, empty, remove])
def test_damage_to_the_catalog_is_found_and_the_advice_is_a_backup(
    homes: Homes, harm: Callable[[Path, random.Random], None]
) -> None:
    dice = random.Random(f"catalog {harm.__name__}")
    found = 0
    for _ in range(8 if harm in (flip, scramble) else 2):
        home = homes.fresh()
        path = home / "library" / "catalog.db"
        before = path.read_bytes()
        harm(path, dice)
        said = look(home)
        found += bool(said["problems"])
        if harm not in (flip, scramble):
            assert said["problems"]
        assert all("backup" in line or "pincite rebuild" in line for line in said["problems"]), said
        if said["problems"] and path.exists() and path.read_bytes() != before:
            assert any("backup" in line for line in said["problems"]), said
    print(f"\ncatalog, {harm.__name__}: {found} found")
    assert found


def test_the_command_line_names_the_damage_and_repairs_the_index(homes: Homes) -> None:
    home = homes.fresh()
    path = min((home / "library").glob(KINDS["columns"]))
    flip(path, random.Random(7))
    doctor = run("doctor", home)
    assert doctor.returncode == 1 and "columns.bin" in doctor.stdout and "pincite rebuild" in doctor.stdout
    assert run("rebuild", home).returncode == 0
    assert run("doctor", home).returncode == 0


def test_a_letter_flipped_in_a_stored_text_is_found(homes: Homes) -> None:
    home = homes.fresh()
    path = home / "library" / "catalog.db"
    path.write_bytes(path.read_bytes().replace(b"landlord", b"lamdlord"))
    said = look(home)
    assert any("differ from their hash" in line and "backup" in line for line in said["problems"])


def test_the_command_line_refuses_a_library_whose_catalog_is_gone(homes: Homes) -> None:
    home = homes.fresh()
    (home / "library" / "catalog.db").write_bytes(b"")
    with pytest.raises(Damaged, match="restore a backup"):
        open_library(home / "library")
    ran = run("doctor", home)
    assert ran.returncode == 4 and "restore a backup" in ran.stderr and "Traceback" not in ran.stderr


def run(command: str, home: Path) -> subprocess.CompletedProcess[str]:
    program = [sys.executable, "-c", "from pincite.cli import main; main()", "--library", str(home / "library")]
    return subprocess.run([*program, command], capture_output=True, text=True, check=False)
