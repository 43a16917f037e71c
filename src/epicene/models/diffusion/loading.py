"""From a folder to a pipeline that is ready to draw, and its identity."""

from __future__ import annotations

import inspect
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from epicene.errors import InputError, RunError
from epicene.models.diffusion import fingerprint
from epicene.models.hf.memory import out_of_memory
from epicene.models.hf.sources import quiet_transformers, sentence
from epicene.records import Identity

if TYPE_CHECKING:
    from collections.abc import Mapping

    from epicene.models import ModelOptions

# Part of every pipeline's key: raised when the same weights would draw other pictures.
VERSION = "1"
# Settings that are left as the pipeline's code has them, which a release may change.
_DEFAULTS = ("num_inference_steps", "guidance_scale")


@dataclass(frozen=True)
class Pipeline:
    """A pipeline, who it is, and which settings a call of it takes."""

    run: Any  # a diffusers DiffusionPipeline
    identity: Identity
    takes: frozenset[str]


def load(name: str, options: ModelOptions) -> Pipeline:
    """Load the pipeline in a folder."""
    folder = _folder(name)
    files = _files(name, folder)
    run = _pipeline(name, folder, _dtype(options), options.device)
    identity = _identity(name, folder, options, type(run), files)
    return Pipeline(run, identity, frozenset(_call(name, type(run))))


def foresee(name: str, options: ModelOptions) -> Identity | None:
    """Who the pipeline in a folder is, without its weights; None where its class is not known."""
    import diffusers

    folder = _folder(name)
    files = _files(name, folder)
    kind = getattr(diffusers, str(fingerprint.read_index(folder).get("_class_name")), None)
    return _identity(name, folder, options, kind, files) if isinstance(kind, type) else None


def _files(name: str, folder: Path) -> dict[str, str]:
    """What the pipeline's files hash to."""
    try:
        return {
            "weights": fingerprint.pipeline_weights_sha256(folder),
            "settings": fingerprint.pipeline_settings_sha256(folder),
        }
    except (OSError, json.JSONDecodeError) as error:
        raise InputError(f"The pipeline {name} could not be read: {sentence(error)}.") from error


def _identity(
    name: str, folder: Path, options: ModelOptions, kind: type, files: dict[str, str]
) -> Identity:
    call = _call(name, kind)
    return Identity(
        kind="diffusers",
        label=options.label or folder.resolve().name,
        key={
            **files,
            "dtype": _dtype(options),
            "version": VERSION,
            **{each: str(call[each].default) for each in _DEFAULTS if each in call},
        },
        about={
            "name": name,
            "family": kind.__name__,
            "parameters": fingerprint.pipeline_parameters(folder),
        },
    )


def _call(name: str, kind: type) -> Mapping[str, inspect.Parameter]:
    """What a pipeline is called with."""
    call = inspect.signature(kind.__call__).parameters
    if "prompt" not in call or "generator" not in call:
        raise InputError(f"The pipeline {name} ({kind.__name__}) draws nothing from a text.")
    return call


def _dtype(options: ModelOptions) -> str:
    return "float32" if options.dtype == "auto" else options.dtype


def _folder(name: str) -> Path:
    if not name:
        raise InputError("The model kind 'diffusers' needs a pipeline's folder: diffusers:PATH.")
    folder = Path(name).expanduser()
    if not folder.is_dir():
        raise InputError(f"There is no folder {name}; diffusers:PATH takes a pipeline's folder.")
    if not (folder / fingerprint.INDEX).is_file():
        raise InputError(
            f"The folder {name} holds no {fingerprint.INDEX}, so it is no pipeline's folder."
        )
    return folder


def _pipeline(name: str, folder: Path, dtype: str, device: str) -> Any:
    import diffusers
    import torch

    diffusers.utils.logging.disable_progress_bar()
    diffusers.utils.logging.set_verbosity_error()
    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        run = diffusers.DiffusionPipeline.from_pretrained(
            str(folder),
            dtype=getattr(torch, dtype),
            local_files_only=True,
            **_transformers_parts(name, folder, getattr(torch, dtype)),
        )
        _refuse_gaps(name, run)
        run = run.to(device)
    except InputError:
        raise
    except Exception as error:
        # Broken files raise whatever the first line that trips over them raises.
        if out_of_memory(error):
            raise RunError(
                f"The pipeline {name} does not fit in memory; try a smaller --dtype."
            ) from error
        raise InputError(f"The pipeline {name} could not be loaded: {sentence(error)}.") from error
    run.set_progress_bar_config(disable=True)
    return run


def _transformers_parts(name: str, folder: Path, dtype: Any) -> dict[str, Any]:
    """The parts that are transformers models, loaded here because only so they say what they lack.

    Where a weight is missing they would take a random one.
    """
    transformers = quiet_transformers()
    parts: dict[str, Any] = {}
    for part, origin in fingerprint.read_index(folder).items():
        if not isinstance(origin, list) or origin[0] != "transformers":
            continue
        kind = getattr(transformers, origin[1])
        if hasattr(kind, "num_parameters"):  # a model, not a tokenizer or an image processor
            parts[part], report = kind.from_pretrained(
                str(folder / part), dtype=dtype, local_files_only=True, output_loading_info=True
            )
            if missing := sorted(report["missing_keys"]):
                raise _lacks(name, part, missing)
            parts[part].eval()
    return parts


def _refuse_gaps(name: str, run: Any) -> None:
    """Other parts keep an empty place for a weight that is missing."""
    for part, module in _modules(run):
        if missing := sorted(key for key, each in module.named_parameters() if each.is_meta):
            raise _lacks(name, part, missing)


def _lacks(name: str, part: str, missing: list[str]) -> InputError:
    return InputError(
        f"The pipeline {name} lacks {len(missing)} of the weights of its {part} ({missing[0]} …)."
    )


def _modules(run: Any) -> list[tuple[str, Any]]:
    return [
        (name, part) for name, part in run.components.items() if hasattr(part, "named_parameters")
    ]
