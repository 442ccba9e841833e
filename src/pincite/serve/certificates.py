"""The certificate of a server and its key: checked before anything is opened, for HTTP and gRPC alike."""

from __future__ import annotations

import ssl
from pathlib import Path

from pincite.errors import InvalidArgument


def check_certificate(certificate: str, key: str) -> None:
    """`InvalidArgument` unless both are PEM files that belong together, or both are empty."""
    if bool(certificate) != bool(key):
        raise InvalidArgument("--certificate and --key must be given together", field="certificate")
    if not certificate:
        return
    _read("certificate", certificate, b"CERTIFICATE-----")
    if b"ENCRYPTED" in _read("key", key, b"PRIVATE KEY-----"):
        raise InvalidArgument(
            f"--key {key!r} needs a passphrase, which a server cannot ask for; save the key without one:"
            " openssl pkey -in KEY -out NEW_KEY",
            field="key",
        )
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key)
    except ssl.SSLError as error:
        if (error.reason or "").endswith("MISMATCH"):
            raise InvalidArgument(
                f"--key {key!r} does not match --certificate {certificate!r}; pass the key it was made with,"
                " and in a file of several certificates put the server's own first",
                field="key",
            ) from error
        raise InvalidArgument(
            f"--certificate {certificate!r} with --key {key!r} cannot be used: {error.reason or error}; pass PEM files",
            field="certificate",
        ) from error


def _read(option: str, file: str, mark: bytes) -> bytes:
    try:
        data = Path(file).read_bytes()
    except OSError as error:
        raise InvalidArgument(f"--{option} {file!r}: {error.strerror}; pass a PEM file", field=option) from error
    if mark not in data:
        what = "certificate" if option == "certificate" else "private key"
        raise InvalidArgument(f"--{option} {file!r} contains no {what}; pass a PEM file", field=option)
    return data
