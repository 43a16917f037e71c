"""The model interface, and how a model is opened from a spec string.

A model answers requests of one or more of the six verbs and knows nothing about benchmarks. A spec
is `KIND[:NAME][?option=value&…]`, e.g. `hf:path/to/model?dtype=bfloat16`, `openai:NAME`, `random`.
The entry point of a kind is a function `open(name, options) -> Model`, or a class of `PythonModel`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import (
    Any,
    Literal,
    NamedTuple,
    Protocol,
    TypeAlias,
    TypeVar,
    runtime_checkable,
)
from urllib.parse import parse_qsl

import msgspec

from epicene.core import registry
from epicene.core.callable_package import CallablePackage
from epicene.core.errors import EpiceneError, InputError, OptionError, RunError, unknown
from epicene.core.records import (
    Answer,
    Draw,
    Fill,
    Generate,
    Identity,
    Image,
    Positive,
    Record,
    Request,
    Score,
    Translate,
    digest,
)
from epicene.core.requirements import require

# A request with its number in the plan; the number comes back with the answer.
NumberedRequest: TypeAlias = tuple[int, Request]
Batch: TypeAlias = Sequence[NumberedRequest]
NumberedAnswers: TypeAlias = Sequence[tuple[int, Answer]]


class BatchLimit(Record, frozen=True, kw_only=True):
    """The limits of one batch: requests, and characters over all of them."""

    requests: int = 64
    characters: int = 20_000


class ImageStore(Protocol):
    """The run's images, by content."""

    def put(self, data: bytes) -> str:
        """Store the bytes; return their SHA-256."""

    def path(self, sha256: str) -> Path:
        """The path of a stored image."""

    def drawn(self, request: Draw, index: int, /) -> Image | None:
        """The image of that index if an earlier session drew it before its request was finished."""

    def keep(self, request: Draw, index: int, image: Image, /) -> None:
        """Record an image before its request is finished, so that it is not drawn again."""


class Model(Protocol):
    """Anything that answers requests of some verbs."""

    @property
    def identity(self) -> Identity:
        """Which model answers; part of every answer's key."""

    @property
    def verbs(self) -> frozenset[str]:
        """The verbs it knows, by name."""

    @property
    def batch_limit(self) -> BatchLimit:
        """How to split the plan into batches for it."""

    def answer(self, batches: Iterator[Batch], files: ImageStore) -> Iterator[NumberedAnswers]:
        """Answer every request of every batch, in any order.

        Each batch contains requests of one verb; answers are stored as they come. A request that
        cannot be answered gets `Failed` with the reason; an exception ends the run. A model may
        read ahead in `batches`.
        """

    def notes(self) -> Mapping[str, object]:
        """How the answers were computed, for the manifest (route, tokens, cost, retries)."""

    def close(self) -> None:
        """Free memory, threads and connections."""


class UnanswerableError(EpiceneError):
    """The model cannot answer this request; the message is the reason in its `Failed`."""


class UnsupportedError(UnanswerableError):
    """The model can answer no request of this kind.

    `setting` is the setting of the request that it does not support, and `value` a value that
    avoids it, as written on the command line. Without a setting, it cannot do the verb at all, nor
    `other_verbs`.
    """

    def __init__(
        self, reason: str, *, setting: str = "", value: str = "", other_verbs: tuple[str, ...] = ()
    ) -> None:
        super().__init__(reason)
        self.setting, self.value, self.other_verbs = setting, value, other_verbs


class ProbeError(RunError):
    """Probes found that a server does not support these requests."""

    def __init__(self, failures: Sequence[tuple[Request, UnsupportedError]]) -> None:
        reasons = dict.fromkeys(str(reason).rstrip(".") for _, reason in failures)
        super().__init__("; ".join(reasons))
        self.failures = tuple(failures)


@runtime_checkable
class Probed(Protocol):
    """A model for which only test requests can show what it supports."""

    def probe(self, requests: Sequence[Request]) -> None:
        """Send small test requests like these; raises `ProbeError` if one is not supported."""


def check_not_empty(request: Request) -> None:
    """Raise `UnanswerableError` for a request that asks for nothing."""
    match request:
        case Score(texts=()):
            raise UnanswerableError("there is no text to score")
        case Generate(samples=samples, decoding=decoding) if (
            samples < 1 or decoding.max_new_tokens < 1
        ):
            raise UnanswerableError(
                "the request must ask for at least one sample of at least one token"
            )
        case Translate(decoding=decoding) if decoding.max_new_tokens < 1:
            raise UnanswerableError("the request must ask for at least one token")
        case Fill() if request.top < 1 or request.max_tokens < 1:
            raise UnanswerableError("the request must ask for at least one completion of one token")
        case Draw() if min(request.shots, request.width, request.height) < 1:
            raise UnanswerableError("the request must ask for at least one image of one pixel")


def sample_seed(*parts: object) -> int:
    """The seed of one sample, derived from the parts alone; 31 bits, which every model takes."""
    return int.from_bytes(digest(*parts)[:4]) >> 1


@runtime_checkable
class Learner(Protocol):
    """A model that is fitted on the suite's own text before it answers."""

    def learn(self, texts: Iterable[tuple[str, str]]) -> None:
        """Take (group, text) pairs; never use a group's text to answer about that group."""


class ModelOptions(Record, frozen=True, kw_only=True):
    """How to open a model: the options of the command line, overridden by those in the spec."""

    label: str = ""
    dtype: Literal["auto", "float32", "float16", "bfloat16"] = "auto"
    device: str = "auto"
    quantize: Literal["", "4bit", "8bit"] = ""
    revision: str = ""
    batch_size: Positive | Literal["auto"] = "auto"
    threads: Positive | None = None  # None: see threads.set_torch_threads
    base_url: str = ""
    concurrency: int = 16
    timeout: float = 120.0
    max_response: float = 16.0  # MiB of one reply of a server, packed and unpacked
    price: str = ""  # see pricing.parse_price
    trust_remote_code: bool = False
    own: tuple[tuple[str, str], ...] = ()  # options that only the kind in the spec has


class ModelSpec(Record, frozen=True, kw_only=True):
    """A parsed spec string."""

    kind: str
    name: str = ""
    options: ModelOptions = ModelOptions()
    stated: tuple[str, ...] = ()  # the options that the spec itself names


def parse_spec(text: str, options: ModelOptions | None = None) -> ModelSpec:
    """Read `KIND[:NAME][?option=value&…]`."""
    head, _, query = text.partition("?")
    kind, _, name = head.partition(":")
    if not kind:
        raise InputError(
            f"The model spec {text!r} does not name a kind of model; write e.g. hf:PATH or random."
        )
    settings = msgspec.structs.asdict(options or ModelOptions())
    stated = parse_qsl(query, keep_blank_values=True)
    own = _own_options(kind) if any(key not in settings for key, _ in stated) else ()
    for key, value in stated:
        if key in own:
            settings["own"] = (*settings["own"], (key, value))
        elif key == "own" or key not in settings:
            raise unknown("model option", key, sorted({*settings, *own} - {"own"}))
        else:
            settings[key] = value
    try:
        merged = msgspec.convert(settings, ModelOptions, strict=False)
    except msgspec.ValidationError as error:
        raise InputError(f"The model spec {text!r} has an invalid option: {error}.") from error
    names = tuple(key for key, _ in stated)
    return ModelSpec(kind=kind, name=name, options=merged, stated=names)


def _own_options(kind: str) -> frozenset[str]:
    """The options that no other kind has."""
    named = kind_info(kind).options if kind in registry.names("models") else None
    return (named or frozenset()) - set(ModelOptions.__struct_fields__)


def split_role(text: str) -> tuple[str, list[str]]:
    """Split `[ROLE=]SPEC[,SPEC…]` into the role, "" if none is named, and its specs."""
    role, equals, specs = text.partition("=")
    if not equals or not role.isidentifier():
        role, specs = "", text
    return role, specs.split(",")


class ModelDescription(NamedTuple):
    """What is known about a model before it is opened."""

    identity: Identity
    verbs: frozenset[str]


class KindInfo(NamedTuple):
    """What is known about a kind of model; see `model_kind`."""

    options: frozenset[str] | None = None
    spec_only: frozenset[str] = frozenset()
    describe: Callable[[str, ModelOptions], ModelDescription | None] | None = None
    extra: str = ""
    packages: tuple[str, ...] = ()
    about: str = ""
    usage: str = ""


OpenerT = TypeVar("OpenerT", bound=Callable[[str, ModelOptions], Any])


def model_kind(
    *,
    about: str = "",
    usage: str = "",
    options: Iterable[str] | None = None,
    spec_only: Iterable[str] = (),
    describe: Callable[[str, ModelOptions], ModelDescription | None] | None = None,
    extra: str = "",
    packages: Iterable[str] = (),
) -> Callable[[OpenerT], OpenerT]:
    """Decorate the function that opens a kind of model.

    `about` says in a few words what it is, and `usage` how to name a model of the kind, if not by
    the kind alone: `epicene models` shows both. A spec with an option that is not in `options` is
    rejected; None accepts all. Options in `spec_only` are read only from the spec, not from the
    command line, which sets them for all models. `describe(name, options)` gives the identity of a
    model without loading it, or None. `extra` installs every package that the kind imports, which
    are `packages`.
    """
    names = None if options is None else frozenset(options)
    info = KindInfo(names, frozenset(spec_only), describe, extra, tuple(packages), about, usage)

    def mark(opener: OpenerT) -> OpenerT:
        opener.kind_info = info  # type: ignore[attr-defined]
        return opener

    return mark


# The kind in the spec of a model that exists only in this process; no entry point opens it.
IN_MEMORY = "memory"


def kind_info(kind: str) -> KindInfo:
    """What is known about a kind of model."""
    if kind == IN_MEMORY:
        return KindInfo()
    info: KindInfo = getattr(_find_kind(kind), "kind_info", KindInfo())
    return info


def _find_kind(kind: str) -> Any:
    """What opens models of that kind; the error for a path names the kind that it lacks."""
    if kind not in registry.names("models") and ("/" in kind or Path(kind).exists()):
        raise InputError(
            f"There is no kind of model {kind!r}; if it is a checkpoint or a Hub ID, write "
            f"hf:{kind}."
        )
    return registry.find("models", kind)


def open_model(spec: ModelSpec) -> Model:
    """Open the model that a spec names. The name of an embedded model is itself a kind."""
    opener = _find_kind(spec.kind)
    options = check_options(spec)
    with _explain_missing_package(spec.kind):
        model: Model = opener(spec.name, options)
    return model


def check_packages(spec: ModelSpec, verbs: Iterable[str]) -> None:
    """Raise if a package is missing that the model needs, now or for its first answer.

    All kinds that need packages read and write images with Pillow.
    """
    info = kind_info(spec.kind)
    images = ("PIL",) if info.packages and {"draw", "look"} & set(verbs) else ()
    for package in (*info.packages, *images):
        extra = info.extra or _EXTRAS.get(package, "")
        require(package, f"The model kind {spec.kind}", extra)


def describe_model(spec: ModelSpec) -> ModelDescription | None:
    """The identity and verbs of a model, without loading it; None if its kind cannot know them."""
    if spec.kind not in registry.names("models"):
        return None
    options = check_options(spec)
    describe = kind_info(spec.kind).describe
    with _explain_missing_package(spec.kind):
        return describe(spec.name, options) if describe else None


def check_options(spec: ModelSpec) -> ModelOptions:
    """The options for the spec's kind; raises `OptionError` if the spec has an option that the
    kind does not take.
    """
    info = kind_info(spec.kind)
    for name in spec.stated:
        if info.options is not None and name not in info.options:
            useful = ", ".join(sorted(info.options))
            raise OptionError(
                name, f"The model {spec.kind} does not take {name}; it takes {useful}."
            )
    defaults = {name: getattr(ModelOptions(), name) for name in info.spec_only - set(spec.stated)}
    return msgspec.structs.replace(spec.options, **defaults)


@contextmanager
def _explain_missing_package(kind: str) -> Iterator[None]:
    """Raise an error that names the extra that installs a missing package."""
    try:
        yield
    except ModuleNotFoundError as error:
        extra = kind_info(kind).extra or _EXTRAS.get((error.name or "").partition(".")[0])
        way = f"pip install 'epicene[{extra}]'" if extra else "install it"
        raise InputError(
            f"The model {kind} needs the package {error.name}, which is not installed; {way}."
        ) from error


# The extra that installs a package, unless the kind names another.
_EXTRAS = {
    "torch": "hf",
    "transformers": "hf",
    "accelerate": "hf",
    "gguf": "hf",
    "safetensors": "hf",
    "diffusers": "images",
}

sys.modules[__name__].__class__ = CallablePackage  # `epicene.models()` lists them
