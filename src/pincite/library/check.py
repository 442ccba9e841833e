"""Checking quotes: one at its citation, or all of a draft."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from pincite.citation import Citation
from pincite.errors import (
    InvalidArgument,
)
from pincite.library.asked import ReadContextGiven, names_of, read_context_of
from pincite.library.opened import OpenLibrary
from pincite.search.verify import CheckedQuote, Verdict, verify
from pincite.text.quotations import Quotation, quotations


class Checking(OpenLibrary):
    """`verify`, `verify_draft`."""

    def verify(
        self,
        quote: str,
        citation: str = "",
        *,
        repository: str | Sequence[str] = (),
        read_context: ReadContextGiven = None,
        valid_at: str | date = "",
    ) -> Verdict:
        """Whether a quote is where its citation says: verified, altered, superseded, erased or not found."""
        cited = Citation.parse(citation) if citation else None
        scopes = [cited.scope] if cited else self._reader().scopes(names_of(repository))
        scopes = [scope for scope in scopes if not cited or self._is_mine(scope)]
        if not cited:
            self._catch_up(names_of(repository))
        with self._session() as session:
            views = [
                self._resolve(session, scope, read_context_of(read_context), valid_at, by_id=bool(cited)).view
                for scope in scopes
                if not cited or session.repositories.get(scope)
            ]
            return verify(replace(self._reader(), catalog=session), views, quote, citation)

    def verify_draft(
        self,
        text: str,
        quotes: Sequence[tuple[str, str]] = (),
        *,
        repository: str | Sequence[str] = (),
        read_context: ReadContextGiven = None,
        valid_at: str | date = "",
    ) -> tuple[CheckedQuote, ...]:
        """A verdict on every quotation of a draft with its citation, and on explicit pairs of quote and citation.

        An unreadable citation gives a verdict, not an error: the rest of the draft is still worth checking.
        """
        found = (*quotations(text), *(Quotation(quote, citation, None) for quote, citation in quotes))

        def check(item: Quotation) -> CheckedQuote:
            try:
                verdict = self.verify(
                    item.quote, item.citation, repository=repository, read_context=read_context, valid_at=valid_at
                )
            except InvalidArgument as problem:
                if problem.field not in ("citation", "quote"):
                    raise
                verdict = Verdict("not_found", item.quote, problem.message)
            return CheckedQuote(item, verdict)

        return tuple(check(item) for item in found)
