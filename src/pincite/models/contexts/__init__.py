"""Contexts written by a language model: a sentence or two that say where a passage belongs in its document."""
