"""Folding: the form in which words are compared, without case, accents or umlauts."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

# Letters that Unicode does not decompose, with the usual typed spelling.
_LIGATURES = str.maketrans(
    {"æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i", "ŀ": "l"}
)

# In these scripts accents can be dropped; elsewhere (Devanagari, Thai, kana voicing) marks change the word.
_ACCENTED_SCRIPTS = ("LATIN", "GREEK", "CYRILLIC")

_INVISIBLE = re.compile("[\u00ad\u200b\u2060\ufeff]")

_UMLAUT_DIGRAPHS = {"ä": "ae", "ö": "oe", "ü": "ue"}


def clean(text: str) -> str:
    """The text in NFC without soft hyphens and zero-width characters, ready to be cut into words."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFC", _INVISIBLE.sub("", text))


@lru_cache(maxsize=100_000)
def fold(word: str) -> str:
    """Case, width, accents and umlauts removed: "Bäcker" and "BACKER" become "backer", "Straße" "strasse"."""
    lowered = unicodedata.normalize("NFKC", word).casefold()
    if lowered.isascii():
        return lowered
    stripped = "".join(map(_strip, lowered)).translate(_LIGATURES)
    # Once the marks between them are gone, the parts of a Hangul syllable compose.
    return unicodedata.normalize("NFKC", stripped)


@lru_cache(maxsize=4096)
def _strip(char: str) -> str:
    if char.isascii() or not unicodedata.name(char, "").startswith((*_ACCENTED_SCRIPTS, "COMBINING")):
        return char
    base = "".join(c for c in unicodedata.normalize("NFKD", char) if not unicodedata.combining(c))
    return base.casefold()


def spellings(word: str) -> tuple[str, ...]:
    """Other folded spellings the user may mean: "Bäcker" is also "baecker"; "Mueller" is also "muller"."""
    lowered = unicodedata.normalize("NFKC", word).casefold()
    spelled_out = fold("".join(_UMLAUT_DIGRAPHS.get(c, c) for c in lowered))
    folded = fold(word)
    found = {spelled_out, _contract(folded)} - {folded}
    return tuple(sorted(found))


def _contract(folded: str) -> str:
    """ae, oe, ue read as umlauts, except after q and vowels ("Quelle", "neue"), as in Snowball's German."""
    out, i = [], 0
    while i < len(folded):
        char = folded[i]
        before = folded[i - 1] if i else ""
        if char in "aou" and folded[i + 1 : i + 2] == "e" and before not in tuple("aeiouq"):
            i += 1
        out.append(char)
        i += 1
    return "".join(out)
