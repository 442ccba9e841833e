"""Certificates and keys: what cannot be served with is said plainly, before anything is opened."""

from __future__ import annotations

from pathlib import Path

import pytest

from pincite.errors import InvalidArgument
from pincite.serve.certificates import check_certificate
from self_signed import self_signed


def refusal(certificate: Path | str, key: Path | str) -> InvalidArgument:
    with pytest.raises(InvalidArgument) as caught:
        check_certificate(str(certificate), str(key))
    return caught.value


def test_a_pair_and_none_at_all_are_fine(tmp_path: Path) -> None:
    certificate, key = self_signed(tmp_path)
    check_certificate(str(certificate), str(key))
    check_certificate("", "")


def test_one_without_the_other_is_refused(tmp_path: Path) -> None:
    certificate, key = self_signed(tmp_path)
    assert "must be given together" in refusal(certificate, "").message
    assert "must be given together" in refusal("", key).message


def test_a_file_that_is_not_there_is_named_with_its_option(tmp_path: Path) -> None:
    certificate, key = self_signed(tmp_path)
    gone = tmp_path / "gone.pem"
    for found, option in ((refusal(gone, key), "certificate"), (refusal(certificate, gone), "key")):
        assert found.field == option
        assert found.message.startswith(f"--{option} {str(gone)!r}: No such file or directory")


def test_a_key_of_another_certificate_is_refused(tmp_path: Path) -> None:
    certificate, _ = self_signed(tmp_path)
    _, other = self_signed(tmp_path, "other")
    found = refusal(certificate, other)
    assert (found.field, found.exit_code) == ("key", 2)
    assert "does not match --certificate" in found.message


def test_files_that_hold_something_else_are_told_apart(tmp_path: Path) -> None:
    certificate, key = self_signed(tmp_path)
    assert "contains no private key" in refusal(certificate, certificate).message
    assert "contains no certificate" in refusal(key, key).message
    broken = tmp_path / "broken.pem"
    broken.write_text("-----BEGIN CERTIFICATE-----\nnonsense\n-----END CERTIFICATE-----\n")
    assert "cannot be used" in refusal(broken, key).message


def test_a_key_that_needs_a_passphrase_is_refused_instead_of_asked_for(tmp_path: Path) -> None:
    certificate, key = self_signed(tmp_path)
    from cryptography.hazmat.primitives import serialization

    secret = serialization.load_pem_private_key(key.read_bytes(), None)
    locked = secret.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.BestAvailableEncryption(b"word")
    )
    key.write_bytes(locked)
    assert "needs a passphrase" in refusal(certificate, key).message
