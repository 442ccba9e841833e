"""`python -m benchmarks.extraction definitions DATA`: precision and recall on the labelled samples.

Every module of this folder that has a `main(data)` is a sample of its own and is found by its name.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

HERE = Path(__file__).parent


def samples() -> list[str]:
    return sorted(path.stem for path in HERE.glob("*.py") if not path.stem.startswith("_"))


def run(arguments: list[str]) -> int:
    known = samples()
    if not arguments or arguments[0] not in known:
        print(f"usage: python -m benchmarks.extraction {{{','.join(known)}}} DATA", file=sys.stderr)
        return 2
    main = importlib.import_module(f"benchmarks.extraction.{arguments[0]}").main
    return int(main(Path(arguments[1]) if len(arguments) > 1 else None) or 0)


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
