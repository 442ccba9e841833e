"""What the library remembers of a source: which of its items gave which element, and how they looked then.

It is read at the start of an ingest, and what changes of it is written by the commits of that ingest.
"""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from pincite.advice import either
from pincite.bookkeeping import UNREAD_SIZE, SourceChange, SourceElement, SourceItem
from pincite.ingest.sources import DELIVERED
from pincite.protocols import Sources
from pincite.types import Scope

PAGE = 20_000
"""Elements that are read at once of what an item gave: it may have given a million."""


class SourceMemory:
    """The memory of one source, and what the next commit adds to it."""

    def __init__(self, sources: Sources, scope: Scope, key: str, take_over: str = "") -> None:
        self._sources = sources
        self._scope = scope
        self._key = key
        self.items = sources.items(scope, key)
        """By name, as the last ingest and the commits of this one left them."""
        self.notes: list[str] = []
        self._former = ""
        if take_over and take_over != key:
            self._take_over(take_over)
        self._forget_drafts()

    def _take_over(self, former: str) -> None:
        """Treat what another source gave as this one's; the next commit makes it so."""
        theirs = self._sources.items(self._scope, former)
        whose = either(former, "the source that was named")
        if not theirs:
            self.notes.append(f"nothing in this repository comes from {whose}, so nothing was taken over")
            return
        both = {name: _unread(item) for name, item in theirs.items() if name in self.items}
        # Size and time of a file elsewhere say nothing about the one here; the digest of its bytes does.
        moved = {name: replace(item, size=UNREAD_SIZE) for name, item in theirs.items()}
        self.items = moved | self.items | both
        self._former = former
        self.notes.append(f"{len(theirs)} file(s) taken over from {whose}")

    @property
    def takes_over(self) -> bool:
        """Whether the next commit takes another source over."""
        return bool(self._former)

    # --- asking -----------------------------------------------------------------------------------------------

    def owners(self, element_ids: Collection[str]) -> dict[str, tuple[str, SourceElement]]:
        """By element id whose it is: "" stands for this source, also for what it is taking over."""
        own = {self._key, self._former}
        found = self._sources.owners(self._scope, element_ids) if element_ids else {}
        return {element_id: ("" if source in own else source, given) for element_id, (source, given) in found.items()}

    def given_by(self, items: Collection[str]) -> Iterator[SourceElement]:
        """What these items gave before."""
        for source in filter(None, (self._key, self._former)):
            after = ""
            while items:
                page = self._sources.elements(self._scope, source, items, after=after, limit=PAGE)
                yield from page
                if len(page) < PAGE:
                    break
                after = page[-1].element_id

    def whose(self, element_id: str, owner: str) -> str:
        """Why an element of another source is not taken, and what to do about it."""
        # What was handed over has no folder that could have moved, and a delivery cannot ask for a takeover.
        offered = self._key != DELIVERED
        move = either(f"add --take-over {shlex.quote(owner)}", "send its place as take_over")
        moved = f" if that source has moved here, {move};" if offered else ""
        advice = either(
            f"{owner};{moved} to keep both, give this source a --prefix or another --repository",
            f"another source;{moved} to keep both, give this one a prefix or another repository_id",
        )
        return f"{element_id!r} already comes from {advice}"

    # --- remembering ------------------------------------------------------------------------------------------

    def put_item(self, item: SourceItem) -> None:
        """Remember an item as it was read."""
        if self.items.get(item.name) != item:
            self.items[item.name] = self._put_items[item.name] = item

    def mark_unread(self, name: str) -> None:
        """Have a known item read again by the next ingest, whatever happens to this one."""
        known = self.items.get(name)
        if known is not None and known.digest:
            self.put_item(_unread(known))

    def put_element(self, given: SourceElement) -> None:
        self._put_elements.append(given)

    def remove_elements(self, element_ids: Iterable[str]) -> None:
        self._removed_elements += element_ids

    def remove_items(self, names: Iterable[str]) -> None:
        """Forget items, and what they still own."""
        for name in names:
            del self.items[name]
            self._removed_items.append(name)

    def drafted(self) -> tuple[SourceChange, ...]:
        """What the next commit is to remember; then nothing is left to be."""
        made = SourceChange(
            self._key,
            take_over=self._former,
            elements_removed=tuple(self._removed_elements),
            items=tuple(self._put_items.values()),
            elements=tuple(self._put_elements),
            items_removed=tuple(self._removed_items),
        )
        self._former = ""
        self._forget_drafts()
        return (made,) if made != SourceChange(self._key) else ()

    def _forget_drafts(self) -> None:
        self._put_items: dict[str, SourceItem] = {}
        self._put_elements: list[SourceElement] = []
        self._removed_elements: list[str] = []
        self._removed_items: list[str] = []


def _unread(item: SourceItem) -> SourceItem:
    return replace(item, size=UNREAD_SIZE, digest="")
