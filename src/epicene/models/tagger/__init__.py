"""The model kind `tagger`: labels each word with the person whose gender it shows, and rewrites it.

`epicene train` trains one and needs PyTorch; inference needs only NumPy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.models import model_kind

if TYPE_CHECKING:
    from epicene.models import Model, ModelOptions


@model_kind(
    about="a word tagger and rewriter trained on a corpus (`epicene train`)",
    usage="tagger:FOLDER",
    options=("label",),
)
def open(name: str, options: ModelOptions) -> Model:  # noqa: A001 - what an entry point is called
    """Open `tagger:FOLDER`."""
    from epicene.models.tagger.model import TaggerModel

    return TaggerModel(name, options)
