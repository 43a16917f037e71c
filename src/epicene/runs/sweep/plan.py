"""The plan of a sweep, a TOML file, and errors that give their position in it."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, TypeAlias

import msgspec
import regex

from epicene.core import registry
from epicene.core.data_files import parse_toml, read_text
from epicene.core.errors import InputError, unknown
from epicene.core.records import Positive, Record
from epicene.core.redaction import redact
from epicene.models import ModelOptions, parse_spec

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from epicene.models import ModelSpec

Amount: TypeAlias = Annotated[float, msgspec.Meta(ge=0)]
Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]
Names: TypeAlias = tuple[str, ...]

_HEADER = regex.compile(r"\s*\[\[?\s*([\w.-]+)\s*\]\]?")
_PATH = regex.compile(r"(.*) - at `\$(?:\.?([\w-]+))?(?:\[(\d+)\])?\.?([\w-]*).*`", regex.DOTALL)
_FIELD = regex.compile(r"unknown field `(.*?)`")


class SweepLimits(Record, frozen=True, kw_only=True):
    """The limits of a sweep; None means no limit."""

    max_requests: Count | None = None
    max_tokens: Count | None = None  # read and written
    max_images: Count | None = None  # drawn
    max_cost: Amount | None = None  # US dollars, over all runs and sessions
    max_hours: Amount | None = None


class ModelEntry(ModelOptions, frozen=True, kw_only=True):
    """A model, with its options as in `epicene run`."""

    spec: str
    roles: Names = ()  # the only roles it takes; () for any

    @property
    def name(self) -> str:
        """The name shown for the model, without the secrets in its spec."""
        return redact(self.label or self.spec)

    @property
    def written(self) -> dict[str, Any]:
        """The options written beside the spec."""
        return {
            name: value
            for name in ModelOptions.__struct_fields__
            if (value := getattr(self, name)) != getattr(ModelOptions(), name)
        }

    def parsed(self) -> ModelSpec:
        """The spec with this entry's options, which count as stated in it."""
        spec = parse_spec(self.spec, ModelOptions(**self.written))
        return msgspec.structs.replace(
            spec, stated=tuple({**self.written, **dict.fromkeys(spec.stated)})
        )


class SuiteEntry(Record, frozen=True, kw_only=True):
    """A suite and its settings."""

    name: str
    protocols: Names = ("epicene",)
    languages: Names = ()
    data: str = ""
    columns: dict[str, str] = {}
    limit: Positive | None = None
    seed: int | None = None
    settings: dict[str, str | int | float | bool | list[str | int | float]] = {}
    roles: dict[str, Names] = {}  # models for the roles that the sweep's models do not have


class SkipRule(Record, frozen=True, kw_only=True):
    """Leave out the runs that match everything it names."""

    model: str = ""
    suite: str = ""
    protocol: str = ""
    language: str = ""
    why: str = "skipped by the plan"


class SweepPlan(Record, frozen=True, kw_only=True):
    """The content of a plan file."""

    models: tuple[ModelEntry, ...]
    suites: tuple[SuiteEntry, ...]
    skip: tuple[SkipRule, ...] = ()
    limits: SweepLimits = SweepLimits()
    strict: bool = False


_TABLES: dict[str, type[msgspec.Struct]] = {
    "models": ModelEntry,
    "suites": SuiteEntry,
    "skip": SkipRule,
    "limits": SweepLimits,
}


_OPTION = regex.compile(r"--[a-z][a-z-]*[a-z]")
_KEYS = {
    f"--{key.replace('_', '-')}": key
    for record in _TABLES.values()
    for key in record.__struct_fields__
}


@dataclass(frozen=True)
class PlanFile:
    """A plan with its file."""

    path: Path
    text: str
    plan: SweepPlan

    def refuse(self, error: str | InputError, table: str, index: int, key: str = "") -> NoReturn:
        """Raise an error that gives its position in the file."""
        location = _location(self.path, self.text, table, index, key)
        raise InputError(f"{location}: {options_to_keys(str(error))}") from None


def example_plan() -> str:
    """An example plan with all keys."""
    return files("epicene.runs.sweep").joinpath("example.toml").read_text(encoding="utf-8")


def paper_plan(suite: str) -> str:
    """The plan that repeats a suite's paper: `paper_sweep.toml` in the suite's folder."""
    found = {
        name: file
        for name, point in registry.installed("suites").items()
        if (file := files(point.module).joinpath("paper_sweep.toml")).is_file()
    }
    if suite not in found:
        raise unknown("plan of the paper of the suite", suite, found)
    return found[suite].read_text(encoding="utf-8")


def read_plan(path: Path) -> PlanFile:
    """Read a plan; errors give their position in it."""
    text = read_text(path)
    return parse_plan(parse_toml(text, path), path, text)


def parse_plan(content: Mapping[str, Any], path: Path, text: str = "") -> PlanFile:
    """A plan from its content; `path` and `text` are used to locate an error."""
    try:
        plan = msgspec.convert(content, SweepPlan)
    except msgspec.ValidationError as error:
        raise _validation_error(path, text, str(error)) from None
    file = PlanFile(path, text, plan)
    for table in ("models", "suites"):
        if not getattr(plan, table):
            file.refuse(f"A sweep needs at least one of [[{table}]].", "", 0)
    _check_distinct_names(file)
    return file


def _check_distinct_names(file: PlanFile) -> None:
    names = [model.name for model in file.plan.models]
    for index, name in enumerate(names):
        if name in names[:index]:
            file.refuse(
                f"Two models are called {name!r}; give one of them a different label.",
                "models",
                index,
                "label",
            )


def _validation_error(path: Path, text: str, message: str) -> InputError:
    """The error that msgspec found, with its line and the nearest known key."""
    found = _PATH.fullmatch(message)
    problem, table, number, key = found.groups() if found else (message, "", None, "")
    index = int(number or 0)
    field = _FIELD.search(problem)
    if field is None:
        return InputError(f"{_location(path, text, table or '', index, key)}: {problem}.")
    name, record = field[1], _TABLES.get(table or "", SweepPlan)
    location = _location(path, text, table or "", index, name)
    return InputError(f"{location}: {unknown('key', name, record.__struct_fields__)}")


def _location(path: Path, text: str, table: str, index: int, key: str) -> str:
    """`FILE, line N ([[table]] 2, key)`, as far as known."""
    entry = f"[[{table}]] {index + 1}" if table in ("models", "suites", "skip") else table
    inside = ", ".join(part for part in (entry, key) if part)
    line = _line(text, table, index, key)
    return f"{path}" + (f", line {line}" if line else "") + (f" ({inside})" if inside else "")


def _line(text: str, table: str, index: int, key: str) -> int | None:
    """The line of a key, or of its table's header if the key is not found."""
    entries, at_header, within = -1, None, not table
    for number, line in enumerate(text.splitlines(), start=1):
        if header := _HEADER.match(line):
            entries += header[1] == table
            within = entries == index and header[1].partition(".")[0] == table
            if within and at_header is None:
                at_header = number
            if within and key and header[1] == f"{table}.{key}":
                return number
        elif within and key and regex.match(rf"\s*[\"']?{regex.escape(key)}[\"']?\s*[=.]", line):
            return number
    return at_header


def options_to_keys(sentence: str) -> str:
    """A message with command-line options replaced by the keys of a plan."""
    return _OPTION.sub(lambda option: _KEYS.get(option[0], option[0]), sentence)
