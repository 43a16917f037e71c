"""Damage run folders at random, and check that no table changes without a word.

    python benchmarks/corruption.py [--corruptions 1000] [--seed 1]

The runs: one of alternations and one of GramVis, complete, and one that was killed halfway, with a
log beside its database. Damaged are the database, its log, the manifest, an image or the
judgements: a flipped bit, overwritten bytes, a page zeroed, copied over another or swapped with it,
bytes cut off or added, a file removed. After each, `epicene tables` must print the same tables, or
refuse in one sentence, or say that the run is incomplete; then the same command must restore the
run or refuse it in one sentence. The exit code is 1 if anything else happened.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

TESTS = Path(__file__).resolve().parents[1] / "tests"
sys.path.insert(0, str(TESTS))

from runs.corruptions import Outcomes, make_victims, try_corruption  # noqa: E402 - from the tests


def main() -> None:
    """Damage, read, verify and resume, and print how often each end was met."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--corruptions", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    wanted = parser.parse_args()
    rng, outcomes = random.Random(wanted.seed), Outcomes()
    with tempfile.TemporaryDirectory(prefix="epicene-corruption-") as name, silence():
        folder = Path(name)
        os.chdir(folder)
        victims, shown = make_victims(folder), 0
        for number in range(wanted.corruptions):
            try_corruption(victims[number % len(victims)], folder / "work", rng, outcomes)
            for problem in outcomes.problems[shown:]:
                print(problem, file=sys.__stdout__, flush=True)
            shown = len(outcomes.problems)
        os.chdir("/")
    print(f"{wanted.corruptions} corruptions, {len(outcomes.problems)} problems")
    for title, ends in (
        ("`epicene tables`", outcomes.tables),
        ("`epicene check`", outcomes.checked),
        ("the same command again", outcomes.resumed),
    ):
        print(f"{title}: " + ", ".join(f"{end} {count}" for end, count in ends.most_common()))
    sys.exit(bool(outcomes.problems))


@contextlib.contextmanager
def silence() -> Iterator[None]:
    """Print nothing of what the commands print."""
    with (
        Path(os.devnull).open("w") as nowhere,
        contextlib.redirect_stdout(nowhere),
        contextlib.redirect_stderr(nowhere),
    ):
        yield


if __name__ == "__main__":
    main()
