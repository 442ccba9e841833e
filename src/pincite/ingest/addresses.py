"""May this address be asked? Names are resolved once, and what was checked is what is connected to.

An address in a document source can come from anyone. One that leads into the own network (a router, a metadata
service, a database on localhost) is refused unless the person who runs the ingest allows it.
"""

from __future__ import annotations

import ipaddress
import socket
from urllib.parse import SplitResult, urlsplit

from pincite.advice import either
from pincite.errors import InvalidArgument, Unavailable

_EMBEDS_V4 = ipaddress.ip_network("64:ff9b::/96")
"""Translated to IPv4 by the network (RFC 6052)."""

_IP = ipaddress.IPv4Address | ipaddress.IPv6Address


def parse_url(url: str, *, allow_private: bool) -> SplitResult:
    """The parts of an address that may be fetched: https, or http on this very machine where that is allowed."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname or "", parts.port
    except ValueError as error:
        raise InvalidArgument(f"{url!r} is not a valid address: {error}", field="source") from error
    if parts.username or parts.password:
        raise InvalidArgument("an address must not contain a name or password, because it is stored", field="source")
    if not host:
        raise InvalidArgument(f"{url!r} names no host; write https://host/path", field="source")
    if parts.scheme == "https" or (parts.scheme == "http" and allow_private and _is_loopback(host)):
        return parts
    if parts.scheme == "http":
        raise InvalidArgument(f"{url!r} is not encrypted; write https://", field="source")
    raise InvalidArgument(f"{parts.scheme}:// is not supported; use https:// or a path", field="source")


def resolve(host: str, port: int, *, allow_private: bool) -> list[str]:
    """The host's addresses; InvalidArgument if one of them is not public."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise Unavailable(f"{host} cannot be resolved ({error}); check the name and the network") from error
    addresses = list(dict.fromkeys(str(entry[4][0]).split("%")[0] for entry in found))
    inside = [address for address in addresses if not is_public(address)]
    if inside and not allow_private:
        advice = either("if that is intended, add --allow-private", "fetch the file yourself and upload it")
        raise InvalidArgument(
            f"{host} is {inside[0]}, an address of a private network; {advice}",
            field="source",
        )
    return addresses


def is_public(address: str) -> bool:
    """Whether everyone on the internet would reach the same machine."""
    ip: _IP = ipaddress.ip_address(address)
    if isinstance(ip, ipaddress.IPv6Address):
        inner = ip.ipv4_mapped or ip.sixtofour
        if ip in _EMBEDS_V4:
            inner = ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
        ip = inner or ip
    return ip.is_global and not ip.is_multicast


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
