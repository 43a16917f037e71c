"""What the commands around a run cost: processor seconds and memory, each in a process of its own.

    python benchmarks/whole_run.py [PAIRS]      (default 100,000 minimal pairs)

The pairs are made up and the model guesses, so nothing but Epicene is measured.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path


def main() -> None:
    """Measure each command and print a line for it."""
    pairs = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    with tempfile.TemporaryDirectory() as folder:
        data, run = Path(folder) / "pairs.jsonl", Path(folder) / "run"
        write_pairs(data, pairs)
        running = (
            *("run", "alternations", f"--data={data}", "--model=random", f"--out={run}"),
            "--set=formats=acceptability",
        )
        commands = {
            "--help": ("--help",),
            "a run of 9 items": (
                *("run", "misgendering", "--model=random", "--limit=3"),
                f"--out={Path(folder) / 'small'}",
            ),
            f"a run of {pairs:,} pairs": running,
            "the same run again": running,
            "tables": ("tables", str(run)),
            "report": ("report", str(run), f"--out={Path(folder) / 'report.html'}"),
        }
        print(f"{'':28}{'processor':>11}{'memory':>12}")
        for name, command in commands.items():
            seconds, memory = measure(command)
            print(f"{name:28}{seconds:9.2f} s{memory:8,.0f} MiB")


def write_pairs(path: Path, count: int) -> None:
    """Write made-up pairs in groups of four."""
    with path.open("w", encoding="utf-8") as file:
        for number in range(count):
            subject, verbs = (
                ("dogs", ("bark", "barks")) if number % 2 else ("dog", ("barks", "bark"))
            )
            good, bad = (f"The {subject} of house {number} {verb} at night." for verb in verbs)
            row = {"id": str(number), "group": str(number // 4), "good": good, "bad": bad}
            file.write(json.dumps(row) + "\n")


def measure(command: tuple[str, ...]) -> tuple[float, float]:
    """The processor seconds of a command, and the most memory it held, in MiB."""
    process = subprocess.Popen(
        [sys.executable, "-m", "epicene", *command],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    assert process.stderr is not None
    said = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status):
        sys.exit(f"epicene {' '.join(command)} failed: {said.decode()}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


if __name__ == "__main__":
    main()
