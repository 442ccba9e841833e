"""The wire: one JSON shape for every door (REQUIREMENTS §4). Nothing is decided here.

What only some kinds have (`layer`, `source_path` …) comes from `describe`, which every shape that holds a passage is
given: `Library.describe`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

from pincite.catalog.resolve import to_iso
from pincite.ingest.report import IngestReport
from pincite.protocols.kind import Described
from pincite.queries import IndexStatus
from pincite.search.compare import CHANGES, Compared, Comparison, Standing
from pincite.search.context import Context, ContextSource
from pincite.search.get import OpenedPassage
from pincite.search.history import Life
from pincite.search.look_up import LookedUp
from pincite.search.query import Answer, DefinedTerm, Hit, Passage, Scored
from pincite.search.references import Reference
from pincite.search.verify import CheckedQuote, Verdict
from pincite.search.why_not import WhyNotReport
from pincite.types import FOREVER, Baseline, ElementChange, RepositoryInfo, Revision
from pincite.upkeep.archive import Backup
from pincite.upkeep.health import Finding, Health

SCORE_SCALE = (
    "0 to 1: 1 for an exact identifier, otherwise the weighted mean of how much of the query's words a passage holds"
    " and how near it is in meaning, the latter as far as the model can tell the passages of this library apart;"
    " where a reranker takes part, its judgement of the best passages is blended in"
)

Json = dict[str, Any]
OF_KINDS = ("layer", "source_path", "file_type")
"""Places on the wire that a kind fills; what else it shows stands among the metadata."""
Describe = Callable[[Passage], Described]
"""How the kind of a place describes it."""


def answer(given: Answer, describe: Describe) -> Json:
    """The response of a search."""
    out: Json = {
        "results": [hit(item, describe) for item in given.hits],
        "read_context": _contexts(given.read_contexts),
        "legs": [asdict(leg) | {"reason": leg.reason or None} for leg in given.legs],
        "total": given.total,
        "total_is_lower_bound": given.total_is_lower_bound,
        "next_cursor": given.next_cursor or None,
        "replay": dict(given.replay),
        "score_scale": SCORE_SCALE,
        "notes": list(given.notes),
    }
    if given.absence:
        out["absence"] = given.absence
    return out


def _contexts(contexts: Sequence[Any]) -> Json:
    """The echo of one repository, or of several by name."""
    if len(contexts) == 1:
        return dict(contexts[0])
    return {"repositories": {str(echo["repository_id"]): dict(echo) for echo in contexts}}


def hit(given: Hit, describe: Describe) -> Json:
    return passage(given.passage, describe) | {
        "score": given.score,
        "read_context": dict(given.read_context),
        "scores": {
            "semantic": given.legs["dense"].score if "dense" in given.legs else None,
            "keyword": given.legs["keyword"].score if "keyword" in given.legs else None,
            "exact": given.legs["exact"].score if "exact" in given.legs else None,
            "graph": given.legs["graph"].score if "graph" in given.legs else None,
            "rerank": given.legs["rerank"].score if "rerank" in given.legs else None,
        },
        "passages": [_scored(item, describe) for item in given.passages],
        "definitions": [_defined(item) for item in given.definitions],
        "signals": dict(given.signals),
        "explain": {name: _leg(score) for name, score in given.legs.items()},
    }


def _defined(given: DefinedTerm) -> Json:
    """A term's meaning with its own citation; `within` are the headings below which it holds."""
    return {
        "term": given.term,
        "text": given.text,
        "citation": given.citation,
        "scope": given.scope,
        "within": list(given.within) or None,
    }


def looked_up(given: LookedUp) -> Json:
    """What a term means, document by document."""
    return {
        "term": given.term,
        "definitions": [
            _defined(item.defined)
            | {
                "element_id": item.element_id,
                "repository_id": item.scope.repository,
                "element_name": item.element_name,
                "version_id": item.version_id,
                "section_id": item.section_id or None,
                "parent_chain": list(item.parent_chain),
                "language": item.language or None,
            }
            for item in given.found
        ],
        "conflicts": given.conflicts,
        "nearest": list(given.nearest),
        "read_context": _contexts(given.read_contexts),
    }


def _leg(given: Any) -> Json:
    return {
        "rank": given.rank,
        "score": given.score,
        "raw": given.raw,
        "elsewhere": given.elsewhere or None,
        "chunk_index": given.chunk,
        "window": given.window if given.window >= 0 else None,
        "window_text": given.window_text or None,
        "matched": [asdict(item) | {"terms": list(item.terms)} for item in given.matched],
    }


def _scored(given: Scored, describe: Describe) -> Json:
    """A passage of a hit's element; what is the same for all of the element stands in the hit."""
    place = passage(given.passage, describe)
    own = (
        "version_id", "citation", "citation_text", "content", "context", "span", "section_id", "parent_chain",
        "chunk_index", "chunk_type", "language", "page",
    )  # fmt: skip
    return {name: place[name] for name in own} | {"score": given.score, "legs": dict(given.legs)}


def passage(given: Passage, describe: Describe) -> Json:
    """A place with everything that identifies it, and what its kind says of it."""
    described = describe(given)
    place: Json = {
        "element_id": given.element_id,
        "repository_id": given.scope.repository,
        "element_name": given.content.name,
        "element_type": given.content.element_type,
        "kind": given.content.kind,
        "layer": None,
        "version_id": given.version_id,
        "citation": given.citation,
        "citation_text": described.citation,
        "content": given.text,
        "context": given.context,
        "span": [given.span.start, given.span.end] if given.span else None,
        "section_id": given.section_id or None,
        "parent_chain": list(given.parent_chain),
        "source_path": None,
        "file_type": None,
        "chunk_index": given.chunk,
        "chunk_type": given.chunk_type,
        "language": given.language or None,
        "page": given.page,
    }
    own = {name: value for name, value in described.fields.items() if name in OF_KINDS}
    more = {name: value for name, value in described.fields.items() if name not in OF_KINDS}
    kept = {key: value for key, value in given.content.metadata.items() if key not in described.moved}
    return place | own | {"metadata": kept | more}


def found(given: OpenedPassage, describe: Describe) -> Json:
    return passage(given.passage, describe) | {
        "read_context": dict(given.read_context),
        "current": given.current,
        "before": [passage(item, describe) for item in given.before],
        "after": [passage(item, describe) for item in given.after],
    }


def verdict(given: Verdict, describe: Describe) -> Json:
    return {
        "status": given.status,
        "message": given.message,
        "quote": given.quote,
        "similarity": given.similarity,
        "difference": [asdict(edit) for edit in given.edits],
        "source": passage(given.passage, describe) if given.passage else None,
        "citation": given.passage.citation if given.passage else None,
        "superseded_by": given.superseded_by or None,
        "still_there": given.still_there,
        "also_in": list(given.also_in),
    }


def checked_draft(given: Sequence[CheckedQuote], describe: Describe) -> Json:
    """The response of verifyCitations: a verdict per quote, and how many there are of each."""
    counts: dict[str, int] = {}
    for item in given:
        counts[item.verdict.status] = counts.get(item.verdict.status, 0) + 1
    return {
        "verdicts": [_checked_quote(item, describe) for item in given],
        "total": len(given),
        "counts": counts,
        "all_verified": bool(given) and counts.get("verified", 0) == len(given),
        "notes": [] if given else ["nothing is quoted in the text: put quoted words in quotation marks"],
    }


def _checked_quote(given: CheckedQuote, describe: Describe) -> Json:
    span = given.quotation.span
    return verdict(given.verdict, describe) | {
        "cited": given.quotation.citation or None,
        "draft_span": [span.start, span.end] if span else None,
    }


def life(given: Life) -> Json:
    lifetime = given.lifetime
    return {
        "element_id": lifetime.element_id,
        "element_name": given.name,
        "version_id": lifetime.version_id,
        "citation": given.citation,
        "recipe": lifetime.recipe,
        "born": revision(given.born),
        "died": revision(given.died) if given.died else None,
        "current": lifetime.died == FOREVER,
        "valid_from": lifetime.valid_from.isoformat() if lifetime.valid_from else None,
        "valid_to": lifetime.valid_to.isoformat() if lifetime.valid_to else None,
        "roles": sorted(lifetime.roles),
    }


def revision(given: Revision) -> Json:
    return {"revision": given.number, "time": to_iso(given.time), "message": given.message, "author": given.author}


def change(given: ElementChange) -> Json:
    return {
        "element_id": given.element_id,
        "element_name": given.name,
        "change": given.change,
        "before": list(given.before),
        "after": list(given.after),
    }


def baseline(given: Baseline) -> Json:
    return {
        "baseline_id": given.name,
        "revision": given.revision,
        "created": to_iso(given.created),
        "author": given.author,
        "note": given.note,
        "published": given.published,
    }


def ingest_report(given: IngestReport) -> Json:
    return asdict(given) | {
        "failed": [asdict(item) for item in given.failed],
        "skipped": [asdict(item) for item in given.skipped],
        "notes": list(given.notes),
    }


def backup(given: Backup) -> Json:
    return {"path": str(given.path), "files": given.files, "bytes": given.bytes, "seconds": given.seconds}


def repository_status(info: RepositoryInfo, index: IndexStatus) -> Json:
    return {
        "repository_id": info.scope.repository,
        "tenant": info.scope.tenant,
        "organization": info.scope.organization,
        "head": info.head,
        "index": {
            "engine": index.engine,
            "generation": index.generation or None,
            "revision": index.revision,
            "lag": max(0, info.head - index.revision),
            "chunks": index.chunks,
            "analyser": index.analyser,
            "segments": [asdict(segment) for segment in index.segments],
            "problem": index.problem or None,
        },
    }


def health(given: Health) -> Json:
    return {
        "ok": given.ok,
        "findings": [finding(item) for item in given.findings],
        "repositories": [
            repository_status(item.info, item.index) | {"findings": [finding(f) for f in item.findings]}
            for item in given.repositories
        ],
    }


def finding(given: Finding) -> Json:
    return {
        "what": given.what,
        "status": given.status,
        "detail": given.detail,
        "advice": given.advice or None,
        "ms": given.ms,
    }


def why_not(given: WhyNotReport) -> Json:
    """Where an element stands in an answer, and why not higher."""
    return {
        "element_id": given.element_id,
        "query": given.query,
        "verdict": given.verdict,
        "message": given.message,
        "rank": given.rank,
        "score": given.score,
        "limit": given.limit,
        "legs": {leg: _standing(score) if score else None for leg, score in given.legs.items()},
        "filters": list(given.filters),
        "lacks": list(given.lacks),
        "citation": given.citation or None,
        "read_context": _contexts(given.read_contexts),
        "notes": list(given.notes),
    }


def _standing(given: Any) -> Json:
    return {"rank": given.rank, "score": given.score}


def comparison(given: Comparison) -> Json:
    """The same query in two states."""
    return {
        "query": given.query,
        "limit": given.limit,
        "from": _contexts(given.before),
        "to": _contexts(given.after),
        **{change: [_compared(hit) for hit in given.of(change)] for change in CHANGES},
        "legs": {"from": _legs(given.legs_before), "to": _legs(given.legs_after)},
        "notes": list(given.notes),
    }


def _compared(given: Compared) -> Json:
    return {
        "element_id": given.element_id,
        "repository_id": given.scope.repository,
        "element_name": given.name,
        "before": _side(given.before) if given.before else None,
        "after": _side(given.after) if given.after else None,
        "why": given.why or None,
    }


def _side(given: Standing) -> Json:
    return _standing(given) | {
        "version_id": given.passage.version_id,
        "citation": given.passage.citation,
        "content": given.passage.text,
    }


def context(given: Context) -> Json:
    """The response of getContext."""
    out: Json = {
        "context": given.text,
        "sources": [_source(item) for item in given.sources],
        "tokens": given.tokens,
        "max_tokens": given.max_tokens,
        "read_context": _contexts(given.read_contexts),
        "legs": _legs(given.legs),
        "notes": list(given.notes),
    }
    if given.absence:
        out["absence"] = given.absence
    return out


def _source(given: ContextSource) -> Json:
    return {
        "element_id": given.element_id,
        "element_name": given.element_name,
        "repository_id": given.scope.repository,
        "version_id": given.version_id,
        "citation": given.citation,
        "relevance": given.relevance,
        "why_included": given.why_included,
    }


_PERHAPS_REFERENCED = ("source_section", "target_section", "target_citation", "reason")


def references(given: Sequence[Reference]) -> Json:
    """What refers to what."""
    return {
        "references": [
            asdict(item) | {name: getattr(item, name) or None for name in _PERHAPS_REFERENCED} for item in given
        ],
        "total": len(given),
        "unresolved": sum(item.status == "unresolved" for item in given),
    }


def _legs(given: Sequence[Any]) -> list[Json]:
    return [asdict(leg) | {"reason": leg.reason or None} for leg in given]
