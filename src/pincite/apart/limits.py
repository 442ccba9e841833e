"""What a process that reads foreign files may use."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from pathlib import Path

SECONDS = 120.0
"""For a small file. The slowest real file we measured takes 2."""
SECONDS_PER_MEGABYTE = 20.0
"""Beyond that, for each megabyte: reading and cutting a text takes about one."""
IDLE_SECONDS = 30.0
"""Without work, a process leaves."""
STALE_SECONDS = IDLE_SECONDS / 2
"""After so long a process is not asked again: it might be leaving just then."""
MAX_ANSWER_BYTES = 512 * 2**20
"""Of one answer. A file of the largest size that is taken gives about a quarter of it."""
MAX_MEMORY_BYTES = 4 * 2**30
"""A web page of 50 MB takes about half of it; a file that unpacks to more is no document."""
MIN_MEMORY_BYTES = 2**30
"""Also on a machine with little: below, real documents could not be read."""

HAS_ALARM = hasattr(signal, "setitimer")


def memory_bytes() -> int:
    """What the process may fill: half of the machine's memory, within bounds."""
    try:
        half = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    except (AttributeError, ValueError, OSError):  # a system that does not say
        return MAX_MEMORY_BYTES
    return max(MIN_MEMORY_BYTES, min(MAX_MEMORY_BYTES, half))


def seconds_for(size_bytes: int) -> float:
    """How long reading or cutting so much may take."""
    return SECONDS + SECONDS_PER_MEGABYTE * size_bytes / 1e6


def limit_this_process() -> None:
    """Bound the memory of this process, where the system can, and make it the first to go where memory runs out."""
    if sys.platform != "win32":
        import resource

        # Data counts what is written to, not what is mapped: libraries map a multiple of what they use.
        for kind, wanted in ((resource.RLIMIT_DATA, memory_bytes()), (resource.RLIMIT_CORE, 0)):
            with suppress(ValueError, OSError):
                hard = resource.getrlimit(kind)[1]
                resource.setrlimit(kind, (wanted if hard == resource.RLIM_INFINITY else min(wanted, hard), hard))
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")


def alarm(seconds: float) -> None:
    """End this process after so long, whatever it is doing and even if its parent is gone; 0 calls it off."""
    if HAS_ALARM:
        signal.setitimer(signal.ITIMER_REAL, seconds)  # nothing handles the signal, so it ends the process
