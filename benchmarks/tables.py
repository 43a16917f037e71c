"""How long `epicene tables` takes on a large store, and how much memory; a run's throughput too.

    python benchmarks/tables.py [ANSWERS]      (default 1,000,000)

The run is real: the suite `reflexives` of the tests over made-up subjects, answered by `random`.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1] / "tests"
PROGRAM = "import reflexives, epicene.cli; reflexives.register(); epicene.cli.main()"


def main() -> None:
    """Build, run, tabulate, and print a line of figures for each command."""
    answers = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        _write_data(Path("data.jsonl"), answers // 2)
        command = ("run", "reflexives", "-m", "random", "-d", "data.jsonl", "-o", "run")
        figures = {"run with headlines": _timed(*command)}
        size = Path("run/answers.sqlite").stat().st_size / 2**20
        figures["the same command again, nothing to ask"] = _timed(*command)
        figures["tables"] = _timed("tables", "run", "--json")
        for cache in Path("run").glob("*.cache"):
            cache.unlink()
        figures["tables, scored anew"] = _timed("tables", "run", "--json")
    print(f"{answers:,} answers, store {size:.0f} MiB")
    for what, (clock, worked, peak) in figures.items():
        print(f"{what:40} {clock:7.1f} s {worked:7.1f} s by processor, peak {peak:.0f} MiB")


def _write_data(path: Path, items: int) -> None:
    with path.open("w", encoding="utf-8") as file:
        for number in range(items):
            word, gender = (("himself", "masculine"), ("herself", "feminine"))[number % 2]
            row = {
                "id": f"subject-{number}",
                "group": f"group-{number // 4}",
                "before": f"Subject number {number} hurt ",
                "reflexive": word,
                "after": " on the stairs.",
                "gender": gender,
            }
            file.write(json.dumps(row) + "\n")


def _timed(*arguments: str) -> tuple[float, float, float]:
    """Seconds by the clock and of the processor, and peak MiB, of a command."""
    started = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *arguments],
        stdout=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(TESTS)},
    )
    _, status, usage = os.wait4(process.pid, 0)
    assert os.waitstatus_to_exitcode(status) == 0, arguments
    assert isinstance(usage, resource.struct_rusage)
    worked = usage.ru_utime + usage.ru_stime
    return time.monotonic() - started, worked, usage.ru_maxrss / 1024


if __name__ == "__main__":
    main()
