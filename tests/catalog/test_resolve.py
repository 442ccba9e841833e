"""What a caller asks for, and the view that it means."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from pincite.catalog.resolve import from_iso, parse_date, parse_read_context, resolve, to_iso
from pincite.catalog.sqlite import SqliteCatalog
from pincite.errors import InvalidArgument, NotFound, NotIndexedYet, UnknownArgument
from pincite.testing.catalog import SCOPE, commit, put
from pincite.types import ReadContext, Scope

SECOND = 1_000_000
START = int(datetime(2026, 1, 31, 12, tzinfo=UTC).timestamp()) * SECOND


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[SqliteCatalog]:
    """Three revisions, committed at 12:00:00, 12:00:01 and 12:00:02."""
    ticks = iter(range(START, START + 100 * SECOND, SECOND))
    catalog = SqliteCatalog(tmp_path / "catalog.db", clock=lambda: next(ticks))
    for text in ("one", "two", "three"):
        commit(catalog, put("a", text))
    yield catalog
    catalog.close()


# --- reading what a caller wrote ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (None, None),
        ("", None),
        ({}, None),
        ({"selector": None, "baseline_id": "", "revision": None}, None),
        ("head", ReadContext("head")),
        ({"selector": "published"}, ReadContext("published")),
        ("published", ReadContext("published")),
        ({"baseline_id": "v1"}, ReadContext("baseline_id", baseline_id="v1")),
        ({"selector": "baseline_id", "baseline_ref": "v1"}, ReadContext("baseline_id", baseline_id="v1")),
        ("baseline:v1:final", ReadContext("baseline_id", baseline_id="v1:final")),
        ("as_of:2026-01-31T12:00Z", ReadContext("as_of", as_of=START)),
        ({"as_of": "2026-01-31T13:00:00+01:00"}, ReadContext("as_of", as_of=START)),
        ({"as_of": "2026-01-31 12:00"}, ReadContext("as_of", as_of=START)),
        ("revision:12", ReadContext("revision", revision=12)),
        ({"revision": 0}, ReadContext("revision", revision=0)),
        ({"revision": "12"}, ReadContext("revision", revision=12)),
        ({"version_ref": 12}, ReadContext("revision", revision=12)),
        ({"version_ref": "12"}, ReadContext("revision", revision=12)),
        ({"version_ref": "rev:12"}, ReadContext("revision", revision=12)),
        ({"version_ref": "2026-01-31T12:00Z"}, ReadContext("as_of", as_of=START)),
        ({"version_ref": "v12"}, ReadContext("baseline_id", baseline_id="v12")),
    ],
)
def test_every_form_of_a_read_context_is_understood(
    written: dict[str, object] | str | None, meant: ReadContext | None
) -> None:
    assert parse_read_context(written) == meant


@pytest.mark.parametrize(
    ("written", "field"),
    [
        ({"baseline_id": "v1", "revision": 3}, "revision"),
        ({"baseline_id": "v1", "baseline_ref": "v1"}, "baseline_ref"),
        ({"selector": "head", "revision": 3}, "revision"),
        ({"selector": "as_of"}, "as_of"),
        ({"selector": "revision", "as_of": "2026-01-31"}, "as_of"),
        ({"revision": "three"}, "revision"),
        ({"revision": -1}, "revision"),
        ({"revision": True}, "revision"),
        ({"revision": 1.5}, "revision"),
        ({"as_of": "yesterday"}, "as_of"),
        ({"as_of": "2026-02-30T12:00Z"}, "as_of"),
        ({"as_of": 20260131}, "as_of"),
        ({"baseline_id": ["v1"]}, "baseline_id"),
        ("as_of:", "as_of"),
    ],
)
def test_a_context_that_makes_no_single_choice_names_the_field(written: dict[str, object] | str, field: str) -> None:
    with pytest.raises(InvalidArgument) as raised:
        parse_read_context(written)
    assert raised.value.field == field


@pytest.mark.parametrize("written", [{"baselin_id": "v1"}, {"selector": "haed"}, "haed", "branch:main"])
def test_an_unknown_name_is_answered_with_the_nearest(written: dict[str, object] | str) -> None:
    with pytest.raises(UnknownArgument) as raised:
        parse_read_context(written)
    assert raised.value.suggestions


def test_dates_are_read_in_two_spellings() -> None:
    assert parse_date("2024-12-31") == parse_date(" 31.12.2024 ") == date(2024, 12, 31)
    for wrong in ("31.02.2024", "2024-13-01", "12/31/2024", "20241231", "2024-W01-1", "", "٣١.١٢.٢٠٢٤x"):
        with pytest.raises(InvalidArgument):
            parse_date(wrong)


def test_a_bare_day_means_its_end() -> None:
    assert to_iso(from_iso("2026-01-31")) == to_iso(from_iso("31.01.2026")) == "2026-01-31T23:59:59.999999Z"


@pytest.mark.parametrize("us", [0, 1, START, -1, from_iso("0001-01-01T00:00Z"), from_iso("9999-12-31")])
def test_times_round_trip(us: int) -> None:
    assert from_iso(to_iso(us)) == us


# --- what it means in a repository ----------------------------------------------------------------------------


def test_head_is_what_the_index_has_reached(catalog: SqliteCatalog) -> None:
    here = resolve(catalog, SCOPE, None, reached=2, roles=frozenset({"judge"}))
    assert (here.view.revision, here.view.valid_at, here.view.roles) == (2, date(2026, 1, 31), frozenset({"judge"}))
    assert here.echo == {
        "selector": "head",
        "revision": 2,
        "as_of": "2026-01-31T12:00:01.000000Z",
        "valid_at": "2026-01-31",
        "repository_id": "decisions",
        "head": 3,
    }
    assert resolve(catalog, SCOPE, ReadContext("head"), reached=9).view.revision == 3


def test_a_chosen_validity_date_is_kept(catalog: SqliteCatalog) -> None:
    here = resolve(catalog, SCOPE, None, reached=3, valid_at=date(1999, 1, 1))
    assert (here.view.valid_at, here.echo["valid_at"]) == (date(1999, 1, 1), "1999-01-01")


def test_published_falls_back_to_head_only_as_a_default(catalog: SqliteCatalog) -> None:
    default = resolve(catalog, SCOPE, None, reached=3, default="published")
    assert (default.echo["selector"], default.echo["note"]) == ("head", "nothing is published yet")
    with pytest.raises(NotFound, match="publish a baseline"):
        resolve(catalog, SCOPE, ReadContext("published"), reached=3)
    catalog.baselines.create(SCOPE, "v1", revision=2)
    catalog.baselines.publish(SCOPE, "v1")
    for context in (None, ReadContext("published")):
        here = resolve(catalog, SCOPE, context, reached=3, default="published")
        assert (here.view.revision, here.echo["selector"], here.echo["baseline_id"]) == (2, "published", "v1")
    assert resolve(catalog, SCOPE, ReadContext("head"), reached=3, default="published").view.revision == 3


def test_a_baseline_is_found_or_suggested(catalog: SqliteCatalog) -> None:
    catalog.baselines.create(SCOPE, "spring", revision=1)
    here = resolve(catalog, SCOPE, ReadContext("baseline_id", baseline_id="spring"), reached=3)
    assert (here.view.revision, here.echo["baseline_id"]) == (1, "spring")
    with pytest.raises(NotFound) as raised:
        resolve(catalog, SCOPE, ReadContext("baseline_id", baseline_id="sprng"), reached=3)
    assert raised.value.suggestions == ("spring",)


def test_an_instant_selects_the_last_revision_by_then(catalog: SqliteCatalog) -> None:
    def at(us: int) -> int:
        return resolve(catalog, SCOPE, ReadContext("as_of", as_of=us), reached=3).view.revision

    assert (at(START), at(START + SECOND - 1), at(START + SECOND)) == (1, 1, 2)
    with pytest.raises(InvalidArgument, match="future"):
        at(from_iso("2999-01-01"))


def test_before_the_first_revision_the_snapshot_is_empty_and_says_so(catalog: SqliteCatalog) -> None:
    here = resolve(catalog, SCOPE, ReadContext("as_of", as_of=START - 1), reached=3)
    assert (here.view.revision, here.echo["as_of"], here.view.valid_at) == (0, None, datetime.now(UTC).date())
    assert "nothing had been committed" in str(here.echo["note"])
    assert catalog.elements.ids(here.view) == ()


def test_a_revision_must_exist_and_be_indexed(catalog: SqliteCatalog) -> None:
    assert resolve(catalog, SCOPE, ReadContext("revision", revision=2), reached=2).view.revision == 2
    with pytest.raises(NotIndexedYet, match="reached 2"):
        resolve(catalog, SCOPE, ReadContext("revision", revision=3), reached=2)
    for unknown in (4, 10**30, -1):
        with pytest.raises(InvalidArgument, match="head is 3"):
            resolve(catalog, SCOPE, ReadContext("revision", revision=unknown), reached=3)


def test_an_unknown_repository_is_answered_with_those_of_the_organization(catalog: SqliteCatalog) -> None:
    catalog.repositories.ensure(Scope("evil", "legal", "decision"))
    with pytest.raises(NotFound) as raised:
        resolve(catalog, Scope("acme", "legal", "decision"), None, reached=0)
    assert raised.value.suggestions == ("decisions",)
