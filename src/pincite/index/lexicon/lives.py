"""When each word was in use: the revisions at which some passage that everybody may read has it.

Only such words are near anything: what was deleted, like what one may not read, must not show in a score.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from pincite.index.lexicon.store import Lives


class Timeline:
    """Stretches of use by number of the form. Passages must come in the order of their births."""

    def __init__(self, known: Lives | None = None) -> None:
        self._stretches: dict[int, list[tuple[int, int]]] = {}
        if known is not None:
            for form, start, end in zip(known.form.tolist(), known.start.tolist(), known.end.tolist(), strict=True):
                self._stretches.setdefault(form, []).append((start, end))

    def add(self, forms: Iterable[int], born: int, died: int) -> None:
        """A passage with these forms, alive in between."""
        for form in forms:
            stretches = self._stretches.setdefault(form, [])
            if stretches and born <= stretches[-1][1]:
                start, end = stretches[-1]
                stretches[-1] = (start, max(end, died))
            else:
                stretches.append((born, died))

    def lives(self) -> Lives:
        rows = [(form, *stretch) for form in sorted(self._stretches) for stretch in self._stretches[form]]
        columns = np.array(rows, np.int64).reshape(-1, 3)
        return Lives(columns[:, 0].astype(np.int32), columns[:, 1], columns[:, 2])
