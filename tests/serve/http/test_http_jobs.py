"""What a job tells: whether it failed, why, in the caller's own names, and how far it is."""

from __future__ import annotations

import json
import sqlite3
import time
from contextlib import closing
from pathlib import Path

from ended_jobs import done

from pincite.catalog.sqlite.server import SqliteServerState
from pincite.serve.callers import Caller
from pincite.serve.http.job_progress import JobProgress
from pincite.serve.http.ledger import Ledger, caller_of, to_wire
from pincite.server_state import Reply, ReplyKey

GOOD = ("file", ("fees.md", b"# Fees\n\nTen francs."))
BAD = ("file", ("rules/scan.md", b"---\nvalid_from: never\n---\nText."))
OWNER = Caller(subject="ann", tenant="default", organization="default", scopes=frozenset({"index:write"}))


def test_a_job_of_which_every_file_failed_has_failed_and_lists_them(serve) -> None:
    served = serve(samples=False)
    job = done(served, served.client.post("/v1/ingest", files=[BAD]))
    assert (job["state"], job["error"]["code"]) == ("failed", "invalid_argument")
    assert job["error"]["message"].startswith("nothing was ingested: rules/scan.md: front matter valid_from")
    assert [item["path"] for item in job["result"]["failed"]] == ["rules/scan.md"]


def test_a_job_that_took_something_in_succeeded_and_lists_what_failed(serve) -> None:
    served = serve(samples=False)
    job = done(served, served.client.post("/v1/ingest", files=[GOOD, BAD]))
    assert (job["state"], job["error"], job["result"]["added"]) == ("succeeded", None, 1)
    assert [item["path"] for item in job["result"]["failed"]] == ["rules/scan.md"]
    again = done(served, served.client.post("/v1/ingest", files=[GOOD, BAD]))
    assert (again["state"], again["result"]["unchanged"]) == ("succeeded", 1)


def test_the_reasons_of_a_job_name_no_folder_and_no_option_of_the_server(serve) -> None:
    served = serve()
    clash = [("file", ("company/leave.md", b"# Forged\n\nForged leave."))]
    job = done(served, served.client.post("/v1/ingest", files=clash))
    assert job["result"]["failed"] == [
        {
            "path": "company/leave.md",
            "reason": "'company/leave.md' already comes from another source; to keep both, give this one a prefix or"
            " another repository_id",
        }
    ]
    assert job["state"] == "failed"
    assert "--" not in json.dumps(job) and "samples" not in json.dumps(job)


def test_an_emptied_source_is_named_as_the_caller_named_it(serve, tmp_path, monkeypatch) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.md").write_text("# A\n\nText.")
    monkeypatch.chdir(tmp_path)
    served = serve(samples=False, ingest_roots=["docs"])
    assert done(served, served.client.post("/v1/ingest", json={"source": "docs"}))["state"] == "succeeded"
    (folder / "a.md").unlink()
    job = done(served, served.client.post("/v1/ingest", json={"source": "docs"}))
    assert job["state"] == "failed"
    assert job["error"]["message"].endswith("If they are meant to be removed, send allow_empty: true")
    assert str(tmp_path) not in json.dumps(job)
    emptied = done(served, served.client.post("/v1/ingest", json={"source": "docs", "allow_empty": True}))
    assert (emptied["state"], emptied["result"]["removed"]) == ("succeeded", 1)


def test_a_source_that_moved_is_taken_over_when_the_caller_says_so(serve, tmp_path, monkeypatch) -> None:
    (tmp_path / "docs" / "old").mkdir(parents=True)
    (tmp_path / "docs" / "old" / "a.md").write_text("# A\n\nText.")
    monkeypatch.chdir(tmp_path)
    served = serve(samples=False, ingest_roots=["docs"])
    assert done(served, served.client.post("/v1/ingest", json={"source": "docs/old"}))["state"] == "succeeded"
    (tmp_path / "docs" / "old").rename(tmp_path / "docs" / "new")
    job = done(served, served.client.post("/v1/ingest", json={"source": "docs/new"}))
    assert (job["state"], job["result"]["unchanged"]) == ("failed", 0)
    assert "if that source has moved here, send its place as take_over" in job["result"]["failed"][0]["reason"]
    assert str(tmp_path) not in json.dumps(job)
    taken = {"source": "docs/new", "take_over": "docs/old"}
    job = done(served, served.client.post("/v1/ingest", json=taken))
    assert (job["state"], job["result"]["unchanged"]) == ("succeeded", 1)
    assert job["result"]["notes"] == ["1 file(s) taken over from the source that was named"]


def test_only_a_source_that_may_be_ingested_may_be_taken_over(serve, tmp_path) -> None:
    served = serve(samples=False, ingest_roots=[str(tmp_path)])
    (tmp_path / "a.md").write_text("# A\n\nText.")
    asked = {"source": str(tmp_path), "take_over": "/somewhere/else"}
    refused = served.client.post("/v1/ingest", json=asked)
    assert (refused.status_code, refused.json()["field"]) == (403, "take_over")


def test_a_job_says_how_many_of_its_files_are_done(serve) -> None:
    served = serve(samples=False)
    accepted = served.client.post("/v1/ingest", files=[GOOD, BAD])
    assert (accepted.json()["done"], accepted.json()["total"]) == (None, None)
    job = done(served, accepted)
    assert (job["done"], job["total"]) == (2, 2)
    reindexed = done(served, served.client.post("/v1/reindex", json={}))
    assert (reindexed["done"], reindexed["total"]) == (None, None)


def test_progress_is_seen_while_the_job_runs_and_entered_at_most_once_a_second(tmp_path, monkeypatch) -> None:
    ledger, now = Ledger(SqliteServerState(tmp_path)), [0.0]
    ledger.add("ingest", OWNER, "main", {}, reply=None)
    job = ledger.take()
    assert job is not None
    entered: list[int] = []
    enter = ledger.progress
    monkeypatch.setattr(ledger, "progress", lambda job, done, total: (entered.append(done), enter(job, done, total)))
    tell = JobProgress(ledger, job, clock=lambda: now[0])
    for number in range(100):
        tell("reading", number, 100)
        now[0] += 1 / 16
    seen = to_wire(ledger.job(job.id))  # type: ignore[arg-type]
    assert (seen["state"], seen["done"], seen["total"]) == ("running", entered[-1], 100)
    assert entered == [0, 16, 32, 48, 64, 80, 96]
    tell("reading", 100, 100)
    tell("indexing", 0, 1)
    finished = to_wire(ledger.job(job.id))  # type: ignore[arg-type]
    assert (finished["done"], finished["total"]) == (100, 100)


OLD_LEDGER = """
CREATE TABLE jobs (
    number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, operation TEXT NOT NULL,
    tenant TEXT NOT NULL, organization TEXT NOT NULL, repository TEXT NOT NULL, caller TEXT NOT NULL,
    arguments TEXT NOT NULL, state TEXT NOT NULL, owner TEXT NOT NULL DEFAULT '',
    created REAL NOT NULL, started REAL, finished REAL, result TEXT, error TEXT
) STRICT;
CREATE TABLE workers (owner TEXT PRIMARY KEY, seen REAL NOT NULL) STRICT;
CREATE TABLE replies (
    caller TEXT NOT NULL, operation TEXT NOT NULL, key TEXT NOT NULL, request TEXT NOT NULL, owner TEXT NOT NULL,
    created REAL NOT NULL, status INTEGER, body TEXT, PRIMARY KEY (caller, operation, key)
) STRICT;
"""


def test_a_ledger_of_an_earlier_version_is_taken_over_with_its_jobs_and_replies(tmp_path: Path) -> None:
    """The first one did not even count files."""
    caller = {"subject": "ann", "tenant": "acme", "organization": "legal", "repositories": ["p"], "roles": None}
    with closing(sqlite3.connect(tmp_path / "serve.db")) as file, file:
        file.executescript(OLD_LEDGER)
        for number, state in enumerate(("running", "queued"), 1):
            values = (f"j{number}", "ingest", "acme", "legal", "p", json.dumps(caller), "{}", state, "w1", time.time())
            file.execute(
                "INSERT INTO jobs (id, operation, tenant, organization, repository, caller, arguments, state, owner,"
                f" created) VALUES ({', '.join('?' * len(values))})",
                values,
            )
        reply = ("ann", "ingest", "k", "request", "w1", time.time(), 202, '{"job_id": "j1"}')
        file.execute(f"INSERT INTO replies VALUES ({', '.join('?' * len(reply))})", reply)
    ledger = Ledger(SqliteServerState(tmp_path))
    assert ledger.claim(ReplyKey("ann", "ingest", "k"), "request") == Reply("request", 202, {"job_id": "j1"})
    first = ledger.job("j1")
    assert first is not None and first.state == "interrupted", "its worker is gone"
    job = ledger.take()
    assert job is not None and job.id == "j2"
    assert caller_of(job).repositories == {"p"}
    ledger.progress(job, 1, 2)
    seen = ledger.job(job.id)
    assert seen is not None and (seen.done, seen.total) == (1, 2)
    assert not (tmp_path / "serve.db").exists()
