"""`epicene models`: list the kinds of model, and fetch an embedded one."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from epicene.cli.options import AsJson

app = typer.Typer(
    help="List the kinds of model, or fetch an embedded model.", invoke_without_command=True
)


@app.callback()
def models(context: typer.Context, as_json: AsJson = False) -> None:
    """List the kinds of model, and the embedded models with their locations."""
    if context.invoked_subcommand:
        return
    from epicene.api.models import models as list_models
    from epicene.cli.output import print_json

    rows = list_models().to_dicts()
    kinds = [row for row in rows if not row["embedded"]]
    embedded = [row for row in rows if row["embedded"]]
    if as_json:
        print_json({"kinds": [row["kind"] for row in kinds], "embedded": _facts(embedded)})
        return
    from rich.console import Console
    from rich.table import Column, Table

    console = Console()
    named = Table("kind", "--model", "what")
    for row in kinds:
        named.add_row(row["kind"], row["spec"], row["about"])
    console.print(named)
    heads = ("embedded", "what", "licence", "size", "on this machine")
    table = Table(*(Column(head, overflow="fold") for head in heads))
    for row in embedded:
        here = row["where"] if row["fetched"] else f"epicene models fetch {row['kind']}"
        size = f"{row['disk_mb']} MB"
        table.add_row(row["kind"], row["about"], row["licence"], size, here)
    console.print(table)


_OF_KINDS = ("kind", "spec", "about", "embedded")


def _facts(embedded: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """What is known about each embedded model, with the field names of the JSON output."""
    return {
        row["kind"]: {
            "name": row["kind"],
            "description": row["about"],
            **{name: value for name, value in row.items() if name not in _OF_KINDS},
        }
        for row in embedded
    }


@app.command()
def fetch(
    name: Annotated[str, typer.Argument(help="The embedded model, e.g. smollm2.")],
    accept_licence: Annotated[
        bool,
        typer.Option(
            "--accept-licence", help="Confirm that you have read and accept the model's terms."
        ),
    ] = False,
) -> None:
    """Download, verify and convert an embedded model."""
    from epicene.api.models import fetch_model
    from epicene.cli.output import note

    note(f"{name} is in {fetch_model(name, accept_licence=accept_licence)}")
