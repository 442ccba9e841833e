"""What writing requests promise: jobs that end, files that are added and taken back, requests that count once."""

from __future__ import annotations

import threading
import time

import pytest
from ended_jobs import done

import pincite
from pincite.catalog.sqlite.server import SqliteServerState
from pincite.serve.callers import local_caller
from pincite.serve.desk import Desk
from pincite.serve.http.jobs import JobRunner
from pincite.serve.http.ledger import DEAD_AFTER_SECONDS, Ledger
from pincite.server_state import ReplyKey

PARKING = ("file", ("rules/parking.md", b"# Parking\n\nParking costs nothing on Sundays."))


def found(served, query: str, **headers: str) -> list[str]:
    return [hit["element_id"] for hit in served.client.get(f"/v1/search?q={query}", headers=headers).json()["results"]]


def test_uploaded_files_are_found_and_leave_nothing_behind_on_the_disk(serve) -> None:
    served = serve(samples=False)
    accepted = served.client.post("/v1/ingest", files=[PARKING], data={"prefix": "city/", "message": "first"})
    assert accepted.json()["state"] == "queued"
    job = done(served, accepted)
    assert (job["state"], job["result"]["added"], job["error"]) == ("succeeded", 1, None)
    assert found(served, "Sundays") == ["city/rules/parking.md"]
    time.sleep(0.1)
    assert not list((served.desk.library.path / "uploads").iterdir())
    revision = served.client.get("/v1/revisions").json()["revisions"][0]
    assert (revision["message"], revision["author"]) == ("first", "local")


def test_a_second_upload_adds_replaces_and_takes_back(serve) -> None:
    served = serve(samples=False)
    done(served, served.client.post("/v1/ingest", files=[PARKING, ("file", ("fees.md", b"# Fees\n\nTen francs."))]))
    changed = [("file", ("fees.md", b"# Fees\n\nTwelve crowns."))]
    job = done(served, served.client.post("/v1/ingest", files=changed))
    assert (job["result"]["changed"], job["result"]["removed"]) == (1, 0)
    assert found(served, "crowns") == ["fees.md"]
    assert found(served, "Sundays") == ["rules/parking.md"]
    job = done(
        served, served.client.post("/v1/ingest", files=changed, data={"withdraw": ["rules/parking.md", "none.md"]})
    )
    assert (job["result"]["unchanged"], job["result"]["removed"]) == (1, 1)
    assert [item["path"] for item in job["result"]["failed"]] == ["none.md"]
    assert found(served, "Sundays") == []
    assert found(served, "crowns") == ["fees.md"]


@pytest.mark.parametrize("sent", [{"files": [("file", ("", b"# A"))]}, {"files": {"file": (None, "# A")}}])
def test_a_file_without_a_name_is_told_what_it_lacks(serve, sent) -> None:
    refused = serve(samples=False).client.post("/v1/ingest", **sent)
    assert (refused.status_code, refused.json()["field"]) == (422, "file")
    assert refused.json()["detail"] == "the field 'file' contains text; send a file with a file name"


def test_an_upload_leaves_alone_what_other_sources_gave(serve) -> None:
    served = serve()
    clash = [("file", ("company/leave.md", b"# Forged\n\nForged leave."))]
    job = done(served, served.client.post("/v1/ingest", files=clash))
    assert "already comes from" in job["result"]["failed"][0]["reason"]
    assert "Forged" not in served.client.get("/v1/elements/company/leave.md").json()["content"]


@pytest.mark.parametrize(
    "name", ["../out.md", "/etc/x.md", ".hidden.md", "a/../../b.md", "c:\\x.md", "a\x01.md", "x" * 300]
)
def test_a_file_name_that_leads_elsewhere_is_refused(serve, name) -> None:
    served = serve(samples=False)
    refused = served.client.post("/v1/ingest", files=[("file", ("a.md", b"# A"))], data={"prefix": name + "/"})
    assert (refused.status_code, refused.json()["field"]) == (422, "file")
    assert served.client.get("/v1/jobs").json() == {"jobs": []}


def test_a_form_without_files_or_with_strange_fields_is_refused(serve) -> None:
    client = serve(samples=False).client
    assert client.post("/v1/ingest", files=[("other", ("a.md", b"# A"))]).json()["field"] == "other"
    told = client.post("/v1/ingest", files=[PARKING], data={"repository": "x"}).json()
    assert (told["code"], told["field"]) == ("unknown_argument", "repository")
    assert client.post("/v1/ingest", files=[PARKING], data={"folder": "/etc"}).json()["field"] == "folder"
    broken = client.post("/v1/ingest", content=b"--x", headers={"Content-Type": "multipart/form-data; boundary=y"})
    assert broken.status_code in (400, 422)


def test_a_source_is_ingested_only_where_the_settings_allow_it(serve, tmp_path) -> None:
    (tmp_path / "handbook").mkdir()
    (tmp_path / "handbook" / "a.md").write_text("# Bicycles\n\nBicycles are welcome.")
    (tmp_path / "secret").mkdir()
    served = serve(samples=False, ingest_roots=[str(tmp_path / "handbook")])
    for outside in (
        tmp_path / "secret",
        tmp_path / "handbook" / ".." / "secret",
        "/etc/passwd",
        "https://example.org/a",
    ):
        refused = served.client.post("/v1/ingest", json={"source": str(outside)})
        assert (refused.status_code, refused.json()["field"]) == (403, "source"), outside
    job = done(served, served.client.post("/v1/ingest", json={"source": str(tmp_path / "handbook")}))
    assert job["state"] == "succeeded"
    assert found(served, "bicycles") == ["a.md"]


def test_the_folders_of_the_operator_are_not_those_of_another_tenant(serve, tmp_path) -> None:
    (tmp_path / "handbook").mkdir()
    (tmp_path / "handbook" / "a.md").write_text("# Bicycles\n\nBicycles are welcome.")
    served = serve(samples=False, ingest_roots=[str(tmp_path / "handbook")])
    asked = {"source": str(tmp_path / "handbook")}
    for rights in ({"tenant": "evil"}, {"organization": "sales"}):
        stranger = served.key(str(rights), scopes=("search:read", "index:write"), **rights)
        refused = served.client.post("/v1/ingest", json=asked, headers=stranger)
        assert (refused.status_code, refused.json()["field"]) == (403, "source")
    own = served.key("own", scopes=("search:read", "index:write"))
    assert served.client.post("/v1/ingest", json=asked, headers=own).status_code == 202


def test_a_job_that_fails_says_why(serve, tmp_path) -> None:
    served = serve(samples=False, ingest_roots=[str(tmp_path)])
    job = done(served, served.client.post("/v1/ingest", json={"source": str(tmp_path / "nothing")}))
    assert (job["state"], job["result"], job["error"]["code"]) == ("failed", None, "not_found")


def test_reindex_is_a_job(serve) -> None:
    served = serve()
    job = done(served, served.client.post("/v1/reindex", json={}))
    assert (job["operation"], job["state"]) == ("reindex", "succeeded")
    assert job["result"]["rebuilt"][0]["chunks"] > 0
    assert served.client.post("/v1/reindex", json={"repository_id": "none"}).status_code == 404


def test_baselines_are_made_published_and_rolled_back(serve) -> None:
    served = serve()
    made = served.client.post("/v1/baselines", json={"baseline_id": "a"})
    assert (made.status_code, made.json()["published"]) == (201, False)
    served.client.post("/v1/baselines", json={"baseline_id": "b"})
    for name in ("a", "b"):
        assert served.client.post("/v1/baselines/publish", json={"baseline_id": name}).json()["published"]
    assert served.client.post("/v1/baselines/rollback").json()["baseline_id"] == "a"
    assert [item["baseline_id"] for item in served.client.get("/v1/baselines").json()["baselines"]] == ["a", "b"]
    assert served.client.post("/v1/baselines", json={"baseline_id": "a"}).status_code == 409


# --- Idempotency-Key ---------------------------------------------------------------------------------------------


def test_a_request_sent_again_is_answered_as_before_also_after_a_restart(serve) -> None:
    served = serve()
    key = {"Idempotency-Key": "one"}
    first = served.client.post("/v1/baselines", json={"baseline_id": "a"}, headers=key)
    again = served.client.post("/v1/baselines", json={"baseline_id": "a"}, headers=key)
    assert (first.status_code, again.status_code, again.json()) == (201, 201, first.json())
    assert "idempotency-replayed" not in first.headers
    assert again.headers["idempotency-replayed"] == "true"
    restarted = serve(samples=False)
    later = restarted.client.post("/v1/baselines", json={"baseline_id": "a"}, headers=key)
    assert (later.status_code, later.json()) == (201, first.json())


def test_an_ingest_sent_again_is_the_same_job(serve) -> None:
    served = serve(samples=False)
    key = {"Idempotency-Key": "one"}
    first = served.client.post("/v1/ingest", files=[PARKING], headers=key)
    done(served, first)
    again = served.client.post("/v1/ingest", files=[PARKING], headers=key)
    assert (again.status_code, again.json()) == (202, first.json())
    assert len(served.client.get("/v1/jobs").json()["jobs"]) == 1
    other = served.client.post("/v1/ingest", files=[("file", ("rules/parking.md", b"# Other"))], headers=key)
    assert (other.status_code, other.json()["field"]) == (422, "Idempotency-Key")


def test_what_failed_may_be_tried_again_under_the_same_key(serve) -> None:
    served = serve()
    key = {"Idempotency-Key": "one"}
    assert served.client.post("/v1/baselines/publish", json={"baseline_id": "a"}, headers=key).status_code == 404
    served.client.post("/v1/baselines", json={"baseline_id": "a"})
    assert served.client.post("/v1/baselines/publish", json={"baseline_id": "a"}, headers=key).status_code == 200


def test_a_key_is_its_caller_s_own(serve) -> None:
    served = serve()
    anna = served.key("anna", scopes=("baselines:write",)) | {"Idempotency-Key": "one"}
    bert = served.key("bert", scopes=("baselines:write",)) | {"Idempotency-Key": "one"}
    assert served.client.post("/v1/baselines", json={"baseline_id": "a"}, headers=anna).status_code == 201
    assert served.client.post("/v1/baselines", json={"baseline_id": "b"}, headers=bert).status_code == 201


def test_two_at_once_act_once(serve) -> None:
    served = serve()
    statuses: list[int] = []

    def send() -> None:
        answer = served.client.post("/v1/reindex", json={}, headers={"Idempotency-Key": "one"})
        statuses.append(answer.status_code)

    threads = [threading.Thread(target=send) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(statuses) <= {202, 409}
    assert 202 in statuses
    assert len(served.client.get("/v1/jobs").json()["jobs"]) == 1


# --- the ledger ---------------------------------------------------------------------------------------------------


def test_jobs_of_a_dead_worker_are_interrupted_and_queued_ones_wait(tmp_path, handbook) -> None:
    now = [1000.0]
    caller = local_caller(handbook.config)
    dead, alive = (Ledger(SqliteServerState(tmp_path), clock=lambda: now[0]) for _ in range(2))
    first = dead.add("reindex", caller, "main", {}, reply=None)
    second = dead.add("reindex", caller, "main", {}, reply=None)
    elsewhere = dead.add("reindex", caller, "other", {}, reply=None)
    assert dead.take().id == first.id
    assert alive.take().id == elsewhere.id, "one at a time in a repository"
    assert alive.take() is None
    now[0] += DEAD_AFTER_SECONDS + 1
    alive.beat()
    assert alive.job(first.id).state == "interrupted"
    assert "died while this ran" in alive.job(first.id).error["message"]
    assert alive.job(elsewhere.id).state == "running"
    assert alive.take().id == second.id


def test_a_claim_of_a_dead_worker_is_taken_over(tmp_path) -> None:
    now = [1000.0]
    dead, alive = (Ledger(SqliteServerState(tmp_path), clock=lambda: now[0]) for _ in range(2))
    key = ReplyKey("anna", "createBaseline", "one")
    assert dead.claim(key, "body") is None
    assert alive.claim(key, "body").status is None
    now[0] += DEAD_AFTER_SECONDS + 1
    assert alive.claim(key, "body") is None


def test_a_queued_job_is_run_after_a_restart(tmp_path) -> None:
    with pincite.open(tmp_path / "library") as library:
        counter, ledger = Desk(library), Ledger(library.catalog.server)
        folder = library.path / "uploads" / "j1"
        folder.mkdir(parents=True)
        (folder / "late.md").write_text("# Late\n\nLatecomers.")
        ledger.add("ingestUpload", counter.local(), "main", {"folder": str(folder)}, id="j1", reply=None)
        runner = JobRunner(counter, Ledger(library.catalog.server))
        runner.start()
        end = time.monotonic() + 20
        while ledger.job("j1").state != "succeeded" and time.monotonic() < end:
            time.sleep(0.05)
        assert runner.stop(5)
        assert ledger.job("j1").state == "succeeded"
        assert library.search("latecomers").hits[0].passage.element_id == "late.md"


def test_a_job_that_does_not_end_in_time_is_recorded_as_interrupted(tmp_path, monkeypatch) -> None:
    with pincite.open(tmp_path / "library") as library:
        counter, ledger = Desk(library), Ledger(library.catalog.server)
        go_on = threading.Event()
        monkeypatch.setattr(counter, "run", lambda *_, **__: go_on.wait(20) and {})
        job = ledger.add("reindex", counter.local(), "main", {}, reply=None)
        runner = JobRunner(counter, ledger)
        runner.start()
        end = time.monotonic() + 20
        while ledger.job(job.id).state != "running" and time.monotonic() < end:
            time.sleep(0.02)
        assert not runner.stop(0.1)
        assert ledger.job(job.id).state == "interrupted"
        go_on.set()
