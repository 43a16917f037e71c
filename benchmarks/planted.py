"""Count how often the 95 % intervals of each suite contain the value that was planted.

    python benchmarks/planted.py [--seeds 50] [--suites gramvis,misgendering] [--scale 1]

`planted` answers right at a known rate, `sketch` draws with a known effect and `sketch-judge` errs
at a known rate; each seed is a run of its own, through requests, answers, judgements, intervals.
`--scale 0.1` takes a tenth of the items. Of 50 intervals 46 or more should contain the value: if
each does so in 95 of 100 cases, 46 or more do with a probability of 0.96.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from epicene.models import parse_spec
from epicene.results.summary import summarise
from epicene.runs.config import RunConfig
from epicene.runs.run import run
from epicene.runs.stored_run import read_run
from epicene.show.model_profiles import headline_results
from epicene.show.planted_values import planted_table
from epicene.suites import choose_protocol, find_suite

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from epicene.core.records import Estimate


class Trial(NamedTuple):
    """A suite at a size at which its intervals are of use; SEED in a spec is the trial's."""

    models: Mapping[str, str]
    limit: int
    settings: Mapping[str, str]


_RATE = {"model": "planted:SEED?rate=0.8&gap=0.1"}
TRIALS = {
    "gramvis": Trial(
        {
            "drawer": "sketch:SEED?effect=0.3&base=0.55&neither=0.05",
            "judges": ",".join(
                f"sketch-judge:SEED{n}?error=0.05&undecided=0.02" for n in (1, 2, 3)
            ),
        },
        limit=400,
        settings={"shots": "1", "size": "64", "mixed": "false"},
    ),
    "misgendering": Trial(_RATE, limit=100, settings={"samples": "2"}),
    "genform": Trial(_RATE, limit=20, settings={"formats": "generation,probability"}),
    "apgc": Trial(_RATE, limit=100, settings={"tasks": "identification,rewriting"}),
    "alternations": Trial(_RATE, limit=100, settings={"formats": "acceptability,cloze,prompt"}),
}


class Silent:
    """Nothing is shown of a run."""

    def show_message(self, sentence: str) -> None:
        """Not shown."""

    def start(self, title: str, total: int, done: int) -> None:
        """Not shown."""

    def expect(self, total: int) -> None:
        """Not shown."""

    def advance(self, answered: int, failed: int) -> None:
        """Not shown."""

    def finish(self) -> None:
        """Not shown."""


def recover(
    suite_name: str, seed: int, scale: float, folder: Path
) -> Iterator[tuple[str, float, Estimate]]:
    """Each headline of one run, what was planted, and what was measured."""
    suite, trial = find_suite(suite_name), TRIALS[suite_name]
    order = RunConfig(
        suite=suite,
        protocol=choose_protocol(suite, "epicene", trial.settings, None),
        models={
            role: [parse_spec(spec.replace("SEED", str(seed))) for spec in specs.split(",")]
            for role, specs in trial.models.items()
        },
        limit=max(1, round(trial.limit * scale)),
        out=folder,
    )
    out, manifest = run(order, Silent())
    assert manifest.state == "complete", manifest.counts
    summary = summarise([read_run(out)])
    for row in planted_table([(summary, list(headline_results(summary)))]).rows:
        planted, recovered, _ = row.cells
        assert not isinstance(planted, str)
        assert not isinstance(recovered, str)
        assert planted.value is not None
        yield row.keys[-1], planted.value, recovered


def coverage(suite_name: str, seeds: int, scale: float) -> dict[str, list[tuple[float, Estimate]]]:
    """By headline, the planted value and the estimate of every seed."""
    found = defaultdict(list)
    for seed in range(1, seeds + 1):
        with tempfile.TemporaryDirectory() as folder:
            for headline, planted, recovered in recover(
                suite_name, seed, scale, Path(folder) / "run"
            ):
                found[headline].append((planted, recovered))
    return found


def contains(planted: float, found: Estimate) -> bool:
    """Whether an interval contains the planted value; one that could not be computed does not."""
    return found.low is not None and found.high is not None and found.low <= planted <= found.high


def main() -> int:
    """Print a line for each headline; exit with 1 if an interval misses the value too often."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=50)
    parser.add_argument("--suites", default=",".join(TRIALS))
    parser.add_argument("--scale", type=float, default=1.0)
    options = parser.parse_args()
    short = False
    for suite_name in options.suites.split(","):
        started = time.process_time()
        found = coverage(suite_name, options.seeds, options.scale)
        used = time.process_time() - started
        for headline, trials in found.items():
            hits = sum(contains(planted, estimate) for planted, estimate in trials)
            mean = sum(estimate.value or 0.0 for _, estimate in trials) / len(trials)
            print(
                f"{suite_name}, {headline}: planted {trials[0][0]:.3f}, mean {mean:.3f}, "
                f"in {hits} of {len(trials)} intervals (n = {trials[0][1].n})"
            )
            short |= hits < 0.92 * len(trials)
        print(f"{suite_name}: {used / options.seeds:.1f} s of processor time a run", flush=True)
    return 1 if short else 0


if __name__ == "__main__":
    sys.exit(main())
