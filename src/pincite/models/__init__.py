"""Models: which ones exist, which parts of a passage they see, and how to fetch and quantise them."""
