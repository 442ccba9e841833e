"""The outcome in the two forms in which it is used: a user's configuration, and the source of the package."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

import yaml

from benchmarks.defaults.choose import Choice


def as_yaml(choices: Sequence[Choice]) -> str:
    """`retrieval.weights` of a configuration."""
    table = {choice.query_class: asdict(choice.weights) for choice in choices}
    return yaml.safe_dump({"retrieval": {"weights": table}}, sort_keys=False, default_flow_style=None).rstrip()


def as_source(choices: Sequence[Choice]) -> str:
    """`DEFAULT_WEIGHTS` in src/pincite/search/weights.py."""
    lines = []
    for choice in choices:
        weights = choice.weights
        lines.append(f'    "{choice.query_class}": Weights({weights.keyword}, {weights.dense}, {weights.related}),')
    return "\n".join(("DEFAULT_WEIGHTS: Mapping[str, Weights] = {", *lines, "}"))
