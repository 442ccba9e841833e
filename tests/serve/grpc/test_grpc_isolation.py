"""Over gRPC, too, what a caller may not read does not exist: each method, in two worlds that differ in it alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.message import Message
from google.protobuf.struct_pb2 import Struct

import pincite
from grpc_client import Served, plain, refused, serving
from pincite.serve.callers import SCOPES
from pincite.serve.desk import Desk
from pincite.serve.grpc.generated import semantic_query_pb2 as pb

MARK = "zephyrine"
OPEN = "# Leave\n\n“Leave year” means the calendar year.\n\nRest of 26 days, see § 4.\n"
HIDDEN = f"---\nowner: {MARK}\n---\n# {MARK} plan\n\n“{MARK} term” means rest of 26 days for {MARK}.\n"
VOLATILE = frozenset({"generation", "as_of", "segments"})
"""What differs between two libraries that hold the same."""


@dataclass(frozen=True)
class Case:
    """Where something is hidden, and what the caller's key allows."""

    tenant: str
    organization: str
    repository: str
    rights: dict[str, Any] = field(default_factory=dict)


CASES = {
    "other tenant": Case("globex", "legal", "main"),
    "other organization": Case("acme", "sales", "main"),
    "repository outside the set": Case("acme", "legal", MARK, {"repositories": ["main"]}),
    "role not held": Case("acme", "legal", "main", {"roles": ["staff"]}),
}
BY_ROLE = "role not held"


@pytest.fixture(params=CASES)
def worlds(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Case, Served, Served]]:
    case = CASES[request.param]
    with ExitStack() as stack:
        served = [
            _world(stack, tmp_path / name, case, hidden=name == "with", by_role=request.param == BY_ROLE)
            for name in ("with", "without")
        ]
        yield case, served[0], served[1]


def _world(stack: ExitStack, root: Path, case: Case, *, hidden: bool, by_role: bool) -> Served:
    library = stack.enter_context(pincite.open(root / "library"))
    for folder, text in (("open", OPEN), ("hidden", HIDDEN)):
        (root / folder).mkdir(parents=True)
        (root / folder / ("leave.md" if folder == "open" else f"{MARK}.md")).write_text(text, encoding="utf-8")
    if hidden and by_role:
        (root / "open" / f"{MARK}.md").write_text(HIDDEN.replace("---\n", "---\nroles: [board]\n", 1), encoding="utf-8")
    library.for_caller(tenant="acme", organization="legal").ingest(root / "open")
    owner = library.for_caller(tenant=case.tenant, organization=case.organization)
    if hidden and not by_role:
        owner.ingest(root / "hidden", repository=case.repository)
        owner.baselines.create(MARK, repository=case.repository)
    if hidden:
        assert owner.search(MARK, repository=case.repository).hits, "otherwise nothing is hidden"
    served = stack.enter_context(serving(Desk(library)))
    served.token = served.key("k1", tenant="acme", organization="legal", scopes=tuple(SCOPES), **case.rights)
    return served


def attempts(case: Case) -> list[tuple[str, Message]]:
    owner = Struct()
    owner.update({"owner": MARK})
    citation = f"pincite:{case.tenant}/{case.organization}/{case.repository}/{MARK}.md"
    state = pb.ReadContext(baseline_id=MARK)
    searches = [
        pb.SearchRequest(query=f"{MARK} rest days", explain=True),
        pb.SearchRequest(query=f"{MARK} rest days", repository_id=[case.repository]),
        pb.SearchRequest(query="rest", read_context=state),
        pb.SearchRequest(query="rest", filters=owner),
        pb.SearchRequest(query=citation, mode=pb.SEARCH_MODE_EXACT),
    ]
    contexts = [
        pb.GetContextRequest(query=f"{MARK} rest days"),
        pb.GetContextRequest(query=f"{MARK} rest days", repository_id=[case.repository]),
        pb.GetContextRequest(query="rest", read_context=state),
    ]
    reindexes = [pb.ReindexRequest(), pb.ReindexRequest(repository_id=case.repository)]
    return [
        *(("Search", item) for item in searches),
        *(("SearchStream", pb.SearchStreamRequest(search=item)) for item in searches),
        *(("GetContext", item) for item in contexts),
        ("GetIndexHealth", pb.GetIndexHealthRequest()),
        *(("Reindex", item) for item in reindexes),
        ("GetIndexHealth", pb.GetIndexHealthRequest()),
    ]


def outcome(served: Served, method: str, request: Message) -> Any:
    try:
        answer = served.ask(method, request)
    except grpc.RpcError:
        refusal = refused(lambda: served.ask(method, request))
        return refusal.code, refusal.message, plain(refusal.error)
    return [steady(plain(item)) for item in (answer if isinstance(answer, list) else [answer])]


def steady(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: steady(item) for key, item in value.items() if key not in VOLATILE}
    return [steady(item) for item in value] if isinstance(value, list) else value


def test_no_method_tells_of_what_is_hidden(worlds: tuple[Case, Served, Served]) -> None:
    case, with_it, without = worlds
    tried = attempts(case)
    service = pb.DESCRIPTOR.services_by_name["SemanticQueryService"]
    assert {method for method, _ in tried} == {method.name for method in service.methods}
    for method, request in tried:
        seen, expected = outcome(with_it, method, request), outcome(without, method, request)
        assert seen == expected, (method, request)
    found = with_it.ask("Search", pb.SearchRequest(query="rest of 26 days")).results
    assert [hit.element_id for hit in found] == ["leave.md"]


def test_metadata_and_arguments_do_not_choose_the_tenant(worlds: tuple[Case, Served, Served]) -> None:
    """Only the token says whose library is read."""
    _, with_it, _ = worlds
    metadata = [
        ("authorization", f"Bearer {with_it.token}"),
        ("tenant", "globex"),
        ("x-tenant", "globex"),
        ("organization", "sales"),
        ("x-roles", "board"),
    ]
    answer = with_it.stub.Search(pb.SearchRequest(query=MARK), metadata=metadata, timeout=30)
    assert MARK not in "".join(hit.content for hit in answer.results)
