"""Replay tokens as they were before they carried what the model said of the question."""

from __future__ import annotations

import pincite
from pincite.search.cursor import TOKEN, seal, unseal


def token_of_before(library: pincite.Library, token: str) -> str:
    """The same token without the vector and the words of the question."""
    note = unseal(token, TOKEN, library.catalog.library_id)
    del note["said"]
    return seal(note, TOKEN, library.catalog.library_id)
