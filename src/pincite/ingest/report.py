"""What an ingest tells: while it runs, and at its end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from pincite.ingest.context_reports import ContextsReport
from pincite.ingest.sources import Skipped

Progress: TypeAlias = Callable[[str, int, int], None]
"""Called with the stage, how much of it is done, and how much there is."""


def silent(_stage: str, _done: int, _total: int) -> None:
    """No progress."""


@dataclass(frozen=True, slots=True)
class IngestReport:
    """What an ingest did. Counts are of elements: a document is one, a file of records gives many."""

    added: int = 0
    changed: int = 0
    unchanged: int = 0
    removed: int = 0
    failed: tuple[Skipped, ...] = ()
    """Files, or parts of them, that could not be read; the last good version stays."""
    skipped: tuple[Skipped, ...] = ()
    """Not meant for the library."""
    notes: tuple[str, ...] = ()
    chunks: int = 0
    """Passages cut from what was added or changed."""
    revision: int = 0
    revisions: int = 0
    """How many new revisions were made."""
    seconds: float = 0.0
    contexts: ContextsReport | None = None
    """What a context writer did; None where none is configured."""
