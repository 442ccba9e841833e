"""Context: passages for a prompt, within a budget of tokens that always holds, each under its citation.

Passages that the query finds come first, best first; then what their terms are defined by, what they refer to, and how
their sections go on. Passages of one element that touch are one block. A passage that does not fit is cut at the end of
a sentence, and its citation with it: what a citation pins is what is shown, to the character.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pincite.errors import InvalidArgument
from pincite.search.blocks import ContextBlock, Reason, cost, covers, joined, render, shorter, touches
from pincite.search.candidates import Candidate
from pincite.search.pulled import Pulling, definitions_used, next_passage, references
from pincite.search.query import Absence, LegReport, Query, Reader
from pincite.search.shelf import ElementShelf
from pincite.search.spine import Trace, trace
from pincite.search.views import views_of
from pincite.text.tokens import count_tokens
from pincite.types import Chunk, Scope, Span

RESERVE = 0.2
"""Share of the budget that weaker hits leave to what the better ones use and refer to."""
MAX_PULLED = 100
MAX_REASONS = 4


@dataclass(frozen=True, slots=True)
class ContextOptions:
    """How much, and what besides the hits."""

    max_tokens: int = 4_000
    include_relationships: bool = True
    include_definitions: bool = True

    def __post_init__(self) -> None:
        if not isinstance(self.max_tokens, int) or isinstance(self.max_tokens, bool) or self.max_tokens < 1:
            raise InvalidArgument(
                f"max_tokens must be a whole number from 1, not {self.max_tokens!r}", field="max_tokens"
            )


@dataclass(frozen=True, slots=True)
class ContextSource:
    """One block of a context; the n-th is headed `[n]`."""

    scope: Scope
    element_id: str
    element_name: str
    version_id: str
    citation: str
    relevance: float
    """The score that the query gave it; 0 for what it was not found by."""
    why_included: str


@dataclass(frozen=True, slots=True)
class Context:
    """Text for a prompt and where every part of it stands."""

    text: str
    sources: tuple[ContextSource, ...]
    tokens: int
    max_tokens: int
    read_contexts: tuple[Mapping[str, object], ...]
    legs: tuple[LegReport, ...]
    notes: tuple[str, ...] = ()
    absence: Absence | str = ""
    """Why nothing was found."""


def gather(reader: Reader, query: Query, options: ContextOptions) -> Context:
    """Passages for the query, and what belongs to them, as far as the budget goes."""
    with reader.catalog.session(reader.tenant) as session:
        reader = replace(reader, catalog=session)
        # Only the pool is read, so only one hit is cited.
        found = trace(reader, replace(query, group="chunk", sort="relevance", cursor="", limit=1))
        pulling = Pulling(
            ElementShelf(reader.catalog, views_of(reader, found.answer), reader.kinds.links), _scores(found)
        )
        draft = _Draft(options.max_tokens)
        waiting = list(_hits(found, pulling.shelf, query.limit))
        pulls = _pulls(options)
        if options.include_relationships:
            pulling.fetch(waiting)
        if pulls:
            waiting = draft.take_whole(waiting, int(options.max_tokens * (1 - RESERVE)))
            draft.pull(pulling, pulls, int(draft.used + options.max_tokens * RESERVE))
        draft.take(waiting)
        draft.pull(pulling, (*pulls, next_passage), options.max_tokens)
    return _context(found, draft, options)


_Pull = Callable[[Pulling, ContextBlock], Iterator[ContextBlock]]


def _pulls(options: ContextOptions) -> tuple[_Pull, ...]:
    pulls: list[_Pull] = []
    if options.include_definitions:
        pulls.append(definitions_used)
    if options.include_relationships:
        pulls.append(references)
    return tuple(pulls)


# --- what the query found -------------------------------------------------------------------------------------


def _scores(found: Trace) -> dict[tuple[tuple[Scope, str, str], int], float]:
    return {((c.found.scope, c.found.element_id, c.found.version_id), c.found.chunk): c.score for c in found.pool}


def _hits(found: Trace, shelf: ElementShelf, limit: int) -> Iterator[ContextBlock]:
    """The best chunks as blocks; a bare heading together with what stands below it."""
    best = found.pool[:limit]
    shelf.fetch((candidate.found.scope, candidate.found.element_id) for candidate in best)
    for rank, candidate in enumerate(best, start=1):
        located = shelf.located(candidate.found.scope, candidate.found.element_id)
        if located is None or located.version.version_id != candidate.found.version_id:
            continue
        number = candidate.found.chunk
        span = _with_what_is_below(located.derivation.chunks, number)
        yield ContextBlock(located, number, span, (0, rank), candidate.score, (Reason(_why(rank, candidate)),))


def _with_what_is_below(chunks: Sequence[Chunk], number: int) -> Span | None:
    """The span of a chunk; of a bare heading, up to the first text under it."""
    first, last = chunks[number], chunks[number]
    chain = first.parent_chain
    for chunk in chunks[number + 1 :]:
        is_under = len(chunk.parent_chain) > len(chain) and chunk.parent_chain[: len(chain)] == chain
        if last.chunk_type != "header" or not is_under:
            break
        last = chunk
    return Span(first.span.start, last.span.end) if first.span and last.span else first.span


def _why(rank: int, candidate: Candidate) -> str:
    legs = ", ".join(f"{leg} rank {score.rank}" for leg, score in candidate.legs.items())
    return f"{'best match' if rank == 1 else 'match'} for the query ({legs})"


# --- filling the budget ---------------------------------------------------------------------------------------


@dataclass
class _Draft:
    """Blocks that together stay within the budget."""

    budget: int
    placed: list[tuple[ContextBlock, int]] = field(default_factory=list)
    """Each with its tokens."""
    texts: set[str] = field(default_factory=set)
    left_out: list[ContextBlock] = field(default_factory=list)
    repeated: int = 0
    cut: int = 0
    pulled: int = 0

    @property
    def used(self) -> int:
        return sum(tokens for _, tokens in self.placed)

    @property
    def blocks(self) -> list[ContextBlock]:
        return sorted((block for block, _ in self.placed), key=lambda block: block.order)

    def take_whole(self, hits: Sequence[ContextBlock], within: int) -> list[ContextBlock]:
        """Place hits uncut up to the first that does not fit; that one and those after it."""
        for number, hit in enumerate(hits):
            if not self._is_new(hit):
                continue
            if not self._put(hit, within):
                return list(hits[number:])
        return []

    def take(self, hits: Iterable[ContextBlock]) -> None:
        """Place hits, cut at the end of a sentence where they do not fit."""
        for hit in hits:
            if self._is_new(hit) and not self._put_some(hit, self.budget):
                self.left_out.append(hit)

    def pull(self, pulling: Pulling, pulls: Iterable[_Pull], within: int) -> None:
        """Place what belongs to the direct hits, one kind after the other."""
        for pull in pulls:
            for block in [block for block in self.blocks if block.is_direct]:
                for extra in pull(pulling, block):
                    if self.pulled < MAX_PULLED and self._is_new(extra, counted=False):
                        self.pulled += self._put_some(extra, min(within, self.budget))

    def _is_new(self, block: ContextBlock, *, counted: bool = True) -> bool:
        end = block.span.end if block.span else 0
        if any(covers(known, block.anchor, end) for known, _ in self.placed):
            return False
        repeats = _plain(block.text) in self.texts
        self.repeated += repeats and counted
        return not repeats

    def _put_some(self, block: ContextBlock, within: int) -> bool:
        """Place the block, or as many of its sentences as fit."""
        if self._put(block, within):
            return True
        for part in shorter(block):
            assert part.span is not None
            if any(covers(known, part.anchor, part.span.end) for known, _ in self.placed):
                return False
            if self._put(part, within):
                self.cut += 1
                return True
        return False

    def _put(self, block: ContextBlock, within: int) -> bool:
        """Place the block if it fits, as one with those that it touches."""
        touched = [known for known, _ in self.placed if touches(known, block)]
        others = [pair for pair in self.placed if not touches(pair[0], block)]
        whole = joined(block, touched)
        room = within - sum(known for _, known in others)
        # Its text alone first: looking up its place takes longer.
        if count_tokens(whole.text) > room or (tokens := cost(whole)) > room:
            return False
        self.placed = [*others, (whole, tokens)]
        self.texts.add(_plain(block.text))
        return True


def _plain(text: str) -> str:
    return " ".join(text.split())


# --- what comes back ------------------------------------------------------------------------------------------


def _context(found: Trace, draft: _Draft, options: ContextOptions) -> Context:
    blocks = draft.blocks
    text = "\n\n".join(render(block, number) for number, block in enumerate(blocks, start=1))
    answer = found.answer
    return Context(
        text=text,
        sources=tuple(_source(block, blocks) for block in blocks),
        tokens=count_tokens(text),
        max_tokens=options.max_tokens,
        read_contexts=answer.read_contexts,
        legs=answer.legs,
        notes=(*answer.notes, *_notes(draft)),
        absence=answer.absence,
    )


def _source(block: ContextBlock, blocks: Sequence[ContextBlock]) -> ContextSource:
    version = block.located.version
    reasons = [_told(reason, blocks) for reason in block.reasons]
    more = f"; and {len(reasons) - MAX_REASONS} more" if len(reasons) > MAX_REASONS else ""
    why = "; ".join(reasons[:MAX_REASONS]) + more
    name = version.content.name
    return ContextSource(
        version.scope, version.element_id, name, version.version_id, block.citation, block.relevance, why
    )


def _told(reason: Reason, blocks: Sequence[ContextBlock]) -> str:
    if reason.serves is None:
        return reason.text
    key, at = reason.serves
    number = next(n for n, block in enumerate(blocks, start=1) if covers(block, (key, at), at))
    return f"{reason.text} [{number}]"


def _notes(draft: _Draft) -> list[str]:
    notes = []
    if draft.left_out and not draft.placed:
        least = min((cost(part) for block in draft.left_out for part in (block, *shorter(block))), default=0)
        notes.append(
            f"no passage fits into {draft.budget} tokens together with its citation; the shortest takes {least}"
        )
    elif draft.left_out:
        notes.append(f"{len(draft.left_out)} passages do not fit into {draft.budget} tokens and are left out")
    if draft.cut:
        notes.append(f"{draft.cut} cut at the end of a sentence")
    if draft.repeated:
        notes.append(f"{draft.repeated} that say the same as another are left out")
    return notes
