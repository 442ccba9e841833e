"""When each word was in use: the revisions and days at which some passage that everybody may read has it.

Only such words are near anything: what was deleted or is not in force, like what one may not read, must not show in a
score.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

import numpy as np

from pincite.index.lexicon.store import Lives
from pincite.types import Lifetime

_Key = tuple[int, int, int]
"""Number of the form, first day in force and the day after the last."""


class Timeline:
    """Stretches of use by form and validity. Passages must come in the order of their births."""

    def __init__(self, known: Lives | None = None) -> None:
        self._stretches: dict[_Key, list[tuple[int, int]]] = {}
        if known is not None:
            columns = (known.form, known.first_day, known.end_day, known.start, known.end)
            for form, first, after, start, end in zip(*(column.tolist() for column in columns), strict=True):
                self._stretches.setdefault((form, first, after), []).append((start, end))

    def add(self, forms: Iterable[int], lifetime: Lifetime) -> None:
        """A passage with these forms."""
        days = (lifetime.valid_from or date.min).toordinal(), (lifetime.valid_to or date.max).toordinal()
        for form in forms:
            stretches = self._stretches.setdefault((form, *days), [])
            if stretches and lifetime.born <= stretches[-1][1]:
                start, end = stretches[-1]
                stretches[-1] = (start, max(end, lifetime.died))
            else:
                stretches.append((lifetime.born, lifetime.died))

    def lives(self) -> Lives:
        rows = [(*key, *stretch) for key in sorted(self._stretches) for stretch in self._stretches[key]]
        columns = np.array(rows, np.int64).reshape(-1, 5)
        form, first, after, start, end = (columns[:, number] for number in range(5))
        return Lives(form.astype(np.int32), start, end, first, after)
