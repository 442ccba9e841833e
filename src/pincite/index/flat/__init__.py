"""Vectors in memory, all of them scanned: the simplest store, and exact."""

from pincite.index.flat.vectors import FlatVectors

__all__ = ["FlatVectors"]
