"""The model kind `hf`: what transformers can load, from a folder, a GGUF file or a hub id."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from epicene.models import Foreseen, foreseen_by, takes

if TYPE_CHECKING:
    from epicene.models import Model, ModelOptions
    from epicene.models.hf.sources import Kind


def foresee(name: str, options: ModelOptions) -> Foreseen | None:
    """Who the model is and what it can, without its weights."""
    from epicene.models.hf import loading

    foreseen = loading.foresee(name, options)
    if foreseen is None:
        return None
    kind, empty, identity = foreseen
    if kind == "image-text":
        from epicene.models.vision.model import verbs_of

        return Foreseen(identity, verbs_of(empty))
    return Foreseen(identity, _class_of(kind).verbs)


@takes("label", "dtype", "device", "quantize", "revision", "batch_size", "trust_remote_code")
@foreseen_by(foresee)
def open(name: str, options: ModelOptions) -> Model:  # noqa: A001 - what an entry point is called
    """Open the model as what its configuration says it is: causal, masked, seq2seq, image-text."""
    from epicene.models.hf.loading import load_detected

    kind, loaded = load_detected(name, options)
    model: Model = _class_of(kind)(loaded)
    return model


def _class_of(kind: Kind) -> Any:
    """What answers for a model of that kind."""
    if kind == "masked":
        from epicene.models.hf.masked import HfMasked

        return HfMasked
    if kind == "seq2seq":
        from epicene.models.hf.seq2seq import HfSeq2Seq

        return HfSeq2Seq
    if kind == "image-text":
        from epicene.models.vision.model import HfImageText

        return HfImageText
    from epicene.models.hf.causal import HfCausal

    return HfCausal
