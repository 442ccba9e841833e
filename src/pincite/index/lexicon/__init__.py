"""The lexicon: the words of a repository with their vectors, through which a query finds words that it does not hold.

A French question shares no word with a German text. The model that embeds passages embeds words too: "développement"
lies near "Entwicklung". Looked up in the lexicon, the words of a query become words of the passages, and BM25 does the
rest: it knows which of them are rare, which a vector of a whole passage does not.
"""

from pincite.index.lexicon.folder import FolderLexicon

__all__ = ["FolderLexicon"]
