"""What the specs of small models say: rates and seeds, as in `planted:3?rate=0.8`."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from epicene.core.errors import InputError
from epicene.core.records import digest

if TYPE_CHECKING:
    from collections.abc import Callable

    from epicene.models import ModelOptions


_ROUNDING = 1e-9  # so that 0.1 is no more than 1 - 0.9


def read_rate(
    kind: str, options: ModelOptions, name: str, default: float, low: float = 0.0, high: float = 1.0
) -> float:
    """A number of the spec, between these two."""
    written = dict(options.own).get(name, str(default))
    try:
        rate = float(written)
    except ValueError:
        rate = float("nan")
    if not low - _ROUNDING <= rate <= high + _ROUNDING:
        raise InputError(
            f"The option {name} of the model {kind} must be from {low:g} to {high:g}, "
            f"not {written!r}."
        )
    return rate


def read_seed(kind: str, name: str) -> int:
    """The seed that a spec names, as in `random:3`; 0 if it names none."""
    try:
        return int(name or "0")
    except ValueError as error:
        raise InputError(f"The seed in {kind}:{name} must be a whole number.") from error


def refuse_name(kind: str, name: str) -> None:
    """Raise if a spec names something after its kind, which has only one model."""
    if name:
        raise InputError(f"The model {kind} takes no name: write {kind}, not {kind}:{name}.")


def uniform_numbers(*parts: object) -> Callable[[], float]:
    """A function that returns numbers in [0, 1), which depend on the parts alone."""
    # Of Python's generator only `random` is promised to stay the same in later versions.
    return random.Random(digest(*parts)).random
