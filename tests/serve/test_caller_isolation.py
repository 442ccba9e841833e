"""What a caller may not read does not exist for them: every operation, in two worlds that differ in it alone.

One world holds something hidden from the caller, the other was made without it. Whatever is asked, the answers are the
same to the letter, errors and suggestions included; so nothing of the hidden part shows in results, counts or messages.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import pincite
from pincite.serve.callers import SCOPES, Caller
from pincite.serve.desk import Desk
from pincite.serve.operations import OPERATIONS
from pincite.settings.serve import ServeSettings

MARK = "zephyrine"
OPEN = "---\nowner: office\n---\n# Leave\n\n“Leave year” means the calendar year.\n\nRest of 26 days, see § 4.\n"
HIDDEN = (
    f"---\nowner: {MARK}\n---\n# {MARK} plan\n\n“{MARK} term” means rest of 26 days for {MARK}, see § 9.\n\n"
    "# More\n\nThe rest.\n"
)
VOLATILE = frozenset(
    {"ms", "time", "created", "token", "next_cursor", "generation", "as_of", "bytes", "seconds", "segments"}
)
"""What differs between two libraries that hold the same."""


@dataclass(frozen=True)
class Case:
    """Where something is hidden, and from whom."""

    tenant: str
    organization: str
    repository: str
    caller: Caller
    by_role: bool = False

    @property
    def citation(self) -> str:
        return f"pincite:{self.tenant}/{self.organization}/{self.repository}/{MARK}.md"


def caller(**limits: Any) -> Caller:
    return Caller("k1", "acme", "legal", scopes=frozenset(SCOPES), **limits)


CASES = {
    "other tenant": Case("globex", "legal", "main", caller()),
    "other organization": Case("acme", "sales", "main", caller()),
    "repository outside the set": Case("acme", "legal", MARK, caller(repositories=frozenset({"main"}))),
    "role not held": Case("acme", "legal", "main", caller(roles=frozenset({"staff"})), by_role=True),
}

Attempts = Callable[[Case], list[dict[str, Any]]]


def _reading(**arguments: Any) -> Attempts:
    return lambda case: [
        arguments,
        {**arguments, "repository_id": [case.repository]},
        {**arguments, "read_context": "baseline:" + MARK},
        {**arguments, "filters": {"owner": MARK}} if "query" in arguments else arguments,
    ]


def _element(**more: Any) -> Attempts:
    return lambda case: [
        {"element": case.citation, **more},
        {"element": f"{MARK}.md", **more},
        {"element": f"{MARK}.md", "repository_id": case.repository, **more},
    ]


def _repository(**more: Any) -> Attempts:
    return lambda case: [more, {"repository_id": case.repository, **more}]


ATTEMPTS: dict[str, Attempts] = {
    "semanticSearch": lambda case: [
        *_reading(query=f"{MARK} rest days", explain=True)(case),
        {"query": f"{MARK}.md", "mode": "exact"},
        {"query": "rest", "mode": "keyword", "filters": {"ownr": MARK}},
        {"query": f'"rest of 26 days for {MARK}"'},
    ],
    "getContext": _reading(query=f"{MARK} rest days"),
    "getElement": _element(neighbours=2),
    "verify": lambda case: [
        {"quote": f"rest of 26 days for {MARK}"},
        {"quote": f"rest of 26 days for {MARK}", "citation": case.citation},
    ],
    "verifyCitations": lambda case: [{"text": f'It says "rest of 26 days for {MARK}" ({case.citation}).'}],
    "compareBaselines": lambda case: [
        {"query": MARK, "from": "revision:1", "to": "head"},
        {"query": MARK, "from": f"baseline:{MARK}", "repository_id": case.repository},
    ],
    "whyNot": lambda case: [
        {"query": MARK, "element": case.citation},
        {"query": MARK, "element": f"{MARK}.md"},
        {"query": MARK, "element": f"{MARK}.md", "repository_id": case.repository},
    ],
    "definitions": lambda case: [{"term": f"{MARK} term"}, {"term": "term", "repository_id": case.repository}],
    "references": lambda case: [*_element(incoming=True)(case), *_element(unresolved=True)(case)],
    "history": _element(),
    "diff": lambda case: [
        {"from": "revision:0", "repository_id": case.repository},
        {"from": f"baseline:{MARK}", "repository_id": case.repository},
    ],
    "revisions": _repository(),
    "filters": _repository(),
    "listRepositories": lambda _case: [{}, {"include_filters": False}],
    "indexHealth": lambda _case: [{}],
    "doctor": lambda _case: [{}],
    "search": lambda _case: [{"query": MARK}, {"query": "rest of 26 days"}],
    "fetch": lambda case: [{"id": case.citation}, {"id": f"{MARK}.md"}],
    "listBaselines": _repository(),
    "replay": lambda _case: [{"token": "p.invented"}],
    "ingest": lambda case: [{"source": "open", "repository_id": case.repository}],
    "reindex": lambda case: [{"repository_id": case.repository}],
    "createBaseline": lambda case: [{"baseline_id": "b", "repository_id": case.repository}],
    "publishBaseline": lambda case: [{"baseline_id": MARK, "repository_id": case.repository}],
    "rollbackBaseline": lambda case: [{"repository_id": case.repository}],
}


def test_every_operation_is_tried() -> None:
    assert ATTEMPTS.keys() == OPERATIONS.keys()


class World:
    """A library that holds something in the open, and perhaps something that the caller may not read."""

    def __init__(self, root: Path, case: Case, *, hidden: bool) -> None:
        self.root, self.case = root, case
        secret = HIDDEN.replace("---\n", "---\nroles: [board]\n", 1) if case.by_role else HIDDEN
        self._folder("open", {"leave.md": OPEN, **({f"{MARK}.md": secret} if hidden and case.by_role else {})})
        self.library = pincite.open(root / "library", tenant="acme", organization="legal")  # whose folders are ingested
        self.mine = self.library.for_caller(tenant="acme", organization="legal")
        self.mine.ingest(root / "open")
        if hidden and not case.by_role:
            self._folder("hidden", {f"{MARK}.md": secret})
            owner = self.owner()
            owner.ingest(root / "hidden", repository=case.repository)
            owner.baselines.create(MARK, repository=case.repository)
            owner.baselines.publish(MARK, repository=case.repository)
        self.desk = Desk(self.library, ServeSettings(ingest_roots=(str(root / "open"),)))

    def owner(self) -> pincite.Library:
        """Who may read what is hidden."""
        return self.library.for_caller(tenant=self.case.tenant, organization=self.case.organization)

    def ask(self, name: str, arguments: dict[str, Any]) -> Any:
        if "source" in arguments:
            arguments = arguments | {"source": str(self.root / arguments["source"])}
        try:
            return self.desk.run(name, arguments, self.case.caller, door="test")
        except pincite.PinciteError as error:
            return error.to_wire()

    def _folder(self, name: str, files: dict[str, str]) -> None:
        (self.root / name).mkdir(parents=True)
        for file, text in files.items():
            (self.root / name / file).write_text(text, encoding="utf-8")


def worlds(root: Path, case: Case) -> Iterator[tuple[World, World]]:
    with_it, without = World(root / "with", case, hidden=True), World(root / "without", case, hidden=False)
    yield with_it, without
    with_it.library.close()
    without.library.close()


@pytest.fixture(scope="module", params=CASES)
def read_worlds(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Made once for all operations that change nothing."""
    yield from worlds(tmp_path_factory.mktemp("worlds"), CASES[request.param])


@pytest.fixture(params=CASES)
def write_worlds(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Any]:
    yield from worlds(tmp_path, CASES[request.param])


def steady(value: Any) -> Any:
    """An answer without what differs between any two libraries."""
    if isinstance(value, dict):
        return {key: steady(item) for key, item in value.items() if key not in VOLATILE}
    return [steady(item) for item in value] if isinstance(value, list) else value


READS = sorted(name for name, operation in OPERATIONS.items() if operation.reads_only)
WRITES = sorted(OPERATIONS.keys() - set(READS))


@pytest.mark.parametrize("name", READS)
def test_reading_tells_nothing_of_what_is_hidden(read_worlds: tuple[World, World], name: str) -> None:
    with_it, without = read_worlds
    attempts = ATTEMPTS[name](with_it.case)
    assert attempts
    for arguments in attempts:
        seen, expected = with_it.ask(name, arguments), without.ask(name, arguments)
        assert steady(seen) == steady(expected), arguments
        assert "internal" not in json.dumps(seen.get("error"))


@pytest.mark.parametrize("name", WRITES)
def test_writing_neither_tells_of_nor_touches_what_is_hidden(write_worlds: tuple[World, World], name: str) -> None:
    with_it, without = write_worlds
    before = hidden_state(with_it)
    attempts = ATTEMPTS[name](with_it.case)
    assert attempts
    for arguments in attempts:
        seen, expected = with_it.ask(name, arguments), without.ask(name, arguments)
        assert steady(seen) == steady(expected), arguments
    assert hidden_state(with_it) == before


def hidden_state(world: World) -> Any:
    if world.case.by_role:
        return world.mine.elements()
    owner, name = world.owner(), world.case.repository
    return owner.elements(repository=name), owner.baselines.list(repository=name), owner.revisions(repository=name)


def test_the_hidden_part_is_there_for_its_owner(read_worlds: tuple[World, World]) -> None:
    """Otherwise the other tests would compare nothing with nothing."""
    with_it, _ = read_worlds
    found = with_it.owner().search(MARK, repository=with_it.case.repository).hits
    assert [hit.passage.element_id for hit in found] == [f"{MARK}.md"]


def test_the_open_part_is_there_for_the_caller(read_worlds: tuple[World, World]) -> None:
    for world in read_worlds:
        found = world.ask("semanticSearch", {"query": "rest of 26 days"})["results"]
        assert [hit["citation"].partition("@")[0] for hit in found] == ["pincite:acme/legal/main/leave.md"]


def test_a_replay_token_of_somebody_else_opens_nothing(read_worlds: tuple[World, World]) -> None:
    with_it, _ = read_worlds
    token = with_it.owner().search(MARK, repository=with_it.case.repository).replay["token"]
    told = with_it.ask("replay", {"token": token})
    assert told["error"]["code"] in ("permission_denied", "invalid_argument")
    assert MARK not in json.dumps(told)


def test_a_cursor_of_somebody_else_opens_nothing(read_worlds: tuple[World, World]) -> None:
    with_it, _ = read_worlds
    owner = with_it.owner()
    query = {"query": f"rest {MARK} plan", "group": "chunk"}
    page = owner.search(query["query"], limit=1, group="chunk")
    assert page.next_cursor
    told = with_it.ask("semanticSearch", {**query, "top_k": 1, "cursor": page.next_cursor})
    assert told["error"]["field"] == "cursor"
    assert MARK not in told["error"]["message"]


def test_a_caller_of_some_repositories_may_not_write_to_others(tmp_path: Path) -> None:
    """Whether or not a repository of that name exists."""
    for with_it, _ in worlds(tmp_path, CASES["repository outside the set"]):
        told = []
        for name in (MARK, "brand-new"):
            refused = with_it.ask("ingest", {"source": "open", "repository_id": name})["error"]
            assert refused["code"] == "permission_denied"
            told.append(refused["message"].replace(name, "X"))
        assert told[0] == told[1]
        with pytest.raises(pincite.PinciteError, match="you may not write to"):
            with_it.desk.library_for(with_it.case.caller).purge(f"{MARK}.md", repository=MARK)
        assert with_it.owner().elements(repository=MARK) == (f"{MARK}.md",)


def test_what_concerns_the_whole_library_is_not_done_for_a_caller(read_worlds: tuple[World, World]) -> None:
    with_it, _ = read_worlds
    library = with_it.desk.library_for(caller())
    for act in (lambda: library.backup(with_it.root / "copy"), lambda: library.drop_old_embeddings(force=True)):
        with pytest.raises(pincite.PinciteError) as refused:
            act()
        assert refused.value.code == "permission_denied"
