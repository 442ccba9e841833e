"""How often a library in one SQLite file asks its catalog: the budget, and what the budget's own counting counts."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

import pincite
from desk import SAMPLES, Desk
from pincite.catalog.sqlite.connection import DatabaseFile
from pincite.testing.budget import BudgetContract, counted


@pytest.fixture(autouse=True)
def sent(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every statement that SQLite is given, of whatever connection."""
    statements: list[str] = []
    connect = DatabaseFile.connect

    def traced(file: DatabaseFile) -> Any:
        connection = connect(file)
        connection.set_trace_callback(statements.append)
        return connection

    monkeypatch.setattr(DatabaseFile, "connect", traced)
    return statements


class _SqliteBudget(BudgetContract):
    @pytest.fixture(autouse=True)
    def _counted(self, sent: list[str]) -> None:
        self._sent = sent

    def statements(self) -> list[str]:
        return self._sent

    def make_library(self, folder: Path, **settings: Any) -> pincite.Library:
        return pincite.open(folder / "library", **settings)


class TestSegments(_SqliteBudget):
    pass


class TestSqliteVec(_SqliteBudget):
    def make_library(self, folder: Path, **settings: Any) -> pincite.Library:
        return pincite.open(folder / "library", index="sqlite_vec", **settings)


class TestSamples(_SqliteBudget):
    """The files that the figures in docs/performance.md were counted on."""

    def source(self, folder: Path) -> Path:
        shutil.copytree(SAMPLES.parent, folder / "samples")
        return folder / "samples"


def test_calls_are_counted_in_sessions_and_outside_and_not_after(desk: Desk) -> None:
    desk.put(a="# Leave\n\nDays of leave.\n")
    # A library of its own: the one that ingested may still be merging, and that asks the catalog too.
    with desk.reopened() as library:
        catalog, scope = library.catalog, library.scope()
        with counted(catalog) as calls:
            catalog.repositories.get(scope)
            with catalog.session(scope.tenant) as session, session.session(scope.tenant) as again:
                session.repositories.get(scope)
                again.repositories.list(scope.tenant, scope.organization)
            with catalog.operator() as operator:
                operator.models.in_use()
        assert calls == {"repositories.get": 2, "repositories.list": 1, "models.in_use": 1}
        catalog.repositories.get(scope)
        assert calls["repositories.get"] == 2
        assert "repositories" in vars(catalog) and "session" not in vars(catalog)
