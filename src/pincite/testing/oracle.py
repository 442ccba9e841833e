"""A second index, too simple to be wrong: every visible row is scored on its own, straight from the formula.

It shares with the real engines what decides the question (entries, analysis, expansion of words, idf and norm) and
nothing of how they answer it: no columns, no posting lists, no pruning. What it says must be said by every engine that
declares `replay`, to the last bit of a score.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction
from functools import cache, partial

from pincite.errors import InvalidArgument
from pincite.fields import in_order
from pincite.fixed import FIXED
from pincite.index.bm25 import Statistics, norm
from pincite.index.entries import Entry, embedded_key, entries
from pincite.index.terms import Compiled, WeighedGroup, compile_query, required_groups
from pincite.protocols import Catalog
from pincite.queries import (
    LONG_QUERY,
    All,
    Among,
    Background,
    Between,
    Filter,
    Found,
    IdentifierQuery,
    IndexFeatures,
    IndexStatus,
    Matched,
    Maybe,
    Node,
    Not,
    OneOf,
    Phrase,
    Prefix,
    Ranking,
    Scoring,
    VectorQuery,
    Word,
    WordQuery,
)
from pincite.text.expand import Adjacent, Group, Member, StartsWith, Term, Together, VisibleVocabulary
from pincite.text.identifiers import normalise_identifier
from pincite.text.words import ANALYSER, analyse, tokens
from pincite.types import Birth, Chunk, Lifetime, Scope, View


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """A chunk in one lifetime, with the words and terms of each field, the fields in their order."""

    scope: Scope
    lifetime: Lifetime
    entry: Entry
    words: Mapping[str, tuple[str, ...]]
    terms: Mapping[str, tuple[str, ...]]
    key: str
    """Of its vectors; "" for a bare heading, which has none."""

    def group(self, by: str) -> tuple[object, ...]:
        """What makes two rows one hit."""
        life = self.lifetime
        whole = (self.scope, life.element_id)
        return whole if by == "element" else (*whole, life.version_id, self.entry.number, life.lifetime_id)

    def place(self) -> tuple[object, ...]:
        """Where the row stands among rows of the same score."""
        life = self.lifetime
        return life.element_id, life.version_id, self.entry.number, self.scope, life.born, life.lifetime_id


class BruteForceIndex:
    """Everything in memory, read again from the catalog on every `advance`."""

    features = IndexFeatures(
        replay=True,
        score_isolation=True,
        phrases=True,
        prefixes=True,
        scoring=True,
        stand_ins=True,
        condenses=True,
        explains=True,
        ever=True,
        among=True,
        dense=True,
        exact_scan=True,
        fields=True,
    )

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._rows: dict[Scope, list[Row]] = {}
        self._reached: dict[Scope, int] = {}
        self._purges: dict[Scope, int] = {}
        self._vectors: dict[tuple[Scope, str], dict[str, bytes]] = {}
        """What was taken from the catalog, by repository and model."""

    def reached(self, scope: Scope) -> int:
        return self._reached.get(scope, 0)

    def advance(self, scope: Scope, *, wait_seconds: float = 60.0) -> int:  # noqa: ARG002
        info = self._catalog.repositories.get(scope)
        if info is None:
            return 0
        births = list(self._catalog.feed.births(scope, 0, info.head))
        self._rows[scope] = [
            _row(scope, birth, chunk, entry)
            for birth in births
            for chunk, entry in zip(birth.derivation.chunks, entries(birth), strict=True)
        ]
        if self._purges.get(scope, 0) != info.purges:
            self._forget(scope)
        self._reached[scope], self._purges[scope] = info.head, info.purges
        return info.head

    def _forget(self, scope: Scope) -> None:
        """Drop the vectors of what was erased, even if the same text came back since: it is embedded again."""
        left = {row.key for row in self._rows[scope] if row.lifetime.born <= self.reached(scope)}
        for (where, _), taken in self._vectors.items():
            if where == scope:
                for key in taken.keys() - left:
                    del taken[key]

    def take_vectors(self, scope: Scope, fingerprint: str) -> int:
        known = self._vectors.get((scope, fingerprint), {})
        missing = {row.key for row in self._rows.get(scope, ()) if row.key} - known.keys()
        found = self._catalog.vectors.get(scope.tenant, fingerprint, sorted(missing))
        if found:
            self._vectors[scope, fingerprint] = known | found
        return len(found)

    def drop_vectors(self, scope: Scope, fingerprint: str) -> None:
        self._vectors.pop((scope, fingerprint), None)

    def has_vectors(self, views: Sequence[View], fingerprint: str) -> bool:
        return any(self._vectors.get((view.scope, fingerprint)) for view in views)

    def dense(self, views: Sequence[View], query: VectorQuery) -> Ranking:
        visible = self._visible(views)
        if visible and not any((row.scope, query.fingerprint) in self._vectors for row in visible):
            reason = "no vectors of this model yet; make them with: pincite embed"
            return Ranking("dense", status="unavailable", reason=reason)
        _check_dimensions(self._vectors, query)
        rows = [row for row in visible if row.key and _passes(row, query.filters) and _is_among(row, query.among)]
        blobs = {row: self._vectors.get((row.scope, query.fingerprint), {}).get(row.key) for row in rows}
        sums = {row: _nearness(blob, query) for row, blob in blobs.items() if blob}
        nearest = sorted(sums, key=lambda row: (-sums[row][0], row.place()))
        groups = {row.group(_group(query)) for row in nearest}
        around = None if query.among else self._background(visible, query)
        found = [_near(row, *sums[row], query) for row in _shown(nearest, query)]
        answer = Ranking("dense", tuple(found), len(groups), background=around)
        if len(sums) == len(rows):
            return answer
        reason = f"{len(sums):,} of {len(rows):,} passages have vectors; the rest wait for: pincite embed"
        return replace(answer, status="partial", reason=reason)

    def _background(self, visible: Sequence[Row], query: VectorQuery) -> Background | None:
        """Over the 500 texts with the smallest keys; a text that several rows hold counts once."""
        texts = sorted({(row.key, row.scope) for row in visible})
        blobs = [self._vectors.get((scope, query.fingerprint), {}).get(key) for key, scope in texts]
        among = sum(1 for blob in blobs if blob)
        products = [_nearness(blob, query)[0] for blob in blobs if blob][:500]
        if not products:
            return None
        unit = 2 * FIXED**2
        variance = Fraction(sum(x * x for x in products), len(products)) - Fraction(sum(products), len(products)) ** 2
        return Background(sum(products) / (len(products) * unit), math.sqrt(variance / unit**2), len(products), among)

    def keyword(self, views: Sequence[View], query: WordQuery) -> Ranking:
        rows = [row for view in views for row in self._rows.get(view.scope, ()) if _may_read(view, row, query.ever)]
        return _Question(query, rows).answer() if rows else Ranking("keyword")

    def exact(self, views: Sequence[View], query: IdentifierQuery) -> Ranking:
        wanted = dict.fromkeys(key for key in map(normalise_identifier, query.identifiers) if key)
        best: dict[tuple[object, ...], tuple[int, Row]] = {}
        for row in self._visible(views):
            count = sum(key in row.entry.identifiers for key in wanted)
            if count and _passes(row, query.filters):
                known = best.get(row.group(query.group))
                if known is None or (-count, row.place()) < (-known[0], known[1].place()):
                    best[row.group(query.group)] = (count, row)
        ordered = sorted(best.values(), key=lambda item: (-item[0], item[1].place()))[: query.depth]
        return Ranking("exact", tuple(_identified(row, wanted) for _, row in ordered), total=len(best))

    def filter_values(self, views: Sequence[View]) -> dict[str, dict[str, int]]:
        out: dict[str, dict[str, int]] = {}
        for row in self._visible(views):
            for key, value in row.entry.filters:
                values = out.setdefault(key, {})
                values[value] = values.get(value, 0) + 1
        return out

    def _visible(self, views: Sequence[View]) -> list[Row]:
        return [row for view in views for row in self._rows.get(view.scope, ()) if _may_read(view, row)]

    def merge(self, scope: Scope) -> bool:  # noqa: ARG002
        return False

    def rebuild(self, scope: Scope, *, accept: Callable[[BruteForceIndex], None] | None = None) -> int:
        if accept is not None:
            accept(self)
        reached = self.advance(scope)
        for where, fingerprint in list(self._vectors):
            if where == scope:
                self.take_vectors(scope, fingerprint)
        return reached

    def status(self, scope: Scope) -> IndexStatus:
        info = self._catalog.repositories.get(scope)
        revision = self.reached(scope)
        alive = sum(row.lifetime.died > revision for row in self._rows.get(scope, ()))
        return IndexStatus("brute force", "", revision, info.head if info else 0, alive, ANALYSER)

    def check(self, scope: Scope) -> tuple[str, ...]:  # noqa: ARG002
        return ()

    def close(self) -> None:
        """Everything is in memory."""


# --- rows -----------------------------------------------------------------------------------------------------


def _row(scope: Scope, birth: Birth, chunk: Chunk, entry: Entry) -> Row:
    texts = {name: entry.fields.get(name, "") for name in in_order(entry.fields)}
    analysed = {name: [analyse(token, entry.language) for token in tokens(text)] for name, text in texts.items()}
    return Row(
        scope,
        birth.lifetime,
        entry,
        {name: tuple(word for token in field for word in token.words) for name, field in analysed.items()},
        {name: tuple(term for token in field for term in token.terms) for name, field in analysed.items()},
        embedded_key(birth.content, chunk) if any(entry.fields.values()) else "",
    )


def _may_read(view: View, row: Row, ever: bool = False) -> bool:
    life = row.lifetime
    open_to = view.roles is None or not life.roles or bool(life.roles & view.roles)
    alive = life.born <= view.revision < life.died
    in_force = (life.valid_from or date.min) <= view.valid_at and (
        life.valid_to is None or view.valid_at < life.valid_to
    )
    return open_to and (ever or (alive and in_force))


def _passes(row: Row, filters: Iterable[Filter]) -> bool:
    return all(_passes_one([value for key, value in row.entry.filters if key == item.field], item) for item in filters)


def _passes_one(values: list[str], item: Filter) -> bool:
    if isinstance(item, OneOf):
        return any(value in item.values for value in values)
    assert isinstance(item, Between)
    return any(
        value >= item.low and (not item.high or value <= item.high or value.startswith(item.high)) for value in values
    )


def _is_among(row: Row, among: Among | None) -> bool:
    return among is None or (row.scope, row.lifetime.element_id) in among.elements


def _group(query: WordQuery | VectorQuery) -> str:
    return "chunk" if query.among else query.group


def _shown(ordered: Sequence[Row], query: WordQuery | VectorQuery) -> list[Row]:
    """What a query asks to see of rows in their order."""
    if query.among:
        return _first_of_each(ordered, "element", query.among.each)
    return _first_of_each(ordered, query.group, 1)[: query.depth]


def _first_of_each(ordered: Sequence[Row], by: str, count: int) -> list[Row]:
    """The first rows of each group, in their order."""
    seen: Counter[tuple[object, ...]] = Counter()
    out = []
    for row in ordered:
        seen[row.group(by)] += 1
        if seen[row.group(by)] <= count:
            out.append(row)
    return out


def _identified(row: Row, wanted: dict[str, None]) -> Found:
    carried = [key for key in wanted if key in row.entry.identifiers]
    matched = tuple(Matched(key, (key,), 0.0, 1.0 / len(wanted), 0) for key in carried)
    return _found(row, len(carried) / len(wanted), float(len(carried)), matched)


def _found(row: Row, score: float, raw: float, matched: tuple[Matched, ...]) -> Found:
    life = row.lifetime
    return Found(
        row.scope,
        life.element_id,
        life.version_id,
        life.recipe,
        life.lifetime_id,
        row.entry.number,
        score,
        raw,
        matched,
    )


# --- meaning --------------------------------------------------------------------------------------------------


def _check_dimensions(vectors: dict[tuple[Scope, str], dict[str, bytes]], query: VectorQuery) -> None:
    for (_, fingerprint), taken in vectors.items():
        for blob in taken.values():
            if fingerprint == query.fingerprint and len(blob) % (2 * len(query.vector)):
                raise InvalidArgument(f"the question has {len(query.vector)} dimensions, the vectors {len(blob) // 2}")


def _nearness(blob: bytes, query: VectorQuery) -> tuple[int, int]:
    """Products with the whole and with the nearest window, summed, and which window that is. Integers: exact."""
    components = memoryview(blob).cast("h").tolist()
    size = len(query.vector)
    windows = [components[at : at + size] for at in range(0, len(components), size)]
    products = [sum(a * b for a, b in zip(query.vector, window, strict=True)) for window in windows]
    return products[0] + max(products[1:] or products), products.index(max(products))


def _near(row: Row, products: int, window: int, query: VectorQuery) -> Found:
    cosine = products / (2 * FIXED**2)
    near = _found(row, query.calibration.score(cosine), cosine, ())
    return near if query.among else near._replace(window=window)


# --- words ----------------------------------------------------------------------------------------------------


def _count(member: Term | Adjacent | StartsWith, words: Sequence[str], terms: Sequence[str]) -> int:
    """How often the member occurs in one field."""
    if isinstance(member, Term):
        return terms.count(member.text)
    if isinstance(member, StartsWith):
        return sum(word.startswith(member.prefix) for word in words)
    size = len(member.words)
    return sum(tuple(words[at : at + size]) == member.words for at in range(len(words) - size + 1))


def _weight(row: Row, member: Member, scoring: Scoring, field: str) -> float:
    """Weighted frequency of a member in a row, or in one field of it."""
    if isinstance(member, Together):
        return min(_weight(row, Term(term), scoring, field) for term in member.terms)
    total = 0.0
    for name, boost in _boosts(row, scoring, field):
        total += _count(member, row.words[name], row.terms[name]) * boost
    return total


def _boosts(row: Row, scoring: Scoring, field: str = "") -> list[tuple[str, float]]:
    """The fields of a row that count, with their boosts; `field` is the one that a query is restricted to."""
    names = [name for name in row.words if field in ("", name)]
    return [(name, boost) for name in names if (boost := scoring.boost(name))]


class _Question:
    """One query over the rows that its caller may read."""

    def __init__(self, query: WordQuery, rows: Sequence[Row]) -> None:
        self.query = query
        self.rows = rows
        fields = {name for row in rows for name in row.terms}
        lengths = {name: sum(len(row.terms.get(name, ())) for row in rows) for name in fields}
        self.average = Statistics(len(rows), lengths).average_length(query.scoring)
        self.weight = cache(self._weight)
        languages = tuple(sorted({row.entry.language for row in rows}))
        lexicon = VisibleVocabulary(languages, cache(self._holders))
        self.compiled: Compiled = compile_query(query, lexicon, len(rows), self._frequency)

    def _holders(self, term: str) -> int:
        return sum(any(term in terms for terms in row.terms.values()) for row in self.rows)

    def _frequency(self, group: Group) -> int:
        return sum(self.weight(row, group) > 0 for row in self.rows)

    def _weight(self, row: Row, group: Group) -> float:
        """What may stand for a word counts once: the best member."""
        scoring = self.query.scoring
        return max((_weight(row, member, scoring, group.field) for member in group.members), default=0.0)

    def answer(self) -> Ranking:
        if not self.compiled.groups:
            return Ranking("keyword", notes=("no word to search for",))
        scores = {row: self._bm25(row) for row in self.rows if self._matches(row)}
        total = len({row.group(_group(self.query)) for row in scores})
        pool = {row: self._with_literal(row, score) for row, score in self._pool(scores).items()}
        elsewhere = self._elsewhere(pool)
        pool = {row: score + elsewhere.get(row, 0.0) for row, score in pool.items()}
        found = []
        for rank, row in enumerate(_shown(self._ordered(pool), self.query)):
            bound = self.compiled.bound * (1 + self.query.scoring.literal)
            matched = self._explain(row) if rank < self.query.explained else ()
            item = _found(row, min(1.0, pool[row] / bound), pool[row], matched)
            found.append(item._replace(elsewhere=elsewhere.get(row, 0.0)))
        return Ranking("keyword", tuple(found), total, notes=self.compiled.notes)

    def _matches(self, row: Row) -> bool:
        return any(self.weight(row, item.group) > 0 for item in self.compiled.groups) and self._passes(row)

    def _passes(self, row: Row) -> bool:
        return (
            _passes(row, self.query.filters)
            and _is_among(row, self.query.among)
            and self._accepts(row, self.query.words)
        )

    def _accepts(self, row: Row, node: Node) -> bool:
        """Whether the row meets what the tree demands; a tree that demands nothing accepts whatever was found."""
        if not self.compiled.constrained:
            return True
        if isinstance(node, Word | Phrase | Prefix):
            return all(self.weight(row, group) > 0 for group in required_groups(self.compiled.leaves[node]))
        if isinstance(node, Maybe):
            return True
        if isinstance(node, Not):
            return not self._accepts(row, node.part)
        accepts = partial(self._accepts, row)
        return all(map(accepts, node.parts)) if isinstance(node, All) else any(map(accepts, node.parts))

    def _share(self, row: Row, worth: float, weight: float) -> float:
        length = 0.0
        scoring: Scoring = self.query.scoring
        for name, boost in _boosts(row, scoring):
            length += len(row.terms[name]) * boost
        return float(worth * (weight / (weight + norm(length, self.average, scoring)))) if weight else 0.0

    def _bm25(self, row: Row) -> float:
        score = 0.0
        for item in self.compiled.groups:
            score += self._share(row, item.idf, self.weight(row, item.group))
        return score

    def _pool(self, scores: dict[Row, float]) -> dict[Row, float]:
        """Rows that score no less than the k-th best group: those among which literal words may change the order."""
        if self.query.among:
            return scores
        best = [scores[row] for row in _first_of_each(self._ordered(scores), self.query.group, 1)]
        threshold = best[self.query.depth - 1] if len(best) >= self.query.depth else 0.0
        return {row: score for row, score in scores.items() if score >= threshold}

    def _ordered(self, scores: dict[Row, float]) -> list[Row]:
        return sorted(scores, key=lambda row: (-scores[row], row.place()))

    def _with_literal(self, row: Row, score: float) -> float:
        for item in self.compiled.groups:
            score += self._literal_share(row, item)
        return score

    def _elsewhere(self, pool: dict[Row, float]) -> dict[Row, float]:
        """What other passages of an element add to its best one; only where the query is long."""
        query = self.query
        if query.among or query.ever or query.group != "element" or len(self.compiled.groups) <= LONG_QUERY:
            return {}
        out = {}
        for best in _first_of_each(self._ordered(pool), "element", 1):
            rows = [row for row in self.rows if row.group("element") == best.group("element") and self._passes(row)]
            more = 0.0
            for item in self.compiled.groups:
                shares = {row: self._share(row, item.idf, self.weight(row, item.group)) for row in rows}
                more += max(shares.values()) - shares[best]
            out[best] = query.scoring.elsewhere * more
        return out

    def _literal_share(self, row: Row, item: WeighedGroup) -> float:
        """What the word adds where it stands as typed."""
        if not item.group.literal:
            return 0.0
        weight = 0.0
        for name, boost in _boosts(row, self.query.scoring, item.group.field):
            for _ in range(row.words[name].count(item.group.literal)):
                weight += boost
        return self.query.scoring.literal * self._share(row, item.idf, weight)

    def _explain(self, row: Row) -> tuple[Matched, ...]:
        matched = []
        for item in self.compiled.groups:
            weight = self.weight(row, item.group)
            if weight > 0:
                share = self._share(row, item.idf, weight) + self._literal_share(row, item)
                matched.append(Matched(item.group.word, _names(item.group), item.idf, share, item.frequency))
        return tuple(matched)


def _names(group: Group) -> tuple[str, ...]:
    names = []
    for member in group.members:
        if isinstance(member, Term):
            names.append(member.text)
        elif isinstance(member, Together):
            names.append(" + ".join(member.terms))
    return tuple(names)
