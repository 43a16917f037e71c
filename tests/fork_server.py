"""Runs commands in forked children, so that killing twenty of them costs no twenty imports.

Reads one JSON list of arguments a line, forks, prints the child's pid, waits for it and prints
its exit status. Imports before that the modules that its own arguments name. Knows the two-stage
suite, and the model kind `noted`: an hf model that notes what it is asked in the file named by
SCRIPTED_LOG.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import traceback
from collections.abc import Iterator

import two_stage
from epicene.cli import run_app, run_with_exit_code
from epicene.core import registry
from epicene.models import Batch, ImageStore, Model, ModelOptions, NumberedAnswers
from epicene.models.hf import open as open_hf


def open_noted(name: str, options: ModelOptions) -> Model:
    """An hf model that notes every request it is handed."""
    model = open_hf(name, options)
    answer = model.answer

    def noting(batches: Iterator[Batch], files: ImageStore) -> Iterator[NumberedAnswers]:
        def noted() -> Iterator[Batch]:
            for batch in batches:
                for _, request in batch:
                    two_stage.log(f"{model.identity.label} {request.item} {request.name}")
                yield batch

        return answer(noted(), files)

    model.answer = noting  # type: ignore[method-assign]
    return model


def child(arguments: list[str]) -> None:
    """Do one command and leave without any clean-up of the parent's."""
    code = 70
    try:
        sys.argv = ["epicene", *arguments]
        code = run_with_exit_code(lambda: run_app(arguments))
    except BaseException:
        traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def main() -> None:
    """Serve until standard input ends."""
    two_stage.register()
    registry.add("models", "noted", open_noted)
    import torch
    import transformers  # noqa: F401 - imported here so that children need not

    for name in sys.argv[1:]:
        importlib.import_module(name)

    torch.set_num_threads(1)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
            child(json.loads(line))
        sys.stdout.write(f"{pid}\n")
        sys.stdout.flush()
        _, status = os.waitpid(pid, 0)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(status)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
