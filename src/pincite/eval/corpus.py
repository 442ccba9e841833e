"""Corpora: the documents of an evaluation become a library, read and cut the way a kind reads and cuts them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from pincite.errors import InvalidArgument, UnknownArgument
from pincite.eval.beir import Document
from pincite.ids import text_hash
from pincite.index.entries import filter_values
from pincite.ingest.apply import apply
from pincite.ingest.report import Progress, silent
from pincite.kinds.documents import CutOptions, cut
from pincite.text.language import identify
from pincite.types import Change, Content, Derivation, JsonValue, PutElement, RemoveElement, State

if TYPE_CHECKING:
    from pincite.library import Library

BATCH = 2_000
"""Documents per commit."""

Reading = Callable[[Document], tuple[str, str]]
"""The text of a document, and the file type by which its structure is recognised."""


@dataclass(frozen=True, slots=True)
class Filled:
    """What a corpus put into the library."""

    documents: int
    empty: int
    """Documents without any text: nothing in them can be found."""
    passages: int


def _plain(document: Document) -> tuple[str, str]:
    return "\n\n".join(filter(str.strip, (document.title, document.text))), "plain"


def _markdown(document: Document) -> tuple[str, str]:
    title = " ".join(document.title.split())
    return "\n\n".join(filter(str.strip, (f"# {title}" if title else "", document.text))), "md"


READINGS: Mapping[str, Reading] = {"generic": _plain, "documents": _markdown}
"""How each kind reads a document that has no file: as text under its title, or as Markdown with its structure."""


def check_kind(kind: str) -> str:
    """The kind, if there is one of this name."""
    if kind not in READINGS:
        raise UnknownArgument.named("kind", kind, READINGS, field="kind")
    return kind


def fill(library: Library, documents: Iterable[Document], kind: str, progress: Progress = silent) -> Filled:
    """Bring the library's repository in line with the documents; what it already holds costs little."""
    scope, options = library.scope(), library.config.chunking.options()
    read = READINGS[check_kind(kind)]
    library.catalog.repositories.ensure(scope)
    stale = set(library.elements())
    counts = {"documents": 0, "empty": 0, "passages": 0}
    seen: set[str] = set()

    def changes() -> Iterator[Change]:
        for document in documents:
            if document.id in seen:
                raise InvalidArgument(f"two documents have the id {document.id!r}", field="corpus")
            seen.add(document.id)
            change = _element(document, read, options)
            counts["documents"] += 1
            counts["empty"] += change is None
            if change is not None:
                counts["passages"] += len(change.states[0].derivation.chunks)
                stale.discard(document.id)
                yield change
        yield from map(RemoveElement, sorted(stale))

    waiting = changes()
    while batch := tuple(islice(waiting, BATCH)):
        apply(library.catalog, library.index, scope, batch, message="corpus", advance=False)
        progress("reading", counts["documents"], counts["documents"])
    progress("indexing", 0, 1)
    library.index.advance(scope)
    progress("indexing", 1, 1)
    if library.config.dense != "off":
        library.embed(scope.repository, progress=progress)
    return Filled(**counts)


def chosen(
    documents: Iterable[Document], only: Mapping[str, Sequence[str]], *, unstated: bool = False
) -> Iterator[Document]:
    """The documents whose metadata has one of the wanted values for each key; with `unstated` also those without it."""
    for document in documents:
        stated = {key: set(filter_values(document.metadata.get(key))) for key in only}
        if all(stated[key] & set(values) or (unstated and not stated[key]) for key, values in only.items()):
            yield document


def fingerprint(library: Library, repositories: Sequence[str] = ()) -> dict[str, JsonValue]:
    """What an index holds and how it ranks, in terms by which two runs can be compared."""
    statuses = [library.index.status(library.scope(name)) for name in repositories or ("",)]
    pin = library.reranking.pin
    return {
        "engine": statuses[0].engine,
        "analyser": statuses[0].analyser,
        "chunks": sum(status.chunks for status in statuses),
        "content": _content_hash(library, repositories),
        "chunking": library.config.chunking.model_dump(),
        "keyword": library.config.keyword.model_dump(),
        "dense": library.embedder.fingerprint if library.config.dense != "off" else "",
        "retrieval": library.config.retrieval.model_dump(),
        **({"reranker": asdict(pin)} if pin else {}),
    }


def _content_hash(library: Library, repositories: Sequence[str]) -> str:
    """Identity of all versions alive at head, whatever revisions led there."""
    alive = []
    for name in repositories or ("",):
        scope = library.scope(name)
        info = library.catalog.repositories.get(scope)
        changes = library.catalog.elements.diff(scope, 0, info.head) if info else ()
        alive += [(name, change.element_id, change.after) for change in changes]
    return text_hash(repr(sorted(alive)))


def _element(document: Document, read: Reading, options: CutOptions) -> PutElement | None:
    text, file_type = read(document)
    metadata = _metadata(document.metadata)
    stated = str(document.metadata.get("lang") or document.metadata.get("language") or "")
    language = stated if len(stated) == 2 else identify(text)
    name = " ".join(document.title.split())
    content = Content("document", "document", name, text, language, {**metadata, "file_type": file_type})
    derivation = _under(_path(document.metadata), cut(content, options, document.id))
    return PutElement(document.id, (State(content, derivation),)) if derivation.chunks else None


def _path(metadata: Mapping[str, Any]) -> tuple[str, ...]:
    """The headings that a corpus says stand above a document: `path`, a list of them, outermost first.

    Its own `heading` is left out: corpora that keep it apart from title and text ask for it.
    """
    stated = metadata.get("path")
    parts = (str(part).strip() for part in stated) if isinstance(stated, list) else ()
    return tuple(part for part in parts if part and part != str(metadata.get("heading") or "").strip())


def _under(path: tuple[str, ...], derivation: Derivation) -> Derivation:
    """The passages with these headings in their context, as if the larger work had been cut.

    Not among their own headings, which weigh double: words of a chapter's title are those of all its articles (nDCG@10
    of words alone on site-policy 0.670 instead of 0.688, swiss-xl-a it-it 0.615 instead of 0.622).
    """
    if not path:
        return derivation
    chunks = [replace(chunk, context=" > ".join((*path, *chunk.parent_chain))) for chunk in derivation.chunks]
    return replace(derivation, recipe=f"{derivation.recipe};under", chunks=tuple(chunks))


def _metadata(given: Mapping[str, Any]) -> dict[str, JsonValue]:
    """What can be filtered on; a corpus may carry whole texts beside."""
    return {str(key): value for key, value in given.items() if filter_values(value)}
