"""Nothing that a caller may not read changes an answer; skipped where an engine declares that it may."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from pincite.testing.index.opened import Opened
from pincite.testing.index.shelf import DAY, SCOPE, SIBLING, Shelf, answers, fill, page, put
from pincite.types import Scope


class Isolation(Opened):
    """Scores depend on what is visible."""

    @pytest.mark.parametrize(
        "elsewhere",
        [replace(SCOPE, tenant="other"), replace(SCOPE, organization="other"), SIBLING],
        ids=["tenant", "organization", "repository"],
    )
    def test_what_others_store_changes_no_answer(self, isolated: Shelf, elsewhere: Scope) -> None:
        shelf = isolated
        fill(shelf)
        before = answers(shelf)
        shelf.add(
            *(put(f"x{n}", page("dog dog cat court", metadata={"secret": n})) for n in range(20)), scope=elsewhere
        )
        shelf.add(put("a", page("dog dog Hundebiss", language="de")), scope=elsewhere)
        _embed(shelf, elsewhere)
        assert answers(shelf) == before

    def test_what_roles_hide_changes_no_answer(self, isolated: Shelf) -> None:
        shelf = isolated
        fill(shelf)
        before = answers(shelf, roles=("clerk",))
        hidden = [
            page("dog dog cat secret", roles=("judge",), metadata={"secret": "x"}, language="de") for _ in range(9)
        ]
        shelf.add(*(put(f"x{n}", state) for n, state in enumerate(hidden)))
        _embed(shelf)
        assert answers(shelf, roles=("clerk",)) == before
        assert answers(shelf) != before, "those who may read it find it"

    def test_what_is_not_in_force_changes_no_answer(self, isolated: Shelf) -> None:
        shelf = isolated
        fill(shelf)
        before = answers(shelf)
        shelf.add(put("x", page("dog dog cat secret", end=DAY)), put("y", page("dog", start=date(2026, 2, 1))))
        _embed(shelf)
        assert answers(shelf) == before


def _embed(shelf: Shelf, scope: Scope = SCOPE) -> None:
    if shelf.index.features.dense:
        shelf.embed(scope)
