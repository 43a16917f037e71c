"""`epicene suites`: list the suites, or show everything about one."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from epicene.cli.options import AsJson

if TYPE_CHECKING:
    from epicene.suites import DataLayout, Suite


def suites(
    name: Annotated[
        str,
        typer.Argument(
            metavar="[SUITE]",
            help="The suite to show: its protocols, settings, roles, data layouts, tables and "
            "known issues.",
            show_default=False,
        ),
    ] = "",
    as_json: AsJson = False,
) -> None:
    """List the suites with their languages, protocols and required models, or show one suite."""
    from epicene.api.suites import describe_suite, suite_with_verbs
    from epicene.cli.output import print_json
    from epicene.core import registry
    from epicene.suites import find_suite

    if name:
        suite = suite_with_verbs(find_suite(name))
        if as_json:
            print_json(describe_suite(suite))
        else:
            _show(suite)
        return
    found = [suite_with_verbs(find_suite(each)) for each in registry.names("suites")]
    if as_json:
        print_json({suite.name: describe_suite(suite) for suite in found})
        return
    _list(found)


def _list(found: list[Suite[Any, Any]]) -> None:
    from rich.console import Console
    from rich.table import Column, Table

    from epicene.api.suites import verbs_of

    heads = ("suite", "what", "languages", "protocols", "needs")
    table = Table(*(Column(head, overflow="fold") for head in heads))
    for suite in found:
        needs = [f"{role.name}: {', '.join(verbs_of(suite, role.name))}" for role in suite.roles]
        table.add_row(
            suite.name,
            suite.card.title,
            " ".join(suite.card.languages),
            " ".join(suite.protocols),
            "\n".join(needs),
        )
    Console().print(table)
    sys.stderr.write("Run `epicene suites SUITE` to see a suite's settings and data layouts.\n")


def _show(suite: Suite[Any, Any]) -> None:
    """Print everything about one suite, section by section."""
    from rich.console import Console
    from rich.padding import Padding
    from rich.text import Text

    from epicene.cli.output import PIPE_WIDTH

    console = Console(width=None if sys.stdout.isatty() else PIPE_WIDTH)
    console.print(Text(f"{suite.name}: {suite.card.title}", style="bold"))
    console.print(Text(suite.card.about))
    for heading, entries in _sections(suite):
        if entries:
            console.print()
            console.print(Text(heading, style="bold"))
        for entry in entries:
            console.print(Padding(Text(entry), (0, 0, 0, 2), expand=False))


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
    from epicene.api.suites import verbs_of

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
