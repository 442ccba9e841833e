"""The truth: elements, versions, relations, chunks, revisions, baselines, definitions, pending embeddings."""
