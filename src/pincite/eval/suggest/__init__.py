"""A first golden set, from the library's own structure: headings, names, definitions, citations."""

from pincite.eval.suggest.spine import suggest

__all__ = ["suggest"]
