"""Cross-references: where a document names a section or another document, and what is meant by it."""

from pincite.kinds.documents.references.resolve import with_references

__all__ = ["with_references"]
