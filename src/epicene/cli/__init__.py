"""The command line. `main` turns what went wrong into one sentence and an exit code.

0 done; 1 the run is incomplete or failed; 2 the user's input is wrong.
"""

from __future__ import annotations

import io
import os
import sys
import traceback
from collections.abc import Callable

from epicene.core.errors import EpiceneError


def main() -> None:
    """Run the program."""
    arguments = [argument for argument in sys.argv[1:] if argument != "--debug"]
    if len(arguments) < len(sys.argv) - 1:
        os.environ["EPICENE_DEBUG"] = "1"
    _use_utf8()
    from epicene.cli.app import run_app

    sys.exit(run_with_exit_code(lambda: run_app(arguments)))


def _use_utf8() -> None:
    """Files and pipes get UTF-8; a terminal gets what it can show."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            encoding = stream.encoding if stream.isatty() else "utf-8"
            stream.reconfigure(encoding=encoding, errors="replace")


def run_with_exit_code(work: Callable[[], int]) -> int:
    """Do the work; the exit code, whatever happens."""
    try:
        return work()
    except BaseException as error:
        if os.environ.get("EPICENE_DEBUG", "0") != "0":
            traceback.print_exc()
        return _report_error(error)


def _report_error(error: BaseException) -> int:
    """Say what went wrong; the exit code."""
    try:
        raise error
    except EpiceneError as error:
        return _print_error(str(error), error.exit_code)
    except KeyboardInterrupt:
        return _print_error(
            "Stopped. What was answered is kept: run the same command again to go on.", 1
        )
    except BrokenPipeError:
        # Whoever read our output has left; standard output must not be flushed on the way out.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        return _print_error(f"{place}{error.strerror or error}.", 1)
    except Exception as error:
        kind = type(error).__name__
        return _print_error(f"Epicene made a mistake ({kind}: {error}); --debug shows where.", 1)


def _print_error(sentence: str, code: int) -> int:
    from epicene.core.control_characters import escape_controls
    from epicene.core.redaction import redact

    sys.stderr.write(f"epicene: {escape_controls(redact(sentence))}\n")
    return code
