"""Finding: search, replay, compare, why not, and a context for a prompt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date

from pincite.citation import SCHEME, Citation
from pincite.library.asked import ReadContextGiven, asked_query, names_of, read_context_of
from pincite.library.opened import OpenLibrary
from pincite.search.compare import Comparison, compare
from pincite.search.context import Context, ContextOptions, gather
from pincite.search.query import Answer, FilterValue, Query
from pincite.search.replay import with_model_behind
from pincite.search.spine import Trace, replay, trace
from pincite.search.why_not import WhyNotReport, why_not


class Searching(OpenLibrary):
    """`search`, `replay`, `why_not`, `compare`, `context`, `filters`."""

    def search(
        self,
        query: str,
        *,
        repository: str | Sequence[str] = (),
        mode: str = "hybrid",
        limit: int = 10,
        min_score: float = 0.0,
        read_context: ReadContextGiven = None,
        valid_at: str | date = "",
        filters: Mapping[str, FilterValue] | None = None,
        cursor: str = "",
        group: str = "element",
        passages: int = 3,
        sort: str = "relevance",
        exact: bool = False,
        explain: bool = False,
        wait_for: int = 0,
    ) -> Answer:
        """The best passages for a query, each with its citation; `wait_for` a revision to read one's own writes."""
        more = {
            "cursor": cursor,
            "group": group,
            "passages": passages,
            "sort": sort,
            "exact": exact,
            "explain": explain,
        }
        asked = asked_query(
            query, repository, mode, limit, read_context, valid_at, filters, min_score=min_score, **more
        )
        return self.trace(asked, wait_for=wait_for).answer

    def trace(self, query: Query, *, wait_for: int = 0) -> Trace:
        """A search with the results of each leg and stage, for evaluation."""
        self._catch_up(query.repositories, wait_for)
        return trace(self._reader(), query)

    def replay(self, token: str) -> Answer:
        """Repeat the answer of a replay token: the same question, the same state, and what the model said then."""
        reader = self._reader()
        # Words that were looked up then are searched again, also where vectors are switched off now.
        reader = replace(reader, meaning=replace(reader.meaning, lexicon=self.lexicon))
        return replay(with_model_behind(reader, token, self.model.behind), token)

    def filters(self, repository: str | Sequence[str] = ()) -> dict[str, dict[str, int]]:
        """Filter keys with their values and the number of visible chunks with each, the most useful first."""
        self._catch_up(names_of(repository))
        with self._session() as session:
            infos = self._named(session, names_of(repository))
            views = [item.view for item in self._resolve_each(session, infos, None, "")]
        values = self.index.filter_values(views)
        first = [name for name in self.kinds.facets if name in values]
        return {name: values[name] for name in dict.fromkeys((*first, *sorted(values)))}

    def why_not(
        self,
        element: str,
        query: str,
        *,
        repository: str | Sequence[str] = (),
        mode: str = "hybrid",
        limit: int = 10,
        min_score: float = 0.0,
        read_context: ReadContextGiven = None,
        valid_at: str | date = "",
        filters: Mapping[str, FilterValue] | None = None,
    ) -> WhyNotReport:
        """The rank of an element (id or citation) in the answer to a query, or why it is not on the page."""
        asked = asked_query(query, repository, mode, limit, read_context, valid_at, filters, min_score=min_score)
        cited = Citation.parse(element) if element.startswith(SCHEME) else None
        self._catch_up(asked.repositories)
        return why_not(self._reader(), asked, cited.element_id if cited else element, cited.scope if cited else None)

    def compare(
        self,
        query: str,
        old: ReadContextGiven,
        new: ReadContextGiven = None,
        *,
        repository: str | Sequence[str] = (),
        mode: str = "hybrid",
        limit: int = 10,
        valid_at: str | date = "",
        filters: Mapping[str, FilterValue] | None = None,
    ) -> Comparison:
        """The same query in two states: what appeared, vanished, changed and moved among the first hits, and why."""
        asked = asked_query(query, repository, mode, limit, None, valid_at, filters)
        self._catch_up(asked.repositories)
        return compare(self._reader(), asked, read_context_of(old), read_context_of(new))

    def context(
        self,
        query: str,
        *,
        max_tokens: int = 4_000,
        include_relationships: bool = True,
        include_definitions: bool = True,
        repository: str | Sequence[str] = (),
        mode: str = "hybrid",
        limit: int = 20,
        read_context: ReadContextGiven = None,
        valid_at: str | date = "",
        filters: Mapping[str, FilterValue] | None = None,
    ) -> Context:
        """Passages for a prompt, each with its citation, never longer than the budget of tokens."""
        asked = asked_query(query, repository, mode, limit, read_context, valid_at, filters)
        options = ContextOptions(max_tokens, include_relationships, include_definitions)
        self._catch_up(asked.repositories)
        return gather(self._reader(), asked, options)
