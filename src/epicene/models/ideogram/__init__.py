"""The kind `ideogram:MODEL`: Ideogram's own endpoints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.models import takes

if TYPE_CHECKING:
    from epicene.models import Model, ModelOptions


# Another provider's server, named for all models of a run, must not be sent this one's key.
@takes("label", "base_url", "concurrency", "timeout", "price", stated_only=("base_url",))
def open(name: str, options: ModelOptions) -> Model:  # noqa: A001 - what an entry point is called
    """Open the model of that name; nothing is sent yet."""
    from epicene.models.ideogram.model import IdeogramModel

    return IdeogramModel(name, options)
