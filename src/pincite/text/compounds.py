"""Compounds: "Hundebiss" matches "Biss eines Hundes" and the reverse, at query time.

Nothing is split in the index. A compound in the query is split if both halves are words visible to the caller; two
words of the query are joined if the joined word is visible. Only for languages that form compounds.
Splitting by frequency follows Koehn & Knight, "Empirical Methods for Compound Splitting", EACL 2003.
"""

from __future__ import annotations

from collections.abc import Callable

from pincite.text.words import stem, term_of, terms_of

COMPOUNDING = frozenset({"de", "nl", "da", "sv", "no"})
LINKERS = ("", "s", "es", "e", "n", "en", "er", "ens")
MIN_PART = 3
MIN_COMPOUND = 8
MAX_COMPOUND = 40


def split(word: str, language: str, frequency: Callable[[str], int]) -> tuple[str, ...]:
    """The terms of the parts of a folded compound, empty if it cannot be split into visible words.

    `frequency` gives the number of visible passages that contain a term. The split with the highest geometric mean of
    its parts' frequencies wins; on a tie, the leftmost.
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
    """Terms of visible compounds formed from two folded words in this order ("hund", "biss" → "hundebiss")."""
    if language not in COMPOUNDING or len(first) < MIN_PART or len(second) < MIN_PART:
        return ()
    heads = dict.fromkeys((first, stem(first, language)))
    tails = dict.fromkeys((second, stem(second, language)))
    words = dict.fromkeys([head + linker + tail for head in heads for linker in LINKERS for tail in tails])
    terms = dict.fromkeys(terms_of(list(words), language))
    return tuple([term for term in terms if frequency(term)])
