"""Settings of the server: the `serve:` section of pincite.yaml. `load.py` reads it; nothing here reads anything.

serve:
  host: 127.0.0.1                  # another address needs authentication
  port: 8080
  public_url: https://search.example.org     # how clients reach it; in links, and in OAuth metadata
  production: true                 # refuse plain HTTP and origins on this machine
  allowed_origins: [https://app.example.org]
  allowed_hosts: [search.example.org]
  trusted_proxies: [10.0.0.5]      # whose X-Forwarded-Proto is trusted
  ingest_roots: [handbook]         # folders that may be ingested over a door; none: only uploads
  rate_limit: {requests_per_minute: 600, burst: 60}
  audit: {file: audit.jsonl, query_text: false}
  log: {format: text, level: auto}           # json: a line for every request, with trace ids
  auth:
    mode: auto                     # auto: as soon as there is a key or `jwt`; or required, or off
    jwt: {issuer: https://login.example.org, audience: pincite, jwks_url: https://login.example.org/jwks}
"""

from __future__ import annotations

import ipaddress
from typing import Annotated, ClassVar, Literal, Self, get_args
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from pincite.errors import InvalidArgument, UnknownArgument

ASYMMETRIC = (
    "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA",
)  # fmt: skip
SYMMETRIC = ("HS256", "HS384", "HS512")
Algorithm = Literal[
    "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "HS256", "HS384", "HS512"
]
"""Algorithms a JWT may be signed with. `none` is not among them."""

LogFormat = Literal["text", "json"]

Claim = Annotated[str, Field(min_length=1, max_length=200)]
Address = Annotated[str, Field(max_length=2_000)]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Claims(_Section):
    """The claims of a JWT that say what its bearer may do. Dots lead into objects: `realm_access.roles`."""

    tenant: Claim = "tenant"
    organization: Claim = "organization"
    repositories: Claim = "repositories"
    roles: Claim = "roles"
    scopes: Claim = "scope"


class Jwt(_Section):
    """Whose tokens are accepted, and how they are checked."""

    issuer: Address = ""
    """`iss` of the tokens; empty: JWTs are not accepted."""
    audience: Claim | tuple[Claim, ...] | Literal[""] = ""
    """`aud` that stands for this server; if several, one must match."""
    jwks_url: Address = ""
    """Where the issuer publishes its public keys."""
    key: Annotated[str, Field(max_length=20_000)] = ""
    """A public key in PEM format, instead of `jwks_url`."""
    key_file: Address = ""
    """A file that contains it, relative to the configuration. Secrets for HS256 belong in a file."""
    algorithms: tuple[Algorithm, ...] = ("RS256",)
    claims: Claims = Claims()
    default_scopes: tuple[str, ...] = ()
    """Scopes of a token without a scopes claim."""
    default_roles: tuple[str, ...] | None = ()
    """Roles of a token without a roles claim. Empty: it reads what is open to all; null: it reads as the owner."""
    leeway_seconds: float = Field(default=30.0, ge=0, le=300)
    """How much clocks may differ."""

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if not self.issuer:
            return self
        sources = [name for name in ("jwks_url", "key", "key_file") if getattr(self, name)]
        if len(sources) != 1:
            raise PydanticCustomError("jwt", "set exactly one of jwks_url, key and key_file")
        if not self.audience:
            raise PydanticCustomError("jwt", "set audience: a token for another server must not be accepted here")
        if not self.algorithms:
            raise PydanticCustomError("jwt", "set at least one algorithm, e.g. [RS256]")
        secret = [name for name in self.algorithms if name in SYMMETRIC]
        if secret and (self.jwks_url or len(secret) < len(self.algorithms)):
            raise PydanticCustomError(
                "jwt",
                "HS256, HS384 and HS512 use a shared secret: they cannot be combined with jwks_url or other algorithms",
            )
        if self.jwks_url and not _is_safe_url(self.jwks_url):
            raise PydanticCustomError("jwt", "jwks_url must be https://… (http:// only on this machine)")
        return self


class Auth(_Section):
    """How callers authenticate."""

    mode: Literal["auto", "required", "off"] = "auto"
    """auto: a token is required once a key exists or `jwt` is configured."""
    keys_file: Address = ""
    """Keys that an earlier version stored in this file are taken over; they are kept beside the catalog now."""
    jwt: Jwt = Jwt()


class RateLimit(_Section):
    """How often one key, or the subject of one token, may send requests."""

    requests_per_minute: float = Field(default=600.0, ge=0, le=1_000_000)
    """0: no limit."""
    burst: int = Field(default=60, ge=1, le=1_000_000)
    """How many requests may come at once after an idle time."""


class Audit(_Section):
    """A line for every request: who, what, when, in which state of the library."""

    file: Address = ""
    """JSON lines are appended to this file, relative to the configuration; empty: no audit log."""
    query_text: bool = False
    """Whether queries are logged too; they may be personal or confidential."""


class Log(_Section):
    """What is written to standard error; docs/observability.md lists the fields."""

    format: LogFormat = "text"
    """json: one object per line, for programs that collect logs."""
    level: Literal["auto", "debug", "info", "warning", "error"] = "auto"
    """auto: every request (info) with json, only problems (warning) with text."""


class ServeSettings(_Section):
    """The `serve:` section."""

    FILES: ClassVar[tuple[str, ...]] = ("ingest_roots", "audit.file", "auth.keys_file", "auth.jwt.key_file")
    """Settings that are file paths, relative to the configuration unless absolute."""

    host: Annotated[str, Field(min_length=1, max_length=255)] = "127.0.0.1"
    port: int = Field(default=8080, ge=0, le=65_535)
    public_url: Address = ""
    """How clients reach this server, e.g. https://search.example.org; empty: links are `pincite:` citations."""
    production: bool = False
    """Refuse plain HTTP and web pages served from this machine."""
    allowed_origins: tuple[Address, ...] = ()
    """Origins of web pages that may call, such as https://app.example.org."""
    allowed_hosts: tuple[Address, ...] = ()
    """Host names that clients may use, in addition to loopback and the host of `public_url`."""
    trusted_proxies: tuple[Address, ...] = ()
    """Addresses whose X-Forwarded-* headers are trusted."""
    max_request_bytes: int = Field(default=4 * 1024 * 1024, ge=1_024, le=10 * 1024**3)
    max_upload_bytes: int = Field(default=100 * 1024 * 1024, ge=1_024, le=10 * 1024**3)
    request_seconds: float = Field(default=30.0, gt=0, le=3_600)
    """How long a request may take."""
    requests_at_once: int = Field(default=1, ge=1, le=64)
    """How many searches a worker runs at once, and as many long requests; others wait for their turn."""
    ingest_roots: tuple[Address, ...] = ()
    """Folders, files and URLs that may be ingested through the server, with everything below them."""
    rate_limit: RateLimit = RateLimit()
    audit: Audit = Audit()
    log: Log = Log()
    auth: Auth = Auth()

    @model_validator(mode="after")
    def _plain_addresses(self) -> Self:
        parts = urlsplit(self.public_url)
        if self.public_url and (parts.scheme not in ("http", "https") or not parts.hostname or parts.query):
            raise PydanticCustomError("public_url", "public_url must look like https://search.example.org")
        for origin in self.allowed_origins:
            if origin != _origin(origin):
                raise PydanticCustomError(
                    "origin", "allowed_origins: {given} is not an origin; write it as https://app.example.org",
                    {"given": origin},
                )  # fmt: skip
        return self


def log_settings(log: Log, format: str) -> Log:
    """The settings with the log format of the command line; unchanged if that is empty."""
    if format and format not in get_args(LogFormat):
        raise UnknownArgument.named("log format", format, get_args(LogFormat), field="log_format")
    return log.model_copy(update={"format": format}) if format else log


def is_loopback(host: str) -> bool:
    """Whether an address can be reached only from this machine."""
    name = host.strip("[]").lower()
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def check_bind(settings: ServeSettings, *, authenticated: bool, host: str = "") -> None:
    """Raise `InvalidArgument` for an address that others can reach while authentication is off."""
    chosen = host or settings.host
    if not authenticated and not is_loopback(chosen):
        raise InvalidArgument(
            f"{chosen!r} can be reached by others, but no authentication is configured: create a key with"
            " `pincite keys create --name NAME`, or configure serve.auth.jwt, or bind 127.0.0.1",
            field="serve.host",
        )


def check_origin(settings: ServeSettings, origin: str | None) -> bool:
    """Whether a web page of this origin may call. Programs send no origin; local pages may call only in development."""
    if not origin:
        return True
    if origin in settings.allowed_origins or (settings.public_url and origin == _origin(settings.public_url)):
        return True
    return not settings.production and origin == _origin(origin) and is_loopback(_host_of(origin))


def check_host(settings: ServeSettings, host: str | None) -> bool:
    """Whether a Host header names this server, as protection against DNS rebinding."""
    given = (host or "").strip().lower()
    name = _host_of(f"//{given}") if "@" not in given else ""
    known = {entry.lower() for entry in settings.allowed_hosts} | {_host_of(settings.public_url)}
    return bool(name) and (name in known or given in known or is_loopback(name))


def _host_of(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def _origin(url: str) -> str:
    """Scheme, host and port of a URL: what a browser sends as Origin."""
    try:
        parts = urlsplit(url)
        return f"{parts.scheme}://{parts.netloc}".lower() if parts.scheme in ("http", "https") else ""
    except ValueError:
        return ""


def _is_safe_url(url: str) -> bool:
    parts = urlsplit(url)
    return bool(parts.hostname) and (
        parts.scheme == "https" or (parts.scheme == "http" and is_loopback(parts.hostname or ""))
    )
