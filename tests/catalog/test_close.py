"""Closing a catalog that others are reading."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from pincite.catalog.sqlite.connection import DatabaseFile
from pincite.errors import Unavailable

ROWS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000) SELECT i FROM n"


def test_a_reader_comes_to_its_end_when_the_catalog_is_closed_under_it(tmp_path: Path) -> None:
    database = DatabaseFile(tmp_path / "catalog.db")
    begun, go_on = threading.Event(), threading.Event()
    seen: list[int] = []
    refused: list[str] = []

    def read() -> None:
        with database.read() as connection:
            rows = connection.execute(ROWS)
            seen.append(next(rows)[0])
            begun.set()
            assert go_on.wait(10)
            seen.extend(row[0] for row in rows)
        try:
            with database.read():
                pass
        except Unavailable as error:
            refused.append(error.message)

    reader = threading.Thread(target=read)
    reader.start()
    assert begun.wait(10)
    database.close()
    go_on.set()
    reader.join(30)
    assert len(seen) == 200_000
    assert "has been closed" in refused[0]


def test_nobody_begins_to_read_what_is_closed(tmp_path: Path) -> None:
    database = DatabaseFile(tmp_path / "catalog.db")
    database.close()
    database.close()
    with pytest.raises(Unavailable, match="has been closed"), database.read():
        pass
