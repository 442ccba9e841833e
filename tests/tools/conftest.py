"""The examples beside what they name: documents, a reranker, a server that writes contexts."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def examples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the examples that may write beside itself."""
    monkeypatch.syspath_prepend(str(ROOT / "tests" / "models"))
    from tiny_cross_encoder import make

    shutil.copytree(ROOT / "examples", tmp_path / "examples", ignore=shutil.ignore_patterns(".pincite*"))
    shutil.copytree(ROOT / "samples" / "handbook", tmp_path / "samples" / "handbook")
    make(tmp_path / "models" / "reranker")
    return tmp_path / "examples"


@dataclass
class Writer:
    """A server that speaks chat completions and says the same of every passage."""

    url: str
    asked: list[dict[str, Any]] = field(default_factory=list)


@pytest.fixture
def writer() -> Iterator[Writer]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            found.asked.append({"path": self.path, **body})
            said = {"role": "assistant", "content": "Zanzibar situates this passage."}
            answer = json.dumps(
                {
                    "choices": [{"message": said, "finish_reason": "stop"}],
                    "usage": {"prompt_tokens": 10, "completion_tokens": 5},
                }
            ).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    found = Writer(f"http://127.0.0.1:{server.server_port}/v1")
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield found
    server.shutdown()
    thread.join()
    server.server_close()
