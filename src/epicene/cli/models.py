"""`epicene models`: list the kinds of model, and fetch an embedded one."""

from __future__ import annotations

from typing import Annotated

import typer

from epicene.cli.options import AsJson

app = typer.Typer(
    help="List the kinds of model; fetch an embedded one.", invoke_without_command=True
)


@app.callback()
def models(context: typer.Context, as_json: AsJson = False) -> None:
    """List the kinds of model and the embedded ones, with where they are."""
    if context.invoked_subcommand:
        return
    import msgspec

    from epicene.cli.output import print_json
    from epicene.core import registry
    from epicene.models import embedded as language
    from epicene.models import faces

    embedded = {each.name: each for each in (*language.status(), *faces.status())}
    kinds = [name for name in registry.names("models") if name not in embedded]
    if as_json:
        print_json(
            {"kinds": kinds, "embedded": {n: msgspec.to_builtins(e) for n, e in embedded.items()}}
        )
        return
    from rich.console import Console
    from rich.table import Column, Table

    console = Console()
    named = Table("kind", "--model", "what")
    for kind in kinds:
        named.add_row(kind, *_describe(kind))
    console.print(named)
    heads = ("embedded", "what", "licence", "size", "on this machine")
    table = Table(*(Column(head, overflow="fold") for head in heads))
    for name, each in embedded.items():
        here = each.where if each.fetched else f"epicene models fetch {name}"
        table.add_row(name, each.description, each.licence, f"{each.disk_mb} MB", here)
    console.print(table)


def _describe(kind: str) -> tuple[str, str]:
    """How a model of that kind is named, and what it is, or why it cannot be used."""
    from epicene.core.errors import EpiceneError
    from epicene.models import kind_info

    try:
        info = kind_info(kind)
    except EpiceneError as error:
        return kind, str(error)
    return info.usage or kind, info.about


@app.command()
def fetch(
    name: Annotated[str, typer.Argument(help="Which embedded model, e.g. smollm2.")],
    accept_licence: Annotated[
        bool, typer.Option("--accept-licence", help="I have read and accept the model's terms.")
    ] = False,
) -> None:
    """Download an embedded model, verify and convert it."""
    from epicene.api.embedded import fetch_model
    from epicene.cli.output import note

    folder = fetch_model(name, accept_licence=accept_licence)
    note(f"{name} is in {folder}")
