"""Work on foreign files in a process of its own: one that crashes, hangs or fills the memory costs only itself.

`ask` and `stream` call a function by its name in such a process (`process.py`), which has limits of memory, time and
answer (`limits.py`). It is started by the first call, serves one call after the other, and leaves when it has had
nothing to do for a while or its parent is gone (`worker.py`).
"""

from pincite.apart.process import Apart, CallFailed, ask, named, stream

__all__ = ["Apart", "CallFailed", "ask", "named", "stream"]
