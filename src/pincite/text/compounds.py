"""Compounds: "Hundebiss" meets "Biss eines Hundes", both ways, at query time.

Nothing is split in the index. A compound of the query is split where both halves are words that the caller can see; two
words of the query are joined where the joined word can be seen. Only languages that glue words together.
Splitting by frequency follows Koehn & Knight, "Empirical Methods for Compound Splitting", EACL 2003.
"""

from __future__ import annotations

from collections.abc import Callable

from pincite.text.words import stem, term_of

COMPOUNDING = frozenset({"de", "nl", "da", "sv", "no"})
LINKERS = ("", "s", "es", "e", "n", "en", "er", "ens")
MIN_PART = 3
MIN_COMPOUND = 8
MAX_COMPOUND = 40


def split(word: str, language: str, frequency: Callable[[str], int]) -> tuple[str, ...]:
    """The terms of the parts of a folded compound, or nothing when it cannot be split into visible words.

    `frequency` gives the number of visible passages that hold a term. The split with the highest geometric mean of
    its parts' frequencies wins; the leftmost on a tie.
    """
    if language not in COMPOUNDING or not MIN_COMPOUND <= len(word) <= MAX_COMPOUND or not word.isalpha():
        return ()
    best: tuple[str, ...] = ()
    best_weight = 0
    for cut in range(MIN_PART, len(word) - MIN_PART + 1):
        tail = term_of(word[cut:], language)
        tail_frequency = frequency(tail)
        if not tail_frequency:
            continue
        for head in _unlinked(word[:cut]):
            term = term_of(head, language)
            weight = frequency(term) * tail_frequency
            if weight > best_weight:
                best, best_weight = (term, tail), weight
    return best


def _unlinked(head: str) -> list[str]:
    return [
        head[: len(head) - len(linker)] if linker else head
        for linker in LINKERS
        if head.endswith(linker) and len(head) - len(linker) >= MIN_PART
    ]


def join(first: str, second: str, language: str, frequency: Callable[[str], int]) -> tuple[str, ...]:
    """Terms of visible compounds made of two folded words in this order ("hund", "biss" → "hundebiss")."""
    if language not in COMPOUNDING or len(first) < MIN_PART or len(second) < MIN_PART:
        return ()
    heads = dict.fromkeys((first, stem(first, language)))
    tails = dict.fromkeys((second, stem(second, language)))
    candidates = (term_of(head + linker + tail, language) for head in heads for linker in LINKERS for tail in tails)
    return tuple(term for term in dict.fromkeys(candidates) if frequency(term))
