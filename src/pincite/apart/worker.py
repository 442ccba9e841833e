"""The process that reads foreign files: takes calls from its input, answers them, leaves when idle or orphaned."""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any, BinaryIO

from pincite.advice import over_a_door
from pincite.apart import process
from pincite.apart.limits import IDLE_SECONDS, alarm, limit_this_process, memory_bytes
from pincite.apart.messages import read, write
from pincite.apart.process import Apart, named
from pincite.errors import MissingExtra, PinciteError

_GRACE_SECONDS = 5.0
"""The parent, which can say what was too slow, comes first."""
_MAX_CALL_BYTES = 2**40
"""Calls come from the parent, which is trusted."""
MAX_REASON_CHARS = 200


def main() -> None:
    """Answer until the parent closes the pipe or nothing was asked for a while."""
    limit_this_process()
    process.inside = True
    answers = _private_output()
    while True:
        alarm(IDLE_SECONDS)
        try:
            call, seconds, at_a_door = pickle.loads(read(sys.stdin.buffer, _MAX_CALL_BYTES))
        except EOFError:
            return
        alarm(seconds + _GRACE_SECONDS)
        with over_a_door() if at_a_door else nullcontext():
            is_sound = _answer(answers, call, seconds)
        if not is_sound:
            return


def _private_output() -> BinaryIO:
    """The pipe to the parent; whatever libraries print goes nowhere instead of between our answers."""
    private = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)
    return private


def _answer(answers: BinaryIO, call: Apart, seconds: float) -> bool:
    """Send what the call gives, ("given", value) each and ("end", None) at last, or why it fails; whether this
    process can go on."""
    try:
        for value in _given(call):
            alarm(0)  # the parent may take its time before it takes the value
            write(answers, ("given", value))
            alarm(seconds + _GRACE_SECONDS)
        write(answers, ("end", None))
    except MissingExtra as error:
        write(answers, ("missing", (error.message, error.field)))
    except PinciteError as error:
        write(answers, ("failed", (error.message, error.field)))
    except MemoryError:
        write(answers, ("spent", (f"it needs more than {memory_bytes() / 2**30:.1f} GB of memory; split the file", "")))
        return False
    except RecursionError:
        write(answers, ("failed", ("it is nested too deeply; make it flatter", "")))
    except BrokenPipeError:
        return False
    except OSError as error:
        write(answers, ("failed", (error.strerror or str(error), "")))
    except Exception as error:  # noqa: BLE001 - parsers raise anything on a broken file; the reason is reported
        said = " ".join(str(error).split())[:MAX_REASON_CHARS]
        write(answers, ("failed", (f"its reader gave up ({type(error).__name__}{': ' + said if said else ''})", "")))
    return True


def _given(call: Apart) -> Iterator[Any]:
    function = named(call.function)
    if call.streams:
        yield from function(*call.arguments)
    else:
        yield function(*call.arguments)


if __name__ == "__main__":
    # As a module of its own name: `process.inside` is set where everyone else looks for it.
    from pincite.apart.worker import main as serve

    serve()
