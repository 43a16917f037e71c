"""Turn an image and a question into the tensors an image-text model reads.

Images always go through the processors that work on Pillow images: those that need torchvision
resize slightly differently, and torchvision is not available everywhere. Processors that also take
video need torchvision for it, so they are opened without that part.

Only inputs of one shape are batched: nothing is padded, so an answer cannot depend on what else was
in the batch. Images of one size with one question have one shape, as in most runs.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from epicene.core.errors import InputError
from epicene.models import UnanswerableError
from epicene.models.hf.checkpoint import first_line, quiet_transformers
from epicene.models.hf.tokenisation import apply_template

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from epicene.core.records import Look
    from epicene.models.hf.checkpoint import Checkpoint

# Part of such a model's key: raised when the same image would be shown in another way.
LOOKER_VERSION = "1"

_VIDEO = "video_processor"
NO_PLACE_FOR_AN_IMAGE = "the model's prompt has no place for an image"


def read_processor(checkpoint: Checkpoint, config: Any) -> Any:
    """The model's processor, its tokenizer inside it."""
    quiet_transformers()
    try:
        image_processor = _auto_image_processor().from_pretrained(
            checkpoint.name, backend="pil", **checkpoint.options
        )
        processor = _processor_class(config).from_pretrained(checkpoint.name, **checkpoint.options)
    except Exception as error:
        # Broken files raise whatever the first line that trips over them raises.
        raise InputError(
            f"The image processor of the model {checkpoint.user_name} could not be read: "
            f"{first_line(error)}."
        ) from error
    processor.image_processor = image_processor
    set_image_token_counts(processor, config)
    return processor


def _auto_image_processor() -> Any:
    """The class itself: in transformers 5.6 to 5.16 the package's own name needs torchvision."""
    from transformers.models.auto.image_processing_auto import AutoImageProcessor

    return AutoImageProcessor


def set_image_token_counts(processor: Any, config: Any) -> None:
    """Fill in how many tokens an image takes, which older checkpoints leave to the model."""
    if getattr(processor, "num_query_tokens", 0) is None:  # BLIP-2
        processor.num_query_tokens = config.num_query_tokens
    if getattr(processor, "patch_size", 0) is None:  # LLaVA
        processor.patch_size = config.vision_config.patch_size
        processor.vision_feature_select_strategy = config.vision_feature_select_strategy
        # The token that CLIP puts before its patches.
        processor.num_additional_image_tokens = 1


def processor_sha256(processor: Any) -> str:
    """A hash of how images and questions are processed, tokenizer apart."""
    image_processor = processor.image_processor
    facts = {
        "class": type(image_processor).__name__,
        "pictures": image_processor.to_dict(),
        "chat": processor.chat_template,
        # How many tokens an image takes, and which.
        "own": {
            name: value
            for name, value in vars(processor).items()
            if isinstance(value, str | int | float | None)
        },
    }
    return hashlib.sha256(json.dumps(facts, sort_keys=True, default=str).encode()).hexdigest()


def _processor_class(config: Any) -> Any:
    from transformers import AutoProcessor
    from transformers.models.auto.processing_auto import PROCESSOR_MAPPING

    kind = PROCESSOR_MAPPING.get(type(config), None)
    if kind is None or _VIDEO not in kind.get_attributes():
        return AutoProcessor
    return _without_video(kind)


def _without_video(kind: Any) -> Any:
    class ImageOnlyProcessor(kind):  # type: ignore[misc]
        """The processor without its video part."""

        @classmethod
        def get_attributes(cls) -> list[str]:
            return [name for name in super().get_attributes() if name != _VIDEO]

    return ImageOnlyProcessor


# For models without a chat template, by `model_type`: as their authors ask them.
_PLAIN_PROMPTS: Mapping[str, str] = {
    "blip-2": "Question: {question} Answer:",
    "instructblip": "Question: {question} Short answer:",
    "llava": "USER: {image}\n{question} ASSISTANT:",
    "llava_next": "USER: {image}\n{question} ASSISTANT:",
    "vipllava": "USER: {image}\n{question} ASSISTANT:",
}
_DEFAULT_PROMPT = "{image}\n{question}\nAnswer:"


def render_prompt(processor: Any, family: str, question: str) -> str:
    """The prompt, with a placeholder for the image where the family needs one."""
    template = _chat_template(processor)
    if not template:
        image = getattr(processor, "image_token", "")
        return _PLAIN_PROMPTS.get(family, _DEFAULT_PROMPT).format(image=image, question=question)
    content = [{"type": "image"}, {"type": "text", "text": question}]
    turn = {"role": "user", "content": content}
    return apply_template(processor, [turn], template, add_generation_prompt=True)


def prompt_style(processor: Any, family: str) -> str:
    """For the manifest: how the question is put."""
    if _chat_template(processor):
        return "own chat template"
    return f"plain: {_PLAIN_PROMPTS.get(family, _DEFAULT_PROMPT)!r}"


def _chat_template(processor: Any) -> str:
    """The chat template, the first of several; "" if there is none."""
    template = processor.chat_template or processor.tokenizer.chat_template or ""
    return template if isinstance(template, str) else template.get("default", "")


# Tensors with a column per token, and its value at a token of text.
_PER_TOKEN = {"attention_mask": 1, "token_type_ids": 0, "mm_token_type_ids": 0}


@dataclass(frozen=True, eq=False)
class VisionInput:
    """One request as the model reads it."""

    number: int  # of the request
    request: Look
    prompt: str
    tensors: dict[str, Any]

    @cached_property
    def shape(self) -> tuple[tuple[str, tuple[int, ...]], ...]:
        """The shape that inputs of one batch share."""
        return tuple((name, tuple(tensor.shape)) for name, tensor in sorted(self.tensors.items()))

    @property
    def ids(self) -> tuple[int, ...]:
        """The tokens, including those for the image."""
        return tuple(self.tensors["input_ids"][0].tolist())

    def followed_by(self, ids: Sequence[int], dropped: int) -> VisionInput:
        """This input with its last tokens dropped and others appended."""
        import torch

        tensors = dict(self.tensors)
        end = len(self.ids) - dropped
        for name, filler in {"input_ids": 0, **_PER_TOKEN}.items():
            if name in tensors:
                more = list(ids) if name == "input_ids" else [filler] * len(ids)
                tail = torch.tensor([more], dtype=tensors[name].dtype)
                tensors[name] = torch.cat([tensors[name][:, :end], tail], dim=1)
        if "cross_attention_mask" in tensors:  # appended tokens attend where the last one did
            mask = tensors["cross_attention_mask"][:, :end]
            tensors["cross_attention_mask"] = torch.cat([mask, *[mask[:, -1:]] * len(ids)], dim=1)
        return VisionInput(self.number, self.request, self.prompt, tensors)


def make_vision_input(
    processor: Any, image: Any, prompt: str, number: int, request: Look
) -> VisionInput:
    """The tensors for an image and a prompt."""
    opened = processor.tokenizer.bos_token and prompt.startswith(processor.tokenizer.bos_token)
    # A template that writes the beginning token itself must not get a second one.
    settings = {"add_special_tokens": False} if opened else {}
    try:
        made = processor(images=image, text=prompt, return_tensors="pt", **settings)
    except (ValueError, RuntimeError, IndexError, TypeError) as error:
        # From transformers 5.23 on, processors reject a chat template that leaves the image out.
        place = str(getattr(processor, "image_token", None) or "")
        if _chat_template(processor) and place not in prompt:
            raise UnanswerableError(NO_PLACE_FOR_AN_IMAGE) from error
        raise UnanswerableError(f"the model's processor rejected the image: {error}") from error
    return VisionInput(number, request, prompt, dict(made))


def batch_tensors(views: Sequence[VisionInput], device: Any, dtype: Any) -> dict[str, Any]:
    """Inputs of one shape as one batch, on the model's device and in its dtype."""
    import torch

    batch = {}
    for name in views[0].tensors:
        tensor = torch.cat([view.tensors[name] for view in views])
        batch[name] = tensor.to(device, dtype if tensor.is_floating_point() else None)
    return batch
