"""The processor of an image-text model: its tokenizer and what makes tensors of a picture.

Pictures go through the processors that work on Pillow images, always: those that need torchvision
resize a little differently, and torchvision cannot be had everywhere. Processors that take films
as well want torchvision for those, so they are opened without that part.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from epicene.errors import InputError
from epicene.models.hf.sources import quiet_transformers, sentence

if TYPE_CHECKING:
    from epicene.models.hf.sources import Source

# Part of such a model's key: raised when the same picture would be asked about in another way.
LOOKER = "1"

_FILMS = "video_processor"


def read_processor(source: Source, config: Any) -> Any:
    """The model's processor, its tokenizer inside it."""
    transformers = quiet_transformers()
    try:
        pictures = transformers.AutoImageProcessor.from_pretrained(
            source.name, backend="pil", **source.options
        )
        processor = _kind(config).from_pretrained(source.name, **source.options)
    except Exception as error:
        # Broken files raise whatever the first line that trips over them raises.
        raise InputError(
            f"The image processor of the model {source.given} could not be read: {sentence(error)}."
        ) from error
    processor.image_processor = pictures
    _complete(processor, config)
    return processor


def _complete(processor: Any, config: Any) -> None:
    """Fill in how many tokens a picture takes, which older checkpoints leave to the model."""
    if getattr(processor, "num_query_tokens", 0) is None:  # BLIP-2
        processor.num_query_tokens = config.num_query_tokens
    if getattr(processor, "patch_size", 0) is None:  # LLaVA
        processor.patch_size = config.vision_config.patch_size
        processor.vision_feature_select_strategy = config.vision_feature_select_strategy
        # The token that CLIP puts before its patches.
        processor.num_additional_image_tokens = 1


def processor_sha256(processor: Any) -> str:
    """A hash of what becomes of pictures and questions; the tokenizer has one of its own."""
    pictures = processor.image_processor
    facts = {
        "class": type(pictures).__name__,
        "pictures": pictures.to_dict(),
        "chat": processor.chat_template,
        # How many tokens a picture takes, and which.
        "own": {
            name: value
            for name, value in vars(processor).items()
            if isinstance(value, str | int | float | None)
        },
    }
    return hashlib.sha256(json.dumps(facts, sort_keys=True, default=str).encode()).hexdigest()


def _kind(config: Any) -> Any:
    from transformers import AutoProcessor
    from transformers.models.auto.processing_auto import PROCESSOR_MAPPING

    kind = PROCESSOR_MAPPING.get(type(config), None)
    if kind is None or _FILMS not in kind.get_attributes():
        return AutoProcessor
    return _without_films(kind)


def _without_films(kind: Any) -> Any:
    class Stills(kind):  # type: ignore[misc]
        """The same processor for pictures alone."""

        @classmethod
        def get_attributes(cls) -> list[str]:
            return [name for name in super().get_attributes() if name != _FILMS]

    return Stills
