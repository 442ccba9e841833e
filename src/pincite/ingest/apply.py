"""The one tail of every write: changes become a commit, and the index follows. Nothing else commits."""

from __future__ import annotations

from collections.abc import Sequence

from pincite import telemetry
from pincite.bookkeeping import SourceChange
from pincite.protocols import Catalog, Projection
from pincite.types import Change, Commit, Committed, Scope


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
    advance: bool = True,
) -> Committed:
    """Commit the changes in one transaction, then let the index advance to them.

    `sources` is remembered in the same transaction. With `expected_head` the commit is refused (`HeadMoved`) if another
    one came first. `advance=False` for each of several commits but the last: what is committed can be read by id at
    once, and is found after the index has advanced.
    """
    commit = Commit(tuple(changes), author, message, tuple(message_ids), tuple(sources), expected_head)
    with telemetry.stage(telemetry.INGEST, "commit") as span:
        span.set({telemetry.CHANGES: len(commit.changes)})
        made = catalog.commits.commit(scope, commit)
    if advance:
        with telemetry.stage(telemetry.INGEST, "index"):
            index.advance(scope)
    return made
