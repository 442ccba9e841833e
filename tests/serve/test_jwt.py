"""JWTs, signed with real keys, against a real server that publishes them."""

from __future__ import annotations

import base64
import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

jwt = pytest.importorskip("jwt")
rsa = pytest.importorskip("cryptography.hazmat.primitives.asymmetric.rsa")

from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat  # noqa: E402

from pincite.errors import InvalidArgument, Unauthenticated, Unavailable  # noqa: E402
from pincite.serve.auth.jwks import LEAST_SECONDS, MOST_SECONDS, KeySet  # noqa: E402
from pincite.serve.auth.jwt import JwtVerifier  # noqa: E402
from pincite.settings.serve import Jwt  # noqa: E402

ISSUER = "https://login.example.org"


class SigningKey:
    def __init__(self, kid: str) -> None:
        self.kid = kid
        self.private = rsa.generate_private_key(public_exponent=65537, key_size=2048)

    @property
    def pem(self) -> str:
        return self.private.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()

    @property
    def private_pem(self) -> str:
        return self.private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()

    def published(self) -> dict[str, Any]:
        return json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(self.private.public_key())) | {
            "kid": self.kid,
            "use": "sig",
        }

    def token(self, *, headers: dict[str, Any] | None = None, **changes: Any) -> str:
        claims = {"iss": ISSUER, "aud": "pincite", "sub": "ada", "exp": time.time() + 60, "scope": "search:read"}
        claims = {name: value for name, value in {**claims, **changes}.items() if value is not None}
        return str(
            jwt.encode(claims, self.private_pem, algorithm="RS256", headers={"kid": self.kid, **(headers or {})})
        )


@pytest.fixture(scope="module")
def keys() -> tuple[SigningKey, SigningKey]:
    return SigningKey("one"), SigningKey("two")


class Issuer:
    """A server that publishes keys, counts who asks, and can fail."""

    def __init__(self) -> None:
        self.body: Any = {"keys": []}
        self.status = 200
        self.asked = 0
        issuer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                issuer.asked += 1
                self.send_response(issuer.status)
                if issuer.status == 302:
                    self.send_header("Location", f"{issuer.url}-elsewhere")
                self.end_headers()
                self.wfile.write(json.dumps(issuer.body).encode())

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/jwks"
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()


@pytest.fixture
def issuer(keys: tuple[SigningKey, SigningKey]) -> Iterator[Issuer]:
    made = Issuer()
    made.body = {"keys": [keys[0].published()]}
    yield made
    made.server.shutdown()
    made.server.server_close()


@pytest.fixture
def verifier(issuer: Issuer) -> JwtVerifier:
    return JwtVerifier(Jwt(issuer=ISSUER, audience="pincite", jwks_url=issuer.url), "default", "default")


def reason(check: Callable[[], object]) -> str:
    with pytest.raises(Unauthenticated) as refused:
        check()
    return refused.value.reason


def test_a_good_token_says_who_bears_it(verifier: JwtVerifier, keys: tuple[SigningKey, SigningKey]) -> None:
    claims = {"tenant": "acme", "organization": "legal", "repositories": ["p"], "roles": ["staff"]}
    caller = verifier.verify(keys[0].token(**claims, scope="search:read openid index:write"))
    assert (caller.subject, caller.tenant, caller.organization) == ("ada", "acme", "legal")
    assert caller.repositories == {"p"}
    assert caller.roles == {"staff"}
    assert caller.scopes == {"search:read", "index:write"}


def test_what_a_token_does_not_say_is_not_given(verifier: JwtVerifier, keys: tuple[SigningKey, SigningKey]) -> None:
    caller = verifier.verify(keys[0].token(scope=None))
    assert (caller.tenant, caller.organization) == ("default", "default")
    assert caller.roles == frozenset()
    assert caller.scopes == frozenset()


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"exp": 1}, "invalid token"),
        ({"exp": None}, "invalid token"),
        ({"nbf": 4_000_000_000}, "invalid token"),
        ({"iss": "https://evil.example"}, "invalid token"),
        ({"iss": None}, "invalid token"),
        ({"sub": None}, "invalid token"),
        ({"sub": " "}, "invalid token"),
        ({"aud": "another-server"}, "invalid audience"),
        ({"aud": ["a", "b"]}, "invalid audience"),
        ({"aud": None}, "invalid audience"),
        ({"roles": {"staff": True}}, "invalid token"),
        ({"roles": [1]}, "invalid token"),
        ({"tenant": ["a"]}, "invalid token"),
        ({"tenant": ""}, "invalid token"),
        ({"headers": {"kid": "unknown"}}, "invalid token"),
    ],
)
def test_each_token_that_is_not_good_is_refused_in_these_words(
    verifier: JwtVerifier, keys: tuple[SigningKey, SigningKey], changes: dict[str, Any], expected: str
) -> None:
    assert reason(lambda: verifier.verify(keys[0].token(**changes))) == expected


def test_a_token_expired_for_another_server_is_not_told_more(
    verifier: JwtVerifier, keys: tuple[SigningKey, SigningKey]
) -> None:
    """The audience of a token whose signature is wrong says nothing."""
    forged = keys[1].token(headers={"kid": "one"}, aud="another-server")
    assert reason(lambda: verifier.verify(forged)) == "invalid token"


def test_forgeries_are_refused(verifier: JwtVerifier, keys: tuple[SigningKey, SigningKey]) -> None:
    good = keys[0].token()
    head, body, signature = good.split(".")

    def part(value: dict[str, Any]) -> str:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")

    claims = {"iss": ISSUER, "aud": "pincite", "sub": "ada", "exp": time.time() + 60, "scope": "admin:read"}
    unsigned = f"{part({'alg': 'none', 'typ': 'JWT', 'kid': 'one'})}.{part(claims)}."
    changed = f"{head}.{part(claims)}.{signature}"
    confused = jwt.encode(claims, "x" * 64, algorithm="HS256", headers={"kid": "one"})
    wrong_key = keys[1].token(headers={"kid": "one"})
    for forged in (unsigned, changed, confused, wrong_key, f"{head}.{body}.", head, "", "a.b.c", "ä.ö.ü", good + "x"):
        assert reason(lambda forged=forged: verifier.verify(forged)) == "invalid token"  # type: ignore[misc]
    assert verifier.verify(good).subject == "ada"


def test_the_public_key_is_no_secret_to_sign_with(keys: tuple[SigningKey, SigningKey]) -> None:
    """The old confusion: a token signed by HMAC with the published key."""
    checker = JwtVerifier(Jwt(issuer=ISSUER, audience="pincite", key=keys[0].pem), "default", "default")
    head = base64.urlsafe_b64encode(b'{"alg":"HS256","typ":"JWT"}').decode().rstrip("=")
    claims = {"iss": ISSUER, "aud": "pincite", "sub": "ada", "exp": time.time() + 60}
    body = base64.urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip("=")
    import hashlib
    import hmac

    mark = hmac.new(keys[0].pem.encode(), f"{head}.{body}".encode(), hashlib.sha256).digest()
    forged = f"{head}.{body}.{base64.urlsafe_b64encode(mark).decode().rstrip('=')}"
    assert reason(lambda: checker.verify(forged)) == "invalid token"
    assert checker.verify(keys[0].token()).subject == "ada"


def test_a_new_key_of_the_issuer_is_fetched_when_a_token_names_it(
    issuer: Issuer, keys: tuple[SigningKey, SigningKey]
) -> None:
    now = 0.0
    found = KeySet(issuer.url, clock=lambda: now)
    assert found.find("one") is not None
    issuer.body = {"keys": [keys[0].published(), keys[1].published()]}
    assert found.find("two") is None, "not so soon"
    assert issuer.asked == 1
    now += LEAST_SECONDS
    assert found.find("two") is not None
    for _ in range(100):
        assert found.find("invented") is None
    assert issuer.asked == 2


def test_a_withdrawn_key_is_forgotten(issuer: Issuer, keys: tuple[SigningKey, SigningKey]) -> None:
    now = 0.0
    found = KeySet(issuer.url, clock=lambda: now)
    assert found.find("one") is not None
    issuer.body = {"keys": [keys[1].published()]}
    now += MOST_SECONDS
    assert found.find("one") is None
    assert found.find("two") is not None


@pytest.mark.parametrize("failure", ["status", "redirect", "no JSON", "no keys", "secrets", "gone"])
def test_an_issuer_that_cannot_be_asked_lets_nobody_in(
    issuer: Issuer, keys: tuple[SigningKey, SigningKey], failure: str
) -> None:
    match failure:
        case "status":
            issuer.status = 500
        case "redirect":
            issuer.status = 302
        case "no JSON":
            issuer.body = "keys"
        case "no keys":
            issuer.body = {"keys": []}
        case "secrets":
            issuer.body = {"keys": [{"kty": "oct", "k": "c2VjcmV0", "kid": "one"}]}
        case "gone":
            issuer.server.shutdown()
            issuer.server.server_close()
    checker = JwtVerifier(Jwt(issuer=ISSUER, audience="pincite", jwks_url=issuer.url), "default", "default")
    for _ in range(2):
        with pytest.raises(Unavailable):
            checker.verify(keys[0].token())


def test_known_keys_serve_while_the_issuer_is_away(issuer: Issuer) -> None:
    now = 0.0
    found = KeySet(issuer.url, clock=lambda: now)
    assert found.find("one") is not None
    issuer.status = 500
    now += LEAST_SECONDS
    assert found.find("two") is None
    assert found.find("one") is not None
    now += MOST_SECONDS
    with pytest.raises(Unavailable):
        found.find("one")


def test_claims_are_found_where_the_settings_say(keys: tuple[SigningKey, SigningKey], tmp_path: Path) -> None:
    (tmp_path / "key.pem").write_text(keys[0].pem, encoding="utf-8")
    claims = {"tenant": "https://example.org/tenant", "roles": "realm_access.roles", "scopes": "scp"}
    settings = {"issuer": ISSUER, "audience": ("x", "pincite"), "key_file": str(tmp_path / "key.pem"), "claims": claims}
    checker = JwtVerifier(Jwt.model_validate(settings), "default", "default")
    given = {"https://example.org/tenant": "acme", "realm_access": {"roles": ["staff"]}, "scp": ["search:read"]}
    caller = checker.verify(keys[0].token(**given))
    assert (caller.tenant, caller.roles, caller.scopes) == ("acme", {"staff"}, {"search:read"})


def test_a_shared_secret_must_be_long(tmp_path: Path) -> None:
    settings = {"issuer": ISSUER, "audience": "pincite", "key_file": str(tmp_path / "s"), "algorithms": ["HS256"]}
    (tmp_path / "s").write_text("short", encoding="utf-8")
    with pytest.raises(InvalidArgument, match="32 random bytes"):
        JwtVerifier(Jwt.model_validate(settings), "default", "default")
    (tmp_path / "s").write_text("s" * 64, encoding="utf-8")
    checker = JwtVerifier(Jwt.model_validate(settings), "default", "default")
    claims = {"iss": ISSUER, "aud": "pincite", "sub": "ada", "exp": time.time() + 60}
    assert checker.verify(jwt.encode(claims, "s" * 64, algorithm="HS256")).subject == "ada"
    assert reason(lambda: checker.verify(jwt.encode(claims, "t" * 64, algorithm="HS256"))) == "invalid token"
    with pytest.raises(InvalidArgument, match="cannot be read"):
        JwtVerifier(Jwt.model_validate(settings | {"key_file": str(tmp_path / "none")}), "default", "default")
