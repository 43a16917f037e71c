"""Train a tagger on the published train split; print how it labels and rewrites dev, what it makes
of the machine translation of dev, and errors.

    EPICENE_PUBLISHED_DATA=FOLDER python benchmarks/apgc_rewriter.py [TAGGER | OPTION…]

FOLDER holds apgc/ (see docs/suites/apgc.md). TAGGER is the folder of one trained before;
options are those of `epicene train`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

from epicene.languages.normalisers import normalise
from epicene.models.tagger.model import Tagger
from epicene.models.tagger.storage import load
from epicene.rewriting.persons import Gender, TargetGenders, apply_changes
from epicene.suites.apgc.data import read_folder, tagging_data
from epicene.suites.apgc.items import TARGETS
from epicene.suites.apgc.protocol import FOLDED

if TYPE_CHECKING:
    from collections.abc import Sequence

GENDERS: dict[str, Gender] = {"M": "masculine", "F": "feminine"}


def main() -> int:
    folder = os.environ.get("EPICENE_PUBLISHED_DATA")
    if not folder:
        print("Set EPICENE_PUBLISHED_DATA to the folder with the published data.")
        return 0
    data = Path(folder) / "apgc/v2.1"
    with tempfile.TemporaryDirectory() as scratch:
        given = sys.argv[1:]
        if given and not given[0].startswith("-"):
            tagger = Path(given[0])
        else:
            tagger = Path(scratch) / "tagger"
            train(data, tagger, given)
        print_figures(data, tagger, Path(scratch) / "run")
        print_errors(data, tagger)
    return 0


def epicene(*arguments: str | Path) -> list[str]:
    program = "from epicene.app.commands import main; main()"
    return [sys.executable, "-c", program, *map(str, arguments)]


def train(data: Path, tagger: Path, options: list[str]) -> None:
    started = time.monotonic()
    process = subprocess.Popen(epicene("train", "apgc", "--data", data, "--out", tagger, *options))
    _, status, usage = os.wait4(process.pid, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    seconds = time.monotonic() - started
    print(
        f"trained in {seconds:.0f} s, {usage.ru_utime + usage.ru_stime:.0f} s of processor time, "
        f"{os.cpu_count()} cores (load {os.getloadavg()[1]:.1f})"
    )


def print_figures(data: Path, tagger: Path, run: Path) -> None:
    """Precision, recall and F0.5 for each target, the labels, and BLEU before and after editing, as
    the suite reports them.
    """
    tasks = ("--task", "rewriting", "--task", "identification", "--task", "post-editing")
    where = ("--data", data, "--split", "dev", "-p", "paper", "--out", run, "--json")
    done = subprocess.run(
        epicene("run", "apgc", "-m", f"tagger:{tagger}", *tasks, *where),
        check=True,
        capture_output=True,
    )
    results = json.loads(done.stdout)
    for name in ("rewriting", "identification by word", "post-editing"):
        print(f"\n{name}")
        for key, cells in results["tables"][name].items():
            numbers = {column: cell["value"] for column, cell in cells.items()}
            shown = [f"{column} {value:.4f}" for column, value in numbers.items() if value]
            print(f"  {key}: {', '.join(shown)}")


def print_errors(data: Path, folder: Path) -> None:
    """Words over all four targets that came out otherwise than they should, by kind."""
    train_set, _ = read_folder(data, "train")
    known: dict[str, set[str]] = defaultdict(set)
    for lesson in tagging_data(train_set).sentences:
        for word, label in zip(lesson.words, lesson.labels, strict=True):
            known[word].add(label)
    tagger = Tagger(load(folder))
    sentences, _ = read_folder(data, "dev")
    kinds: Counter[str] = Counter()
    for sentence, lesson in zip(sentences, tagging_data(sentences).sentences, strict=True):
        for target in TARGETS:
            wanted: TargetGenders = {"speaker": GENDERS[target[0]], "listener": GENDERS[target[1]]}
            text = sentence.text
            output = apply_changes(text, tagger.changes(text, wanted)).text
            rows = zip(
                lesson.words,
                lesson.labels,
                tagger.labels(text),
                normalise(text, FOLDED).split(),
                normalise(output, FOLDED).split(),
                normalise(sentence.targets[target], FOLDED).split(),
                strict=True,
            )
            for word, label, told, *forms in rows:
                told_so = ", labelled so" if told == label else ""
                kinds[_kind(label, known[word], forms) + told_so] += 1
    print("\nwords over the four targets")
    for kind, count in sorted(kinds.items()):
        print(f"  {count:7} {kind}")


def _kind(label: str, seen: set[str], forms: Sequence[str]) -> str:
    """What became of a word, from how it was, came out, and should be."""
    before, after, right = forms
    if right == after:
        return "left alone" if before == right else "changed as it should be"
    if before == right:
        return f"needless change (label {label})"
    where = "seen so" if label in seen else "seen only otherwise" if seen else "never seen"
    return f"{'missed' if before == after else 'another form'}, {label} ({where})"


if __name__ == "__main__":
    sys.exit(main())
