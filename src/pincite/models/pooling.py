"""How token vectors become the vector of a text: the pooling modes of sentence-transformers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Hidden: TypeAlias = NDArray[np.floating]
Mask: TypeAlias = NDArray[np.int64]


def _mean(hidden: Hidden, mask: Mask) -> Hidden:
    weights = mask[:, :, None].astype(hidden.dtype)
    return np.asarray((hidden * weights).sum(axis=1) / np.maximum(weights.sum(axis=1), 1))


def _cls(hidden: Hidden, _mask: Mask) -> Hidden:
    return hidden[:, 0]


def _max(hidden: Hidden, mask: Mask) -> Hidden:
    return np.asarray(np.where(mask[:, :, None] > 0, hidden, -np.inf).max(axis=1))


def _weightedmean(hidden: Hidden, mask: Mask) -> Hidden:
    """Later tokens weigh more (1, 2, 3 …): they have seen the earlier ones (SGPT, Muennighoff 2022)."""
    weights = (mask * np.arange(1, mask.shape[1] + 1))[:, :, None].astype(hidden.dtype)
    return np.asarray((hidden * weights).sum(axis=1) / np.maximum(weights.sum(axis=1), 1))


def _lasttoken(hidden: Hidden, mask: Mask) -> Hidden:
    last = np.maximum(mask.sum(axis=1) - 1, 0)  # padding is on the right, where we put it
    return np.asarray(hidden[np.arange(len(hidden)), last])


POOLING: dict[str, Callable[[Hidden, Mask], Hidden]] = {
    "mean": _mean,
    "cls": _cls,
    "max": _max,
    "weightedmean": _weightedmean,
    "lasttoken": _lasttoken,
}

STATED_AS = {
    "pooling_mode_cls_token": "cls",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_max_tokens": "max",
    # Differs from the mean only in length, and all vectors are normalised.
    "pooling_mode_mean_sqrt_len_tokens": "mean",
    "pooling_mode_weightedmean_tokens": "weightedmean",
    "pooling_mode_lasttoken": "lasttoken",
}
"""The switches of `1_Pooling/config.json`; newer folders name the mode in `pooling_mode` instead."""
