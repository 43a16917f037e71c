"""`epicene data SUITE …`: show, check, count, build, collect or extract a suite's data."""

from __future__ import annotations

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
    from epicene.api.data import SuiteData

Action = Literal["show", "check", "stats", "build", "collect", "extract"]
_WRITING: tuple[Action, ...] = ("build", "collect", "extract")
# The options that go with some actions alone.
_OPTIONS: dict[str, tuple[Action, ...]] = {
    "limit": ("show",),
    "sources": ("collect",),
    "out": _WRITING,
    **dict.fromkeys(("model", "seed", "threads", "price", "max_cost"), ("build",)),
}


def data(
    context: typer.Context,
    suite: SuiteName,
    action: Annotated[Action, typer.Argument(help="What to do with the data.")],
    file: Annotated[
        Path | None,
        typer.Argument(
            help="Your file or folder, as with --data; for extract: the paper, as text or PDF.",
            show_default=False,
        ),
    ] = None,
    path: DataPath = None,
    column: Columns = None,
    language: Languages = None,
    protocol: ProtocolName = "epicene",
    setting: Settings = None,
    split: Split = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="For show: the number of items (default: 10).")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="For build, collect and extract: the folder to write."),
    ] = None,
    sources: Annotated[
        list[Path] | None,
        typer.Option(
            "--from",
            metavar="DIR|ZIP",
            help="For collect: a clone or a zip file with published files; may be repeated.",
        ),
    ] = None,
    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model", "-m", metavar="ROLE=SPEC[,SPEC…]", help="For build: the models to use."
        ),
    ] = None,
    seed: Annotated[int | None, typer.Option("--seed", help="For build: the random seed.")] = None,
    threads: Threads = None,
    price: PriceOption = "",
    max_cost: MaxCost = None,
    as_json: AsJson = False,
) -> int:
    """Show, check, count, build or collect a suite's data, or extract its paper's wording."""
    from epicene.api.data import build_data, read_data

    if file is not None:
        if path is not None:
            raise InputError(f"{file} and --data {path} name different data; use only one of them.")
        if action in ("build", "collect"):
            raise InputError(f"{action} does not read data, so {file} cannot be used with it.")
        path = file
    _check_options(context, action)
    if action in _WRITING:
        if out is None:
            raise InputError(f"{action} needs a folder to write to; use --out DIR.")
        if action == "extract":
            return _extract(suite, path, out)
        if action == "collect":
            return _collect(suite, sources or (), out, as_json=as_json)
        build_data(
            suite,
            out,
            roles=_roles(model or ()),
            settings=key_value_pairs(setting, "--set"),
            seed=seed,
            max_cost=max_cost,
            price=price,
            threads=threads,
        )
        return 0
    found = read_data(
        suite,
        path,
        columns=key_value_pairs(column, "--column"),
        language=language,
        protocol=protocol,
        settings=protocol_settings(setting, split=split),
    )
    if action == "show":
        return _show(islice(found.items(), limit or 10), as_json=as_json)
    return (_check if action == "check" else _stats)(found, as_json=as_json)


def _check_options(context: typer.Context, action: Action) -> None:
    """Raise if an option belongs to another action."""
    for name, actions in _OPTIONS.items():
        if is_on_command_line(context, name) and action not in actions:
            option = "from" if name == "sources" else name.replace("_", "-")
            raise InputError(f"--{option} is for {actions[0]}, not for {action}.")


def _collect(suite: str, sources: Sequence[Path], out: Path, *, as_json: bool) -> int:
    """Collect published files; list those that were found, are missing, or differ in version."""
    from epicene.api.data import collect_data
    from epicene.cli.output import note, print_json

    if not sources:
        raise InputError("collect needs a clone or a zip file to search; use --from PATH.")
    done = collect_data(suite, sources, out)
    if as_json:
        print_json(done._asdict())
        return 0
    for path, place in done.found.items():
        typer.echo(f"{path}: from {place}")
    for path in done.missing:
        other = f", but {done.changed[path]} is a different version" if path in done.changed else ""
        typer.echo(f"{path}: missing{other}")
    every = len(done.found) + len(done.missing)
    note(f"{len(done.found)} of {every} published files are in {out}.")
    return 0


def _extract(suite: str, paper: Path | None, out: Path) -> int:
    """Write the paper's wording; print which files, and how runs find them."""
    from epicene.api.data import extract_wording
    from epicene.cli.output import note
    from epicene.suites.paper_material import FOLDER_VARIABLE

    if paper is None:
        raise InputError("extract needs the paper; name a text file or a PDF.")
    for path in extract_wording(suite, paper, out):
        typer.echo(str(path))
    note(f"Set {FOLDER_VARIABLE}={out} so that runs read them.")
    return 0


def _roles(models: Sequence[str]) -> dict[str, list[str]]:
    """The models of each role, from ROLE=SPEC[,SPEC…]."""
    from epicene.models import split_role

    roles: dict[str, list[str]] = {}
    for text in models:
        role, roles[role] = split_role(text)
        if not role:
            raise InputError(f"--model must name the model's role, as ROLE=SPEC, not {text!r}.")
    return roles


def _show(items: Iterator[Any], *, as_json: bool) -> int:
    """Print the first items, field by field."""
    from rich.console import Console

    from epicene.cli.output import print_json
    from epicene.core.control_characters import escape_controls
    from epicene.suites.definition_items import item_fields

    shown = [item_fields(item) for item in items]
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


def _check(data: SuiteData, *, as_json: bool) -> int:
    """Print the findings about the data; the exit code is 2 if one is an error."""
    from epicene.cli.output import note, print_json
    from epicene.core.control_characters import escape_controls

    findings = data.check().rows(named=True)
    if as_json:
        print_json({"items": len(data), "remarks": data.remarks, "findings": findings})
    else:
        for remark in data.remarks:
            note(remark)
        for each in findings:
            typer.echo(escape_controls(f"{each['severity']}: {each['place']}: {each['message']}"))
        note(f"{len(data)} items, {len(findings)} findings.")
    return 2 if any(each["severity"] == "error" for each in findings) else 0


def _stats(data: SuiteData, *, as_json: bool) -> int:
    """Print how many items there are, by language, and the suite's own tables of its data."""
    from epicene.cli.output import print_json, print_tables
    from epicene.show.table_formats import tables_json

    tables = data.records()
    if as_json:
        print_json({"suite": data.suite, "data": data.name, "tables": tables_json(tables)})
    else:
        print_tables(tables)
    return 0
