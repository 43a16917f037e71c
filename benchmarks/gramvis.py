"""Time the analysis of as many votes as the paper has, on one core.

    OMP_NUM_THREADS=1 POLARS_MAX_THREADS=1 python benchmarks/gramvis.py

Made-up votes of three judges on 28,800 images (40 words in each of five languages, three drawing
models, three conditions, four templates, four shots) are read from JSONL, judged, counted and
tabulated under both protocols. Imports are done before, and the mixed model is timed apart.
"""

from __future__ import annotations

import json
import random
import tempfile
import time
from pathlib import Path

import numpy
import polars
import scipy.stats
from msgspec.structs import replace

from epicene.results.external_answers import read_external_answers
from epicene.results.summary import Summary, summarise_external_answers
from epicene.suites import DataSource
from epicene.suites.gramvis import suite
from epicene.suites.gramvis.counts import count_array
from epicene.suites.gramvis.items import CATEGORIES, CONDITIONS, LABELS, LANGUAGES
from epicene.suites.gramvis.protocol import PROTOCOLS
from epicene.suites.gramvis.tables import mixed_table

DRAWERS = ("flux", "ideogram", "dalle3")
JUDGES = ("a", "b", "c")
WORDS = 40
SEED = 7


def write_votes(path: Path) -> int:
    """Write the votes, and return how many there are."""
    draw = random.Random(SEED)
    lines = []
    for language in LANGUAGES:
        for number in range(WORDS):
            grammar = "MF"[number % 2]
            for drawer in DRAWERS:
                for condition in CONDITIONS:
                    man = draw.random()
                    for image in range(16):
                        seen = "male" if draw.random() < man else "female"
                        for judge in JUDGES:
                            choice = seen if draw.random() < 0.9 else draw.choice(LABELS)
                            lines.append(
                                json.dumps(
                                    {
                                        "language": language,
                                        "model": drawer,
                                        "grammar": grammar,
                                        "category": CATEGORIES[number % len(CATEGORIES)],
                                        "word": f"word_{number}",
                                        "condition": condition,
                                        "template": image // 4 + 1,
                                        "shot": image % 4 + 1,
                                        "judge": judge,
                                        "choice": choice,
                                    }
                                )
                            )
    path.write_text("\n".join(lines), "utf-8")
    return len(lines)


def analyse(path: Path, protocol: str) -> Summary:
    """Do what `epicene score` does, but for printing and the mixed model."""
    settings = replace(PROTOCOLS[protocol], mixed=False)
    dataset = suite.read(DataSource(), settings)
    read = read_external_answers(suite, path, dataset, settings)
    judged = (each for item, answers in read for each in suite.judge(item, answers, settings))
    summary = summarise_external_answers(suite, settings, {"votes": judged}, data=dataset.name)
    assert summary.tables
    return summary


def main() -> None:
    """Write, analyse, and print what it took."""
    versions = f"numpy {numpy.__version__}, polars {polars.__version__}, scipy {scipy.__version__}"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "votes.jsonl"
        votes = write_votes(path)
        for protocol in ("paper", "epicene"):
            started, processor = time.perf_counter(), time.process_time()
            summary = analyse(path, protocol)
            seconds, used = time.perf_counter() - started, time.process_time() - processor
            print(f"{protocol}: {votes} votes in {seconds:.1f} s ({used:.1f} s of processor)")
    started = time.perf_counter()
    mixed_table(count_array(summary.results.frame))
    print(f"mixed model, with its imports: {time.perf_counter() - started:.1f} s")
    print(versions)


if __name__ == "__main__":
    main()
