"""Intervals and p-values: they must be right where the truth is known, and the same every time."""

from __future__ import annotations

import numpy as np
import pytest

from pincite.eval.bootstrap import intervals, paired


def test_an_interval_is_that_of_theory_for_many_values() -> None:
    values = np.random.default_rng(1).normal(0.6, 0.2, size=(2_000, 1))
    ((low, high),) = intervals(values)
    half = 1.96 * values.std() / np.sqrt(len(values))
    assert low == pytest.approx(values.mean() - half, abs=0.001)
    assert high == pytest.approx(values.mean() + half, abs=0.001)


def test_the_same_values_give_the_same_interval() -> None:
    values = np.random.default_rng(2).random((300, 4))
    assert intervals(values) == intervals(values.copy())


def test_a_column_has_the_same_interval_alone_and_beside_others() -> None:
    values = np.random.default_rng(3).random((50, 3))
    assert intervals(values)[1] == pytest.approx(intervals(values[:, 1:2])[0])


def test_a_steady_gain_is_significant_and_its_direction_is_known() -> None:
    before = list(np.random.default_rng(4).random(200))
    found = paired(before, [value + 0.02 for value in before])
    assert found.significant and found.low > 0 and found.p < 0.001
    assert found.difference == pytest.approx(0.02)
    assert paired([value + 0.02 for value in before], before).high < 0


def test_no_difference_is_not_significant() -> None:
    values = list(np.random.default_rng(5).random(100))
    found = paired(values, values)
    assert not found.significant and found.p == 1 and found.difference == 0


def test_p_values_of_pure_noise_are_spread_evenly() -> None:
    """Of many comparisons without a true difference about one in twenty seems significant, not one in three."""
    random = np.random.default_rng(6)
    small = sum(paired(list(random.normal(size=60)), list(random.normal(size=60))).p < 0.05 for _ in range(200))
    assert 2 <= small <= 22


def test_values_that_cannot_be_paired_are_refused() -> None:
    with pytest.raises(ValueError, match="paired"):
        paired([1.0], [1.0, 2.0])
