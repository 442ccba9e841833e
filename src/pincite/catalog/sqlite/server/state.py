"""The parts of what a server keeps, over one file."""

from __future__ import annotations

from pathlib import Path

from pincite.catalog.sqlite.server.file import ServerFile
from pincite.catalog.sqlite.server.jobs import SqliteServerJobs
from pincite.catalog.sqlite.server.keys import SqliteApiKeys
from pincite.catalog.sqlite.server.replies import SqliteReplies
from pincite.catalog.sqlite.server.verdicts import SqliteVerdicts
from pincite.protocols import ApiKeys, Replies, ServerJobs, Verdicts


class SqliteServerState:
    """What a server keeps in the library's folder. Nothing is made before there is something to keep."""

    def __init__(self, folder: Path) -> None:
        self._file = ServerFile(folder)
        self.path = self._file.path
        self.keys: ApiKeys = SqliteApiKeys(self._file)
        self.jobs: ServerJobs = SqliteServerJobs(self._file)
        self.replies: Replies = SqliteReplies(self._file)
        self.verdicts: Verdicts = SqliteVerdicts(self._file)

    def close(self) -> None:
        self._file.close()
