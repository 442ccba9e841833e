"""Reading: an element as it is or was, its history, its references, what terms mean."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from pincite.library.asked import ReadContextGiven, names_of, read_context_of
from pincite.library.opened import OpenLibrary
from pincite.search.get import OpenedPassage, get
from pincite.search.history import Life, changes, lives
from pincite.search.look_up import LookedUp, look_up
from pincite.search.references import Reference, references_of
from pincite.types import ElementChange, LiveElement, ReadContext, Revision, Span


class LookingUp(OpenLibrary):
    """`get`, `history`, `diff`, `definitions`, `references`, `elements`."""

    def get(
        self,
        what: str,
        *,
        repository: str = "",
        section: str = "",
        span: Span | tuple[int, int] | None = None,
        version: str = "",
        read_context: ReadContextGiven = None,
        valid_at: str | date = "",
        neighbours: int = 0,
    ) -> OpenedPassage:
        """An element, section or span, by citation or element id, as it is or as it was."""
        scope, element_id, cited = self._element(what, repository)
        context = read_context_of(read_context)
        if cited is not None:
            section, span, version = section or cited.section_id, span or cited.span, version or cited.version_id
            if cited.revision is not None and context is None and not version:
                context = ReadContext("revision", revision=cited.revision)
        where = span if span is None or isinstance(span, Span) else Span(*span)
        with self._session() as session:
            resolved = self._resolve(session, scope, context, valid_at, by_id=True)
            return get(
                session, resolved, element_id, section=section, span=where, version=version, neighbours=neighbours
            )

    def history(self, element: str, *, repository: str = "") -> tuple[Life, ...]:
        """The versions of an element with their revisions, oldest first."""
        scope, element_id, _ = self._element(element, repository)
        with self._session() as session:
            return lives(session, self._resolve(session, scope, None, "", by_id=True).view, element_id)

    def definitions(
        self,
        term: str,
        *,
        repository: str | Sequence[str] = (),
        read_context: ReadContextGiven = None,
        valid_at: str | date = "",
    ) -> LookedUp:
        """How the documents define a term, each with its citation; if none does, the nearest defined terms."""
        with self._session() as session:
            infos = self._named(session, names_of(repository))
            resolved = self._resolve_each(session, infos, read_context_of(read_context), valid_at, by_id=True)
            return look_up(session, resolved, term)

    def diff(
        self, old: ReadContextGiven, new: ReadContextGiven = None, *, repository: str = ""
    ) -> tuple[ElementChange, ...]:
        """What changed between two states of a repository."""
        scope = self.scope(repository)
        with self._session() as session:
            first = self._resolve(session, scope, read_context_of(old), "", by_id=True).view
            last = self._resolve(session, scope, read_context_of(new), "", by_id=True).view
            return changes(session, first, last)

    def revisions(self, *, repository: str = "", limit: int = 100) -> tuple[Revision, ...]:
        """Commits of a repository, newest first."""
        (info,) = self._repositories(repository or self.config.repository)
        return self.catalog.commits.revisions(info.scope, limit=limit)

    def elements(
        self, *, repository: str = "", read_context: ReadContextGiven = None, valid_at: str | date = ""
    ) -> tuple[str, ...]:
        """Ids of the elements that a read context sees, in order."""
        with self._session() as session:
            context = read_context_of(read_context)
            resolved = self._resolve(session, self.scope(repository), context, valid_at, by_id=True)
            return session.elements.ids(resolved.view)

    def live(
        self, element_id: str, *, repository: str = "", read_context: ReadContextGiven = None
    ) -> LiveElement | None:
        """An element with its content and how it was cut, as a read context sees it."""
        with self._session() as session:
            context = read_context_of(read_context)
            resolved = self._resolve(session, self.scope(repository), context, "", by_id=True)
            return session.elements.get(resolved.view, element_id)

    def references(
        self,
        element: str,
        *,
        section: str = "",
        incoming: bool = False,
        unresolved: bool = False,
        repository: str = "",
        read_context: ReadContextGiven = None,
        valid_at: str | date = "",
    ) -> tuple[Reference, ...]:
        """What an element (id or citation) or one of its sections refers to, or with `incoming` what refers to it.

        `unresolved`: only those that name something which is not here.
        """
        scope, element_id, cited = self._element(element, repository)
        with self._session() as session:
            view = self._resolve(session, scope, read_context_of(read_context), valid_at, by_id=True).view
            return references_of(
                session,
                view,
                element_id,
                self.kinds.links,
                section=section or (cited.section_id if cited else ""),
                incoming=incoming,
                unresolved=unresolved,
            )
