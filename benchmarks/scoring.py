"""How fast texts are scored, beside minicons, lm-evaluation-harness and the plain ways.

    python benchmarks/scoring.py

Everybody gets the same weights (random), the same texts and the same libraries, and must give the
same scores; peers run in a virtual environment of their own, made on the first run. With
EPICENE_PUBLISHED_DATA the texts are MISGENDERED's, else the starter set's.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parent))

from contest import floor, texts, weights
from contest.plain import OneByOne, Plain, SortedBatches
from contest.ways import Epicene, Peer, Place
from epicene.models import embedded
from peers import environment

if TYPE_CHECKING:
    from contest.ways import Contender


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--device", default="")
    parser.add_argument("--sequences", type=int, default=120)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--size", default="cpu", choices=weights.SHAPES)
    parser.add_argument("--only", default="", help="contenders, with commas")
    options = parser.parse_args()
    import torch

    device = options.device or ("cuda" if torch.cuda.is_available() else "cpu")
    published = os.environ.get("EPICENE_PUBLISHED_DATA")
    all_texts = texts.gather(Path(published) if published else None)
    cache = embedded.cache_folder() / "benchmarks"
    cache.mkdir(parents=True, exist_ok=True)
    tokenizer = embedded.fetch("smollm2")
    causal, _ = weights.SHAPES[options.size]
    folder = weights.make(causal, tokenizer, (), device, cache)
    place = Place(folder, "causal", device, causal.dtype)
    plain = Plain(place)
    contenders: list[Contender] = [Epicene(place), SortedBatches(plain)]
    wanted = options.only.split(",") if options.only else ["minicons", "lm-eval"]
    interpreter = environment.python(cache)
    for name in ("minicons", "lm-eval"):
        if name in wanted:
            contenders.append(Peer(name, place, plain.tokenizer, interpreter, None))
    requests = texts.first(all_texts.misgendered, options.sequences)
    rows = [row for some in plain.rows(requests) for row in some]
    work = floor.least(rows, plain)
    print(work, file=sys.stderr)
    few = texts.first(requests, 16)
    for contender in contenders:
        contender.score(few, options.batch)
    best: dict[str, float] = {}
    scores = {"one by one": OneByOne(plain).score(few, 1).scores}
    for _ in range(options.rounds):
        for contender in contenders:
            took = contender.score(requests, options.batch)
            best[contender.name] = min(took.seconds, best.get(contender.name, 9e9))
            scores[contender.name] = took.scores
            print(f"{contender.name:16} {took.seconds:8.2f} s", file=sys.stderr)
    rate = floor.matrix_rate(device, causal.dtype)
    count = len(scores["epicene"])
    for name, seconds in best.items():
        apart = max(abs(a - b) for a, b in zip(scores[name], scores["epicene"], strict=True))
        plainly = max(abs(a - b) for a, b in zip(scores["one by one"], scores[name]))
        print(
            f"{name:16} {count / seconds:8.1f} sequences/s  epicene is "
            f"{seconds / best['epicene']:.2f} ×  apart by {apart:.1e}, from one by one {plainly:.1e}"
        )
    least = work.flops / rate
    print(f"floor {least:.3f} s at {rate / 1e9:.0f} GFLOP/s: epicene is at {best['epicene'] / least:.2f} ×")
    for contender in contenders:
        contender.close()


if __name__ == "__main__":
    main()
