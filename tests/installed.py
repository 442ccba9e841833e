"""A package of somebody else's, as an installer leaves it: its modules, and beside them what it says of itself."""

from __future__ import annotations

import shutil
import tomllib
from pathlib import Path

EXAMPLES = Path(__file__).parent.parent / "examples"


def install(package: Path, site: Path) -> None:
    """Put the modules of a package into a folder of Python's path, with the entry points of its pyproject.toml."""
    project = tomllib.loads((package / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    about = site / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    about.mkdir(parents=True)
    for module in package.glob("*.py"):
        shutil.copy(module, site)
    told = f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    (about / "METADATA").write_text(told, encoding="utf-8")
    groups = project["entry-points"].items()
    lines = [f"[{group}]\n" + "".join(f"{name} = {at}\n" for name, at in points.items()) for group, points in groups]
    (about / "entry_points.txt").write_text("\n".join(lines), encoding="utf-8")
