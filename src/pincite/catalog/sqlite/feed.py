"""What an index reads to roll forward. Pages are separate transactions, so a long read never holds back the log."""

from __future__ import annotations

from collections.abc import Iterator

from pincite.catalog.sqlite.connection import Database
from pincite.catalog.sqlite.load import content_of, lifetime_of, load_derivations
from pincite.catalog.sqlite.repositories import number_of
from pincite.types import FOREVER, Birth, Death, Scope

PAGE = 256

# What is born by a revision never changes, only `died` grows finite: a death after `upto` is not known yet.
_BIRTHS = f"""
    SELECT l.id, e.element_id, v.version_id, r.fingerprint, l.born,
           CASE WHEN l.died <= :upto THEN l.died ELSE {FOREVER} END,
           l.valid_from, l.valid_to, l.roles,
           v.kind, v.element_type, v.name, v.text, v.language, v.metadata, d.id
    FROM lifetimes l
    JOIN elements e ON e.id = l.element
    JOIN derivations d ON d.id = l.derivation
    JOIN versions v ON v.id = d.version
    JOIN recipes r ON r.id = d.recipe
    WHERE l.repository = :repository AND l.born <= :upto AND (l.born, l.id) > (:born, :id)
    ORDER BY l.born, l.id
    LIMIT :page
"""
_DEATHS = """
    SELECT l.id, l.died
    FROM lifetimes l
    WHERE l.repository = :repository AND l.died <= :upto AND (l.died, l.id) > (:died, :id) AND l.born <= :after
    ORDER BY l.died, l.id
    LIMIT :page
"""
_ERASED = "SELECT erasure_key FROM tombstones WHERE repository = ? AND purge > ?"


class SqliteFeed:
    def __init__(self, database: Database) -> None:
        self._database = database

    def births(self, scope: Scope, after: int, upto: int) -> Iterator[Birth]:
        """Lifetimes with after < born <= upto, in order of birth; `died` as known at `upto`."""
        born, last = after, FOREVER
        while True:
            page = self._page_of_births(scope, born, last, upto)
            yield from page
            if len(page) < PAGE:
                return
            born, last = page[-1].lifetime.born, page[-1].lifetime.lifetime_id

    def deaths(self, scope: Scope, after: int, upto: int) -> Iterator[Death]:
        """Lifetimes with born <= after and after < died <= upto."""
        died, last = after, FOREVER
        while True:
            with self._database.read() as connection:
                values = {
                    "repository": number_of(connection, scope),
                    "after": after,
                    "upto": upto,
                    "died": died,
                    "id": last,
                    "page": PAGE,
                }
                page = [Death(*row) for row in connection.execute(_DEATHS, values)]
            yield from page
            if len(page) < PAGE:
                return
            died, last = page[-1].died, page[-1].lifetime_id

    def erased(self, scope: Scope, since: int) -> frozenset[str]:
        """`erasure_key`s of elements erased by purges number `since` + 1 and later."""
        with self._database.read() as connection:
            rows = connection.execute(_ERASED, (number_of(connection, scope), since))
            return frozenset(key for (key,) in rows)

    def _page_of_births(self, scope: Scope, born: int, last: int, upto: int) -> list[Birth]:
        with self._database.read() as connection:
            values = {
                "repository": number_of(connection, scope),
                "born": born,
                "id": last,
                "upto": upto,
                "page": PAGE,
            }
            rows = connection.execute(_BIRTHS, values).fetchall()
            derivations = load_derivations(connection, [row[15] for row in rows])
        return [Birth(lifetime_of(*row[:9]), content_of(*row[9:15]), derivations[row[15]]) for row in rows]
