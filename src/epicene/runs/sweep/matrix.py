"""Expand a plan into its runs: every combination of model, suite, protocol and language."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, TypeAlias

import msgspec

from epicene import languages
from epicene.core import registry
from epicene.core.errors import EpiceneError, InputError, OptionError, unknown
from epicene.core.redaction import redact
from epicene.models import ModelSpec, check_options, open_model, parse_spec
from epicene.models.pricing import parse_price
from epicene.runs.config import RunConfig
from epicene.runs.costs import may_charge
from epicene.runs.preflight import check_roles
from epicene.suites import DataSource, choose_protocol, find_suite
from epicene.suites.suite_files import relative_to

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from epicene.runs.sweep.plan import ModelEntry, PlanFile, SkipRule, SuiteEntry
    from epicene.suites import Protocol, Suite

# Raises an error with its location in a suite's part of the plan, at the key that is named.
RefuseAtKey: TypeAlias = Callable[[InputError, str], NoReturn]


@dataclass(frozen=True)
class SweepRun:
    """One run of the sweep. `skipped` is the reason why the plan leaves it out, if it does."""

    model: str
    suite: str
    protocol: str
    language: str  # "" for all there are
    config: RunConfig
    skipped: str = ""
    refuse: RefuseAtKey | None = None  # says of an error with the data where in the plan it is

    @property
    def title(self) -> str:
        """The name shown for the run."""
        parts = (self.suite, self.protocol, self.language, self.model)
        return " · ".join(part for part in parts if part)


class _SuiteVariant(NamedTuple):
    """A suite under one protocol of an entry of the plan."""

    number: int  # of the entry
    entry: SuiteEntry
    suite: Suite[Any, Any]
    protocol: Protocol
    role: str  # that the sweep's models play
    others: Mapping[str, list[ModelSpec]]


def expand_plan(
    file: PlanFile,
    runs: Path,
    limit: int | None = None,
    command: str = "",
    threads: int | None = None,
) -> tuple[SweepRun, ...]:
    """All runs of a plan, grouped by model, with models behind a server last.

    `limit` overrides the plan, e.g. for a trial; `threads` applies to models for which the plan
    does not set it.
    """
    specs = _specs(file)
    ways = list(_suite_variants(file))
    found: list[SweepRun] = []
    for number in sorted(range(len(specs)), key=lambda number: may_charge(specs[number].kind)):
        model, spec = file.plan.models[number], specs[number]
        for way in ways:
            if model.roles and way.role not in model.roles:
                continue
            for language in way.entry.languages or ("",):
                config = RunConfig(
                    suite=way.suite,
                    protocol=way.protocol,
                    models={
                        role: [_with_threads(each, threads) for each in specs_of_role]
                        for role, specs_of_role in {way.role: [spec], **way.others}.items()
                    },
                    source=DataSource(
                        path=Path(way.entry.data) if way.entry.data else None,
                        columns=way.entry.columns,
                    ),
                    languages=(language,) if language else (),
                    limit=limit or way.entry.limit,
                    under=runs,
                    command=command,
                )
                found.append(
                    SweepRun(
                        model=model.name,
                        suite=way.entry.name,
                        protocol=way.protocol.name,
                        language=language,
                        config=config,
                        refuse=partial(_refuse_data, file, way.number),
                    )
                )
    return tuple(_apply_skip_rules(file, found))


def _with_threads(spec: ModelSpec, threads: int | None) -> ModelSpec:
    options = msgspec.structs.replace(spec.options, threads=spec.options.threads or threads)
    return msgspec.structs.replace(spec, options=options)


def _refuse_data(file: PlanFile, index: int, error: InputError, key: str) -> NoReturn:
    file.refuse(error, "suites", index, key)


def _specs(file: PlanFile) -> list[ModelSpec]:
    specs = []
    for index, model in enumerate(file.plan.models):
        try:
            spec = model.parsed()
            _check(spec)
        except OptionError as error:
            key = error.option if error.option in model.written else "spec"
            file.refuse(error, "models", index, key)
        except InputError as error:
            file.refuse(error, "models", index, "spec")
        specs.append(spec)
    return specs


def _check(spec: ModelSpec) -> None:
    """Raise if the kind or an option is unknown. Whether a model can be reached is not checked.

    A model behind a server is opened without contacting the server, and checks its options when
    opened.
    """
    registry.find("models", spec.kind)
    check_options(spec)
    if may_charge(spec.kind):
        if spec.options.price:
            parse_price(spec.options.price, spec.kind, spec.name)
        try:
            open_model(spec).close()
        except OptionError:
            raise
        except EpiceneError:  # of the environment: its runs are said to have failed
            return


def _suite_variants(file: PlanFile) -> Iterator[_SuiteVariant]:
    for index, entry in enumerate(file.plan.suites):
        try:
            suite = find_suite(relative_to(file.path.parent, entry.name))
        except InputError as error:
            file.refuse(error, "suites", index, "name")
        role, others = _roles(file, index, entry, suite)
        _check_languages(file, index, entry)
        if not entry.protocols or len(set(entry.protocols)) < len(entry.protocols):
            file.refuse(
                "Name at least one protocol, and each only once.", "suites", index, "protocols"
            )
        for name in entry.protocols:
            key = "settings" if name in suite.protocols else "protocols"
            try:
                protocol = choose_protocol(suite, name, entry.settings, entry.seed)
                key = "roles"
                anybody = {role: [ModelSpec(kind="random")], **others}
                narrowed = suite.for_protocol(protocol, anybody)
                check_roles(narrowed, anybody, suite)
            except InputError as error:
                file.refuse(error, "suites", index, key)
            yield _SuiteVariant(index, entry, narrowed, protocol, role, others)


def _roles(
    file: PlanFile, index: int, entry: SuiteEntry, suite: Suite[Any, Any]
) -> tuple[str, dict[str, list[ModelSpec]]]:
    """The role of the sweep's models, and the models of the other roles."""
    named = {model.name: model for model in file.plan.models}
    others: dict[str, list[ModelSpec]] = {}
    try:
        for role, names in entry.roles.items():
            suite.role(role)
            others[role] = [_named_model(name, named) for name in names]
        left = [role.name for role in suite.roles if role.name not in others]
        if not left:
            raise InputError(
                "Every role already has a model; leave one role open for the models of the sweep."
            )
    except InputError as error:
        file.refuse(error, "suites", index, "roles")
    return left[0], others


def _named_model(name: str, named: Mapping[str, ModelEntry]) -> ModelSpec:
    """A model of the plan by its name, or any model by its spec."""
    entry = named.get(redact(name))
    spec = entry.parsed() if entry else parse_spec(name)
    _check(spec)
    return spec


def _check_languages(file: PlanFile, index: int, entry: SuiteEntry) -> None:
    try:
        for code in entry.languages:
            languages.get(code)
        if len(set(entry.languages)) < len(entry.languages):
            raise InputError("A language is named twice; name each once.")
    except InputError as error:
        file.refuse(error, "suites", index, "languages")


def _apply_skip_rules(file: PlanFile, found: list[SweepRun]) -> Iterator[SweepRun]:
    """The runs, skipped if a rule matches; raises at a rule that matches none."""
    for index, rule in enumerate(file.plan.skip):
        for axis, name in _axes(rule):
            known = {getattr(sweep_run, axis) for sweep_run in found} - {""}
            if name not in known:
                file.refuse(unknown(f"{axis} in this plan", name, known), "skip", index, axis)
        if not list(_axes(rule)):
            file.refuse(
                "The rule must name at least one of model, suite, protocol and language.",
                "skip",
                index,
            )
        if not any(_fits(rule, sweep_run) for sweep_run in found):
            file.refuse("No run matches everything that this rule names.", "skip", index)
    for sweep_run in found:
        why = next((rule.why for rule in file.plan.skip if _fits(rule, sweep_run)), "")
        yield replace(sweep_run, skipped=why)


def _axes(rule: SkipRule) -> Iterator[tuple[str, str]]:
    for axis in ("model", "suite", "protocol", "language"):
        if name := getattr(rule, axis):
            yield axis, redact(name)


def _fits(rule: SkipRule, sweep_run: SweepRun) -> bool:
    return all(getattr(sweep_run, axis) == name for axis, name in _axes(rule))
