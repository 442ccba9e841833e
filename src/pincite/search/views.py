"""Views: what an answer was read from, so that a follow-up reads exactly the same."""

from __future__ import annotations

from datetime import date

from pincite.search.query import Answer, Reader
from pincite.types import Scope, View


def views_of(reader: Reader, answer: Answer) -> dict[Scope, View]:
    """The view of each repository that the answer was read in, from its echo."""
    out = {}
    for echo in answer.read_contexts:
        scope = Scope(reader.tenant, reader.organization, str(echo["repository_id"]))
        revision = echo["revision"]
        assert isinstance(revision, int)
        out[scope] = View(scope, revision, date.fromisoformat(str(echo["valid_at"])), reader.roles)
    return out
