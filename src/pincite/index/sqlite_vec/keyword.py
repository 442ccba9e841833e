"""The keyword leg: FTS5 finds and scores by its own bm25(), over all rows of the file; views and filters choose.

FTS5 multiplies by k1 + 1 = 2.2; without the factor a word adds at most its idf, as in every engine of ours. A word that
may stand in several forms gets the sum of what its forms add.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from pincite.index.bm25 import boosts_of, idf
from pincite.index.lines import Line, grouping, shown
from pincite.index.sqlite_vec.expression import Vocabulary, expression
from pincite.index.sqlite_vec.rows import lines
from pincite.index.sqlite_vec.schema import TERM_COLUMNS
from pincite.index.sqlite_vec.store import SqliteVecFile
from pincite.index.sqlite_vec.visible import ROWS, Condition, ViewedRepository, among, filtered, visible
from pincite.index.terms import Compiled, WeighedGroup, compile_query, required_groups
from pincite.queries import All, Matched, Maybe, Node, Not, Phrase, Prefix, Ranking, Word, WordQuery
from pincite.text.expand import Group, Term, Together, VisibleVocabulary

FACTOR = 2.2
"""k1 + 1 of FTS5's bm25()."""
EXACT_TOTAL_UP_TO = 20_000
"""Occurrences up to which every match is looked at; beyond, only the best are, and the total is a lower bound."""
OVERSAMPLED = 4
"""Of so many times the depth FTS5's best rows are looked at first: a join for every match costs as much as FTS5."""

Scored = tuple[int, int, float]
"""Chunk, element, cost: FTS5's scores are negative, the best is the least."""


@dataclass(frozen=True, slots=True)
class _Run:
    """One query."""

    store: SqliteVecFile
    places: Sequence[ViewedRepository]
    query: WordQuery
    boosts: tuple[float, ...]
    vocabulary: Vocabulary
    compiled: Compiled

    def worth(self, item: WeighedGroup) -> float:
        """How much the word counts: less than 1 for one that stands in for another, more for one that is repeated."""
        return item.idf / idf(self.vocabulary.rows, item.frequency)

    def idf(self, item: WeighedGroup) -> float:
        return self.worth(item) * self.vocabulary.idf(item.group)

    def weights(self) -> dict[str, float]:
        """The boosts of the columns; words stand where their terms do."""
        return {f"w{number}": boost for number, boost in enumerate((*self.boosts, *self.boosts))}


def search_words(store: SqliteVecFile, places: Sequence[ViewedRepository], query: WordQuery) -> Ranking:
    """The best groups; filters and demands hold inside the scan."""
    boosts = boosts_of(query.scoring, TERM_COLUMNS)
    vocabulary = Vocabulary(store, boosts)
    if not places or not vocabulary.rows:
        return Ranking("keyword")
    lexicon = VisibleVocabulary(_languages(store, places), vocabulary.holders)
    compiled = compile_query(query, lexicon, vocabulary.rows, vocabulary.frequency)
    if not compiled.groups:
        return Ranking("keyword", notes=("no word to search for",))
    run = _Run(store, places, query, boosts, vocabulary, compiled)
    scored, complete = _candidates(run)
    best = shown(sorted(_best(run, scored), key=Line.order), query.group, query.depth, query.among)
    explained = _explain(run, best[: query.explained])
    bound = sum(run.idf(item) for item in compiled.groups[: query.expected])
    found = [item.found(min(1.0, item.raw / bound), explained.get(item.id, ())) for item in best]
    by = 0 if grouping(query.group, query.among) == "chunk" else 1
    total = len({row[by] for row in scored})
    return Ranking("keyword", tuple(found), total, not complete, notes=compiled.notes)


def _languages(store: SqliteVecFile, places: Sequence[ViewedRepository]) -> tuple[str, ...]:
    repositories = json.dumps([place.repository for place in places])
    return tuple(language for (language,) in store.all(_LANGUAGES, (repositories,)))


_LANGUAGES = """
SELECT DISTINCT language FROM languages WHERE repository IN (SELECT value FROM json_each(?)) ORDER BY language
"""


# --- candidates -----------------------------------------------------------------------------------------------


def _candidates(run: _Run) -> tuple[list[Scored], bool]:
    """Matching rows that the views may read, enough of them for the depth asked for, and whether these are all."""
    query, items = run.query, run.compiled.groups
    arms, values = _arms(run)
    if not arms:
        return [], True
    seen = visible(run.places, ever=query.ever)
    chosen = filtered(query.filters) & among(run.places, query.among) & _demanded(run)
    everything = query.among is not None or sum(item.frequency for item in items) <= EXACT_TOTAL_UP_TO
    if not everything and not query.filters and not run.compiled.constrained:
        limit = OVERSAMPLED * query.depth
        best = run.store.all(f"SELECT id, cost FROM ({arms}) ORDER BY cost LIMIT :limit", {**values, "limit": limit})
        costs: dict[int, float] = dict(best)
        rows = [(chunk, element, costs[chunk]) for chunk, element in _elements(run, seen, list(costs))]
        if len(best) < limit:
            return rows, True
        certain = [row for row in rows if row[2] < best[-1][1]]  # of those that tie with the last, some are missing
        if _groups(run, certain) >= query.depth:
            return certain, False
    both = seen & chosen
    rows = run.store.all(_JOINED.format(arms=arms, condition=both.sql), {**values, **both.values})
    return rows, True


_JOINED = """
SELECT c.id, l.element, s.cost
FROM ({arms}) s CROSS JOIN chunks c ON c.id = s.id CROSS JOIN lives l ON l.id = c.life
WHERE {condition}
"""


def _arms(run: _Run) -> tuple[str, dict[str, object]]:
    """Chunks with what they cost. Words that count differently are asked for apart: bm25() knows no weights."""
    ordered = sorted(run.compiled.groups, key=run.worth)
    values: dict[str, object] = dict(run.weights())
    arms: list[str] = []
    for worth, items in groupby(ordered, key=run.worth):
        asked = expression([item.group for item in items], run.boosts)
        if asked:
            number = len(arms)
            values |= {f"asked{number}": asked, f"worth{number}": worth / FACTOR}
            arms.append(_ARM.format(number=number))
    if len(arms) > 1:
        return f"SELECT id, sum(cost) AS cost FROM ({' UNION ALL '.join(arms)}) GROUP BY id", values
    return "".join(arms), values


_ARM = """
SELECT rowid AS id, :worth{number} * bm25(words, :w0, :w1, :w2, :w3, :w4, :w5, :w6, :w7) AS cost
FROM words WHERE words MATCH :asked{number}
"""


def _elements(run: _Run, seen: Condition, chunks: Sequence[int]) -> list[tuple[int, int]]:
    sql = f"SELECT c.id, l.element FROM json_each(:chunks) j CROSS JOIN {ROWS} WHERE c.id = j.value AND ({seen.sql})"
    return [(row[0], row[1]) for row in run.store.all(sql, {**seen.values, "chunks": json.dumps(chunks)})]


def _groups(run: _Run, rows: Sequence[Scored]) -> int:
    return len({row[1] if run.query.group == "element" else row[0] for row in rows})


def _demanded(run: _Run) -> Condition:
    """What the tree of words demands beyond 'one of them'."""
    if not run.compiled.constrained:
        return Condition("1")
    out = Condition("")
    out.sql = _demand(run, run.query.words, out.values)
    return out


def _demand(run: _Run, node: Node, values: dict[str, object]) -> str:
    if isinstance(node, Maybe):
        return "1"
    if isinstance(node, Not):
        return f"NOT ({_demand(run, node.part, values)})"
    if isinstance(node, Word | Phrase | Prefix):
        parts = [_holds(run, group, values) for group in required_groups(run.compiled.leaves[node])]
        return " AND ".join(parts) or "1"
    parts = [f"({_demand(run, part, values)})" for part in node.parts]
    if isinstance(node, All):
        return " AND ".join(parts) or "1"
    return " OR ".join(parts) or "0"


def _holds(run: _Run, group: Group, values: dict[str, object]) -> str:
    asked = expression([group], run.boosts)
    if not asked:
        return "0"
    name = f"demand{len(values)}"
    values[name] = asked
    return f"c.id IN (SELECT rowid FROM words WHERE words MATCH :{name})"


# --- what is shown --------------------------------------------------------------------------------------------


def _best(run: _Run, scored: Sequence[Scored]) -> list[Line]:
    """Rows that cost no more than the last group that is asked for, with what an answer says of them."""
    query = run.query
    best: dict[int, float] = {}
    for chunk, element, cost in scored:
        group = element if query.group == "element" else chunk
        best[group] = min(best.get(group, 0.0), cost)
    if query.among is None and len(best) > query.depth:
        last = sorted(best.values())[query.depth - 1]
        scored = [row for row in scored if row[2] <= last]
    return lines(run.store, run.places, {chunk: -cost for chunk, _, cost in scored})


def _explain(run: _Run, best: Sequence[Line]) -> dict[int, tuple[Matched, ...]]:
    """Which words matched in each row and what each added."""
    out: dict[int, tuple[Matched, ...]] = {}
    chunks = json.dumps([item.id for item in best])
    for item in run.compiled.groups if best else ():
        alone = replace(run, compiled=replace(run.compiled, groups=(item,)))
        arm, values = _arms(alone)
        # The plus keeps SQLite from asking FTS5 row by row: it would weigh the words again for each.
        sql = f"{arm} AND +rowid IN (SELECT value FROM json_each(:chunks))"
        for chunk, cost in run.store.all(sql, {**values, "chunks": chunks}) if arm else ():
            matched = Matched(item.group.word, _names(item.group), run.idf(item), -cost, item.frequency)
            out[chunk] = (*out.get(chunk, ()), matched)
    return out


def _names(group: Group) -> tuple[str, ...]:
    names = []
    for member in group.members:
        if isinstance(member, Term):
            names.append(member.text)
        elif isinstance(member, Together):
            names.append(" + ".join(member.terms))
    return tuple(names)
