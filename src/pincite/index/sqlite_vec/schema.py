"""What the file holds: lifetimes and their chunks, an FTS5 table over their terms, a `vec0` table per model.

Everything that a view or a filter asks for stands in ordinary tables. FTS5 keeps no text (`content=''`): the catalog
has it. Its columns come twice: the analyser's terms, by which a word is found and scored, and the folded words in their
order, in which phrases and prefixes are verified. There is a column for each structural field; FTS5 cannot add others
later, so what a kind has in fields of its own stands in `content`.
"""

from __future__ import annotations

from pincite.fields import STRUCTURAL

FORMAT = 1

TERM_COLUMNS = tuple(STRUCTURAL)
WORD_COLUMNS = tuple(f"{name}_words" for name in TERM_COLUMNS)


NO_START, NO_END = 0, 9_999_999
"""Days of a lifetime that is in force from the beginning or without end."""

# `secure_delete`: pages that FTS5 frees while it merges must not keep words that are erased later.
PRAGMAS = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
PRAGMA secure_delete = ON;
PRAGMA cache_size = -65536;
PRAGMA mmap_size = 17179869184;
PRAGMA temp_store = MEMORY;
"""

TABLES = f"""
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE repositories (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, revision INTEGER NOT NULL, purges INTEGER NOT NULL,
    limited INTEGER NOT NULL DEFAULT 0, restated INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE audiences (id INTEGER PRIMARY KEY, roles TEXT NOT NULL UNIQUE);
CREATE TABLE elements (
    id INTEGER PRIMARY KEY, repository INTEGER NOT NULL, element_id TEXT NOT NULL, UNIQUE (repository, element_id)
);
CREATE TABLE lives (
    id INTEGER PRIMARY KEY, repository INTEGER NOT NULL, lifetime_id INTEGER NOT NULL, element INTEGER NOT NULL,
    version_id TEXT NOT NULL, recipe TEXT NOT NULL, born INTEGER NOT NULL, died INTEGER NOT NULL,
    valid_from INTEGER NOT NULL, valid_to INTEGER NOT NULL, audience INTEGER NOT NULL,
    UNIQUE (repository, lifetime_id)
);
CREATE INDEX lives_of_element ON lives (element);
CREATE TABLE texts (id INTEGER PRIMARY KEY, repository INTEGER NOT NULL, key TEXT NOT NULL, UNIQUE (repository, key));
CREATE TABLE chunks (
    id INTEGER PRIMARY KEY, life INTEGER NOT NULL, number INTEGER NOT NULL, language TEXT NOT NULL, text INTEGER
);
CREATE INDEX chunks_of_life ON chunks (life);
CREATE INDEX chunks_of_text ON chunks (text);
CREATE TABLE languages (repository INTEGER, language TEXT, PRIMARY KEY (repository, language)) WITHOUT ROWID;
CREATE TABLE facets (id INTEGER PRIMARY KEY, field TEXT NOT NULL, value TEXT NOT NULL, UNIQUE (field, value));
CREATE TABLE holds (chunk INTEGER, facet INTEGER, PRIMARY KEY (chunk, facet)) WITHOUT ROWID;
CREATE TABLE identifiers (key TEXT, chunk INTEGER, PRIMARY KEY (key, chunk)) WITHOUT ROWID;
CREATE INDEX identifiers_of_chunk ON identifiers (chunk);
CREATE TABLE models (id INTEGER PRIMARY KEY, fingerprint TEXT NOT NULL UNIQUE, dimensions INTEGER NOT NULL);
CREATE TABLE taken (repository INTEGER, fingerprint TEXT, PRIMARY KEY (repository, fingerprint)) WITHOUT ROWID;
CREATE TABLE scanned (model INTEGER, chunk INTEGER, PRIMARY KEY (model, chunk)) WITHOUT ROWID;
CREATE VIRTUAL TABLE words USING fts5(
    {", ".join((*TERM_COLUMNS, *WORD_COLUMNS))},
    content = '', contentless_delete = 1, tokenize = "ascii tokenchars '~.'"
);
CREATE VIRTUAL TABLE vocabulary USING fts5vocab(words, row);
"""
# `ascii` takes every character beyond ASCII as part of a word: the analyser has already decided what a word is.

VECTOR_TABLES = """
CREATE TABLE exact_{model} (text INTEGER PRIMARY KEY, vectors BLOB NOT NULL);
CREATE VIRTUAL TABLE near_{model} USING vec0(
    id INTEGER PRIMARY KEY, repository INTEGER PARTITION KEY, language TEXT PARTITION KEY,
    born INTEGER, died INTEGER, valid_from INTEGER, valid_to INTEGER, audience INTEGER,
    signs bit[{bits}], chunk_size = 64
);
"""
# Measured on 100,000 sentence vectors of 512 dimensions, CPU time of a question with k = 800 (busy machine), recall@10:
# float32 187 ms with sqlite-vec's own chunk_size of 1024, 86 ms at its best (128); int8 127 ms (128), both 1.000; sign
# bits 56 ms (256), 36 ms (128), 28 ms (64), 25 ms (32), all 0.998, and 1.000 with k = 1600 (30 ms). Scoring what they
# find in full adds 5 to 10 ms. A small chunk bounds what sqlite-vec spends on choosing the best k. The size of pages
# (4, 8, 16 kB) made no difference.
