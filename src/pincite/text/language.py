"""Language detection from constants: script, function words and spelling.

Nothing is learned from a corpus, so the answer for a text never depends on what else is stored. If there is little
evidence (numbers, code, a single word shared by several languages), the answer is "unknown" rather than a guess.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping

from pincite.text.language_marks import ELSEWHERE, ENDINGS, GROUPS, LETTERS
from pincite.text.stopwords import STOPWORDS

LANGUAGES: tuple[str, ...] = tuple(sorted(STOPWORDS))
"""The languages recognised by their words; others are recognised by their script."""

_HEAD = 3_000
_MIDDLE = 1_000
_SHORT = 400
"""Endings and letter groups count in texts up to this many characters; in longer ones function words decide better."""

_SHOUTED = 4
"""From this mean length, upper-case words are read as a title in capitals rather than as abbreviations."""

_WORD = re.compile(r"(?<!\w)[^\W\d_]+(?!\w)")
_CODE = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]*`|https?://\S+|\{\{[^{}]*\}\}|<[^<>\n]*>"
    r"|(?<!\S)[^\s_\\=/{}]{0,80}[_\\=/{}]\S*|(?<!\S)[^\s.]+\.[^\s.]+\.\S+",
    re.DOTALL,
)
"""Parts that say nothing about the language of the surrounding prose: code, addresses, tags, paths."""

_SYNTAX = re.compile(r"[^\W\d]\(|[^\W\d]\[| = |(?<!=)==(?!=)|[;{}]\s*$|->|\):", re.MULTILINE)
_WORDS_PER_SYNTAX = 6

_SCRIPTS = (
    ("ja", re.compile(r"[\u3040-\u30ff]")),
    ("ko", re.compile(r"[\uac00-\ud7af\u1100-\u11ff]")),
    ("zh", re.compile(r"[\u3400-\u9fff]")),
    ("ru", re.compile(r"[\u0400-\u04ff]")),
    ("el", re.compile(r"[\u0370-\u03ff\u1f00-\u1fff]")),
    ("ar", re.compile(r"[\u0600-\u06ff]")),
    ("he", re.compile(r"[\u0590-\u05ff]")),
    ("hi", re.compile(r"[\u0900-\u097f]")),
    ("th", re.compile(r"[\u0e00-\u0e7f]")),
)
_KANA = 0.1
"""Share of kana that marks a text as Japanese: Japanese mixes kana with Han characters, Chinese never does."""
_UKRAINIAN = re.compile(r"[іїєґІЇЄҐ]")


def identify(text: str, candidates: Collection[str] | None = None, default: str = "") -> str:
    """The ISO 639-1 code of the text's language, or `default` if uncertain.

    With `candidates`, only those languages are possible (a text clearly in another one gives `default`).
    """
    sample = _sample(text)
    other = _by_script(sample)
    if other:
        return other if candidates is None or other in candidates else default
    prose = _CODE.sub(" ", sample)
    words = _words(prose)
    if _is_code(sample, words):
        return default
    scores = _scores(words, prose.lower() if len(prose) <= _SHORT else "")
    if candidates is not None:
        scores = {language: score for language, score in scores.items() if language in candidates}
    return _verdict(scores, words) or default


def _sample(text: str) -> str:
    """The beginning of the text and, if it is long, a slice from the middle."""
    if len(text) <= _HEAD + _MIDDLE:
        return text
    middle = max(_HEAD, len(text) // 2)
    return text[:_HEAD] + "\n" + text[middle : middle + _MIDDLE]


def _words(prose: str) -> list[str]:
    """The words in lower case, without abbreviations: the OR of "Art. 41 OR" is a statute, not an English word."""
    words = _WORD.findall(prose)
    spoken = [word.lower() for word in words if len(word) == 1 or not word.isupper()]
    if 2 * len(spoken) < len(words) and sum(map(len, words)) > _SHOUTED * len(words):
        return [word.lower() for word in words]
    return spoken


def _is_code(sample: str, words: list[str]) -> bool:
    """Whether a short text looks like source code, whose English keywords do not make the text English."""
    if len(sample) > _SHORT:
        return False
    marks = len(_SYNTAX.findall(sample))
    # A single mark may be a formula or a plural(s) in prose.
    return marks > 1 and marks * _WORDS_PER_SYNTAX >= len(words)


def _by_script(sample: str) -> str:
    """The language identified by a non-Latin script; "" for Latin."""
    if sample.isascii():
        return ""
    counts = {language: len(pattern.findall(sample)) for language, pattern in _SCRIPTS}
    total = sum(counts.values())
    latin = len(re.findall(r"[a-zA-Z\u00c0-\u024f]", sample))
    # A Han character is worth about two letters; a few Greek symbols in a formula do not make a text Greek.
    if total * 2 <= latin or total < 2:
        return ""
    if counts["ja"] and counts["ja"] >= _KANA * (counts["ja"] + counts["zh"]):
        return "ja"
    best = max(counts, key=lambda language: counts[language])
    if best == "ru" and _UKRAINIAN.search(sample):
        return "uk"
    return best


def _shared(marks: Mapping[str, Iterable[str]], weight: float) -> dict[str, tuple[tuple[str, float], ...]]:
    """Each mark with the languages that use it; the more there are, the less it says about each."""
    owners: dict[str, list[str]] = {}
    for language in LANGUAGES:
        for mark in dict.fromkeys(marks.get(language, ())):
            owners.setdefault(mark, []).append(language)
    scale = math.log(1 + len(LANGUAGES))
    return {
        mark: tuple((language, weight * math.log(1 + len(LANGUAGES) / len(known)) / scale) for language in known)
        for mark, known in owners.items()
    }


_FUNCTION_WORDS = _shared(STOPWORDS, 3.0)
_ENDING_MARKS = {
    mark: tuple((language, weight * min(1.0, 0.15 + 0.25 * (len(mark) - 1))) for language, weight in known)
    for mark, known in _shared({language: marks.split() for language, marks in ENDINGS.items()}, 1.2).items()
}
_LONGEST_ENDING = max(map(len, _ENDING_MARKS))
_GROUP_MARKS = {
    mark: tuple((language, weight * min(1.0, 0.3 * len(mark))) for language, weight in known)
    for mark, known in _shared({language: marks.split() for language, marks in GROUPS.items()}, 0.8).items()
}
_LETTER_MARKS = _shared({language: marks.split() for language, marks in LETTERS.items()}, 1.5)
_FOREIGN_LETTER = 1.5
"""How much a language's score drops for a letter it does not use."""
_SHORTEST_WITH_ENDING = 4


def _scores(words: list[str], short: str) -> dict[str, float]:
    """Evidence per language. `short`: the lower-case text if endings and letter groups should count, otherwise ""."""
    scores = dict.fromkeys(LANGUAGES, 0.0)
    for word, count in Counter(words).items():
        known = _FUNCTION_WORDS.get(word)
        # A single letter may be a list item or a variable.
        share = count if len(word) > 1 else 0.3 * count
        for language, weight in known or (_ending(word) if short else ()):
            scores[language] += weight * share
    letters = Counter("".join(words))
    for letter, known in _LETTER_MARKS.items():
        if count := letters.get(letter, 0):
            owners = {language for language, _ in known}
            for language, weight in known:
                scores[language] += weight * count
            for language in LANGUAGES:
                if language not in owners:
                    scores[language] -= _FOREIGN_LETTER * count
    for mark, known in _GROUP_MARKS.items() if short else ():
        if count := short.count(mark):
            for language, weight in known:
                scores[language] += weight * count
    return scores


def _ending(word: str) -> tuple[tuple[str, float], ...]:
    """The languages of the longest known ending of a word."""
    if len(word) < _SHORTEST_WITH_ENDING:
        return ()
    for length in range(min(_LONGEST_ENDING, len(word) - 1), 0, -1):
        if known := _ENDING_MARKS.get(word[-length:]):
            return known
    return ()


_LEAST = 1.0
_LEAD = 0.12
_PROSE_WORDS = 8
_PROSE_SHARE = 0.1
_ELSEWHERE_SHARE = 0.01


def _verdict(scores: dict[str, float], words: list[str]) -> str:
    """The best language if it leads clearly and the text looks like prose in it, otherwise ""."""
    ranked = sorted(scores.items(), key=lambda item: (-item[1], item[0]))
    if not ranked or all(len(word) == 1 for word in words):
        return ""
    best, score = ranked[0]
    second = ranked[1][1] if len(ranked) > 1 else 0.0
    if score < _LEAST or score - max(second, 0.0) < _LEAD * score:
        return ""
    letters = "".join(words)
    foreign = ELSEWHERE.intersection(letters)
    if sum(map(letters.count, foreign)) > _ELSEWHERE_SHARE * len(letters):
        return ""
    if len(words) >= _PROSE_WORDS:
        function_words = STOPWORDS[best]
        if sum(word in function_words for word in words) < _PROSE_SHARE * len(words):
            return ""
    return best
