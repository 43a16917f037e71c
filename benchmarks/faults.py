"""Let every call of every command that writes fail in turn, and check what it says and leaves.

    python benchmarks/faults.py [--most N] [--seed 1] [COMMAND …]

Each open, read, write, fsync, rename and new folder, of Python and of SQLite, fails: with EIO, with
EINTR, because the disk is full from then on, or by writing half of the data. After each fault the
command must end with one sentence and exit code 1, or not be bothered; no file may be written in
part; and the same command, repeated, must write what it would have written at once. `--most` takes
a random part of the faults of each command. The exit code is 1 if anything was wrong. On Linux.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1] / "tests"
sys.path.insert(0, str(TESTS))

from fault_checks import check_fault, possible_faults, sample_faults  # noqa: E402 - from the tests
from kill_points import Killer  # noqa: E402
from writing_commands import COMMANDS  # noqa: E402


def main() -> None:
    """Let calls fail, and print a line of figures for each command."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--most", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("commands", nargs="*", metavar="COMMAND")
    wanted = parser.parse_args()
    wrong = total = 0
    print("| command | calls that can fail | faults injected |\n|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory(prefix="epicene-faults-") as folder:
        killer = Killer(Path(folder), wanted.seed)
        for command in COMMANDS:
            if wanted.commands and command.name not in wanted.commands:
                continue
            reference = killer.reference(command)
            faults = possible_faults(reference.calls)
            if wanted.most is not None:
                faults = sample_faults(reference.calls, wanted.most, wanted.seed)
            for fault in faults:
                for problem in check_fault(killer, command, reference, fault):
                    wrong += 1
                    print(problem, flush=True)
            total += len(faults)
            calls = sum(reference.calls.values())
            print(f"| {command.name} | {calls} | {len(faults)} |", flush=True)
        killer.close()
    print(f"{total} faults, {wrong} problems")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
