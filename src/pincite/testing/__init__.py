"""Contract suites that any catalog, index, embedder or kind must pass: ours and a stranger's."""
