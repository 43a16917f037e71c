"""A question about a picture, as a model of its family wants it asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from epicene.models.hf.chat import same_day, switches
from epicene.models.hf.tokens import UnanswerableError

if TYPE_CHECKING:
    from collections.abc import Mapping

# For models without a chat template, by `model_type`: as their authors ask them.
_PLAIN: Mapping[str, str] = {
    "blip-2": "Question: {question} Answer:",
    "instructblip": "Question: {question} Short answer:",
    "llava": "USER: {image}\n{question} ASSISTANT:",
    "llava_next": "USER: {image}\n{question} ASSISTANT:",
    "vipllava": "USER: {image}\n{question} ASSISTANT:",
}
_OTHERWISE = "{image}\n{question}\nAnswer:"


def rendered(processor: Any, family: str, question: str) -> str:
    """The prompt; but for families that put the picture first by themselves, with its place."""
    template = _template(processor)
    if not template:
        image = getattr(processor, "image_token", "")
        return _PLAIN.get(family, _OTHERWISE).format(image=image, question=question)
    turn = {
        "role": "user",
        "content": [{"type": "image"}, {"type": "text", "text": question}],
    }
    try:
        return str(
            processor.apply_chat_template(
                [turn],
                chat_template=same_day(template),
                tokenize=False,
                add_generation_prompt=True,
                **switches(template),
            )
        )
    except Exception as error:
        # A template is a program of the model's author and may raise anything.
        raise UnanswerableError(f"the model's chat template refused the chat: {error}") from error


def way(processor: Any, family: str) -> str:
    """For the manifest: how the question is put."""
    if _template(processor):
        return "own chat template"
    return f"plain: {_PLAIN.get(family, _OTHERWISE)!r}"


def _template(processor: Any) -> str:
    """The chat template, the first of several; "" if there is none."""
    template = processor.chat_template or processor.tokenizer.chat_template or ""
    return template if isinstance(template, str) else template.get("default", "")
