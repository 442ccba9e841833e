"""Ranking quality on public corpora: `make eval`."""
