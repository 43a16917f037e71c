"""The installed suites, and everything about one of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, overload

import msgspec

from epicene.app.arguments import SuiteLike
from epicene.app.output import Output, console, print_json

if TYPE_CHECKING:
    import polars

    from epicene.core.records import Request
    from epicene.suites import DataLayout, Suite


class SuiteFacts(dict[str, Any]):
    """Everything about a suite: its card, protocols, settings, roles."""

    def __init__(self, suite: Suite[Any, Any]) -> None:
        super().__init__(describe_suite(suite))
        self._suite = suite

    def _print_(self, output: Output) -> None:
        """Print it section by section."""
        from rich.padding import Padding
        from rich.text import Text

        if output.json:
            print_json(self)
            return
        suite, where = self._suite, console()
        where.print(Text(f"{suite.name}: {suite.card.title}", style="bold"))
        where.print(Text(suite.card.about))
        for heading, entries in _sections(suite):
            if entries:
                where.print()
                where.print(Text(heading, style="bold"))
            for entry in entries:
                where.print(Padding(Text(entry), (0, 0, 0, 2), expand=False))


@overload
def suites() -> polars.DataFrame: ...
@overload
def suites(name: SuiteLike) -> SuiteFacts: ...
def suites(name: SuiteLike | None = None) -> polars.DataFrame | SuiteFacts:
    """List the suites with their languages, protocols and required models, or show one suite.

    Args:
        name: The suite to show: its protocols, settings, roles, data layouts, tables and known
            issues.

    Examples:
        >>> epicene.suites()["suite"].to_list()
        ['alternations', 'apgc', 'genform', 'gramvis', 'misgendering', ...]
        >>> epicene.suites("genform")["languages"]
        ('fr', 'ar', 'hi', ...)
    """
    import polars as pl

    from epicene.core import registry
    from epicene.suites import find_suite

    if name is not None:
        return SuiteFacts(suite_with_verbs(find_suite(name)))
    found = [suite_with_verbs(find_suite(each)) for each in registry.names("suites")]
    return pl.DataFrame(
        {
            "suite": [each.name for each in found],
            "title": [each.card.title for each in found],
            "languages": [list(each.card.languages) for each in found],
            "protocols": [list(each.protocols) for each in found],
            "roles": [[role.name for role in each.roles] for each in found],
            "verbs": [
                "; ".join(
                    f"{role.name}: {' '.join(verbs_of(each, role.name))}" for role in each.roles
                )
                for each in found
            ],
        }
    )


def suite_with_verbs(suite: Suite[Any, Any]) -> Suite[Any, Any]:
    """The suite with the verbs that its items ask for, if it does not name them itself."""
    from dataclasses import replace
    from itertools import islice

    from epicene.runs.dummy_answers import dummy_requests
    from epicene.suites import DataSource

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
    from epicene.suites.protocol_settings import settings_of

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
    from epicene.core.records import verb

    return sorted(verb(kind) for kind in suite.verbs_of(role))


def _sections(suite: Suite[Any, Any]) -> Iterator[tuple[str, list[str]]]:
    card = suite.card
    yield "Languages", [" ".join(card.languages)]
    yield "Protocols (--protocol)", [f"{p.name}: {p.about}" for p in suite.protocols.values()]
    yield "Roles (--model ROLE=SPEC)", [_role_line(suite, role.name) for role in suite.roles]
    yield "Stages", [_stage_line(suite, number) for number in range(len(suite.stages))]
    yield "Settings (--set NAME=VALUE)", list(_setting_lines(suite))
    yield "Data (--data)", [line for each in card.layouts for line in _layout_lines(each)]
    yield "Tables (tables --table NAME)", [", ".join(card.tables)]
    yield "Figures", [", ".join(card.figures)] if card.figures else []
    yield "Human studies", [f"{name}: {each.about}" for name, each in card.studies.items()]
    yield "Chance level", [card.chance]
    yield "Source and licence", [card.source, card.data_licence]
    yield "Published data", [card.published_data] if card.published_data else []
    yield "Known issues of the published version", [f"- {fault}" for fault in card.faults]


def _role_line(suite: Suite[Any, Any], name: str) -> str:
    role = suite.role(name)
    more = [
        *(["several models"] if role.many else ()),
        *(["optional"] if role.optional else ()),
    ]
    return f"{name}: {'; '.join((role.about, *more))}. Verbs: {', '.join(verbs_of(suite, name))}."


def _stage_line(suite: Suite[Any, Any], number: int) -> str:
    from epicene.core.records import verb

    stage = suite.stages[number]
    verbs = ", ".join(sorted(verb(kind) for kind in stage.verbs))
    needs = f", after {' and '.join(stage.needs)}" if stage.needs else ""
    return f"{stage.name}: asks the {stage.role} to {verbs}{needs}"


def _setting_lines(suite: Suite[Any, Any]) -> Iterator[str]:
    from epicene.suites.protocol_settings import settings_of

    for each in settings_of(suite):
        values = {name: _shown(value) for name, value in each.default.items()}
        same = len(set(values.values())) == 1
        default = (
            next(iter(values.values()))
            if same
            else ", ".join(f"{value} ({name})" for name, value in values.items())
        )
        # The default of an empty setting is what its description says, if it says so.
        explained = default == "none" and "default" in each.about.lower()
        shown = "" if explained else f"; default: {default}"
        yield f"{each.name}: {each.type}{shown}. {each.about}".rstrip()


def _shown(value: Any) -> str:
    """A value as you would write it after --set."""
    if isinstance(value, list | tuple):
        return ",".join(map(str, value)) or "none"
    if isinstance(value, dict):
        return "none"
    return value or "none" if isinstance(value, str) else json.dumps(value)


def _layout_lines(layout: DataLayout) -> Iterator[str]:
    yield f"{layout.name}: {layout.about}"
    for column, meaning in layout.columns.items():
        required = " (required)" if column in layout.required else ""
        yield f"  {column}{required}: {meaning}"
