"""Temporary."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from epicene.models import ModelOptions, ModelSpec, parse_spec

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

ModelInput: TypeAlias = str


def resolve_models(
    models: Mapping[str, Sequence[ModelInput]], options: ModelOptions
) -> tuple[dict[str, list[ModelSpec]], Callable[[Any], Any]]:
    return {r: [parse_spec(m, options) for m in ms] for r, ms in models.items()}, lambda e: e
