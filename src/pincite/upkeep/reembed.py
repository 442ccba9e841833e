"""Moving to another embedding model without a gap: embed next to the old vectors, judge, switch, clean up.

Until the switch every question uses the old model; after it, in every process, the new one. Old vectors stay until
they are dropped explicitly, because answers that used them can be replayed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from pincite.bookkeeping import EmbeddingModel, Forgotten
from pincite.errors import Conflict
from pincite.ingest.embed import EmbedOptions, EmbedReport, embed
from pincite.ingest.report import Progress, silent
from pincite.models.in_use import lasting_name
from pincite.protocols import Catalog, Embedder, Index, Lexicon
from pincite.types import FOREVER, Scope

MAX_NAMED = 10

Judge = Callable[[Embedder], tuple[str, ...]]
"""Asks the golden queries with a model; returns the judged repositories. Raises `Refused` if they get worse."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """A model whose vectors were removed."""

    model: str
    removed: Forgotten


@dataclass(frozen=True, slots=True)
class ReindexReport:
    """The result of a move to another model."""

    model: str
    before: str
    """The model that was in use; empty if unknown."""
    embedded: EmbedReport
    switched: bool = False
    """Whether the library uses another model than before."""
    reason: str = ""
    """Why the old model stays in use; empty if it does not, or if it was already this one."""
    gated: tuple[str, ...] = ()
    """Repositories whose golden queries were asked."""
    dropped: tuple[Dropped, ...] = ()

    @property
    def in_use(self) -> bool:
        """Whether the library now uses the model."""
        return not self.reason


def move(
    catalog: Catalog,
    index: Index,
    lexicon: Lexicon,
    scopes: Sequence[Scope],
    embedder: Embedder,
    before: EmbeddingModel | None,
    judge: Judge,
    *,
    force: bool = False,
    progress: Progress = silent,
) -> ReindexReport:
    """Embed the texts of the repositories, and switch to the model if all texts of the library have vectors.

    Can be killed and run again: finished vectors stay. `force` switches even if texts lack vectors; it does not skip
    the gate.
    """
    target = EmbeddingModel(lasting_name(embedder.name), embedder.fingerprint)
    old = before.name if before else ""
    made = _embed(catalog, index, lexicon, scopes, embedder, progress)
    if before and before.fingerprint == target.fingerprint:
        _switch(catalog, target, before)
        return ReindexReport(target.name, old, made)
    if (reason := _lacking(catalog, embedder)) and not force:
        return ReindexReport(target.name, old, made, reason=reason)
    gated = judge(embedder)
    # Texts committed while the golden queries were asked would otherwise have no vectors at first.
    made = _added(made, _embed(catalog, index, lexicon, scopes, embedder, progress))
    switched = _switch(catalog, target, before)
    made = _added(made, _embed(catalog, index, lexicon, scopes, embedder, progress))
    return ReindexReport(target.name, old, made, switched=switched, gated=gated)


def require_droppable(catalog: Catalog, kept: Iterable[str], before: EmbeddingModel | None) -> None:
    """`Conflict` with their names if baselines were made under a model that would lose its vectors.

    `kept`: fingerprints of models that stay. `before`: the model in use while none is recorded.
    """
    with catalog.operator() as operator:
        history = operator.models.history() or ((before,) if before else ())
        old = set(operator.models.stored()) - set(kept)
        ends = [model.since for model in history[1:]] + [FOREVER]
        made_under = [
            f"{baseline.name!r} of {info.scope.repository} ({model.name})"
            for info in operator.repositories.all()
            for baseline in operator.baselines.list(info.scope)
            for model, end in zip(history, ends, strict=True)
            if model.fingerprint in old and model.since <= baseline.created < end
        ]
    if made_under:
        more = f" and {len(made_under) - MAX_NAMED} more" if len(made_under) > MAX_NAMED else ""
        raise Conflict(
            f"baselines were made while another model was in use: {', '.join(made_under[:MAX_NAMED])}{more}; answers of"
            " that time can be replayed only with its vectors, so these are kept; remove them anyway with: --force"
        )


def drop_all_but(catalog: Catalog, index: Index, lexicon: Lexicon, kept: Iterable[str]) -> tuple[Dropped, ...]:
    """Remove vectors and jobs of all models except those to keep; index first, so that a killed run can be repeated."""
    with catalog.operator() as operator:
        used, history = operator.models.in_use(), operator.models.history()
        stored, infos = operator.models.stored(), operator.repositories.all()
    if used is None:
        raise Conflict(
            "no model is recorded as in use, so none is known to be old; record one with:"
            " pincite reindex --embeddings --model M"
        )
    names = {model.fingerprint: model.name for model in history}
    out = []
    for fingerprint in stored:
        if fingerprint in {*kept, used.fingerprint}:
            continue
        for info in infos:
            index.drop_vectors(info.scope, fingerprint)
            lexicon.forget(info.scope, fingerprint)
        with catalog.operator() as operator:
            forgotten = operator.models.forget(fingerprint)
        out.append(Dropped(names.get(fingerprint, fingerprint), forgotten))
    return tuple(out)


def _switch(catalog: Catalog, target: EmbeddingModel, before: EmbeddingModel | None) -> bool:
    with catalog.operator() as operator:
        return operator.models.switch(target, instead_of=before)


def _embed(
    catalog: Catalog, index: Index, lexicon: Lexicon, scopes: Sequence[Scope], embedder: Embedder, progress: Progress
) -> EmbedReport:
    for scope in scopes:
        index.advance(scope)
    return embed(catalog, index, scopes, embedder, EmbedOptions(), progress, lexicon=lexicon)


def _added(first: EmbedReport, second: EmbedReport) -> EmbedReport:
    """Both rounds as one: work is added up, states are those after the second."""
    return replace(
        second,
        embedded=first.embedded + second.embedded,
        already_there=first.already_there + second.already_there,
        failed=first.failed + second.failed,
        seconds=round(first.seconds + second.seconds, 3),
    )


def _lacking(catalog: Catalog, embedder: Embedder) -> str:
    """Which texts of the whole library lack vectors of the model, and what to do; empty if none."""
    with catalog.operator() as operator:
        counts = operator.queue.totals(embedder.fingerprint)
        infos = operator.repositories.all()
        left = [i.scope.repository for i in infos if operator.queue.enqueued(i.scope, embedder.fingerprint) < i.head]
    waiting = counts["waiting"] + counts["claimed"]
    lacks = []
    if counts["parked"]:
        lacks.append(
            f"{counts['parked']} text(s) failed too often (retry them with: pincite embed --model {embedder.name}"
            " --retry-parked)"
        )
    if waiting:
        lacks.append(f"{waiting} text(s) still wait (run it again)")
    if left:
        named = ", ".join(left[:MAX_NAMED]) + (" …" if len(left) > MAX_NAMED else "")
        lacks.append(f"not embedded yet: {named} (run it without --repository)")
    return f"{'; '.join(lacks)}; to switch anyway: --force" if lacks else ""
