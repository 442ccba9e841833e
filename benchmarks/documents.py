"""How fast files are read, how much of their structure is kept, and whether every passage is what its span says.

    python -m benchmarks.documents ../shared/data

Prints, for the files of office-docs-a: seconds per 100 pages (our converter process, kreuzberg alone and, where its
PDF extra is installed, markitdown), headings found of those in the reference Markdown, and passages whose text is not
the stretch of the source that they cite (there must be none). For k8s-docs: headings of our outline against the lists
that come with the corpus.

A heading counts as found if the same words stand in the same order of headings (numbers may stand before or behind
the title). Its level counts as kept if the heading above it is the same as in the reference. References of PDFs are
flat: every heading is of level 2, so only what is found is counted there.
"""

from __future__ import annotations

import html
import json
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher
from pathlib import Path
from typing import NamedTuple

from pincite.kinds.documents import CutOptions, cut, read_document
from pincite.kinds.documents.outline import outline
from pincite.kinds.documents.read import UnreadableFile

PAGES = 100
_NUMBER = re.compile(r"^[\d.()]+\s+|\s+[\d.()]+$")
_SHORTCODE = re.compile(r"#+\s*\{\{[^{}]*\}\}\s*")
_WORD = re.compile(r"\w+")


class Kept(NamedTuple):
    """Headings of one reference: how many, found, found below the same heading, and ours that it does not have."""

    reference: int
    found: int
    nested: int
    extra: int


def main() -> None:
    data = Path(sys.argv[1] if len(sys.argv) > 1 else "../shared/data")
    office = data / "office-docs-a"
    if not office.is_dir():
        print(f"no {office}; give the folder that holds office-docs-a and k8s-docs")
        return
    print_speed(office)
    print_structure(office)
    print_attribution(office)
    print_manual(data / "k8s-docs")


# --- speed ----------------------------------------------------------------------------------------------------


def print_speed(office: Path) -> None:
    files = sorted(path for path in office.glob("*.pdf") if "scan" not in path.name)
    pages = {path: _pages(path) for path in files}
    print(f"{'seconds per 100 pages':<40}{'pages':>7}{'read':>9}{'+ cut':>9}{'kreuzberg':>11}{'markitdown':>12}")
    for path in files:
        print(_speed(path.name, [path], pages[path]), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        long = Path(folder) / "long.pdf"
        count = _repeat(office / "hde_stellungnahme_de.pdf", long, pages[office / "hde_stellungnahme_de.pdf"])
        if count:
            print(_speed(f"one file of {count} pages", [long], count), flush=True)


def _speed(name: str, files: Sequence[Path], pages: int) -> str:
    read = _seconds(lambda: [read_document(path, path.name) for path in files])
    both = _seconds(lambda: [cut(read_document(path, path.name).content) for path in files])
    alone = _seconds(lambda: [_kreuzberg(path) for path in files])
    other = _markitdown_seconds(files)
    scale = PAGES / pages
    shown = f"{other * scale:>12.2f}" if other is not None else f"{'-':>12}"
    return f"{name:<40}{pages:>7}{read * scale:>9.2f}{both * scale:>9.2f}{alone * scale:>11.2f}{shown}"


def _seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def _kreuzberg(path: Path) -> object:
    import kreuzberg

    config = kreuzberg.ExtractionConfig(
        use_cache=False, output_format="markdown", concurrency=kreuzberg.ConcurrencyConfig(max_threads=1)
    )
    return kreuzberg.extract_file_sync(str(path), config=config)


def _markitdown_seconds(files: Sequence[Path]) -> float | None:
    """None without its extra: pip install "markitdown[pdf]"."""
    try:
        import pdfminer  # noqa: F401
        import pdfplumber  # noqa: F401
    except ImportError:
        return None
    from markitdown import MarkItDown

    converter = MarkItDown(enable_plugins=False)
    return _seconds(lambda: [converter.convert(path) for path in files])


def _pages(path: Path) -> int:
    return read_document(path, path.name).content.text.count("\f") + 1


def _repeat(source: Path, target: Path, pages: int) -> int:
    """One PDF with the pages of another again and again, at least 100; 0 if pypdf is not installed."""
    try:
        from pypdf import PdfReader, PdfWriter
    except ImportError:
        return 0
    writer = PdfWriter()
    times = -(-PAGES // pages)
    for _ in range(times):
        for page in PdfReader(source).pages:
            writer.add_page(page)
    writer.write(target)
    return times * pages


# --- structure ------------------------------------------------------------------------------------------------


def print_structure(office: Path) -> None:
    print(f"\n{'headings of office-docs-a':<40}{'reference':>10}{'found':>7}{'level':>7}{'not there':>11}")
    total: dict[str, list[Kept]] = {}
    for reference in sorted(office.glob("*.ref.md")):
        path = reference.with_name(reference.name.removesuffix(".ref.md"))
        content = read_document(path, path.name).content
        ours = list(headings(content.text, str(content.metadata["file_type"])))
        kept = compare(list(headings(reference.read_text(encoding="utf-8"), "md")), ours)
        total.setdefault(path.suffix, []).append(kept)
        print(_structure_line(path.name, kept, flat=path.suffix == ".pdf"))
    for suffix, rows in total.items():
        print(_structure_line(f"all {suffix}", _sum(rows), flat=suffix == ".pdf"))
    print(_structure_line("all", _sum([row for rows in total.values() for row in rows]), flat=True))


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


def _sum(rows: Sequence[Kept]) -> Kept:
    return Kept(*(sum(column) for column in zip(*rows, strict=True)))


def _structure_line(name: str, kept: Kept, *, flat: bool) -> str:
    def share(count: int) -> str:
        return f"{count / kept.reference:>7.1%}" if kept.reference else f"{'-':>7}"

    level = f"{'-':>7}" if flat else share(kept.nested)
    return f"{name:<40}{kept.reference:>10}{share(kept.found)}{level}{kept.extra:>11}"


def print_manual(manual: Path) -> None:
    """The outline of the pages whose Markdown is there, against the corpus's own lists of headings.

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
        ours = list(headings(text, "md"))
        as_listed.append(compare(listed, ours))
        in_code = _only_in_code(text)
        real = [item for item in listed if _key(item[1]) and _key(item[1]) not in in_code]
        corrected.append(compare(real, list(headings(text, "md", shortcodes=False))))
    if not as_listed:
        print(f"\nno Markdown of k8s-docs below {manual / 'docs'}")
        return
    print(f"\n{'headings of k8s-docs':<40}{'reference':>10}{'found':>7}{'level':>7}{'not there':>11}")
    print(_structure_line(f"{len(as_listed)} pages, as listed", _sum(as_listed), flat=False))
    print(_structure_line("without flaws of the list", _sum(corrected), flat=False))


def _only_in_code(text: str) -> set[str]:
    """Lines of code that begin with # and are the words of no heading, by a CommonMark parser."""
    from markdown_it import MarkdownIt

    tokens = MarkdownIt("commonmark").parse(text)
    code = [token.content for token in tokens if token.type in ("fence", "code_block")]
    titles = [tokens[at + 1].content for at, token in enumerate(tokens) if token.type == "heading_open"]
    comments = (line.strip().lstrip("#") for block in code for line in block.split("\n") if line.strip()[:1] == "#")
    return {_key(comment) for comment in comments} - {_key(title) for title in titles}


# --- attribution ----------------------------------------------------------------------------------------------


def print_attribution(office: Path) -> None:
    """Every passage against the stretch of the source that it cites; nothing but white space outside them."""
    passages = wrong = lost = files = 0
    for path in sorted(office.iterdir()):
        if path.suffix not in (".pdf", ".docx", ".md"):
            continue
        try:
            content = read_document(path, path.name).content
        except UnreadableFile as error:
            print(f"\nnot read: {error.message}")
            continue
        files += 1
        for limit in (100, 800):
            at = 0
            for chunk in cut(content, CutOptions(limit, 0)).chunks:
                assert chunk.span is not None
                passages += 1
                passage = content.text[chunk.span.start : chunk.span.end]
                page = content.text.count("\f", 0, chunk.span.start) + 1
                wrong += not passage or passage != passage.strip() or chunk.page not in (None, page)
                lost += len(content.text[at : chunk.span.start].strip())
                at = chunk.span.end
            lost += len(content.text[at:].strip())
    print(f"\nattribution: {files} files, {passages} passages, {wrong} wrong spans or pages, {lost} characters in none")


if __name__ == "__main__":
    main()
