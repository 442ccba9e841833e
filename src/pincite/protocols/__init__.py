"""The plug-in points, one file each. Each promise in a docstring is a test in `pincite.testing`.

A catalog is the truth, an index is a projection of it that may lag and can always be rebuilt, and neither knows the
other's engine. The data that they exchange lies on the floor: `types`, `queries`, `meaning`, `bookkeeping`.
"""

from pincite.protocols.books import ContextCache, EmbeddingModels, EmbeddingQueue, Sources, UsageLedger, Vectors
from pincite.protocols.catalog import Baselines, Catalog, Commits, Elements, Feed, Relations, Repositories
from pincite.protocols.context_writer import ContextWriter
from pincite.protocols.embedder import Embedder
from pincite.protocols.index import Index, ProjectedVectors, ProjectedWords, Projection, VectorIndex, WordIndex
from pincite.protocols.kind import Kind
from pincite.protocols.lexicon import Lexicon
from pincite.protocols.reranker import Reranker
from pincite.protocols.vector_store import VectorStore

__all__ = [
    "Baselines",
    "Catalog",
    "Commits",
    "ContextCache",
    "ContextWriter",
    "Elements",
    "Embedder",
    "EmbeddingModels",
    "EmbeddingQueue",
    "Feed",
    "Index",
    "Kind",
    "Lexicon",
    "ProjectedVectors",
    "ProjectedWords",
    "Projection",
    "Relations",
    "Repositories",
    "Reranker",
    "Sources",
    "UsageLedger",
    "VectorIndex",
    "VectorStore",
    "Vectors",
    "WordIndex",
]
