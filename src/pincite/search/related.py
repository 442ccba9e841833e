"""Related words: what a query says, in the words of the passages, where its own are not there.

A question in another language shares few words with the texts that answer it. The model finds words that mean nearly
the same; BM25 then ranks by how rare they are, which the vector of a whole passage does not tell.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import replace

from pincite.advice import by_operator
from pincite.errors import PinciteError, Unavailable
from pincite.meaning import Floats, Learned, NearWord
from pincite.protocols import Embedder, Lexicon
from pincite.queries import Ranking, Some, Word, WordQuery
from pincite.search.promises import NO_STAND_INS
from pincite.search.query import Query, Reader
from pincite.search.understand import Plan
from pincite.search.weights import Need, share_found
from pincite.text.stopwords import STOPWORDS
from pincite.text.words import tokens, without_elisions
from pincite.types import View

MAX_WORDS = 24
"""A longer query is prose: its passage vector says what it means, and each of its words would be looked up."""
LONGEST = 3
"""Words looked up together: "banques de développement" is one German word."""
MAX_PARTS = 24
"""Looked up at most, single words first: each costs a millisecond of the model."""
MOST = 5
"""Words of the passages taken for each part of the query."""
EXPECTED = 5
"""How many of the words found make a full score: they stand in for each other, and no passage holds them all."""
_FUNCTION_WORDS = frozenset().union(*STOPWORDS.values())
"""Of all languages: which one a few words are in is often a guess."""


def why_no_related(reader: Reader, plan: Plan, query: Query) -> str:
    """Why related words are not looked up for such a query at all; "" if they are, should its own not be found."""
    meaning = reader.meaning
    if query.mode != "hybrid" or plan.strict or plan.query_class in ("identifier", "quoted"):
        return "the query asks for its own words"
    if not reader.index.features.stand_ins:
        return NO_STAND_INS
    if meaning.calibration is None or meaning.lexicon is None or meaning.calibration.words is None:
        return "the model was not measured on single words" if meaning.calibration else meaning.off
    if meaning.loading:
        return meaning.loading
    return "the query is too long to look up its words" if len(tokens(plan.text)) > MAX_WORDS else ""


def is_needed(keyword: Ranking, plan: Plan, need: Need) -> bool:
    """Whether so few of the query's words are found that others are looked for."""
    return not keyword.found or share_found(keyword.found[0].score, plan.length) < need.plain


def ask_model(embedder: Embedder, text: str) -> Floats:
    """The vector of a question; whatever goes wrong in a model costs its leg, not the answer."""
    try:
        return embedder.embed_query(text)
    except Exception as problem:  # models raise what they like
        said = problem.message if isinstance(problem, PinciteError) else f"{type(problem).__name__}: {problem}"
        raise Unavailable(f"{embedder.name} failed: {said}") from problem


def related(reader: Reader, views: Sequence[View], plan: Plan, asked: WordQuery, until: float) -> Ranking:
    """Passages by BM25 over the words that mean nearly what the query says. No model is asked after `until`."""
    lexicon, fingerprint = reader.meaning.lexicon, reader.meaning.fingerprint
    assert lexicon is not None
    learned = lexicon.learned(views, fingerprint)
    if not learned.words:
        reason = f"no words learned yet; {by_operator('learn them with', 'pincite embed')}"
        return Ranking("related", status="unavailable", reason=reason)
    limits = _limits(learned)
    query = replace(
        asked,
        words=Some(_stand_ins(reader, lexicon, views, plan, until)),
        scoring=replace(asked.scoring, literal=0.0, elsewhere=0.0),
        expected=EXPECTED,
        max_words=None,
        prepared=None,
    )
    found = reader.index.keyword(views, query)
    if found.status == "ok" and limits:
        found = replace(found, status="partial", reason=limits)
    return replace(found, leg="related", notes=(), asked=found.asked or query)


def _stand_ins(reader: Reader, lexicon: Lexicon, views: Sequence[View], plan: Plan, until: float) -> tuple[Word, ...]:
    """Words that mean nearly what the query says: what was found before, else what the model finds now."""
    if reader.meaning.said is not None and reader.meaning.said.stand_ins is not None:
        return reader.meaning.said.stand_ins
    embedder = reader.meaning.embedder
    if embedder is None:
        raise Unavailable("the model that looks up words is not here")
    least = embedder.calibration.words
    assert least is not None
    vectors = []
    for part in parts(plan.text):
        if time.monotonic() > until:
            raise Unavailable("looking up its words took too long")
        vectors.append(ask_model(embedder, part))
    near = lexicon.near(views, embedder.fingerprint, vectors, above=least, most=MOST) if vectors else []
    return tuple(Word(word.form, weight=_weight(word.cosine, least)) for word in near if _says_something(word))


def _weight(cosine: float, least: float) -> float:
    """Less than 1 even for the same word: it was not typed. The root because the nearest are seldom beyond 0.8."""
    zero = least - (1 - least) / 4  # what is just near enough counts for nearly half
    return min(0.999, math.sqrt((cosine - zero) / (1 - zero)))


def _says_something(word: NearWord) -> bool:
    return word.form.lower() not in _FUNCTION_WORDS


def _limits(learned: Learned) -> str:
    """What keeps the lexicon from being all the words of the passages."""
    if not learned.complete:
        return f"words of the newest passages are not learned yet; {by_operator('learn them with', 'pincite embed')}"
    return "there are more words than are compared: the oldest are" if learned.full else ""


def parts(text: str) -> tuple[str, ...]:
    """What is looked up: the words that mean something, and two or three neighbours together; the whole first."""
    typed = [without_elisions(token) for token in tokens(text)]
    words = [word for word in typed if len(word) > 2 and word.lower() not in _FUNCTION_WORDS and not word.isdigit()]
    runs = [
        " ".join(typed[start : start + length])
        for length in range(2, LONGEST + 1)
        for start in range(len(typed) - length + 1)
    ]
    found = dict.fromkeys((" ".join(text.split()), *words, *runs))
    return tuple(found)[:MAX_PARTS]
