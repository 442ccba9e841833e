"""Documents: Markdown and text files, read whole and cut along their headings."""

from pincite.kinds.documents.cut import CutOptions, cut
from pincite.kinds.documents.read import SUFFIXES, Document, UnreadableFile, read_document

__all__ = ["SUFFIXES", "CutOptions", "Document", "UnreadableFile", "cut", "read_document"]
