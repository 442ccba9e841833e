"""What may be spent: an amount is set aside before a call and corrected by what the call took."""

from __future__ import annotations


class Budget:
    """Millionths of a dollar for one ingest; None: as much as it takes."""

    def __init__(self, limit_micros: int | None = None) -> None:
        self.limit_micros = limit_micros
        self.spent_micros = 0
        self._set_aside = 0

    @property
    def used_up(self) -> str:
        """What to say when there is no room for another call."""
        return f"the budget of ${(self.limit_micros or 0) / 1e6:g} leaves no room for another call"

    def set_aside(self, micros: int) -> bool:
        """Whether there is room for a call that is expected to cost this much; then it is kept for it."""
        if self.limit_micros is not None and self.spent_micros + self._set_aside + micros > self.limit_micros:
            return False
        self._set_aside += micros
        return True

    def settle(self, expected_micros: int, spent_micros: int) -> None:
        """A call has come back: what was set aside for it is free again, what it took is gone."""
        self._set_aside -= expected_micros
        self.spent_micros += spent_micros
