"""Writing a corpus in the published layouts, and in our own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from epicene.languages.normalise import normalise
from epicene.records import to_json
from epicene.suites.apgc.labels import TARGETS, WordLabel, word_labels
from epicene.suites.apgc.m2 import gold_edits
from epicene.suites.apgc.protocol import FOLDED
from epicene.suites.apgc.sources.joint import joint_files
from epicene.suites.apgc.sources.lines import write_blocks, write_lines
from epicene.suites.apgc.sources.m2_files import m2_text
from epicene.suites.apgc.sources.tokens import write_tokens

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from epicene.suites.apgc.labels import SentenceLabel
    from epicene.suites.apgc.m2 import Edit
    from epicene.suites.apgc.sentences import Sentence


def write_jsonl(path: Path, sentences: Sequence[Sentence]) -> None:
    """Our own layout: all there is of a sentence on a line."""
    write_lines(path, (to_json(sentence).decode() for sentence in sentences))


def write_folder(folder: Path, split: str, sentences: Sequence[Sentence]) -> list[Path]:
    """Version 2.1: tokens with labels, lines, the joint layout, the gold edits; and the English."""
    joint, m2 = joint_files(folder, split), folder / "m2"
    for each in (folder, joint.sources.parent, m2):
        each.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []

    def to(path: Path) -> Path:
        written.append(path)
        return path

    columns = {"arin": [sentence.text for sentence in sentences]}
    columns |= {f"ar.{t}": [sentence.targets[t] for sentence in sentences] for t in TARGETS}
    for name, texts in columns.items():
        write_lines(to(folder / f"{split}.{name}"), texts)
        labels = [_labels_of(sentence, name) for sentence in sentences]
        rows = [
            (text.split(), [str(label) for label in each])
            for text, each in zip(texts, labels, strict=True)
        ]
        write_tokens(to(folder / f"{split}.{name}.tokens"), rows)
    write_lines(to(folder / f"{split}.arin.label"), [sentence.label for sentence in sentences])
    if any(sentence.english for sentence in sentences):
        write_lines(to(folder / f"{split}.en"), [sentence.english for sentence in sentences])
    if any(sentence.origin for sentence in sentences):
        write_lines(to(folder / f"{split}.origin"), [sentence.origin for sentence in sentences])
    blocks = {
        joint.sources: dict.fromkeys(TARGETS, columns["arin"]),
        joint.targets: {t: columns[f"ar.{t}"] for t in TARGETS},
        joint.source_labels: {t: [each.who.condensed for each in sentences] for t in TARGETS},
        joint.target_labels: {
            t: [_label_for(each.who, t).condensed for each in sentences] for t in TARGETS
        },
        joint.genders: {t: [t] * len(sentences) for t in TARGETS},
    }
    for path, lines in blocks.items():
        write_blocks(to(path), lines)
    gold = "".join(m2_text(_gold(sentences)))
    name = f"{joint.sources.name}.to.{joint.targets.name}.norm"
    to(m2 / name).write_text(gold, encoding="utf-8", newline="\n")
    return written


def write_version_1(folder: Path, split: str, sentences: Sequence[Sentence]) -> list[Path]:
    """Version 1.0: the first person alone; what the second person changes is left as it is."""
    folder.mkdir(parents=True, exist_ok=True)
    masculine, feminine = [], []
    for sentence in sentences:
        second = sentence.who.own_target[1]
        masculine.append(sentence.targets[f"M{second}"])
        feminine.append(sentence.targets[f"F{second}"])
    files = {
        "arin": [sentence.text for sentence in sentences],
        "ar.M": masculine,
        "ar.F": feminine,
        "arin.label": [sentence.who.condensed[0] for sentence in sentences],
    }
    if any(sentence.english for sentence in sentences):
        files["en"] = [sentence.english for sentence in sentences]
    for name, lines in files.items():
        write_lines(folder / f"D-set-{split}.{name}", lines)
    return [folder / f"D-set-{split}.{name}" for name in files]


def condensed(sentence: Sentence) -> Sentence:
    """The sentence with N as B and without the marks of duals and plurals."""
    return msgspec.structs.replace(
        sentence,
        label=sentence.who.condensed,
        words=tuple(str(label.condensed) for label in sentence.word_labels)
        if sentence.words
        else (),
    )


def _labels_of(sentence: Sentence, column: str) -> list[WordLabel]:
    if column == "arin":
        return sentence.word_labels
    return word_labels(_label_for(sentence.who, column.removeprefix("ar.")), sentence.targets)


def _label_for(who: SentenceLabel, target: str) -> SentenceLabel:
    """The label of the form for a target."""
    return next(version for version in who.versions if version.fits(target))


def _gold(sentences: Sequence[Sentence]) -> Iterator[tuple[list[str], list[Edit]]]:
    for target in TARGETS:
        for sentence in sentences:
            source, wanted = (
                normalise(text, FOLDED).split()
                for text in (sentence.text, sentence.targets[target])
            )
            yield source, gold_edits(source, wanted)
