"""A catalog for one caller: whatever part is asked, other repositories are not there or refused."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from pincite.bookkeeping import Job
from pincite.catalog.bounds import Bounds
from pincite.catalog.limited import LimitedCatalog
from pincite.catalog.sqlite import SqliteCatalog
from pincite.errors import PermissionDenied
from pincite.ids import text_hash
from pincite.protocols import Session
from pincite.testing.catalog import SCOPE, calls_of, commit, put, view
from pincite.types import Scope

BESIDE = replace(SCOPE, repository="board")
ELSEWHERE = replace(SCOPE, tenant="other")
HIDDEN = ("repositories.get", "repositories.list")
"""Answered as if there were nothing: an error would say that there is."""
OF_THE_TENANT = {
    "repositories.list", "vectors.put", "vectors.get", "vectors.counts", "queue.claim", "queue.start", "queue.finish",
    "queue.release", "queue.failed", "queue.parked", "queue.retry_parked", "queue.counts", "contexts.get",
    "contexts.put", "usage.add", "usage.total", "session",
}  # fmt: skip
"""Kept once for all repositories of a tenant, so a repository is not asked for."""


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[SqliteCatalog]:
    opened = SqliteCatalog(tmp_path / "catalog.db")
    for scope in (SCOPE, BESIDE, ELSEWHERE):
        commit(opened, put("a", "one"), scope=scope)
    yield opened
    opened.close()


def limited(catalog: SqliteCatalog) -> LimitedCatalog:
    return LimitedCatalog(catalog, Bounds(SCOPE.tenant, lambda scope: scope == SCOPE))


@pytest.mark.parametrize("within", ["the catalog", "a session"])
@pytest.mark.parametrize("outside", [BESIDE, ELSEWHERE], ids=["another repository", "another tenant"])
def test_every_part_refuses_or_hides_what_lies_outside(catalog: SqliteCatalog, within: str, outside: Scope) -> None:
    job = Job(outside.tenant, text_hash("one"), "m", "one", 0, "")
    asked = 0
    with ExitStack() as open_session:
        parts: Session = limited(catalog)
        if within == "a session":
            parts = open_session.enter_context(parts.session(SCOPE.tenant))
        for name, call in calls_of(parts, outside, job).items():
            if outside.tenant == SCOPE.tenant and name in OF_THE_TENANT:
                continue
            asked += 1
            if name in HIDDEN:
                assert not call(), name
                continue
            with pytest.raises(PermissionDenied):
                call()
                pytest.fail(f"{name} was answered")
    assert asked > 30


def test_what_lies_within_is_read_as_ever(catalog: SqliteCatalog) -> None:
    own = limited(catalog)
    assert [info.scope for info in own.repositories.list(SCOPE.tenant, SCOPE.organization)] == [SCOPE]
    with own.session(SCOPE.tenant) as session:
        commit(catalog, put("a", "two"))
        assert [info.head for info in session.repositories.list(SCOPE.tenant, SCOPE.organization)] == [1]
        assert session.elements.ids(view(1)) == ("a",)


def test_a_caller_may_not_do_what_is_the_operators(catalog: SqliteCatalog, tmp_path: Path) -> None:
    own = limited(catalog)
    for forbidden in (own.operator, lambda: own.backup(tmp_path / "copy"), own.close):
        with pytest.raises(PermissionDenied):
            forbidden()
    assert own.check() == () and not own.traces_pending()
    assert not hasattr(own, "models")
