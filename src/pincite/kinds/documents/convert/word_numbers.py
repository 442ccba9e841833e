"""Numbers that Word counts itself: they stand on the page, but not in the text of a paragraph.

A file says how its lists count (`word/numbering.xml`) and which styles or paragraphs belong to which list and level.
Here that is counted again, so that a heading says "2.1 Persons" as it does in print and is found by that number. Only
headings get their number; lists are left to the converter, which writes them as lists.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_DOCUMENT, _STYLES, _NUMBERING = "word/document.xml", "word/styles.xml", "word/numbering.xml"
_HEADING = re.compile(r"heading ([1-9])", re.IGNORECASE)
_PLACE = re.compile(r"%([1-9])")
_LEVELS = 9
_MAX_STYLES_ABOVE = 20


@dataclass(frozen=True, slots=True)
class Style:
    """What a paragraph style says, with what it takes from the styles it is based on."""

    name: str
    heading: int = 0
    """1 to 9; 0 for all else."""
    list_id: str = ""
    level: int | None = None


@dataclass(frozen=True, slots=True)
class _Level:
    form: str
    text: str
    """`%1.%2`: the numbers of the levels above and of its own."""
    start: int = 1
    is_legal: bool = False
    """Whether all numbers in it are written in figures."""


@dataclass(slots=True)
class _List:
    levels: Mapping[int, _Level]
    counted: list[int | None] = field(default_factory=lambda: [None] * _LEVELS)

    def next(self, level: int) -> str:
        """Count up at the level and restart those below; returns what stands before the paragraph."""
        for above in range(level):
            if self.counted[above] is None:
                self.counted[above] = self._start(above)
        before = self.counted[level]
        self.counted[level] = self._start(level) if before is None else before + 1
        self.counted[level + 1 :] = [None] * (_LEVELS - level - 1)
        own = self.levels.get(level)
        if own is None or own.form in ("bullet", "none"):
            return ""
        return _PLACE.sub(lambda place: self._written(int(place[1]) - 1, own.is_legal), own.text).strip()

    def _start(self, level: int) -> int:
        return self.levels[level].start if level in self.levels else 1

    def _written(self, level: int, is_legal: bool) -> str:
        number = self.counted[level] or 0
        form = self.levels[level].form if level in self.levels else "decimal"
        return str(number) if is_legal else _FORMS.get(form, str)(number)


def numbered(path: Path) -> tuple[io.BytesIO, tuple[Style, ...]]:
    """The file with its numbers written into its headings, and the styles that make headings."""
    with zipfile.ZipFile(path) as archive:
        names = {*archive.namelist()}
        styles = dict(_styles(_parsed(archive, _STYLES))) if _STYLES in names else {}
        headings = tuple(style for style in styles.values() if style.heading)
        if _NUMBERING not in names or _DOCUMENT not in names:
            return io.BytesIO(path.read_bytes()), headings
        document = _parsed(archive, _DOCUMENT)
        lists = _lists(_parsed(archive, _NUMBERING))
        if not _write_numbers(document, styles, lists):
            return io.BytesIO(path.read_bytes()), headings
        return _with_document(archive, document), headings


def _write_numbers(document: Element, styles: Mapping[str, Style], lists: Mapping[str, _List]) -> int:
    """Put the counted numbers before the headings' own words; how many there were."""
    written = 0
    for paragraph in document.iter(f"{_W}p"):
        properties = paragraph.find(f"{_W}pPr")
        style = styles.get(_value(properties, "pStyle"), Style(""))
        list_id, level = _numbering(properties)
        list_id = list_id or style.list_id
        level = level if level is not None else style.level or 0
        counting = lists.get(list_id)
        if counting is None or not 0 <= level < _LEVELS or not _text(paragraph).strip():
            continue
        number = counting.next(level)
        if number and style.heading and not _text(paragraph).lstrip().startswith(number):
            run = ElementTree.Element(f"{_W}r")
            text = ElementTree.SubElement(run, f"{_W}t", {"{http://www.w3.org/XML/1998/namespace}space": "preserve"})
            text.text = f"{number} "
            paragraph.insert(0 if properties is None else 1, run)
            written += 1
    return written


def _text(paragraph: Element) -> str:
    return "".join(text.text or "" for text in paragraph.iter(f"{_W}t"))


# --- what the file says ---------------------------------------------------------------------------------------


def _styles(root: Element) -> Iterator[tuple[str, Style]]:
    """Paragraph styles by their id."""
    found = {_attribute(style, "styleId"): style for style in root.iter(f"{_W}style")}
    for style_id in found:
        chain: list[Element] = []
        above = style_id
        while above in found and found[above] not in chain and len(chain) < _MAX_STYLES_ABOVE:
            chain.append(found[above])
            above = _value(chain[-1], "basedOn")
        yield style_id, _style(chain)


def _style(chain: list[Element]) -> Style:
    name = _value(chain[0], "name")
    heading, list_id, level = 0, "", None
    for style in chain:
        properties = style.find(f"{_W}pPr")
        own_list, own_level = _numbering(properties)
        list_id, level = list_id or own_list, level if level is not None else own_level
        match = _HEADING.fullmatch(_value(style, "name"))
        heading = heading or (int(match[1]) if match else 0)
    return Style(name, heading, list_id, level)


def _lists(root: Element) -> dict[str, _List]:
    """The lists by the id that paragraphs use; those of one pattern count on together unless one restarts."""
    patterns = {
        _attribute(item, "abstractNumId"): {
            int(_attribute(level, "ilvl") or 0): _level(level) for level in item.findall(f"{_W}lvl")
        }
        for item in root.findall(f"{_W}abstractNum")
    }
    shared = {name: _List(levels) for name, levels in patterns.items()}
    out: dict[str, _List] = {}
    for item in root.findall(f"{_W}num"):
        pattern = _value(item, "abstractNumId")
        if pattern in shared:
            begins_anew = item.find(f"{_W}lvlOverride") is not None
            out[_attribute(item, "numId")] = _List(patterns[pattern]) if begins_anew else shared[pattern]
    return out


def _level(level: Element) -> _Level:
    start = _value(level, "start")
    return _Level(
        form=_value(level, "numFmt") or "decimal",
        text=_value(level, "lvlText"),
        start=int(start) if start.isdigit() else 1,
        is_legal=level.find(f"{_W}isLgl") is not None,
    )


def _numbering(properties: Element | None) -> tuple[str, int | None]:
    """List and level that a paragraph or style states; list 0 means no list."""
    stated = properties.find(f"{_W}numPr") if properties is not None else None
    level = _value(stated, "ilvl")
    return _value(stated, "numId"), int(level) if level.isdigit() else None


def _value(parent: Element | None, name: str) -> str:
    child = parent.find(f"{_W}{name}") if parent is not None else None
    return _attribute(child, "val") if child is not None else ""


def _attribute(element: Element, name: str) -> str:
    return element.get(f"{_W}{name}") or ""


# --- reading and writing --------------------------------------------------------------------------------------


def _parsed(archive: zipfile.ZipFile, name: str) -> Element:
    for prefix, address in _namespaces(archive.read(name)):
        ElementTree.register_namespace(prefix, address)
    return ElementTree.fromstring(archive.read(name))


def _namespaces(data: bytes) -> Iterator[tuple[str, str]]:
    """Prefixes as the file has them: others may refer to them by name."""
    for _, (prefix, address) in ElementTree.iterparse(io.BytesIO(data), events=("start-ns",)):
        if prefix and not re.fullmatch(r"ns\d+", prefix):
            yield prefix, address


def _with_document(archive: zipfile.ZipFile, document: Element) -> io.BytesIO:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as copy:
        for item in archive.infolist():
            is_text = item.filename == _DOCUMENT
            copy.writestr(item, ElementTree.tostring(document) if is_text else archive.read(item.filename))
    out.seek(0)
    return out


# --- forms of numbers -----------------------------------------------------------------------------------------

_ROMAN = (
    (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"),
    (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
)  # fmt: skip


def _roman(number: int) -> str:
    out = ""
    for value, sign in _ROMAN if number < 4000 else ():
        while number >= value:
            out, number = out + sign, number - value
    return out


def _letter(number: int) -> str:
    """A to Z, then AA, BB … as Word counts."""
    return chr(ord("A") + (number - 1) % 26) * ((number - 1) // 26 + 1) if 0 < number <= 26 * 26 else ""


_FORMS: Mapping[str, Callable[[int], str]] = {
    "upperRoman": _roman,
    "lowerRoman": lambda number: _roman(number).lower(),
    "upperLetter": _letter,
    "lowerLetter": lambda number: _letter(number).lower(),
    "decimalZero": lambda number: f"{number:02d}",
}
