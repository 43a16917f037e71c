"""The plan of a sweep, a TOML file: models × suites × protocols × languages, as a list of runs."""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeAlias

import msgspec
import regex

from epicene import languages
from epicene.core import registry
from epicene.core.data_files import parse_toml, read_text
from epicene.core.errors import InputError, OptionError, unknown
from epicene.core.records import Positive, Record, digest
from epicene.core.redaction import redact
from epicene.models import ModelOptions, ModelSpec, check_options, parse_spec
from epicene.runs.config import RunConfig
from epicene.runs.costs import may_charge
from epicene.runs.preflight import check_roles
from epicene.suites import DataSource, choose_protocol, find_suite
from epicene.suites.suite_files import relative_to

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from epicene.suites import Protocol, Suite

Names: TypeAlias = tuple[str, ...]
_AXES = ("model", "suite", "protocol", "language")
_PATH = regex.compile(r"(.*) - at `\$\.?([\w-]*)(?:\[(\d+)\])?\.?([\w-]*).*`", regex.DOTALL)
_FIELD = regex.compile(r"unknown field `(.*?)`")


class ModelEntry(ModelOptions, frozen=True, kw_only=True):
    """A model, with its options as in `epicene run`."""

    spec: str
    roles: Names = ()  # the only roles it takes; () for any

    @property
    def name(self) -> str:
        """The name shown for the model, without the secrets in its spec."""
        return redact(self.label or self.spec)

    def parsed(self, threads: int | None = None) -> ModelSpec:
        """The spec with this entry's options, which count as stated in it."""
        written = {
            name: value
            for name in ModelOptions.__struct_fields__
            if (value := getattr(self, name)) != getattr(ModelOptions(), name)
        }
        spec = parse_spec(self.spec, ModelOptions(**{"threads": threads, **written}))
        return msgspec.structs.replace(
            spec, stated=tuple({**written, **dict.fromkeys(spec.stated)})
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

    @property
    def named(self) -> dict[str, str]:
        """What it names, by axis."""
        return {axis: redact(name) for axis in _AXES if (name := getattr(self, axis))}

    def fits(self, run: SweepRun) -> bool:
        """Whether a run matches."""
        return all(getattr(run, axis) == name for axis, name in self.named.items())


class SweepPlan(Record, frozen=True, kw_only=True):
    """The content of a plan file."""

    models: tuple[ModelEntry, ...]
    suites: tuple[SuiteEntry, ...]
    skip: tuple[SkipRule, ...] = ()
    max_cost: Annotated[float, msgspec.Meta(ge=0)] | None = None  # US dollars, over all runs


_TABLES = {"models": ModelEntry, "suites": SuiteEntry, "skip": SkipRule}


@dataclass(frozen=True)
class SweepRun:
    """One run of the sweep. `skipped` is the reason why the plan leaves it out, if it does."""

    model: str
    suite: str
    protocol: str
    language: str  # "" for all there are
    config: RunConfig
    skipped: str = ""

    @property
    def title(self) -> str:
        """The name shown for the run."""
        return " · ".join(filter(None, (self.suite, self.protocol, self.language, self.model)))

    @property
    def folder(self) -> Path:
        """Where it is stored."""
        assert self.config.out is not None
        return self.config.out


def example_plan() -> str:
    """An example plan with all keys."""
    return files("epicene.runs").joinpath("sweep_example.toml").read_text(encoding="utf-8")


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


def read_plan(path: Path) -> SweepPlan:
    """Read a plan; errors name the entry and the key."""
    return parse_plan(parse_toml(read_text(path), path), path)


def parse_plan(content: Mapping[str, Any], path: Path) -> SweepPlan:
    """A plan from its content; `path` is named in errors."""
    try:
        plan = msgspec.convert(content, SweepPlan)
    except msgspec.ValidationError as error:
        raise _invalid(path, str(error)) from None
    for table in ("models", "suites"):
        if not getattr(plan, table):
            raise InputError(f"{path}: A sweep needs at least one of [[{table}]].")
    for name, count in Counter(model.name for model in plan.models).items():
        if count > 1:
            raise InputError(
                f"{path}: Two models are called {name!r}; give one of them a different label."
            )
    return plan


def _invalid(path: Path, message: str) -> InputError:
    """The error that msgspec found, with the entry and the nearest known key."""
    found = _PATH.fullmatch(message)
    problem, table, number, key = found.groups() if found else (message, "", None, "")
    if field := _FIELD.search(problem):
        known = _TABLES.get(table, SweepPlan).__struct_fields__
        problem, key = str(unknown("key", field[1], known)).removesuffix("."), field[1]
    return InputError(f"{_location(path, table, int(number or 0), key)}: {problem}.")


def _location(path: Path, table: str, index: int, key: str = "") -> str:
    """`FILE ([[table]] 2, key)`, as far as known."""
    entry = f"[[{table}]] {index + 1}" if table in _TABLES else table
    inside = ", ".join(filter(None, (entry, key)))
    return f"{path} ({inside})" if inside else str(path)


# --- the runs ------------------------------------------------------------------------------------


class _Part(NamedTuple):
    """A suite under one protocol, in one language or all, without the models of the sweep."""

    entry: SuiteEntry
    name: str  # in folders
    suite: Suite[Any, Any]
    protocol: Protocol
    language: str
    role: str  # that the sweep's models play
    others: Mapping[str, list[ModelSpec]]


def expand_plan(
    plan: SweepPlan,
    path: Path,
    out: Path,
    *,
    limit: int | None = None,
    threads: int | None = None,
) -> list[SweepRun]:
    """All runs of a plan, grouped by model, with models behind a server last.

    A trial, which has a `limit`, gets a folder of its own: its runs are never among the others.
    `threads` are for models whose entry does not set them.
    """
    within = out / ("runs" if limit is None else f"limit-{limit}")
    specs = {}
    for index, model in enumerate(plan.models):
        with _located(path, "models", index, "spec"):
            specs[model.name] = _checked(model.parsed(threads))
    slugs = _slugs(specs)
    parts = [
        part for index in range(len(plan.suites)) for part in _suite_parts(plan, path, index, specs)
    ]
    runs = [
        SweepRun(
            model=model.name,
            suite=part.entry.name,
            protocol=part.protocol.name,
            language=part.language,
            config=RunConfig(
                suite=part.suite,
                protocol=part.protocol,
                models={part.role: [specs[model.name]], **part.others},
                source=DataSource(
                    path=Path(part.entry.data) if part.entry.data else None,
                    columns=part.entry.columns,
                ),
                languages=(part.language,) if part.language else (),
                limit=limit or part.entry.limit,
                out=within / f"{part.name}-{slugs[model.name]}",
            ),
        )
        for model in sorted(plan.models, key=lambda model: may_charge(specs[model.name].kind))
        for part in parts
        if not model.roles or part.role in model.roles
    ]
    return list(_skipped(plan, path, runs))


def _slugs(names: Iterable[str]) -> dict[str, str]:
    """A name for the folders of each model."""
    found = {name: _slug(name.partition("?")[0]) for name in names}
    count = Counter(found.values())
    return {
        name: slug if count[slug] == 1 else f"{slug}-{digest(name).hex()[:8]}"
        for name, slug in found.items()
    }


def _slug(text: str) -> str:
    return regex.sub(r"[^\w.]+", "-", text).strip("-")


def _suite_parts(
    plan: SweepPlan, path: Path, index: int, specs: Mapping[str, ModelSpec]
) -> Iterator[_Part]:
    entry, before = plan.suites[index], plan.suites[:index]
    with _located(path, "suites", index, "name"):
        suite = find_suite(relative_to(path.parent, entry.name))
        if entry in before:
            raise InputError("This suite is in the plan twice; leave one out.")
    with _located(path, "suites", index, "data"):
        if entry.data and not Path(entry.data).exists():
            raise InputError(f"There is no file or folder {entry.data!r}.")
    with _located(path, "suites", index, "languages"):
        for code in _distinct(entry.languages):
            languages.get(code)
    with _located(path, "suites", index, "roles"):
        role, others = _roles(entry, suite, specs)
    repeated = sum(other.name == entry.name for other in before)
    for name in entry.protocols:
        with _located(
            path, "suites", index, "settings" if name in suite.protocols else "protocols"
        ):
            _distinct(entry.protocols)
            protocol = choose_protocol(suite, name, entry.settings, entry.seed)
        with _located(path, "suites", index, "roles"):
            anybody = {role: [ModelSpec(kind="random")], **others}
            check_roles(suite.for_protocol(protocol, anybody), anybody, suite)
        for language in entry.languages or ("",):
            called = (suite.name, str(repeated + 1) if repeated else "", name, language)
            slug = "-".join(_slug(each) for each in called if each)
            yield _Part(entry, slug, suite, protocol, language, role, others)


def _roles(
    entry: SuiteEntry, suite: Suite[Any, Any], specs: Mapping[str, ModelSpec]
) -> tuple[str, dict[str, list[ModelSpec]]]:
    """The role of the sweep's models, and the models of the others: names in the plan, or specs."""
    others = {
        suite.role(role).name: [
            specs.get(redact(name)) or _checked(parse_spec(name)) for name in names
        ]
        for role, names in entry.roles.items()
    }
    left = [role.name for role in suite.roles if role.name not in others]
    if not left:
        raise InputError(
            "Every role already has a model; leave one role open for the models of the sweep."
        )
    return left[0], others


def _checked(spec: ModelSpec) -> ModelSpec:
    """The spec; raises if its kind or an option is unknown, whether it can be reached or not."""
    registry.find("models", spec.kind)
    check_options(spec)
    return spec


def _distinct(names: Names) -> Names:
    for name, count in Counter(names).items():
        if count > 1:
            raise InputError(f"{name!r} is named twice; name each once.")
    return names


def _skipped(plan: SweepPlan, path: Path, runs: list[SweepRun]) -> Iterator[SweepRun]:
    """The runs, skipped if a rule matches; raises at a rule that matches none."""
    for index, rule in enumerate(plan.skip):
        with _located(path, "skip", index):
            for axis, name in rule.named.items():
                known = {getattr(run, axis) for run in runs} - {""}
                if name not in known:
                    raise unknown(f"{axis} in this plan", name, known)
            if not rule.named:
                raise InputError("The rule must name a model, a suite, a protocol or a language.")
            if not any(map(rule.fits, runs)):
                raise InputError("No run matches everything that this rule names.")
    for run in runs:
        why = next((rule.why for rule in plan.skip if rule.fits(run)), "")
        yield replace(run, skipped=why)


@contextmanager
def _located(path: Path, table: str, index: int, key: str = "") -> Iterator[None]:
    """Add to errors where in the plan the reason is."""
    try:
        yield
    except InputError as error:
        key = error.option if isinstance(error, OptionError) else key
        raise InputError(f"{_location(path, table, index, key)}: {error}") from None
