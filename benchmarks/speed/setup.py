"""The input of one stage of a run; it runs in a process of its own, so that nothing of another weighs on it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path

from benchmarks.speed.corpus import Asked, questions
from benchmarks.speed.engines import open_engine
from benchmarks.speed.engines.engine import Engine

EFFORT = "effort.json"
POOLS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "LANCE_CPU_THREADS", "RAYON_NUM_THREADS")
THREADS = dict.fromkeys(POOLS, "1")
QUIET = {"LANCEDB_LOG": "error", "PINCITE_DENSE": "auto"}
ROOM = {"LANCE_MEM_POOL_SIZE": "4000000000"}
"""LanceDB's own limit, 150 MB, is too little to change 100,000 rows."""


@dataclass(frozen=True)
class Setup:
    engine: str
    size: int
    folder: str
    """Where this size's files are: the exact answers, and one folder for each engine."""
    queries: int = 200
    seconds: float = 20.0
    """For one series of questions; at least `LEAST` are asked whatever they take."""

    @property
    def home(self) -> Path:
        return Path(self.folder) / self.engine

    @cached_property
    def asked(self) -> list[Asked]:
        return questions(self.size, self.queries)

    def open(self) -> Engine:
        """The engine, ready, with the effort that was found for it."""
        engine = open_engine(self.engine, self.home)
        path = Path(self.folder) / f"{self.engine}-{EFFORT}"
        if path.exists():
            engine.effort = json.loads(path.read_text(encoding="utf-8"))
        return engine

    def keep_effort(self, engine: Engine) -> None:
        path = Path(self.folder) / f"{self.engine}-{EFFORT}"
        path.write_text(json.dumps(engine.effort), encoding="utf-8")

    def stored(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def load(cls, stored: str) -> Setup:
        return cls(**json.loads(stored))
