"""Embedders: which models there are, what of a passage they see, and how they are fetched and made smaller."""
