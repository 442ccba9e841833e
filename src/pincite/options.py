"""Options: frozen data beside what it steers, which the settings take as it stands.

A class of options states its defaults and ranges once. Built in code or read from YAML, it is checked by the same rules
(`pydantic.dataclasses.dataclass(frozen=True, slots=True, config=CLOSED)`), so that settings have no twin of it.
"""

from __future__ import annotations

from pydantic import ConfigDict

CLOSED = ConfigDict(extra="forbid")
"""A name that is not an option is refused."""
