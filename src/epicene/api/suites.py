"""The installed suites, and everything about one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

import msgspec

from epicene.core import registry
from epicene.core.records import Request, verb
from epicene.suites import DataSource, find_suite
from epicene.suites.protocol_settings import settings_of

if TYPE_CHECKING:
    import polars

    from epicene.suites import Suite, SuiteLike


@overload
def suites() -> polars.DataFrame: ...
@overload
def suites(name: SuiteLike) -> dict[str, Any]: ...
def suites(name: SuiteLike | None = None) -> polars.DataFrame | dict[str, Any]:
    """The installed suites, one row each, or everything about one: its card, protocols, settings,
    roles.

    >>> epicene.suites()["suite"].to_list()
    ['alternations', 'apgc', 'genform', 'gramvis', 'misgendering', ...]
    >>> epicene.suites("genform")["languages"]
    ('fr', 'ar', 'hi', ...)
    """
    import polars as pl

    if name is not None:
        return describe_suite(suite_with_verbs(find_suite(name)))
    found = [find_suite(each) for each in registry.names("suites")]
    return pl.DataFrame(
        {
            "suite": [each.name for each in found],
            "title": [each.card.title for each in found],
            "languages": [list(each.card.languages) for each in found],
            "protocols": [list(each.protocols) for each in found],
            "roles": [[role.name for role in each.roles] for each in found],
        }
    )


def suite_with_verbs(suite: Suite[Any, Any]) -> Suite[Any, Any]:
    """The suite with the verbs that its items ask for, if it does not name them itself."""
    from dataclasses import replace
    from itertools import islice

    from epicene.runs.dummy_answers import dummy_requests

    if all(stage.verbs for stage in suite.stages):
        return suite
    protocol = next(iter(suite.protocols.values()))
    found: dict[str, dict[type[Request], None]] = {stage.name: {} for stage in suite.stages}
    for item in islice(suite.read(DataSource(), protocol).items, 1000):
        for stage, request in dummy_requests(suite, protocol, item):
            found[stage.name][type(request)] = None
    stages = (replace(each, verbs=each.verbs or tuple(found[each.name])) for each in suite.stages)
    return replace(suite, stages=tuple(stages))


def describe_suite(suite: Suite[Any, Any]) -> dict[str, Any]:
    """A suite's card, and what it asks of each role."""
    return {
        **msgspec.to_builtins(suite.card),
        "protocols": {p.name: p.about for p in suite.protocols.values()},
        "roles": {role.name: verbs_of(suite, role.name) for role in suite.roles},
        "stages": [
            {"name": stage.name, "role": stage.role, "needs": list(stage.needs)}
            for stage in suite.stages
        ],
        "settings": {
            each.name: {
                key: value for key, value in msgspec.to_builtins(each).items() if key != "name"
            }
            for each in settings_of(suite)
        },
    }


def verbs_of(suite: Suite[Any, Any], role: str) -> list[str]:
    """The verbs that a model in that role must support, by name."""
    return sorted(verb(kind) for kind in suite.verbs_of(role))
