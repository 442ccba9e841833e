"""A file is read unchanged; what cannot be read says why."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from pincite.errors import InvalidArgument
from pincite.kinds.documents import Document, UnreadableFile, read_document


def write(folder: Path, data: str | bytes, name: str = "a.md") -> Path:
    path = folder / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


def read(folder: Path, data: str | bytes, name: str = "a.md") -> Document:
    return read_document(write(folder, data, name), f"docs/{name}")


def test_front_matter_gives_name_language_metadata_validity_and_roles(tmp_path: Path) -> None:
    text = (
        "---\ntitle: Lease\nlang: de-CH\ntags: [a, b]\ndate: 2024-05-01\ndraft: false\nvalid_from: 2024-01-01\n"
        "valid_to: '2025-01-01'\nroles: [legal]\n---\n# Heading\n\nText.\n"
    )
    document = read(tmp_path, text)
    content = document.content
    assert (content.kind, content.element_type, content.name, content.language) == (
        "document",
        "document",
        "Lease",
        "de",
    )
    assert content.text == text
    assert content.metadata == {
        "tags": ["a", "b"],
        "date": "2024-05-01",
        "draft": False,
        "source_path": "docs/a.md",
        "file_type": "md",
    }
    assert (document.valid_from, document.valid_to) == (date(2024, 1, 1), date(2025, 1, 1))
    assert document.roles == {"legal"}
    assert document.notes == ()


def test_the_name_is_the_first_top_heading_else_the_stem(tmp_path: Path) -> None:
    assert read(tmp_path, "## Sub\n\n# The *real* one\n").content.name == "The real one"
    assert read(tmp_path, "plain", "Notes.txt").content.name == "Notes"


def test_newlines_and_odd_characters_stay(tmp_path: Path) -> None:
    assert read(tmp_path, "a\r\nb\rc\u2028d\x0c").content.text == "a\r\nb\rc\u2028d\x0c"


def test_a_byte_order_mark_is_removed_and_utf_16_accepted(tmp_path: Path) -> None:
    assert read(tmp_path, b"\xef\xbb\xbfGr\xc3\xbcezi").content.text == "Grüezi"
    assert read(tmp_path, "Grüezi".encode("utf-16")).content.text == "Grüezi"


def test_malformed_front_matter_stays_text_with_a_note(tmp_path: Path) -> None:
    document = read(tmp_path, "---\ntitle: [a\n---\nText.\n")
    assert document.content.text.startswith("---\ntitle")
    assert "not valid YAML" in document.notes[0]
    assert read(tmp_path, "---\nJust prose between rules.\n---\nText.\n").notes


def test_nested_values_are_left_out_with_a_note(tmp_path: Path) -> None:
    document = read(tmp_path, "---\nmenu: {a: 1}\n---\nText.\n")
    assert "menu" not in document.content.metadata
    assert "'menu'" in document.notes[0]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"abc\xff", "byte 3 is not UTF-8"),
        (b"\xef\xbb\xbfab\xff", "byte 5 is not UTF-8"),
        (b"\xff\xfea", "UTF-16"),
        (b"ab\x00c", "NUL at byte 2"),
        (b"", "no text"),
        (b" \n\t", "no text"),
        (b"---\ntitle: x\n---\n\n", "no text"),
        (b"---\nvalid_from: soon\n---\nText", "valid_from"),
        (b"---\nvalid_from: 2025-01-01\nvalid_to: 2024-01-01\n---\nText", "is not after"),
        (b"---\nroles: {a: 1}\n---\nText", "roles"),
        (b"---\nroles:\n---\nText", "roles"),
        (b"---\nroles: [a\n---\nText", "correct the YAML"),
        (b"x" * 101, "larger than 100 bytes"),
    ],
)
def test_what_cannot_be_read_says_why(tmp_path: Path, data: bytes, message: str) -> None:
    with pytest.raises(UnreadableFile, match=message) as caught:
        read_document(write(tmp_path, data), "docs/a.md", max_bytes=100)
    assert isinstance(caught.value, InvalidArgument)
    assert "docs/a.md" in caught.value.message


def test_a_missing_file_or_unknown_suffix_is_unreadable(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="No such file"):
        read_document(tmp_path / "none.md", "none.md")
    with pytest.raises(UnreadableFile, match=r"\.xyz"):
        read_document(write(tmp_path, "x", "a.xyz"), "a.xyz")
