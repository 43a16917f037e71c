"""Check before the first request whether the models can do what a run asks.

The verbs that a model needs are those that its items actually ask for. Only test requests can show
what a server supports. If something is missing, the error names the option that runs the rest.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any, get_args, get_type_hints

import msgspec

from epicene.core.errors import InputError, RunError
from epicene.core.records import Generate, Score, verb
from epicene.models import Probed, ProbeError, check_packages
from epicene.models.pricing import Budget, as_paid
from epicene.runs.dummy_answers import dummy_requests
from epicene.runs.execute import VERBS_BY_COST
from epicene.runs.plan import select_items

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from epicene.core.records import Item, Request
    from epicene.models import Model
    from epicene.runs.config import RunConfig
    from epicene.runs.workload import StageVerb
    from epicene.suites import Dataset, Protocol, Suite

# The settings that choose among the parts of a suite.
PART_SETTINGS = ("formats", "tasks")


def check_installed(config: RunConfig, dataset: Dataset) -> None:
    """Raise if a package that the run or its tables will need is missing."""
    config.suite.check_packages(config.protocol, dataset.items)
    for role, specs in config.models.items():
        verbs = {verb(kind) for kind in config.suite.verbs_of(role)}
        for spec in specs:
            check_packages(spec, verbs)


# --- verbs -----------------------------------------------------------------------------------


def find_verbs(
    suite: Suite[Any, Any], protocol: Protocol, items: Iterable[Item]
) -> Suite[Any, Any]:
    """The suite, with the verbs of stages that name none taken from the items."""
    unknown = {stage.name for stage in suite.stages if not stage.verbs}
    if not unknown:
        return suite
    found: dict[str, dict[type[Request], None]] = {name: {} for name in unknown}
    for item in items:
        for stage, request in dummy_requests(suite, protocol, item, unknown):
            found[stage.name][type(request)] = None
    stages = (
        replace(stage, verbs=stage.verbs or tuple(found[stage.name])) for stage in suite.stages
    )
    return replace(suite, stages=tuple(stages))


def check_verbs(
    config: RunConfig,
    dataset: Dataset,
    models: Mapping[str, Sequence[Model]],
    whole: Suite[Any, Any],
) -> None:
    """Raise if a model lacks a verb that its role is asked for. `whole` is the suite with all
    stages.
    """
    for role, each in models.items():
        for model in each:
            missing = missing_verbs(config, dataset, role, model.verbs)
            if missing:
                option = runnable_parts(config, dataset, role, model.verbs, whole)
                rest = f"; use `{option}` to run what it can do" if option else ""
                raise InputError(
                    f"The suite {whole.name} asks its {role} to {' and '.join(missing)}, which "
                    f"{model.identity.label} cannot do (it can "
                    f"{', '.join(sorted(model.verbs))}){rest}."
                )


def missing_verbs(
    config: RunConfig, dataset: Dataset, role: str, verbs: Collection[str]
) -> list[str]:
    """The verbs that the run needs of a role and that a model with these verbs lacks."""
    needed = {verb(kind) for kind in config.suite.verbs_of(role)}
    if needed and needed.isdisjoint(verbs):
        return sorted(needed)  # whatever it will be asked, which may depend on other answers
    stages = {
        stage.name: {verb(kind) for kind in stage.verbs} - set(verbs)
        for stage in config.suite.stages
        if stage.role == role
    }
    doubtful = {name for name, lacking in stages.items() if lacking}
    unseen = {each for lacking in stages.values() for each in lacking}
    found: set[str] = set()
    if not doubtful:
        return []
    for item in select_items(config, dataset):
        for _, request in dummy_requests(config.suite, config.protocol, item, doubtful):
            found |= {verb(request)} & unseen
        if found == unseen:
            break
    return sorted(found)


def runnable_parts(
    config: RunConfig,
    dataset: Dataset,
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
                if _runs_alone(config, dataset, role, verbs, whole, {setting: (part,)})
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
    dataset: Dataset,
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
    reduced = replace(config, suite=suite, protocol=protocol)
    stages = [stage.name for stage in suite.stages if stage.role == role]
    asked = (
        request
        for item in select_items(reduced, dataset)
        for request in dummy_requests(suite, protocol, item, stages)
    )
    return next(asked, None) is not None and not missing_verbs(reduced, dataset, role, verbs)


# --- servers ---------------------------------------------------------------------------------

_ITEMS = 1000  # so many are looked at for the kinds of requests that a run has
_ITEMS_IN_ALL_STAGES = 50  # stages that build on answers take longer to look at


def probe_models(
    config: RunConfig,
    dataset: Dataset,
    models: Mapping[str, Sequence[Model]],
    whole: Suite[Any, Any],
    left: Collection[StageVerb] | None,
    spent: float,
) -> None:
    """Test whether servers support what is `left` to ask (None: everything), cheapest first.

    What is already `spent` counts towards the cost limit, and so does the cost of the tests.
    """
    for role, each in models.items():
        probed = [model for model in each if isinstance(model, Probed)]
        kinds = _kinds_of_requests(config, dataset, role, left) if probed else ()
        requests = sorted(kinds, key=lambda request: VERBS_BY_COST.index(verb(request)))
        for model in probed if requests else ():
            if charging := as_paid(model):
                charging.spend_from(Budget(config.max_cost, spent))
            try:
                model.probe(requests)
            except ProbeError as error:
                option = _supported_option(config, dataset, role, model, whole, error)
                raise RunError(_probe_message(model.identity.label, error, option)) from None


def _kinds_of_requests(
    config: RunConfig, dataset: Dataset, role: str, left: Collection[StageVerb] | None
) -> Iterator[Request]:
    """One request of each kind that is left to ask of a role and that a server may not support."""
    stages = [stage for stage in config.suite.stages if stage.role == role]
    first = [stage.name for stage in stages if not stage.needs]
    every = [stage.name for stage in stages]
    seen: set[tuple[object, ...]] = set()
    kind: tuple[object, ...]
    for number, item in enumerate(islice(select_items(config, dataset), _ITEMS)):
        looked_at = every if number < _ITEMS_IN_ALL_STAGES else first
        for stage, request in dummy_requests(config.suite, config.protocol, item, looked_at):
            match request:
                case Score():
                    kind = (verb(request), request.first_token, type(request.context))
                case Generate(prompt=str()):
                    kind = (verb(request), request.decoding)
                case _:
                    kind = (verb(request),)
            wanted = left is None or (stage.name, verb(request)) in left
            if wanted and kind not in seen:
                seen.add(kind)
                yield request


def _supported_option(
    config: RunConfig,
    dataset: Dataset,
    role: str,
    model: Model,
    whole: Suite[Any, Any],
    error: ProbeError,
) -> str:
    """The options that restrict the run to what the server supports, "" if there are none."""
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
        parts = runnable_parts(config, dataset, role, model.verbs - lost, whole)
        options = [parts, *options] if parts else []
    return " ".join(options)


def _probe_message(label: str, error: ProbeError, option: str) -> str:
    reason = str(error)
    way = f"; use `{option}` to run what this server can do" if option else ""
    return f"{reason[:1].upper()}{reason[1:]}{way}. Only test requests were sent to {label}."
