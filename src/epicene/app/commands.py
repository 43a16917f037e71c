"""The command line: every command, and `main`, which turns errors into a message and an exit code.

Exit codes: 0 for success; 1 if the run is incomplete or failed, or if a gate fails; 2 if the user's
input is wrong; 3 if a gate is undecided. Only the module of the command that is called is imported.
"""

from __future__ import annotations

import inspect
import io
import os
import sys
import traceback
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import wraps
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from cyclopts import App, CycloptsError, MissingArgumentError, Parameter

from epicene import __version__
from epicene.app.output import OPTIONS, Output, show
from epicene.app.session import NothingSentError, Session, session
from epicene.core.errors import EpiceneError, EpiceneWarning, InputError


class Command(NamedTuple):
    """A command: its function, as MODULE:NAME of this package, and how its result is printed."""

    function: str
    output: str = ""  # the options of `output.py` that it takes
    each: bool = False  # the first argument may be repeated; the function is called for each
    files: bool = False  # the first argument takes all words, so that all others are options
    view: str = ""  # which view of the result is printed, if it has several
    columns: str = ""  # which columns of a frame a person is shown (default: all)
    summary: str = ""  # the first line of the help, if another command has the same function


# The commands, in the order of the help. `models fetch` is a command of the group `models`.
COMMANDS = {
    "suites": Command("suites:suites", "json", columns="suite title languages protocols verbs"),
    "run": Command("run:run", "json items yes dry_run", each=True),
    "score": Command("score:score", "json table items"),
    "tables": Command("results:tables", "json csv latex markdown table list items scores"),
    "compare": Command("compare:compare", "json csv latex markdown table items"),
    "plan": Command("plan:plan", "json"),
    "check": Command("check:check", "json", each=True),
    "report": Command("report:report"),
    "sweep": Command("sweep:sweep", "json yes dry_run"),
    "sweep example": Command("sweep:sweep_plan"),
    "rewrite": Command("rewrite:rewrite", "json explain", files=True),
    "audit": Command("audit:audit", "json", files=True),
    "select": Command("select:select", "json", files=True),
    "select check": Command("select:check_selectors", "json", files=True),
    "annotate sample": Command("annotate:sample"),
    "annotate new": Command("annotate:new"),
    "annotate check": Command("annotate:check"),
    "annotate preview": Command("annotate:preview"),
    "annotate serve": Command("annotate:serve"),
    "annotate links": Command("annotate:links", "json"),
    "annotate sheets": Command("annotate:sheets"),
    "annotate project": Command("annotate:project"),
    "annotate import": Command("annotate:import_answers"),
    "annotate exclude": Command("annotate:exclude"),
    "annotate forget": Command("annotate:forget", "yes"),
    "annotate adjudicate": Command("annotate:adjudicate"),
    "annotate export": Command("annotate:export"),
    "annotate tables": Command("annotate:tables", "json csv latex markdown table"),
    "demo": Command("demo:demo", "json"),
    "train": Command("train:train"),
    "models": Command("models:models", "json", columns="kind spec about licence disk_mb where"),
    "models fetch": Command("models:fetch_model"),
    "data show": Command("data:read_data", "json", view="items", summary="Show items of the data."),
    "data check": Command(
        "data:read_data", "json", view="check", summary="Check the data; exit code 2 for an error."
    ),
    "data stats": Command("data:read_data", "json", view="stats", summary="Count the data."),
    "data build": Command("data:build_data"),
    "data collect": Command("data:collect_data", "json"),
    "data extract": Command("data:extract_wording"),
    "export results": Command("export:export_results"),
    "export data": Command("export:export_data"),
}
# What a group of commands without a function of its own is for.
GROUPS = {
    "annotate": "Run human studies.",
    "data": "Show, check, count, build or collect a suite's data, or extract its paper's wording.",
    "export": "Export results, and the items of a suite.",
}
_EPILOGUE = (
    "Add `--debug` anywhere to see where an error came from, and `--suite FILE.py` in front of the "
    "command to use the suites in a file by name. `epicene suites SUITE` explains a suite's "
    "settings and data; `epicene models` explains how to name a model."
)


def _show_default(value: Any) -> str:
    """The default as the help shows it; None, which hides it, for what is off or empty."""
    hidden = value is None or value is False or value in ("", ())
    return None if hidden else str(value)  # type: ignore[return-value]


_PARAMETERS = Parameter(negative=(), show_default=_show_default, allow_repeating=True)
# A command has neither a version nor the epilogue of the whole.
_QUIET: dict[str, Any] = {
    "version_flags": [],
    "help_epilogue": "",
    "default_parameter": _PARAMETERS,
}


def command_line(only: str = "") -> App:
    """The command line with all commands, or with those whose name starts with a word."""
    app = App(
        name="epicene",
        help="Measure how generative models handle grammatical gender and agreement.",
        help_epilogue=_EPILOGUE,
        help_format="markdown",
        help_flags=["--help", "-h"],
        version=__version__,
        version_flags=["--version"],
        default_parameter=_PARAMETERS,
        result_action="return_value",
        exit_on_error=False,
        print_error=False,
        suppress_keyboard_interrupt=False,
    )
    names = [name for name in COMMANDS if name.split()[0] == only] or list(COMMANDS)
    for place, name in enumerate(names):
        group, _, last = name.rpartition(" ")
        if group and group not in app:
            app.command(App(name=group, help=GROUPS[group], **_QUIET, sort_key=place))
        parent = app[group] if group else app
        function = _as_command(COMMANDS[name])
        if any(each.startswith(f"{name} ") for each in names):
            own = App(name=last, **_QUIET, sort_key=place)
            own.default(function)
            parent.command(own)
        else:
            parent.command(function, name=last, **_QUIET, sort_key=place)
    return app


def _as_command(command: Command) -> Callable[..., int]:
    """The function with the options for its output; it prints what is returned, and returns the
    exit code.
    """
    module, _, name = command.function.partition(":")
    function = getattr(import_module(f"epicene.app.{module}"), name)

    @wraps(function)
    def call(*arguments: Any, **options: Any) -> int:
        chosen = {name: options.pop(name) for name in command.output.split() if name in options}
        output = Output.of(chosen, command.view, tuple(command.columns.split()))
        calls = [(each,) for each in arguments] if command.each else [arguments]
        if not calls:
            raise InputError(f"Name at least one {parameters[0].name}.")
        if len(calls) > 1 and options.get("max_cost") is not None:
            raise InputError("--max-cost limits one suite; run each suite with a limit of its own.")
        before = session.set(
            replace(
                session.get(),
                yes=bool(chosen.get("yes")),
                dry_run=bool(chosen.get("dry_run")),
                json=output.json,
            )
        )
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", EpiceneWarning)  # results print them as notes
                return max(_show_call(function, each, options, output) for each in calls)
        finally:
            session.reset(before)

    parameters = list(inspect.signature(function).parameters.values())
    if command.each or command.files:
        kinds = inspect.Parameter
        kind = kinds.VAR_POSITIONAL if command.each else kinds.POSITIONAL_ONLY
        first, *others = parameters
        alone = [each.replace(kind=kinds.KEYWORD_ONLY) for each in others]
        parameters = [first.replace(kind=kind), *alone]
    for option in command.output.split():
        default = () if option == "table" else False
        parameters.append(
            inspect.Parameter(
                option, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=OPTIONS[option]
            )
        )
    if command.summary:
        _, _, more = (function.__doc__ or "").partition("\n")
        call.__doc__ = f"{command.summary}\n{more}"
    # What it returns is left out: that need not be importable.
    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    call.__annotations__ = {each.name: each.annotation for each in parameters}
    return call


def _show_call(
    function: Callable[..., Any], arguments: Any, options: dict[str, Any], output: Output
) -> int:
    """Print what a call returns, if it is not a dry run; returns the exit code."""
    try:
        return show(function(*arguments, **options), output)
    except NothingSentError:
        return 0


def run_command(arguments: Sequence[str]) -> int:
    """Run a command and return its exit code; raises `InputError` if its options are wrong."""
    left = list(arguments)
    if left[:1] == ["--suite"]:
        from epicene.suites.suite_files import add_suite_files

        add_suite_files([Path(each) for each in left[1:2]])
        del left[:2]
    typed = session.set(Session())
    try:
        code = command_line(left[0] if left else "")(left)
    except CycloptsError as error:
        raise InputError(_option_error(error)) from None
    finally:
        session.reset(typed)
    return code if isinstance(code, int) else 0


def _option_error(error: CycloptsError) -> str:
    """What is wrong with the options, as one sentence that names the command's help."""
    sentence = " ".join(str(error).split())
    if isinstance(error, MissingArgumentError) and error.argument is not None:
        sentence = f"{error.argument.name} is missing"
    place = " ".join(["epicene", *(error.command_chain or ()), "--help"])
    if sentence.endswith("?"):
        return f"{sentence} See `{place}`."
    return f"{sentence.rstrip('.')}; see `{place}`."


def main() -> None:
    """Run the program."""
    arguments = [argument for argument in sys.argv[1:] if argument != "--debug"]
    if len(arguments) < len(sys.argv) - 1:
        os.environ["EPICENE_DEBUG"] = "1"
    _prepare_streams()
    sys.exit(run_with_exit_code(lambda: run_command(arguments)))


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
        _discard_unwritten_output()
    return code


def _prepare_streams() -> None:
    """Write UTF-8, except to a terminal that speaks something else."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            encoding = stream.encoding if stream.isatty() else "utf-8"
            stream.reconfigure(encoding=encoding, errors="replace")


def _discard_unwritten_output() -> None:
    """Write what can be written, and discard the rest: Python would try again on exit and change
    the exit code.
    """
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            with suppress(OSError, ValueError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
                stream.flush()


def _report_error(error: BaseException) -> int:
    """Print what went wrong and return the exit code."""
    match error:
        case EpiceneError():
            return _print_error(str(error), error.exit_code)
        case KeyboardInterrupt():
            return _print_error(
                "Stopped. Run the same command again; a run resumes from its stored answers.", 1
            )
        case BrokenPipeError():
            return 1  # the reader of our output has ended, as `head` does
        case OSError():
            place = f"{error.filename}: " if error.filename else ""
            return _print_error(f"{place}{error.strerror or error}.", 1)
        case SystemExit():
            return error.code if isinstance(error.code, int) else 0
    kind = type(error).__name__
    return _print_error(f"Unexpected error ({kind}: {error}); run with --debug to see where.", 1)


def _print_error(sentence: str, code: int) -> int:
    from epicene.core.control_characters import escape_controls
    from epicene.core.redaction import redact

    with suppress(OSError):  # the exit code says it, too
        sys.stderr.write(f"epicene: {escape_controls(redact(sentence))}\n")
    return code
