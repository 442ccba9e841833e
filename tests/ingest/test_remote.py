"""Remote files, from a server on this machine: limits, conditional requests, and whom we do not ask."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from desk import Desk
from pincite.errors import InvalidArgument, PinciteError, Unavailable
from pincite.ingest import remote
from pincite.ingest.addresses import is_public, parse_url
from pincite.ingest.remote import name_of
from pincite.kinds.documents.kind import DECLARATION, DocumentsKind
from sample_files import pdf
from terminal import Run


@dataclass
class Site:
    """What the server gives, and what it was asked."""

    url: str = ""
    files: dict[str, bytes] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)
    etags: dict[str, str] = field(default_factory=dict)
    redirects: dict[str, str] = field(default_factory=dict)
    asked: list[tuple[str, int]] = field(default_factory=list)


@pytest.fixture
def site() -> Iterator[Site]:
    given = Site()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, body, headers = self.answer(self.path.partition("?")[0])
            given.asked.append((self.path, status))
            self.send_response(status)
            for name, value in {"Content-Length": str(len(body)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def answer(self, path: str) -> tuple[int, bytes, dict[str, str]]:
            if path in given.redirects:
                return 302, b"", {"Location": given.redirects[path]}
            if path not in given.files:
                return 404, b"", {}
            headers = {"Content-Type": given.types.get(path, "application/octet-stream")}
            if etag := given.etags.get(path):
                if self.headers.get("If-None-Match") == etag:
                    return 304, b"", {}
                headers["ETag"] = etag
            return 200, given.files[path], headers

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    given.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield given
    server.shutdown()
    server.server_close()
    thread.join()


def fetch(desk: Desk, url: str, **options: object) -> tuple[int, int, int, int]:
    report = desk.library.ingest(url, allow_private=True, **options)
    return report.added, report.changed, report.unchanged, report.removed


def test_a_remote_file_is_named_by_its_address(desk: Desk, site: Site) -> None:
    site.files["/acts/data.pdf"] = pdf(["The act applies to personal data of natural persons."])
    assert fetch(desk, f"{site.url}/acts/data.pdf") == (1, 0, 0, 0)
    (hit,) = desk.search("personal data").hits
    assert hit.passage.element_id == f"{site.url.removeprefix('http://')}/acts/data.pdf"
    assert hit.passage.page == 1


def test_an_unchanged_file_costs_one_conditional_request(desk: Desk, site: Site) -> None:
    site.files["/a.md"], site.etags["/a.md"] = b"# A\n\nalpha", '"one"'
    fetch(desk, f"{site.url}/a.md")
    assert fetch(desk, f"{site.url}/a.md") == (0, 0, 1, 0)
    assert site.asked == [("/a.md", 200), ("/a.md", 304)]
    site.files["/a.md"], site.etags["/a.md"] = b"# A\n\nbeta", '"two"'
    assert fetch(desk, f"{site.url}/a.md") == (0, 1, 0, 0)
    assert desk.ids("alpha") == []


def test_without_an_etag_the_content_decides(desk: Desk, site: Site) -> None:
    site.files["/a.md"] = b"# A\n\nalpha"
    fetch(desk, f"{site.url}/a.md")
    assert fetch(desk, f"{site.url}/a.md") == (0, 0, 1, 0)
    assert [status for _, status in site.asked] == [200, 200]


def test_another_prefix_fetches_anew(desk: Desk, site: Site) -> None:
    site.files["/a.md"], site.etags["/a.md"] = b"# A\n\nalpha", '"one"'
    fetch(desk, f"{site.url}/a.md")
    assert fetch(desk, f"{site.url}/a.md", prefix="x/") == (1, 0, 0, 1)
    assert [status for _, status in site.asked] == [200, 200]


def test_a_file_without_a_suffix_is_what_the_server_says(desk: Desk, site: Site) -> None:
    site.files["/fees"], site.types["/fees"] = b"<h1>Fees</h1><p>Entry costs ten.</p>", "text/html; charset=utf-8"
    site.etags["/fees"] = '"one"'
    assert fetch(desk, f"{site.url}/fees") == (1, 0, 0, 0)
    assert fetch(desk, f"{site.url}/fees") == (0, 0, 1, 0)
    assert desk.first("entry costs").passage.section_id == "fees"
    site.files["/movie"], site.types["/movie"] = b"x", "video/mp4"
    with pytest.raises(InvalidArgument, match="video/mp4, which is not supported"):
        fetch(desk, f"{site.url}/movie")


def test_redirects_are_followed_and_each_stop_is_checked(desk: Desk, site: Site) -> None:
    site.files["/real.md"] = b"# A\n\nalpha"
    site.redirects |= {"/old.md": "/real.md", "/loop.md": "/loop.md", "/out.md": "http://example.org/a.md"}
    assert fetch(desk, f"{site.url}/old.md") == (1, 0, 0, 0)
    with pytest.raises(Unavailable, match="redirects more than 5 times"):
        fetch(desk, f"{site.url}/loop.md")
    with pytest.raises(InvalidArgument, match="is not encrypted; write https://"):
        fetch(desk, f"{site.url}/out.md")


def test_a_file_that_is_gone_stays_until_its_removal_is_asked_for(desk: Desk, site: Site) -> None:
    site.files["/a.md"] = b"# A\n\nalpha"
    fetch(desk, f"{site.url}/a.md")
    site.files.clear()
    with pytest.raises(Unavailable, match=r"not found \(404\).*--allow-empty"):
        fetch(desk, f"{site.url}/a.md")
    assert len(desk.ids("alpha")) == 1
    assert fetch(desk, f"{site.url}/a.md", allow_empty=True) == (0, 0, 0, 1)


def test_a_file_beyond_the_limit_is_not_taken(desk: Desk, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(DocumentsKind, "declares", replace(DECLARATION, max_bytes=1000))
    site.files["/a.md"] = b"a" * 1001
    with pytest.raises(InvalidArgument, match="larger than 1,000 bytes"):
        fetch(desk, f"{site.url}/a.md")
    site.files["/a.md"] = b"a" * 1000
    assert fetch(desk, f"{site.url}/a.md") == (1, 0, 0, 0)


def test_a_transfer_beyond_its_time_is_given_up(desk: Desk, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote, "SECONDS", 0.0)
    site.files["/a.md"] = b"alpha"
    with pytest.raises(Unavailable, match="not complete after 0 s"):
        fetch(desk, f"{site.url}/a.md")


def test_a_server_that_is_not_there_is_no_traceback(desk: Desk) -> None:
    with pytest.raises(Unavailable, match="cannot be fetched"):
        fetch(desk, "http://127.0.0.1:9/a.md")


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("http://127.0.0.1:1/a.md", "not encrypted"),
        ("http://example.org/a.md", "not encrypted"),
        ("https://127.0.0.1/a.md", "private network; if that is intended, add --allow-private"),
        ("https://[::1]/a.md", "private network"),
        ("https://[::ffff:10.0.0.1]/a.md", "private network"),
        ("https://169.254.169.254/latest/meta-data", "private network"),
        ("https://localhost/a.md", "private network"),
        ("ftp://example.org/a.md", "ftp:// is not supported"),
        ("file:///etc/passwd", "names no host"),
        ("https://user:secret@example.org/a.md", "must not contain a name or password"),
        ("https:///a.md", "names no host"),
        ("https://example.org:99999/a.md", "is not a valid address"),
    ],
)
def test_addresses_that_are_not_asked(desk: Desk, url: str, reason: str) -> None:
    with pytest.raises(PinciteError, match=reason) as caught:
        desk.library.ingest(url)
    assert "secret" not in caught.value.message


def test_plain_http_is_for_this_machine_only() -> None:
    with pytest.raises(InvalidArgument, match="not encrypted"):
        parse_url("http://10.0.0.1/a.md", allow_private=True)


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("93.184.216.34", True),
        ("2606:2800:220:1::1", True),
        ("10.1.2.3", False),
        ("100.64.0.1", False),
        ("0.0.0.0", False),
        ("224.0.0.1", False),
        ("fe80::1", False),
        ("fc00::1", False),
        ("64:ff9b::7f00:1", False),
        ("2002:7f00:1::", False),
    ],
)
def test_what_is_public(address: str, expected: bool) -> None:
    assert is_public(address) is expected


def test_names_of_addresses() -> None:
    assert name_of("https://Example.org/a%20b/f%C3%BCr.pdf?x=1") == "example.org/a b/für.pdf?x=1"
    assert name_of("https://example.org:8443/%01.pdf") == "example.org:8443/%01.pdf"


def test_a_local_source_does_not_take_over_a_remote_one(desk: Desk, site: Site) -> None:
    site.files["/a.md"] = b"# A\n\nalpha"
    fetch(desk, f"{site.url}/a.md")
    name = f"{site.url.removeprefix('http://')}/a.md"
    desk.write(name, "# Other\n\nbeta")
    report = desk.ingest()
    assert "already comes from http://" in report.failed[0].reason


def test_the_command_takes_an_address(run: Run, site: Site) -> None:
    site.files["/a.md"] = b"# A\n\nalpha"
    assert "private" in run("ingest", f"{site.url.replace('http', 'https')}/a.md").stderr
    done = run("ingest", f"{site.url}/a.md", "--allow-private")
    assert (done.returncode, done.stdout.partition(",")[0]) == (0, "1 added")
    assert "is not watched" in run("ingest", f"{site.url}/a.md", "--allow-private", "--watch").stderr
    assert "for folders" in run("ingest", f"{site.url}/a.md", "--allow-private", "--include", "*.md").stderr
