"""The arguments that commands share: their types, and how the command line reads them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from cyclopts import Parameter

from epicene.core.errors import InputError

if TYPE_CHECKING:
    from cyclopts import Token

    from epicene.app.open_model import OpenModel
    from epicene.app.results import Run, Runs
    from epicene.app.studies import Study
    from epicene.suites import DataSource, Suite
    from epicene.suites.definition import SuiteDefinition

    AnySuite: TypeAlias = Suite[Any, Any] | SuiteDefinition
    AnyRuns: TypeAlias = Run | Runs | Sequence[str | Path | Run]
else:
    AnySuite = OpenModel = Run = AnyRuns = Study = object  # the command line gives texts instead


def _first(_: Any, tokens: Sequence[Token]) -> str:
    return tokens[0].value


def _texts(_: Any, tokens: Sequence[Token]) -> list[str]:
    return [token.value for token in tokens]


def _pairs(_: Any, tokens: Sequence[Token]) -> dict[str, str]:
    """NAME=VALUE options as a mapping."""
    found: dict[str, str] = {}
    for token in tokens:
        name, equals, value = token.value.partition("=")
        if not equals or not name:
            raise InputError(f"{token.keyword} takes NAME=VALUE, not {token.value!r}.")
        found[name] = value
    return found


# How the command line reads what in Python may be an object: as one text, as the texts of repeated
# options, and as NAME=VALUE.
TEXT = Parameter(converter=_first, n_tokens=1, accepts_keys=False)
TEXTS = Parameter(converter=_texts, n_tokens=-1, accepts_keys=False, consume_multiple=False)
PAIRS = Parameter(
    converter=_pairs,
    n_tokens=-1,
    accepts_keys=False,
    consume_multiple=False,
    metavar="NAME=VALUE",
)

PathLike: TypeAlias = str | Path
PathOption: TypeAlias = Annotated[str | Path, TEXT, Parameter(metavar="PATH")]

# The suite, its data and its protocol.
SuiteLike: TypeAlias = Annotated[str | AnySuite, TEXT]
Data: TypeAlias = Annotated[
    str | Path | None, TEXT, Parameter(alias="-d", env_var="EPICENE_DATA", metavar="PATH")
]
Columns: TypeAlias = Annotated[
    Mapping[str, str] | None, PAIRS, Parameter(name="--column", metavar="OURS=THEIRS")
]
Language: TypeAlias = Annotated[
    str | Sequence[str] | None,
    TEXTS,
    Parameter(alias="-l", env_var="EPICENE_LANGUAGE", metavar="CODE"),
]
Protocol: TypeAlias = Annotated[str, Parameter(alias="-p", env_var="EPICENE_PROTOCOL")]
Settings: TypeAlias = Annotated[Mapping[str, Any] | None, PAIRS, Parameter(name="--set")]
Task: TypeAlias = Annotated[
    str | Sequence[str] | None, TEXTS, Parameter(name=["--task", "--format"], metavar="NAME")
]
Limit: TypeAlias = Annotated[int | None, Parameter(env_var="EPICENE_LIMIT")]
Seed: TypeAlias = Annotated[int | None, Parameter(env_var="EPICENE_SEED")]

# Models, and what they may cost.
ModelInput: TypeAlias = str | OpenModel | tuple[Any, Any]
Models: TypeAlias = Annotated[
    ModelInput | Sequence[ModelInput] | Mapping[str, ModelInput | Sequence[ModelInput]] | None,
    TEXTS,
    Parameter(alias="-m", env_var="EPICENE_MODEL", metavar="[ROLE=]SPEC"),
]
Threads: TypeAlias = Annotated[int | None, Parameter(env_var="EPICENE_THREADS")]
Price: TypeAlias = Annotated[str, Parameter(env_var="EPICENE_PRICE")]
MaxCost: TypeAlias = Annotated[float | None, Parameter(env_var="EPICENE_MAX_COST")]

# Where to run.
Executor: TypeAlias = Annotated[str, Parameter(env_var="EPICENE_ON")]
RayAddress: TypeAlias = Annotated[str, Parameter(env_var="EPICENE_RAY_ADDRESS")]
Workers: TypeAlias = Annotated[int | None, Parameter(env_var="EPICENE_WORKERS")]
GpusPerWorker: TypeAlias = Annotated[float | None, Parameter(env_var="EPICENE_GPUS_PER_WORKER")]
WorkerTimeout: TypeAlias = Annotated[float | None, Parameter(env_var="EPICENE_WORKER_TIMEOUT")]

# What was stored before.
RunLike: TypeAlias = Annotated[str | Path | Run, TEXT, Parameter(metavar="RUN")]
RunsLike: TypeAlias = Annotated[str | Path | AnyRuns, TEXT, Parameter(metavar="RUN")]
StudyLike: TypeAlias = Annotated[str | Path | Study, TEXT, Parameter(metavar="STUDY")]

# Where to write.
Out: TypeAlias = Annotated[str | Path, TEXT, Parameter(alias="-o", metavar="PATH")]
Progress: TypeAlias = Annotated[bool, Parameter(parse=False)]


def data_source(data: PathLike | None, columns: Mapping[str, str] | None = None) -> DataSource:
    """Where a suite reads its items from: the user's data with their columns, or its own."""
    from epicene.suites import DataSource

    return DataSource(path=None if data is None else Path(data), columns=dict(columns or {}))


def texts_of(given: str | Iterable[str] | None) -> tuple[str, ...]:
    """The texts, given as one text, several or none."""
    return (given,) if isinstance(given, str) else tuple(given or ())


def at_least(smallest: float, **numbers: float | None) -> None:
    """Raise if one of these options is smaller."""
    for name, number in numbers.items():
        if number is not None and not smallest <= number < float("inf"):
            option = name.replace("_", "-")
            raise InputError(f"--{option} must be at least {smallest}, not {number}.")


def protocol_settings(
    settings: Mapping[str, Any] | None,
    suite: Suite[Any, Any],
    *,
    task: str | Sequence[str] | None = None,
    split: str | None = None,
    english: PathLike | None = None,
) -> dict[str, Any]:
    """The settings of the protocol, with those that have options of their own."""
    found = dict(settings or {})
    if task:
        found[_name_of_parts(suite)] = ",".join(texts_of(task))
    if split is not None:
        found["split"] = split
    if english is not None:
        found["english"] = str(english)
    return found


def _name_of_parts(suite: Suite[Any, Any]) -> str:
    """What a suite calls its parts: some have tasks, some formats."""
    for name in ("tasks", "formats"):
        if any(hasattr(each, name) for each in suite.protocols.values()):
            return name
    raise InputError(f"The suite {suite.name} has neither tasks nor formats to choose from.")
