"""Pincite's own indexes, rolled forward from a catalog, from which their vectors come too."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import pincite
from benchmarks.speed.corpus import PER_ELEMENT, Asked, Block, Passage
from benchmarks.speed.engines.engine import DEPTH, Only, Powers, fuse
from pincite.catalog.sqlite import SqliteCatalog
from pincite.fixed import pack, question, to_fixed
from pincite.index.entries import embedded_key
from pincite.meaning import Calibration
from pincite.protocols import Catalog, Index
from pincite.queries import Found, OneOf, VectorQuery, WordQuery
from pincite.search.query import Query
from pincite.search.understand import understand
from pincite.types import Chunk, Commit, Content, Derivation, PutElement, Scope, Span, State, View

MODEL = "benchmark"
CALIBRATION = Calibration(0.35, 0.9)
BLOCKS_PER_COMMIT = 10


class Projected:
    """Hybrid is the cost of the index: both legs, 200 passages each, fused by reciprocal ranks. Every leg is given the
    query as search gives it (`understand` is part of the time); embedding the question and citing are not."""

    efforts: Sequence[Mapping[str, Any]] = ({},)
    effort: Mapping[str, Any] = {}
    target = 0.999

    def __init__(self, folder: Path, index_of: Callable[[Path, Catalog], Index], powers: Powers) -> None:
        self.powers = powers
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self._index_of = index_of
        self._revision: int | None = None
        self._scopes: set[Scope] = set()
        self.open()

    def open(self) -> None:
        self.catalog = SqliteCatalog(self.folder / "catalog.db")
        self.index = self._index_of(self.folder / "index", self.catalog)

    def close(self) -> None:
        self.catalog.close()

    # --- writing ----------------------------------------------------------------------------------------------

    def put(self, blocks: Iterable[Block]) -> None:
        waiting: list[Block] = []
        scopes = set()
        for block in blocks:
            if waiting and (len(waiting) == BLOCKS_PER_COMMIT or waiting[0].tenant != block.tenant):
                self._commit(waiting)
                waiting = []
            waiting.append(block)
            scopes.add(_scope(block.tenant))
        if waiting:
            self._commit(waiting)
        for scope in scopes:
            self.index.advance(scope)
            self.index.take_vectors(scope, MODEL)
        self._scopes |= scopes

    def _commit(self, blocks: Sequence[Block]) -> None:
        elements, vectors = [], {}
        for block in blocks:
            rows = to_fixed(block.vectors)
            for low in range(0, len(block.passages), PER_ELEMENT):
                element = _element(block.passages[low : low + PER_ELEMENT])
                elements.append(element)
                state = element.states[0]
                for place, chunk in enumerate(state.derivation.chunks, start=low):
                    vectors[embedded_key(state.content, chunk)] = pack(rows[place : place + 1])
        scope = _scope(blocks[0].tenant)
        self.catalog.commits.commit(scope, Commit(tuple(elements)))
        self.catalog.vectors.put(scope.tenant, MODEL, vectors)

    def settle(self) -> None:
        for scope in self._scopes:
            while self.index.merge(scope):
                pass

    def merge(self) -> None:
        """Of the big tenant's repository."""
        self.index.merge(_scope(Only().tenant), everything=True)  # type: ignore[call-arg]

    # --- reading ----------------------------------------------------------------------------------------------

    def keyword(self, asked: Asked, only: Only) -> list[int]:
        query = WordQuery(understand(Query(asked.text)).words, _filters(only), DEPTH, "chunk")
        return _numbers(self.index.keyword([self._view(only)], query).found)

    def dense(self, asked: Asked, only: Only, *, exact: bool = False) -> list[int]:
        vector = question(asked.vector)
        query = VectorQuery(vector, MODEL, CALIBRATION, _filters(only), DEPTH, "chunk", exact=exact)
        return _numbers(self.index.dense([self._view(only)], query).found)

    def hybrid(self, asked: Asked, only: Only) -> list[int]:
        return fuse((self.keyword(asked, only), self.dense(asked, only)))

    def _view(self, only: Only) -> View:
        scope = _scope(only.tenant)
        return View(scope, self.index.reached(scope) if self._revision is None else self._revision, date.today())

    def state(self) -> int:
        return self.index.reached(_scope(Only().tenant))

    def at(self, state: int | None) -> None:
        self._revision = state

    def describe(self) -> dict[str, Any]:
        return {"version": f"pincite {pincite.__version__}"}


def _scope(tenant: str) -> Scope:
    return Scope(tenant=tenant)


def _filters(only: Only) -> tuple[OneOf, ...]:
    return (OneOf("share", (only.share,)),) if only.share else ()


def _numbers(found: Sequence[Found]) -> list[int]:
    return [int(item.element_id[1:]) * PER_ELEMENT + item.chunk for item in found]


def _element(passages: Sequence[Passage]) -> PutElement:
    chunks, at = [], 0
    for place, passage in enumerate(passages):
        chunks.append(Chunk(place, Span(at, at + len(passage.text)), section_id=f"{place + 1}"))
        at += len(passage.text) + 2
    first = passages[0]
    text = "\n\n".join(passage.text for passage in passages)
    name = f"Document {first.element}"
    content = Content("document", "document", name, text, first.language, {"share": first.share})
    return PutElement(f"e{first.element:07d}", (State(content, Derivation("bench", tuple(chunks))),))
