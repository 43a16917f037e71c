"""How long judging and tabulating takes on as many answers as the paper has, and how much memory.

    python benchmarks/genform.py [MODELS]      (default 15)

The sentences are made up: as many in each language as MORPHOGEN has, as long, with as many
gendered terms. Models that are right, copy, change too much, refuse, explain or quote are run on
them, 40,656 answers each; then `epicene tables` reads all runs, and `epicene score` one model's
answers from a file.
"""

from __future__ import annotations

import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from epicene.core import registry
from epicene.core.records import Generate, Identity, Text, Texts, digest
from epicene.models import Model, ModelOptions, model_kind
from epicene.models.simple_model import SimpleModel
from epicene.suites.genform.items import rules_of

if TYPE_CHECKING:
    from collections.abc import Iterator

PROGRAM = "import genform as b; b.register(); from epicene.app.commands import main; main()"
SEED = 4


class Kind(NamedTuple):
    """What sentences of a language look like."""

    sentences: int
    terms: float  # a sentence, in the mean
    words: float  # likewise
    letters: str
    endings: tuple[str, str]
    refusal: str
    before: tuple[str, ...] = ("",)  # what words begin with besides


_ELIDED = ("l'", "d'", "j'") + ("",) * 17

KINDS = {
    "fr": Kind(
        9999, 1.78, 26.76, "aeioubcdlmnprstv", ("", "e"), "Je ne peux pas répondre.", _ELIDED
    ),
    "ar": Kind(2719, 2.02, 12.34, "ابتدرسعلمنهوي", ("", "ة"), "لا أستطيع الإجابة."),
    "hi": Kind(7610, 1.43, 15.46, "कखगचजतदनपबमरलसह", ("ा", "ी"), "मैं उत्तर नहीं दे सकता।"),
}
VOCABULARY = 20_000


# --- sentences -----------------------------------------------------------------------------


def write_pairs(path: Path) -> int:
    """Write the pairs; how many."""
    draw = random.Random(SEED)
    count = 0
    with path.open("w", encoding="utf-8") as file:
        for language, kind in KINDS.items():
            for number, (masculine, feminine) in enumerate(_pairs(kind, draw)):
                row = {
                    "id": f"{language}-{number}",
                    "language": language,
                    "rule": draw.choice(list(rules_of(language))),
                    "masculine": masculine,
                    "feminine": feminine,
                }
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
                count += 1
    return count


def _pairs(kind: Kind, draw: random.Random) -> Iterator[tuple[str, str]]:
    words = [
        "".join([draw.choice(kind.before), *draw.choices(kind.letters, k=draw.randint(2, 8))])
        for _ in range(VOCABULARY)
    ]
    weights = list(accumulate(1 / (rank + 1) for rank in range(VOCABULARY)))  # as in Zipf's law
    for _ in range(kind.sentences):
        length = max(4, round(draw.gauss(kind.words, kind.words / 4)))
        chosen = draw.choices(words, cum_weights=weights, k=length)
        terms = min(7, sum(draw.random() < kind.terms / 4 for _ in range(4)))
        places = draw.sample(range(length), min(terms, length))
        forms = []
        for ending in kind.endings:
            form = [word + ending if at in places else word for at, word in enumerate(chosen)]
            forms.append(" ".join(form) + ".")
        yield forms[0], forms[1]


# --- models --------------------------------------------------------------------------------


@model_kind(options=("label",))
def open_noisy(name: str, options: ModelOptions) -> Model:
    """A model that knows the answer and often spoils it; its name decides how often."""
    level = int(name)
    label = options.label or f"noisy-{level}"
    identity = Identity(kind="noisy", label=label, key={"level": name})
    return SimpleModel(identity, {"generate": lambda request: _noisy(request, level)})


def _noisy(request: Generate, level: int) -> Texts:
    right = request.choices[0 if request.target["speaker"] == "masculine" else -1]
    draw = random.Random(digest(level, request.item, request.name))
    ways: list[Any] = [lambda: request.source, lambda: _changed(right, draw)]
    ways += [lambda: KINDS[request.language].refusal, lambda: f"{right}\n\n{request.source}"]
    ways += [lambda: f"« {right} »", lambda: right[: len(right) // 2]]
    spoilt = draw.random() < (level + 1) / 20
    return Texts(texts=(Text(text=str(draw.choice(ways)()) if spoilt else right),))


def _changed(sentence: str, draw: random.Random) -> str:
    words = sentence.split()
    for _ in range(draw.randint(1, 4)):
        words[draw.randrange(len(words))] += draw.choice("एeة")
    return " ".join(words)


def register() -> None:
    """Make the model known in this process."""
    registry.add("models", "noisy", open_noisy)


# --- measuring -----------------------------------------------------------------------------


def main() -> None:
    """Build, run, and print what it took to judge and tabulate."""
    models = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        pairs = write_pairs(Path("pairs.jsonl"))
        runs = [f"run-{level}" for level in range(models)]
        for level, run in enumerate(runs):
            timed("run", "genform", "-m", f"noisy:{level}", "-d", "pairs.jsonl", "-o", run)
        tables = timed("tables", *runs, "--json")
        _write_answers(Path("answers.jsonl"))
        score = timed("score", "genform", "-d", "pairs.jsonl", "-a", "answers.jsonl", "--json")
    answers = 2 * pairs
    print(
        f"{models * answers} answers ({models} models × {pairs} pairs × 2): tables {tables}; "
        f"score of {answers} answers {score}"
    )


def _write_answers(path: Path) -> None:
    with path.open("w", encoding="utf-8") as file:
        for line in Path("pairs.jsonl").read_text(encoding="utf-8").splitlines():
            pair = json.loads(line)
            for target in ("masculine", "feminine"):
                row = {"id": pair["id"], "target": target, "text": pair["masculine"]}
                file.write(json.dumps(row, ensure_ascii=False) + "\n")


class Took(NamedTuple):
    """What a command needed."""

    seconds: float
    processor: float  # seconds of all cores together
    peak: float  # MiB

    def __str__(self) -> str:
        return (
            f"{self.seconds:.0f} s ({self.processor:.0f} s of processor, peak {self.peak:.0f} MiB)"
        )


def timed(*arguments: str) -> Took:
    """Run a command."""
    started = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *arguments],
        stdout=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parent)},
    )
    _, status, usage = os.wait4(process.pid, 0)
    assert os.waitstatus_to_exitcode(status) == 0, arguments
    assert isinstance(usage, resource.struct_rusage)
    took = time.monotonic() - started
    return Took(took, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


if __name__ == "__main__":
    main()
