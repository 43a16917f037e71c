"""Kill every command that writes at random moments, and compare what it leaves in the end.

    python benchmarks/kills.py [--kills 1000] [--seed 1]

Small runs of all five suites on the reference models, a sweep, data that are built, studies,
exports, a report and a tagger. Each command is killed (SIGKILL) up to twelve times, half of the
time after a random part of its duration and half just before a random call to the operating system,
and repeated until it ends by itself. Then its tables, files and rows must be those of a command
that nothing happened to; no stored answer may be lost, changed or asked for again. A server of a
study is killed while somebody answers: what it acknowledged must be stored, once.

The exit code is 1 if anything was wrong. On Linux.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
import threading
import time
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1] / "tests"
sys.path.insert(0, str(TESTS))

import msgspec  # noqa: E402

from epicene.studies.collection.folder import create_study_folder, open_study_folder  # noqa: E402
from kill_points import Killer, Tally  # noqa: E402 - from the tests
from studies.web.served_process import Browser  # noqa: E402
from study_examples import stereotype  # noqa: E402
from writing_commands import COMMANDS, WritingCommand  # noqa: E402

KILLS_IN_A_ROUND = 12
SERVE = "annotate serve"
# How many of a thousand kills each command gets; those that take seconds get few.
SHARES = {
    **{f"run {suite}": 150 for suite in ("misgendering", "genform", "apgc", "alternations")},
    "run gramvis": 150,
    "run own_pairs.py": 30,
    "sweep": 12,
    "data build": 30,
    "data build with models": 50,
    "annotate sample": 15,
    "annotate import": 25,
    "annotate import of decisions": 15,
    "annotate adjudicate": 6,
    "annotate sheets": 10,
    "export results": 4,
    "export data to hf": 12,
    "export data to lm-eval": 6,
    "report": 3,
    "train": 2,
    SERVE: 30,
}


def main() -> None:
    """Kill, and print a line of figures for each command."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    wanted = parser.parse_args()
    assert SHARES.keys() == {command.name for command in COMMANDS} | {SERVE}
    total = Tally()
    with tempfile.TemporaryDirectory(prefix="epicene-kills-") as folder:
        killer = Killer(Path(folder), wanted.seed)
        print("| command | kills | times repeated to the end | stored answers checked |")
        print("|---|---|---|---|", flush=True)
        for command in COMMANDS:
            kills = max(1, round(wanted.kills * SHARES[command.name] / sum(SHARES.values())))
            show(command.name, kill(killer, command, kills), total)
        kills = max(1, round(wanted.kills * SHARES[SERVE] / sum(SHARES.values())))
        show(SERVE, kill_server(killer, Path(folder), kills, wanted.seed), total)
        killer.close()
        show("all", total, Tally())
    for problem in total.problems:
        print(problem)
    sys.exit(bool(total.problems))


def show(name: str, tally: Tally, total: Tally) -> None:
    """Print a line of the table, and add to the total."""
    print(f"| {name} | {tally.kills} | {tally.rounds} | {tally.answers} |", flush=True)
    total.kills += tally.kills
    total.rounds += tally.rounds
    total.answers += tally.answers
    total.problems += tally.problems


def kill(killer: Killer, command: WritingCommand, kills: int) -> Tally:
    """Kill a command so many times."""
    reference, tally = killer.reference(command), Tally()
    while tally.kills < kills:
        killer.round(command, reference, min(KILLS_IN_A_ROUND, kills - tally.kills), tally)
    return tally


def kill_server(killer: Killer, folder: Path, kills: int, seed: int) -> Tally:
    """Serve a study, kill the server while a person answers, and compare what is stored."""
    study = stereotype()
    items = tuple(msgspec.structs.replace(study.items[0], id=f"w{n}") for n in range(4000))
    create_study_folder(folder / "served" / "study", msgspec.structs.replace(study, items=items))
    rng, tally, acknowledged = random.Random(seed), Tally(), 0
    printed = folder / "stdout"
    while tally.kills < kills:
        person = _Person(printed, answers=rng.randrange(30))
        command = ("annotate", "serve", "study", "--people=ann", "--port=0")
        killer.run(command, folder / "served", kill_when=person.has_answered)
        person.thread.join()
        tally.kills += 1
        acknowledged += len(person.browser.acknowledged) if person.browser else 0
        stored = open_study_folder(folder / "served" / "study").responses()
        if len({response.item for response in stored}) != len(stored):
            tally.problems.append(f"{SERVE}: an answer is stored twice")
        # What was on the way when the server died may be stored unacknowledged.
        if not acknowledged <= len(stored) <= acknowledged + tally.kills:
            tally.problems.append(f"{SERVE}: {acknowledged} acknowledged, {len(stored)} stored")
    tally.rounds, tally.answers = 1, acknowledged
    shutil.rmtree(folder / "served")
    return tally


class _Person:
    """Enters by the link that the server prints, and answers until it is killed."""

    def __init__(self, printed: Path, answers: int) -> None:
        self._printed, self._answers = printed, answers
        self._deadline = time.monotonic() + 120
        printed.write_text("")
        self.browser: Browser | None = None
        self.thread = threading.Thread(target=self._answer)
        self.thread.start()

    def _answer(self) -> None:
        while "\nann\t" not in (text := self._printed.read_text()) or not text.endswith("\n"):
            assert time.monotonic() < self._deadline, "the server printed no link"
            time.sleep(0.02)
        link = next(line for line in text.splitlines() if line.startswith("ann\t"))
        self.browser = Browser(link.split("\t")[1])
        self.browser.answer_until_it_dies()

    def has_answered(self) -> bool:
        """Whether it is time to kill the server."""
        assert time.monotonic() < self._deadline
        return self.browser is not None and len(self.browser.acknowledged) >= self._answers


if __name__ == "__main__":
    main()
