"""How long `epicene tables` and a complete run's command take on a large store, and their memory.

    python benchmarks/tables.py [PAIRS]      (default 1,000,000)

The run is real: made-up minimal pairs in `alternations`, answered by `random`.
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

VERBS = ("sleeps", "writes", "reads", "sings", "runs")


def main() -> None:
    """Build, run, tabulate, and print a line of figures for each command."""
    pairs = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        _write_pairs(Path("pairs.jsonl"), pairs)
        command = ("run", "alternations", "-m", "random", "-d", "pairs.jsonl", "-o", "run", "--yes")
        figures = {"run with headlines": _timed(*command)}
        size = Path("run/answers.sqlite").stat().st_size / 2**20
        figures["the same command again, nothing to ask"] = _timed(*command)
        figures["tables"] = _timed("tables", "run", "--json")
        Path("run/judgements.parquet").unlink()
        figures["tables, judging again"] = _timed("tables", "run", "--json")
        figures["the same command, judging again"] = _timed(*command)
    print(f"{pairs:,} pairs, store {size:.0f} MiB")
    for what, (clock, worked, peak) in figures.items():
        print(f"{what:40} {clock:7.1f} s {worked:7.1f} s by processor, peak {peak:.0f} MiB")


def _write_pairs(path: Path, pairs: int) -> None:
    with path.open("w", encoding="utf-8") as file:
        for number in range(pairs):
            verb = VERBS[number % len(VERBS)]
            row = {
                "sentence_good": f"Subject number {number} {verb} at home.",
                "sentence_bad": f"Subject number {number} {verb[:-1]} at home.",
                "UID": f"agreement_{verb}",
                "pairID": str(number),
            }
            file.write(json.dumps(row) + "\n")


def _timed(*arguments: str) -> tuple[float, float, float]:
    """Seconds by the clock and of the processor, and peak MiB, of a command."""
    started = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-m", "epicene", *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, usage = os.wait4(process.pid, 0)
    assert os.waitstatus_to_exitcode(status) == 0, arguments
    assert isinstance(usage, resource.struct_rusage)
    worked = usage.ru_utime + usage.ru_stime
    return time.monotonic() - started, worked, usage.ru_maxrss / 1024


if __name__ == "__main__":
    main()
