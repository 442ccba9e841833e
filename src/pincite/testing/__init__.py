"""Contract suites that any catalog, index, embedder, reranker or kind must pass: ours and a stranger's."""

from __future__ import annotations

from pincite.extras import require

require("testing", "running the contract suites", "pytest", "hypothesis")
