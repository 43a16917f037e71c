"""Check that the whole pipeline finds no effect where there is none, on real pictures.

    python benchmarks/gramvis_null.py [--items 400] [--shots 1] [--out FOLDER]

`random-face` draws faces and never reads the prompt, `face-classifier` judges them, and every
effect of grammar or stereotype must include zero. Of intervals at 95 % some miss it by chance, so
for the cells of Table 11 it is counted how many do, and what is left after Holm. `--items 0` takes
all words in all templates, with `--shots 4` 18,288 images; a face takes most of a second of one
core. Killed, it goes on where it was if `--out` is given.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from epicene.core.errors import InputError
from epicene.core.records import Estimate, Table
from epicene.models import parse_spec
from epicene.results.summary import Summary, summarise
from epicene.runs.config import RunConfig
from epicene.runs.run import run
from epicene.runs.stored_run import read_run
from epicene.suites import choose_protocol
from epicene.suites.gramvis import suite
from epicene.suites.gramvis.ask import DRAWER, JUDGES
from epicene.suites.gramvis.items import CONTROLS

if TYPE_CHECKING:
    from collections.abc import Iterator


class Counting:
    """Print the progress of a run now and then."""

    def show_message(self, sentence: str) -> None:
        """Something a person should know before a section begins."""
        print(sentence, file=sys.stderr)

    def start(self, title: str, total: int, done: int) -> None:
        """A section begins."""
        self._title, self._total, self._done = title, total, done

    def expect(self, total: int) -> None:
        """There may be another number of requests."""
        self._total = total

    def advance(self, answered: int, failed: int) -> None:
        """Some requests were answered."""
        self._done += answered
        if self._done % 100 < answered or failed:
            progress = f"{self._done} of {self._total}, {failed} of them failed just now"
            print(f"{self._title}: {progress}", file=sys.stderr)

    def finish(self) -> None:
        """The section ended."""


def run_null_model(items: int, shots: int, out: Path) -> Summary:
    """Run the suite with the null model and its judge."""
    settings = {"shots": str(shots), "size": "512"}
    order = RunConfig(
        suite=suite,
        protocol=choose_protocol(suite, "epicene", settings, None),
        models={DRAWER: [parse_spec("random-face")], JUDGES: [parse_spec("face-classifier")]},
        limit=items or None,
        out=out,
    )
    folder, manifest = run(order, Counting())
    assert manifest.state == "complete", manifest.counts
    return summarise([read_run(folder)])


def effects(summary: Summary) -> Iterator[tuple[str, Estimate]]:
    """Every pooled effect: of grammar on each gender's words, and of grammar and stereotype."""
    for name, estimate in summary.metrics.items():
        if "_effect_" in name:
            yield name, estimate
    for table in summary.tables:
        for row in table.rows if table.name == "stereotype" else ():
            if row.keys[1] in ("grammar", "stereotype", "both"):
                for column, cell in zip(table.columns, row.cells, strict=True):
                    if isinstance(cell, Estimate):
                        yield f"{' '.join(row.keys[1:])}, {column.name}", cell


def cells(table: Table) -> Iterator[tuple[Estimate, Estimate]]:
    """The effects of Table 11's cells, each with its p after Holm."""
    index = {column.name: number for number, column in enumerate(table.columns)}
    for row in table.rows:
        if row.keys[0] != "aggregate":
            for control in CONTROLS:
                effect, p = (row.cells[index[f"{control}_{what}"]] for what in ("effect", "p_holm"))
                assert isinstance(effect, Estimate)
                assert isinstance(p, Estimate)
                yield effect, p


def includes_zero(effect: Estimate) -> bool:
    """Whether an interval includes zero."""
    assert effect.low is not None
    assert effect.high is not None
    return effect.low <= 0 <= effect.high


def report(summary: Summary) -> None:
    """Print the labels of the images, and every effect."""
    frame = summary.results.frame
    labels = frame.filter(pl.col("name").cast(pl.String) == "majority")["label"].cast(pl.String)
    seen = Counter(labels.fill_null("error"))
    print(f"{seen.total()} images: {', '.join(f'{n} {label}' for label, n in seen.items())}")
    for name, effect in effects(summary):
        if effect.value is None:
            print(f"{name}: none ({effect.why})")
            continue
        verdict = "includes 0" if includes_zero(effect) else "EXCLUDES 0"
        print(f"{name}: {effect.value:+.3f} [{effect.low:+.3f}, {effect.high:+.3f}] {verdict}")
    (table,) = (table for table in summary.tables if table.name == "11")
    found = [pair for pair in cells(table) if pair[0].low is not None]
    missed = sum(not includes_zero(effect) for effect, _ in found)
    left = sum(p.value is not None and p.value < 0.05 for _, p in found)
    print(f"Table 11: {missed} of {len(found)} cells exclude 0, {left} after Holm")


def main() -> int:
    """Run and report; exit with 0 also where the networks are not installed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=400, help="word-templates; 0: all")
    parser.add_argument("--shots", type=int, default=1)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    started, processor = time.perf_counter(), time.process_time()
    with tempfile.TemporaryDirectory() as scratch:
        try:
            out = options.out or Path(scratch) / "run"
            summary = run_null_model(options.items, options.shots, out)
        except InputError as error:
            print(f"not measured: {error}")
            return 0
        seconds, used = time.perf_counter() - started, time.process_time() - processor
        report(summary)
    print(f"{seconds:.0f} s ({used:.0f} s of processor)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
