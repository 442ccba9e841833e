"""API keys: made once, kept as a hash, refused when revoked or expired."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import stat
import threading
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import pincite
from pincite.catalog.sqlite.server import SqliteServerState
from pincite.errors import Damaged, InvalidArgument, NotFound, Unauthenticated, UnknownArgument
from pincite.serve.auth.keys import KeyStore, state_of
from pincite.serve.auth.verifier import Verifier
from pincite.serve.callers import LOCAL
from pincite.serve.desk import Desk
from terminal import Run

WHO = {"tenant": "acme", "organization": "legal"}


class Clock:
    now = datetime(2026, 5, 4, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def store(tmp_path: Path) -> KeyStore:
    return KeyStore(SqliteServerState(tmp_path / "library").keys, clock=Clock())


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Where the keys of `store` lie."""
    return tmp_path / "library" / "server.db"


def another(file: Path, clock: Clock | None = None) -> KeyStore:
    """The keys as another process sees them."""
    return KeyStore(SqliteServerState(file.parent).keys, clock=clock or Clock())


def is_refused(store: KeyStore, token: str) -> bool:
    try:
        store.verify(token)
    except Unauthenticated as error:
        assert error.reason == "invalid token"
        return True
    return False


def test_a_key_says_who_bears_it(store: KeyStore) -> None:
    key, text = store.create("finance", scopes=["search:read"], repositories=["p"], roles=["staff"], **WHO)
    assert text.startswith(f"pincite_{key.id}_")
    caller = store.verify(text)
    assert (caller.subject, caller.tenant, caller.organization) == (key.id, "acme", "legal")
    assert caller.repositories == {"p"}
    assert caller.roles == {"staff"}
    assert caller.scopes == {"search:read"}
    assert not caller.may("index:write")


def test_without_limits_a_key_reads_all_of_its_organization(store: KeyStore) -> None:
    _, text = store.create("owner", **WHO)
    caller = store.verify(text)
    assert caller.repositories is None
    assert caller.roles is None
    assert caller.scopes == {"search:read"}


def test_the_file_holds_no_key(store: KeyStore, file: Path) -> None:
    assert not store.exists() and not file.exists(), "looking makes no file"
    _, text = store.create("finance", **WHO)
    secret = text.split("_", 2)[2]
    files = [*file.parent.glob(f"{file.name}*")]
    stored = b"".join(path.read_bytes() for path in files)
    assert secret.encode() not in stored
    assert hashlib.sha256(secret.encode()).hexdigest().encode() in stored
    assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}


def test_what_is_nearly_a_key_is_none(store: KeyStore) -> None:
    key, text = store.create("finance", **WHO)
    _, other = store.create("sales", **WHO)
    swapped = f"pincite_{key.id}_{other.split('_', 2)[2]}"
    last = "A" if text[-1] != "A" else "B"
    for wrong in (text[:-1] + last, text[:-1], text + "x", swapped, "pincite_", "pincite_" + "0" * 10 + "_" + "x" * 43):
        assert is_refused(store, wrong)
    assert not is_refused(store, text)


def test_a_key_ends_when_it_was_said_to(store: KeyStore, file: Path) -> None:
    _, text = store.create("visitor", expires="90d", **WHO)
    _, day = store.create("until a day", expires="2026-05-05", **WHO)
    clock = Clock()
    later = another(file, clock)
    clock.now = Clock.now + timedelta(days=89)
    assert not is_refused(later, text)
    assert is_refused(later, day)
    clock.now = Clock.now + timedelta(days=90)
    assert is_refused(later, text)


@pytest.mark.parametrize("wrong", ["soon", "0d", "2026-05-03", "90", "-1d", "2026-13-01"])
def test_a_time_to_end_that_cannot_be_is_refused(store: KeyStore, wrong: str) -> None:
    with pytest.raises(InvalidArgument) as refused:
        store.create("visitor", expires=wrong, **WHO)
    assert refused.value.field == "expires"
    assert not store.exists()


def test_a_revoked_key_is_refused_by_every_process_at_once(store: KeyStore, file: Path) -> None:
    key, text = store.create("finance", **WHO)
    elsewhere = another(file)
    assert not is_refused(elsewhere, text)
    assert store.revoke("finance").revoked
    assert is_refused(elsewhere, text)
    assert [state_of(item, Clock.now) for item in elsewhere.list()] == ["revoked"]
    assert store.revoke(key.id).revoked == store.revoke(text).revoked


def test_a_name_that_several_keys_have_revokes_none(store: KeyStore) -> None:
    texts = [store.create("finance", **WHO)[1] for _ in range(2)]
    with pytest.raises(NotFound, match="2 keys have that name"):
        store.revoke("finance")
    with pytest.raises(NotFound, match="pincite keys list"):
        store.revoke("nobody")
    assert not any(is_refused(store, text) for text in texts)


def test_an_unknown_scope_is_answered_with_the_nearest(store: KeyStore) -> None:
    with pytest.raises(UnknownArgument, match="search:read"):
        store.create("finance", scopes=["search:reed"], **WHO)


def test_a_damaged_file_lets_nobody_in(tmp_path: Path) -> None:
    with pincite.open(tmp_path / "library") as library:
        _, text = Desk(library).verifier.keys.create("finance", **WHO)
    (tmp_path / "library" / "server.db").write_bytes(b"not a database, and long enough to be looked at" * 50)
    with pincite.open(tmp_path / "library") as library:
        desk = Desk(library)
        for token in (None, text):
            with pytest.raises(Damaged, match="pincite keys create"):
                desk.authenticate(token)
    (tmp_path / "library" / "server.db").write_bytes(b"")
    with pincite.open(tmp_path / "library") as library, pytest.raises(Damaged, match="is empty"):
        Desk(library).authenticate(None)


def test_keys_made_at_the_same_time_are_all_kept(store: KeyStore) -> None:
    threads = [threading.Thread(target=lambda: store.create("k", **WHO)) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(store.list()) == 12


def test_the_first_key_closes_the_door_and_revoking_it_does_not_open_it(tmp_path: Path) -> None:
    with pincite.open(tmp_path / "library") as library:
        desk = Desk(library)
        assert desk.authenticate(None).subject == LOCAL
        _, text = desk.verifier.keys.create("first", **WHO)
        with pytest.raises(Unauthenticated, match="authentication required"):
            desk.authenticate(None)
        assert desk.authenticate(text).tenant == "acme"
        desk.verifier.keys.revoke("first")
        for token in (None, "", text, "something"):
            with pytest.raises(Unauthenticated):
                desk.authenticate(token)


def test_a_mode_decides_whether_tokens_are_asked_for(tmp_path: Path) -> None:
    for mode, required in (("required", True), ("off", False), ("auto", False)):
        with pincite.open(tmp_path / mode, serve={"auth": {"mode": mode}}) as library:
            assert Verifier(library.config.serve.auth, library).required is required


def test_a_backup_holds_no_keys(tmp_path: Path) -> None:
    with pincite.open(tmp_path / "library") as library:
        Desk(library).verifier.keys.create("first", **WHO)
        library.backup(tmp_path / "copy")
        (key,) = Desk(library).verifier.keys.list()
    copied = [path for path in (tmp_path / "copy").rglob("*") if path.is_file()]
    assert copied and not any(key.hash.encode() in path.read_bytes() for path in copied)


def test_the_commands(run: Run, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# A\n\nrent\n", encoding="utf-8")
    assert run("keys", "create", "--name", "x").returncode == 3
    assert run("ingest", "docs").returncode == 0
    made = run(
        "keys", "create", "--name", "finance", "--repository", "main", "--scope", "search:read", "--expires", "90d"
    )
    assert made.returncode == 0
    assert another(tmp_path / ".pincite" / "server.db").verify(made.stdout.strip()).repositories == {"main"}
    shown = json.loads(run("keys", "create", "--name", "sales", "--tenant", "t", "--role", "r", "--json").stdout)
    assert shown["tenant"] == "t"
    assert shown["roles"] == ["r"]
    assert shown["key"].startswith(f"pincite_{shown['id']}_")
    listed = run("keys", "list", "--json")
    assert [item["name"] for item in json.loads(listed.stdout)["keys"]] == ["finance", "sales"]
    assert shown["key"] not in listed.stdout
    assert "hash" not in listed.stdout
    assert "finance" in run("keys", "list").stdout
    assert json.loads(run("keys", "revoke", shown["id"], "--json").stdout)["state"] == "revoked"
    assert run("keys", "revoke", "nobody").returncode == 3
    assert run("--role", "staff", "keys", "create", "--name", "x").returncode == 4
    assert run("keys", "create", "--name", "x", "--scope", "everything").returncode == 2


# --- keys of earlier versions ---------------------------------------------------------------------------------------

OLD = """
CREATE TABLE keys (
  id TEXT PRIMARY KEY, name TEXT NOT NULL, tenant TEXT NOT NULL, organization TEXT NOT NULL, hash TEXT NOT NULL,
  scopes TEXT NOT NULL, repositories TEXT, roles TEXT, created TEXT NOT NULL, expires TEXT NOT NULL,
  revoked TEXT NOT NULL
) STRICT
"""


def write_old(path: Path, number: int, *, revoked: str = "") -> str:
    """A file of keys as the first version wrote it; the text of its key."""
    secret = str(number) * 43
    digest = hashlib.sha256(secret.encode()).hexdigest()
    row = (
        str(number) * 10,
        f"key {number}",
        "acme",
        "legal",
        digest,
        '["search:read"]',
        '["p"]',
        None,
        "2026",
        "",
        revoked,
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as file, file:
        file.execute(OLD)
        file.execute(f"INSERT INTO keys VALUES ({', '.join('?' * len(row))})", row)
    return f"pincite_{str(number) * 10}_{secret}"


def test_keys_of_an_earlier_version_are_taken_over_by_the_first_question(tmp_path: Path) -> None:
    text = write_old(tmp_path / "library" / "keys.db", 1)
    with pincite.open(tmp_path / "library") as library:
        desk = Desk(library)
        with pytest.raises(Unauthenticated):
            desk.authenticate(None)
        caller = desk.authenticate(text)
        assert (caller.tenant, caller.repositories, caller.roles) == ("acme", {"p"}, None)
    assert not (tmp_path / "library" / "keys.db").exists()
    assert (tmp_path / "library" / "keys.db.taken-over").exists()


def test_a_key_that_was_revoked_stays_revoked_when_it_is_taken_over(tmp_path: Path) -> None:
    text = write_old(tmp_path / "library" / "keys.db", 1, revoked="2026-01-01T00:00:00+00:00")
    with pincite.open(tmp_path / "library") as library, pytest.raises(Unauthenticated):
        Desk(library).authenticate(text)


def test_an_old_file_that_is_damaged_lets_nobody_in(tmp_path: Path) -> None:
    (tmp_path / "library").mkdir()
    (tmp_path / "library" / "keys.db").write_bytes(b"not a database, and long enough to be looked at" * 50)
    with pincite.open(tmp_path / "library") as library, pytest.raises(Damaged, match=r"keys\.db"):
        Desk(library).authenticate(None)


def test_a_file_of_keys_that_the_settings_name_is_read_and_left_where_it_is(tmp_path: Path) -> None:
    elsewhere = tmp_path / "etc" / "keys.db"
    text = write_old(elsewhere, 2)
    settings = {"auth": {"keys_file": str(elsewhere)}}
    with pincite.open(tmp_path / "library", serve=settings) as library:
        assert Desk(library).authenticate(text).tenant == "acme"
        Desk(library).verifier.keys.revoke("key 2")
    with pincite.open(tmp_path / "library", serve=settings) as library, pytest.raises(Unauthenticated):
        Desk(library).authenticate(text)  # what was revoked here is not taken in again
    assert elsewhere.exists()
