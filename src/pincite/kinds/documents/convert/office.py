"""Word and PowerPoint through markitdown: headings by their styles, a slide is a page with its title as heading.

Headings of Word have the numbers that Word counts (`word_numbers.py`); styles based on a heading are headings, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pincite.kinds.documents.convert.converters import Converted
from pincite.kinds.documents.convert.tidy import tidy
from pincite.kinds.documents.convert.word_numbers import Style, numbered

_STYLES = "\n".join(
    [
        "p[style-name='Title'] => h1:fresh",
        *(f"p[style-name='Heading {level}'] => h{min(6, level + 1)}:fresh" for level in range(1, 10)),
    ]
)
"""A document's title stands above its first headings; mammoth alone takes it for a paragraph."""
_HEADING = re.compile(r"^(#{1,6})(?= )", re.MULTILINE)
_SLIDE = re.compile(r"\n*<!-- Slide number: \d+ -->\n?")
_PICTURE = re.compile(r"!\[[^\]\n]*\]\([^()\n]*\)\n?")
_NOTES = re.compile(r"^### Notes:$", re.MULTILINE)
_TITLE = re.compile(r"^# [^\n]*$", re.MULTILINE)


def docx(path: Path) -> Converted:
    """A Word document; pictures inside it are left out."""
    from markitdown import StreamInfo
    from markitdown.converters import DocxConverter

    file, headings = numbered(path)
    make: Any = DocxConverter
    converted = make().convert(file, StreamInfo(extension=".docx"), style_map=f"{_STYLES}\n{_based_on(headings)}")
    text = _PICTURE.sub("", converted.markdown)
    if not re.search(r"^# ", text, re.MULTILINE):
        text = _HEADING.sub(lambda marks: marks[1][:-1] or "#", text)
    return Converted(tidy(text))


def _based_on(headings: Iterable[Style]) -> str:
    """Mappings of the file's own heading styles."""
    own = ((style.name.replace("\\", "\\\\").replace("'", "\\'"), style.heading) for style in headings if style.name)
    return "\n".join(
        f"p[style-name='{name}'] => h{min(6, level + 1)}:fresh" for name, level in own if name.isprintable()
    )


def pptx(path: Path) -> Converted:
    """A presentation: one page per slide, speaker notes kept and named as such."""
    from markitdown import StreamInfo
    from markitdown.converters import PptxConverter

    with path.open("rb") as file:
        make: Any = PptxConverter
        converted = make().convert(file, StreamInfo(extension=".pptx"))
    slides = _SLIDE.split(_PICTURE.sub("", converted.markdown))[1:]
    return Converted("\n\n\f\n\n".join(_slide(slide) for slide in slides) + "\n")


def _slide(text: str) -> str:
    """The slide with its title first: markitdown writes shapes from top to bottom, wherever the title stands."""
    text = _NOTES.sub("Notes:", text.strip())
    title = _TITLE.search(text)
    if title is None:
        return text
    rest = f"{text[: title.start()]}{text[title.end() :]}".strip()
    return f"{title.group()}\n\n{rest}" if rest else title.group()
