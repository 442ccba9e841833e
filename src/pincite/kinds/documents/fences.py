"""Fenced code in Markdown: the outline finds no headings in it, the cutter keeps it whole."""

from __future__ import annotations

FENCE = r"[ \t]*(?:(?:[-*+]|\d{1,9}[.)]|>)[ \t]+)?(?P<fence>`{3,}|~{3,})(?P<info>[^\r\n]*)"
"""A line that opens or closes a fence, at any indentation: lists indent theirs."""


def after_fence(fence: str, mark: str, info: str) -> str:
    """The fence that is open after this mark, "" if none is."""
    if not fence:
        # Backticks behind the opening ones make it inline code.
        return "" if mark[0] == "`" and "`" in info else mark
    closes = mark[0] == fence[0] and len(mark) >= len(fence) and not info.strip()
    return "" if closes else fence
