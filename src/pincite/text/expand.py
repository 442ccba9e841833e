"""What a query word stands for in the index, given the languages and words visible to the caller.

Stems, spellings and compound parts of one query word form a group. The group's document frequency is that of the union;
in each passage its best member counts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from pincite.text import compounds
from pincite.text.fold import fold, spellings
from pincite.text.words import analyse, camel_parts, is_unspaced, term_of, without_elisions

MAX_JOINED_WORDS = 12
"""A query with more words is prose, where joining every pair would find compounds by accident."""


@dataclass(frozen=True, slots=True)
class Term:
    """A single entry of the vocabulary."""

    text: str


@dataclass(frozen=True, slots=True)
class Together:
    """All of these terms in one passage."""

    terms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Adjacent:
    """These folded words side by side."""

    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StartsWith:
    """Any word that begins with these folded characters."""

    prefix: str


Member: TypeAlias = Term | Together | Adjacent | StartsWith


@dataclass(frozen=True, slots=True)
class Group:
    """A query word with everything that may stand for it."""

    word: str
    members: tuple[Member, ...]
    field: str = ""
    literal: str = ""
    """The folded word as typed, if it is known apart from its stem."""


@dataclass(frozen=True, slots=True)
class VisibleVocabulary:
    """The part of the vocabulary visible to the caller."""

    languages: tuple[str, ...]
    """Languages of visible passages, sorted; "" for unknown."""
    frequency: Callable[[str], int]
    """Number of visible passages that contain a term."""


def expand_words(words: Sequence[tuple[str, str]], lexicon: VisibleVocabulary) -> tuple[tuple[Group, ...], ...]:
    """Groups for each (token, field) of a query, in order. Takes the whole query, because compounds join its words."""
    simple = [fold(text) for text, _ in words if text.isalpha()]
    joined = _joined_compounds(simple, lexicon) if len(simple) <= MAX_JOINED_WORDS else {}
    return tuple(_expand_token(text, field, lexicon, joined) for text, field in words)


def _expand_token(
    token: str, field: str, lexicon: VisibleVocabulary, joined: dict[str, tuple[str, ...]]
) -> tuple[Group, ...]:
    """One group for a plain word; for an identifier one for the whole and one per part; for CJK one per pair."""
    token = without_elisions(token)
    analysed = analyse(token, "")
    whole = [term for term in analysed.terms if "." in term]
    groups: list[Group] = []
    for term in whole:
        members: tuple[Member, ...] = (Term(term), Adjacent(tuple(term.split("."))))
        groups.append(Group(token, members, field))
    humps = [hump for piece in token.split("'") for hump in camel_parts(piece)]
    for part in dict.fromkeys((*analysed.words, *humps)):
        if is_unspaced(part) or (whole and len(part) < 2):
            continue
        source = token if part == fold(token) else part
        groups.append(Group(source, _members(source, part, lexicon, joined), field, part))
    pairs = dict.fromkeys(term for term in analysed.terms if is_unspaced(term) and term not in whole)
    groups.extend(Group(pair, _pair_members(pair), field) for pair in pairs)
    return tuple(groups)


def _pair_members(pair: str) -> tuple[Member, ...]:
    """A lone character of an unspaced script is indexed only in pairs, so it also matches as the start of a word."""
    return (Term(pair),) if len(pair) > 1 else (Term(pair), StartsWith(pair))


def _members(
    source: str, folded: str, lexicon: VisibleVocabulary, joined: dict[str, tuple[str, ...]]
) -> tuple[Member, ...]:
    terms = dict.fromkeys(term_of(folded, language) for language in lexicon.languages)
    if _needs_spellings(source, terms, lexicon):
        terms |= dict.fromkeys(
            term_of(other, language) for other in spellings(source) for language in lexicon.languages
        )
    terms |= dict.fromkeys(joined.get(folded, ()))
    members: list[Member] = [Term(term) for term in terms]
    for language in lexicon.languages:
        parts = compounds.split(folded, language, lexicon.frequency)
        if parts and Together(parts) not in members:
            members.append(Together(parts))
    return tuple(members)


def _needs_spellings(source: str, terms: dict[str, None], lexicon: VisibleVocabulary) -> bool:
    """Always for umlauts and names; "blue" is read as "blü" only if no visible passage has "blue"."""
    if not source.isascii() or source[:1].isupper():
        return True
    return not any(lexicon.frequency(term) for term in terms)


def _joined_compounds(words: Sequence[str], lexicon: VisibleVocabulary) -> dict[str, tuple[str, ...]]:
    found: dict[str, dict[str, None]] = {}
    languages = [language for language in lexicon.languages if language in compounds.COMPOUNDING]
    for language in languages:
        for first in dict.fromkeys(words):
            for second in dict.fromkeys(words):
                for term in compounds.join(first, second, language, lexicon.frequency) if first != second else ():
                    found.setdefault(first, {})[term] = None
                    found.setdefault(second, {})[term] = None
    return {word: tuple(terms) for word, terms in found.items()}
