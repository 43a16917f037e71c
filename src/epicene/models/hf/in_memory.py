"""A transformers model that is already loaded, as a model that answers.

It is used as it is, on its device and in its dtype. While it answers, it is in evaluation mode and
its own generation settings are off; both are restored afterwards. No gradient is computed. The
tokenizer is a copy. The weights are hashed when the model is opened, for its identity.
"""

from __future__ import annotations

import copy
import hashlib
import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from epicene.core.errors import InputError, RunError
from epicene.models.hf import model_class
from epicene.models.hf.checkpoint import SETTINGS_FILES, settings_hash, type_of_classes
from epicene.models.hf.generation.decoding import clear_generation_config
from epicene.models.hf.loading import LoadedModel, check_tokenizer, input_device, model_identity
from epicene.models.hf.vision.inputs import set_image_token_counts
from epicene.models.threads import set_torch_threads

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from epicene.core.records import Identity
    from epicene.models import Batch, BatchLimit, ImageStore, Model, ModelOptions, NumberedAnswers
    from epicene.models.hf.checkpoint import LanguageModelType

OPTIONS = ("label", "batch_size", "threads")

# The class says more than the configuration, whose idea of it may be missing or another.
_TOLD_BY_THE_MODEL = ("architectures", "dtype", "torch_dtype", "_from_model_config")
_HASHED_AT_A_TIME = 1 << 24  # bytes


class InMemoryModel:
    """A loaded transformers model with its tokenizer, or its processor if it reads images."""

    def __init__(
        self, model: Any, tokenizer: Any, options: ModelOptions, version: str = ""
    ) -> None:
        parts = _Parts.of(model, tokenizer)
        if options.threads is not None:
            set_torch_threads(options.threads)
        identity = _identity(model, parts, options, version)
        device = input_device(model)
        loaded = LoadedModel(model, parts.tokenizer, device, identity, options, parts.processor)
        self._model = model
        self._placed = device, model.dtype
        with _evaluating(model):
            self._answering: Model = model_class(parts.kind)(loaded)

    @property
    def identity(self) -> Identity:
        """Which model answers, by its weights when it was opened."""
        return self._answering.identity

    @property
    def verbs(self) -> frozenset[str]:
        """The verbs it knows, by name."""
        return self._answering.verbs

    @property
    def batch_limit(self) -> BatchLimit:
        """How the plan is cut for it."""
        return self._answering.batch_limit

    def answer(self, batches: Iterator[Batch], files: ImageStore) -> Iterator[NumberedAnswers]:
        """Answer with the weights that the model has now."""
        if (input_device(self._model), self._model.dtype) != self._placed:
            raise RunError(
                f"The model {self.identity.label} was moved to another device or dtype after it "
                "was opened; open it again."
            )
        with _evaluating(self._model):
            if hasattr(self._model, "generation_config"):  # masked models have none
                clear_generation_config(self._model)
            if forget := getattr(self._answering, "forget_prefixes", None):
                forget()
            yield from self._answering.answer(batches, files)

    def notes(self) -> Mapping[str, object]:
        """How the answers were computed, for the manifest."""
        return self._answering.notes()

    def close(self) -> None:
        """Free what was computed in addition; the model itself belongs to the user."""
        self._answering.close()


@contextmanager
def _evaluating(model: Any) -> Iterator[None]:
    """Use evaluation mode inside this block; the mode of each module and the generation settings
    are restored.
    """
    training = [(module, module.training) for module in model.modules()]
    generation = [
        (part, part.generation_config)
        for part in (model, *model.children())
        if getattr(part, "generation_config", None) is not None
    ]
    model.eval()
    try:
        yield
    finally:
        for module, mode in training:
            module.training = mode
        for part, settings in generation:
            part.generation_config = settings


class _Parts(NamedTuple):
    """What a model is, and what it reads with."""

    kind: LanguageModelType
    tokenizer: Any
    processor: Any  # None if it reads no images

    @classmethod
    def of(cls, model: Any, tokenizer: Any) -> _Parts:
        """Check that the model can be used, and copy its tokenizer, whose settings we change."""
        name = type(model).__name__
        if tokenizer is None:
            raise InputError(
                f"The model {name} needs its tokenizer: open_model(model, tokenizer=tokenizer)."
            )
        own = copy.deepcopy(tokenizer)
        processor = own if hasattr(own, "image_processor") else None
        classes = [each.__name__ for each in type(model).__mro__]
        kind = type_of_classes(classes, model.config, lambda: processor is not None, name)
        _check_head(model, name, kind)
        if kind == "image-text":
            _check_processor(processor, name)
            set_image_token_counts(processor, model.config)
        else:
            processor = None
        own = getattr(own, "tokenizer", own)
        if own.is_fast:
            # Whatever the last call of the user's left there.
            own.backend_tokenizer.no_truncation()
            own.backend_tokenizer.no_padding()
        check_tokenizer(own, name, kind)
        return cls(kind, own, processor)


def _check_head(model: Any, name: str, kind: LanguageModelType) -> None:
    if kind in ("causal", "masked") and model.get_output_embeddings() is None:
        auto = "AutoModelForCausalLM" if kind == "causal" else "AutoModelForMaskedLM"
        raise InputError(f"The model {name} has no language-model head; load it with {auto}.")
    if kind in ("seq2seq", "image-text") and not model.can_generate():
        raise InputError(
            f"The model {name} has no language-model head, so it cannot generate text."
        )


def _check_processor(processor: Any, name: str) -> None:
    if processor is None:
        raise InputError(
            f"The model {name} reads images; pass its processor instead of its tokenizer."
        )
    if getattr(processor.image_processor, "backend", "pil") != "pil":
        raise InputError(
            f"The image processor of {name} uses torchvision, which resizes differently; load it "
            "with AutoImageProcessor.from_pretrained(NAME, backend='pil')."
        )


# --- identity ------------------------------------------------------------------------------


def _identity(model: Any, parts: _Parts, options: ModelOptions, version: str) -> Identity:
    named = str(getattr(model, "name_or_path", "") or "")
    quantize = "4bit" if getattr(model, "is_loaded_in_4bit", False) else ""
    quantize = "8bit" if getattr(model, "is_loaded_in_8bit", False) else quantize
    hashes = {"weights": f"state:{_state_sha256(model)}", "settings": _settings_sha256(model)}
    if version:
        hashes["version"] = version
    return model_identity(
        model,
        parts.tokenizer,
        parts.processor,
        kind=parts.kind,
        # Its weights may be others than those of the checkpoint it is called after.
        label=options.label or f"{Path(named).name or type(model).__name__} (in memory)",
        hashes=hashes,
        dtype=model.dtype,
        quantize=quantize,
        about={"name": named, "revision": None, "family": model.config.model_type},
    )


def _settings_sha256(model: Any) -> str:
    """A hash of the configuration, the generation settings and the class."""
    settings = (model.config, getattr(model, "generation_config", None))
    kept = {
        name: {
            key: value
            for key, value in json.loads(part.to_json_string(use_diff=False)).items()
            if key not in _TOLD_BY_THE_MODEL
        }
        for name, part in zip(SETTINGS_FILES, settings, strict=True)
        if part is not None
    }
    state = settings_hash(kept)
    state.update(type(model).__qualname__.encode())
    return state.hexdigest()


def _state_sha256(model: Any) -> str:
    """A hash of the weights: their names, dtypes, shapes and values."""
    weights = sorted(model.state_dict().items())
    for name, values in weights:
        if getattr(values, "device", None) is None or values.device.type == "meta":
            raise InputError(
                f"The weights {name} of the model {type(model).__name__} are not in memory, so "
                "the model cannot be identified; save it, and name the folder with hf:FOLDER."
            )
    with ThreadPoolExecutor() as pool:
        return hashlib.sha256("\n".join(pool.map(_tensor_sha256, weights)).encode()).hexdigest()


def _tensor_sha256(named: tuple[str, Any]) -> str:
    import torch

    name, values = named
    state = hashlib.sha256(json.dumps([name, str(values.dtype), *values.shape]).encode())
    flat = values.detach().contiguous().flatten()
    for part in flat.split(max(1, _HASHED_AT_A_TIME // max(1, flat.element_size()))):
        state.update(part.view(torch.uint8).cpu().numpy())
    return state.hexdigest()
