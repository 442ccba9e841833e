"""A kind that some files end: for tests of what becomes of the others."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Iterator

from pincite.kinds.confined import ConfinedKind
from pincite.kinds.documents.kind import DocumentsKind
from pincite.kinds.options import KindSettings
from pincite.protocols.kind import Kind
from pincite.reading import Item, Neighbourhood, ReadElement, Unread
from pincite.types import Content, Derivation


class FragileKind(DocumentsKind):
    """A file that says so crashes its reader, or what cuts it, or keeps it for ever."""

    def read(self, item: Item) -> Iterator[ReadElement | Unread]:
        if "crash on reading" in item.path.read_text("utf-8"):
            ctypes.string_at(0)
        yield from super().read(item)

    def derive(self, element_id: str, content: Content, around: Neighbourhood) -> Derivation:
        if "crash on cutting" in content.text:
            ctypes.string_at(0)
        if "hang on cutting" in content.text:
            time.sleep(600)
        return super().derive(element_id, content, around)


def open_fragile(settings: KindSettings) -> Kind:
    return FragileKind(settings.cut)


def fragile() -> Kind:
    """The kind, confined as ours are."""
    settings = KindSettings()
    return ConfinedKind(open_fragile(settings), open_fragile, settings)
