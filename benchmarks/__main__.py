"""Runs the modules of this folder that have a `main()`: all of them, or those named on the command line.

What follows a name and is not a name itself is for the benchmark: `python -m benchmarks documents DATA --write`.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
from itertools import takewhile
from typing import TYPE_CHECKING

import benchmarks

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def found() -> dict[str, Callable[[], object]]:
    """The benchmarks by name."""
    modules = {
        info.name: importlib.import_module(f"benchmarks.{info.name}")
        for info in pkgutil.iter_modules(benchmarks.__path__)
        if not info.name.startswith("_")
    }
    return {name: module.main for name, module in sorted(modules.items()) if hasattr(module, "main")}


def run(arguments: Sequence[str]) -> int:
    """Runs the named benchmarks, or all, with what follows the names; 2 for an unknown name."""
    available = found()
    names = list(takewhile(available.__contains__, arguments))
    rest = list(arguments[len(names) :])
    if rest and not names:
        print(f"no benchmark {rest[0]}; there are: {', '.join(available) or 'none'}", file=sys.stderr)
        return 2
    if rest and len(names) > 1:
        print(f"{' '.join(rest)}: for which of {', '.join(names)}? Name one", file=sys.stderr)
        return 2
    if not available:
        print("benchmarks/ holds no module with a main() yet; nothing was measured")
    for name in names or available:
        print(f"== {name}", flush=True)
        sys.argv = [f"benchmarks/{name}.py", *rest]
        available[name]()
    return 0


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
