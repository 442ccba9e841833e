"""Files that are not text become Markdown: that text is stored, and spans point into it.

A page break is a form feed on a line of its own, so the stored text itself says on which page a passage stands.
`CONVERTERS` names what reads which suffix; `process.py` runs it in a process of its own, under limits.
"""

from pincite.kinds.documents.convert.converters import (
    CONVERTERS,
    SAVE_AS,
    Converted,
    Converter,
    converter_recipe,
    fingerprint,
    require_packages,
)
from pincite.kinds.documents.convert.here import ConversionFailed
from pincite.kinds.documents.convert.process import convert

__all__ = [
    "CONVERTERS",
    "SAVE_AS",
    "ConversionFailed",
    "Converted",
    "Converter",
    "convert",
    "converter_recipe",
    "fingerprint",
    "require_packages",
]
