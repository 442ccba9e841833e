"""How much of the structure of documents is kept: their headings, and the heading that each stands below.

A heading counts as found if the same words stand in the same order of headings (numbers may stand before or behind
the title). Its level counts as kept if the heading above it is the same as in the reference. References of PDFs are
flat: every heading is of level 2, so only what is found is counted there.
"""

from __future__ import annotations

import hashlib
import html
import json
import re
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from pathlib import Path
from typing import NamedTuple

from benchmarks.documents import typeset
from pincite.kinds.documents import read_document
from pincite.kinds.documents.outline import outline

SAMPLES = Path(__file__).parents[2] / "samples"
FLAWED = {
    "normal_4pages.pdf": (
        "5",
        "(3) 「약관의 규제에 관한 법률」상 약관해석의 원칙 현재 「약관의 규제에 관한 법률」 7) 을 보면 약관은",
    )
}
"""Headings of a reference that the page has not: a number apart from its title, a title run into its paragraph."""
MANUAL_PAGES = 60
_NUMBER = re.compile(r"^[\d.()]+\s+|\s+[\d.()]+$")
_SHORTCODE = re.compile(r"#+\s*\{\{[^{}]*\}\}\s*")
_TEMPLATE_LINE = re.compile(r"^#+[ \t]*\{\{.*\n?", re.MULTILINE)
_WORD = re.compile(r"\w+")


class Kept(NamedTuple):
    """Headings of one reference: how many, found, found below the same heading, and ours that it does not have."""

    reference: int
    found: int
    nested: int
    extra: int


class Row(NamedTuple):
    """One line of the table."""

    name: str
    kept: Kept
    flat: bool = False
    """Whether the reference knows no levels."""


def of_files(office: Path) -> Iterator[Row]:
    """The Word and PDF files that come with a reference, by type, and the PDFs without the flaws of theirs."""
    rows: dict[str, list[Kept]] = {}
    for reference in sorted(office.glob("*.ref.md")):
        path = reference.with_name(reference.name.removesuffix(".ref.md"))
        content = read_document(path, path.name).content
        ours = list(headings(content.text, str(content.metadata["file_type"])))
        wanted = list(headings(reference.read_text(encoding="utf-8"), "md"))
        rows.setdefault(path.suffix, []).append(compare(wanted, ours))
        if path.suffix == ".pdf":
            real = [item for item in wanted if item[1] not in FLAWED.get(path.name, ())]
            rows.setdefault("real", []).append(compare(real, ours))
    yield Row("office-docs-a, Word", total(rows[".docx"]))
    yield Row("office-docs-a, PDF", total(rows[".pdf"]), flat=True)
    yield Row("… without flaws of the reference", total(rows["real"]), flat=True)


def of_manual(manual: Path) -> Iterator[Row]:
    """The Markdown of k8s-docs against the corpus's own lists of headings.

    The lists have flaws: a heading that is a shortcode is empty in them, and a comment in code counts as a heading. The
    second line leaves out the empty ones, and those that CommonMark (markdown-it) finds in code and nowhere else.
    """
    as_listed, corrected = [], []
    for line in (manual / "corpus.jsonl").open(encoding="utf-8"):
        metadata = json.loads(line)["metadata"]
        path = manual / "docs" / metadata["path"].removeprefix("content/")
        if not path.exists():
            continue
        text = path.read_text(encoding="utf-8")
        listed = [(int(level), str(title)) for level, title in metadata["headings"]]
        as_listed.append(compare(listed, list(headings(text, "md"))))
        in_code = _only_in_code(text)
        real = [item for item in listed if _key(item[1]) and _key(item[1]) not in in_code]
        corrected.append(compare(real, list(headings(text, "md", shortcodes=False))))
    if as_listed:
        yield Row(f"k8s-docs, {len(as_listed)} pages, as listed", total(as_listed))
        yield Row("… without flaws of the list", total(corrected))


def of_print(data: Path) -> Iterator[Row]:
    """Markdown set in type and read back.

    While the rules were mended, errors were read in our samples, in site-policy (of its second half after its first
    figures were taken) and in English pages of k8s-docs. Its pages in other languages were only counted.
    """
    policies = sorted((data / "site-policy" / "docs").glob("*.md"))
    manual = data / "k8s-docs" / "docs"
    others = [path for language in ("de", "fr", "it") for path in (manual / language).rglob("*.md")]
    sets = {
        "samples (tuning)": sorted(path for path in SAMPLES.rglob("*.md") if path.name != "README.md"),
        "site-policy (tuning)": policies[::2],
        "site-policy, second half (read once)": policies[1::2],
        "k8s-docs in English (tuning)": _some(manual / "en", (manual / "en").rglob("*.md")),
        "k8s-docs in de, fr, it (held out)": _some(manual, others),
    }
    with tempfile.TemporaryDirectory() as folder:
        for design in typeset.DESIGNS:
            for name, paths in sets.items():
                found = [_printed(Path(folder) / "a.pdf", _text(path), design) for path in paths]
                if found:
                    yield Row(f"{design.name}: {name}", total(found))


def _some(root: Path, paths: Iterable[Path]) -> list[Path]:
    """Pages with several headings, scattered over the manual, the same ones everywhere."""
    by_hash = sorted(paths, key=lambda path: hashlib.blake2b(path.relative_to(root).as_posix().encode()).digest())
    return [path for path in by_hash if 3 <= len(typeset.headings(_text(path))) <= 40][:MANUAL_PAGES]


def _printed(path: Path, text: str, design: typeset.Design) -> Kept:
    path.write_bytes(typeset.printed(text, design))
    return compare(typeset.headings(text), list(headings(read_document(path, path.name).content.text, "pdf")))


def _text(path: Path) -> str:
    """The Markdown without headings that only a template fills."""
    return _TEMPLATE_LINE.sub("", path.read_text(encoding="utf-8"))


def headings(text: str, file_type: str, *, shortcodes: bool = True) -> Iterator[tuple[int, str]]:
    """Level and title of each heading, with or without those that only a template fills."""
    for section in outline(text, file_type):
        if section.heading is None:
            continue
        source = text[section.heading.start : section.heading.end]
        if shortcodes or not _SHORTCODE.fullmatch(source):
            yield section.level, section.title


def compare(reference: list[tuple[int, str]], ours: list[tuple[int, str]]) -> Kept:
    """How many headings of the reference are ours, and below the same heading."""
    keys, mine = [_key(title) for _, title in reference], [_key(title) for _, title in ours]
    above, mine_above = _parents(reference), _parents(ours)
    pairs = [
        (block.a + n, block.b + n)
        for block in SequenceMatcher(None, keys, mine, autojunk=False).get_matching_blocks()
        for n in range(block.size)
    ]
    nested = sum(above[a] == mine_above[b] for a, b in pairs)
    return Kept(len(keys), len(pairs), nested, len(mine) - len(pairs))


def _parents(found: list[tuple[int, str]]) -> list[str]:
    out: list[str] = []
    stack: list[tuple[int, str]] = []
    for level, title in found:
        while stack and stack[-1][0] >= level:
            stack.pop()
        out.append(_key(stack[-1][1]) if stack else "")
        stack.append((level, title))
    return out


def _key(title: str) -> str:
    return "".join(_WORD.findall(_NUMBER.sub("", html.unescape(title).strip()))).casefold()


def total(rows: Sequence[Kept]) -> Kept:
    return Kept(*(sum(column) for column in zip(*rows, strict=True)))


def _only_in_code(text: str) -> set[str]:
    """Lines of code that begin with # and are the words of no heading, by a CommonMark parser."""
    from markdown_it import MarkdownIt

    tokens = MarkdownIt("commonmark").parse(text)
    code = [token.content for token in tokens if token.type in ("fence", "code_block")]
    titles = [tokens[at + 1].content for at, token in enumerate(tokens) if token.type == "heading_open"]
    comments = (line.strip().lstrip("#") for block in code for line in block.split("\n") if line.strip()[:1] == "#")
    return {_key(comment) for comment in comments} - {_key(title) for title in titles}
