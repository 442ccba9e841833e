"""What a client is told about getting in."""

from __future__ import annotations

from pincite.errors import InsufficientScope, Unauthenticated
from pincite.serve.auth.metadata import challenge, metadata_url, protected_resource
from pincite.settings.serve import ServeSettings

JWT = {"issuer": "https://login.example.org", "audience": "pincite", "jwks_url": "https://login.example.org/jwks"}
SETTINGS = ServeSettings.model_validate({"public_url": "https://search.example.org/", "auth": {"jwt": JWT}})
WELL_KNOWN = "https://search.example.org/.well-known/oauth-protected-resource"


def test_the_document_names_the_resource_and_who_gives_out_tokens() -> None:
    document = protected_resource(SETTINGS, "/mcp")
    assert document["resource"] == "https://search.example.org/mcp"
    assert document["authorization_servers"] == ["https://login.example.org"]
    assert "search:read" in document["scopes_supported"]
    assert document["bearer_methods_supported"] == ["header"]
    assert "authorization_servers" not in protected_resource(ServeSettings())
    assert protected_resource(ServeSettings(), base_url="http://127.0.0.1:9")["resource"] == "http://127.0.0.1:9"


def test_the_well_known_part_stands_before_the_path() -> None:
    assert metadata_url(SETTINGS, "/mcp") == f"{WELL_KNOWN}/mcp"
    below = SETTINGS.model_copy(update={"public_url": "https://example.org/search"})
    assert metadata_url(below, "/mcp") == "https://example.org/.well-known/oauth-protected-resource/search/mcp"


def test_each_refusal_has_its_challenge() -> None:
    where = f'resource_metadata="{WELL_KNOWN}"'
    assert challenge(SETTINGS, Unauthenticated("authentication required")) == f"Bearer {where}"
    for reason in ("invalid token", "invalid audience"):
        told = challenge(SETTINGS, Unauthenticated(reason))  # type: ignore[arg-type]
        assert told == f'Bearer {where}, error="invalid_token", error_description="{reason}"'
    told = challenge(SETTINGS, InsufficientScope("reindex", "index:write"))
    assert told.startswith(f'Bearer {where}, error="insufficient_scope"')
    assert told.endswith('scope="index:write"')
