"""Understand: from a typed query to what each leg is asked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from pincite.errors import InvalidArgument
from pincite.protocols import OpenKinds
from pincite.queries import All, Between, Filter, Maybe, Node, OneOf, Phrase, Some
from pincite.search.exclusion import Exclusion, exclusion_in
from pincite.search.query import CONDENSE_FROM, FilterValue, Query, day
from pincite.search.syntax import Parsed, parse
from pincite.text.identifiers import identifiers_in, normalise_identifier, qualified_in, references_in, term_key
from pincite.text.language import identify
from pincite.text.section_references import SectionReference
from pincite.text.stopwords import QUERY_STOPWORDS
from pincite.text.words import tokens

QueryClass = Literal["identifier", "quoted", "keywords", "question"]

CONDENSED_WORDS = 32
POINTING_WORDS = 12
"""Words besides its identifiers with which a query still asks for what they name. A text that cites "Article 15" in
passing is about something else: on 675 headnotes of decisions nDCG@10 was 0.62 with and 0.71 without this limit."""
NAMING_WORDS = 5
"""Words besides a quote with which it may still be the name that is asked for. 'Which roles are assigned to the process
"Open Day"?' asks for the roles: with the process first nDCG@10 on such questions was 0.60, by words alone 0.68."""
MAX_NAME_WORDS = 8
NUMBERS_NAME = 0.4
"""Share of numbers from which a short query names something ("BGE 136 III 513") rather than describing it."""
_NO_TEXT = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
"""Control characters and lone surrogates: they separate words and are none."""
_SURROGATE = re.compile(r"[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Plan:
    """What the legs will look for."""

    text: str
    """The query without anything that is not text."""
    words: Node
    identifiers: tuple[str, ...]
    """In normal form: what the exact leg looks up."""
    filters: tuple[Filter, ...]
    query_class: QueryClass
    language: str
    points: bool = True
    """The query asks for what its identifiers name, rather than mentioning them in passing."""
    strict: bool = False
    """The query demands or forbids something: an identifier alone does not make a hit."""
    max_words: int | None = None
    expansions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Words of the query → words of a kind's glossary that may stand in for them."""
    expected: int | None = None
    """How many of the words make a full score, where others stand in for them."""
    notes: tuple[str, ...] = ()
    references: tuple[SectionReference, ...] = ()
    """The sections that the query names, those inside sections with what holds them."""
    qualified: tuple[str, ...] = ()
    """Sections together with what may be the name of their work."""
    defined: str = ""
    """The whole query as the name of a defined term, where it can be one."""
    kind: str = ""
    """The one kind of source that is asked, where that is known and weights depend on it."""
    excluded: Exclusion | None = None
    """What the question says that it does not mean."""

    @property
    def length(self) -> int:
        """Words that are searched."""
        return min(len(tokens(self.text)), self.max_words or CONDENSE_FROM)


def understand(query: Query, kinds: OpenKinds | None = None) -> Plan:
    """Parse the syntax, name the language, recognise identifiers; never guess a filter."""
    text = _NO_TEXT.sub(" ", query.text)
    excluded = exclusion_in(text) if query.mode != "exact" else None
    if excluded is not None:
        text = excluded.asked
    kinds = kinds or OpenKinds()
    seen = kinds.recognise(text)
    language = identify(text)
    stops = QUERY_STOPWORDS.get(language, frozenset())
    shouting = text.isupper()
    parsed = parse(text, lambda word: _is_stop(word, stops, shouting), kinds.fields)
    notes = list(parsed.notes)
    if query.mode != "exact":
        notes += _constraints(parsed)
    if excluded is not None:
        notes.append(f"passages mainly about {excluded.what!r} rank behind: the question excludes it")
    forbidden = {normalise_identifier(part) for part in parsed.forbidden}
    named = tuple(dict.fromkeys((*identifiers_in(text), *filter(None, map(normalise_identifier, seen.identifiers)))))
    identifiers = tuple(name for name in _identifiers(text, named, parsed.phrases) if name not in forbidden)
    max_words = None
    if len(text) > CONDENSE_FROM:
        max_words = CONDENSED_WORDS
        notes.append(condensed_note(text))
    points = query.mode == "exact" or _points(text, named, parsed.phrases)
    if identifiers and not points:
        notes.append(
            f"more than {POINTING_WORDS} words besides {identifiers[0]!r}: what carries it ranks a little higher"
        )
    return Plan(
        text=text,
        words=_literal(text, parsed.phrases) if query.mode == "exact" else parsed.tree,
        expansions={} if query.mode == "exact" else seen.expansions,
        identifiers=identifiers,
        filters=_filters(query.filters),
        query_class=_classify(text, parsed, named, stops),
        language=language,
        points=points,
        strict=query.mode != "exact" and (bool(parsed.forbidden) or _demands(parsed.tree)),
        max_words=max_words,
        notes=(*notes, *seen.notes),
        defined=term_key(text) if len(text.split()) <= MAX_NAME_WORDS and not parsed.forbidden else "",
        references=references_in(text),
        excluded=excluded,
        qualified=tuple(name for name in qualified_in(text) if name not in forbidden) if points else (),
    )


def condensed_note(text: str) -> str:
    """What is said of a query that is too long to be searched with all its words."""
    return (
        f"the query has {len(text)} characters, more than {CONDENSE_FROM}: at most its {CONDENSED_WORDS} rarest"
        " words are searched"
    )


def stated_kind(filters: Sequence[Filter]) -> str:
    """The kind of source that the filters leave; "" where they leave several."""
    stated = [item.values for item in filters if isinstance(item, OneOf) and item.field == "kind"]
    return stated[0][0] if stated and len(stated[0]) == 1 else ""


def _constraints(parsed: Parsed) -> Iterator[str]:
    """What the query demands and forbids, as the answer states it."""
    if parsed.demanded:
        yield f"only passages with {', '.join(parsed.demanded)}"
    if parsed.forbidden:
        yield f"without passages that hold {', '.join(parsed.forbidden)}"


def _literal(text: str, phrases: tuple[str, ...]) -> Node:
    """What the exact mode demands word for word: the quotes, or the query itself."""
    return All(tuple(Phrase(phrase) for phrase in phrases)) if phrases else Phrase(text)


def _demands(node: Node) -> bool:
    """Whether the tree holds an AND, a plus or a field; a lone quote may also be a name."""
    if isinstance(node, All):
        return any(not isinstance(part, Maybe | Phrase) for part in node.parts)
    return isinstance(node, Some) and any(_demands(part) for part in node.parts)


def _is_stop(word: str, stops: frozenset[str], shouting: bool) -> bool:
    """Function words, but not in capitals: "OR" and "IT" are names unless the whole query shouts."""
    parts = tokens(word)
    if len(parts) != 1 or (parts[0].isupper() and len(parts[0]) > 1 and not shouting):
        return False
    return parts[0].lower() in stops


def _identifiers(text: str, named: tuple[str, ...], phrases: tuple[str, ...]) -> tuple[str, ...]:
    """What can only be an identifier, a quote with little beside it, and the whole query if it could be a name."""
    found = dict.fromkeys(named)
    beside = len(tokens(text)) - sum(len(tokens(phrase)) for phrase in phrases)
    if beside <= NAMING_WORDS:
        found |= dict.fromkeys(filter(None, map(normalise_identifier, phrases)))
    if len(text.split()) <= MAX_NAME_WORDS:
        whole = normalise_identifier(text)
        if whole and not whole.isdigit():
            found.setdefault(whole)
    return tuple(found)


def _points(text: str, identifiers: tuple[str, ...], phrases: tuple[str, ...]) -> bool:
    named = sum(len(tokens(phrase)) for phrase in phrases) + len(identifiers)
    return len(tokens(text)) <= POINTING_WORDS + named


def _classify(text: str, parsed: Parsed, identifiers: tuple[str, ...], stops: frozenset[str]) -> QueryClass:
    if any(f'"{phrase}"' in parsed.demanded for phrase in parsed.phrases):
        return "quoted"
    words = tokens(text)
    numbers = sum(any(char.isdigit() for char in word) for word in words)
    # "Wie lautete Art. 28 DBG am 1.6.2017?" asks for a place, however it is wrapped.
    if identifiers and sum(word.lower() not in stops for word in words) <= 4 + len(identifiers):
        return "identifier"
    if len(words) <= MAX_NAME_WORDS and numbers >= NUMBERS_NAME * len(words):
        return "identifier"
    return "question" if "?" in text or len(words) > 6 else "keywords"


def _filters(given: Mapping[str, FilterValue]) -> tuple[Filter, ...]:
    """Filters as the index takes them; `date_from` and `date_to` bound the field `date`."""
    out: list[Filter] = []
    low, high = given.get("date_from", ""), given.get("date_to", "")
    if low or high:
        bounds = [
            day(str(bound), field).isoformat() if bound else ""
            for field, bound in (("date_from", low), ("date_to", high))
        ]
        if all(bounds) and bounds[0] > bounds[1]:
            raise InvalidArgument(f"date_from {bounds[0]} lies after date_to {bounds[1]}", field="date_from")
        out.append(Between("date", bounds[0], bounds[1]))
    for key, value in given.items():
        if key in ("date_from", "date_to"):
            continue
        values = value if isinstance(value, list) else [value]
        texts = tuple(str(v).lower() if isinstance(v, bool) else str(v) for v in values)
        if not texts or "" in texts:
            raise InvalidArgument(f"filter {key!r} has no value; leave it out or give one", field=key)
        if any(_SURROGATE.search(text) for text in (key, *texts)):
            raise InvalidArgument(
                f"filter {key!r:.80} holds a lone surrogate, which is not a character", field="filters"
            )
        out.append(OneOf(key, texts))
    return tuple(out)
