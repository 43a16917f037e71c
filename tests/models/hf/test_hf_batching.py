"""Batches that shrink until they fit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from unittest import mock

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from epicene.models.hf import batching
from epicene.models.hf.batching import TooLargeError, is_out_of_memory, run_halving_on_oom

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ERRORS = {
    "gpu": torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 MiB"),
    "cpu": RuntimeError(
        "[enforce fail at alloc_cpu.cpp:119] err == 0. DefaultCPUAllocator: can't allocate memory"
    ),
    "python": MemoryError(),
}


def machine(
    room: int, seen: list[int] | None = None, error: Exception = ERRORS["gpu"]
) -> Callable[[Sequence[int]], list[int]]:
    """Doubles numbers, and fails where rows × the largest is more than there is room for."""

    def run(rows: Sequence[int]) -> list[int]:
        if seen is not None:
            seen.append(len(rows))
        if len(rows) * max(rows) > room:
            raise error
        return [row * 2 for row in rows]

    return run


@given(st.lists(st.integers(1, 20), max_size=30), st.integers(20, 200))
def test_everything_is_run_once_in_order_whatever_fits(rows: list[int], room: int) -> None:
    notes: dict[str, Any] = {}
    with mock.patch.object(batching, "free_memory"):  # it takes a tenth of a second
        assert run_halving_on_oom(machine(room), rows, notes, lambda row: row) == [
            row * 2 for row in rows
        ]
    assert ("fits" in notes) == ("halvings" in notes)


@pytest.mark.parametrize("error", ERRORS.values(), ids=ERRORS)
def test_every_way_to_run_out_is_known(error: Exception) -> None:
    notes: dict[str, Any] = {}
    assert run_halving_on_oom(machine(3, error=error), [1] * 8, notes) == [2] * 8
    assert notes == {"halvings": 2, "fits": 2}


def test_a_real_allocation_that_fails_is_known() -> None:
    with pytest.raises(RuntimeError) as caught:
        torch.empty(1 << 60, dtype=torch.uint8)
    assert is_out_of_memory(caught.value)


def test_what_fitted_is_remembered() -> None:
    notes: dict[str, Any] = {}
    seen: list[int] = []
    for _ in range(2):
        run_halving_on_oom(machine(4, seen), [1] * 8, notes)
    assert seen == [8, 4, 4, 4, 4]


def test_a_row_that_does_not_fit_alone() -> None:
    with pytest.raises(TooLargeError, match="a single text"):
        run_halving_on_oom(machine(4), [1, 9, 1], {})
    results = run_halving_on_oom(machine(4), [1, 9, 2], {}, lambda row: row, lambda _: -1)
    assert results == [2, -1, 4]


def test_other_errors_are_not_hidden() -> None:
    with pytest.raises(RuntimeError, match="shapes do not match"):
        run_halving_on_oom(machine(1, error=RuntimeError("shapes do not match")), [2], {})
