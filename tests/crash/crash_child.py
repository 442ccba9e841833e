"""What runs in the processes that get killed: the operations, and the ways to die in the middle of one."""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import random
import resource
import signal
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pincite import wire
from pincite.catalog.sqlite.connection import DatabaseFile
from pincite.errors import Erased, PinciteError
from pincite.ingest import batch
from pincite.library import Library, open_library
from pincite.protocols.kind import Described
from pincite.search.query import Answer
from pincite.upkeep.archive import restore_backup

WORDS = ("court", "appeal", "notice", "period", "tenant", "landlord", "contract", "statute", "claim", "duty", "breach")
KEPT, RARE_STEM = 12, "zqxvkelm"
DURABLE_SQL = ("BEGIN IMMEDIATE", "COMMIT", "VACUUM", "PRAGMA wal_checkpoint")


# --- dying ----------------------------------------------------------------------------------------------------


def die_at(number: int) -> None:
    """Kill this process with SIGKILL right before its n-th durable step: a sync, a rename, a removal, a transaction."""
    steps = itertools.count(1)

    def step() -> None:
        if next(steps) == number:
            os.kill(os.getpid(), signal.SIGKILL)

    def before(call: Callable[..., Any]) -> Callable[..., Any]:
        def stepped(*args: Any, **options: Any) -> Any:
            step()
            return call(*args, **options)

        return stepped

    for name in ("fsync", "replace", "rename", "unlink"):
        setattr(os, name, before(getattr(os, name)))
    connect = DatabaseFile.connect

    def traced(database: DatabaseFile) -> sqlite3.Connection:
        connection = connect(database)
        connection.set_trace_callback(lambda sql: step() if sql.startswith(DURABLE_SQL) else None)
        return connection

    DatabaseFile.connect = traced  # type: ignore[method-assign]


# --- saying what was done -------------------------------------------------------------------------------------


class Log:
    """Lines on disk: what is about to be done, and what was acknowledged."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def say(self, **facts: Any) -> None:
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limits[1], limits[1]))  # the log is not what is being tested
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(facts) + "\n")
            file.flush()
            os.fdatasync(file.fileno())
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def folder_state(folder: Path) -> dict[str, str]:
    """Element id → hash of the text that must be found under it."""
    return {path.name: digest(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("[!.]*"))}


def digest(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


# --- a folder that changes ------------------------------------------------------------------------------------


def rare_word(number: int) -> str:
    """A word that only one element knows, in its id and in its text; letters only, so that it stays one token."""
    letters = "".join(chr(ord("a") + int(digit)) for digit in f"{number:06d}")
    return f"{RARE_STEM}{letters}xq"


def write_document(path: Path, mark: int, dice: random.Random, *, words: int = 60) -> None:
    body = " ".join(dice.choice(WORDS) for _ in range(words))
    write_whole(path, f"# {path.stem} of {mark}\n\n{path.stem} {body}\n\n## Part {mark}\n\n{body[:100]} mark{mark}\n")


def write_whole(path: Path, text: str) -> None:
    """All or nothing: a source file that a kill cut short would be another test."""
    hidden = path.with_name(f".{path.name}")
    hidden.write_text(text)
    hidden.replace(path)


def change_folder(folder: Path, mark: int, dice: random.Random) -> None:
    """Additions, changes, deletions and renames, all of them now and then."""
    files = sorted(folder.glob("doc-*.md"))
    for path in dice.sample(files, min(2, len(files))):
        write_document(path, mark, dice)
    if len(files) > KEPT:
        dice.choice(files).unlink()
    if files and dice.random() < 0.5:
        path = dice.choice([file for file in files if file.exists()])
        path.rename(folder / f"doc-renamed-{mark}.md")
    write_document(folder / f"doc-{mark:05d}.md", mark, dice)


# --- operations -----------------------------------------------------------------------------------------------


class Victim:
    """Does one thing after the other to a library and says so."""

    def __init__(self, home: Path, seed: int) -> None:
        self.home = home
        self.folder = home / "folder"
        self.log = Log(home / "log")
        self.dice = random.Random(seed)
        self.mark = seed

    def open(self) -> Library:
        return open_library(self.home / "library")

    def ingest(self) -> None:
        self.mark += 1
        change_folder(self.folder, self.mark, self.dice)
        self.log.say(intent="ingest", state=folder_state(self.folder))
        with self.open() as library:
            report = library.ingest(self.folder)
            self.log.say(done="ingest", revision=report.revision, state=folder_state(self.folder))

    def commits(self) -> None:
        """Many small commits, so that there is something to merge."""
        with self.open() as library:
            for _ in range(3):
                self.mark += 1
                change_folder(self.folder, self.mark, self.dice)
                self.log.say(intent="ingest", state=folder_state(self.folder))
                report = library.ingest(self.folder)
                self.log.say(done="ingest", revision=report.revision, state=folder_state(self.folder))

    def merge(self) -> None:
        self.log.say(intent="merge")
        with self.open() as library:
            library.index.merge(library.scope(), everything=True)
            self.log.say(done="merge")

    def rebuild(self) -> None:
        self.log.say(intent="rebuild")
        with self.open() as library:
            library.rebuild()
            self.log.say(done="rebuild")

    def purge(self) -> None:
        """Erase an element with a rare word in its id and text."""
        if not any(self.folder.glob(f"{RARE_STEM}*.md")):
            self.write_rare()
        path = min(self.folder.glob(f"{RARE_STEM}*.md"))
        path.unlink()
        self.log.say(intent="purge", element=path.name, state=folder_state(self.folder))
        with self.open() as library:
            try:
                revision = library.purge(path.name).revision
            except Erased:
                revision = 0
            self.log.say(done="purge", element=path.name, revision=revision, state=folder_state(self.folder))

    def write_rare(self) -> None:
        """What the next purge erases."""
        self.mark += 1
        path = self.folder / f"{rare_word(self.mark)}.md"
        write_whole(path, f"# About {path.stem}\n\nNobody but {path.stem} has a claim to this remedy.\n")
        self.log.say(intent="ingest", state=folder_state(self.folder))
        with self.open() as library:
            report = library.ingest(self.folder)
            self.log.say(done="ingest", revision=report.revision, state=folder_state(self.folder))

    def backup(self) -> None:
        self.mark += 1
        target = self.home / "backups" / f"{self.mark}"
        self.log.say(intent="backup", target=str(target))
        with self.open() as library:
            library.backup(target)
            self.log.say(done="backup", target=str(target))

    def restore(self) -> None:
        target = self.home / "restores" / "restored"
        self.log.say(intent="restore", target=str(target))
        restore_backup(next((self.home / "backups").iterdir()), str(target))
        self.log.say(done="restore", target=str(target))


OPERATIONS = ("ingest", "commits", "merge", "rebuild", "purge", "backup")


def run_once(home: Path, operation: str, die: int, seed: int) -> None:
    """One operation that dies at its n-th durable step."""
    victim = Victim(home, seed)
    die_at(die)
    getattr(victim, operation)()


def run_until_killed(home: Path, seed: int) -> None:
    """Operations in random order, for ever."""
    victim = Victim(home, seed)
    while True:
        getattr(victim, victim.dice.choice(OPERATIONS))()


def run_short_of_space(home: Path, operation: str, seed: int, max_file_bytes: int = 0) -> None:
    """One operation on a disk that is full, or that lets no file grow beyond a size; says what became of it."""
    victim = Victim(home, seed)
    if max_file_bytes:  # Python ignores SIGXFSZ, so that a write beyond the limit fails with EFBIG
        _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (max_file_bytes, hard))
    try:
        getattr(victim, operation)()
        outcome = "done"
    except PinciteError as error:
        outcome = f"{type(error).__name__}: {error.message}"
    (home / "outcome").write_text(outcome)


def run_in_small_batches(home: Path, seed: int, max_file_bytes: int) -> None:
    """Short of space in the middle of an ingest of several commits."""
    batch.MAX_CHARACTERS = 1
    run_short_of_space(home, "ingest", seed, max_file_bytes)


def run_on_damage(home: Path, queries: tuple[tuple[str, str], ...]) -> None:
    """Search, get and examine a damaged library; only errors that Pincite raises on purpose are caught."""
    said: dict[str, Any] = {"problems": [], "legs": [], "errors": []}
    try:
        with open_library(home / "library") as library:
            for text, mode in queries:
                try:
                    answer = library.search(text, mode=mode)
                    said["legs"] += [leg.reason for leg in answer.legs if leg.status == "unavailable"]
                except PinciteError as error:
                    said["errors"].append(error.message)
            health = library.health(deep=True)
            said["problems"] = [f"{f.what}: {f.detail} → {f.advice}" for f in health.all() if f.status == "problem"]
    except PinciteError as error:
        said["errors"].append(error.message)
        said["problems"].append(f"{type(error).__name__}: {error.message}")
    (home / "outcome").write_text(json.dumps(said))


# --- two readers, one writer ----------------------------------------------------------------------------------


def write_for(home: Path, seconds: float) -> None:
    """Change two documents in one commit, again and again; merge and rebuild now and then."""
    folder, number = home / "folder", 0
    until = time.monotonic() + seconds
    with open_library(home / "library") as library:
        while time.monotonic() < until:
            number += 1
            for name in ("left", "right"):
                (folder / f"{name}.md").write_text(f"# {name.title()}\n\nThe twins stand at generation g{number}.\n")
            write_document(folder / f"doc-{number % 40:05d}.md", number, random.Random(number))
            library.ingest(folder)
            if number % 25 == 0:
                library.index.merge(library.scope(), everything=True)
            if number % 60 == 0:
                library.rebuild()
    (home / "outcome").write_text(str(number))


def read_for(home: Path, seconds: float, name: str) -> None:
    """Ask all the time; notes how long answers took and everything that should not have happened."""
    took: list[float] = []
    wrong: list[str] = []
    head, pinned = 0, None
    until = time.monotonic() + seconds
    with open_library(home / "library") as library:
        while time.monotonic() < until and len(wrong) < 10:
            try:
                started = time.perf_counter()
                answer = library.search("twins generation", mode="keyword")
                took.append(time.perf_counter() - started)
                revision = answer.read_contexts[0]["revision"]
                assert isinstance(revision, int)
                if revision < head:
                    wrong.append(f"head fell from {head} to {revision}")
                head = revision
                wrong += torn({h.passage.element_id: h.passage.text for h in answer.hits}, revision)
                both = {n: library.get(n, read_context={"revision": head}).passage.text for n in TWINS}
                wrong += torn(both, head)
                if pinned is None or len(took) % 50 == 0:
                    pinned = answer
                again = library.replay(str(pinned.replay["token"]))
                if shown(again) != shown(pinned):
                    wrong.append(f"the replay of {pinned.read_contexts[0]} differs")
            except Exception as error:  # noqa: BLE001 - whatever it is, a reader must not see it
                wrong.append(f"{type(error).__name__}: {error}")
    (home / name).write_text(json.dumps({"took": took, "wrong": wrong, "head": head}))


TWINS = ("left.md", "right.md")


def shown(answer: Answer) -> list[dict[str, Any]]:
    """Hits as a caller gets them, without what they say about today's head."""
    return [
        wire.hit(hit, lambda passage: Described(passage.content.name)) | {"read_context": None} for hit in answer.hits
    ]


def torn(texts: dict[str, str], revision: int) -> list[str]:
    marks = {name: text.rsplit(" ", 1)[-1] for name, text in texts.items() if name in TWINS}
    return [] if len(marks) == 2 and len(set(marks.values())) == 1 else [f"torn at revision {revision}: {marks}"]
