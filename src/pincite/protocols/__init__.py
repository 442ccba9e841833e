"""The plug-in points, one file each. Each promise in a docstring is a test in `pincite.testing`.

A catalog is the truth, an index is a projection of it that may lag and can always be rebuilt, and neither knows the
other's engine. The data that they exchange lies on the floor: `types`, `queries`, `meaning`, `bookkeeping`.
"""

from pincite.protocols.books import (
    ContextCache,
    EmbeddingModels,
    EmbeddingQueue,
    Sources,
    UsageLedger,
    Vectors,
    WholeQueue,
    WordVectors,
)
from pincite.protocols.catalog import (
    AllRepositories,
    Baselines,
    Catalog,
    Commits,
    Elements,
    Feed,
    Operator,
    Relations,
    Repositories,
    Session,
)
from pincite.protocols.context_writer import ContextWriter
from pincite.protocols.embedder import Embedder, PassageEmbedder
from pincite.protocols.engines import CatalogEngine, IndexEngine
from pincite.protocols.index import Index, ProjectedVectors, ProjectedWords, Projection, VectorIndex, WordIndex
from pincite.protocols.kind import Kind
from pincite.protocols.lexicon import Lexicon
from pincite.protocols.open_kinds import OpenKinds
from pincite.protocols.reranker import Reranker
from pincite.protocols.server_state import ApiKeys, Replies, ServerJobs, ServerState, Verdicts
from pincite.protocols.vector_store import VectorStore

__all__ = [
    "AllRepositories",
    "ApiKeys",
    "Baselines",
    "Catalog",
    "CatalogEngine",
    "Commits",
    "ContextCache",
    "ContextWriter",
    "Elements",
    "Embedder",
    "EmbeddingModels",
    "EmbeddingQueue",
    "Feed",
    "Index",
    "IndexEngine",
    "Kind",
    "Lexicon",
    "OpenKinds",
    "Operator",
    "PassageEmbedder",
    "ProjectedVectors",
    "ProjectedWords",
    "Projection",
    "Relations",
    "Replies",
    "Repositories",
    "Reranker",
    "ServerJobs",
    "ServerState",
    "Session",
    "Sources",
    "UsageLedger",
    "VectorIndex",
    "VectorStore",
    "Vectors",
    "Verdicts",
    "WholeQueue",
    "WordIndex",
    "WordVectors",
]
