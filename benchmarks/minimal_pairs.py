"""How long millions of minimal pairs take to read, and how much memory; and a run of some of them.

    python benchmarks/minimal_pairs.py [PAIRS]      (default 2,000,000, a file of 200 MB)

The file is in MultiBLiMP's layout, with made-up sentences; one pair of a thousand is the same
sentence twice, and is left out. On Linux.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

_READ = """
from pathlib import Path
from epicene.suites import DataSource
from epicene.suites.alternations.data import read
from epicene.suites.alternations.protocol import PROTOCOLS
found = read(DataSource(path=Path("pairs.tsv")), PROTOCOLS["epicene"])
print(sum(1 for _ in found.items), found.notes)
"""
_RUN = "from epicene.app.commands import main; main()"


def main() -> None:
    """Write the file, read it, run 600 pairs of it, and print a line of figures for each."""
    pairs = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000_000
    with tempfile.TemporaryDirectory() as folder:
        _write(Path(folder) / "pairs.tsv", pairs)
        _measure("read twice", folder, _READ)
        _measure(
            "run of 600", folder, _RUN, "run", "alternations", "-m", "random", "-d", "pairs.tsv",
            "--limit", "600", "-o", "run", "--yes",
        )  # fmt: skip


def _write(path: Path, pairs: int) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.write("sen\twrong_sen\tphenomenon\tlang\tsample_weight\n")
        for number in range(pairs):
            good = f"The dogs of house {number} bark loudly."
            bad = good if number % 1000 == 0 else good.replace("bark", "barks")
            file.write(f"{good}\t{bad}\tSV-#\teng\t0.5\n")


def _measure(what: str, folder: str, *program: str) -> None:
    """Run a program in a process of its own; print its time, its memory and its last line."""
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", *program], cwd=folder, capture_output=True, text=True, check=True
    )
    took = time.monotonic() - began
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024  # the largest so far
    print(
        f"{what}: {took:.0f} s, peak {peak:.0f} MiB; {done.stdout.strip().splitlines()[-1][:120]}"
    )


if __name__ == "__main__":
    main()
