"""The collector of garbage is as it was once a differentiation is over."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from hetad.garbage import seldom_collected


@pytest.fixture(autouse=True)
def threshold() -> Iterator[None]:
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)


def test_the_threshold_is_up_inside_alone() -> None:
    gc.set_threshold(700, 10, 10)
    with seldom_collected():
        assert gc.get_threshold()[0] > 100_000
        with seldom_collected():
            assert gc.get_threshold()[0] > 100_000
        assert gc.get_threshold()[0] > 100_000
    assert gc.get_threshold() == (700, 10, 10)


@pytest.mark.parametrize("first", [0, 10_000_000])
def test_what_the_program_has_chosen_stands(first: int) -> None:
    gc.set_threshold(first, 10, 10)
    with seldom_collected():
        assert gc.get_threshold()[0] == first
    assert gc.get_threshold()[0] == first


def test_it_is_restored_behind_an_error() -> None:
    gc.set_threshold(700, 10, 10)
    with pytest.raises(ValueError, match="so"), seldom_collected():
        raise ValueError("so")
    assert gc.get_threshold() == (700, 10, 10)
