"""Whether a file is as the last ingest left it."""

from __future__ import annotations

from pincite.bookkeeping import SourceItem
from pincite.ingest.options import IngestOptions
from pincite.ingest.read_items import digest_of
from pincite.ingest.sources import FileFound


class Looks:
    """Whether files are as the last ingest left them; each is hashed at most once."""

    def __init__(self, known: dict[str, SourceItem], options: IngestOptions) -> None:
        self.known = known
        self._options = options
        self._digests: dict[str, str] = {}

    def costs_a_stat(self, file: FileFound) -> bool:
        """Whether size and time alone say so."""
        known = self.known.get(file.name)
        return (
            known is not None
            and known.digest != ""
            and (known.size, known.mtime_ns) == (file.size, file.mtime_ns)
            and known.recipe == self._options.recipe_of(file.path)
        )

    def is_as_before(self, file: FileFound) -> bool:
        if self.costs_a_stat(file):
            return True
        known = self.known.get(file.name)
        if known is None or not known.digest or known.recipe != self._options.recipe_of(file.path):
            return False
        return known.digest == self.digest(file)

    def digest(self, file: FileFound) -> str:
        """Of the file's bytes; "" for what is too large or cannot be read: reading it says why."""
        if file.name not in self._digests:
            try:
                fits = file.size <= self._options.kind.declares.max_bytes
                self._digests[file.name] = digest_of(file.path) if fits else ""
            except OSError:
                self._digests[file.name] = ""
        return self._digests[file.name]
