"""Named revisions, and which of them is published."""

from __future__ import annotations

import difflib
import sqlite3
from collections.abc import Callable, Collection

from pincite.catalog.sqlite.connection import Database
from pincite.catalog.sqlite.repositories import head_of, number_of, scopes_json
from pincite.catalog.validate import check_baseline_name
from pincite.errors import Conflict, NotFound
from pincite.types import Baseline, Scope

# The newest publication of a repository is its published pointer, so there is never more than one.
_LIST = """
    SELECT b.name, b.revision, b.created, b.author, b.note,
           b.id IS (SELECT p.baseline FROM publications p WHERE p.repository = b.repository ORDER BY p.id DESC LIMIT 1)
    FROM baselines b
    WHERE b.repository = :repository AND (:name IS NULL OR b.name = :name)
    ORDER BY b.id
"""
_OF_EACH = """
    WITH found AS (
        SELECT wanted.key AS place, b.*,
               (SELECT q.baseline FROM publications q WHERE q.repository = p.id ORDER BY q.id DESC LIMIT 1) AS published
        FROM json_each(:wanted) wanted
        CROSS JOIN repositories p ON p.tenant = json_extract(wanted.value, '$[0]')
            AND p.organization = json_extract(wanted.value, '$[1]') AND p.name = json_extract(wanted.value, '$[2]')
        JOIN baselines b ON b.repository = p.id
    )
    SELECT place, name, revision, created, author, note, id IS published
    FROM found
    WHERE CASE WHEN :name IS NULL THEN id IS published ELSE name = :name END
"""
_FIND = "SELECT id FROM baselines WHERE repository = ? AND name = ?"
_INSERT = "INSERT INTO baselines (repository, name, revision, created, author, note) VALUES (?, ?, ?, ?, ?, ?)"
_POINTER = """
    SELECT p.id, p.baseline, p.below, b.name
    FROM publications p JOIN baselines b ON b.id = p.baseline
    WHERE p.repository = ?
    ORDER BY p.id DESC LIMIT 1
"""
_BELOW = """
    SELECT p.baseline, p.below, b.name FROM publications p JOIN baselines b ON b.id = p.baseline WHERE p.id = ?
"""
_POINT = "INSERT INTO publications (repository, baseline, below, action, time, author) VALUES (?, ?, ?, ?, ?, ?)"


class SqliteBaselines:
    def __init__(self, database: Database, clock: Callable[[], int]) -> None:
        self._database = database
        self._clock = clock

    def create(
        self, scope: Scope, name: str, *, revision: int | None = None, author: str = "", note: str = ""
    ) -> Baseline:
        """The new baseline, at `revision` or at head."""
        check_baseline_name(name)
        with self._database.write() as connection:
            repository = _require(connection, scope)
            head = head_of(connection, repository)
            number = head if revision is None else revision
            if not 1 <= number <= head:
                raise NotFound(
                    f"{scope.repository!r} has no revision {number} to name {name!r}; "
                    + (f"its head is {head}" if head else "nothing has been committed to it yet"),
                    field="revision",
                )
            taken = _one(connection, repository, name)
            if taken is not None:
                raise Conflict(
                    f"baseline {name!r} already names revision {taken.revision}; a baseline never moves, "
                    "choose another name",
                    field="name",
                )
            created = self._clock()
            connection.execute(_INSERT, (repository, name, number, created, author, note))
        return Baseline(name, number, created, author, note)

    def get(self, scope: Scope, name: str) -> Baseline | None:
        with self._database.read() as connection:
            return _one(connection, number_of(connection, scope), name)

    def list(self, scope: Scope) -> tuple[Baseline, ...]:
        """Oldest first."""
        with self._database.read() as connection:
            rows = connection.execute(_LIST, {"repository": number_of(connection, scope), "name": None})
            return tuple(_baseline(row) for row in rows)

    def publish(self, scope: Scope, name: str, *, author: str = "") -> Baseline:
        """The baseline, now published. Publishing it again changes nothing."""
        with self._database.write() as connection:
            repository = _require(connection, scope)
            found = connection.execute(_FIND, (repository, name)).fetchone()
            if found is None:
                raise self._unknown(scope, name)
            pointer = connection.execute(_POINTER, (repository,)).fetchone()
            if pointer is None or pointer[1] != found[0]:
                below = pointer[0] if pointer else None
                connection.execute(_POINT, (repository, found[0], below, "publish", self._clock(), author))
            return _existing(connection, repository, name)

    def rollback(self, scope: Scope, *, author: str = "") -> Baseline:
        """The baseline that was published before and is so again."""
        with self._database.write() as connection:
            repository = _require(connection, scope)
            pointer = connection.execute(_POINTER, (repository,)).fetchone()
            if pointer is None or pointer[2] is None:
                now = f"{pointer[3]!r} is the first baseline published" if pointer else "nothing is published"
                raise Conflict(f"cannot roll {scope.repository!r} back: {now}; publish a baseline instead")
            baseline, below, name = connection.execute(_BELOW, (pointer[2],)).fetchone()
            connection.execute(_POINT, (repository, baseline, below, "rollback", self._clock(), author))
            return _existing(connection, repository, name)

    def published(self, scope: Scope) -> Baseline | None:
        with self._database.read() as connection:
            repository = number_of(connection, scope)
            pointer = connection.execute(_POINTER, (repository,)).fetchone()
            return _one(connection, repository, pointer[3]) if pointer else None

    def of_each(self, scopes: Collection[Scope], name: str | None) -> dict[Scope, Baseline]:
        """The baseline of that name, or the published one, of many repositories at once."""
        asked = tuple(scopes)
        with self._database.read() as connection:
            rows = connection.execute(_OF_EACH, {"wanted": scopes_json(asked), "name": name})
            return {asked[row[0]]: _baseline(row[1:]) for row in rows}

    def _unknown(self, scope: Scope, name: str) -> NotFound:
        names = [baseline.name for baseline in self.list(scope)]
        near = difflib.get_close_matches(name, names, n=3, cutoff=0.5)
        known = ", ".join(repr(n) for n in near or names[-5:]) or "none"
        return NotFound(
            f"{scope.repository!r} has no baseline {name!r}; known: {known}",
            field="name",
            suggestions=near or names[-5:],
        )


def _require(connection: sqlite3.Connection, scope: Scope) -> int:
    repository = number_of(connection, scope)
    if not repository:
        raise NotFound(f"there is no repository {scope.repository!r}; commit to it first", field="repository")
    return repository


def _one(connection: sqlite3.Connection, repository: int, name: str) -> Baseline | None:
    row = connection.execute(_LIST, {"repository": repository, "name": name}).fetchone()
    return _baseline(row) if row else None


def _existing(connection: sqlite3.Connection, repository: int, name: str) -> Baseline:
    found = _one(connection, repository, name)
    assert found is not None
    return found


def _baseline(row: tuple[str, int, int, str, str, int]) -> Baseline:
    name, revision, created, author, note, published = row
    return Baseline(name, revision, created, author, note, bool(published))
