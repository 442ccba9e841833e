"""Whose an element is that an ingest is about to put in: two sources, or two items of one, must not fight over it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pincite.bookkeeping import SourceElement
from pincite.ids import normalise_id
from pincite.ingest.looks import Looks
from pincite.ingest.memory import SourceMemory
from pincite.ingest.read_items import ItemReading
from pincite.ingest.sources import FileFound
from pincite.reading import ReadElement
from pincite.types import State


@dataclass(slots=True)
class WaitingElement:
    """An element that was read and waits for the next commit."""

    reading: ItemReading
    element: ReadElement
    element_id: str
    digest: str
    before: SourceElement | None = None
    """What is remembered of it, where this source gave it before."""
    states: tuple[State, ...] = ()

    @property
    def place(self) -> str:
        """Where in its item it stands; "" where the item is the element."""
        return "" if self.element_id == self.reading.element_id else self.element_id

    @property
    def is_as_before(self) -> bool:
        """Whether the element was read just like this before."""
        return self.before is not None and self.before.digest == self.digest


class ElementClaims:
    """What is known of the owners of elements while an ingest runs."""

    def __init__(self, memory: SourceMemory, files: Mapping[str, FileFound], looks: Looks, prefix: str) -> None:
        self._memory, self._files, self._looks, self._prefix = memory, files, looks, prefix
        self._read: set[str] = set()
        """Names of the items that this ingest has read."""
        # Owners of the elements that files are likely to be: asked for at once, and before any file is read.
        ids = [self._id_of(name) for name, file in files.items() if not looks.costs_a_stat(file)]
        self._owners: dict[str, tuple[str, SourceElement] | None] = dict.fromkeys(ids) | memory.owners(ids)
        """None: nobody's."""

    def begin(self, name: str) -> str:
        """Note that an item is about to be read; why it need not be: another source's item of the same name gave the
        element of that name."""
        self._read.add(name)
        element_id = self._id_of(name)
        found = self._owners.get(element_id)
        return self._memory.whose(element_id, found[0]) if found and found[0] and found[1].item == name else ""

    def granted(self, waiting: Sequence[WaitingElement], readings: Iterable[ItemReading]) -> list[WaitingElement]:
        """Of what waits, what this source may put in. An item that is denied one element gives nothing.

        `readings`: the items that were read since the last commit, or are being read.
        """
        unasked = [item.element_id for item in waiting if item.element_id not in self._owners]
        self._owners |= dict.fromkeys(unasked) | self._memory.owners(unasked)
        batch = {reading.name: reading for reading in readings}
        claims: dict[str, ItemReading] = {}
        for item in waiting:
            source, before = self._owners[item.element_id] or ("", None)
            if source and before:
                item.reading.deny(self._memory.whose(item.element_id, source))
            elif other := self._rival(item, before, claims, batch):
                item.reading.deny(_same_id(item.element_id, item.reading.name, other))
            else:
                claims[item.element_id] = item.reading
                item.before = before
        return [item for item in waiting if not item.reading.denied]

    def forget(self, waiting: Iterable[WaitingElement]) -> None:
        """What was committed belongs to this source now; it is asked for again should it be given again."""
        for item in waiting:
            self._owners.pop(item.element_id, None)

    def _id_of(self, name: str) -> str:
        """The id of a file that is one element."""
        return normalise_id(self._prefix + name)

    def _rival(
        self,
        item: WaitingElement,
        before: SourceElement | None,
        claims: Mapping[str, ItemReading],
        batch: Mapping[str, ItemReading],
    ) -> str:
        """Another item of this source that gives the element as well; "" if there is none."""
        claimed = claims.get(item.element_id)
        if claimed is not None and not claimed.denied:
            return claimed.name
        other = before.item if before else item.reading.name
        if other == item.reading.name:
            return ""
        if other in batch:
            return other if item.element_id in batch[other].seen else ""
        if other in self._read:
            return other
        file = self._files.get(other)
        return other if file is not None and self._looks.is_as_before(file) else ""


def _same_id(element_id: str, name: str, other: str) -> str:
    if normalise_id(name) == normalise_id(other):
        return "its name differs from another file's only in how accents are encoded; rename one"
    return f"{element_id!r} is in {other} as well; ids must differ"
