"""`epicene models`: list the kinds of model, and fetch an embedded one."""

from __future__ import annotations

from typing import Annotated

import typer

from epicene.cli.options import AsJson

# How a model of each kind is named, and what it is.
_KINDS = {
    "copy": ("copy", "returns its input"),
    "diffusers": ("diffusers:FOLDER", "a local text-to-image pipeline"),
    "hf": ("hf:FOLDER_OR_ID", "what transformers loads: a folder, a GGUF file, a hub id"),
    "ideogram": ("ideogram:MODEL", "Ideogram's text-to-image models"),
    "ngram": ("ngram[:FILE]", "a 5-gram model of the suite's text, or of a file's"),
    "openai": ("openai:MODEL --base-url URL", "a model on an OpenAI-compatible server"),
    "random": ("random[:SEED]", "guesses that land at chance"),
    "replicate": ("replicate:OWNER/NAME[:VERSION]", "a text-to-image model on Replicate"),
    "rules": ("rules", "the rewriters of French, Arabic, Hindi and Russian"),
    "tagger": ("tagger:FOLDER", "rewrites words as it learnt from a corpus (`epicene train`)"),
}

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
        named.add_row(kind, *_KINDS.get(kind, (kind, "")))
    console.print(named)
    heads = ("embedded", "what", "licence", "size", "on this machine")
    table = Table(*(Column(head, overflow="fold") for head in heads))
    for name, each in embedded.items():
        here = each.where if each.fetched else f"epicene models fetch {name}"
        table.add_row(name, each.description, each.licence, f"{each.disk_mb} MB", here)
    console.print(table)


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
