"""The converter process: reads requests from its input, writes one answer per line, leaves when idle or orphaned."""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from pincite.kinds.documents.convert.checks import Unreadable, check
from pincite.kinds.documents.convert.converters import CONVERTERS, Converted

IDLE_SECONDS = 30.0
MAX_MEMORY_BYTES = 6 * 2**30
"""Address space, where the system can limit it: a file that unpacks to more is not a document."""


def main() -> None:
    """Answer until the parent closes the pipe or nothing was asked for a while."""
    _limit_memory()
    answers = _private_output()
    while True:
        idle = threading.Timer(IDLE_SECONDS, os._exit, (0,))
        idle.daemon = True
        idle.start()
        line = sys.stdin.buffer.readline()
        idle.cancel()
        if not line:
            return
        request = json.loads(line)
        answers.write(json.dumps(_answer(Path(request["path"]), request["suffix"])).encode() + b"\n")
        answers.flush()


def _private_output() -> BinaryIO:
    """The pipe to the parent; whatever libraries print goes nowhere instead of between our answers."""
    private = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)
    return private


def _limit_memory() -> None:
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        _soft, hard = resource.getrlimit(resource.RLIMIT_AS)
        wanted = MAX_MEMORY_BYTES if hard == resource.RLIM_INFINITY else min(MAX_MEMORY_BYTES, hard)
        resource.setrlimit(resource.RLIMIT_AS, (wanted, hard))


def _answer(path: Path, suffix: str) -> dict[str, object]:
    try:
        check(path, suffix)
        converted = _function(suffix)(path)
    except Unreadable as error:
        return {"error": str(error)}
    except MemoryError:
        return {"error": f"it needs more than {MAX_MEMORY_BYTES // 2**30} GB of memory to convert; split the file"}
    except OSError as error:
        return {"error": error.strerror or str(error)}
    except Exception as error:  # noqa: BLE001 - parsers raise anything on a broken file; the reason is reported
        said = " ".join(str(error).split())[:200]
        return {"error": f"its converter failed ({type(error).__name__}{': ' + said if said else ''})"}
    text = converted.text.encode("utf-8", "replace").decode("utf-8")  # a lone surrogate is not text
    return {"text": text, "title": converted.title, "notes": list(converted.notes)}


def _function(suffix: str) -> Callable[[Path], Converted]:
    module, name = CONVERTERS[suffix].function.split(".")
    found: Callable[[Path], Converted] = getattr(importlib.import_module(f"{__package__}.{module}"), name)
    return found


if __name__ == "__main__":
    main()
