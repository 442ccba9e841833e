"""One meaning per word: a class name stands for one thing in the whole package, read from the source itself."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import pincite

SOURCE = Path(pincite.__file__).parent


def _classes(file: Path) -> set[str]:
    """Names of the classes that a module offers to others; those with an underscore are its own business."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.ClassDef) and not node.name.startswith("_")}


def _homes(root: Path) -> dict[str, list[str]]:
    """For each name of a class, the modules that define one of this name."""
    homes: dict[str, list[str]] = defaultdict(list)
    for file in sorted(root.rglob("*.py")):
        for name in _classes(file):
            homes[name].append(file.relative_to(root).as_posix())
    return homes


def test_no_two_classes_share_a_name() -> None:
    homes = _homes(SOURCE)
    assert {"Library", "Catalog", "Chunk"} <= homes.keys()
    assert {name: files for name, files in homes.items() if len(files) > 1} == {}


def test_a_name_that_is_used_twice_is_noticed(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / f"{name}.py").write_text("class Place:\n    pass\n\n\nclass _Own:\n    pass\n", encoding="utf-8")
    assert _homes(tmp_path) == {"Place": ["one.py", "two.py"]}
