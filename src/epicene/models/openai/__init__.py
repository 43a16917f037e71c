"""The model kind `openai:MODEL`: any server with an OpenAI-compatible API.

`open` is the entry point. The client library is not imported until the first request.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.core.errors import InputError
from epicene.models import model_kind

if TYPE_CHECKING:
    from epicene.models import ModelOptions
    from epicene.models.openai.model import OpenAIModel


@model_kind(
    about="a model on an OpenAI-compatible server",
    usage="openai:MODEL --base-url URL",
    options=("label", "revision", "base_url", "concurrency", "timeout", "max_response", "price"),
    packages=("openai",),
)
def open(name: str, options: ModelOptions) -> OpenAIModel:  # noqa: A001
    """Open the model with that name on the server; nothing is sent yet."""
    if not name:
        raise InputError("The model spec `openai` does not name a model; write openai:MODEL.")
    from epicene.models.openai.model import OpenAIModel

    return OpenAIModel(name, options)
