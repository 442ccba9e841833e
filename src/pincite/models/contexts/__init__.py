"""Contexts written by a language model: for each passage a sentence or two that say where in its document it stands."""
