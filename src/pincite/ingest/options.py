"""What an ingest is given besides its source."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pincite.bookkeeping import SourceItem
from pincite.ingest.contexts import Contexts
from pincite.protocols import Kind


@dataclass(frozen=True, slots=True)
class IngestOptions:
    kind: Kind
    """What reads the source."""
    author: str = ""
    message: str = ""
    prefix: str = ""
    """Put before each element id, so that two sources with the same file names can share a repository."""
    allow_empty: bool = False
    """Whether a source that held files and now holds none empties the repository, or was just not mounted."""
    take_over: str = ""
    """A source, as the library remembers it, that has become this one: what it gave and this one lacks is removed."""
    beside: tuple[Kind, ...] = ()
    """Other kinds of the library: an element of theirs may show one that this ingest changes."""
    contexts: Contexts | None = None
    """Who writes what situates each passage; None: its headings do."""

    def recipe_of(self, path: Path) -> str:
        """What fingerprints how such a file is read; a file with another one is read again."""
        every = self.kind.recipe()
        own = self.kind.recipe(path.name).removeprefix(every)
        contexts = self.contexts.recipe if self.contexts else ""
        return f"{every}{contexts}{own}" + (f";prefix={self.prefix}" if self.prefix else "")

    def is_current(self, known: SourceItem) -> bool:
        """Whether an item was last read to its end, and as it would be now, whatever its type."""
        recipes = {self.recipe_of(Path(f"x{suffix}")) for suffix in self.kind.declares.suffixes}
        return known.recipe in recipes and known.digest != ""
