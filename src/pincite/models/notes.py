"""`pincite.json` in a model's folder: what Pincite knows about the model beyond its authors' files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from pincite.advice import place as shown
from pincite.errors import Damaged

FILE = "pincite.json"


class _Strict(BaseModel):
    # A typo like `calibation` must not be ignored: thresholds would silently change.
    model_config = ConfigDict(extra="forbid", frozen=True)


class Cosines(_Strict):
    """A calibration: see `pincite.protocols.Calibration`."""

    unrelated: float = Field(ge=-1, lt=1)
    same: float = Field(gt=-1, le=1)

    @model_validator(mode="after")
    def _rises(self) -> Self:
        if self.unrelated >= self.same:
            raise PydanticCustomError("calibration", "unrelated must be less than same")
        return self


class Prompts(_Strict):
    query: str = ""
    passage: str = ""


class KnownFile(_Strict):
    """A hash that is valid while the file has this size and time; hashing a large model takes seconds."""

    sha256: str
    size: int
    mtime_ns: int


class Fidelity(_Strict):
    """How close a smaller model is to the one it was made from."""

    against: str
    overlap_at_10: float
    """Share of the ten nearest neighbours of a text that both models agree on; mean over the texts."""
    mean_cosine: float
    """Mean cosine between the two models' vectors for the same text."""
    texts: int


class Notes(_Strict):
    """All fields are optional. Prompts and windows given here take precedence over those of the model's authors."""

    source: str = ""
    licence: str = ""
    calibration: Cosines | None = None
    windows: dict[str, int] | None = None
    prompts: Prompts | None = None
    files: dict[str, KnownFile] = {}
    fidelity: dict[str, Fidelity] = {}

    @classmethod
    def read(cls, folder: Path) -> Self:
        """The notes in a folder, empty if it has no file; `Damaged` if the file is not valid."""
        path = folder / FILE
        if not path.is_file():
            return cls()
        try:
            return cls.model_validate_json(path.read_bytes())
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(str(part) for part in first["loc"])
            raise Damaged(f"{shown(path)}: {place + ': ' if place else ''}{first['msg']}") from error

    def write(self, folder: Path) -> None:
        text = json.dumps(self.model_dump(mode="json", exclude_defaults=True), indent=2, ensure_ascii=False)
        (folder / FILE).write_text(text + "\n", encoding="utf-8")
