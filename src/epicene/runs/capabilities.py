"""Check before the first request whether the models can do what a run asks.

The verbs that a model needs are those that the first items ask for. What a server supports only
test requests can show; all are sent before the first stage, so that nothing is drawn or written for
a judge that cannot be reached. If something is missing, the error names the option that runs the
rest.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import islice
from typing import TYPE_CHECKING, Any, get_args, get_type_hints

import msgspec

from epicene.core.errors import InputError, RunError
from epicene.core.records import verb
from epicene.models import Probed, ProbeError, check_packages
from epicene.runs.costs import check_prices
from epicene.runs.dummy_answers import dummy_answer, dummy_requests
from epicene.runs.execute import VERBS_BY_COST, kinds_of_requests

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from epicene.core.records import Item, Request
    from epicene.models import Model
    from epicene.runs.config import RunConfig
    from epicene.runs.plan import Plan
    from epicene.runs.store import AnswerStore
    from epicene.suites import Protocol, Stage, Suite

# The settings that choose among the parts of a suite.
PART_SETTINGS = ("formats", "tasks")


def check_model_packages(config: RunConfig) -> None:
    """Raise if a package is missing that one of the models needs."""
    for role, specs in config.models.items():
        for spec in specs:
            check_packages(spec, {verb(kind) for kind in config.suite.verbs_of(role)})


def check_models(
    config: RunConfig, plan: Plan, models: Mapping[str, Sequence[Model]], whole: Suite[Any, Any]
) -> None:
    """Raise if a model lacks a verb that its role is asked for, if a package is missing that the
    suite or its tables will need, or if a price is needed and not known.

    `whole` is the suite with all its stages.
    """
    suite = config.suite
    items = next(plan.windows())
    if config.max_cost is not None:  # then the price of every verb must be known
        items = [item for window in plan.windows() for item in window]
    suite.check_packages(config.protocol, (item for window in plan.windows() for item in window))
    asked = asked_verbs(suite, config.protocol, items)
    for role in models:
        if not asked[role]:  # all that it is asked depends on what others answer
            asked[role] = {verb(kind) for kind in suite.verbs_of(role)}
    for role, each in models.items():
        for model in each:
            missing = asked[role] - model.verbs
            if missing:
                option = runnable_parts(config, items, role, model.verbs, whole)
                rest = f"; use `{option}` to run what it can do" if option else ""
                raise InputError(
                    f"The suite {whole.name} asks its {role} to {' and '.join(sorted(missing))}, "
                    f"which {model.identity.label} cannot do (it can "
                    f"{', '.join(sorted(model.verbs))}){rest}."
                )
    check_prices(asked, models, config.max_cost)


def asked_verbs(
    suite: Suite[Any, Any], protocol: Protocol, items: Iterable[Item]
) -> dict[str, set[str]]:
    """The verbs that each role is asked for by these items."""
    found: dict[str, set[str]] = defaultdict(set)
    for item in items:
        for stage, request in dummy_requests(suite, protocol, item):
            found[stage.role].add(verb(request))
    return found


def runnable_parts(
    config: RunConfig,
    items: Sequence[Item],
    role: str,
    verbs: Collection[str],
    whole: Suite[Any, Any],
) -> str:
    """The option that runs what a model with these verbs can do, "" if there is none.

    Parts that the run does not have are named only if the model can do none of those that it has.
    """
    for setting in PART_SETTINGS:
        every = part_names(config.protocol, setting)
        own = [part for part in every if part in getattr(config.protocol, setting)]
        for parts in (own, [part for part in every if part not in own]):
            can = [
                part
                for part in parts
                if _runs_alone(config, items, role, verbs, whole, {setting: (part,)})
            ]
            if can:
                return f"--set {setting}={','.join(can)}"
    return ""


def part_names(protocol: Protocol, setting: str) -> tuple[str, ...]:
    """The allowed values of a setting that is a list of names; empty if there is no such
    setting.
    """
    if setting not in protocol.__struct_fields__:
        return ()
    kind = get_args(get_type_hints(type(protocol))[setting])
    return get_args(kind[0]) if kind else ()


def _runs_alone(
    config: RunConfig,
    items: Sequence[Item],
    role: str,
    verbs: Collection[str],
    whole: Suite[Any, Any],
    settings: Mapping[str, tuple[str, ...]],
) -> bool:
    """Whether the reduced run asks something of the role, and nothing that the model cannot do."""
    protocol = msgspec.structs.replace(config.protocol, **settings)
    try:
        suite = whole.for_protocol(protocol, config.models)
    except InputError:
        return False
    if {each.name for each in suite.roles} - set(config.models):
        return False
    asked = asked_verbs(suite, protocol, items)[role]
    return bool(asked) and asked <= set(verbs)


# --- servers ---------------------------------------------------------------------------------


def probe_models(
    config: RunConfig,
    plan: Plan,
    models: Mapping[str, Sequence[Model]],
    store: AnswerStore,
    whole: Suite[Any, Any],
) -> None:
    """Raise if a server does not support what it will be asked; cheap kinds are tested first."""
    for role, each in models.items():
        for model in each:
            if isinstance(model, Probed):
                left = [
                    request
                    for stage in config.suite.stages
                    if stage.role == role
                    for request in _first_unanswered(plan, stage, model, store)
                ]
                kinds = sorted(
                    kinds_of_requests(left), key=lambda kind: VERBS_BY_COST.index(verb(kind))
                )
                try:
                    if kinds:
                        model.probe(kinds)
                except ProbeError as error:
                    raise _explained(error, model, role, config, plan, whole) from None


def _first_unanswered(
    plan: Plan, stage: Stage[Any, Any], model: Model, store: AnswerStore
) -> list[Request]:
    """The requests without an answer in the first window that has any."""
    for window in plan.windows():
        planned = plan.requests(stage, window, model.identity, dummy_answer)
        states = store.states(each.key for each in planned)
        if left := [each.request for each in planned if not states.get(each.key)]:
            return left
    return []


def _explained(
    error: ProbeError,
    model: Model,
    role: str,
    config: RunConfig,
    plan: Plan,
    whole: Suite[Any, Any],
) -> RunError:
    """The error of a server that does not support what was tested, with the options that restrict
    the run to what it supports.
    """
    known = config.protocol.__struct_fields__
    settings: dict[str, str] = {}  # the verb that needs it, by option
    lost: set[str] = set()
    for request, reason in error.failures:
        if reason.value and reason.setting in known:
            settings[f"--set {reason.setting}={reason.value}"] = verb(request)
        else:
            lost |= {verb(request), *reason.other_verbs}
    options = [option for option, needing in settings.items() if needing not in lost]
    if lost:
        items = list(islice(next(plan.windows()), 50))
        parts = runnable_parts(config, items, role, model.verbs - lost, whole)
        options = [parts, *options] if parts else []
    reasons = str(error)
    way = f"; use `{' '.join(options)}` to run what this server can do" if options else ""
    label = model.identity.label
    return RunError(
        f"{reasons[:1].upper()}{reasons[1:]}{way}. Only test requests were sent to {label}."
    )
