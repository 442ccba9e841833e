"""The command line: data on stdout, messages on stderr; exit codes 0, 1, 2 usage, 3 not found, 4 unavailable."""

from __future__ import annotations

from pincite.cli.app import main

__all__ = ["main"]
