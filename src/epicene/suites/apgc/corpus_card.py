"""What a person should know of a corpus that was built."""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from epicene.suites.apgc.construction import ApgcBuild
    from epicene.suites.apgc.sentences import Sentence
    from epicene.suites.construction import Made, Row

SPLITS = ("train", "dev", "test")


def said_of(rows: Iterable[Row]) -> dict[str, list[str]]:
    said: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        said[row["id"]].append(row["label"])
    return said


def card(made: Made, settings: ApgcBuild, corpus: Sequence[Sentence]) -> str:
    """What a person should know of the corpus."""
    said = said_of(made["identify"])
    several = [each for each in said.values() if len(each) > 1]
    agreed = sum(len(set(each)) == 1 for each in several)
    dropped = Counter(row["dropped"] for row in made["group"] if "dropped" in row)
    labelled = Counter(sentence.label for sentence in corpus if sentence.original)
    lines = [
        "# An Arabic parallel gender corpus",
        "",
        f"Built by Epicene from {len(made['select'])} sentence pairs of "
        f"`{Path(settings.bitext).name}` (seed {settings.seed}).",
        "",
        f"- Original sentences: {sum(labelled.values())}; with rewritten forms: {len(corpus)}.",
        f"- Left out: {sum(dropped.values())}"
        + "".join(f"; {reason}: {number}" for reason, number in sorted(dropped.items()))
        + ".",
        f"- Labelled by {settings.people} people each; they agreed on {agreed} of "
        f"{len(several)} sentences, somebody else decided on the rest.",
        "",
        "| label | original sentences |",
        "|---|---|",
        *(f"| {label} | {number} |" for label, number in sorted(labelled.items())),
        "",
        "| split | sentences |",
        "|---|---|",
        *(f"| {name} | {sum(sentence.split == name for sentence in corpus)} |" for name in SPLITS),
    ]
    return "\n".join(lines) + "\n"
