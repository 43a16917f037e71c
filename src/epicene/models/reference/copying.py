"""The model kind `copy`: returns its input. What a suite gives for doing nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.errors import InputError
from epicene.models import takes
from epicene.models.one_by_one import OneByOne, UnanswerableError
from epicene.records import Generate, Identity, Text, Texts, Translate

if TYPE_CHECKING:
    from epicene.models import Model, ModelOptions


@takes("label")
def open_copy(name: str, options: ModelOptions) -> Model:
    """Open the kind `copy`."""
    if name:
        raise InputError(f"The model copy takes no name: write copy, not copy:{name}.")
    identity = Identity(kind="copy", label=options.label or "copy", key={"version": "1"})
    return OneByOne(identity, {"generate": _generate, "translate": _translate})


def _generate(request: Generate) -> Texts:
    if not request.source:
        raise UnanswerableError("the request names no source text, so there is nothing to copy")
    return Texts(texts=(Text(text=request.source),) * request.samples)


def _translate(request: Translate) -> Texts:
    if not request.text:
        raise UnanswerableError("the text is empty, so there is nothing to copy")
    return Texts(texts=(Text(text=request.text),))
