"""The command line. `main` turns what went wrong into one sentence and an exit code.

0 done; 1 the run is incomplete or failed; 2 the user's input is wrong.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress

from epicene.core.errors import EpiceneError


def main() -> None:
    """Run the program."""
    arguments = [argument for argument in sys.argv[1:] if argument != "--debug"]
    if len(arguments) < len(sys.argv) - 1:
        os.environ["EPICENE_DEBUG"] = "1"
    from epicene.cli.streams import prepare_streams

    prepare_streams()
    from epicene.cli.app import run_app

    sys.exit(run_with_exit_code(lambda: run_app(arguments)))


def run_with_exit_code(work: Callable[[], int]) -> int:
    """Do the work; the exit code, whatever happens. Output that was not written means 1."""
    try:
        code = work()
        sys.stdout.flush()
    except BaseException as error:
        from epicene.cli.streams import discard_unwritten_output

        with suppress(OSError):  # standard error may be full, too
            if os.environ.get("EPICENE_DEBUG", "0") != "0":
                traceback.print_exc()
        code = _report_error(error)
        discard_unwritten_output()
    return code


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
        return 1  # the reader of our output has ended, as `head` does
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        return _print_error(f"{place}{error.strerror or error}.", 1)
    except Exception as error:
        kind = type(error).__name__
        return _print_error(f"Epicene made a mistake ({kind}: {error}); --debug shows where.", 1)


def _print_error(sentence: str, code: int) -> int:
    from epicene.core.redaction import redact

    with suppress(OSError):  # the exit code says it, too
        sys.stderr.write(f"epicene: {redact(sentence)}\n")
    return code
