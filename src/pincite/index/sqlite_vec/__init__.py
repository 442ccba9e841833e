"""FTS5 and sqlite-vec in one file: the architecture of seed S0, behind the protocol of every index."""
