"""A query's tree of words → groups of index terms, each worth what the caller's statistics say."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from pincite.index.bm25 import idf
from pincite.queries import All, Maybe, Node, Not, Phrase, Prefix, Some, Word, WordQuery
from pincite.text.expand import Adjacent, Group, Member, StartsWith, Term, VisibleVocabulary, expand_words
from pincite.text.fold import fold
from pincite.text.words import folded_words, is_unspaced, term_of, tokens

Leaf = Word | Phrase | Prefix


@dataclass(frozen=True, slots=True)
class WeighedGroup:
    """A group with its document frequency among visible rows and the most it can add to a score.

    That is its idf; a word that the query repeats is worth the square root of its count as much. Measured: taking
    repeats in full gains most on long requests (LISA) and loses on contract clauses, ignoring them the reverse.
    """

    group: Group
    frequency: int
    idf: float


@dataclass(frozen=True, slots=True)
class Compiled:
    """A query ready to be run."""

    groups: tuple[WeighedGroup, ...]
    """What is scored, worth most first; ties by the words themselves, so that sums have one order."""
    leaves: dict[Leaf, tuple[Group, ...]]
    constrained: bool
    """Whether the tree demands or forbids anything beyond 'one of the words'."""
    bound: float
    """What a row scores by BM25 alone that holds all of the query, or as many of its words as are expected."""
    notes: tuple[str, ...] = ()


def compile_query(
    query: WordQuery, lexicon: VisibleVocabulary, rows: int, frequency: Callable[[Group], int]
) -> Compiled:
    """Analyse the words in every visible language and weigh them."""
    words = list(_leaves(query.words))
    leaves = _expand(words, lexicon)
    scored = [(group, _weight(leaf)) for leaf in _positive(query.words) for group in leaves[leaf]]
    stops = {group for leaf in words if isinstance(leaf, Word) and leaf.stop for group in leaves[leaf]}
    weighed = []
    for group, worth in _counted([item for item in scored if item[0] not in stops] or scored):
        count = frequency(group)
        if count or worth >= 1:  # a stand-in that nobody can see says nothing of the query
            weighed.append(WeighedGroup(group, count, idf(rows, count) * worth))
    weighed.sort(key=lambda item: (-item.idf, item.group.word, item.group.field, repr(item.group.members)))
    notes = tuple(
        f"no passage holds {leaf.text!r} word for word; its words are searched one by one"
        for leaf in dict.fromkeys(_positive(query.words))
        if isinstance(leaf, Phrase) and leaf.weight < 1 and not any(map(frequency, leaves[leaf]))
    )
    if query.max_words is not None and len(weighed) > query.max_words:
        typed = len(weighed)
        weighed = [item for item in weighed if item.frequency][: query.max_words] or weighed[: query.max_words]
        notes = (*notes, f"long query condensed to its {len(weighed)} rarest words ({typed - len(weighed)} left out)")
    bound = 0.0
    for item in weighed[: query.expected]:
        bound += item.idf
    return Compiled(tuple(weighed), leaves, _is_constrained(query.words), bound, notes)


def _counted(groups: list[tuple[Group, float]]) -> list[tuple[Group, float]]:
    """Groups with what they are worth; forms of one word ("Hund", "Hunde") are one, the first typed.

    That is the square root of how often the query has them, and of stand-ins the weight of the best.
    """
    first: dict[tuple[object, str], Group] = {}
    counts: dict[tuple[object, str], int] = {}
    weights: dict[tuple[object, str], float] = {}
    for group, weight in groups:
        key = (group.members, group.field)
        first.setdefault(key, group)
        counts[key] = counts.get(key, 0) + (weight >= 1)
        weights[key] = max(weights.get(key, 0.0), weight)
    return [(group, math.sqrt(counts[key]) or weights[key]) for key, group in first.items()]


def _weight(leaf: Leaf) -> float:
    return leaf.weight if isinstance(leaf, Word | Phrase) else 1.0


def _expand(leaves: list[Leaf], lexicon: VisibleVocabulary) -> dict[Leaf, tuple[Group, ...]]:
    stand_ins = list(dict.fromkeys(leaf for leaf in leaves if isinstance(leaf, Word) and leaf.weight < 1))
    words = list(dict.fromkeys(leaf for leaf in leaves if isinstance(leaf, Word) and leaf.weight >= 1))
    typed = [(token, word) for word in words for token in tokens(word.text)]
    expanded = expand_words([(token, word.field) for token, word in typed], lexicon)
    found: dict[Leaf, tuple[Group, ...]] = dict.fromkeys(leaves, ())
    for (_, word), groups in zip(typed, expanded, strict=True):
        found[word] = (*found[word], *groups)
    for word in stand_ins:
        found[word] = tuple(_as_written(token, word.field, lexicon) for token in tokens(word.text))
    for leaf in leaves:
        if isinstance(leaf, Phrase):
            phrase = folded_words(leaf.text)
            found[leaf] = (Group(f'"{leaf.text}"', (Adjacent(phrase),), leaf.field),) if phrase else ()
        elif isinstance(leaf, Prefix):
            found[leaf] = (Group(f"{leaf.text}*", (_prefix(leaf.text),), leaf.field),)
    return found


def _as_written(token: str, field: str, lexicon: VisibleVocabulary) -> Group:
    """A word that was found in the passages: nobody misspelt it, and its parts mean something else.

    Split like compounds that people type, related words found half as much (nDCG@10 0.126 instead of 0.160, swiss-xl-a
    fr-de, these words alone).
    """
    terms = dict.fromkeys(term_of(fold(token), language) for language in lexicon.languages)
    return Group(token, tuple(Term(term) for term in terms), field)


def _prefix(text: str) -> Member:
    """Words that begin like this; characters of a script without spaces are words, so there it is a phrase."""
    words = folded_words(text)
    if len(words) > 1 and all(map(is_unspaced, words)):
        return Adjacent(words)
    return StartsWith("".join(words) or fold(text))


def required_groups(groups: tuple[Group, ...]) -> tuple[Group, ...]:
    """Which groups of a leaf must match for the leaf to match: an identifier as a whole, otherwise every part."""
    whole = [group for group in groups if any(isinstance(member, Adjacent) for member in group.members)]
    return (whole[0],) if whole else groups


def _leaves(node: Node) -> Iterator[Leaf]:
    if isinstance(node, Word | Phrase | Prefix):
        yield node
    elif isinstance(node, Not | Maybe):
        yield from _leaves(node.part)
    else:
        for part in node.parts:
            yield from _leaves(part)


def _positive(node: Node) -> Iterator[Leaf]:
    """Leaves that speak for a passage: none of those under a NOT."""
    if isinstance(node, Word | Phrase | Prefix):
        yield node
    elif isinstance(node, Maybe):
        yield from _positive(node.part)
    elif isinstance(node, All | Some):
        for part in node.parts:
            yield from _positive(part)


def _is_constrained(node: Node) -> bool:
    if isinstance(node, Some):
        return any(_is_constrained(part) for part in node.parts)
    if isinstance(node, Maybe):
        return False
    if isinstance(node, All):
        return any(not isinstance(part, Maybe) for part in node.parts)
    return isinstance(node, Not)
