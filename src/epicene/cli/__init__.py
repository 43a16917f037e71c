"""The command line. `main` turns what went wrong into one sentence and an exit code.

0 done; 1 the run is incomplete or failed; 2 the user's input is wrong.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from epicene.errors import EpiceneError


def main() -> None:
    """Run the program."""
    arguments = [argument for argument in sys.argv[1:] if argument != "--debug"]
    if len(arguments) < len(sys.argv) - 1:
        os.environ["EPICENE_DEBUG"] = "1"
    from epicene.cli.app import run_app

    sys.exit(guarded(lambda: run_app(arguments)))


def guarded(work: Callable[[], int]) -> int:
    """Do the work; the exit code, whatever happens."""
    if os.environ.get("EPICENE_DEBUG"):
        return work()
    try:
        return work()
    except EpiceneError as error:
        return _say(str(error), error.exit_code)
    except KeyboardInterrupt:
        return _say("Stopped. What was answered is kept: run the same command again to go on.", 1)
    except BrokenPipeError:
        # Whoever read our output has left; standard output must not be flushed on the way out.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        return _say(f"{place}{error.strerror or error}.", 1)
    except Exception as error:
        kind = type(error).__name__
        return _say(f"Epicene made a mistake ({kind}: {error}); --debug shows where.", 1)


def _say(sentence: str, code: int) -> int:
    from epicene.runs.secrets import redact

    sys.stderr.write(f"epicene: {redact(sentence)}\n")
    return code
