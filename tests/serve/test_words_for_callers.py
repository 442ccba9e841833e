"""What a caller of the server reads: no command of a shell that is not theirs, no folder of the server."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import pincite
from desk import SAMPLES
from pincite.advice import by_operator, either, over_a_door, place
from pincite.errors import InvalidArgument, MissingExtra, PinciteError
from pincite.serve.callers import Caller
from pincite.serve.desk import Desk

SOURCE = Path(pincite.__file__).parent
COMMAND = re.compile(r"pincite (?!-)[a-z]+\b|(?<![\w-])--[a-z]")
SAID_TO_CALLERS = ("catalog", "index", "search", "ingest", "health.py", "fixed.py")
"""Where the words of answers, errors and findings come from."""


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """The samples, of which no passage has a vector yet."""
    settings = {"library": str(tmp_path / "library"), "dense": "auto", "embedding": {"model": "hashing:512"}}
    with pincite.open(settings) as library:
        library.ingest(SAMPLES, embedding=False)
        yield Desk(library)


def ask(desk: Desk, operation: str, **arguments: object) -> str:
    """All that a caller reads, as text."""
    try:
        return json.dumps(desk.run(operation, arguments, desk.local(), door="http"), ensure_ascii=False)
    except PinciteError as error:
        return json.dumps(error.to_wire(), ensure_ascii=False)


def test_the_same_words_have_a_reader_here_and_one_there() -> None:
    assert by_operator("make them with", "pincite embed") == "make them with: pincite embed"
    assert (either("here", "there"), place("/srv/a/b.db")) == ("here", "/srv/a/b.db")
    with over_a_door():
        assert (
            by_operator("make them with", "pincite embed") == "the server's operator can make them with `pincite embed`"
        )
        assert (either("here", "there"), place("/srv/a/b.db")) == ("there", "b.db")
        assert "the server's operator can install with" in MissingExtra.for_extra("documents", "a PDF").message
    assert either("here", "there") == "here"


def test_a_leg_without_vectors_names_the_operator_over_a_door_and_the_command_at_home(desk: Desk) -> None:
    at_home = next(leg for leg in desk.library.search("annual leave").legs if leg.name == "dense")
    assert at_home.reason.endswith("; make them with: pincite embed")
    assert "the server's operator can make them with `pincite embed`" in ask(desk, "semanticSearch", query="leave")


def test_health_names_the_operator_over_a_door(desk: Desk) -> None:
    said = ask(desk, "indexHealth")
    assert "the server's operator can run `pincite embed`" in said and "run: pincite" not in said


def test_a_damaged_index_tells_callers_no_folder(desk: Desk) -> None:
    for path in desk.library.path.rglob("columns.bin"):
        shorter = path.read_bytes()[:-1]
        path.unlink()  # another file: to shorten one that is mapped would end this process
        path.write_bytes(shorter)
    with pincite.open({"library": str(desk.library.path), "dense": "off"}) as library:
        said = ask(Desk(library), "semanticSearch", query="leave")
        with pytest.raises(PinciteError) as at_home:
            library.search("leave")
    assert "columns.bin has" in said and "the server's operator can repair it with `pincite rebuild`" in said
    assert str(desk.library.path) not in said
    assert str(desk.library.path) in at_home.value.message
    assert "repair it with: pincite rebuild" in at_home.value.message


@pytest.mark.parametrize(
    ("operation", "arguments"),
    [
        ("getElement", {"element": "nothing/like/this.md"}),
        ("getElement", {"element": "company/leave.md", "version_id": "ffffffff"}),
        ("whyNot", {"element": "zzz", "query": "leave"}),
        ("semanticSearch", {"query": "x" * 4_001}),
        ("ingest", {"source": "/nowhere"}),
        ("doctor", {}),
    ],
)
def test_what_a_caller_is_told_holds_no_option_and_no_folder(
    desk: Desk, operation: str, arguments: dict[str, object]
) -> None:
    said = ask(desk, operation, **arguments)
    assert not re.search(r"(?<![\w-])--[a-z]", said) and "with: pincite" not in said
    assert str(desk.library.path) not in said


def test_a_token_of_another_tenant_is_answered_like_an_invented_one(tmp_path: Path) -> None:
    with pincite.open({"library": str(tmp_path / "library"), "dense": "off"}) as library:
        library.ingest(SAMPLES)
        token = str(library.search("leave").replay["token"])
        desk = Desk(library)
        stranger = Caller("x", tenant="other", organization="default", scopes=frozenset({"search:read"}))
        told = []
        for given in (token, "p.invented"):
            with pytest.raises(InvalidArgument) as refused:
                desk.run("replay", {"token": given}, stranger, door="http")
            told.append(refused.value.to_wire())
    assert told[0] == told[1]
    assert told[0]["error"]["field"] == "token"  # type: ignore[index]


def _strings_outside_advice(path: Path) -> list[str]:
    """Strings that hold a command or an option and are not handed to `either` or `by_operator`."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    spared: set[int] = set()
    for node in ast.walk(tree):
        named = isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        if named and node.func.id in ("either", "by_operator", "_run"):
            spared |= {id(inner) for inner in ast.walk(node)}
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            spared.add(id(node.value))  # a docstring
    strings = [n for n in ast.walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    return [n.value for n in strings if id(n) not in spared and COMMAND.search(n.value)]


def test_what_the_engine_says_gives_commands_only_as_advice() -> None:
    """A new message with a command in it says what a caller of the server reads instead."""
    found = {}
    for name in SAID_TO_CALLERS:
        below = SOURCE / name
        for path in [below] if below.is_file() else sorted(below.rglob("*.py")):
            if said := _strings_outside_advice(path):
                found[str(path.relative_to(SOURCE))] = said
    assert not found
