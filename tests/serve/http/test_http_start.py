"""What `pincite serve` looks at before it opens anything, and how it begins with nothing."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest
from real_server import RealServer

import pincite
from pincite import extras
from pincite.errors import InvalidArgument, MissingExtra
from pincite.serve.http.run import Serving, check
from pincite.settings import load_config
from pincite.settings.serve import ServeSettings
from self_signed import self_signed
from terminal import Run


def serve(library: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """The command, which must refuse."""
    command = [sys.executable, "-m", "pincite", "--library", str(library), "serve", "--port", "0", *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


def test_a_folder_without_a_library_is_not_served_and_not_filled(tmp_path: Path) -> None:
    wrong = tmp_path / "libary"
    done = serve(wrong)
    assert done.returncode == 3, done.stderr
    assert f"there is no library at {str(wrong)!r}" in done.stderr
    assert "pincite ingest FOLDER" in done.stderr and "pincite serve --create" in done.stderr
    assert "Traceback" not in done.stderr and "serving" not in done.stderr
    assert not wrong.exists()


def test_a_key_can_be_made_before_there_is_anything_to_serve(tmp_path: Path, run: Run) -> None:
    """What is reached from outside needs a key before its first start, and its library is filled by uploads."""
    library = tmp_path / "library"
    key = ("--library", str(library), "keys", "create", "--name", "first")
    assert run(*key).returncode == 3
    assert not library.exists()
    done = run(*key, "--create")
    assert done.returncode == 0, done.stderr
    check(Serving(load_config(library), ServeSettings(host="0.0.0.0")))


@pytest.mark.slow
@pytest.mark.parametrize("workers", ["1", "2"])
def test_an_empty_library_that_is_asked_for_is_filled_by_uploads(tmp_path: Path, workers: str) -> None:
    library = tmp_path / "new" / "library"
    with RealServer(library, ("--create", "--workers", workers)) as server:
        job = server.client.post("/v1/ingest", files=[("file", ("note.md", b"# Lantern"))]).json()["job_id"]
        end = time.monotonic() + 60
        while server.job(job)["state"] in ("queued", "running") and time.monotonic() < end:
            time.sleep(0.05)
        assert server.found("lantern") == ["note.md"]
        assert server.stop() == 0
    assert sum(f"created an empty library at {library}" in line for line in server.said) == 1
    with RealServer(library, ("--create",)) as again:
        assert again.found("lantern") == ["note.md"], "what is there is kept"
        assert again.stop() == 0
    assert not any("created an empty library" in line for line in again.said)


def test_a_certificate_that_cannot_be_served_with_is_said_before_anything_is_opened(tmp_path: Path) -> None:
    certificate, _ = self_signed(tmp_path)
    _, other = self_signed(tmp_path, "other")
    library = tmp_path / "library"
    done = serve(library, "--create", "--certificate", str(certificate), "--key", str(other))
    assert done.returncode == 2, done.stderr
    assert "does not match --certificate" in done.stderr and "Traceback" not in done.stderr
    assert not library.exists()
    config = load_config(library)
    for given, said in (
        ({"certificate": str(certificate)}, "must be given together"),
        ({"certificate": str(tmp_path / "gone.pem"), "key": str(other)}, "No such file"),
    ):
        with pytest.raises(InvalidArgument, match=said):
            check(Serving(config, ServeSettings(), create=True, **given))


def test_grpc_without_its_extra_is_an_error_with_the_line_to_install_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pincite.open(tmp_path / "library", dense="off"):
        pass
    config = load_config(tmp_path / "library")
    monkeypatch.setattr(extras, "find_spec", lambda name: None if name.startswith("grpc") else object())
    check(Serving(config, ServeSettings()))
    with pytest.raises(MissingExtra, match=r'pip install "pincite\[grpc\]"'):
        check(Serving(config, ServeSettings(), grpc_port=50051))
