"""Documents: Markdown and text files, read whole and cut along their headings."""

from pincite.kinds.documents.cut import cut
from pincite.kinds.documents.read import SUFFIXES, Document, UnreadableFile, read_document
from pincite.kinds.options import CutOptions

__all__ = ["SUFFIXES", "CutOptions", "Document", "UnreadableFile", "cut", "read_document"]
