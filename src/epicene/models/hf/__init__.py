"""The model kind `hf`: what transformers can load, from a folder, a GGUF file or a hub id."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.models import takes

if TYPE_CHECKING:
    from epicene.models import Model, ModelOptions


@takes("label", "dtype", "device", "quantize", "revision", "batch_size", "trust_remote_code")
def open(name: str, options: ModelOptions) -> Model:  # noqa: A001 - what an entry point is called
    """Open the model as what its configuration says it is: causal, masked, seq2seq, image-text."""
    from epicene.models.hf.loading import load_detected

    kind, loaded = load_detected(name, options)
    if kind == "masked":
        from epicene.models.hf.masked import HfMasked

        return HfMasked(loaded)
    if kind == "seq2seq":
        from epicene.models.hf.seq2seq import HfSeq2Seq

        return HfSeq2Seq(loaded)
    if kind == "image-text":
        from epicene.models.vision.model import HfImageText

        return HfImageText(loaded)
    from epicene.models.hf.causal import HfCausal

    return HfCausal(loaded)
