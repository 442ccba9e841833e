"""FTS5 and sqlite-vec in one file: the architecture of seed S0, behind the protocol of every index."""

from pincite.index.sqlite_vec.index import SqliteVecIndex

__all__ = ["SqliteVecIndex"]
