"""How fast texts are scored, beside minicons, lm-evaluation-harness and the plain ways to do it.

    python benchmarks/scoring.py

Everybody gets the same random weights, the same texts and the same libraries, and must give the
same scores; tokenising counts for all. Peers run in a virtual environment of their own, made on
the first run. With EPICENE_PUBLISHED_DATA the English texts are MISGENDERED's, else the starter
set's.

For a machine that has torch and transformers but no package registry, take all else along:

    python benchmarks/scoring.py --prepare FOLDER --python 3.12
    PYTHONPATH=src:FOLDER/packages python3 benchmarks/scoring.py --prepared FOLDER     (there)
"""

from __future__ import annotations

import argparse
import os
import sys
from importlib.metadata import version
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from epicene.models import downloads, embedded
from peers import collect, environment
from scoring_speed import report, texts, weights
from scoring_speed.comparisons import NAMES, SIZES
from scoring_speed.contenders import ModelSetup
from scoring_speed.measure import Contest, Results

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scoring_speed.comparisons import Size


def main() -> None:
    """Prepare, or compare and print tables."""
    options = _options()
    if options.prepare:
        options.prepare.mkdir(parents=True, exist_ok=True)
        texts.write(_texts(), options.prepare / texts.FILE)
        collect.collect(options.prepare, embedded.fetch("smollm2"), options.python)
        return
    for results in _run(options):
        # After each comparison, so that a time limit loses only the last.
        if options.json:
            options.json.write_bytes(msgspec.json.encode(results))
    print(report.everything(results))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", help=f"some of: {', '.join(NAMES)}", metavar="NAME,NAME…")
    parser.add_argument("--device", help="cpu, cuda or cuda:N; a GPU if there is one")
    parser.add_argument("--size", choices=SIZES, help="quick on a CPU, gpu on a GPU")
    parser.add_argument(
        "--sequences", type=int, help="of each set of texts, in place of the size's"
    )
    parser.add_argument("--rounds", type=int, help="the best of how many counts")
    parser.add_argument(
        "--no-peers", dest="peers", action="store_false", help="compare with the plain ways alone"
    )
    parser.add_argument("--json", type=Path, metavar="OUT", help="write all figures there")
    parser.add_argument("--prepare", type=Path, metavar="FOLDER", help="for another machine")
    parser.add_argument("--python", default="3.12", help="the Python there, e.g. 3.12")
    parser.add_argument("--prepared", type=Path, metavar="FOLDER", help="what --prepare wrote")
    options = parser.parse_args()
    options.only = options.only.split(",") if options.only else [*NAMES]
    for name in options.only:
        if name not in NAMES:
            parser.error(f"--only {name!r} is none of {', '.join(NAMES)}")
    return options


def _texts() -> texts.Texts:
    published = os.environ.get("EPICENE_PUBLISHED_DATA")
    return texts.gather(Path(published) if published else None)


def _size(options: argparse.Namespace, device: str) -> Size:
    """The selected comparisons."""
    size = SIZES[options.size or ("quick" if device == "cpu" else "gpu")]
    comparisons = tuple(
        comparison for comparison in size.comparisons if comparison.name in options.only
    )
    if options.sequences:
        comparisons = tuple(
            comparison._replace(sequences=options.sequences) for comparison in comparisons
        )
    return size._replace(comparisons=comparisons, rounds=options.rounds or size.rounds)


def _run(options: argparse.Namespace) -> Iterator[Results]:
    """The results so far, after each comparison."""
    import torch

    device = options.device or ("cuda" if torch.cuda.is_available() else "cpu")
    size = _size(options, device)
    cache = downloads.cache_folder() / "benchmarks"
    cache.mkdir(parents=True, exist_ok=True)
    if options.prepared:
        everything = texts.read(options.prepared / texts.FILE)
        tokenizer = options.prepared / "tokenizer"
        python = sys.executable if options.peers else ""
    else:
        everything, tokenizer = _texts(), embedded.fetch("smollm2")
        python = environment.python(cache) if options.peers else ""
    sentences = [text for request in everything.hindi for text in request.texts]
    results = Results(versions=_versions(device))
    for (shape, dtype), comparisons in groupby(
        size.comparisons, key=lambda each: (each.shape, each.dtype)
    ):
        folder = weights.make(shape, tokenizer, sentences, device, cache)
        contest = Contest(ModelSetup(folder, shape.kind, device, dtype), python)
        for comparison in comparisons:
            contest.run(comparison, getattr(everything, comparison.texts), size, results)
            yield results
        contest.close()


def _versions(device: str) -> dict[str, str]:
    import torch

    threads = f"{torch.get_num_threads()} threads"
    name = threads if device == "cpu" else torch.cuda.get_device_name(device)
    shared = {name: version(name) for name in environment.SHARED}
    return {device: name, **shared}


if __name__ == "__main__":
    main()
