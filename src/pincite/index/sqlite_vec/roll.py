"""Rolling forward: births become rows, deaths are noted, erased elements vanish from every table."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator

from pincite.ids import erasure_key
from pincite.index.entries import Entry, embedded_key, entries
from pincite.index.sqlite_vec.schema import NO_END, NO_START, TERM_COLUMNS, WORD_COLUMNS
from pincite.index.sqlite_vec.store import SqliteVecFile
from pincite.index.sqlite_vec.vectors import bury_vectors, forget_chunks, forget_unused, model_ids
from pincite.protocols import Catalog
from pincite.text.words import analyse, tokens
from pincite.types import Birth, Chunk, Death, Lifetime, RepositoryInfo

BATCH = 2_000


def roll_forward(store: SqliteVecFile, repository: int, catalog: Catalog, info: RepositoryInfo) -> bool:
    """Bring the repository to the catalog's head; whether something was erased. Inside a write transaction."""
    revision, purges = store.all("SELECT revision, purges FROM repositories WHERE id = ?", (repository,))[0]
    erased = bool(purges < info.purges)
    if erased:
        keys = catalog.feed.erased(info.scope, purges)
        _erase(store, repository, lambda element_id: erasure_key(info.scope, element_id) in keys)
    if revision < info.head:
        _bury(store, repository, catalog.feed.deaths(info.scope, revision, info.head))
        _bear(store, repository, catalog.feed.births(info.scope, revision, info.head))
    store.run(_REACHED, (info.head, info.purges, repository))
    return erased


_REACHED = "UPDATE repositories SET revision = ?, purges = ? WHERE id = ?"


def remove_all(store: SqliteVecFile, repository: int) -> None:
    """Take out every row of a repository; what it had taken in of models stays known."""
    _erase(store, repository, lambda _: True)
    store.run("DELETE FROM languages WHERE repository = ?", (repository,))
    store.run("UPDATE repositories SET revision = 0, limited = 0, restated = 0 WHERE id = ?", (repository,))


# --- births and deaths ----------------------------------------------------------------------------------------


def _bury(store: SqliteVecFile, repository: int, deaths: Iterable[Death]) -> None:
    models = model_ids(store)
    for death in deaths:
        life = store.one(_LIFE, (repository, death.lifetime_id))
        if life is not None:
            store.run("UPDATE lives SET died = ? WHERE id = ?", (death.died, life))
            bury_vectors(store, models, life, death.died)


_LIFE = "SELECT id FROM lives WHERE repository = ? AND lifetime_id = ?"


def _bear(store: SqliteVecFile, repository: int, births: Iterable[Birth]) -> None:
    writer = _Writer(store, repository)
    for birth in births:
        if birth.derivation.chunks:
            writer.add(birth)
    writer.flush()


class _Writer:
    """Collects rows and writes them many at a time."""

    def __init__(self, store: SqliteVecFile, repository: int) -> None:
        self._store = store
        self._repository = repository
        self._chunk = int(store.one("SELECT coalesce(max(id), 0) FROM chunks"))
        self._facets: dict[tuple[str, str], int] = {}
        self._audiences: dict[str, int] = {}
        self._languages: set[str] = set()
        self._rows: dict[str, list[tuple[object, ...]]] = {sql: [] for sql in _ROWS}

    def add(self, birth: Birth) -> None:
        life = self._life(birth.lifetime)
        for chunk, entry in zip(birth.derivation.chunks, entries(birth), strict=True):
            self._chunk += 1
            text = self._text(birth, chunk) if any(entry.fields.values()) else None
            self._rows[_CHUNK].append((self._chunk, life, entry.number, entry.language, text))
            self._rows[_WORDS].append((self._chunk, *_streams(entry)))
            self._rows[_IDENTIFIER] += [(key, self._chunk) for key in entry.identifiers]
            self._rows[_HOLD] += [(self._chunk, self._facet(*pair)) for pair in entry.filters]
            self._note(entry)
        if len(self._rows[_CHUNK]) >= BATCH:
            self.flush()

    def flush(self) -> None:
        for sql, rows in self._rows.items():
            self._store.connection.executemany(sql, rows)
            rows.clear()

    def _life(self, life: Lifetime) -> int:
        limited = life.valid_from is not None or life.valid_to is not None
        if limited:
            self._store.run("UPDATE repositories SET limited = 1 WHERE id = ?", (self._repository,))
        return self._store.insert(
            _LIVES,
            (
                self._repository,
                life.lifetime_id,
                _key(self._store, _ELEMENT, (self._repository, life.element_id)),
                life.version_id,
                life.recipe,
                life.born,
                life.died,
                life.valid_from.toordinal() if life.valid_from else NO_START,
                life.valid_to.toordinal() if life.valid_to else NO_END,
                self._audience(json.dumps(sorted(life.roles))),
            ),
        )

    def _audience(self, roles: str) -> int:
        if roles not in self._audiences:
            self._audiences[roles] = _key(self._store, _AUDIENCE, (roles,))
        return self._audiences[roles]

    def _facet(self, field: str, value: str) -> int:
        if (field, value) not in self._facets:
            self._facets[field, value] = _key(self._store, _FACET, (field, value))
        return self._facets[field, value]

    def _text(self, birth: Birth, chunk: Chunk) -> int:
        return _key(self._store, _TEXT, (self._repository, embedded_key(birth.content, chunk)))

    def _note(self, entry: Entry) -> None:
        """Remember which languages there are, and whether `language` may mean another one to a filter."""
        if entry.language not in self._languages:
            self._languages.add(entry.language)
            self._store.run("INSERT OR IGNORE INTO languages VALUES (?, ?)", (self._repository, entry.language))
        if any(value != entry.language for field, value in entry.filters if field == "language"):
            self._store.run("UPDATE repositories SET restated = 1 WHERE id = ?", (self._repository,))


_LIVES = """
INSERT INTO lives (
    repository, lifetime_id, element, version_id, recipe, born, died, valid_from, valid_to, audience
) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_CHUNK = "INSERT INTO chunks (id, life, number, language, text) VALUES (?, ?, ?, ?, ?)"
_IDENTIFIER = "INSERT OR IGNORE INTO identifiers (key, chunk) VALUES (?, ?)"
_HOLD = "INSERT OR IGNORE INTO holds (chunk, facet) VALUES (?, ?)"
_WORDS = f"""
INSERT INTO words (rowid, {", ".join((*TERM_COLUMNS, *WORD_COLUMNS))}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_ROWS = (_CHUNK, _WORDS, _IDENTIFIER, _HOLD)

_ELEMENT = ("elements", "repository = ? AND element_id = ?", "(repository, element_id) VALUES (?, ?)")
_AUDIENCE = ("audiences", "roles = ?", "(roles) VALUES (?)")
_FACET = ("facets", "field = ? AND value = ?", "(field, value) VALUES (?, ?)")
_TEXT = ("texts", "repository = ? AND key = ?", "(repository, key) VALUES (?, ?)")


def _key(store: SqliteVecFile, table: tuple[str, str, str], values: tuple[object, ...]) -> int:
    """The key of the row that has these values, made if there is none."""
    name, condition, columns = table
    known = store.one(f"SELECT id FROM {name} WHERE {condition}", values)
    return int(known) if known is not None else store.insert(f"INSERT INTO {name} {columns}", values)


def _streams(entry: Entry) -> Iterator[str]:
    """The terms of each field, then its words."""
    texts = {name: entry.fields.get(name, "") for name in TERM_COLUMNS}
    texts["content"] = "\n".join(
        (texts["content"], *(entry.fields[name] for name in entry.fields if name not in texts))
    )
    analysed = [[analyse(token, entry.language) for token in tokens(text)] for text in texts.values()]
    for field in analysed:
        yield " ".join(term for token in field for term in token.terms)
    for field in analysed:
        yield " ".join(word for token in field for word in token.words)


# --- erasure --------------------------------------------------------------------------------------------------


def _erase(store: SqliteVecFile, repository: int, is_gone: Callable[[str], bool]) -> None:
    """Delete elements with all that only they held, and have FTS5 rewrite its index without their words."""
    elements = store.all("SELECT id, element_id FROM elements WHERE repository = ?", (repository,))
    gone = [number for number, element_id in elements if is_gone(element_id)]
    if not gone:
        return
    wanted = (json.dumps(gone),)
    chunks = [chunk for (chunk,) in store.all(_CHUNKS_OF, wanted)]
    forget_chunks(store, chunks)
    for start in range(0, len(chunks), BATCH):
        batch = (json.dumps(chunks[start : start + BATCH]),)
        for sql in _DELETE_CHUNKS:
            store.run(sql, batch)
    store.run("DELETE FROM lives WHERE element IN (SELECT value FROM json_each(?))", wanted)
    store.run("DELETE FROM elements WHERE id IN (SELECT value FROM json_each(?))", wanted)
    store.run(_UNUSED_FACETS)
    store.run(_UNUSED_AUDIENCES)
    forget_unused(store)
    store.run("INSERT INTO words (words) VALUES ('optimize')")


_CHUNKS_OF = """
SELECT c.id FROM json_each(?) j CROSS JOIN lives l ON l.element = j.value CROSS JOIN chunks c ON c.life = l.id
"""
_DELETE_CHUNKS = (
    "DELETE FROM words WHERE rowid IN (SELECT value FROM json_each(?))",
    "DELETE FROM identifiers WHERE chunk IN (SELECT value FROM json_each(?))",
    "DELETE FROM holds WHERE chunk IN (SELECT value FROM json_each(?))",
    "DELETE FROM chunks WHERE id IN (SELECT value FROM json_each(?))",
)
_UNUSED_FACETS = "DELETE FROM facets WHERE id NOT IN (SELECT facet FROM holds)"
_UNUSED_AUDIENCES = "DELETE FROM audiences WHERE id NOT IN (SELECT audience FROM lives)"
