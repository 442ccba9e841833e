"""What every index must do. Subclass the suite of what yours is, say how it is made, run pytest.

class TestMyIndex(IndexContract):
    def make_index(self, catalog: Catalog, folder: Path) -> Index:
        return MyIndex(folder / "index", catalog)

An engine of words alone runs `WordIndexContract` and `ProjectionContract`, one of vectors alone `VectorIndexContract`
and `ProjectionContract`.
"""

from pincite.testing.index.contract import IndexContract, VectorIndexContract, WordIndexContract
from pincite.testing.index.projection import ProjectionContract
from pincite.testing.index.shelf import SCOPE, SIBLING, Shelf, page, passage, put, words

__all__ = [
    "SCOPE",
    "SIBLING",
    "IndexContract",
    "ProjectionContract",
    "Shelf",
    "VectorIndexContract",
    "WordIndexContract",
    "page",
    "passage",
    "put",
    "words",
]
