"""The SQLite catalog: the contract, and what only a file can get wrong."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
import unicodedata
from contextlib import ExitStack
from datetime import date
from pathlib import Path

import pytest

from pincite.bookkeeping import Job, SourceChange, SourceElement, SourceItem
from pincite.catalog.sqlite import SqliteCatalog, purge, schema, store
from pincite.catalog.sqlite.connection import MAX_IDLE, translate
from pincite.catalog.sqlite.engine import SqliteEngine
from pincite.errors import Conflict, Damaged, Locked, SchemaTooNew, StorageFull, Unavailable
from pincite.ids import text_hash
from pincite.testing.catalog import SCOPE, CatalogContract, commit, content, in_thread, put, state, text_at, view
from pincite.types import (
    Alias,
    Chunk,
    Commit,
    Content,
    Definition,
    Derivation,
    PutElement,
    PutRelation,
    Relation,
    Scope,
    Span,
    State,
)


class TestSqliteCatalog(CatalogContract):
    engine = SqliteEngine()

    def address(self, folder: Path) -> str:
        return str(folder)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "library" / "catalog.db"


# --- erasure --------------------------------------------------------------------------------------------------


def secret_element() -> PutElement:
    text = "Secrettext of the plaintiff. " * 400
    derivation = Derivation(
        "r",
        (Chunk(0, Span(0, 28), section_id="Secretsection", parent_chain=("Secretheading",), context="Secretcontext"),),
        (Definition("Secretterm", "Secretmeaning", 0),),
        (Alias("Secretalias"),),
        (Relation("Secretedge", "cites", "Secret-Ünal", "Secrettarget"),),
    )
    made = Content("decision", "Secrettype", "Secretname", text, "de", {"party": "Secretparty"})
    return PutElement("Secret-Ünal", (State(made, derivation, frozenset({"Secretrole"})),), "Secretmessage")


def bytes_of(path: Path) -> bytes:
    return b"".join(p.read_bytes() for p in sorted(path.parent.iterdir()))


def fill_with_secrets(catalog: SqliteCatalog) -> None:
    commit(catalog, *(put(f"e{n}", f"text {n} " * 100) for n in range(50)))
    commit(catalog, secret_element(), PutRelation(Relation("x", "cites", "e1", "Secret-Ünal")))
    commit(catalog, put("Secret-Ünal", "Secret second version"))
    assert catalog.queue.add(SCOPE, "m", {text_hash("Secret second version"): "Secret second version"}, upto=3) == 1
    given = SourceElement("Secret-Ünal", "Secretpath.md", "d", ("Secretedge",))
    source = SourceChange("s", items=(SourceItem("Secretpath.md", 1, 1, "h", "r"),), elements=(given,))
    catalog.commits.commit(SCOPE, Commit((), sources=(source,)))


def test_a_purge_leaves_no_byte_in_any_file(path: Path) -> None:
    catalog = SqliteCatalog(path)
    fill_with_secrets(catalog)
    assert b"Secret" in bytes_of(path)
    catalog.commits.purge(SCOPE, ["Secret-Ünal"], reason="court order")
    assert not catalog.traces_pending()
    assert b"secret" not in bytes_of(path).lower()
    assert "Ünal".encode() not in bytes_of(path)
    assert catalog.check() == ()
    catalog.close()
    assert b"secret" not in bytes_of(path).lower()


def test_a_reader_that_holds_the_log_is_reported_until_the_next_opening(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(purge, "CHECKPOINT_SECONDS", 0.2)
    catalog = SqliteCatalog(path)
    fill_with_secrets(catalog)
    reading, release = threading.Event(), threading.Event()

    def read() -> None:
        with catalog.session(SCOPE.tenant):
            reading.set()
            release.wait()

    reader = threading.Thread(target=read)
    reader.start()
    reading.wait()
    catalog.commits.purge(SCOPE, ["Secret-Ünal"])
    assert catalog.traces_pending()
    assert "write-ahead log" in catalog.check()[0]
    release.set()
    reader.join()
    catalog.close()
    again = SqliteCatalog(path)
    assert not again.traces_pending()
    assert b"secret" not in bytes_of(path).lower()
    again.close()


def test_every_connection_writes_through_and_overwrites_what_it_deletes(path: Path) -> None:
    catalog = SqliteCatalog(path)
    with catalog._database.maintain() as writer, catalog._database.read() as reader:
        for connection in (writer, reader):
            settings = ("journal_mode", "synchronous", "secure_delete", "foreign_keys", "busy_timeout")
            found = [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in settings]
            assert found == ["wal", 2, 1, 1, 30_000]
    catalog.close()


# --- schema ---------------------------------------------------------------------------------------------------


def test_a_newer_schema_is_refused_with_advice(path: Path) -> None:
    SqliteCatalog(path).close()
    raw = sqlite3.connect(path)
    raw.execute("PRAGMA user_version = 99")
    raw.close()
    with pytest.raises(SchemaTooNew, match=r"schema 99.*pip install --upgrade"):
        SqliteCatalog(path)


def test_an_older_file_is_migrated_forward_and_only_once(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = SqliteCatalog(path)
    commit(old, put("a", "one"))
    old.close()
    step = ("CREATE TABLE later (x)", "INSERT INTO later VALUES (1)")
    monkeypatch.setattr(schema, "MIGRATIONS", [*schema.MIGRATIONS, step])
    for _ in range(2):
        new = SqliteCatalog(path)
        assert text_at(new, 1, "a") == "one"
        new.close()
    raw = sqlite3.connect(path)
    assert raw.execute("SELECT count(*) FROM later").fetchone() == (1,)
    assert raw.execute("PRAGMA user_version").fetchone() == (len(schema.MIGRATIONS),)
    raw.close()


def test_a_library_of_the_first_schema_keeps_what_waits_in_its_queue(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting = (SCOPE.tenant, text_hash("one"), "m", "one")
    with monkeypatch.context() as patch:
        patch.setattr(schema, "MIGRATIONS", schema.MIGRATIONS[:1])
        # As they were then.
        patch.setattr(store, "_INSERT_ALIAS", "INSERT INTO aliases VALUES (?, ?, ?, ?, ?, ?)")
        columns = ", ".join(f"?{number}" for number in range(1, 14))
        patch.setattr(store, "_INSERT_CHUNK", f"INSERT INTO chunks SELECT {columns} WHERE ?14 = '[]'")
        old = SqliteCatalog(path)
        commit(old, put("a", "one"))
        with old._database.write() as connection:
            connection.execute(
                "INSERT INTO jobs (tenant, text_hash, fingerprint, text, state, added, ready)"
                " VALUES (?, ?, ?, ?, 'waiting', 0, 0)",
                waiting,
            )
        old.close()
    new = SqliteCatalog(path)
    assert text_at(new, 1, "a") == "one"
    assert new.queue.enqueued(SCOPE, "m") == 0
    assert new.queue.add(SCOPE, "m", {waiting[1]: "one"}, upto=1) == 0
    assert new.queue.claim(SCOPE.tenant, "m", 9, lease_seconds=60) == (Job(*waiting),)
    assert new.check() == ()
    new.close()


def test_a_library_that_remembered_files_keeps_its_memory(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    decomposed = unicodedata.normalize("NFD", "Gebühr.md")
    composed = unicodedata.normalize("NFC", "Gebühr.md")
    with monkeypatch.context() as patch:
        patch.setattr(schema, "MIGRATIONS", schema.MIGRATIONS[:5])
        old = SqliteCatalog(path)
        old.repositories.ensure(SCOPE)
        with old._database.write() as connection:
            connection.executemany(
                "INSERT INTO source_files VALUES (1, ?, ?, 7, 8, ?, ?, 'r', ?)",
                [
                    ("docs", "a.md", "h", "a.md", "etag"),
                    ("docs", decomposed, "h", composed, ""),
                    ("docs", "sub/b.md as sub/b.md", "", "sub/b.md", ""),
                    ("team", "c.md", "h", "team-a/c.md", ""),
                ],
            )
        old.close()
    new = SqliteCatalog(path)
    assert new.sources.items(SCOPE, "docs") == {
        "a.md": SourceItem("a.md", 7, 8, "h", "r", "etag"),
        decomposed: SourceItem(decomposed, 7, 8, "h", "r"),
        "sub/b.md as sub/b.md": SourceItem("sub/b.md as sub/b.md", 7, 8, "", "r"),
    }
    assert new.sources.items(SCOPE, "team") == {"c.md": SourceItem("c.md", 7, 8, "h", "r;prefix=team-a/")}
    owners = new.sources.owners(SCOPE, ["a.md", composed, "sub/b.md", "team-a/c.md"])
    assert {element_id: (source, given.item) for element_id, (source, given) in owners.items()} == {
        "a.md": ("docs", "a.md"),
        composed: ("docs", decomposed),
        "sub/b.md": ("docs", "sub/b.md as sub/b.md"),
        "team-a/c.md": ("team", "c.md"),
    }
    assert new.check() == ()
    new.close()


def test_a_failed_migration_changes_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    SqliteCatalog(path).close()
    step = ("CREATE TABLE later (x)", "INSERT INTO nowhere VALUES (1)")
    with monkeypatch.context() as patch:
        patch.setattr(schema, "MIGRATIONS", [*schema.MIGRATIONS, step])
        with pytest.raises(sqlite3.OperationalError, match="nowhere"):
            SqliteCatalog(path)
    SqliteCatalog(path).close()


def test_another_programs_database_is_left_alone(path: Path) -> None:
    path.parent.mkdir()
    raw = sqlite3.connect(path)
    raw.execute("CREATE TABLE bookmarks (url)")
    raw.close()
    with pytest.raises(Damaged, match="not a Pincite catalog"):
        SqliteCatalog(path)


# --- damage, locks, a full disk -------------------------------------------------------------------------------


def test_a_file_that_is_no_database_is_damaged(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"this is not a database " * 500)
    with pytest.raises(Damaged, match="restore a backup"):
        SqliteCatalog(path)


@pytest.mark.parametrize("damage", ["truncated", "overwritten"])
def test_a_damaged_file_is_reported_as_such(path: Path, damage: str) -> None:
    catalog = SqliteCatalog(path)
    commit(catalog, *(put(f"e{n}", "text " * 200) for n in range(200)))
    catalog.close()
    raw = bytearray(path.read_bytes())
    if damage == "truncated":
        raw = raw[: len(raw) // 2]
    else:
        raw[8192:-8192] = b"\xff" * (len(raw) - 16384)
    path.write_bytes(raw)
    try:
        broken = SqliteCatalog(path)
    except Damaged:
        return  # refused at once: as good as found
    assert broken.check()
    with pytest.raises(Damaged, match="restore a backup"):
        list(broken.feed.births(SCOPE, 0, 1))
    broken.close()


def test_a_full_disk_is_said_and_nothing_is_changed(path: Path) -> None:
    catalog = SqliteCatalog(path)
    commit(catalog, put("a", "one"))
    with catalog._database.maintain() as connection:
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count = {pages + 5}")
    with pytest.raises(StorageFull, match="nothing was changed"):
        commit(catalog, put("b", "long " * 100_000))
    assert catalog.elements.ids(view(1)) == ("a",)
    assert catalog.repositories.ensure(SCOPE).head == 1
    assert commit(catalog, put("c", "short")).revision == 2
    catalog.close()


def test_sqlite_errors_are_told_in_our_words() -> None:
    def error(code: int) -> sqlite3.OperationalError:
        raised = sqlite3.OperationalError("words of SQLite")
        raised.sqlite_errorcode = code
        return raised

    assert isinstance(translate(error(sqlite3.SQLITE_BUSY_SNAPSHOT), Path("x")), Locked)
    assert isinstance(translate(error(sqlite3.SQLITE_IOERR_READ), Path("x")), Damaged)
    assert isinstance(translate(error(sqlite3.SQLITE_CANTOPEN), Path("x")), Unavailable)
    assert translate(error(sqlite3.SQLITE_MISUSE), Path("x")) is None


def test_a_closed_catalog_says_so_and_closes_twice(path: Path) -> None:
    catalog = SqliteCatalog(path)
    catalog.close()
    catalog.close()
    with pytest.raises(Unavailable, match="closed"):
        catalog.repositories.list("t", "o")


def test_a_process_that_only_reads_opens_while_another_writes(path: Path) -> None:
    writing = SqliteCatalog(path)
    commit(writing, put("a", "one"))
    with writing._database.write():
        reading = SqliteCatalog(path)
        assert text_at(reading, 1, "a") == "one"
        reading.close()
    writing.close()


def test_an_old_sqlite_is_named_with_the_version_needed(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 34, 1))
    with pytest.raises(Unavailable, match=r"needs SQLite 3\.35"):
        SqliteCatalog(path)


def test_the_check_finds_broken_promises(path: Path) -> None:
    catalog = SqliteCatalog(path)
    commit(catalog, put("a", "one"))
    raw = sqlite3.connect(path)
    raw.execute("UPDATE repositories SET head = 7")
    raw.execute("UPDATE lifetimes SET derivation = 99")
    raw.commit()
    raw.close()
    findings = " / ".join(catalog.check())
    assert "refers to a row of derivations" in findings
    assert "revisions do not run from 1" in findings
    catalog.close()


# --- many at once ---------------------------------------------------------------------------------------------

WRITER = """
import sys
from pathlib import Path
from pincite.catalog.sqlite import SqliteCatalog
from pincite.testing.catalog import commit, put

catalog = SqliteCatalog(Path(sys.argv[1]))
n = 0
while True:
    n += 1
    made = commit(catalog, put("counter", f"value {n}"), *(put(f"{n}-{k}", "text " * 200) for k in range(20)))
    print(made.revision, flush=True)
"""


@pytest.mark.parametrize("delay", [0.05, 0.2, 0.35])
def test_what_was_acknowledged_survives_kill_9(path: Path, delay: float) -> None:
    writer = subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True)
    assert writer.stdout is not None
    acknowledged = int(writer.stdout.readline())
    time.sleep(delay)
    os.kill(writer.pid, signal.SIGKILL)
    acknowledged = max([acknowledged, *(int(line) for line in writer.stdout.read().split())])
    writer.wait()
    writer.stdout.close()
    catalog = SqliteCatalog(path)
    head = catalog.repositories.ensure(SCOPE).head
    assert head in (acknowledged, acknowledged + 1)
    for revision in range(1, head + 1):
        assert text_at(catalog, revision, "counter") == f"value {revision}"
        assert len(catalog.elements.ids(view(revision))) == 1 + 20 * revision
    assert catalog.check() == ()
    catalog.close()


def test_readers_see_whole_commits_while_one_writes(path: Path) -> None:
    catalog = SqliteCatalog(path)
    commit(catalog, put("a", "0"), put("b", "0"))
    finished = threading.Event()
    torn: list[tuple[str | None, str | None]] = []
    reads = [0]

    def read() -> None:
        while not finished.is_set():
            with catalog.session(SCOPE.tenant) as session:
                head = session.repositories.ensure(SCOPE).head
                pair = text_at(session, head, "a"), text_at(session, head, "b")
            reads[0] += 1
            if pair[0] != pair[1]:
                torn.append(pair)

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for n in range(1, 150):
        commit(catalog, put("a", str(n)), put("b", str(n)))
    finished.set()
    for reader in readers:
        reader.join()
    catalog.close()
    assert torn == []
    assert reads[0] > 10


def test_readers_use_connections_again_and_a_crowd_leaves_only_some_open(path: Path) -> None:
    catalog = SqliteCatalog(path)
    for _ in range(20):
        in_thread(lambda: catalog.repositories.get(SCOPE))
    assert len(catalog._database._idle) <= 2
    with ExitStack() as crowd:
        for _ in range(2 * MAX_IDLE):
            crowd.enter_context(catalog.session(SCOPE.tenant))
    assert len(catalog._database._idle) == MAX_IDLE
    catalog.close()


def test_a_backup_taken_while_writing_is_one_state(path: Path, tmp_path: Path) -> None:
    catalog = SqliteCatalog(path)
    finished = threading.Event()

    def write() -> None:
        n = 0
        while not finished.is_set():
            n += 1
            commit(catalog, put("counter", f"value {n}"), *(put(f"{n}-{k}", "text " * 100) for k in range(10)))

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for n in range(5):
            time.sleep(0.05)
            target = tmp_path / "backups" / str(n)
            catalog.backup(target)
            copy = SqliteCatalog(target / "catalog.db")
            head = copy.repositories.ensure(SCOPE).head
            assert len(copy.elements.ids(view(head))) == (1 + 10 * head if head else 0)
            assert copy.check() == ()
            copy.close()
    finally:
        finished.set()
        writer.join()
        catalog.close()


def test_two_processes_worth_of_catalogs_share_one_file(path: Path) -> None:
    one, two = SqliteCatalog(path), SqliteCatalog(path)
    assert one.library_id == two.library_id
    for n in range(10):
        commit(one if n % 2 else two, put("a", str(n)))
    assert one.repositories.ensure(SCOPE) == two.repositories.ensure(SCOPE)
    assert one.repositories.ensure(SCOPE).head == 10
    one.close()
    two.close()


def test_time_never_runs_backwards_when_the_clock_does(path: Path) -> None:
    ticks = iter([1_000, 1_000, 5])
    catalog = SqliteCatalog(path, clock=lambda: next(ticks))
    for text in ("one", "two", "three"):
        commit(catalog, put("a", text))
    assert [revision.time for revision in catalog.commits.revisions(SCOPE)] == [1_002, 1_001, 1_000]
    catalog.close()


def test_five_thousand_elements_are_one_commit(path: Path) -> None:
    text = "One sentence of law. " * 40
    cut = Derivation("r", tuple(Chunk(n, Span(n * 200, n * 200 + 200)) for n in range(4)))
    changes = tuple(PutElement(f"e{n:05}", (State(content(f"{text}{n}"), cut),)) for n in range(5_000))
    catalog = SqliteCatalog(path)
    assert catalog.commits.commit(Scope(), Commit(changes)).revision == 1
    assert sum(len(birth.derivation.chunks) for birth in catalog.feed.births(Scope(), 0, 1)) == 20_000
    catalog.close()


def test_states_that_would_conflict_in_one_commit_are_refused(path: Path) -> None:
    catalog = SqliteCatalog(path)
    first = state("text", end=date(2026, 1, 1))
    second = State(content("text"), Derivation("r1", (Chunk(0, Span(0, 1)),)), valid_from=date(2026, 1, 1))
    with pytest.raises(Conflict):
        commit(catalog, put("a", first, second))
    assert catalog.repositories.get(SCOPE) is None
    catalog.close()
