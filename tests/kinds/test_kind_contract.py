"""Our kinds, held to the promises of the protocol."""

from __future__ import annotations

import json
from pathlib import Path

from pincite.kinds.open import open_kind
from pincite.protocols import Kind
from pincite.testing.kind import KindContract


class TestDocuments(KindContract):
    queries = ("What does § 4.2 say about leave?",)

    def make_kind(self) -> Kind:
        return open_kind("documents")

    def write_items(self, folder: Path) -> None:
        (folder / "handbook.md").write_text(
            "---\nroles: [clerk]\nvalid_from: 2024-01-01\n---\n# Handbook\n\n## 4.2 Leave\n\nThirty days of leave; see"
            " [travel](more/travel.md) and § 5.\n\n## 5 Notice\n\n“Notice” means a letter.\n",
            encoding="utf-8",
        )
        (folder / "more").mkdir()
        (folder / "more" / "travel.md").write_text("# Travel\n\nTrains before planes.\n", encoding="utf-8")
        (folder / "note.txt").write_text("A text without headings, in two sentences. Here is the second.\n", "utf-8")
        (folder / "prices.csv").write_text("item,price\nbread,3\nmilk,2\n", encoding="utf-8")


class TestTools(KindContract):
    queries = ("Which tool sends an e-mail?",)

    def make_kind(self) -> Kind:
        return open_kind("tools")

    def write_items(self, folder: Path) -> None:
        schema = {"type": "object", "properties": {"to": {"type": "string", "description": "who gets it"}}}
        tools = [
            {"name": "sendMail", "description": "Sends an e-mail.", "inputSchema": schema},
            {"name": "get_weather", "title": "Weather", "annotations": {"readOnlyHint": True}},
        ]
        (folder / "office.json").write_text(json.dumps({"tools": tools}), encoding="utf-8")
        openai = [{"type": "function", "function": {"name": "sendMail", "parameters": schema}}]
        (folder / "other.json").write_text(json.dumps(openai), encoding="utf-8")

    def change_one(self, folder: Path) -> None:
        office = folder / "office.json"
        office.write_text(office.read_text(encoding="utf-8").replace("an e-mail", "a letter"), encoding="utf-8")
