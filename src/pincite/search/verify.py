"""Verify: does this quote stand where it is said to stand, and does that still hold?

verified     it stands there, word for word (white space and typographic quotes aside)
altered      something like it stands there; the difference is given
superseded   it stands in the cited version (without a citation: in an earlier one), which is not the current one
erased       the cited element was purged
not_found    nothing like it is there
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from pincite.citation import Citation
from pincite.errors import Erased, InvalidArgument, NotFound
from pincite.queries import Found, IndexFeatures, Phrase, Some, Word, WordQuery
from pincite.search.passages import Located, locate, may_read, section_passage, span_passage
from pincite.search.promises import verify_limits
from pincite.search.query import Passage, Reader
from pincite.search.resemble import CERTAIN, closest, describe
from pincite.text.quotations import Quotation
from pincite.text.quotes import Alignment, Edit, find_quote, normalise_quote
from pincite.text.words import tokens
from pincite.types import Span, View

Status = Literal["verified", "altered", "superseded", "erased", "not_found"]

CANDIDATES = 20
COMPARED = 8
"""Elements that are compared word by word with a quote that stands nowhere."""
MAX_QUOTE = 20_000
PHRASE_WORDS = 24
"""Words of a long quote that the phrase search looks for; the whole quote is then compared in the text."""
MAX_VERSIONS = 50
"""Earlier versions of a cited element that are read."""


@dataclass(frozen=True, slots=True)
class Verdict:
    status: Status
    quote: str
    message: str
    passage: Passage | None = None
    """Where the quote (or what resembles it) stands."""
    similarity: float = 0.0
    edits: tuple[Edit, ...] = ()
    superseded_by: str = ""
    """Citation of the current version of the element."""
    still_there: bool | None = None
    """For a superseded version: does the current one still say the same?"""
    also_in: tuple[str, ...] = ()
    """Citations of other places where the quote stands."""


@dataclass(frozen=True, slots=True)
class CheckedQuote:
    """A quotation of a draft, and what became of it."""

    quotation: Quotation
    verdict: Verdict


def verify(reader: Reader, views: Sequence[View], quote: str, citation: str = "") -> Verdict:
    """The verdict on a quote, at a citation or anywhere in what the views may read."""
    if not normalise_quote(quote).text.strip("\"' "):
        raise InvalidArgument("the quote is empty; give the words to verify", field="quote")
    if len(quote) > MAX_QUOTE:
        raise InvalidArgument(
            f"the quote has {len(quote):,} characters, at most {MAX_QUOTE:,} are allowed", field="quote"
        )
    if citation:
        return _verify_cited(reader, views, quote, Citation.parse(citation))
    return _verify_anywhere(reader, views, quote)


# --- at a citation --------------------------------------------------------------------------------------------


def _verify_cited(reader: Reader, views: Sequence[View], quote: str, cited: Citation) -> Verdict:
    view = next((v for v in views if v.scope == cited.scope), None)
    if view is None:
        return Verdict("not_found", quote, f"there is no repository {cited.scope.repository!r} here")
    try:
        located = locate(reader.catalog, view, cited.element_id, cited.version_id)
    except Erased:
        return Verdict("erased", quote, f"{cited.element_id!r} has been erased")
    except NotFound as missing:
        return _formerly(reader, view, quote, cited) or Verdict("not_found", quote, missing.message)
    place = _place(located, cited)
    found = _find_in(located, quote, place)
    if found is None:
        return _formerly(reader, view, quote, cited) or _altered(located, quote, place)
    if cited.version_id and located.lifetime is None:
        return _superseded(reader, view, quote, located, found)
    passage = span_passage(located, found)
    if place is not None and not (found.start < place.end and place.start < found.end):
        where = f"section {passage.section_id!r}" if passage.section_id else f"characters {found.start} to {found.end}"
        message = f"not at the cited place; it is in {where} of the same version"
        return Verdict("not_found", quote, message, passage, 1.0)
    return Verdict("verified", quote, f"found in {located.version.element_id!r}", passage, 1.0)


def _place(located: Located, cited: Citation) -> Span | None:
    """The stretch that the citation names; None for the whole element, or when it has no such place."""
    if cited.span is not None:
        return cited.span
    if cited.section_id:
        try:
            return section_passage(located, cited.section_id).span
        except NotFound:
            return None
    return None


def _find_in(located: Located, quote: str, place: Span | None) -> Span | None:
    """Inside the cited place if it is there, else anywhere in the version."""
    source = normalise_quote(located.version.content.text)
    if place is not None:
        inside = find_quote(quote, source, start=source.position(place.start))
        if inside is not None and inside.end <= place.end:
            return inside
    return find_quote(quote, source)


def _formerly(reader: Reader, view: View, quote: str, cited: Citation) -> Verdict | None:
    """A citation without a version follows the head; the quote may have stood in an earlier version."""
    if cited.version_id:
        return None
    lifetimes = reader.catalog.elements.history(view.scope, cited.element_id)
    versions = dict.fromkeys(x.version_id for x in reversed(lifetimes) if may_read(view.roles, x))
    for version_id in list(versions)[:MAX_VERSIONS]:
        located = locate(reader.catalog, view, cited.element_id, version_id)
        found = _find_in(located, quote, None)
        if found is not None:
            return _superseded(reader, view, quote, located, found)
    return None


def _altered(located: Located, quote: str, place: Span | None) -> Verdict:
    """What the version says instead, if it says something like it."""
    best = closest(located, quote, place)
    if best is None:
        message = f"nothing like it is in this version of {located.version.element_id!r}"
        return Verdict("not_found", quote, message)
    return _says_otherwise(located, quote, best)


def _says_otherwise(located: Located, quote: str, found: Alignment) -> Verdict:
    message = f"{located.version.element_id!r} says something else; the quote has {describe(found.edits)}"
    return Verdict("altered", quote, message, span_passage(located, found.span), found.similarity, found.edits)


def _superseded(reader: Reader, view: View, quote: str, located: Located, found: Span) -> Verdict:
    passage = span_passage(located, found)
    element_id = located.version.element_id
    live = reader.catalog.elements.get(view, element_id)
    if live is None:
        message = f"was in {element_id!r}, which is not part of the repository in this read context"
        return Verdict("superseded", quote, message, passage, 1.0, still_there=False)
    now = Located(live.version, live.derivation, live.lifetime)
    same = find_quote(quote, normalise_quote(live.version.content.text))
    citation = (
        span_passage(now, same).citation if same else str(Citation(view.scope, element_id, live.version.version_id))
    )
    says = "says the same" if same else "does not say it"
    message = f"found in version {located.version.version_id[:8]} of {element_id!r}; the current version {says}"
    return Verdict("superseded", quote, message, passage, 1.0, superseded_by=citation, still_there=same is not None)


# --- anywhere -------------------------------------------------------------------------------------------------


class _Texts:
    """Versions read while one quote is verified, each once."""

    def __init__(self, reader: Reader, quote: str) -> None:
        self._catalog = reader.catalog
        self._quote = quote
        self._read: dict[tuple[View, str, str], tuple[Located | None, Span | None]] = {}

    def look(self, view: View, found: Found) -> tuple[Located | None, Span | None]:
        """The version that an index found, if the caller may read it, and where the quote stands in it."""
        key = (view, found.element_id, found.version_id)
        if key not in self._read:
            try:
                located = locate(self._catalog, *key)
                self._read[key] = located, find_quote(self._quote, normalise_quote(located.version.content.text))
            except NotFound:
                self._read[key] = None, None
        return self._read[key]


def _verify_anywhere(reader: Reader, views: Sequence[View], quote: str) -> Verdict:
    """Search for the quote: as it is now, then as it ever was, then for what resembles it."""
    words = tokens(quote)
    texts = _Texts(reader, quote)
    places = _places(reader, views, texts, words, ever=False)
    if places:
        shown = [span_passage(located, span) for _, located, span in places]
        also = tuple(passage.citation for passage in shown[1:])
        return Verdict("verified", quote, f"found in {shown[0].element_id!r}", shown[0], 1.0, also_in=also)
    former = _places(reader, views, texts, words, ever=True) if reader.index.features.ever else []
    if former:
        view, located, span = former[0]
        return _superseded(reader, view, quote, located, span)
    verdict = _resembling(reader, views, texts, quote, words)
    return replace(verdict, message=verdict.message + verify_limits(reader.index.features))


def _probes(words: Sequence[str], features: IndexFeatures) -> Iterator[WordQuery]:
    """What to look for: the quote as a phrase, its two ends should it cross a border of chunks, at last its words."""
    if words and not features.phrases:
        yield _any_word(words, features)
        return
    if words:
        yield WordQuery(Phrase(" ".join(words[:PHRASE_WORDS])), depth=CANDIDATES)
    if len(words) > 1:
        half = min(PHRASE_WORDS, (len(words) + 1) // 2)
        yield WordQuery(Phrase(" ".join(words[:half])), depth=CANDIDATES)
        yield WordQuery(Phrase(" ".join(words[-half:])), depth=CANDIDATES)
        yield _any_word(words, features)


def _any_word(words: Sequence[str], features: IndexFeatures) -> WordQuery:
    rarest = 32 if features.condenses else None
    return WordQuery(Some(tuple(map(Word, words))), depth=CANDIDATES, max_words=rarest)


def _places(
    reader: Reader, views: Sequence[View], texts: _Texts, words: Sequence[str], *, ever: bool
) -> list[tuple[View, Located, Span]]:
    """Where the quote stands: what the first probe that succeeds has found."""
    for probe in _probes(words, reader.index.features):
        out: dict[tuple[View, str, str], tuple[View, Located, Span]] = {}
        for view in views:
            ranking = reader.index.keyword([view], replace(probe, ever=ever, group="chunk" if ever else "element"))
            for found in ranking.found:
                located, span = texts.look(view, found)
                if located is not None and span is not None:
                    out.setdefault((view, found.element_id, found.version_id), (view, located, span))
        if out:
            return list(out.values())
    return []


def _resembling(reader: Reader, views: Sequence[View], texts: _Texts, quote: str, words: Sequence[str]) -> Verdict:
    best: tuple[Alignment, Located] | None = None
    for view in views:
        for found in reader.index.keyword([view], _any_word(words, reader.index.features)).found[:COMPARED]:
            located, _ = texts.look(view, found)
            aligned = closest(located, quote) if located else None
            if located and aligned and (best is None or aligned.similarity > best[0].similarity):
                best = (aligned, located)
            if best is not None and best[0].similarity >= CERTAIN:
                return _says_otherwise(best[1], quote, best[0])
    if best is None:
        return Verdict("not_found", quote, "nothing like it is in the library")
    return _says_otherwise(best[1], quote, best[0])
