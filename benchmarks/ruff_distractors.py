"""How much memory RUFF in full takes: 5.6 million instances read, and planned by a run.

    python benchmarks/ruff_distractors.py [DISTRACTORS]      (default 0,1,2,3,4,5)

Read: every instance is built once. Planned: what `epicene run` does before it asks a model, which
is to store every item and to walk every request once. Asked: a real run by `random` on a part,
for which all instances are read to choose from. Each is a process of its own, on Linux. Takes ten
minutes and 5 GB of disk.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1] / "tests"


def main() -> None:
    """Measure all three and print a line each."""
    wanted = sys.argv[1] if len(sys.argv) > 1 else "0,1,2,3,4,5"
    sys.path.insert(0, str(TESTS))
    from suites.misgendering.ruff_tables import write_tables

    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        Path("data").mkdir()
        write_tables(Path("data"))
        print(f"read:    {measured('read', wanted)} (instances)", flush=True)
        print(f"planned: {measured('plan', wanted)} (requests)", flush=True)
        print(f"         {Path('planned/answers.sqlite').stat().st_size / 2**20:.0f} MiB on disk")
        print(f"asked:   {measured('ask', wanted)} (of them items)")


def measured(task: str, numbers: str) -> str:
    """How long a task took, the count it printed, and its peak memory."""
    started = time.monotonic()
    command = [sys.executable, "-m", "suites.misgendering.ruff_tables", task, numbers]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    printed = subprocess.run(
        command, env=environment, stdout=subprocess.PIPE, text=True, check=True
    ).stdout
    count, peak = map(int, printed.split()[-2:])
    return f"{count:,} in {time.monotonic() - started:.0f} s, peak {peak / 1024:.0f} MiB"


if __name__ == "__main__":
    main()
