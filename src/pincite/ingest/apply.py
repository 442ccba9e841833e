"""The one tail of every write: changes become a commit, and the index follows. Nothing else commits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pincite import telemetry
from pincite.bookkeeping import SourceChange
from pincite.errors import HeadMoved
from pincite.ingest.around import Rederived, looking_around, rederive
from pincite.protocols import Catalog, Kind, Projection
from pincite.types import Change, Commit, Committed, Scope

ATTEMPTS = 5
"""At changes that depend on what lies around them, should others commit meanwhile."""


def apply(
    catalog: Catalog,
    index: Projection,
    scope: Scope,
    changes: Sequence[Change],
    *,
    author: str = "",
    message: str = "",
    message_ids: Sequence[str] = (),
    sources: Sequence[SourceChange] = (),
    expected_head: int | None = None,
    kinds: Sequence[Kind] = (),
    advance: bool = True,
) -> Committed:
    """Commit the changes in one transaction, then let the index advance to them. One outcome for each change.

    `sources` is remembered in the same transaction. With `expected_head` the commit is refused (`HeadMoved`) if another
    one came first. `kinds`: those of the library; where passages of one look at neighbours, what the changes affect is
    derived again, in the same transaction. `advance=False` for each of several commits but the last: what is committed
    can be read by id at once, and is found after the index has advanced.
    """
    commit = Commit(tuple(changes), author, message, tuple(message_ids), tuple(sources), expected_head)
    with telemetry.stage(telemetry.INGEST, "commit") as span:
        span.set({telemetry.CHANGES: len(commit.changes)})
        looking = looking_around(kinds)
        made = _commit_around(catalog, scope, commit, looking) if looking else catalog.commits.commit(scope, commit)
    if advance:
        with telemetry.stage(telemetry.INGEST, "index"):
            index.advance(scope)
    return made


def _commit_around(catalog: Catalog, scope: Scope, commit: Commit, kinds: Mapping[str, Kind]) -> Committed:
    """Commit with what lies around the changes; from the beginning, if the head moves in between."""
    for attempt in range(1, ATTEMPTS + 1):
        head, found = _rederived(catalog, scope, commit.changes, kinds)
        if commit.expected_head is not None:
            head = commit.expected_head
        try:
            made = catalog.commits.commit(scope, replace(commit, changes=found.changes, expected_head=head))
        except HeadMoved:
            if commit.expected_head is not None or attempt == ATTEMPTS:
                raise
        else:
            break
    outcomes = made.outcomes[: len(commit.changes)]
    if made.changed and any(outcome.status == "duplicate" for outcome in outcomes):
        # What was skipped was not put as it was assumed here, so what lies around is derived from what is there.
        _, found = _rederived(catalog, scope, (), kinds, found.touched)
        again = catalog.commits.commit(scope, Commit(found.changes, commit.author, commit.message))
        made = replace(made, revision=again.revision)
    return replace(made, outcomes=outcomes)


def _rederived(
    catalog: Catalog,
    scope: Scope,
    changes: Sequence[Change],
    kinds: Mapping[str, Kind],
    touched: frozenset[str] = frozenset(),
) -> tuple[int, Rederived]:
    """The head, and the changes as they are to be committed upon it."""
    with catalog.session(scope.tenant) as session:
        info = session.repositories.get(scope)
        head = info.head if info else 0
        return head, rederive(session, scope, head, changes, kinds, touched)
