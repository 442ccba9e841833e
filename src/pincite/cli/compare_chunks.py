"""`pincite eval --chunks`: are passages still cut as in the accepted snapshot?"""

from __future__ import annotations

from pathlib import Path

import typer

from pincite.cli.questions import EvaluationTarget
from pincite.cli.session import emit, say
from pincite.cli.written_files import write_file
from pincite.errors import InvalidArgument


def compare_chunks(place: EvaluationTarget, path: Path, *, update: bool, json: bool) -> bool:
    """Show which chunks differ from the snapshot, or accept them; True if none differ."""
    from pincite.eval.chunks import difference, read_accepted, snapshot

    if len(place.repositories) > 1:
        raise InvalidArgument("--chunks takes one repository at a time", field="repository")
    with place.bench(asks=False) as bench:
        now = snapshot(bench.library, bench.options.kind, repository="".join(place.repositories))
    if update:
        if path.exists():
            read_accepted(path)  # raises if it is not a snapshot, so that it is not overwritten
        write_file(str(path), now)
        say(f"accepted: {path}")
        changed = ""
    else:
        changed = difference(read_accepted(path), now)
    if json:
        emit({"snapshot": str(path), "changed": bool(changed), "difference": changed})
    elif changed:
        typer.echo(changed)
        say(f"the chunks differ from {path}; if that is intended, accept them with --update")
    elif not update:
        say(f"the chunks are those of {path}")
    return not changed
