"""All commands; each module imports nothing heavy before its command is called."""

from __future__ import annotations

from typing import Annotated

import typer
from typer.exceptions import Abort, Exit, TyperException

from epicene import __version__
from epicene.cli import (
    annotate,
    compare,
    data,
    demo,
    export,
    models,
    report,
    rewrite,
    run,
    score,
    suites,
    sweep,
    tables,
    train,
)
from epicene.core.errors import InputError

app = typer.Typer(
    name="epicene",
    help="Measure what generative models do with grammatical gender and agreement.",
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback(
    epilog=(
        "--debug, anywhere, shows where an error came from. `epicene suites SUITE` explains a "
        "suite's settings and data, `epicene models` how a model is named."
    )
)
def _root(
    _version: Annotated[
        bool,
        typer.Option(
            "--version",
            help="Print the version.",
            callback=lambda on: _print_version(on),
            is_eager=True,
        ),
    ] = False,
) -> None:
    pass


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(__version__)
        raise typer.Exit


app.command("suites")(suites.suites)
app.command("run")(run.run)
app.command("score")(score.score)
app.command("tables")(tables.tables)
app.command("compare")(compare.compare)
app.command("report")(report.report)
app.command("sweep")(sweep.sweep)
app.command("demo")(demo.demo)
app.command("rewrite")(rewrite.rewrite)
app.command("train")(train.train)
app.add_typer(models.app, name="models")
app.add_typer(annotate.app, name="annotate")
app.command("data")(data.data)
app.add_typer(export.app, name="export")


_INTERRUPTED = 130  # what typer makes of Ctrl-C


def run_app(arguments: list[str]) -> int:
    """Run a command; its exit code. A mistake in the options is the user's."""
    try:
        result = app(args=arguments or ["--help"], standalone_mode=False)
    except Exit as stop:
        result = stop.exit_code
    except Abort:
        raise KeyboardInterrupt from None
    except TyperException as error:
        place = getattr(getattr(error, "ctx", None), "command_path", "epicene")
        message = error.format_message().strip().rstrip(".")
        raise InputError(f"{message}; `{place} --help` shows what there is.") from None
    if result == _INTERRUPTED:
        raise KeyboardInterrupt
    return result if isinstance(result, int) else 0
