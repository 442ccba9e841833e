"""Runs the modules of this folder that have a `main()`: all of them, or those named on the command line."""

from __future__ import annotations

import importlib
import pkgutil
import sys
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


def run(names: Sequence[str]) -> int:
    """Runs the named benchmarks, or all; 2 for an unknown name."""
    available = found()
    if unknown := [name for name in names if name not in available]:
        print(f"no benchmark {', '.join(unknown)}; there are: {', '.join(available) or 'none'}", file=sys.stderr)
        return 2
    if not available:
        print("benchmarks/ holds no module with a main() yet; nothing was measured")
    for name in names or available:
        print(f"== {name}", flush=True)
        sys.argv = [f"benchmarks/{name}.py"]
        available[name]()
    return 0


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
