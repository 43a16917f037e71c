"""The command line: all commands, and `main`, which turns errors into a message and an exit code.

Exit codes: 0 for success; 1 if the run is incomplete or failed, or if a gate fails; 2 if the user's
input is wrong; 3 if a gate is undecided. A command's module imports nothing heavy until the command
is called.
"""

from __future__ import annotations

import inspect
import os
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer
from typer.exceptions import Abort, Exit, TyperException

from epicene import __version__
from epicene.api.wording import command_line_wording
from epicene.cli import (
    check,
    data,
    demo,
    export,
    plan,
    suites,
    sweep,
    train,
)
from epicene.app.streams import discard_unwritten_output, prepare_streams
from epicene.core.errors import EpiceneError, InputError

app = typer.Typer(
    name="epicene",
    help="Measure how generative models handle grammatical gender and agreement.",
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback(
    epilog=(
        "Add --debug anywhere to see where an error came from. `epicene suites SUITE` "
        "explains a suite's settings and data; `epicene models` explains how to name a model."
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
    suite: Annotated[
        list[Path] | None,
        typer.Option(
            "--suite",
            metavar="FILE.py",
            help="Register the suites in this file, so that you can use them by name. "
            "Environment variable: EPICENE_SUITE_FILES.",
        ),
    ] = None,
) -> None:
    if suite:
        from epicene.suites.suite_files import add_suite_files

        add_suite_files(suite)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(__version__)
        raise typer.Exit


app.command("suites")(suites.suites)
app.command("plan")(plan.plan)
app.command("check")(check.check)
app.command("sweep")(sweep.sweep)
app.command("demo")(demo.demo)
app.command("train")(train.train)
app.command("data")(data.data)
app.add_typer(export.app, name="export")


def _fill_paragraphs(commands: typer.Typer) -> None:
    """Join the lines of each paragraph of the commands' help, which typer prints as they are."""
    for command in commands.registered_commands:
        paragraphs = inspect.cleandoc(command.help or command.callback.__doc__ or "").split("\n\n")
        command.help = "\n\n".join(" ".join(each.split()) for each in paragraphs)
    for group in commands.registered_groups:
        if group.typer_instance is not None:
            _fill_paragraphs(group.typer_instance)


_fill_paragraphs(app)


_INTERRUPTED = 130  # the exit code that typer returns for Ctrl-C


def run_app(arguments: list[str]) -> int:
    """Run a command and return its exit code; raises `InputError` if its options are wrong."""
    try:
        with command_line_wording():
            result = app(args=arguments or ["--help"], standalone_mode=False)
    except Exit as stop:
        result = stop.exit_code
    except Abort:
        raise KeyboardInterrupt from None
    except TyperException as error:
        place = getattr(getattr(error, "ctx", None), "command_path", "epicene")
        raise InputError(_option_error(error.format_message(), place)) from None
    if result == _INTERRUPTED:
        raise KeyboardInterrupt
    return result if isinstance(result, int) else 0


def _option_error(message: str, command: str) -> str:
    """The message of typer about a wrong option, as one sentence that names the command's help."""
    sentence = " ".join(message.split()).replace("Value error, ", "").rstrip(".")
    sentence = sentence.replace(
        "Input should be greater than or equal to", "it must be at least"
    ).replace("Input should be", "it must be")
    if sentence.endswith("?"):
        return f"{sentence} See `{command} --help`."
    return f"{sentence}; see `{command} --help`."


def main() -> None:
    """Run the program."""
    arguments = [argument for argument in sys.argv[1:] if argument != "--debug"]
    if len(arguments) < len(sys.argv) - 1:
        os.environ["EPICENE_DEBUG"] = "1"
    prepare_streams()
    sys.exit(run_with_exit_code(lambda: run_app(arguments)))


def run_with_exit_code(work: Callable[[], int]) -> int:
    """Call `work` and return the exit code; errors are printed, not raised.

    The exit code is 1 if output could not be written.
    """
    try:
        code = work()
        sys.stdout.flush()
    except BaseException as error:
        with suppress(OSError):  # standard error may be full, too
            if os.environ.get("EPICENE_DEBUG", "0") != "0":
                traceback.print_exc()
        code = _report_error(error)
        discard_unwritten_output()
    return code


def _report_error(error: BaseException) -> int:
    """Print what went wrong and return the exit code."""
    try:
        raise error
    except EpiceneError as error:
        return _print_error(str(error), error.exit_code)
    except KeyboardInterrupt:
        return _print_error(
            "Stopped. Run the same command again; a run resumes from its stored answers.", 1
        )
    except BrokenPipeError:
        return 1  # the reader of our output has ended, as `head` does
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        return _print_error(f"{place}{error.strerror or error}.", 1)
    except Exception as error:
        kind = type(error).__name__
        return _print_error(
            f"Unexpected error ({kind}: {error}); run with --debug to see where.", 1
        )


def _print_error(sentence: str, code: int) -> int:
    from epicene.core.control_characters import escape_controls
    from epicene.core.redaction import redact

    with suppress(OSError):  # the exit code says it, too
        sys.stderr.write(f"epicene: {escape_controls(redact(sentence))}\n")
    return code
