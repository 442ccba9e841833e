"""An index of vectors around any store of them: see `pincite.protocols.VectorStore`."""

from pincite.index.candidates.index import CandidateIndex

__all__ = ["CandidateIndex"]
