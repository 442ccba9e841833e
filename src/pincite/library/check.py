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
        if not cited:
            self._catch_up(names_of(repository))
        with self._session() as session:
            if cited:
                known = session.repositories.get(cited.scope) if self._is_mine(cited.scope) else None
                infos = [known] if known else []
            else:
                infos = self._named(session, names_of(repository))
            resolved = self._resolve_each(session, infos, read_context_of(read_context), valid_at, by_id=bool(cited))
            views = [item.view for item in resolved]
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
