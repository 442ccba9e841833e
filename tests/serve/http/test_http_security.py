"""Who is let in: tokens, origins, hosts, encryption, rates, sizes. The list of the issue, one by one."""

from __future__ import annotations

import time

import jwt
import pytest

from pincite.errors import InvalidArgument
from pincite.serve.http.run import Serving, check
from pincite.serve.limits import Limiter
from pincite.settings.serve import RateLimit, ServeSettings

SEARCH = "/v1/search?q=leave"
PAGE = "https://app.example.org"
SECRET = "a secret of at least thirty-two bytes, for tests"
JWT = {"issuer": "https://login.example.org", "audience": "pincite", "algorithms": ["HS256"], "key": SECRET}


def token(**claims: object) -> dict[str, str]:
    told = {
        "iss": JWT["issuer"], "aud": "pincite", "sub": "anna", "exp": time.time() + 60, "scope": "search:read",
        "tenant": "default", "organization": "default", "roles": [], **claims,
    }  # fmt: skip
    return {"Authorization": f"Bearer {jwt.encode(told, SECRET, algorithm='HS256')}"}


# --- origins ---------------------------------------------------------------------------------------------------


def test_an_unknown_origin_is_refused_an_allowed_one_and_none_are_not(serve) -> None:
    client = serve(allowed_origins=[PAGE]).client
    refused = client.get(SEARCH, headers={"Origin": "https://evil.example"})
    assert (refused.status_code, refused.json()["field"]) == (403, "Origin")
    assert "access-control-allow-origin" not in refused.headers
    allowed = client.get(SEARCH, headers={"Origin": PAGE})
    assert (allowed.status_code, allowed.headers["access-control-allow-origin"]) == (200, PAGE)
    assert client.get(SEARCH).status_code == 200


def test_in_development_pages_of_this_machine_may_call_and_others_not(serve) -> None:
    client = serve().client
    assert client.get(SEARCH, headers={"Origin": "http://localhost:5173"}).status_code == 200
    for foreign in ("https://evil.example", "null", "http://127.0.0.1.evil.example", "file://"):
        assert client.get(SEARCH, headers={"Origin": foreign}).status_code == 403, foreign


def test_a_preflight_is_answered_for_allowed_pages_only(serve) -> None:
    client = serve(allowed_origins=[PAGE]).client
    asked = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization"}
    allowed = client.options("/v1/search", headers={"Origin": PAGE, **asked})
    assert (allowed.status_code, allowed.headers["access-control-allow-origin"]) == (204, PAGE)
    assert "Authorization" in allowed.headers["access-control-allow-headers"]
    assert client.options("/v1/search", headers={"Origin": "https://evil.example", **asked}).status_code == 403


def test_the_server_s_own_page_may_call_it_under_its_public_name(serve) -> None:
    own = "https://search.example.org"
    client = serve(production=True, public_url=own, trusted_proxies=["127.0.0.1"]).client
    headers = {"Host": "search.example.org", "X-Forwarded-Proto": "https"}
    assert client.get(SEARCH, headers=headers | {"Origin": own}).status_code == 200
    assert client.get(SEARCH, headers=headers | {"Origin": "http://localhost:5173"}).status_code == 403


# --- hosts and encryption ---------------------------------------------------------------------------------------


def test_another_host_is_refused_against_dns_rebinding(serve) -> None:
    client = serve(allowed_hosts=["search.internal"]).client
    assert client.get(SEARCH, headers={"Host": "evil.example"}).status_code == 421
    assert client.get(SEARCH, headers={"Host": "search.internal:8080"}).status_code == 200
    assert client.get("/mcp", headers={"Host": "evil.example"}).status_code == 421


def test_in_production_plain_http_is_redirected_or_refused(serve) -> None:
    client = serve(production=True, public_url="https://search.example.org").client
    sent_on = client.get("/v1/search?q=annual%20leave", headers={"Host": "search.example.org"})
    assert (sent_on.status_code, sent_on.headers["location"]) == (
        308,
        "https://search.example.org/v1/search?q=annual%20leave",
    )
    assert client.post("/v1/search", json={"query": "leave"}).status_code == 403
    with_token = client.get(SEARCH, headers={"Authorization": "Bearer shown-in-the-clear"})
    assert (with_token.status_code, with_token.json()["code"]) == (403, "permission_denied")
    assert client.post("/mcp", json={}).status_code == 403
    assert client.get("/healthz").status_code == 200


def test_only_a_trusted_proxy_may_say_that_the_connection_is_encrypted(serve) -> None:
    said = {"X-Forwarded-Proto": "https"}
    trusted = serve(production=True, trusted_proxies=["10.0.0.0/8"], peer="10.1.2.3").client
    answer = trusted.get(SEARCH, headers=said)
    assert answer.status_code == 200
    assert answer.headers["strict-transport-security"]


def test_a_stranger_s_forwarded_header_counts_for_nothing(serve) -> None:
    stranger = serve(production=True, trusted_proxies=["10.0.0.0/8"], peer="192.0.2.7").client
    assert stranger.get(SEARCH, headers={"X-Forwarded-Proto": "https"}).status_code == 308


def test_an_address_that_others_reach_needs_authentication(tmp_path) -> None:
    from pincite.settings import load_config

    config = load_config(tmp_path / "library")
    with pytest.raises(InvalidArgument, match="no authentication is configured"):
        check(Serving(config, ServeSettings(host="0.0.0.0"), create=True))
    check(Serving(config, ServeSettings(host="0.0.0.0", auth={"mode": "required"}), create=True))
    check(Serving(config, ServeSettings(), create=True))


def test_production_without_any_way_to_https_is_refused_at_the_start(tmp_path) -> None:
    from pincite.settings import load_config

    with pytest.raises(InvalidArgument, match="nobody could reach"):
        check(Serving(load_config(tmp_path / "library"), ServeSettings(production=True), create=True))


def test_every_answer_carries_the_headers_that_restrain_browsers(serve) -> None:
    client = serve().client
    for path in ("/healthz", SEARCH, "/v1/nothing", "/openapi.json"):
        headers = client.get(path).headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
        assert "server" not in headers


# --- tokens ----------------------------------------------------------------------------------------------------


def test_tokens_are_told_apart_in_the_words_of_every_door(serve) -> None:
    client = serve(auth={"jwt": JWT}).client
    cases = [
        ({}, 401, "authentication required"),
        ({"Authorization": "Basic YTpi"}, 401, "authentication required"),
        ({"Authorization": "Bearer nonsense"}, 401, "invalid token"),
        (token(exp=time.time() - 3600), 401, "invalid token"),
        (token(aud="another"), 401, "invalid audience"),
        (token(), 200, ""),
    ]
    for headers, status, reason in cases:
        answer = client.get(SEARCH, headers=headers)
        assert answer.status_code == status, (headers, answer.text)
        if status == 401:
            assert answer.json()["detail"].startswith(reason)
            assert answer.json()["code"] == "unauthenticated"
            told = answer.headers["www-authenticate"]
            assert told.startswith("Bearer ")
            assert "/.well-known/oauth-protected-resource" in told
            assert ('error="invalid_token"' in told) is (reason != "authentication required")


def test_a_token_in_the_address_counts_for_nothing(serve) -> None:
    client = serve(auth={"jwt": JWT}).client
    bearer = token()["Authorization"].removeprefix("Bearer ")
    assert client.get(f"{SEARCH}&access_token={bearer}").status_code == 401


def test_a_missing_scope_is_named(serve) -> None:
    served = serve()
    reader = served.key()
    refused = served.client.post("/v1/baselines", json={"baseline_id": "a"}, headers=reader)
    assert (refused.status_code, refused.json()["code"]) == (403, "permission_denied")
    told = refused.headers["www-authenticate"]
    assert 'error="insufficient_scope"' in told
    assert 'scope="baselines:write"' in told
    for path, body in (("/v1/reindex", {}), ("/v1/ingest", {"source": "x"})):
        assert served.client.post(path, json=body, headers=reader).status_code == 403
    upload = served.client.post("/v1/ingest", files=[("file", ("a.md", b"# A"))], headers=reader)
    assert upload.status_code == 403
    for path in ("/metrics", "/v1/health/doctor", "/v1/jobs"):
        assert served.client.get(path, headers=reader).status_code == 403, path


def test_as_soon_as_a_key_exists_every_route_but_the_open_ones_asks_for_it(serve) -> None:
    served = serve()
    served.key()
    open_to_all = {"/healthz", "/readyz", "/openapi.json", "/.well-known/oauth-protected-resource"}
    asked = {"open": 0, "closed": 0}
    for route in served.app.routes:
        path = route.path.replace("{element:path}", "company/leave.md").replace("{job_id}", "x")
        for method in getattr(route, "methods", None) or {"GET"}:
            answer = served.client.request(method, path, json={} if method == "POST" else None)
            if path in open_to_all or path.startswith(("/.well-known/", "/elements/", "/web")) or path == "/":
                assert answer.status_code != 401, path
                asked["open"] += 1
            else:
                assert answer.status_code == 401, (method, path, answer.text)
                asked["closed"] += 1
    assert all(asked.values()), asked


def test_a_revoked_key_opens_nothing(serve) -> None:
    served = serve()
    headers = served.key("gone")
    assert served.client.get(SEARCH, headers=headers).status_code == 200
    served.desk.verifier.keys.revoke("gone")
    assert served.client.get(SEARCH, headers=headers).status_code == 401


def test_the_way_in_is_published(serve) -> None:
    client = serve(auth={"jwt": JWT}, public_url="https://search.example.org").client
    told = client.get("/.well-known/oauth-protected-resource").json()
    assert told["resource"] == "https://search.example.org"
    assert told["authorization_servers"] == [JWT["issuer"]]


# --- rates and sizes --------------------------------------------------------------------------------------------


def test_a_burst_is_slowed_down_and_a_normal_rate_passes(serve) -> None:
    now = [0.0]
    served = serve(limiter=Limiter(RateLimit(requests_per_minute=60, burst=3), clock=lambda: now[0]))
    first, other = served.key("first"), served.key("other")
    statuses = [served.client.get(SEARCH, headers=first).status_code for _ in range(5)]
    assert statuses == [200, 200, 200, 429, 429]
    refused = served.client.get(SEARCH, headers=first)
    assert (refused.json()["code"], refused.headers["retry-after"]) == ("unavailable", "1")
    assert (refused.headers["ratelimit-limit"], refused.headers["ratelimit-remaining"]) == ("3", "0")
    assert served.client.get(SEARCH, headers=other).headers["ratelimit-remaining"] == "2"
    for _ in range(10):
        now[0] += 1.0
        assert served.client.get(SEARCH, headers=first).status_code == 200


def test_a_request_that_is_too_large_is_refused_with_and_without_a_stated_length(serve) -> None:
    client = serve(max_request_bytes=2048).client
    large = b'{"query": "' + b"x" * 4096 + b'"}'
    headers = {"Content-Type": "application/json"}
    assert client.post("/v1/search", content=large, headers=headers).status_code == 413

    def parts():
        yield large[:1500]
        yield large[1500:]

    refused = client.post("/v1/search", content=parts(), headers=headers)
    assert (refused.status_code, refused.headers["content-type"]) == (413, "application/problem+json")


def test_an_upload_has_a_limit_of_its_own(serve) -> None:
    client = serve(max_request_bytes=2048, max_upload_bytes=8192).client
    assert client.post("/v1/ingest", files=[("file", ("a.md", b"# A\n" + b"x" * 4096))]).status_code == 202
    assert client.post("/v1/ingest", files=[("file", ("a.md", b"# A\n" + b"x" * 9000))]).status_code == 413


def test_what_was_asked_is_in_the_audit_log_without_the_words(serve, tmp_path) -> None:
    import json

    served = serve(audit={"file": str(tmp_path / "audit.jsonl")})
    headers = served.key("k")
    served.client.get(SEARCH, headers=headers)
    served.client.post("/v1/reindex", json={}, headers=headers)
    lines = [json.loads(line) for line in (tmp_path / "audit.jsonl").read_text().splitlines()]
    told = [(line["operation"], line["door"], line["outcome"]) for line in lines]
    assert told == [("semanticSearch", "http", "ok"), ("reindex", "http", "permission_denied")]
    assert "leave" not in (tmp_path / "audit.jsonl").read_text()
