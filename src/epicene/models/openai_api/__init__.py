"""The kind `openai:MODEL`: any server that speaks the OpenAI protocol.

`open` is the entry point. Nothing here imports the client library before a model is opened.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.errors import InputError
from epicene.models import takes

if TYPE_CHECKING:
    from epicene.models import ModelOptions
    from epicene.models.openai_api.model import ServedModel


@takes("label", "revision", "base_url", "concurrency", "timeout", "price")
def open(name: str, options: ModelOptions) -> ServedModel:  # noqa: A001
    """Open the model the server knows by that name; nothing is sent yet."""
    if not name:
        raise InputError("The model spec `openai` names no model; write openai:MODEL.")
    from epicene.models.openai_api.model import ServedModel

    return ServedModel(name, options)
