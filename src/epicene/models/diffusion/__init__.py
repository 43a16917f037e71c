"""The model kind `diffusers`: a local text-to-image pipeline."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.models import takes

if TYPE_CHECKING:
    from epicene.models import Model, ModelOptions


@takes("label", "dtype", "device")
def open(name: str, options: ModelOptions) -> Model:  # noqa: A001 - what an entry point is called
    """Open the pipeline in a folder."""
    from epicene.models.diffusion.loading import load
    from epicene.models.diffusion.model import DiffusionModel

    return DiffusionModel(load(name, options))
