"""Where the time of a whole run goes, from the shell to the tables.

    python benchmarks/whole_run.py [--model SPEC …] [--size quick|paper] [-- OPTION …]

Runs `epicene run misgendering`, all formats, then `epicene tables`, each as a process of its own,
and prints what every part took: by the clock, and in processor seconds of all threads. The models
are `ngram` and `smollm2` unless you name others; with hf:PATH on a GPU the clock is what to read.
`quick` takes 20 items of each part of the starter set; `paper` takes all of the published data
under the protocol `paper` (EPICENE_PUBLISHED_DATA names their folder). Options after `--` are given
to `epicene run`.

What the model computes while answers are stored and the next ones are planned counts where the
main thread is; each second counts once.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

QUICK = ("--limit", "20", "--set", "samples=2")
REST = "start-up and the rest"
PARTS = ("data", "loading", "model", "planning", "store", "judging", "tables", REST)


def main() -> None:
    """Measure each model and print a table for it."""
    if sys.argv[1:2] == ["child"]:
        _child(Path(sys.argv[2]), sys.argv[3:])
        return
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--model", action="append")
    parser.add_argument("--size", choices=("quick", "paper"), default="quick")
    parser.add_argument("options", nargs="*")
    asked = parser.parse_args()
    options = [*(_published() if asked.size == "paper" else QUICK), *asked.options]
    for model in asked.model or ("ngram", "smollm2"):
        with tempfile.TemporaryDirectory() as folder:
            run = Path(folder) / "run"
            commands = {
                "run": ("run", "misgendering", "--model", model, "--out", str(run), *options),
                "tables": ("tables", str(run), "--json"),
            }
            measured = {name: _measure(Path(folder), each) for name, each in commands.items()}
            manifest = json.loads((run / "manifest.json").read_text("utf-8"))
        answers = sum(section["answered"] for section in manifest["counts"])
        _print(f"{model}: {manifest['items']:,} items, {answers:,} answers", measured)


def _published() -> tuple[str, ...]:
    folder = os.environ.get("EPICENE_PUBLISHED_DATA")
    if not folder:
        sys.exit("Set EPICENE_PUBLISHED_DATA to the folder with the published data.")
    return ("--data", str(Path(folder) / "misgendering"), "--protocol", "paper", "--yes")


def _measure(folder: Path, command: Iterable[str]) -> dict[str, tuple[float, float]]:
    """The seconds of each part of a command: by the clock, and of the processor."""
    out = folder / "parts.json"
    began = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, __file__, "child", str(out), *command], stdout=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(process.pid, 0)
    clock = time.perf_counter() - began
    if os.waitstatus_to_exitcode(status):
        sys.exit(f"epicene {' '.join(command)} failed.")
    parts = {name: (one, two) for name, (one, two) in json.loads(out.read_text()).items()}
    worked = usage.ru_utime + usage.ru_stime
    known = [sum(each) for each in zip(*parts.values(), strict=True)] or [0.0, 0.0]
    return {**parts, REST: (clock - known[0], worked - known[1])}


def _print(title: str, measured: dict[str, dict[str, tuple[float, float]]]) -> None:
    print(f"\n{title}")
    print(f"{'':22}" + "".join(f"{name:>10}{'processor':>11}{'share':>7}" for name in measured))
    whole = {name: sum(clock for clock, _ in parts.values()) for name, parts in measured.items()}
    for part in (*PARTS, "all"):
        line = f"{part:22}"
        for name, parts in measured.items():
            all_parts = tuple(map(sum, zip(*parts.values(), strict=True)))
            clock, worked = all_parts if part == "all" else parts.get(part, (0.0, 0.0))
            line += f"{clock:9.2f}s{worked:10.2f}s{clock / whole[name]:6.0%} "
        print(line.rstrip())


# --- in the process that is measured -------------------------------------------------------------


class Parts:
    """Seconds by part. A part that begins within another interrupts it."""

    def __init__(self) -> None:
        self.seconds: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
        self._open: list[str] = []
        self._since = self._now()

    def _now(self) -> tuple[float, float]:
        return time.perf_counter(), time.process_time()

    def _switch(self) -> None:
        now = self._now()
        if self._open:
            for index, (begun, ended) in enumerate(zip(self._since, now, strict=True)):
                self.seconds[self._open[-1]][index] += ended - begun
        self._since = now

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """Count what is inside."""
        self._switch()
        self._open.append(name)
        try:
            yield
        finally:
            self._switch()
            self._open.pop()

    def function(self, owner: Any, name: str, part: str) -> None:
        """Count the calls of a function of a module or class."""
        original = getattr(owner, name)

        def counted(*args: Any, **kwargs: Any) -> Any:
            with self.part(part):
                return original(*args, **kwargs)

        setattr(owner, name, counted)

    def generator(self, owner: Any, name: str, part: str) -> None:
        """Count what the iterators that a function returns take."""
        original = getattr(owner, name)
        setattr(owner, name, lambda *args: self.iterator(part, original(*args)))

    def iterator(self, part: str, values: Iterable[Any]) -> Iterator[Any]:
        """Count what an iterator takes to come to its next value."""
        stream = iter(values)
        try:
            while True:
                with self.part(part):
                    try:
                        value = next(stream)
                    except StopIteration:
                        return
                yield value
        finally:
            close: Callable[[], None] | None = getattr(stream, "close", None)
            if close is not None:
                close()


def _child(out: Path, command: list[str]) -> None:
    """Run a command with its parts counted."""
    parts = Parts()
    _count(parts)
    from epicene.app.commands import run_command

    try:
        code = run_command(command)
    finally:
        out.write_text(json.dumps(parts.seconds))
    sys.exit(code)


def _count(parts: Parts) -> None:
    from epicene.runs import estimate, execute, executors, run, store, stored_run, summary
    from epicene.runs.checked_tables import CheckedTables
    from epicene.runs.judging_workers import JudgingWorkers
    from epicene.runs.plan import PlanReader

    parts.function(run, "_prepare", "data")
    parts.function(run, "find_verbs", "planning")
    parts.function(estimate, "count_workload", "planning")
    parts.function(execute, "survey_section", "planning")
    parts.function(PlanReader, "window", "planning")
    parts.function(executors.LazyModel, "load", "loading")
    parts.function(CheckedTables, "content_digest", "store")
    for name in ("put_items", "items", "answers", "known", "put", "counts", "close"):
        parts.function(store.AnswerStore, name, "store")
    parts.function(stored_run, "_judge", "judging")
    parts.generator(JudgingWorkers, "judge", "judging")
    parts.function(summary, "summarise", "tables")
    parts.generator(run, "select_items", "data")
    answered = execute.execute_requests

    def execute_requests(reader: Any, database: Any, stage: Any, section: Any, model: Any,
                         *rest: Any) -> None:  # fmt: skip
        answer = model.answer

        def counted(batches: Iterable[Any], files: Any) -> Iterator[Any]:
            return parts.iterator("model", answer(parts.iterator("planning", batches), files))

        model.answer = counted
        try:
            answered(reader, database, stage, section, model, *rest)
        finally:
            model.answer = answer

    vars(execute)["execute_requests"] = execute_requests


if __name__ == "__main__":
    main()
