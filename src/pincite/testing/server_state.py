"""What every place for a server's state must do. Subclass `ServerStateContract` like `CatalogContract`, run pytest."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from pincite.protocols import Catalog, CatalogEngine, ServerState
from pincite.server_state import ApiKey, Reply, ReplyKey, ServerJob

KEY = ApiKey("k1", "finance", "acme", "legal", "hash", ("search:read",), ("p",), None, "2026-01-01T00:00:00+00:00")
CALLER = {"subject": "ann", "tenant": "acme", "organization": "legal", "repositories": ["p"], "roles": None}
REPLY = ReplyKey("ann", "ingest", "once")
GONE = {"code": "unavailable", "message": "the worker is gone"}


def job(id: str, repository: str = "p", *, tenant: str = "acme", created: float = 1.0) -> ServerJob:
    return ServerJob(id, "ingest", tenant, "legal", repository, CALLER, {"source": "é"}, "queued", created)


class ServerStateContract:
    """Every promise of `pincite.protocols.ServerState`, as a test. Two catalogs at one address are two nodes."""

    engine: CatalogEngine

    def address(self, folder: Path) -> str:
        raise NotImplementedError("name an address for a catalog of the test's own; the same folder, the same address")

    @pytest.fixture
    def nodes(self, tmp_path: Path) -> Iterator[tuple[ServerState, ServerState]]:
        opened: list[Catalog] = [self.engine.open(self.address(tmp_path), {}) for _ in range(2)]
        yield opened[0].server, opened[1].server
        for catalog in opened:
            catalog.close()

    @pytest.fixture
    def state(self, nodes: tuple[ServerState, ServerState]) -> ServerState:
        return nodes[0]

    # --- keys -------------------------------------------------------------------------------------------------

    def test_a_key_is_seen_by_every_node_and_comes_back_as_it_was(self, nodes: tuple[ServerState, ServerState]) -> None:
        here, there = nodes
        assert not there.keys.any()
        assert there.keys.get("k1") is None
        other = replace(KEY, id="k0", repositories=None, roles=("staff", "judge"), expires="2027")
        assert here.keys.add(KEY)
        assert here.keys.add(other)
        assert there.keys.any()
        assert there.keys.get("k1") == KEY
        assert there.keys.list() == (KEY, other), "in the order in which they were added"

    def test_a_key_that_is_known_stays_as_it_is(self, state: ServerState) -> None:
        state.keys.add(KEY)
        assert not state.keys.add(replace(KEY, name="another", hash="other"))
        assert state.keys.list() == (KEY,)

    def test_a_revoked_key_is_revoked_for_every_node_since_the_first_time(
        self, nodes: tuple[ServerState, ServerState]
    ) -> None:
        here, there = nodes
        here.keys.add(KEY)
        here.keys.revoke("k1", "2026-05-01")
        there.keys.revoke("k1", "2026-06-01")
        there.keys.revoke("nobody", "2026-06-01")
        assert here.keys.list() == there.keys.list() == (replace(KEY, revoked="2026-05-01"),)
        assert here.keys.any(), "that all are revoked must not open the door"

    # --- jobs -------------------------------------------------------------------------------------------------

    def test_a_job_is_run_once_in_order_and_one_at_a_time_in_a_repository(
        self, nodes: tuple[ServerState, ServerState]
    ) -> None:
        here, there = nodes
        for name, repository in (("j1", "p"), ("j2", "p"), ("j3", "q")):
            here.jobs.add(job(name, repository))
        here.jobs.add(job("j4", "p", tenant="other"))
        taken = there.jobs.take("w1", 10.0)
        assert taken == replace(job("j1"), state="running", started=10.0)
        later = [here.jobs.take("w2", 11.0), here.jobs.take("w2", 12.0)]
        assert [found and found.id for found in later] == ["j3", "j4"], "j2 waits for j1"
        assert here.jobs.take("w2", 13.0) is None
        there.jobs.progress("j1", "w1", 1, 2)
        there.jobs.finish("j1", "w1", "succeeded", 14.0, result={"added": 1})
        assert here.jobs.get("j1") == replace(
            job("j1"), state="succeeded", started=10.0, finished=14.0, result={"added": 1}, done=1, total=2
        )
        waiting = here.jobs.take("w2", 15.0)
        assert waiting is not None and waiting.id == "j2"

    def test_a_job_on_all_of_an_organization_waits_for_the_others_and_they_for_it(self, state: ServerState) -> None:
        for name, repository in (("j1", "p"), ("j2", ""), ("j3", "q")):
            state.jobs.add(job(name, repository))
        assert [found and found.id for found in (state.jobs.take("w", 1.0), state.jobs.take("w", 1.0))] == ["j1", "j3"]
        assert state.jobs.take("w", 1.0) is None
        for name in ("j1", "j3"):
            state.jobs.finish(name, "w", "succeeded", 2.0)
        whole = state.jobs.take("w", 3.0)
        assert whole is not None and whole.id == "j2"
        state.jobs.add(job("j5", "r"))
        assert state.jobs.take("w", 3.0) is None

    def test_workers_that_ask_at_once_get_different_jobs(self, nodes: tuple[ServerState, ServerState]) -> None:
        for number in range(12):
            nodes[0].jobs.add(job(f"j{number}", f"repository {number}"))
        with ThreadPoolExecutor(4) as threads:
            found = [*threads.map(lambda n: nodes[n % 2].jobs.take(f"w{n}", 1.0), range(16))]
        taken = sorted(item.id for item in found if item)
        assert taken == sorted(f"j{number}" for number in range(12))

    def test_jobs_of_a_silent_worker_are_interrupted_and_its_late_report_is_ignored(
        self, nodes: tuple[ServerState, ServerState]
    ) -> None:
        here, there = nodes
        for name in ("j1", "j2", "j3"):
            here.jobs.add(job(name, name))
        here.jobs.take("dead", 100.0)
        there.jobs.take("alive", 100.0)
        there.jobs.beat("alive", 111.0)
        there.jobs.bury(110.0, 112.0, GONE)
        buried = here.jobs.get("j1")
        assert buried is not None and (buried.state, buried.finished, buried.error) == ("interrupted", 112.0, GONE)
        states = [found and found.state for found in (here.jobs.get("j2"), here.jobs.get("j3"))]
        assert states == ["running", "queued"]
        here.jobs.finish("j2", "dead", "failed", 113.0)
        untouched = here.jobs.get("j2")
        assert untouched is not None and untouched.state == "running", "it is another worker's"

    def test_a_worker_that_leaves_takes_its_jobs_with_it(self, state: ServerState) -> None:
        state.jobs.add(job("j1"))
        state.jobs.take("w", 1.0)
        state.jobs.leave("w", 2.0, GONE)
        left = state.jobs.get("j1")
        assert left is not None and (left.state, left.error) == ("interrupted", GONE)

    def test_recent_jobs_are_those_of_one_organization_newest_first(self, state: ServerState) -> None:
        for name in ("j1", "j2", "j3"):
            state.jobs.add(job(name))
        state.jobs.add(job("theirs", tenant="other"))
        assert [item.id for item in state.jobs.recent("acme", "legal", 2)] == ["j3", "j2"]
        assert [item.id for item in state.jobs.recent("other", "legal", 9)] == ["theirs"]
        assert state.jobs.recent("acme", "other", 9) == ()

    def test_what_is_old_is_forgotten_and_what_waits_is_not(self, state: ServerState) -> None:
        state.jobs.add(job("old"))
        state.jobs.add(job("waiting", "q", created=0.0))
        state.jobs.take("w", 1.0)
        state.jobs.finish("old", "w", "succeeded", 2.0)
        state.replies.claim(REPLY, "r", "w", 1.0, 0.0)
        state.jobs.forget(3.0)
        assert state.jobs.get("old") is None
        assert state.jobs.get("waiting") is not None
        assert state.replies.claim(REPLY, "r", "w", 4.0, 3.0) is None, "the reply is forgotten too"

    # --- replies ----------------------------------------------------------------------------------------------

    def test_a_request_is_carried_out_once_and_its_answer_given_again(
        self, nodes: tuple[ServerState, ServerState]
    ) -> None:
        here, there = nodes
        assert here.replies.claim(REPLY, "request", "w1", 1.0, 0.0) is None
        assert there.replies.claim(REPLY, "request", "w2", 2.0, 0.0) == Reply("request", None, None)
        here.replies.answer(REPLY, 201, {"name": "é"})
        assert there.replies.claim(REPLY, "another", "w2", 3.0, 0.0) == Reply("request", 201, {"name": "é"})
        there.replies.release(REPLY)
        assert there.replies.claim(REPLY, "request", "w2", 4.0, 0.0) is not None, "an answer is not released"
        for other in (replace(REPLY, caller="ben"), replace(REPLY, key="twice"), replace(REPLY, operation="x")):
            assert there.replies.claim(other, "request", "w2", 4.0, 0.0) is None

    def test_a_request_that_failed_or_whose_worker_is_silent_may_be_sent_again(self, state: ServerState) -> None:
        state.replies.claim(REPLY, "request", "w1", 1.0, 0.0)
        state.replies.release(REPLY)
        assert state.replies.claim(REPLY, "request", "w1", 2.0, 0.0) is None
        assert state.replies.claim(REPLY, "other", "w2", 20.0, 10.0) == Reply("request", None, None)
        assert state.replies.claim(REPLY, "request", "w2", 20.0, 10.0) is None, "its worker is silent"
        assert state.replies.claim(REPLY, "request", "w3", 20.0, 10.0) is not None, "and now it is another's"

    def test_a_job_and_the_answer_to_its_request_are_kept_together(self, state: ServerState) -> None:
        state.replies.claim(REPLY, "request", "w1", 1.0, 0.0)
        state.jobs.add(job("j1"), reply=REPLY, body={"job_id": "j1"})
        assert state.replies.claim(REPLY, "request", "w1", 2.0, 0.0) == Reply("request", 202, {"job_id": "j1"})

    # --- verdicts ---------------------------------------------------------------------------------------------

    def test_a_verdict_holds_for_exactly_its_case(self, nodes: tuple[ServerState, ServerState]) -> None:
        here, there = nodes
        case = {"fingerprint": "m", "weight": 0.3, "scopes": ["a/b/c"]}
        assert there.verdicts.get(case) is None
        here.verdicts.keep(case, {"passed": False})
        here.verdicts.keep({**case, "weight": 0.5}, {"passed": False})
        here.verdicts.keep(case, {"passed": True})
        assert there.verdicts.get(dict(reversed(case.items()))) == {"passed": True}
        assert there.verdicts.get({**case, "weight": 0.5}) == {"passed": False}
        assert there.verdicts.get({**case, "scopes": []}) is None

    # --- keeping it -------------------------------------------------------------------------------------------

    def test_it_outlives_the_process_and_is_left_out_of_a_backup(self, tmp_path: Path) -> None:
        catalog = self.engine.open(self.address(tmp_path / "first"), {})
        catalog.server.keys.add(KEY)
        catalog.server.jobs.add(job("j1"))
        catalog.backup(tmp_path / "backup")
        catalog.close()
        again = self.engine.open(self.address(tmp_path / "first"), {})
        assert again.server.keys.list() == (KEY,)
        assert again.server.jobs.get("j1") == job("j1")
        again.close()
        self.engine.restore(tmp_path / "backup", self.address(tmp_path / "second"))
        copy = self.engine.open(self.address(tmp_path / "second"), {})
        assert not copy.server.keys.any()
        assert copy.server.jobs.get("j1") is None
        copy.close()
