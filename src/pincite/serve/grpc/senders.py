"""What a call says about its sender: the token, and whether the connection is encrypted."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote


@dataclass(frozen=True, slots=True)
class Sender:
    """Read from a call while it is open, because threads need it later."""

    token: str | None
    peer: str
    """The other end of the connection: `ipv4:10.0.0.7:4711`, `ipv6:[::1]:4711`."""
    forwarded_proto: str = ""
    traceparent: str = ""
    """The trace the call belongs to (W3C)."""

    def is_encrypted(self, trusted: Sequence[str]) -> bool:
        """Whether a trusted proxy reports that the sender's own connection is encrypted."""
        return self.forwarded_proto == "https" and is_trusted(self.peer, trusted)


def sender_of(context: Any) -> Sender:
    metadata = {key.lower(): value for key, value in reversed(context.invocation_metadata() or ())}
    scheme, _, token = _text(metadata.get("authorization", "")).partition(" ")
    forwarded = _text(metadata.get("x-forwarded-proto", "")).partition(",")[0]
    return Sender(
        token=token.strip() or None if scheme.lower() == "bearer" else None,
        peer=unquote(context.peer()),
        forwarded_proto=forwarded.strip().lower(),
        traceparent=_text(metadata.get("traceparent", "")),
    )


def is_trusted(peer: str, trusted: Sequence[str]) -> bool:
    """Whether the other end is one of these addresses or networks."""
    family, _, rest = peer.partition(":")
    if family not in ("ipv4", "ipv6"):
        return False
    try:
        address = ipaddress.ip_address(rest.rpartition(":")[0].strip("[]"))
        return any(address in ipaddress.ip_network(entry, strict=False) for entry in trusted)
    except ValueError:
        return False


def _text(value: str | bytes) -> str:
    return value if isinstance(value, str) else value.decode("latin-1")
