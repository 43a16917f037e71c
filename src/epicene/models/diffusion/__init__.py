"""The model kind `diffusers`: a local text-to-image pipeline."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.models import Foreseen, foreseen_by, takes

if TYPE_CHECKING:
    from epicene.models import Model, ModelOptions


def foresee(name: str, options: ModelOptions) -> Foreseen | None:
    """Who the pipeline in a folder is, without its weights."""
    from epicene.models.diffusion import loading
    from epicene.models.diffusion.model import VERBS

    identity = loading.foresee(name, options)
    return Foreseen(identity, VERBS) if identity else None


@takes("label", "dtype", "device")
@foreseen_by(foresee)
def open(name: str, options: ModelOptions) -> Model:  # noqa: A001 - what an entry point is called
    """Open the pipeline in a folder."""
    from epicene.models.diffusion.loading import load
    from epicene.models.diffusion.model import DiffusionModel

    return DiffusionModel(load(name, options))
