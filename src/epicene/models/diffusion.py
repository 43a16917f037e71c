"""The model kind `diffusers`: a local text-to-image pipeline, loaded from a folder."""

from __future__ import annotations

import hashlib
import inspect
import io
import json
import math
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from epicene.core.errors import InputError, RunError
from epicene.core.records import Answer, Draw, Failed, Identity, Image, Images, Request, verb
from epicene.models import (
    Batch,
    BatchLimit,
    ImageStore,
    ModelDescription,
    NumberedAnswers,
    model_kind,
    sample_seed,
)
from epicene.models.hf.batching import NoMemoryError, is_out_of_memory, retry_on_oom
from epicene.models.hf.checkpoint import (
    IGNORED_SETTINGS,
    file_sha256,
    first_line,
    quiet_transformers,
    weights_sha256,
)
from epicene.models.hf.non_finite import NonFiniteError, NumberFormat, shorten
from epicene.models.threads import set_torch_threads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from epicene.models import Model, ModelOptions

PIPELINE_INDEX = "model_index.json"
# Written when a pipeline is saved; they change no image.
_IGNORED_SETTINGS = {"_diffusers_version", *IGNORED_SETTINGS}
_SETTINGS_SUFFIXES = {".json", ".txt", ".model"}
_WEIGHTS_INDEX = ".index.json"


def read_pipeline_index(folder: Path) -> dict[str, Any]:
    """What the pipeline consists of."""
    return dict(json.loads((folder / PIPELINE_INDEX).read_bytes()))


def component_folders(folder: Path) -> list[Path]:
    """The folders of the parts that the index names, in name order."""
    return sorted(folder / name for name in read_pipeline_index(folder) if (folder / name).is_dir())


def pipeline_weights_sha256(folder: Path) -> str:
    """A hash of every part's weights, by the part's name."""
    state = hashlib.sha256()
    for part in component_folders(folder):
        state.update(f"{part.name} {weights_sha256(part)}\n".encode())
    return state.hexdigest()


def pipeline_parameters(folder: Path) -> int | None:
    """The number of weights according to the headers of their files; None if unknown."""
    from safetensors import SafetensorError, safe_open

    total = 0
    try:
        for path in (
            path for part in component_folders(folder) for path in part.glob("*.safetensors")
        ):
            with safe_open(path, framework="numpy") as file:
                total += sum(math.prod(file.get_slice(key).get_shape()) for key in file.keys())  # noqa: SIM118
    except SafetensorError:  # loading says what is wrong with it
        return None
    return total or None


def pipeline_settings_sha256(folder: Path) -> str:
    """A hash of the index, configurations, scheduler and tokenizers."""
    state = hashlib.sha256()
    for path in (folder / PIPELINE_INDEX, *_settings_files(folder)):
        state.update(
            f"{path.relative_to(folder).as_posix()} ".encode() + _settings_content(path) + b"\n"
        )
    return state.hexdigest()


def _settings_files(folder: Path) -> Iterator[Path]:
    for part in component_folders(folder):
        for path in sorted(part.iterdir()):
            if path.suffix in _SETTINGS_SUFFIXES and not path.name.endswith(_WEIGHTS_INDEX):
                yield path


def _settings_content(path: Path) -> bytes:
    """A file's hash, or a configuration without the settings that do not affect images."""
    if path.name.startswith("tokenizer.") or path.suffix != ".json":
        return file_sha256(path).encode()
    settings = json.loads(path.read_bytes())
    return json.dumps(
        {key: value for key, value in settings.items() if key not in _IGNORED_SETTINGS},
        sort_keys=True,
    ).encode()


# Part of every pipeline's key: raised when the same weights would draw other images.
PIPELINE_VERSION = "1"
# Settings that are left as the pipeline's code has them, which a release may change.
_LIBRARY_DEFAULTS = ("num_inference_steps", "guidance_scale")


@dataclass(frozen=True)
class LoadedPipeline:
    """A pipeline, its identity, and the settings that calling it takes."""

    run: Any  # a diffusers DiffusionPipeline
    identity: Identity
    takes: frozenset[str]


def load_pipeline(name: str, options: ModelOptions) -> LoadedPipeline:
    """Load the pipeline in a folder."""
    folder = _pipeline_folder(name)
    files = _file_hashes(name, folder)
    set_torch_threads(options.threads)
    run = _read_pipeline(name, folder, _dtype(options), options.device)
    identity = _identity(name, folder, options, type(run), files)
    return LoadedPipeline(run, identity, frozenset(_call_parameters(name, type(run))))


def pipeline_identity(name: str, options: ModelOptions) -> Identity | None:
    """The identity of a pipeline, without loading it; None if its class is unknown."""
    import diffusers

    folder = _pipeline_folder(name)
    files = _file_hashes(name, folder)
    kind = getattr(diffusers, str(read_pipeline_index(folder).get("_class_name")), None)
    return _identity(name, folder, options, kind, files) if isinstance(kind, type) else None


def _file_hashes(name: str, folder: Path) -> dict[str, str]:
    """What the pipeline's files hash to."""
    try:
        return {
            "weights": pipeline_weights_sha256(folder),
            "settings": pipeline_settings_sha256(folder),
        }
    except (OSError, json.JSONDecodeError) as error:
        raise InputError(f"The pipeline {name} could not be read: {first_line(error)}.") from error


def _identity(
    name: str, folder: Path, options: ModelOptions, kind: type, files: dict[str, str]
) -> Identity:
    call = _call_parameters(name, kind)
    return Identity(
        kind="diffusers",
        label=options.label or folder.resolve().name,
        key={
            **files,
            "dtype": _dtype(options),
            "version": PIPELINE_VERSION,
            **{each: str(call[each].default) for each in _LIBRARY_DEFAULTS if each in call},
        },
        about={
            "name": name,
            "family": kind.__name__,
            "parameters": pipeline_parameters(folder),
        },
    )


def _call_parameters(name: str, kind: type) -> Mapping[str, inspect.Parameter]:
    """What a pipeline is called with."""
    call = inspect.signature(kind.__call__).parameters
    if "prompt" not in call or "generator" not in call:
        raise InputError(f"The pipeline {name} ({kind.__name__}) does not draw from a text.")
    return call


def _dtype(options: ModelOptions) -> str:
    return "float32" if options.dtype == "auto" else options.dtype


def _pipeline_folder(name: str) -> Path:
    if not name:
        raise InputError("The model kind 'diffusers' needs a pipeline's folder: diffusers:PATH.")
    folder = Path(name).expanduser()
    if not folder.is_dir():
        raise InputError(f"There is no folder {name}; diffusers:PATH takes a pipeline's folder.")
    if not (folder / PIPELINE_INDEX).is_file():
        raise InputError(
            f"The folder {name} has no {PIPELINE_INDEX}, so it is not a pipeline's folder."
        )
    return folder


def _read_pipeline(name: str, folder: Path, dtype: str, device: str) -> Any:
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
            **_transformers_components(name, folder, getattr(torch, dtype)),
        )
        _refuse_missing_weights(name, run)
        run = run.to(device)
    except InputError:
        raise
    except Exception as error:
        # Broken files raise whatever the first line that trips over them raises.
        if is_out_of_memory(error):
            raise RunError(
                f"The pipeline {name} does not fit in memory; try a smaller --dtype."
            ) from error
        raise InputError(
            f"The pipeline {name} could not be loaded: {first_line(error)}."
        ) from error
    run.set_progress_bar_config(disable=True)
    return run


def _transformers_components(name: str, folder: Path, dtype: Any) -> dict[str, Any]:
    """The parts that are transformers models, loaded here because only then do they report missing
    weights.

    They would replace a missing weight by a random one.
    """
    transformers = quiet_transformers()
    parts: dict[str, Any] = {}
    for part, origin in read_pipeline_index(folder).items():
        if not isinstance(origin, list) or origin[0] != "transformers":
            continue
        kind = getattr(transformers, origin[1])
        if hasattr(kind, "num_parameters"):  # a model, not a tokenizer or an image processor
            parts[part], report = kind.from_pretrained(
                str(folder / part), dtype=dtype, local_files_only=True, output_loading_info=True
            )
            if missing := sorted(report["missing_keys"]):
                raise _missing_weights_error(name, part, missing)
            parts[part].eval()
    return parts


def _refuse_missing_weights(name: str, run: Any) -> None:
    """Raise if a part has an empty parameter, which other libraries leave in place of a missing
    weight.
    """
    for part, module in _modules(run):
        if missing := sorted(key for key, each in module.named_parameters() if each.is_meta):
            raise _missing_weights_error(name, part, missing)


def _missing_weights_error(name: str, part: str, missing: list[str]) -> InputError:
    return InputError(
        f"The pipeline {name} lacks {len(missing)} of the weights of its {part} ({missing[0]} …)."
    )


def _modules(run: Any) -> list[tuple[str, Any]]:
    return [
        (name, part) for name, part in run.components.items() if hasattr(part, "named_parameters")
    ]


class _NonFinitePixelsError(ValueError):
    """An image would be made from NaN or infinite numbers."""


def _check_pixels(run: Any) -> None:
    """Make a pipeline raise if it makes an image from numbers that are not finite.

    They would become black or white pixels without a warning. Every pipeline makes images with one
    of two functions, or with those of a pipeline within it.
    """
    import torch

    def checked(make: Callable[..., Any]) -> Callable[..., Any]:
        def check_and_make(pixels: Any, *rest: Any, **settings: Any) -> Any:
            if not torch.isfinite(torch.as_tensor(pixels)).all():
                raise _NonFinitePixelsError
            return make(pixels, *rest, **settings)

        return check_and_make

    run.numpy_to_pil = checked(run.numpy_to_pil)
    for part in list(vars(run).values()):
        if hasattr(part, "postprocess"):
            part.postprocess = checked(part.postprocess)
        elif hasattr(part, "numpy_to_pil"):
            _check_pixels(part)


VERBS = frozenset({verb(Draw)})
_TOKENIZERS = ("tokenizer", "tokenizer_2", "tokenizer_3")
_SAFETY = "the pipeline's safety checker blanked out the image"


class DiffusionModel:
    """Draw one image at a time, so that none depends on the other requests."""

    def __init__(self, pipeline: LoadedPipeline) -> None:
        self._run = pipeline.run
        self._identity = pipeline.identity
        self._takes = pipeline.takes
        _check_pixels(self._run)
        self._drawn = 0
        self._refused = 0
        self._cut = 0

    @property
    def identity(self) -> Identity:
        """Which model answers; part of every answer's key."""
        return self._identity

    @property
    def verbs(self) -> frozenset[str]:
        """Draw only."""
        return VERBS

    @property
    def batch_limit(self) -> BatchLimit:
        """One request: images take seconds, and each request is committed when it is done."""
        return BatchLimit(requests=1)

    def answer(self, batches: Iterator[Batch], files: ImageStore) -> Iterator[NumberedAnswers]:
        """Answer every request of every batch, in order."""
        for batch in batches:
            yield [(number, self._one(request, files)) for number, request in batch]

    def notes(self) -> Mapping[str, object]:
        """How many images were drawn, refused, or drawn from a truncated prompt."""
        return {"drawn": self._drawn, "refused": self._refused, "prompts_cut": self._cut}

    def close(self) -> None:
        """Free the weights."""
        del self._run

    def _one(self, request: Request, files: ImageStore) -> Answer:
        if not isinstance(request, Draw):
            return Failed(reason=f"a pipeline does not support the verb {verb(request)}")
        if request.shots < 1:
            return Failed(reason="the request must ask for at least one image")
        self._cut += self._cuts(request.prompt)
        try:
            return Images(
                images=tuple(
                    retry_on_oom(partial(self._image, request, index, files))
                    for index in range(request.shots)
                )
            )
        except NonFiniteError as error:
            return Failed(reason=str(error))
        except NoMemoryError:
            return Failed(reason=f"{request.width} × {request.height} does not fit in memory")
        except (ValueError, RuntimeError) as error:
            # A size that the pipeline does not take.
            return Failed(reason=f"the pipeline drew nothing: {first_line(error)}")

    def _image(self, request: Draw, index: int, files: ImageStore) -> Image:
        image = files.drawn(request, index)
        if image is None:
            image = self._drawn_now(request, index, files)
            files.keep(request, index, image)
        return image

    def _drawn_now(self, request: Draw, index: int, files: ImageStore) -> Image:
        import torch

        seed = sample_seed(request.seed, index)
        size = {"width": request.width, "height": request.height}
        try:
            made = self._run(
                prompt=request.prompt,
                # On the CPU whatever the device, so that all of them start from the same noise.
                generator=torch.Generator("cpu").manual_seed(seed),
                **{side: pixels for side, pixels in size.items() if side in self._takes},
            )
        except _NonFinitePixelsError:
            what = f"image {index + 1} for the prompt {shorten(request.prompt)}"
            number_format = NumberFormat(self._identity.key["dtype"])
            raise NonFiniteError(what, math.nan, number_format) from None
        (drawn,) = made.images
        flags = getattr(made, "nsfw_content_detected", None)
        if flags and flags[0]:
            self._refused += 1
            return Image(seed=seed, refused=_SAFETY)
        self._drawn += 1
        return Image(
            sha256=files.put(_png(drawn)),
            media_type="image/png",
            width=drawn.width,
            height=drawn.height,
            seed=seed,
        )

    def _cuts(self, prompt: str) -> bool:
        """Whether no part of the pipeline reads the whole prompt."""
        readers = [getattr(self._run, name, None) for name in _TOKENIZERS]
        lengths = [
            len(reader(prompt).input_ids) > reader.model_max_length for reader in readers if reader
        ]
        return bool(lengths) and all(lengths)


def _png(image: Any) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, format="PNG")
    return buffer.getvalue()


def describe(name: str, options: ModelOptions) -> ModelDescription | None:
    """The identity and verbs of the pipeline in a folder, without loading it."""
    identity = pipeline_identity(name, options)
    return ModelDescription(identity, VERBS) if identity else None


@model_kind(
    about="a local text-to-image pipeline",
    usage="diffusers:FOLDER",
    options=("label", "dtype", "device", "threads"),
    describe=describe,
    extra="images",
    packages=("diffusers", "safetensors", "torch"),
)
def open(name: str, options: ModelOptions) -> Model:  # noqa: A001 - what an entry point is called
    """Open the pipeline in a folder."""
    return DiffusionModel(load_pipeline(name, options))
