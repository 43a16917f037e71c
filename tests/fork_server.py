"""Runs commands in forked children, so that killing twenty of them costs no twenty imports.

Reads one JSON list of arguments a line, forks, prints the child's pid, waits for it and prints
its exit status. Instead of a list it may be an object: `arguments`, and where wanted `folder` (to
work in), `stdout` and `stderr` (files), `fault` (its `kind`, `number` and `what`) and
`counts` (a file for the number of calls that could have failed).

Imports before that the modules that its own arguments name, torch and transformers if none. Knows
the two-stage suite, and two model kinds that note what they are asked in the file named by
SCRIPTED_LOG: `noted`, an hf model, and `noted-random`, a reference model.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fault_injection
import two_stage
from epicene.app.commands import run_command, run_with_exit_code
from epicene.core import registry
from epicene.models import (
    Batch,
    BatchLimit,
    ImageStore,
    Model,
    ModelOptions,
    NumberedAnswers,
    model_kind,
)
from epicene.models.reference import open_random
from epicene.models.simple_model import SimpleModel


def open_noted(name: str, options: ModelOptions) -> Model:
    """An hf model that notes every request it is handed."""
    from epicene.models.hf import open as open_hf

    return noting_requests(open_hf(name, options))


@model_kind(options=("label",))
def open_noted_random(name: str, options: ModelOptions) -> Model:
    """The reference model `random`, which notes every request and answers a few at a time."""
    model = open_random(name, options)
    model.__class__ = SmallBatches
    return noting_requests(model)


class SmallBatches(SimpleModel):
    """A model whose answers are committed four at a time."""

    @property
    def batch_limit(self) -> BatchLimit:
        """So that a small run has many commits."""
        return BatchLimit(requests=4)


def noting_requests(model: Model) -> Model:
    """The model, which notes every request."""
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


def child(order: list[str] | dict[str, Any]) -> None:
    """Do one command and leave without any clean-up of the parent's."""
    order = {"arguments": order} if isinstance(order, list) else order
    code = 70
    injector = None
    try:
        os.chdir(order.get("folder", "."))
        for number, name in ((1, "stdout"), (2, "stderr")):
            if name in order:
                flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
                os.dup2(os.open(order[name], flags), number)
        sys.argv = ["epicene", *order["arguments"]]
        if "counts" in order or "fault" in order:
            fault = fault_injection.Fault(**order["fault"]) if "fault" in order else None
            injector = fault_injection.install(Path.cwd(), fault)
        code = run_with_exit_code(lambda: run_command(order["arguments"]))
    except BaseException:
        traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    if injector is not None and "counts" in order:
        Path(order["counts"]).write_text(json.dumps(injector.counts), "utf-8")
    os._exit(code)


def main() -> None:
    """Serve until standard input ends."""
    two_stage.register()
    registry.add("models", "noted", open_noted)
    registry.add("models", "noted-random", open_noted_random)
    for name in sys.argv[1:] or ("torch", "transformers"):
        module = importlib.import_module(name)
        if hasattr(module, "register") and "scripted" in name:
            module.register()
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)
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
