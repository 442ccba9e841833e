"""Small PDF, Word, PowerPoint and Excel files, made anew by each test that needs one."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from typing import NamedTuple


class Line(NamedTuple):
    """One printed line."""

    text: str
    size: int = 11
    bold: bool = False


def pdf(*pages: Sequence[str | Line], title: str = "", trailer: str = "") -> bytes:
    """A PDF with these lines on its pages, from top to bottom; a page without lines is blank."""
    kids = " ".join(f"{5 + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        f"<</Type/Pages/Kids[{kids}]/Count {len(pages)}>>".encode(),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica-Bold/Encoding/WinAnsiEncoding>>",
    ]
    for number, lines in enumerate(pages):
        content = _content([line if isinstance(line, Line) else Line(line) for line in lines])
        objects += [
            (
                "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]"
                f"/Resources<</Font<</F1 3 0 R/F2 4 0 R>>>>/Contents {6 + 2 * number} 0 R>>"
            ).encode(),
            b"<</Length %d>>stream\n%s\nendstream" % (len(content), content),
        ]
    if title:
        objects.append(f"<</Title({title})>>".encode("cp1252"))
        trailer += f"/Info {len(objects)} 0 R"
    return _assembled(objects, trailer)


def _content(lines: Sequence[Line]) -> bytes:
    out = ["BT"]
    y = 790
    for line in lines:
        escaped = line.text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
        out.append(f"/F{2 if line.bold else 1} {line.size} Tf 1 0 0 1 72 {y} Tm ({escaped}) Tj")
        y -= round(line.size * 1.5)
    return "\n".join([*out, "ET"]).encode("cp1252")


def _assembled(objects: Sequence[bytes], trailer: str) -> bytes:
    out = io.BytesIO()
    out.write(b"%PDF-1.4\n")
    places = []
    for number, body in enumerate(objects, 1):
        places.append(out.tell())
        out.write(b"%d 0 obj\n%s\nendobj\n" % (number, body))
    start = out.tell()
    out.write(b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1))
    out.writelines(b"%010d 00000 n \n" % place for place in places)
    out.write(
        b"trailer\n<</Size %d/Root 1 0 R%s>>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, trailer.encode(), start)
    )
    return out.getvalue()


def encrypted_pdf() -> bytes:
    """A PDF that opens with a password that nobody knows."""
    key = f"/Encrypt<</Filter/Standard/V 1/R 2/O<{'ab' * 32}>/U<{'cd' * 32}>/P -44>>"
    return pdf(["secret"], trailer=f"{key}/ID[<{'01' * 16}><{'01' * 16}>]")


_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def docx(*paragraphs: tuple[str, str] | list[list[str]]) -> bytes:
    """A Word document of (style, text) paragraphs, "" for plain ones, and of tables given as rows."""
    body = "".join(_table(part) if isinstance(part, list) else _paragraph(*part) for part in paragraphs)
    names = {style for part in paragraphs if isinstance(part, tuple) and (style := part[0])}
    styles = "".join(
        f'<w:style w:type="paragraph" w:styleId="{name.replace(" ", "")}"><w:name w:val="{name}"/></w:style>'
        for name in sorted(names)
    )
    return _archive(
        {
            "[Content_Types].xml": (
                '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
                '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
                '<Default Extension="xml" ContentType="application/xml"/>'
                '<Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument'
                '.wordprocessingml.document.main+xml"/></Types>'
            ),
            "_rels/.rels": _relations(("officeDocument", "word/document.xml")),
            "word/_rels/document.xml.rels": _relations(("styles", "styles.xml")),
            "word/styles.xml": f"<w:styles {_W}>{styles}</w:styles>",
            "word/document.xml": f"<w:document {_W}><w:body>{body}</w:body></w:document>",
        }
    )


def _paragraph(style: str, text: str) -> str:
    mark = f'<w:pPr><w:pStyle w:val="{style.replace(" ", "")}"/></w:pPr>' if style else ""
    return f"<w:p>{mark}<w:r><w:t>{text}</w:t></w:r></w:p>"


def _table(rows: list[list[str]]) -> str:
    cells = ("".join(f"<w:tc>{_paragraph('', cell)}</w:tc>" for cell in row) for row in rows)
    return f"<w:tbl>{''.join(f'<w:tr>{row}</w:tr>' for row in cells)}</w:tbl>"


def _relations(*targets: tuple[str, str]) -> str:
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    found = "".join(
        f'<Relationship Id="r{number}" Type="{kind}/{name}" Target="{target}"/>'
        for number, (name, target) in enumerate(targets)
    )
    return (
        f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{found}</Relationships>'
    )


def _archive(files: dict[str, str]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return out.getvalue()


def xlsx(**sheets: list[list[object]]) -> bytes:
    """A workbook of sheets given as rows."""
    from openpyxl import Workbook

    book = Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def pptx(*slides: tuple[str, str]) -> bytes:
    """A presentation of slides with a title and a text."""
    from pptx import Presentation

    show = Presentation()
    for title, text in slides:
        slide = show.slides.add_slide(show.slide_layouts[1])
        slide.shapes.title.text = title
        slide.placeholders[1].text = text
    out = io.BytesIO()
    show.save(out)
    return out.getvalue()
