"""Rates that a model's spec states, as in `planted?rate=0.8`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.core.errors import InputError

if TYPE_CHECKING:
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
