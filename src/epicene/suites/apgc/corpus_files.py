"""Read and write the corpus formats: lines, token files, joint blocks, M2 and JSONL."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from epicene.core.data_files import read_text_lines
from epicene.core.errors import InputError
from epicene.core.files import write_atomically
from epicene.core.records import to_json
from epicene.languages.normalisers import normalise
from epicene.suites.apgc.items import TARGETS, WordLabel, parse_word_label, word_labels
from epicene.suites.apgc.m2 import gold_edits
from epicene.suites.apgc.protocol import FOLDED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from epicene.suites.apgc.items import Sentence, SentenceLabel
    from epicene.suites.apgc.m2 import Edit


def read_lines(path: Path) -> list[str]:
    """The lines of a file, without their ends."""
    lines = read_text_lines(path)
    return lines[:-1] if lines[-1] == "" else lines


def read_parallel_lines(path: Path, size: int, other: Path | str) -> list[str]:
    """The lines of a file that has as many as another has sentences."""
    lines = read_lines(path)
    if len(lines) != size:
        raise InputError(f"{path} has {len(lines)} lines, but {other} has {size} sentences.")
    return lines


def read_blocks(path: Path, size: int | None = None) -> dict[str, list[str]]:
    """Four blocks of lines, for MM, FM, MF and FF, each as long as the data (`size`)."""
    lines = read_lines(path)
    expected = len(TARGETS) * size if size is not None else None
    if len(lines) % len(TARGETS) or (expected is not None and len(lines) != expected):
        wanted = f"{expected} (four times {size})" if expected is not None else "a multiple of four"
        raise InputError(
            f"{path} has {len(lines)} lines; the four blocks (MM, FM, MF, FF) need {wanted}."
        )
    block = len(lines) // len(TARGETS)
    return {
        target: lines[index * block : (index + 1) * block] for index, target in enumerate(TARGETS)
    }


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """Write each text as a line."""
    write_atomically(path, "".join(f"{line}\n" for line in lines).encode())


def write_blocks(path: Path, blocks: Mapping[str, Sequence[str]]) -> None:
    """Four blocks, in the published order."""
    write_lines(path, (line for target in TARGETS for line in blocks[target]))


class TokenisedSentence(NamedTuple):
    """A sentence's words, their labels (none in a file without), and its first line's number."""

    words: tuple[str, ...]
    labels: tuple[str, ...]
    line: int

    @property
    def text(self) -> str:
        """The words separated by spaces."""
        return " ".join(self.words)


def read_tokens(path: Path) -> list[TokenisedSentence]:
    """The sentences of a token file."""
    sentences: list[TokenisedSentence] = []
    words: list[str] = []
    labels: list[str] = []
    start = 1
    lines = read_text_lines(path)
    for number, line in enumerate(lines, start=1):
        if line.strip():
            word, label = _token(line, path, number)
            if words and bool(label) != bool(labels):
                raise InputError(f"{path}, line {number}, has {'a' if label else 'no'} label, "
                                 "unlike the line before it.")  # fmt: skip
            words.append(word)
            labels += [label] if label else []
        elif words:
            sentences.append(TokenisedSentence(tuple(words), tuple(labels), start))
            words, labels = [], []
        if not line.strip():
            start = number + 1
    if words:
        raise InputError(
            f"{path}, line {start}: the last sentence has no blank line after it; the file "
            "seems truncated."
        )
    return sentences


def _token(line: str, path: Path, number: int) -> tuple[str, str]:
    word, *rest = line.split()
    if not rest:
        return word, ""
    location = f"{path}, line {number},"
    if len(rest) > 1:
        raise InputError(
            f"{location} has {len(rest) + 1} parts; a line must be a word and its label."
        )
    parse_word_label(rest[0], location)
    return word, rest[0]


def read_parallel_tokens(paths: Sequence[Path]) -> list[tuple[TokenisedSentence, ...]]:
    """The sentences of parallel token files."""
    first, *others = (read_tokens(path) for path in paths)
    for path, other in zip(paths[1:], others, strict=True):
        for one, two in zip(first, other, strict=False):
            if len(one.words) != len(two.words):
                short = one.line + min(len(one.words), len(two.words))
                here, there = (path, paths[0])
                if len(two.words) < len(one.words):
                    here, there = there, here
                raise InputError(
                    f"{here}, line {short}, continues a sentence that ends on that line in "
                    f"{there}: a blank line is missing, or the sentence has a different number "
                    "of words."
                )
        if len(first) != len(other):
            raise InputError(f"{path} has {len(other)} sentences, but {paths[0]} has {len(first)}.")
    return list(zip(first, *others, strict=True))


def write_tokens(path: Path, sentences: Iterable[tuple[Sequence[str], Sequence[str]]]) -> None:
    """Write words with their labels; without labels, the words alone."""
    lines: list[str] = []
    for words, labels in sentences:
        beside = [f" {label}" for label in labels] or [""] * len(words)
        lines += (f"{word}{label}" for word, label in zip(words, beside, strict=True))
        lines.append("")
    write_lines(path, lines)


def m2_lines(sentences: Iterable[tuple[Sequence[str], Sequence[Edit]]]) -> Iterator[str]:
    """The lines of an M2 file, with their ends."""
    for words, edits in sentences:
        yield f"S {' '.join(words)}\n"
        for edit in edits:
            changed = " ".join(edit.words)
            yield f"A {edit.start} {edit.end}|||UNK|||{changed}|||REQUIRED|||-NONE-|||0\n"
        yield "\n"


JOINT_FOLDER = "joint"


class JointFiles(NamedTuple):
    """The joint files of a split."""

    sources: Path
    targets: Path
    source_labels: Path
    target_labels: Path
    genders: Path  # which target each line is for


def split_file(folder: Path, name: str) -> Path:
    """The path of a file of a split, in the split's own folder (dev/dev.arin) if that exists."""
    inside = folder / name.removeprefix("D-set-").partition(".")[0] / name
    return inside if inside.is_file() else folder / name


def joint_files(folder: Path, split: str) -> JointFiles:
    """The paths of a split's joint files, which may not exist."""
    sources, targets = joint_names(split)
    names = (sources, targets, f"{sources}.label", f"{targets}.label", f"{targets}.gender")
    return JointFiles(*(folder / JOINT_FOLDER / name for name in names))


def joint_names(split: str) -> tuple[str, str]:
    """The names of the files of sources and targets of a split: dev.arin+dev.arin+…"""
    sources = "+".join([f"{split}.arin"] * len(TARGETS))
    return sources, "+".join(f"{split}.ar.{target}" for target in TARGETS)


def joint_splits(folder: Path) -> set[str]:
    """The splits that a folder has in this layout."""
    found = {path.name.partition(".arin+")[0] for path in (folder / JOINT_FOLDER).glob("*.arin+*")}
    return {split for split in found if joint_files(folder, split).targets.is_file()}


def check_repeated_blocks(path: Path, blocks: Mapping[str, Sequence[str]]) -> Sequence[str]:
    """The lines of each of a file's four blocks, which must be the same."""
    first = blocks[TARGETS[0]]
    for number, block in enumerate(blocks.values()):
        for line, (one, two) in enumerate(zip(first, block, strict=True), start=1):
            if one != two:
                raise InputError(
                    f"{path}, line {number * len(first) + line}, must equal line {line}: the "
                    "four blocks are the same."
                )
    return first


def read_joint_targets(files: JointFiles, size: int) -> dict[str, list[str]]:
    """Each target's lines; the file that names the target of each line must agree."""
    if files.genders.is_file():
        for index, (target, lines) in enumerate(read_blocks(files.genders, size).items()):
            for number, line in enumerate(lines, start=index * size + 1):
                if line.strip() != target:
                    raise InputError(
                        f"{files.genders}, line {number}, has {line.strip()!r}; the blocks "
                        f"must be for {', '.join(TARGETS)}, in this order."
                    )
    return read_blocks(files.targets, size)


def write_jsonl(path: Path, sentences: Sequence[Sentence]) -> None:
    """Write our own layout, a sentence per line."""
    write_lines(path, (to_json(sentence).decode() for sentence in sentences))


def write_folder(folder: Path, split: str, sentences: Sequence[Sentence]) -> list[Path]:
    """Write version 2.1: tokens with labels, lines, the joint layout, gold edits, and English."""
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
    if all(sentence.english_gender for sentence in sentences):
        genders = [sentence.english_gender for sentence in sentences]
        write_lines(to(folder / f"{split}.en.label"), genders)
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
    gold = "".join(m2_lines(_gold_m2(sentences)))
    name = f"{joint.sources.name}.to.{joint.targets.name}.norm"
    write_atomically(to(m2 / name), gold.encode())
    return written


def _labels_of(sentence: Sentence, column: str) -> list[WordLabel]:
    if column == "arin":
        return sentence.word_labels
    return word_labels(_label_for(sentence.who, column.removeprefix("ar.")), sentence.targets)


def _label_for(who: SentenceLabel, target: str) -> SentenceLabel:
    """The label of the form for a target."""
    return next(version for version in who.versions if version.fits(target))


def _gold_m2(sentences: Sequence[Sentence]) -> Iterator[tuple[list[str], list[Edit]]]:
    for target in TARGETS:
        for sentence in sentences:
            source, wanted = (
                normalise(text, FOLDED).split()
                for text in (sentence.text, sentence.targets[target])
            )
            yield source, gold_edits(source, wanted)
