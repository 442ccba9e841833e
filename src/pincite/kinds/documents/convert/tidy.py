"""What markitdown's Markdown lacks: a table whose file marks no header row gets its first row as one."""

from __future__ import annotations

import re

_NO_HEADER = re.compile(r"^\|(?:[ \t]*\|)+\n(\|(?:[ \t]*:?-+:?[ \t]*\|)+\n)(\|[^\n]*\n?)", re.MULTILINE)


def tidy(markdown: str) -> str:
    """The text with a header in every table: most Word tables have one and do not say so."""
    return _NO_HEADER.sub(lambda table: table[2].rstrip("\n") + "\n" + table[1], markdown).strip() + "\n"
