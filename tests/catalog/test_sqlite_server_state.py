"""What a server keeps, in the embedded catalog."""

from __future__ import annotations

from pathlib import Path

from pincite.catalog.sqlite.engine import SqliteEngine
from pincite.testing.server_state import KEY, ServerStateContract


class TestSqliteServerState(ServerStateContract):
    engine = SqliteEngine()

    def address(self, folder: Path) -> str:
        return str(folder)


def test_a_commit_that_takes_long_holds_up_no_heartbeat(tmp_path: Path) -> None:
    """A worker whose beats had to wait for it would be taken for dead, and its job for interrupted."""
    catalog = SqliteEngine().open(str(tmp_path), {})
    with catalog._database.write():  # type: ignore[attr-defined]
        catalog.server.jobs.beat("w", 1.0)
        catalog.server.keys.add(KEY)
    assert catalog.server.keys.any()
    catalog.close()
