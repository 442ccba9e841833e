"""A token whose `sub` reads like the id of an API key is somebody else, wherever it matters who asks."""

from __future__ import annotations

import json
import time

import pytest
from ended_jobs import done

from pincite.serve.limits import Limiter
from pincite.settings.serve import RateLimit

jwt = pytest.importorskip("jwt")

ISSUER = "https://login.example.org"
SECRET = "s" * 64
AUTH = {"jwt": {"issuer": ISSUER, "audience": "pincite", "key": SECRET, "algorithms": ["HS256"], "default_roles": None}}
SCOPES = ("search:read", "index:write", "baselines:write")
FILE = [("file", ("fees.md", b"# Fees\n\nTen francs."))]


def namesakes(served, *, key_roles=None, token_roles=None) -> tuple[dict[str, str], dict[str, str]]:
    """The headers of a key, and of a token whose subject is that key's id. Without roles they own what they see."""
    rights = {"tenant": "default", "organization": "default", "scopes": SCOPES}
    key, text = served.desk.verifier.keys.create("k", **rights, roles=key_roles)
    claims = {"iss": ISSUER, "aud": "pincite", "sub": key.id, "exp": time.time() + 600, "scope": " ".join(SCOPES)}
    token = jwt.encode(claims | ({"roles": token_roles} if token_roles else {}), SECRET, algorithm="HS256")
    return {"Authorization": f"Bearer {text}"}, {"Authorization": f"Bearer {token}"}


@pytest.mark.parametrize("limited", ["token_roles", "key_roles"])
def test_a_token_and_the_key_after_whose_id_its_subject_is_named_do_not_see_each_others_jobs(serve, limited) -> None:
    served = serve(samples=False, auth=AUTH)
    key, token = namesakes(served, **{limited: ["visitor"]})
    owner, other = (key, token) if limited == "token_roles" else (token, key)
    accepted = served.client.post("/v1/ingest", files=FILE, headers=owner)
    assert accepted.status_code == 202
    address = accepted.headers["Location"]
    assert served.client.get(address, headers=owner).status_code == 200
    assert served.client.get(address, headers=other).status_code == 404
    assert served.client.get("/v1/jobs", headers=other).json()["jobs"] == []


def test_an_idempotency_key_of_one_is_not_answered_to_the_other(serve) -> None:
    served = serve(samples=False, auth=AUTH)
    key, token = namesakes(served)
    again = {"Idempotency-Key": "once"}
    first = served.client.post("/v1/ingest", files=FILE, headers=key | again)
    second = served.client.post("/v1/ingest", files=FILE, headers=token | again)
    assert first.json()["job_id"] != second.json()["job_id"]
    assert "Idempotency-Replayed" not in second.headers


def test_what_one_asks_is_not_counted_to_the_other(serve) -> None:
    served = serve(auth=AUTH, limiter=Limiter(RateLimit(requests_per_minute=1, burst=1)))
    key, token = namesakes(served)
    asked = [served.client.get("/v1/search", params={"q": "leave"}, headers=who) for who in (key, key, token, token)]
    assert [response.status_code for response in asked] == [200, 429, 200, 429]


def test_the_audit_log_and_the_author_of_a_revision_tell_them_apart(serve, tmp_path) -> None:
    served = serve(samples=False, auth=AUTH, audit={"file": str(tmp_path / "audit.jsonl")})
    key, token = namesakes(served)
    for who, text in ((key, b"# Fees\n\nTen."), (token, b"# Fees\n\nTwelve.")):
        files = [("file", ("fees.md", text))]
        job = done(served, served.client.post("/v1/ingest", files=files, headers=who))
        assert job["state"] == "succeeded"
    name = served.desk.verifier.keys.list()[0].id
    authors = [revision.author for revision in served.desk.library.revisions()]
    assert sorted(authors) == sorted([name, f"{name} ({ISSUER})"])
    lines = [json.loads(line) for line in (tmp_path / "audit.jsonl").read_text().splitlines()]
    assert {(line["subject"], line["issuer"]) for line in lines} == {(name, None), (name, ISSUER)}
