"""Look up: what the documents of the library say a term means, each for itself, and whether they contradict."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pincite.catalog.resolve import Resolved
from pincite.errors import InvalidArgument
from pincite.protocols import Session
from pincite.search.defined import defined_term
from pincite.search.passages import Located
from pincite.search.query import DefinedTerm
from pincite.text.stopwords import STOPWORDS
from pincite.text.words import SNOWBALL, folded_words, stem
from pincite.types import Scope, View

MAX_NEAREST = 5


@dataclass(frozen=True, slots=True)
class DefinedHere:
    """One definition of the term, and the document that gives it."""

    defined: DefinedTerm
    scope: Scope
    element_id: str
    element_name: str
    version_id: str
    section_id: str
    parent_chain: tuple[str, ...]
    language: str


@dataclass(frozen=True, slots=True)
class LookedUp:
    """What a term means, document by document."""

    term: str
    """As asked."""
    found: tuple[DefinedHere, ...]
    nearest: tuple[str, ...]
    """Defined terms that were perhaps meant, where the one asked for is not defined."""
    read_contexts: tuple[Mapping[str, object], ...]

    @property
    def conflicts(self) -> bool:
        """Whether documents define the term in different words."""
        by_document: dict[tuple[Scope, str], set[str]] = {}
        for item in self.found:
            said = " ".join(folded_words(item.defined.text))
            by_document.setdefault((item.scope, item.element_id), set()).add(said)
        return len({frozenset(said) for said in by_document.values()}) > 1


def look_up(catalog: Session, resolved: Sequence[Resolved], term: str) -> LookedUp:
    """Every definition of the term that the views may read, by repository and document.

    An article is not part of a term, and number does not matter: "the Suppliers" finds Supplier.
    """
    if not folded_words(term):
        raise InvalidArgument(f"{term!r} holds no word; say which term to look up", field="term")
    echoes = tuple(item.echo for item in resolved)
    views = [item.view for item in resolved]
    found = [item for view in views for item in _found(catalog, view, term)]
    if found:
        return LookedUp(term, tuple(found), (), echoes)
    defined = {view: catalog.relations.terms(view) for view in views}
    for view, known in defined.items():
        alike = [other for other in known if any(_is_same(term, other, code) for code in SNOWBALL)]
        given = [item for other in alike for item in _found(catalog, view, other)]
        found += [item for item in given if _is_same(term, item.defined.term, item.language)]
    if found:
        return LookedUp(term, tuple(found), (), echoes)
    return LookedUp(term, (), _nearest(term, [other for known in defined.values() for other in known]), echoes)


def _found(catalog: Session, view: View, term: str) -> list[DefinedHere]:
    out = []
    defining = catalog.relations.definitions(view, term)
    ids = {element_id for element_id, _, _ in defining}
    known = catalog.elements.get_many({view: ids})[view] if ids else {}
    for element_id, version_id, definition in defining:
        live = known.get(element_id)
        if live is None or live.version.version_id != version_id:
            continue
        chunk = live.derivation.chunks[definition.chunk]
        content = live.version.content
        place = (chunk.section_id, chunk.parent_chain, chunk.language or content.language)
        defined = defined_term(Located.of(live).excerpt, definition)
        out.append(DefinedHere(defined, view.scope, element_id, content.name, version_id, *place))
    return out


def _is_same(asked: str, defined: str, language: str) -> bool:
    """Whether two spellings are one term of a language, but for number, case and article."""
    return _bare(asked, language) == _bare(defined, language)


def _bare(term: str, language: str) -> tuple[str, ...]:
    words = folded_words(term)
    common = STOPWORDS.get(language, frozenset())
    kept = words[1:] if len(words) > 1 and words[0] in common else words
    return tuple(stem(word, language) for word in kept)


def _nearest(term: str, known: Sequence[str]) -> tuple[str, ...]:
    """Defined terms that share a word with the one asked for, then those that are spelt alike."""
    by_words = {" ".join(folded_words(other)): other for other in known}
    asked = " ".join(folded_words(term))
    mine = set(asked.split())
    sharing = sorted((spelt for spelt in by_words if mine & set(spelt.split())), key=lambda spelt: (len(spelt), spelt))
    alike = difflib.get_close_matches(asked[:200], by_words, n=MAX_NEAREST, cutoff=0.6)
    chosen = dict.fromkeys((*alike, *sharing))
    return tuple(by_words[spelt] for spelt in chosen)[:MAX_NEAREST]
