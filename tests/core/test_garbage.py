"""Rare collections of garbage: put back as they were found, however blocks overlap."""

from __future__ import annotations

import gc
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from epicene.core.garbage import rare_garbage_collection

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def thresholds() -> Iterator[None]:
    """Whatever a test leaves is put back."""
    usual = gc.get_threshold()
    yield
    gc.set_threshold(*usual)


@pytest.mark.parametrize(
    ("found", "inside"), [(700, 100_000), (500_000, 500_000), (0, 0)], ids=("usual", "rare", "off")
)
def test_garbage_is_collected_rarely_in_a_block(found: int, inside: int) -> None:
    gc.set_threshold(found, 10, 10)
    with rare_garbage_collection():
        assert gc.get_threshold()[0] == inside
    assert gc.get_threshold() == (found, 10, 10)


def test_blocks_that_overlap_put_back_what_the_first_found() -> None:
    gc.set_threshold(700, 10, 10)
    first, second = ExitStack(), ExitStack()
    first.enter_context(rare_garbage_collection())
    second.enter_context(rare_garbage_collection())
    first.close()
    assert gc.get_threshold()[0] == 100_000
    second.close()
    assert gc.get_threshold() == (700, 10, 10)
