"""The `serve:` section: what it refuses, who may call, where it may bind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pincite.errors import InvalidArgument, PermissionDenied
from pincite.serve.links import element_url
from pincite.serve.sources import check_source
from pincite.settings import load_config
from pincite.settings.serve import ServeSettings, check_bind, check_host, check_origin

JWT = {"issuer": "https://login.example.org", "audience": "pincite", "jwks_url": "https://login.example.org/jwks"}


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost", "[::1]"])
def test_loopback_needs_no_authentication(host: str) -> None:
    check_bind(ServeSettings(host=host), authenticated=False)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.0.0.7", "search.example.org", "127.0.0.1.example.org"])
def test_another_address_does(host: str) -> None:
    with pytest.raises(InvalidArgument, match="pincite keys create"):
        check_bind(ServeSettings(host=host), authenticated=False)
    check_bind(ServeSettings(host=host), authenticated=True)


@pytest.mark.parametrize(
    ("origin", "development", "production"),
    [
        (None, True, True),
        ("", True, True),
        ("https://app.example.org", True, True),
        ("https://search.example.org", True, True),
        ("http://localhost:3000", True, False),
        ("http://127.0.0.1:8080", True, False),
        ("http://[::1]:8080", True, False),
        ("https://evil.example", False, False),
        ("https://app.example.org.evil.example", False, False),
        ("https://app.example.org:444", False, False),
        ("http://localhost.evil.example", False, False),
        ("http://localhost@evil.example", False, False),
        ("null", False, False),
        ("http://[", False, False),
    ],
)
def test_which_pages_may_call(origin: str | None, development: bool, production: bool) -> None:
    known = {"allowed_origins": ("https://app.example.org",), "public_url": "https://search.example.org/base"}
    assert check_origin(ServeSettings(**known), origin) is development  # type: ignore[arg-type]
    assert check_origin(ServeSettings(**known, production=True), origin) is production  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("host", "ok"),
    [
        ("127.0.0.1:8080", True),
        ("localhost", True),
        ("search.example.org", True),
        ("SEARCH.example.org:443", True),
        ("api.example.org", True),
        ("evil.example", False),
        ("", False),
        (None, False),
        ("[", False),
    ],
)
def test_under_which_names_it_is_called(host: str | None, ok: bool) -> None:
    settings = ServeSettings(public_url="https://search.example.org", allowed_hosts=("api.example.org",))
    assert check_host(settings, host) is ok


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"audience": ""}, "audience"),
        ({"jwks_url": ""}, "jwks_url, key and key_file"),
        ({"key": "x"}, "jwks_url, key and key_file"),
        ({"algorithms": ["none"]}, "algorithms"),
        ({"algorithms": []}, "algorithm"),
        ({"algorithms": ["HS256"]}, "cannot be combined with jwks_url"),
        ({"jwks_url": "", "key_file": "k", "algorithms": ["HS256", "RS256"]}, "or other algorithms"),
        ({"jwks_url": "http://login.example.org/jwks"}, "https"),
        ({"jwks_url": "file:///etc/passwd"}, "https"),
    ],
)
def test_settings_that_would_let_the_wrong_ones_in_are_refused(change: dict[str, Any], said: str) -> None:
    load_config({"serve": {"auth": {"jwt": JWT}}})
    with pytest.raises(InvalidArgument, match=said):
        load_config({"serve": {"auth": {"jwt": JWT | change}}})


def test_a_misspelt_setting_is_answered_with_the_nearest() -> None:
    with pytest.raises(InvalidArgument, match=r"serve\.rate_limit\.requests_per_minute"):
        load_config({"serve": {"rate_limit": {"request_per_minute": 3}}})
    with pytest.raises(InvalidArgument, match="is not an origin"):
        load_config({"serve": {"allowed_origins": ["https://app.example.org/"]}})


def test_files_lie_beside_the_configuration(tmp_path: Path) -> None:
    path = tmp_path / "pincite.yaml"
    path.write_text(
        "serve:\n  ingest_roots: [docs, https://example.org/docs, /srv/docs]\n  audit: {file: audit.jsonl}\n"
        "  auth: {keys_file: k.db, jwt: {issuer: https://i, audience: a, key_file: k.pem}}\n",
        encoding="utf-8",
    )
    serve = load_config(path).serve
    assert serve.ingest_roots == (str(tmp_path / "docs"), "https://example.org/docs", "/srv/docs")
    assert serve.audit.file == str(tmp_path / "audit.jsonl")
    assert serve.auth.keys_file == str(tmp_path / "k.db")
    assert serve.auth.jwt.key_file == str(tmp_path / "k.pem")


def test_only_what_the_settings_name_may_be_ingested(tmp_path: Path) -> None:
    (tmp_path / "docs" / "a").mkdir(parents=True)
    (tmp_path / "docs-secret").mkdir()
    (tmp_path / "docs" / "way-out").symlink_to(tmp_path / "docs-secret")
    settings = ServeSettings(ingest_roots=(str(tmp_path / "docs"), "https://example.org/handbook/"))
    for source in (tmp_path / "docs", tmp_path / "docs" / "a", "https://example.org/handbook/leave.html"):
        check_source(settings, str(source), is_at_home=True)
    for source in (
        tmp_path,
        tmp_path / "docs-secret",
        tmp_path / "docs" / ".." / "docs-secret",
        tmp_path / "docs" / "way-out",
        "https://example.org/handbook-secret/x",
        "https://example.org/handbook/../secret",
        "https://example.org/handbook/%2e%2e/secret",
        "https://example.org.evil.example/handbook/x",
        "https://user@example.org/handbook/x",
        "http://example.org/handbook/x",
        "file:///etc/passwd",
        "/etc/passwd",
    ):
        with pytest.raises(PermissionDenied, match="ingest_roots"):
            check_source(settings, str(source), is_at_home=True)
    with pytest.raises(PermissionDenied):
        check_source(ServeSettings(), str(tmp_path), is_at_home=True)
    with pytest.raises(PermissionDenied):
        check_source(settings, str(tmp_path / "docs"), is_at_home=False)


def test_a_link_is_a_page_or_else_the_citation() -> None:
    citation = "pincite:t/o/r/a%2Fb.md@0123456789abcdef#4.2;span=1-9"
    assert element_url(ServeSettings(), citation) == citation
    page = element_url(ServeSettings(public_url="https://search.example.org/"), citation)
    assert page == ("https://search.example.org/elements/t%2Fo%2Fr%2Fa%252Fb.md%400123456789abcdef%234.2%3Bspan%3D1-9")
