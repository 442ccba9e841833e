"""Replay: the question behind an answer, asked again of the same state, gives the same answer to the last bit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

from pincite.errors import Conflict, PermissionDenied
from pincite.protocols import Embedder, OpenKinds
from pincite.queries import Scoring
from pincite.search.cursor import TOKEN, Bookmark, plain, seal, unknown_note, unseal
from pincite.search.query import LegReport, Meaning, Query, Reader
from pincite.search.reranking import MODES, Reranking, RerankPin
from pincite.search.rrf import Ranks
from pincite.search.syntax import READING, is_read_alike
from pincite.search.understood import Understood
from pincite.search.weights import load_ranking
from pincite.text.words import ANALYSER
from pincite.types import JsonValue, ReadContext, Scope, View

NO_REPLAY = "the index of this library does not keep answers as they were; index: segments does"


def replay_note(reader: Reader, query: Query, bookmark: Bookmark, legs: Sequence[LegReport]) -> dict[str, JsonValue]:
    """What an answer says about its replay: the token, and whether the answer must be the same."""
    if not reader.index.features.replay:
        return {"token": "", "replayable": False, "reason": NO_REPLAY}
    note = bookmark.to_json() | {
        "query": plain(replace(query, cursor="")),
        "scoring": plain(reader.scoring),
        "ranking": plain(reader.ranking),
        "ranks": plain(reader.ranks) if reader.ranks else None,
        "model": reader.meaning.fingerprint,
        "kinds": reader.kinds.rankings,
        "analyser": ANALYSER,
        "reading": READING,
        "place": [reader.tenant, reader.organization],
        "roles": None if reader.roles is None else sorted(reader.roles),
    }
    incomplete = [leg.name for leg in legs if leg.status in ("partial", "unavailable")]
    note["complete"] = not incomplete
    reason = f"incomplete: {', '.join(incomplete)}" if incomplete else _varies(reader, legs)
    token = seal(note, TOKEN, reader.catalog.library_id)
    out: dict[str, JsonValue] = {"token": token, "replayable": not reason}
    return out | {"reason": reason} if reason else out


def _varies(reader: Reader, legs: Sequence[LegReport]) -> str:
    """Why the same legs may answer differently; empty if they may not. What the embedder said is in the token."""
    reranker = reader.reranking.reranker
    judged = any(leg.name == "rerank" and leg.status == "ok" for leg in legs)
    if reranker is None or not judged or reranker.deterministic:
        return ""
    return f"{reranker.name} may judge differently when it is asked again"


def require_whole(reader: Reader, token: str, legs: Sequence[LegReport]) -> None:
    """`Conflict` if all legs answered then and one cannot in full now: the answer would be another."""
    missing = [f"{leg.name} ({leg.reason})" for leg in legs if leg.status in ("partial", "unavailable")]
    if missing and unseal(token, TOKEN, reader.catalog.library_id).get("complete"):
        raise Conflict(
            f"the answer came from legs that cannot answer in full now: {', '.join(missing)}; fix that, or ask the"
            " question again",
            field="token",
        )


def with_model_behind(reader: Reader, token: str, find: Callable[[str], Embedder | None]) -> Reader:
    """The reader with the model that the answer was computed with, which may be in use no longer.

    `find` opens a model by fingerprint. `Conflict` when the model or its vectors are gone.
    """
    note = _opened(reader, token)
    wanted = note["model"]
    said = Bookmark.from_json(note).said
    if said is not None:
        return _as_said(reader, note, said, find)
    if reader.meaning.embedder is None or wanted == reader.meaning.fingerprint or not _asks_meaning(note):
        return reader
    if not wanted:
        return replace(reader, meaning=Meaning(off="the answer was computed without vectors"))
    embedder = find(wanted)
    if embedder is None:
        raise Conflict(
            f"the answer was computed with a model that cannot be opened here any more ({wanted}); make it available,"
            " or ask the question again",
            field="token",
        )
    _require_vectors(reader, note, wanted, embedder.name)
    return replace(reader, meaning=replace(reader.meaning, embedder=embedder, note=""))


def _as_said(
    reader: Reader, note: Mapping[str, Any], said: Understood, find: Callable[[str], Embedder | None]
) -> Reader:
    """The reader with what the model said then. The model itself only cuts passages, where they are explained."""
    now = reader.meaning
    embedder = now.embedder
    if now.fingerprint != said.fingerprint:
        embedder = find(said.fingerprint)
        _require_vectors(reader, note, said.fingerprint, embedder.name if embedder else said.fingerprint)
    return replace(reader, meaning=now.as_said(said, embedder))


def _require_vectors(reader: Reader, note: Mapping[str, Any], wanted: str, name: str) -> None:
    views = [
        View(Scope(reader.tenant, reader.organization, repository), pin.revision, date.fromisoformat(pin.valid_at))
        for repository, pin in Bookmark.from_json(note).pins.items()
    ]
    if not reader.index.has_vectors(views, wanted):
        raise Conflict(
            f"the answer was computed with {name}, whose vectors have been removed from this library; ask the"
            " question again",
            field="token",
        )


def _opened(reader: Reader, token: str) -> dict[str, Any]:
    """What the token says, if it was given out where the caller is, about repositories that they may read."""
    note = unseal(token, TOKEN, reader.catalog.library_id)
    if note["place"] != [reader.tenant, reader.organization]:
        raise unknown_note(TOKEN)
    if reader.readable is not None and not note["pins"].keys() <= reader.readable:
        raise PermissionDenied("the answer was given to somebody who may read more repositories", field="token")
    return note


def _asks_meaning(note: Mapping[str, Any]) -> bool:
    return note["query"]["mode"] in ("hybrid", "semantic")


def open_replay(reader: Reader, token: str) -> tuple[Reader, Query, Bookmark]:
    """Who asked, what, and of which state. A token never shows more than the caller's own roles do."""
    if not reader.index.features.replay:
        raise Conflict(f"the answer cannot be given again: {NO_REPLAY}", field="token")
    note = _opened(reader, token)
    if note["analyser"] != ANALYSER:
        raise Conflict(
            f"the answer was computed by another analyser ({note['analyser']}, now {ANALYSER}); ask the question again",
            field="token",
        )
    if not is_read_alike(note["query"]["text"], note.get("reading", 1)):
        raise Conflict(
            "the question was read in another way then (quotation marks, hyphens, exclusions); ask it again",
            field="token",
        )
    if _asks_meaning(note) and note["model"] != reader.meaning.fingerprint:
        raise Conflict(
            f"the answer was computed with {note['model'] or 'no vectors'}, now it would be with"
            f" {reader.meaning.fingerprint or 'none'}; choose that model, or ask the question again",
            field="token",
        )
    ranking = load_ranking(note["ranking"])
    asked_by = replace(
        reader,
        roles=_roles(reader, note["roles"]),
        scoring=Scoring(**note["scoring"]),
        ranking=ranking,
        reranking=_reranking(reader, ranking.reranker, note["query"]["mode"]),
        ranks=Ranks(**note["ranks"]) if note.get("ranks") else None,
        kinds=_kinds(reader.kinds, note.get("kinds")),
    )
    return asked_by, _query(note["query"]), Bookmark.from_json(note)


def _kinds(open_now: OpenKinds, pinned: Mapping[str, str] | None) -> OpenKinds:
    """The kinds behind the answer; one that has come since has no say in it."""
    if pinned is None:  # a token from before there were kinds to pin
        return open_now
    for name, ranking in pinned.items():
        now = open_now.rankings.get(name)
        if now != ranking:
            gone = "is not installed any more" if now is None else "ranks in another way now"
            raise Conflict(
                f"the answer was computed with the kind {name!r}, which {gone}; ask the question again", field="token"
            )
    return open_now.only(pinned)


def _reranking(reader: Reader, pin: RerankPin | None, mode: str) -> Reranking:
    """The reranker behind the answer, whatever its gate says today; none where none took part."""
    if pin is None:
        return Reranking()
    now = reader.reranking.fingerprint
    if mode in MODES and now != pin.fingerprint:
        raise Conflict(
            f"the answer was reranked by {pin.fingerprint}, now there is {now or 'no reranker'}"
            f"{f' ({reader.reranking.off})' if reader.reranking.off and not now else ''}; name that model under"
            " reranker.model, or ask the question again",
            field="token",
        )
    return reader.reranking


def _roles(reader: Reader, given: Sequence[str] | None) -> frozenset[str] | None:
    """The roles of the original caller: the caller must have them all, the owner has."""
    roles = None if given is None else frozenset(given)
    if reader.roles is not None and (roles is None or not roles <= reader.roles):
        raise PermissionDenied("the answer was given to roles that you do not have", field="token")
    return roles


def _query(fields: Mapping[str, Any]) -> Query:
    context = fields["read_context"]
    return Query(
        **{
            **fields,
            "repositories": tuple(fields["repositories"]),
            "read_context": ReadContext(**context) if context else None,
        }
    )
