"""The catalog in one SQLite file."""

from pincite.catalog.sqlite.catalog import SqliteCatalog

__all__ = ["SqliteCatalog"]
