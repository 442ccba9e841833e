"""Prepared libraries, processes to kill, and what must hold after every kill."""

from __future__ import annotations

import json
import multiprocessing
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from crash_child import Log, Victim, digest, folder_state

from pincite import wire
from pincite.catalog.resolve import resolve
from pincite.errors import Erased, NotFound
from pincite.index.segments.manifest import current_generation, load_manifest
from pincite.library import Library, open_library
from pincite.types import ReadContext
from pincite.upkeep.archive import LISTING, restore_backup

QUERIES = (
    ("notice period of the tenant", "hybrid"),
    ('"breach notice" OR appeal', "keyword"),
    ("contr* AND NOT statute", "keyword"),
    ("doc-00001.md", "exact"),
    ("nothing that anybody wrote", "hybrid"),
)

# Children are forked from a process that has already imported everything: a kill costs milliseconds, not a second.
spawner = multiprocessing.get_context("forkserver")
spawner.set_forkserver_preload(["pincite.upkeep.archive", "pincite.library", "pincite.search.spine", "pincite.wire"])


def start(run: Callable[..., None], *args: object) -> Any:
    process = spawner.Process(target=run, args=args)
    process.start()
    return process


# --- what the dead said ---------------------------------------------------------------------------------------


@dataclass
class Said:
    """The log of all victims so far."""

    states: dict[int, dict[str, str]] = field(default_factory=dict)
    """Acknowledged revision → element → hash."""
    last: dict[str, str] = field(default_factory=dict)
    pending: dict[str, Any] | None = None
    """What was begun and not acknowledged."""
    purged: set[str] = field(default_factory=set)


def read_log(home: Path) -> Said:
    said = Said()
    for line in (home / "log").read_text(encoding="utf-8").splitlines():
        fact = json.loads(line)
        if "intent" in fact:
            said.pending = fact
            continue
        said.pending = None
        if fact["done"] == "purge":
            said.purged.add(fact["element"])
        if fact.get("revision"):
            said.states[fact["revision"]] = fact["state"]
        said.last = fact.get("state", said.last)
    return said


# --- what must hold -------------------------------------------------------------------------------------------


def check_after_kill(home: Path) -> None:
    """Everything the promise says, in the order in which a user would find out."""
    said = read_log(home)
    for element in said.purged:
        assert_nowhere(home / "library", Path(element).stem)
    with open_library(home / "library") as library:
        settle(home, said, library)
        check_states(said, library)
        revisions = some_revisions(said)
        at_once = past_results(library, revisions)
        check_next_write(home, library)
        check_index(library, revisions)
        assert past_results(library, revisions) == at_once
    check_backups(home)


def settle(home: Path, said: Said, library: Library) -> None:
    """What was not acknowledged is whole or absent; doing it again finishes it."""
    pending = said.pending or {}
    found = state_at(library)
    assert found in (said.last, pending.get("state", said.last)), f"torn: {pending}"
    if pending.get("intent") == "purge":
        try:
            library.purge(pending["element"])
        except Erased:
            assert library.catalog.elements.tombstone(library.scope(), pending["element"])
        said.purged.add(pending["element"])
        Log(home / "log").say(done="purge", element=pending["element"])
        assert_nowhere(home / "library", Path(pending["element"]).stem)
    library.search("court")  # the index catches up
    health = library.health(deep=True)
    assert health.ok, [f for f in health.all() if f.status == "problem"]


def check_states(said: Said, library: Library) -> None:
    """Every acknowledged commit is there, as it was, but for what was erased since."""
    for revision in sorted(said.states)[-6:]:
        wanted = {e: h for e, h in said.states[revision].items() if e not in said.purged}
        assert state_at(library, revision) == wanted, f"revision {revision} is not what was acknowledged"


def state_at(library: Library, revision: int | None = None) -> dict[str, str]:
    info = library.catalog.repositories.get(library.scope())
    if info is None:
        return {}
    context = ReadContext("revision", revision=info.head if revision is None else revision)
    view = resolve(library.catalog, info.scope, context, reached=info.head).view
    out = {}
    for element_id in library.catalog.elements.ids(view):
        live = library.catalog.elements.get(view, element_id)
        assert live is not None
        out[element_id] = digest(live.version.content.text)
    return out


def some_revisions(said: Said) -> list[int]:
    """Two acknowledged ones: the newest and one from the middle."""
    known = sorted(said.states)
    return [known[-1], known[len(known) // 2]] if known else []


def check_index(library: Library, revisions: list[int]) -> None:
    """The index equals a rebuild, at head and in the past."""
    before = answers(library, revisions)
    library.rebuild()
    after = answers(library, revisions)
    assert after == before, f"the index was not what a rebuild makes of the catalog: {difference(before, after)}"
    assert_no_leftovers(library)


def answers(library: Library, revisions: list[int]) -> list[dict[str, Any]]:
    """What a fixed set of questions gets at head and at the revisions, without the milliseconds."""
    return _ask(library, (None, *({"revision": revision} for revision in revisions)))


def _ask(library: Library, contexts: Sequence[dict[str, int] | None]) -> list[dict[str, Any]]:
    out = []
    for text, mode in QUERIES:
        for context in contexts:
            answer = wire.answer(
                library.search(text, mode=mode, read_context=context, explain=mode == "keyword"), library.describe
            )
            assert [leg["status"] for leg in answer["legs"] if leg["name"] != "dense"].count("ok") in (1, 2)
            for leg in answer["legs"]:
                assert leg["status"] != "unavailable"
                leg.pop("ms")
            out.append(answer)
    return out


def difference(before: list[dict[str, Any]], after: list[dict[str, Any]]) -> list[Any]:
    """The parts of the answers that differ, to be read by a person."""
    pairs = [(key, a.get(key), b.get(key)) for a, b in zip(before, after, strict=True) for key in {**a, **b}]
    return [pair for pair in pairs if pair[1] != pair[2]][:3]


def past_results(library: Library, revisions: list[int]) -> list[Any]:
    """Hits at pinned revisions, without what an answer says about today's head."""
    pinned = _ask(library, [{"revision": revision} for revision in revisions[:1]])
    return [[hit | {"read_context": None} for hit in answer["results"]] for answer in pinned]


def assert_nowhere(library: Path, word: str) -> None:
    """No file below the library holds the word. Its end is left away, which a stemmer might change."""
    needle = word[:-2].encode()
    holders = [path for path in library.rglob("*") if path.is_file() and needle in path.read_bytes()]
    assert not holders, f"{word} was purged and is still in {holders}"


def assert_no_leftovers(library: Library) -> None:
    """Only what the manifest names."""
    for folder in (library.path / "index").iterdir():
        generation = current_generation(folder)
        assert [p.name for p in folder.glob("g-*")] == [generation]
        named = load_manifest(folder / generation).files()
        kept = {p.name for p in (folder / generation).iterdir() if p.name.startswith(("seg-", "merge-", "deaths-"))}
        assert kept == named - {"manifest"}


def check_backups(home: Path) -> None:
    """A backup with a listing restores to a sound library; one without is refused."""
    for backup in sorted((home / "backups").glob("*")):
        target = home / "from-backup"
        if (backup / LISTING).exists():
            restore_backup(backup, str(target))
            check_restored(target)
            shutil.rmtree(target)
        else:
            with pytest.raises(NotFound, match="not a complete backup"):
                restore_backup(backup, str(target))
        shutil.rmtree(backup)


def check_restored(target: Path) -> None:
    with open_library(target) as library:
        info = library.catalog.repositories.get(library.scope())
        assert info is not None
        library.search("court")
        health = library.health(deep=True)
        assert health.ok, health.all()
        check_index(library, [info.head // 2, info.head])


def check_next_write(home: Path, library: Library) -> None:
    """The next ingest works, brings the folder in whole and leaves nothing behind that nobody names."""
    (home / "folder" / "doc-last.md").write_text("# Last\n\nThe last notice to the tenant.\n")
    report = library.ingest(home / "folder")
    Log(home / "log").say(done="ingest", revision=report.revision, state=folder_state(home / "folder"))
    wait_for_merges(library)
    found, wanted = state_at(library), folder_state(home / "folder")
    assert found == wanted, (sorted(found.items() ^ wanted.items()), report)
    assert_no_leftovers(library)
    assert library.health(deep=True).ok


def wait_for_merges(library: Library) -> None:
    assert library._upkeep is not None
    library._upkeep.join()


# --- a library to start from ----------------------------------------------------------------------------------


class Homes:
    """A prepared home (library, folder, log, backups), put back in its place as often as needed.

    Always the same place, because a library remembers its sources by their path.
    """

    def __init__(self, root: Path, *operations: str, seed: int = 1) -> None:
        self.home = root / "home"
        self._template = root / "template"
        (self.home / "folder").mkdir(parents=True)
        victim = Victim(self.home, seed)
        for operation in operations:
            getattr(victim, operation)()
        shutil.copytree(self.home, self._template)

    def fresh(self) -> Path:
        shutil.rmtree(self.home)
        shutil.copytree(self._template, self.home)
        return self.home
