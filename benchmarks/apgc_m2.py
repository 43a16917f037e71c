"""The M2 score of 26,588 sentence pairs: word-aligned and not, against a plain lattice.

Run with EPICENE_PUBLISHED_DATA set to a folder that holds apgc/ (see docs/suites/apgc.md).
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from epicene.languages.normalisers import normalise
from epicene.suites.apgc.corpus_files import joint_files, read_blocks
from epicene.suites.apgc.m2 import EditCounts, count_by_lattice, count_edits, gold_edits
from epicene.suites.apgc.protocol import FOLDED

ALIGNED = "CorpusR_MorphR_NeuralR/CorpusR_MorphR_NeuralR.inf"
UNALIGNED = "joint/dev.joint+morph.beam"


def words(path: Path) -> list[list[str]]:
    blocks = read_blocks(path)
    return [normalise(line, FOLDED).split() for block in blocks.values() for line in block]


def main() -> int:
    folder = os.environ.get("EPICENE_PUBLISHED_DATA")
    if not folder:
        print("Set EPICENE_PUBLISHED_DATA to the folder with the published data.")
        return 0
    data = Path(folder) / "apgc"
    joint = joint_files(data / "v2.1", "dev")
    sources, targets = words(joint.sources), words(joint.targets)
    gold = [gold_edits(one, two) for one, two in zip(sources, targets, strict=True)]
    print(f"{len(sources)} sentence pairs, one core")
    for name in (ALIGNED, UNALIGNED):
        outputs = words(data / "outputs" / name)
        rows = list(zip(sources, outputs, gold, strict=True))
        timed = {}
        for way, scorer in (("epicene", count_edits), ("lattice alone", count_by_lattice)):
            start = time.perf_counter()
            total = EditCounts(0, 0, 0)
            for row in rows:
                total += scorer(*row)
            timed[way] = (time.perf_counter() - start, total)
        seconds, total = timed["epicene"]
        slow, same = timed["lattice alone"]
        assert total == same
        print(
            f"{name}: {total}, F0.5 {total.f_half:.4f}; {seconds:.2f} s, lattice alone "
            f"{slow:.2f} s ({slow / seconds:.1f} times as long)"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
