from __future__ import annotations

import numpy as np
import pytest

from pincite.errors import Damaged, EmbeddingFailed
from pincite.fixed import FIXED, check_vectors, pack, to_fixed, unit, unpack


def some(rows: int = 20, dimensions: int = 32) -> np.ndarray:
    return unit(np.random.default_rng(3).normal(size=(rows, dimensions)))


def test_fixed_point_is_near_and_comes_back_from_bytes_as_it_was() -> None:
    vectors = some()
    fixed = to_fixed(vectors)
    assert fixed.dtype == np.int16
    assert np.abs(fixed / FIXED - vectors).max() <= 0.5 / FIXED + 1e-7
    assert (unpack(pack(fixed), 32) == fixed).all()
    assert unpack(pack(fixed), 32).dtype == np.int16


def test_halves_are_rounded_to_even_and_one_is_the_scale() -> None:
    halves = np.array([[0.5 / FIXED, 1.5 / FIXED, 2.5 / FIXED, 1.0, -1.0000001]], dtype=np.float64)
    assert to_fixed(halves).tolist() == [[0, 2, 2, FIXED, -FIXED]]


def test_bytes_are_little_endian_row_after_row() -> None:
    assert pack(np.array([[1, -2], [256, 3]], dtype=np.int16)) == b"\x01\x00\xfe\xff\x00\x01\x03\x00"


def test_bytes_that_are_no_whole_rows_are_damaged() -> None:
    with pytest.raises(Damaged, match="not a whole number of 4-dimensional"):
        unpack(b"\x00" * 10, 4)


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ([float("nan"), 1.0], "NaN or infinite"),
        ([float("inf"), 0.0], "NaN or infinite"),
        ([0.0, 0.0], "length zero"),
        ([1.01, 0.0], "differs from 1"),
        ([0.99, 0.0], "differs from 1"),
    ],
)
def test_a_vector_that_is_none_is_refused_with_the_reason(row: list[float], why: str) -> None:
    good = [1.0, 0.0]
    with pytest.raises(EmbeddingFailed, match=why):
        check_vectors(np.array([good, row], dtype=np.float32))


def test_unit_vectors_pass_and_are_given_back() -> None:
    vectors = some()
    assert check_vectors(vectors) is vectors
    assert check_vectors(vectors[0]) is not None


def test_what_has_no_direction_cannot_be_made_a_unit_vector() -> None:
    for row in ([0.0, 0.0], [float("nan"), 1.0], [float("inf"), 1.0]):
        with pytest.raises(EmbeddingFailed):
            unit(np.array([row]))
    assert np.allclose(unit(np.array([[1e-30, 0.0]])), [[1, 0]])
