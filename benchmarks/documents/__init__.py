"""The success criteria for documents, measured by one command.

    python -m benchmarks documents DATA [--write] [--only structure,reading,…]

DATA is the folder of corpora. Prints a table per part, and each criterion with what was wanted and what was measured.
With --write the tables go into docs/laboratory.md and the figures into benchmarks/results/documents.json, where the
parts that were not run keep those of their last run.
"""

from benchmarks.documents.run import main

__all__ = ["main"]
