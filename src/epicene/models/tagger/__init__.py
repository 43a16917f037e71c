"""The model kind `tagger`: labels words by whose gender they show, and rewrites them.

It is trained with `epicene train`, which needs PyTorch; to be asked it needs NumPy alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.models import takes

if TYPE_CHECKING:
    from epicene.models import Model, ModelOptions


@takes("label")
def open(name: str, options: ModelOptions) -> Model:  # noqa: A001 - what an entry point is called
    """Open `tagger:FOLDER`."""
    from epicene.models.tagger.model import TaggerModel

    return TaggerModel(name, options)
