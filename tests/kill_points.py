"""Kill commands at any moment, repeat them until they are done, and compare what they wrote.

Half of the kills come after a random time, half at a random call to the operating system: just
before one of the opens, writes, renames and new folders of the command, SQLite's included.
"""

from __future__ import annotations

import json
import random
import shutil
import signal
import sqlite3
import time
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from runs.killable_runs import ForkServer, stored
from writing_commands import MODULES, WritingCommand, outcome, prepare, write_inputs

_KILLED = -signal.SIGKILL
_AT_CALLS = ("open", "write", "fsync", "rename", "mkdir")


@dataclass(frozen=True)
class Reference:
    """What a command writes that nothing happens to, how long it takes, and its calls by kind."""

    outcome: dict[str, Any]
    seconds: float
    calls: dict[str, int]


@dataclass
class Tally:
    """What was done to a command, and what was wrong after it."""

    kills: int = 0
    rounds: int = 0
    answers: int = 0  # that were stored when a command was killed, each checked to be kept
    problems: list[str] = field(default_factory=list)


class Killer:
    """Kills commands in a folder of its own."""

    def __init__(self, folder: Path, seed: int) -> None:
        self._folder = folder
        self._inputs = folder / "inputs"
        write_inputs(self._inputs)
        self._log = folder / "asked.log"
        self._rng = random.Random(seed)
        self._rounds = 0
        self._server = ForkServer(self._log, folder / "errors.log", *MODULES)

    def close(self) -> None:
        """End the process that runs the commands."""
        self._server.close()

    def run(self, arguments: tuple[str, ...], folder: Path, **order: Any) -> int:
        """Do a command in a folder; its exit code."""
        order |= {name: str(self._folder / name) for name in ("stdout", "stderr")}
        return self._server.run(list(arguments), folder=str(folder), **order)

    def said(self, stream: str = "stderr") -> str:
        """What the last command printed."""
        return (self._folder / stream).read_text("utf-8", "replace")

    def new_folder(self, command: WritingCommand) -> Path:
        """A new folder with the inputs of a command."""
        self._rounds += 1
        folder = self._folder / "rounds" / str(self._rounds) / "work"
        prepare(command, self._inputs, folder)
        return folder

    def result(self, command: WritingCommand, folder: Path) -> dict[str, Any]:
        """What a command has written, and the output of the one that shows it."""
        found = outcome(command, folder)
        if command.show:
            code = self.run(command.show, folder)
            found["shown"] = self.said("stdout") if code == 0 else f"{code}: {self.said()}"
        return found

    def reference(self, command: WritingCommand) -> Reference:
        """The command, done once from beginning to end."""
        folder, counts = self.new_folder(command), self._folder / "counts.json"
        started = time.monotonic()
        code = self.run(command.arguments, folder, counts=str(counts))
        assert code == 0, self.said()
        took = time.monotonic() - started
        return Reference(self.result(command, folder), took, json.loads(counts.read_text()))

    def round(self, command: WritingCommand, reference: Reference, kills: int, to: Tally) -> None:
        """Kill a command at most so many times, repeat it until it is done, and compare."""
        folder = self.new_folder(command)
        left = kills
        to.rounds += 1
        while True:
            before = _stored_rows(folder, self._folder / "copy") if command.runs else {}
            noted = len(_lines(self._log))
            code = self._attempt(command, folder, reference, kill=left > 0)
            self._check_kept(command, folder, before, noted, to)
            if code != _KILLED:
                break
            left -= 1
            to.kills += 1
        said = self.said()
        found = self.result(command, folder)
        differing = [
            name
            for name in sorted(found.keys() | reference.outcome.keys())
            if found.get(name) != reference.outcome.get(name)
        ]
        # One that was killed when all was written does not write over it.
        if code not in (0, 2) or (code and differing):
            to.problems.append(f"{command.name}: exit code {code}: {said}")
        to.problems += [f"{command.name}: {name} differs in {folder}" for name in differing]
        if not to.problems:
            shutil.rmtree(folder.parent)

    def _attempt(
        self, command: WritingCommand, folder: Path, reference: Reference, *, kill: bool
    ) -> int:
        if not kill:
            return self.run(command.arguments, folder)
        if self._rng.random() < 0.5:
            wait = self._rng.uniform(0.0, 1.0) * reference.seconds
            return self.run(command.arguments, folder, kill_after=wait)
        calls = [(kind, n) for kind in _AT_CALLS for n in range(reference.calls.get(kind, 0))]
        kind, number = self._rng.choice(calls)
        fault = {"kind": kind, "number": number + 1, "what": "kill"}
        return self.run(command.arguments, folder, fault=fault)

    def _check_kept(
        self,
        command: WritingCommand,
        folder: Path,
        before: dict[str, StoredRows],
        noted: int,
        to: Tally,
    ) -> None:
        """Nothing that was stored is lost or changed, and none of it was asked again."""
        if not command.runs:
            return
        after = _stored_rows(folder, self._folder / "copy")
        asked = _lines(self._log)[noted:]
        for run, old in before.items():
            new = after[run].rows if run in after else {}
            if lost := [key for key, row in old.rows.items() if new.get(key) != row]:
                to.problems.append(f"{command.name}: {len(lost)} answers lost in {folder}")
            if again := [line for line in asked if line in old.requests]:
                to.problems.append(f"{command.name}: {len(again)} asked again in {folder}")
            to.answers += len(old.requests)


def _lines(path: Path) -> list[str]:
    return path.read_text("utf-8").splitlines() if path.exists() else []


class StoredRows(NamedTuple):
    """The committed answers of a run, by key, and the requests that they answer."""

    rows: dict[bytes, bytes]
    requests: set[str]


def _stored_rows(folder: Path, copy: Path) -> dict[str, StoredRows]:
    """The answers of every run in a folder, read from a copy: the run's log is left as it is."""
    found: dict[str, StoredRows] = {}
    for path in sorted(folder.rglob("answers.sqlite")):
        shutil.rmtree(copy, ignore_errors=True)
        copy.mkdir()
        for name in (path.name, f"{path.name}-wal", "manifest.json"):
            if path.with_name(name).exists():
                shutil.copyfile(path.with_name(name), copy / name)
        with closing(sqlite3.connect(copy / path.name)) as db:
            tables = {name for (name,) in db.execute("SELECT name FROM sqlite_master")}
            query = "SELECT key, answer FROM answers WHERE NOT failed"
            rows = dict(db.execute(query).fetchall()) if tables else {}
        found[str(path.parent.relative_to(folder))] = StoredRows(rows, stored(copy))
    return found
