"""What the documentation shows exists: linked files and headings, commands and options, extras and make targets."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from urllib.parse import unquote

import pytest
import typer.main
from markdown_it import MarkdownIt
from markdown_it.token import Token
from typer.core import TyperGroup

from pincite.cli.app import app
from pincite.settings import Config, load_config

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("examples/**/*.md")])
README = (ROOT / "README.md").read_text(encoding="utf-8")


@cache
def tokens(page: Path) -> list[Token]:
    """The page's Markdown, blocks and what stands in them, in reading order."""
    flat: list[Token] = []
    for token in MarkdownIt("commonmark").enable("table").parse(page.read_text(encoding="utf-8")):
        flat += [token, *(token.children or [])]
    return flat


def targets(page: Path) -> Iterator[str]:
    """Where the page's links and images lead."""
    for token in tokens(page):
        target = token.attrGet("href") or token.attrGet("src")
        if target:
            yield str(target)


def anchors(page: Path) -> set[str]:
    """The anchors that GitHub gives to the page's headings."""
    found = zip(tokens(page), tokens(page)[1:], strict=False)
    headings = [inline.content for opening, inline in found if opening.type == "heading_open"]
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def shell_lines(page: Path) -> Iterator[str]:
    """Lines of the page's plain and console code blocks, without prompt and comment; joined where they go on."""
    for token in tokens(page):
        if token.type == "fence" and token.info in ("", "console", "sh", "bash"):
            for line in re.sub(r"\\\n|\n {8,}", " ", token.content).splitlines():
                yield line.removeprefix("$ ").split(" #")[0].strip()


def options_at(words: list[str]) -> set[str]:
    """The options that may be given with the command that these words after `pincite` name."""
    command = typer.main.get_command(app)
    options = {"--help", *(name for parameter in command.params for name in parameter.opts)}
    for word in words:
        if word.startswith("-") or not isinstance(command, TyperGroup):
            break
        if word not in command.commands:
            raise LookupError(f"there is no command {word!r}")
        command = command.commands[word]
        options.update(name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts))
    return options


def calls(page: Path) -> Iterator[str]:
    """The calls of `pincite` that the page shows."""
    for line in shell_lines(page):
        yield from (call.strip() for call in re.split(r"&&|;", line) if call.strip().startswith("pincite "))


def extras(page: Path) -> Iterator[str]:
    """The extras that the page asks to install."""
    for group in re.findall(r'pip install "(?:pincite|\.)\[([^\]]+)\]"', page.read_text(encoding="utf-8")):
        yield from group.split(",")


def each_page(with_any: Callable[[Path], Iterator[str]]) -> pytest.MarkDecorator:
    """Runs a test for every page on which there is something to check."""
    found = [page for page in PAGES if any(with_any(page))]
    return pytest.mark.parametrize("page", found, ids=[str(page.relative_to(ROOT)) for page in found])


@each_page(with_any=targets)
def test_links_lead_somewhere(page: Path) -> None:
    broken = []
    for target in targets(page):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, anchor = unquote(target).partition("#")
        linked = (page.parent / file).resolve() if file else page
        if not linked.exists() or (anchor and linked.suffix == ".md" and anchor not in anchors(linked)):
            broken.append(target)
    assert broken == []


@each_page(with_any=calls)
def test_commands_and_their_options_exist(page: Path) -> None:
    wrong = []
    for call in calls(page):
        try:
            options = options_at(call.split()[1:])
        except LookupError as error:
            wrong.append(f"{call}: {error}")
            continue
        given = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", call))
        wrong += [f"{call}: no option {option}" for option in sorted(given - options)]
    assert wrong == []


@each_page(with_any=extras)
def test_extras_that_are_to_be_installed_exist(page: Path) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert set(extras(page)) <= set(project["optional-dependencies"])


def test_links_of_the_readme_reach_every_page_of_the_documentation() -> None:
    linked = {(ROOT / target).resolve() for target in targets(ROOT / "README.md")}
    assert [page.name for page in ROOT.glob("docs/*.md") if page.resolve() not in linked] == []


def test_the_readme_starts_with_a_sentence_a_picture_and_two_commands() -> None:
    blocks = [token for token in tokens(ROOT / "README.md") if token.type in ("image", "fence", "heading_open")]
    title, picture, start, *_ = blocks
    assert (title.tag, picture.attrGet("src"), start.type) == ("h1", "docs/images/page.png", "fence")
    assert [line.split("#")[0].split() for line in start.content.splitlines()] == [["make", "demo"], ["make", "test"]]


def test_make_targets_of_the_readme_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    named = {line.split()[1] for line in shell_lines(ROOT / "README.md") if line.startswith("make ")}
    assert named >= {"demo", "test"}
    assert named <= set(re.findall(r"^([a-z0-9-]+):", makefile, re.MULTILINE))


def test_the_example_in_python_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    (tmp_path / "samples").symlink_to(ROOT / "samples")
    monkeypatch.chdir(tmp_path)
    said: list[str] = []
    exec(compile(example, "README.md", "exec"), {"print": lambda *words: said.append(" ".join(map(str, words)))})
    assert "26 working days" in said[0]
    assert said[-1] == "verified"


def test_the_configuration_that_is_shown_is_accepted(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)
    (tmp_path / "pincite.yaml").write_text(shown, encoding="utf-8")
    config = load_config(tmp_path / "pincite.yaml")
    left_out = set(Config.model_fields) - config.model_fields_set
    assert left_out == set()
