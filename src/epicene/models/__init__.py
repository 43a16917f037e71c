"""The model interface, and how a model is opened from a spec string.

A model answers requests of one or more of the six verbs and knows nothing of benchmarks. A spec is
`KIND[:NAME][?option=value&…]`, e.g. `hf:path/to/model?dtype=bfloat16`, `openai:NAME`, `random`. The
entry point of a kind is a function `open(name, options) -> Model`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import (
    TYPE_CHECKING,
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
from epicene.core.errors import InputError, OptionError, unknown
from epicene.core.records import Answer, Identity, Positive, Record, Request

if TYPE_CHECKING:
    from pathlib import Path

# A request with its place in the plan; the place comes back with the answer.
NumberedRequest: TypeAlias = tuple[int, Request]
Batch: TypeAlias = Sequence[NumberedRequest]
NumberedAnswers: TypeAlias = Sequence[tuple[int, Answer]]


class BatchLimit(Record, frozen=True, kw_only=True):
    """How much one batch may hold: requests, and characters over all of them."""

    requests: int = 64
    characters: int = 20_000


class ImageStore(Protocol):
    """The run's images, by content."""

    def put(self, data: bytes) -> str:
        """Keep the bytes; their sha256."""

    def path(self, sha256: str) -> Path:
        """Where they lie."""


class Model(Protocol):
    """Anything that answers requests of some verbs."""

    @property
    def identity(self) -> Identity:
        """Who answers; part of every answer's key."""

    @property
    def verbs(self) -> frozenset[str]:
        """The verbs it knows, by name."""

    @property
    def batch_limit(self) -> BatchLimit:
        """How the plan is cut for it."""

    def answer(self, batches: Iterator[Batch], files: ImageStore) -> Iterator[NumberedAnswers]:
        """Answer every request of every batch, in any order.

        Each batch holds requests of one verb and is committed when all of it is answered. A
        request that cannot be answered gets `Failed` with the reason; an exception ends the run.
        A model may read ahead in `batches`.
        """

    def notes(self) -> Mapping[str, object]:
        """For the manifest: how the answers were reached (path taken, tokens, cost, retries)."""

    def close(self) -> None:
        """Let go of memory, threads and connections."""


@runtime_checkable
class Learner(Protocol):
    """A model that is fitted on the suite's own text before it is asked."""

    def learn(self, texts: Iterable[tuple[str, str]]) -> None:
        """Take (group, text) pairs; never use a group's text to answer about that group."""


class ModelOptions(Record, frozen=True, kw_only=True):
    """How to reach a model. Options of the command line, overridden by those in the spec."""

    label: str = ""
    dtype: Literal["auto", "float32", "float16", "bfloat16"] = "auto"
    device: str = "auto"
    quantize: Literal["", "4bit", "8bit"] = ""
    revision: str = ""
    batch_size: Positive | Literal["auto"] = "auto"
    base_url: str = ""
    concurrency: int = 16
    timeout: float = 120.0
    price: str = ""  # see prices.read_price
    trust_remote_code: bool = False


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
        raise InputError(f"The model spec {text!r} names no kind; write e.g. hf:PATH or random.")
    settings = msgspec.structs.asdict(options or ModelOptions())
    stated = parse_qsl(query, keep_blank_values=True)
    for key, value in stated:
        if key not in settings:
            raise unknown("model option", key, settings)
        settings[key] = value
    try:
        merged = msgspec.convert(settings, ModelOptions, strict=False)
    except msgspec.ValidationError as error:
        raise InputError(f"The model spec {text!r} has a bad option: {error}.") from error
    names = tuple(key for key, _ in stated)
    return ModelSpec(kind=kind, name=name, options=merged, stated=names)


def parse_role_specs(text: str, options: ModelOptions | None = None) -> tuple[str, list[ModelSpec]]:
    """Read `[ROLE=]SPEC[,SPEC…]`: the role, "" if none is named, and its models."""
    role, equals, specs = text.partition("=")
    if not equals or not role.isidentifier():
        role, specs = "", text
    return role, [parse_spec(each, options) for each in specs.split(",")]


OpenerT = TypeVar("OpenerT", bound=Callable[[str, ModelOptions], Any])


def accepts_options(*names: str, stated_only: Iterable[str] = ()) -> Callable[[OpenerT], OpenerT]:
    """Say which options a kind of model has a use for; a spec that states another is refused.

    Those in `stated_only` hold only where the spec itself states them: what the command line says
    for all models is not for this kind.
    """

    def mark(opener: OpenerT) -> OpenerT:
        opener.takes = frozenset(names)  # type: ignore[attr-defined]
        opener.stated_only = frozenset(stated_only)  # type: ignore[attr-defined]
        return opener

    return mark


class ModelDescription(NamedTuple):
    """What is known of a model before it is opened."""

    identity: Identity
    verbs: frozenset[str]


def described_by(
    look: Callable[[str, ModelOptions], ModelDescription | None],
) -> Callable[[OpenerT], OpenerT]:
    """Say how a kind tells who a model is without loading it; None where it cannot."""

    def mark(opener: OpenerT) -> OpenerT:
        opener.foreseen_by = look  # type: ignore[attr-defined]
        return opener

    return mark


def needs_extra(extra: str) -> Callable[[OpenerT], OpenerT]:
    """Say which extra brings every package that a kind imports when it is opened."""

    def mark(opener: OpenerT) -> OpenerT:
        opener.brought_by = extra  # type: ignore[attr-defined]
        return opener

    return mark


def open_model(spec: ModelSpec) -> Model:
    """Open the model a spec names. An embedded model's name is a kind of its own."""
    opener, options = _find_opener(spec)
    with _explain_missing_package(spec.kind, opener):
        model: Model = opener(spec.name, options)
    return model


def describe_model(spec: ModelSpec) -> ModelDescription | None:
    """Who the model is that a spec names, without loading it; None where its kind cannot tell."""
    if spec.kind not in registry.names("models"):
        return None
    opener, options = _find_opener(spec)
    look = getattr(opener, "foreseen_by", None)
    with _explain_missing_package(spec.kind, opener):
        foreseen: ModelDescription | None = look(spec.name, options) if look else None
    return foreseen


def check_options(spec: ModelSpec) -> None:
    """Raise `OptionError` if the spec's kind has no use for an option that is stated."""
    _find_opener(spec)


def _find_opener(spec: ModelSpec) -> tuple[Callable[[str, ModelOptions], Any], ModelOptions]:
    """The function that opens the spec's kind, and the options that hold for it."""
    opener = registry.find("models", spec.kind)
    for name in spec.stated:
        if name not in getattr(opener, "takes", spec.stated):
            useful = ", ".join(sorted(opener.takes))
            raise OptionError(
                name, f"The model {spec.kind} has no use for {name}; it takes {useful}."
            )
    unsaid: frozenset[str] = getattr(opener, "stated_only", frozenset()) - set(spec.stated)
    usual = {name: getattr(ModelOptions(), name) for name in unsaid}
    return opener, msgspec.structs.replace(spec.options, **usual)


@contextmanager
def _explain_missing_package(kind: str, opener: Callable[..., Any]) -> Iterator[None]:
    """Say which extra brings a package that is missing."""
    try:
        yield
    except ModuleNotFoundError as error:
        usual = _EXTRAS.get((error.name or "").partition(".")[0])
        extra = getattr(opener, "brought_by", usual)
        way = f"pip install 'epicene[{extra}]'" if extra else "install it"
        raise InputError(
            f"The model {kind} needs the package {error.name}, which is not here; {way}."
        ) from error


# Which extra brings a package that a kind of ours imports only when it is opened, unless the kind
# says otherwise.
_EXTRAS = {
    "torch": "hf",
    "transformers": "hf",
    "accelerate": "hf",
    "gguf": "hf",
    "openai": "api",
    "httpx": "api",
    "diffusers": "images",
    "PIL": "images",
}
