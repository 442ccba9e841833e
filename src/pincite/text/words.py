"""From text to index terms: Unicode words, identifiers whole and split, stems by language, CJK as bigrams.

Everything here is a pure function of text and language: the index entries of a passage never depend on what else is
stored. Bump `ANALYSER` whenever a term could come out differently; indexes record it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import Stemmer

from pincite.text.fold import clean, fold

ANALYSER = f"words/1;snowball={Stemmer.version()}"

MAX_WORD = 100
"""Longer words (encoded blobs) are truncated: nobody types them, and they would bloat the vocabulary."""

SNOWBALL = {
    "da": "danish", "de": "german", "en": "english", "es": "spanish", "fi": "finnish", "fr": "french",
    "hu": "hungarian", "it": "italian", "nl": "dutch", "no": "norwegian", "pt": "portuguese", "ro": "romanian",
    "ru": "russian", "sv": "swedish",
}  # fmt: skip

# Python's \w does not match combining marks, so words in scripts that write vowels as marks would fall apart.
_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed"
    "\u0900-\u0963\u0966-\u0dff\u0e30-\u0e3a\u0e47-\u0e4e\u0eb1-\u0ecd\u0f71-\u0f84\u102b-\u109d\u17b4-\u17d3"
    "\u3099-\u309a"
)
_TOKEN = re.compile(rf"[\w{_MARKS}]+(?:[./:'’\-‑&@+][\w{_MARKS}]+)*")
_APOSTROPHES = re.compile(r"['’]")
_CONNECTORS = re.compile(r"[./:\-‑&@+_]+")
_CAMEL = re.compile(r"(?<=[a-zß-ÿ0-9])(?=[A-ZÀ-Þ])|(?<=[A-ZÀ-Þ])(?=[A-ZÀ-Þ][a-zß-ÿ])")

ELISIONS = frozenset(
    {"l", "d", "j", "m", "t", "s", "n", "c", "v", "qu", "jusqu", "lorsqu", "puisqu", "quoiqu", "un", "all", "dall",
     "dell", "nell", "sull", "coll", "gl", "agl", "dagl", "degl", "negl", "sugl"}
)  # fmt: skip

# Scripts written without spaces: each character is a word, each pair a term.
_UNSPACED = re.compile(
    r"([\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3040-\u30ff\u3130-\u318f\u3400-\u4dbf\u4e00-\u9fff"
    r"\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003134f]+)"
)


@dataclass(frozen=True, slots=True)
class Token:
    """What one token of running text adds to the index."""

    words: tuple[str, ...]
    """Folded words in order: the stream against which phrases and prefixes are checked."""
    terms: tuple[str, ...]
    """What can be looked up: stems marked with their language, and whole identifiers, their parts joined by dots."""


def tokens(text: str) -> list[str]:
    """The raw tokens of a text; identifiers such as `4A_123/2020` stay in one piece."""
    return _TOKEN.findall(clean(text))


@lru_cache(maxsize=200_000)
def analyse(token: str, language: str) -> Token:
    """Words and terms of a raw token, stemmed by the language of its passage."""
    if token.isascii() and (token.islower() or token.isdigit()) and token.isalnum():
        word = token[:MAX_WORD]  # most tokens: nothing to fold, cut or join
        return Token((word,), (term_of(word, language),))
    words: list[str] = []
    terms: list[str] = []
    for piece in _APOSTROPHES.split(token):
        parts = [part for part in map(fold, _CONNECTORS.split(piece)) if part]
        for part in parts:
            if _UNSPACED.search(part):
                _analyse_unspaced(part, language, words, terms)
            else:
                words.append(part[:MAX_WORD])
                terms.append(term_of(part[:MAX_WORD], language))
        humps = camel_parts(piece)
        if humps:
            terms.extend(term_of(hump, language) for hump in humps)
            terms.append(".".join(humps)[:MAX_WORD])
        elif len(parts) > 1:
            terms.append(".".join(parts)[:MAX_WORD])
    return Token(tuple(words), tuple(terms))


def _analyse_unspaced(part: str, language: str, words: list[str], terms: list[str]) -> None:
    """Runs of Han, kana, hangul, Thai …: characters as words, overlapping pairs as terms."""
    for piece in _UNSPACED.split(part):
        if _UNSPACED.match(piece):
            words.extend(piece)
            terms.extend(bigrams(piece))
        elif piece:
            words.append(piece[:MAX_WORD])
            terms.append(term_of(piece[:MAX_WORD], language))


def without_elisions(token: str) -> str:
    """A token of a query without the articles that French and Italian glue to a word: "l'article" → "article"."""
    *heads, last = _APOSTROPHES.split(token)
    kept = [head for head in heads if fold(head) not in ELISIONS]
    return "'".join((*kept, last)) if last else token


def bigrams(run: str) -> list[str]:
    """Overlapping pairs of characters; a lone character stands for itself."""
    return [run[i : i + 2] for i in range(len(run) - 1)] or [run]


def is_unspaced(word: str) -> bool:
    """Whether the word is written in a script without spaces."""
    return _UNSPACED.search(word) is not None


def camel_parts(piece: str) -> tuple[str, ...]:
    """`OrderService` → ("order", "service"); nothing for ordinary words, "GmbH" or "iPhone"."""
    if piece.islower() or piece.isupper() or not piece.isalnum():
        return ()
    humps = _CAMEL.split(piece)
    if len(humps) < 2 or any(len(hump) < 2 for hump in humps):
        return ()
    return tuple(fold(hump) for hump in humps)


@lru_cache(maxsize=64)
def _stemmer(algorithm: str) -> Stemmer.Stemmer:
    return Stemmer.Stemmer(algorithm, 0)  # its cache costs more than stemming; `analyse` caches instead


@lru_cache(maxsize=100_000)
def stem(word: str, language: str) -> str:
    """Snowball stem of a folded word; the word itself for unknown languages and for anything with a digit."""
    algorithm = SNOWBALL.get(language)
    if algorithm is None or not word.isalpha():
        return word
    return fold(_stemmer(algorithm).stemWord(word))


def term_of(word: str, language: str) -> str:
    """The index term of a folded word in a passage of this language: "hunde" in German is `hund~de`.

    The mark keeps a French stem from matching a German one with the same spelling. Numbers and words of unknown
    languages are not stemmed and have no mark.
    """
    if language not in SNOWBALL or not word.isalpha():
        return word
    return f"{stem(word, language)}~{language}"


def terms_of(words: Sequence[str], language: str) -> list[str]:
    """`term_of` each word. The stemmer is called once, and nothing is cached: for words that are hardly asked twice."""
    algorithm = SNOWBALL.get(language)
    if algorithm is None:
        return list(words)
    stems = _stemmer(algorithm).stemWords(words)
    # Folding ASCII is no more than lower case.
    folded = [stem.lower() if stem.isascii() else fold(stem) for stem in stems]
    return [f"{stem}~{language}" if word.isalpha() else word for word, stem in zip(words, folded, strict=True)]


def language_of(term: str) -> str:
    """The language in a term's mark; "" if it has none."""
    return term.rpartition("~")[2] if "~" in term else ""


def folded_words(text: str) -> tuple[str, ...]:
    """The folded words of a phrase, as they appear in the stream."""
    return tuple(word for token in tokens(text) for word in analyse(token, "").words)
