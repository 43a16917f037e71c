"""The model kind `hf`: models that transformers loads from a folder, a GGUF file or a Hub ID."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from epicene.models import ModelDescription, model_kind

if TYPE_CHECKING:
    from epicene.models import Model, ModelOptions
    from epicene.models.hf.checkpoint import LanguageModelType


def describe(name: str, options: ModelOptions) -> ModelDescription | None:
    """The identity and verbs of a model, without its weights."""
    from epicene.models.hf import loading

    identified = loading.identify(name, options)
    if identified is None:
        return None
    kind, empty, identity = identified
    if kind == "image-text":
        from epicene.models.hf.vision.model import image_text_verbs

        return ModelDescription(identity, image_text_verbs(empty))
    return ModelDescription(identity, model_class(kind).verbs)


_OPTIONS = (
    "label",
    "dtype",
    "device",
    "quantize",
    "revision",
    "batch_size",
    "threads",
    "trust_remote_code",
)


@model_kind(
    about="any model that transformers loads: a folder, a GGUF file or a Hub ID",
    usage="hf:FOLDER_OR_ID",
    options=_OPTIONS,
    describe=describe,
    packages=("safetensors", "torch", "transformers"),
)
def open(name: str, options: ModelOptions) -> Model:  # noqa: A001 - what an entry point is called
    """Open the model according to its configuration: causal, masked, seq2seq or image-text."""
    from epicene.models.hf.loading import load_detected

    kind, loaded = load_detected(name, options)
    model: Model = model_class(kind)(loaded)
    return model


def model_class(kind: LanguageModelType) -> Any:
    """The class that answers for a model of that type."""
    if kind == "masked":
        from epicene.models.hf.masked import HfMasked

        return HfMasked
    if kind == "seq2seq":
        from epicene.models.hf.seq2seq import HfSeq2Seq

        return HfSeq2Seq
    if kind == "image-text":
        from epicene.models.hf.vision.model import HfImageText

        return HfImageText
    from epicene.models.hf.causal import HfCausal

    return HfCausal
