"""The write path: one commit, one transaction, one revision."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Mapping, Sequence

from pincite.catalog.prepare import PreparedElement, PreparedRelation, prepare
from pincite.catalog.sqlite.connection import Database
from pincite.catalog.sqlite.draft import Draft
from pincite.catalog.sqlite.purge import purge
from pincite.catalog.sqlite.repositories import ensure_number, head_of, number_of, scopes_json
from pincite.catalog.sqlite.revisions import add_revision
from pincite.catalog.sqlite.sources import remember
from pincite.catalog.sqlite.store import store
from pincite.errors import Conflict, HeadMoved
from pincite.ids import text_hash
from pincite.types import Commit, Committed, Outcome, Revision, Scope

_MESSAGE = "SELECT revision FROM messages WHERE repository = ? AND message_hash = ?"
_REMEMBER = "INSERT OR IGNORE INTO messages (repository, message_hash, revision) VALUES (?, ?, ?)"
_REVISION = "SELECT number, time, author, message FROM revisions WHERE repository = ? AND number = ?"
_REVISION_AT = """
    SELECT number, time, author, message FROM revisions
    WHERE repository = ? AND time <= ?
    ORDER BY time DESC LIMIT 1
"""
# CROSS JOIN: SQLite keeps the order of the tables, the wanted repositories first.
_REVISION_OF_EACH = """
    SELECT wanted.key, r.number, r.time, r.author, r.message
    FROM json_each(?) wanted
    CROSS JOIN repositories p ON p.tenant = json_extract(wanted.value, '$[0]')
        AND p.organization = json_extract(wanted.value, '$[1]') AND p.name = json_extract(wanted.value, '$[2]')
    JOIN revisions r ON r.repository = p.id AND r.number = json_extract(wanted.value, '$[3]')
"""
_REVISION_OF_EACH_AT = """
    SELECT wanted.key, r.number, r.time, r.author, r.message
    FROM json_each(:wanted) wanted
    CROSS JOIN repositories p ON p.tenant = json_extract(wanted.value, '$[0]')
        AND p.organization = json_extract(wanted.value, '$[1]') AND p.name = json_extract(wanted.value, '$[2]')
    JOIN revisions r ON r.repository = p.id
        AND r.time = (SELECT max(time) FROM revisions WHERE repository = p.id AND time <= :time)
"""
_REVISIONS = """
    SELECT number, time, author, message FROM revisions
    WHERE repository = :repository AND (:before IS NULL OR number < :before)
    ORDER BY number DESC LIMIT :limit
"""


class SqliteCommits:
    def __init__(self, database: Database, clock: Callable[[], int]) -> None:
        self._database = database
        self._clock = clock

    def commit(self, scope: Scope, commit: Commit) -> Committed:
        """The new revision, or the one that already holds the outcome. See `Commits.commit`."""
        changes = [prepare(change) for change in commit.changes]  # before the lock: hashing takes the most time
        with self._database.write() as connection:
            repository = ensure_number(connection, scope)
            earlier = _earlier_revision(connection, repository, commit.message_ids)
            if earlier is not None:
                return Committed(earlier, False, tuple(Outcome("duplicate", _subject(c)) for c in changes))
            head = head_of(connection, repository)
            if commit.expected_head is not None and commit.expected_head != head:
                raise HeadMoved(scope.repository, expected=commit.expected_head, found=head)
            draft = Draft(connection, repository)
            outcomes: list[Outcome] = []
            message_ids = {text_hash(m) for m in commit.message_ids}
            for change in changes:
                message = text_hash(change.message_id) if change.message_id else ""
                if message and (message in draft.messages or _revision_of(connection, repository, message) is not None):
                    outcomes.append(Outcome("duplicate", _subject(change)))
                    continue
                outcomes.append(draft.apply(change))
                if message:
                    draft.messages.add(message)
            changed = store(connection, repository, head + 1, draft)
            revision = head + 1 if changed else head
            connection.executemany(_REMEMBER, [(repository, m, revision) for m in message_ids | draft.messages])
            if changed:
                add_revision(connection, repository, revision, self._clock(), commit.author, commit.message)
            for source in commit.sources:
                remember(connection, repository, source)
        return Committed(revision, changed, tuple(outcomes))

    def revision(self, scope: Scope, number: int) -> Revision | None:
        with self._database.read() as connection:
            row = connection.execute(_REVISION, (number_of(connection, scope), number)).fetchone()
        return Revision(*row) if row else None

    def revision_at(self, scope: Scope, time: int) -> Revision | None:
        """The last revision committed at or before `time`."""
        with self._database.read() as connection:
            row = connection.execute(_REVISION_AT, (number_of(connection, scope), time)).fetchone()
        return Revision(*row) if row else None

    def revision_of_each(self, numbers: Mapping[Scope, int]) -> dict[Scope, Revision]:
        """`revision` of many repositories at once."""
        scopes = tuple(numbers)
        with self._database.read() as connection:
            rows = connection.execute(_REVISION_OF_EACH, (scopes_json(scopes, numbers.values()),))
            return {scopes[at]: Revision(*columns) for at, *columns in rows}

    def revision_of_each_at(self, scopes: Collection[Scope], time: int) -> dict[Scope, Revision]:
        """`revision_at` of many repositories at once."""
        asked = tuple(scopes)
        with self._database.read() as connection:
            rows = connection.execute(_REVISION_OF_EACH_AT, {"wanted": scopes_json(asked), "time": time})
            return {asked[at]: Revision(*columns) for at, *columns in rows}

    def revisions(self, scope: Scope, *, limit: int = 100, before: int | None = None) -> tuple[Revision, ...]:
        """Newest first."""
        with self._database.read() as connection:
            values = {"repository": number_of(connection, scope), "before": before, "limit": max(0, limit)}
            return tuple(Revision(*row) for row in connection.execute(_REVISIONS, values))

    def purge(self, scope: Scope, element_ids: Sequence[str], *, reason: str = "", author: str = "") -> Committed:
        """The revision at which the elements were erased. See `Commits.purge`."""
        return purge(self._database, scope, element_ids, reason=reason, author=author, now=self._clock())


def _earlier_revision(connection: sqlite3.Connection, repository: int, message_ids: Sequence[str]) -> int | None:
    """The revision of a commit seen before; None when it is new; `Conflict` when it is half new."""
    found = {m: _revision_of(connection, repository, text_hash(m)) for m in message_ids}
    known = [revision for revision in found.values() if revision is not None]
    if not known:
        return None
    if len(known) < len(found):
        new = sorted(m for m, revision in found.items() if revision is None)
        raise Conflict(
            f"some messages of this commit were committed before, others are new ({', '.join(new[:5])}); "
            "nothing was changed; send the new ones in a commit of their own",
            field="message_ids",
        )
    return max(known)


def _revision_of(connection: sqlite3.Connection, repository: int, message: str) -> int | None:
    row = connection.execute(_MESSAGE, (repository, message)).fetchone()
    return int(row[0]) if row else None


def _subject(change: PreparedElement | PreparedRelation) -> str:
    return change.element_id if isinstance(change, PreparedElement) else ""
