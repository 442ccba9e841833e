"""The command line as a user meets it: what it prints where, and how it exits."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from desk import SAMPLES
from terminal import Done, Run

COMMANDS = (
    "keys create", "keys list", "keys revoke", "mcp",
    "ingest", "purge", "embed", "why-not", "compare", "context", "models list", "models pull", "models quantize",
    "models check", "search", "replay", "filters", "get", "verify", "definitions", "references", "log", "history",
    "diff", "status", "doctor", "rebuild", "reindex", "eval", "tune", "backup", "restore", "baseline create",
    "baseline list", "baseline publish", "baseline rollback", "config check", "config schema", "tool list", "tool run",
    "tools list", "tools search", "keys create", "keys list", "keys revoke", "mcp", "serve",
)  # fmt: skip


def start(folder: Path, *arguments: str, **environ: str) -> Done:
    """The program in a process of its own."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith("PINCITE_")}
    done = subprocess.run(
        [sys.executable, "-m", "pincite", *arguments], cwd=folder, env=clean | environ, capture_output=True, check=False
    )
    return Done(done.returncode, done.stdout.decode(), done.stderr.decode())


@pytest.fixture
def filled(tmp_path: Path, run: Run) -> Run:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# Leave\n\n## § 4.2 Annual leave\n\nTwenty-six days of leave.\n")
    (tmp_path / "docs" / "b.md").write_text("# Expenses\n\nReceipts are due in a month.\n")
    made = run("ingest", "docs")
    assert (made.returncode, made.stderr) == (0, "created a new library in .pincite\n")
    return run


def data(done: Done) -> Any:
    return json.loads(done.stdout)


def test_a_session_from_nothing(filled: Run, tmp_path: Path) -> None:
    found = data(filled("search", "annual leave", "--json"))
    citation = found["results"][0]["citation"]
    assert filled("get", citation).stdout.strip() == found["results"][0]["content"]
    assert filled("get", "a.md", "--section", "§ 4.2").stdout.startswith("## § 4.2")
    assert filled("verify", "Twenty-six days", "--citation", citation).stdout.startswith("verified")
    assert data(filled("baseline", "create", "spring", "--json"))["baseline_id"] == "spring"
    assert filled("baseline", "publish", "spring").returncode == 0
    (tmp_path / "docs" / "a.md").write_text("# Leave\n\n## § 4.2 Annual leave\n\nTwenty-eight days of leave.\n")
    assert "1 changed" in filled("ingest", "docs", "-m", "new rule", "--author", "ann").stdout
    assert "changed    a.md" in filled("diff", "--from", "1").stdout
    old = filled("search", "annual leave", "--read-context", "published").stdout
    assert "Twenty-six" in old
    assert "not the current version" in filled("get", citation).stderr
    superseded = filled("verify", "Twenty-six days", "--citation", citation)
    assert (superseded.returncode, superseded.stdout.startswith("superseded")) == (0, True)
    altered = filled("verify", "Twenty-nine days of leave")
    assert (altered.returncode, "'nine' instead of 'eight'" in altered.stdout) == (1, True)
    assert "until now" in filled("history", "a.md").stdout
    assert "ann" in filled("log").stdout
    again = data(filled("replay", found["replay"]["token"], "--json"))
    assert [r["content"] for r in again["results"]] == [r["content"] for r in found["results"]]


def test_maintenance(filled: Run, tmp_path: Path) -> None:
    status = data(filled("status", "--json"))
    assert status["repositories"][0]["index"]["lag"] == 0
    assert data(filled("doctor", "--json"))["ok"] is True
    assert data(filled("rebuild", "--json"))["rebuilt"][0]["revision"] == 1
    assert filled("backup", "saved").returncode == 0
    assert filled("backup", "saved").returncode == 1
    assert filled("restore", "saved", "restored").returncode == 0
    assert "Leave" in filled("--library", "restored", "search", "leave").stdout
    segment = max((tmp_path / "restored" / "index").rglob("*"), key=lambda p: p.stat().st_size if p.is_file() else 0)
    spoiled = bytearray(segment.read_bytes())
    spoiled[len(spoiled) // 2] ^= 0x20
    segment.write_bytes(spoiled)
    sick = filled("--library", "restored", "doctor")
    assert (sick.returncode, "PROBLEM" in sick.stdout, "pincite rebuild" in sick.stdout) == (1, True, True)


def test_purge_asks(filled: Run) -> None:
    refused = filled("purge", "a.md", stdin="n\n")
    assert (refused.returncode, "nothing was changed" in refused.stderr) == (1, True)
    assert filled("purge", "a.md", stdin="").returncode == 1
    assert filled("purge", "a.md", "--json").returncode == 2
    assert filled("get", "a.md").returncode == 0
    assert data(filled("purge", "a.md", "--yes", "--json"))["erased"] == 1
    gone = filled("get", "a.md")
    assert (gone.returncode, "erased" in gone.stderr) == (3, True)
    assert filled("verify", "Twenty-six days", "--citation", "pincite:default/default/main/a.md").returncode == 1
    assert filled("purge", "b.md", stdin="y\n").returncode == 0


@pytest.mark.parametrize(
    ("arguments", "code", "wire_code"),
    [
        (("search", "leave", "--limit", "300"), 2, "invalid_argument"),
        (("search", "leave", "--filter", "langage=en"), 2, "unknown_argument"),
        (("search", "leave", "--filter", "language"), 2, "invalid_argument"),
        (("search", "leave", "--limt", "3"), 2, "unknown_argument"),
        (("search", "leave", "--mode", "fuzzy"), 2, "unknown_argument"),
        (("search",), 2, "invalid_argument"),
        (("serch", "leave"), 2, "invalid_argument"),
        (("search", "leave", "-r", "nowhere"), 3, "not_found"),
        (("get", "nowhere.md"), 3, "not_found"),
        (("get", "a.md", "--span", "1"), 2, "invalid_argument"),
        (("ingest", "no/such/folder"), 3, "not_found"),
        (("replay", "xyz"), 2, "invalid_argument"),
        (("baseline", "publish", "none"), 3, "not_found"),
    ],
)
def test_errors_have_one_shape_and_an_exit_code(
    filled: Run, arguments: tuple[str, ...], code: int, wire_code: str
) -> None:
    done = filled(*arguments, "--json")
    assert done.returncode == code, done.stderr
    assert data(done)["error"].keys() == {"code", "message", "field", "suggestions"}
    assert data(done)["error"]["code"] == wire_code
    assert done.stderr
    plain = filled(*arguments)
    assert (plain.returncode, plain.stdout) == (code, "")
    assert "Traceback" not in plain.stderr


def test_unavailable_is_exit_code_four(filled: Run, tmp_path: Path) -> None:
    (tmp_path / ".pincite" / "catalog.db").write_bytes(b"this is not a database" * 100)
    done = filled("search", "leave", "--json")
    assert (done.returncode, data(done)["error"]["code"]) == (4, "unavailable")


@pytest.mark.parametrize("command", ["search leave", "get a.md", "status", "doctor", "log", "filters", "baseline list"])
def test_a_missing_library_is_exit_code_three_with_advice(run: Run, tmp_path: Path, command: str) -> None:
    done = run(*command.split())
    assert (done.returncode, "pincite ingest FOLDER" in done.stderr, done.stdout) == (3, True, "")
    assert not (tmp_path / ".pincite").exists()


def test_where_settings_come_from(filled: Run, tmp_path: Path) -> None:
    assert filled("status", PINCITE_LIBRARY="nowhere").returncode == 3
    assert filled("--library", ".pincite", "status", PINCITE_LIBRARY="nowhere").returncode == 0
    (tmp_path / "pincite.yaml").write_text("library: .pincite\nrepository: second\n")
    assert filled("--config", "pincite.yaml", "ingest", "docs").returncode == 0
    assert [r["repository_id"] for r in data(filled("status", "--json"))["repositories"]] == ["main", "second"]
    assert filled("status", PINCITE_TENANT="other").stdout.count("main") == 0
    both = data(filled("search", "leave", "-r", "main", "-r", "second", "--json"))
    assert both["read_context"]["repositories"].keys() == {"main", "second"}
    (tmp_path / "pincite.yaml").write_text("repositori: x\n")
    wrong = filled("--config", "pincite.yaml", "status")
    assert (wrong.returncode, "did you mean 'repository'" in wrong.stderr) == (2, True)
    assert filled("--config", "none.yaml", "status").returncode == 3


def test_files_that_could_not_be_read_are_exit_code_one(run: Run, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("alpha")
    (tmp_path / "docs" / "bad.md").write_bytes(b"\xff\xfe\xff")
    (tmp_path / "docs" / "c.pdf").write_bytes(b"%PDF")
    done = run("ingest", "docs")
    assert (done.returncode, "1 added" in done.stdout) == (1, True)
    assert "not read: bad.md" in done.stderr
    assert "not read: c.pdf: not a PDF" in done.stderr
    report = data(run("ingest", "docs", "--json"))
    assert ([f["path"] for f in report["failed"]], [f["path"] for f in report["skipped"]]) == (["bad.md", "c.pdf"], [])


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example(run: Run, command: str) -> None:
    done = run(*command.split(), "--help")
    assert done.returncode == 0
    assert re.search(rf"Example: pincite .*{command.split()[-1]}", done.stdout), done.stdout
    assert "\x1b[" not in done.stdout


def test_no_command_was_forgotten(run: Run) -> None:
    listed = run("--help").stdout
    assert {name.split()[0] for name in COMMANDS} == set(re.findall(r"^│ ([a-z-]+)\s+[A-Z]", listed, re.MULTILINE))


def test_data_goes_to_stdout_and_messages_to_stderr(filled: Run) -> None:
    for arguments in (("search", "leave", "--explain"), ("search", "nothingatall"), ("get", "a.md")):
        done = filled(*arguments, "--json")
        assert (json.loads(done.stdout) is not None, done.stderr) == (True, "")
    shown = filled("search", "leave")
    assert "of 1; main at revision 1" in shown.stderr
    assert "revision 1" not in shown.stdout


def test_odd_bytes_and_narrow_encodings_do_not_crash(filled: Run, tmp_path: Path) -> None:
    (tmp_path / "docs" / "ü\n.md").write_text("# Öffentlich „Gebühr“ 中\n\nlesbar\n", encoding="utf-8")
    assert filled("ingest", "docs").returncode == 0
    done = start(tmp_path, "search", "lesbar", "--json", PYTHONIOENCODING="ascii")
    assert (done.returncode, data(done)["results"][0]["element_name"]) == (0, "Öffentlich „Gebühr“ 中")
    assert start(tmp_path, "search", "lesbar", PYTHONIOENCODING="ascii").returncode == 0
    assert filled("search", os.fsdecode(b"caf\xe9"), "--json").returncode == 0
    odd = start(tmp_path, "get", os.fsdecode(b"caf\xe9"), "--json")
    assert (odd.returncode in (2, 3), "Traceback" in odd.stderr) == (True, False)


@pytest.mark.usefixtures("filled")
def test_a_closed_pipe_is_no_error(tmp_path: Path) -> None:
    script = f"{sys.executable} -m pincite search leave --json | head -c 1; exit ${{PIPESTATUS[0]}}"
    for _ in range(2):
        done = subprocess.run(["bash", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr, done.stdout) == (0, "", "{")


def test_an_interrupt_says_so(filled: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("pincite.library.Library.status", interrupted)
    done = filled("status")
    assert (done.returncode, "interrupted; what was committed stays committed" in done.stderr) == (130, True)


@pytest.fixture
def mine() -> Iterator[Callable[..., None]]:
    """What a program that calls `main` does on SIGTERM and SIGINT."""

    def handler(*_: object) -> None:
        pytest.fail("nobody sent it")

    numbers = (signal.SIGTERM, signal.SIGINT)
    before = {number: signal.signal(number, handler) for number in numbers}
    yield handler
    for number in numbers:
        signal.signal(number, before[number])


def handlers() -> set[object]:
    return {signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}


@pytest.mark.parametrize(
    ("command", "code"), [("status", 0), ("--help", 0), ("search leave --limit many", 2), ("get nothing.md", 3)]
)
def test_a_program_that_calls_it_keeps_its_own_signal_handlers(
    filled: Run, mine: Callable[..., None], command: str, code: int
) -> None:
    assert filled(*command.split()).returncode == code
    assert handlers() == {mine}


def test_a_command_that_is_terminated_says_so_by_its_exit_code_and_gives_the_handlers_back(
    filled: Run, monkeypatch: pytest.MonkeyPatch, mine: Callable[..., None]
) -> None:
    monkeypatch.setattr("pincite.library.Library.status", lambda *_, **__: os.kill(os.getpid(), signal.SIGTERM))
    assert filled("status").returncode == 143
    assert handlers() == {mine}


def test_the_demo_questions_find_their_answers(run: Run) -> None:
    assert run("ingest", str(SAMPLES)).returncode == 0
    for query, element in (
        ("Hundebiss", "municipality/hundereglement.md"),
        ("dépôt de garantie", "housing/charte-de-location.md"),
        ("penale per il ritardo", "suppliers/contratto-di-fornitura.md"),
        ("working from abroad", "company/remote-work.md"),
        ("OrderService", "service/order-platform-manual.txt"),
    ):
        found = data(run("search", query, "--json"))
        assert found["results"][0]["element_id"] == element, query
