"""Which converter reads which suffix, and the fingerprint under which its work is remembered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version

from pincite.extras import require

EXTRA = "documents"


@dataclass(frozen=True, slots=True)
class Converter:
    """How one type of file is read."""

    file_type: str
    function: str
    """Module and function below this folder, imported by the converter process only."""
    packages: tuple[str, ...] = ()
    """Distributions that do the work; their versions are part of the fingerprint. Named like their modules."""
    revision: int = 1
    """Ours: bump when the same file and packages give another text than before."""


@dataclass(frozen=True, slots=True)
class Converted:
    """A file as Markdown."""

    text: str
    title: str = ""
    """What the file calls itself, "" if it does not say or what it says is not in its text."""
    notes: tuple[str, ...] = ()


_DOCX = Converter("docx", "office.docx", ("markitdown", "mammoth"), revision=2)
_HTML = Converter("html", "html.page", ("markitdown", "markdownify"), revision=2)

CONVERTERS: Mapping[str, Converter] = {
    ".pdf": Converter("pdf", "pdf.pdf", ("kreuzberg", "pypdfium2"), revision=3),
    ".docx": _DOCX,
    ".pptx": Converter("pptx", "office.pptx", ("markitdown",)),
    ".xlsx": Converter("xlsx", "sheets.workbook", ("openpyxl",)),
    ".html": _HTML,
    ".htm": _HTML,
    ".csv": Converter("csv", "sheets.values", revision=2),
    ".tsv": Converter("csv", "sheets.values", revision=2),
}
"""By suffix. Without packages a converter is part of the core."""

SAVE_AS = {".doc": ".docx", ".dot": ".docx", ".rtf": ".docx", ".odt": ".docx", ".ppt": ".pptx", ".xls": ".xlsx"}
"""Older formats, and what their programs save instead."""


def converter_recipe(converter: str) -> str:
    """What a converter adds to the recipe of the passages: with another one the file is read again."""
    return f";converter={converter}" if converter else ""


@cache
def fingerprint(suffix: str) -> str:
    """Name, version and revision of what reads the suffix; "" for files that are read as they are."""
    converter = CONVERTERS.get(suffix)
    if converter is None:
        return ""
    used = " + ".join(f"{name} {_version(name)}" for name in converter.packages) or f"pincite {converter.file_type}"
    return f"{used}/{converter.revision}"


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "missing"


def require_packages(suffix: str) -> None:
    """`MissingExtra` with the line to install it, unless the suffix can be read here."""
    packages = CONVERTERS[suffix].packages
    if packages:
        require(EXTRA, f"reading {suffix} files", *packages)
