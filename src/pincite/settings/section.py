"""The base of every section: checked, frozen, and closed to unknown names."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field
from pydantic_core import PydanticCustomError

Name = Annotated[str, Field(min_length=1, max_length=200)]
Share = Annotated[float, Field(ge=0, le=1)]
UNKNOWN_NAME = "unknown_name"


class SettingsSection(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


def unknown_name(name: str, known: Iterable[str]) -> PydanticCustomError:
    """What a validator raises for a name that only it can know to be wrong; `checked` answers with the nearest."""
    return PydanticCustomError(UNKNOWN_NAME, "{name} is not known", {"name": name, "known": sorted(known)})
