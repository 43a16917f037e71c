"""`epicene data SUITE …`: show, check, count or build a suite's data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from epicene.cli.options import (
    AsJson,
    Columns,
    DataPath,
    Languages,
    MaxCost,
    PriceOption,
    ProtocolName,
    Settings,
    Split,
    SuiteName,
    Threads,
    is_on_command_line,
    key_value_pairs,
    protocol_settings,
)
from epicene.core.errors import InputError

if TYPE_CHECKING:
    from epicene.models import ModelOptions, ModelSpec
    from epicene.suites import Dataset, Protocol, Suite

Action = Literal["show", "check", "stats", "build"]


def data(
    context: typer.Context,
    suite: SuiteName,
    action: Annotated[Action, typer.Argument(help="What to do with the data.")],
    path: DataPath = None,
    column: Columns = None,
    language: Languages = None,
    protocol: ProtocolName = "epicene",
    setting: Settings = None,
    split: Split = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="show: how many items (default: 10).")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="build: the folder to write.")
    ] = None,
    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model", "-m", metavar="ROLE=SPEC[,SPEC…]", help="build: the models to use."
        ),
    ] = None,
    seed: Annotated[int | None, typer.Option("--seed", help="build: the random seed.")] = None,
    threads: Threads = None,
    price: PriceOption = "",
    max_cost: MaxCost = None,
    as_json: AsJson = False,
) -> int:
    """Show, check, count or build a suite's data."""
    from epicene.models import ModelOptions
    from epicene.runs.plan import filter_languages
    from epicene.suites import DataSource, choose_protocol, find_suite

    if limit is not None and action != "show":
        raise InputError(f"--limit goes with show, not with {action}.")
    chosen = find_suite(suite)
    if action == "build":
        seeded = {} if seed is None else {"seed": str(seed)}
        settings = {**key_value_pairs(setting, "--set"), **seeded}
        options = ModelOptions(price=price, threads=threads)
        return _build(chosen, out, settings, model or (), options, max_cost)
    for name in ("out", "model", "seed", "threads", "price", "max_cost"):
        if is_on_command_line(context, name):
            raise InputError(f"--{name.replace('_', '-')} goes with build, not with {action}.")
    how = choose_protocol(chosen, protocol, protocol_settings(setting, split=split), None)
    dataset = chosen.read(DataSource(path=path, columns=key_value_pairs(column, "--column")), how)
    items = filter_languages(dataset.items, tuple(language or ()), dataset.name)
    if action == "show":
        return _show(islice(items, limit or 10), as_json=as_json)
    if action == "check":
        return _check(chosen, list(items), how, dataset, as_json=as_json)
    return _stats(chosen, list(items), dataset.name, as_json=as_json)


def _show(items: Iterator[Any], *, as_json: bool) -> int:
    """Print the first items, field by field."""
    import msgspec
    from rich.console import Console

    from epicene.cli.output import print_json
    from epicene.core.control_characters import escape_controls

    shown = [msgspec.to_builtins(item) for item in items]
    if as_json:
        print_json({"items": shown})
        return 0
    console = Console()
    for fields in shown:
        for name, value in fields.items():
            console.print(f"[bold]{name}[/bold]", end="  ")
            console.print(escape_controls(str(value)), markup=False, highlight=False)
        console.print()
    return 0


def _check(
    suite: Suite[Any, Any], items: list[Any], protocol: Protocol, data: Dataset, *, as_json: bool
) -> int:
    """Print the findings about the data; the exit status is 2 if one is an error."""
    from epicene.cli.output import note, print_json
    from epicene.core.control_characters import escape_controls
    from epicene.suites.control_characters import control_character_issues

    findings = list(suite.check(items, protocol)) if suite.check is not None else []
    findings += control_character_issues(data.files)
    for name, count in Counter(item.id for item in items).items():
        if count > 1:
            raise InputError(f"{data.name} has the id {name!r} twice; every item needs its own.")
    if as_json:
        print_json({"items": len(items), "findings": [each._asdict() for each in findings]})
    else:
        for finding in findings:
            typer.echo(escape_controls(f"{finding.severity}: {finding.place}: {finding.message}"))
        note(f"{len(items)} items, {len(findings)} findings.")
    return 2 if any(finding.severity == "error" for finding in findings) else 0


def _stats(suite: Suite[Any, Any], items: list[Any], data: str, *, as_json: bool) -> int:
    """Print how many items there are, by language, and the suite's own tables of its data."""
    from epicene.cli.output import print_json, print_tables
    from epicene.report.data_tables import data_tables
    from epicene.report.table_formats import tables_json

    tables = data_tables(suite, items, data)
    if as_json:
        print_json({"suite": suite.name, "data": data, "tables": tables_json(tables)})
    else:
        print_tables(tables)
    return 0


def _build(
    suite: Suite[Any, Any],
    out: Path | None,
    settings: dict[str, str],
    models: Sequence[str],
    options: ModelOptions,
    max_cost: float | None,
) -> int:
    """Do the steps of a construction, saying each."""
    from epicene.api.progress import progress_display
    from epicene.cli.output import note
    from epicene.models import parse_spec, split_role
    from epicene.runs.dataset_builder import BuildConfig, WaitingForPeopleError, build_dataset

    if out is None:
        raise InputError("build wants a folder: --out DIR.")
    known = suite.construction.roles if suite.construction is not None else []
    asked: dict[str, list[ModelSpec]] = {}
    for text in models:
        role, specs = split_role(text)
        if role not in known:
            wanted = ", ".join(f"{name}=SPEC" for name in known) or "none"
            raise InputError(f"--model wants a role of this construction ({wanted}), not {text!r}.")
        asked[role] = [parse_spec(spec, options) for spec in specs]
    try:
        for step in build_dataset(
            BuildConfig(suite, out, settings, asked, max_cost), progress_display()
        ):
            note(step)
    except WaitingForPeopleError as waiting:
        note(str(waiting))
    return 0
