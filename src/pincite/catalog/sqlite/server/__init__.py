"""What a server keeps, in a file of its own beside the catalog.

SQLite has one writer at a time in a file. In the catalog's own file, a long commit or the rewriting after a purge would
hold up the heartbeats of all workers, and jobs would be taken for dead.
"""

from pincite.catalog.sqlite.server.state import SqliteServerState

__all__ = ["SqliteServerState"]
