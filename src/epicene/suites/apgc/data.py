"""The sentences of a run: a folder in a published layout, the user's file, or the starter set.

A split's sentences are read from the first of these that exists in the folder:

- `SPLIT.arin.tokens` and `SPLIT.ar.MM.tokens` … (words with labels; all splits of 2.1 but train);
- `SPLIT.arin` and `SPLIT.ar.MM` … (a sentence per line; 2.0);
- `SPLIT.arin` and the labels of its sentences, whose groups have the forms (train);
- `D-set-SPLIT.arin`, `.ar.M` and `.ar.F` (1.0, first person only);
- `joint/SPLIT.arin+SPLIT.arin+…` and `joint/SPLIT.ar.MM+SPLIT.ar.FM+…` (four blocks; 2.1).

Optional files: labels, `SPLIT.en`, the gender of the English (`SPLIT.en.label`), `SPLIT.origin`, a
machine translation. In 2.0 the files of a split are in a folder of their own (`dev/dev.arin`).
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, get_args

import msgspec

from epicene.core.data_files import read_records, sha256_of
from epicene.core.errors import InputError
from epicene.rewriting.tagging_data import LabelMeaning, TaggedSentence, TaggingData
from epicene.suites import Dataset
from epicene.suites.apgc.corpus_files import (
    TokenisedSentence,
    check_repeated_blocks,
    joint_files,
    joint_splits,
    read_blocks,
    read_joint_targets,
    read_lines,
    read_parallel_lines,
    read_parallel_tokens,
    read_tokens,
    split_file,
)
from epicene.suites.apgc.items import (
    OTHER_GENDER,
    TARGETS,
    EnglishGender,
    Sentence,
    SentenceLabel,
    check_forms,
    forms_of_group,
    group_ranges,
    parse_label,
    parse_word_label,
)
from epicene.suites.apgc.protocol import FOLDED
from epicene.suites.data_origin import user_data_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from epicene.suites import DataSource
    from epicene.suites.apgc.protocol import ApgcProtocol

# Words in a published file by mistake: the file's hash, the line, the word.
_STRAY_WORDS = {
    "ad695a88f77c05305e32feb9fe2036fb46c3272fd39e4e6310dfa60d70e89605": (52102, "$"),
}


def _folder_of(name: str) -> str:
    return "google_MT/" if ".google." in name else "joint/" if "+" in name else ""


# The file of the sentences in every published layout: dev.arin.tokens, train.arin,
# D-set-test.arin, joint/dev.arin+dev.arin+dev.arin+dev.arin.
_PUBLISHED_NAME = re.compile(r"\.arin(?:\.tokens)?$")
# The files of which copies were at hand. Versions 2.0 and 2.1 share them.
_PUBLISHED_SHA256 = {
    "dev.arin.tokens": "f165fc946865cf9b3a0afd0c5e31fee5855dd5ca7521cd6a11a4c4c873966903",
    "dev.ar.MM.tokens": "b891077f92da429225a6f56958e7aea4b476dc0dc2cc8d5320559ff791f88775",
    "dev.ar.FM.tokens": "0e02e2a85069944ad22095b2099dd2fefb57648a7a5c239cbe36bebbacd6bd66",
    "dev.ar.MF.tokens": "24755496845ea0950f2d350716686f401b9a4427baaefdbed85ab2a5fad2796d",
    "dev.ar.FF.tokens": "9d43a62c176f3a31c052c1978073b9e373c2b73b52397a49732764b5208713b7",
    "dev.google.ar.tokens": "180ae05b14ffc4a3939cef9118a6286956d72b9be175479ecef96a41a7d25bbe",
    "dev.arin+dev.arin+dev.arin+dev.arin": (
        "3c8351e1ad683bdf461c7b3c40eaba3a4ec796593052928199fef3b83eab5f02"
    ),
    "dev.arin+dev.arin+dev.arin+dev.arin.label": (
        "3febbd3b16db86aab2a91012722b88be05904926e0d028cf5040e3681e66f01e"
    ),
    "dev.ar.MM+dev.ar.FM+dev.ar.MF+dev.ar.FF": (
        "939e76d791af2b19647c35b4bb982ee68fd84f7cf02024d0d46d04bca54a8e4f"
    ),
    "dev.ar.MM+dev.ar.FM+dev.ar.MF+dev.ar.FF.label": (
        "594c5008f08eb3d22b6554e77073ca45ef61898690a15e6deb735b8702780594"
    ),
    "dev.ar.MM+dev.ar.FM+dev.ar.MF+dev.ar.FF.gender": (
        "8bc7838b38d3192cb88aba7e9cf2f871fe8b26a05d4b71ae4533d65f62411561"
    ),
    "train.arin+train.arin+train.arin+train.arin.label": (
        "cab6bbdb2962c64fbfdf6986d33b444f4f255c51fab9c5842782138cdc1849d2"
    ),
}


# Where these lie below the folder of the corpus.
PUBLISHED_FILES = {
    f"{_folder_of(name)}{name}": sha256 for name, sha256 in _PUBLISHED_SHA256.items()
}


def is_published(files: Iterable[tuple[str, str]]) -> bool:
    """Whether these are the corpus: its sentences come first, by name, and no file has a hash that
    differs from the published file of that name, if known. The English may come from anywhere.
    """
    found = list(files)
    unchanged = all(_PUBLISHED_SHA256.get(name, sha256) == sha256 for name, sha256 in found)
    return unchanged and any(_PUBLISHED_NAME.search(name) for name, _ in found[:1])


class _SplitFiles(NamedTuple):
    """The content of a split's files; each list has one element per sentence."""

    main: Path  # the file that errors name
    texts: list[str]
    labels: list[SentenceLabel]
    forms: list[dict[str, str]]
    files: list[Path]
    words: Sequence[tuple[str, ...]] = ()
    lines: Sequence[int] = ()  # where sentences begin, if not one per line

    def location(self, index: int) -> str:
        """Where a sentence is, for errors."""
        return f"{self.main}, line {self.lines[index] if self.lines else index + 1},"


def splits_in(folder: Path) -> list[str]:
    """The splits whose sentences are in a folder."""
    names = {
        path.name.removesuffix(".tokens").removesuffix(".arin").removeprefix("D-set-")
        for pattern in ("*.arin", "*.arin.tokens")
        for path in (*folder.glob(pattern), *folder.glob(f"*/{pattern}"))
        if path == split_file(folder, path.name)
    }
    return sorted(names | joint_splits(folder), key=_split_order)


def _split_order(split: str) -> tuple[int, str]:
    """The sort key of splits: train, dev, test, then others by name."""
    known = ("train", "dev", "test")
    return (known.index(split) if split in known else len(known), split)


def _choose_splits(named: str, there: Sequence[str], name: str) -> list[str]:
    """The splits that a setting names: one or several separated by commas, or all."""
    if named == "all":
        return list(there)
    chosen = list(dict.fromkeys(part.strip() for part in named.split(",")))
    for split in chosen:
        if split not in there:
            _refuse_split(split, there, name)
    return chosen


def _refuse_split(split: str, there: Sequence[str], name: str) -> NoReturn:
    known = f"it has {', '.join(there)}" if there else "none of its sentences has one"
    raise InputError(f"{name} has no split {split!r}; {known} (choose with --split).")


def read_folder(folder: Path, split: str) -> tuple[list[Sentence], list[Path]]:
    """The sentences of a split, and the files they came from."""
    read = _read_split(folder, split)
    beside = {
        field: path
        for field, path in {
            "english": _first(folder, f"{split}.en", f"{split}.ar.MM.en", f"D-set-{split}.en"),
            "english_gender": _first(folder, f"{split}.en.label"),
            "origin": _first(folder, f"{split}.origin"),
            "translation": _first(
                folder, f"google_MT/{split}.google.ar.tokens", f"{split}.google.ar"
            ),
        }.items()
        if path is not None
    }
    columns: dict[str, list[Any]] = {
        field: _column(path, len(read.texts), read.main) for field, path in beside.items()
    }
    _check_english_genders(columns.get("english_gender", []), beside.get("english_gender"))
    sentences: list[Sentence] = []
    for number, group in enumerate(group_ranges(read.labels, str(read.main)), start=1):
        for index in group:
            sentence = Sentence(
                id=f"{split}-{index + 1}",
                group=f"{split}-group-{number}",
                language="ar",
                text=read.texts[index],
                label=str(read.labels[index]),
                targets=read.forms[index],
                words=read.words[index] if read.words else (),
                original=index == group.start,
                split=split,
                **{field: values[index] for field, values in columns.items()},
            )
            check_forms(sentence, read.location(index))
            sentences.append(sentence)
    return sentences, [*read.files, *beside.values()]


def _check_english_genders(labels: Sequence[str], path: Path | None) -> None:
    for number, label in enumerate(labels, start=1):
        if label not in get_args(EnglishGender):
            raise InputError(
                f"{path}, line {number}, has the label {label!r}; the gender of an English "
                "sentence must be B, M or F."
            )


def _read_split(folder: Path, split: str) -> _SplitFiles:
    if split_file(folder, f"{split}.arin.tokens").is_file():
        return _from_tokens(folder, split)
    if split_file(folder, f"{split}.ar.MM").is_file():
        return _from_lines(folder, split)
    if split_file(folder, f"{split}.arin").is_file():
        return _from_groups(folder, split)
    if split_file(folder, f"D-set-{split}.arin").is_file():
        return _from_version_1(folder, split)
    if split in joint_splits(folder):
        return _from_joint(folder, split)
    if known := splits_in(folder):
        _refuse_split(split, known, str(folder))
    raise InputError(
        f"{folder} has no parallel gender corpus: there is no file named SPLIT.arin.tokens or "
        "SPLIT.arin; `epicene suites apgc` lists the layouts."
    )


def _from_tokens(folder: Path, split: str) -> _SplitFiles:
    names = (f"{split}.arin", *(f"{split}.ar.{target}" for target in TARGETS))
    paths = [split_file(folder, f"{name}.tokens") for name in names]
    rows = read_parallel_tokens(paths)
    labels, label_files = _sentence_labels(folder, split, len(rows), paths[0])
    return _SplitFiles(
        main=paths[0],
        texts=[source.text for source, *_ in rows],
        labels=labels or [_label_of(source) for source, *_ in rows],
        forms=[
            {target: form.text for target, form in zip(TARGETS, forms, strict=True)}
            for _, *forms in rows
        ],
        words=[
            tuple(str(parse_word_label(label, "")) for label in source.labels)
            for source, *_ in rows
        ],
        lines=[source.line for source, *_ in rows],
        files=paths + label_files,
    )


def _from_lines(folder: Path, split: str) -> _SplitFiles:
    main = split_file(folder, f"{split}.arin")
    texts = read_lines(main)
    paths = {target: split_file(folder, f"{split}.ar.{target}") for target in TARGETS}
    columns = {
        target: read_parallel_lines(path, len(texts), main) for target, path in paths.items()
    }
    labels, label_files = _sentence_labels(folder, split, len(texts), main)
    if not labels:
        raise InputError(f"{main} has no label file next to it: {split}.arin.label is missing.")
    forms = _forms(columns)
    return _SplitFiles(main, texts, labels, forms, [main, *paths.values(), *label_files])


def _from_groups(folder: Path, split: str) -> _SplitFiles:
    main = split_file(folder, f"{split}.arin")
    texts = read_lines(main)
    line, stray = _STRAY_WORDS.get(sha256_of(main), (0, ""))
    if stray:
        words = texts[line - 1].split()
        texts[line - 1] = " ".join(word for word in words if word != stray)
    labels, label_files = _sentence_labels(folder, split, len(texts), main)
    if not labels:
        raise InputError(
            f"{main} has neither its forms ({split}.ar.MM …) nor labels ({split}.arin.label) "
            "next to it."
        )
    forms: list[dict[str, str]] = []
    for group in group_ranges(labels, str(main)):
        members = slice(group.start, group.stop)
        forms += [forms_of_group(texts[members], labels[members])] * len(group)
    return _SplitFiles(main, texts, labels, forms, [main, *label_files])


def _from_version_1(folder: Path, split: str) -> _SplitFiles:
    main, masculine, feminine, label_file = (
        split_file(folder, f"D-set-{split}.{ending}")
        for ending in ("arin", "ar.M", "ar.F", "arin.label")
    )
    texts = read_lines(main)
    by_gender = {
        "M": read_parallel_lines(masculine, len(texts), main),
        "F": read_parallel_lines(feminine, len(texts), main),
    }
    letters = read_parallel_lines(label_file, len(texts), main)
    labels = [
        parse_label(f"{letter.strip()}B", f"{label_file}, line {number},")
        for number, letter in enumerate(letters, start=1)
    ]
    forms = _forms({target: by_gender[target[0]] for target in TARGETS})
    return _SplitFiles(main, texts, labels, forms, [main, masculine, feminine, label_file])


def _from_joint(folder: Path, split: str) -> _SplitFiles:
    files = joint_files(folder, split)
    texts = list(check_repeated_blocks(files.sources, read_blocks(files.sources)))
    blocks = read_joint_targets(files, len(texts))
    labels, label_files = _sentence_labels(folder, split, len(texts), files.sources)
    if not labels:
        raise InputError(
            f"{files.sources} has no label file next to it: {files.source_labels.name} is missing."
        )
    forms = _forms(blocks)
    beside = [path for path in (files.targets, files.genders) if path.is_file()]
    read_from = [files.sources, *beside, *label_files]
    return _SplitFiles(files.sources, texts, labels, forms, read_from)


def _forms(columns: Mapping[str, Sequence[str]]) -> list[dict[str, str]]:
    """The forms of each sentence, from the texts for each target."""
    rows = zip(*(columns[target] for target in TARGETS), strict=True)
    return [dict(zip(TARGETS, row, strict=True)) for row in rows]


# --- the optional files --------------------------------------------------------------------


def _first(folder: Path, *names: str) -> Path | None:
    paths = (split_file(folder, name) for name in names)
    return next((path for path in paths if path.is_file()), None)


def _column(path: Path, size: int, main: Path) -> list[str]:
    """A value for each sentence, from a file of lines or of tokens."""
    if path.suffix != ".tokens":
        return read_parallel_lines(path, size, main)
    values = [sentence.text for sentence in read_tokens(path)]
    if len(values) != size:
        raise InputError(f"{path} has {len(values)} sentences, but {main} has {size}.")
    return values


def _sentence_labels(
    folder: Path, split: str, size: int, main: Path
) -> tuple[list[SentenceLabel], list[Path]]:
    """The sentences' labels, from a file of their own or a joint one."""
    path = _first(folder, f"{split}.arin.label", f"{split}.label")
    if path is not None:
        return _parse_labels(path, read_parallel_lines(path, size, main)), [path]
    path = joint_files(folder, split).source_labels
    if not path.is_file():
        return [], []
    blocks = read_blocks(path, size)
    labels = _parse_labels(path, blocks[TARGETS[0]])
    check_repeated_blocks(path, blocks)
    return labels, [path]


def _parse_labels(path: Path, lines: Sequence[str]) -> list[SentenceLabel]:
    return [
        parse_label(line.strip(), f"{path}, line {number},")
        for number, line in enumerate(lines, start=1)
    ]


def _label_of(tokens: TokenisedSentence) -> SentenceLabel:
    """The sentence's label that follows from its words' labels, if no file has one."""
    found = {"1": "B", "2": "B"}
    for label in tokens.labels:
        # The base after the clitic: it has the sentence's gender, a clitic that of its own form.
        for part in reversed(parse_word_label(label, "")):
            if part != "B":
                found[part[0]] = part[1]
    return SentenceLabel(found["1"], found["2"])


def original_or_balanced(read: Sequence[Sentence], *, original: bool) -> Iterator[Sentence]:
    """The original corpus, or the balanced one with the rewritten forms as sentences too."""
    return (sentence for sentence in read if sentence.original or not original)


STARTER = Path(__file__).parent / "starter" / "sentences.jsonl"


def read(source: DataSource, protocol: ApgcProtocol) -> Dataset:
    """A folder in a published layout, a file of ours, or the starter set."""
    path = source.path or STARTER
    name = "starter" if source.path is None else user_data_name(path.resolve().name)
    if path.is_dir():
        named = protocol.split or "dev"
        there = splits_in(path)
        chosen = _choose_splits(named, there, str(path)) if there else [named]
        read_in = [read_folder(path, split) for split in chosen]
        sentences = [sentence for part, _ in read_in for sentence in part]
        files = [file for _, part in read_in for file in part]
    else:
        sentences, files = list(_read_records(path, source.columns)), [path]
        there = sorted({each.split for each in sentences if each.split}, key=_split_order)
        chosen = _choose_splits(protocol.split, there, name) if protocol.split else []
        if chosen:
            sentences = [each for each in sentences if each.split in chosen]
    if chosen:
        name += f" ({', '.join(chosen)})"
    if protocol.english:
        beside = Path(protocol.english)
        lines = read_parallel_lines(beside, len(sentences), name)
        sentences = [
            msgspec.structs.replace(sentence, english=line)
            for sentence, line in zip(sentences, lines, strict=True)
        ]
        files = [*files, beside]
    items = list(original_or_balanced(sentences, original=protocol.corpus == "original"))
    if not items:
        raise InputError(f"{name} has no sentences.")
    if _asks_full_labels(protocol) and all(each.label == each.who.condensed for each in items):
        raise InputError(
            f"No sentence of {name} has a label with N or !, so such labels cannot be scored; "
            "leave out --set labels=sentence, or use data with the full labels."
        )
    return Dataset(name=name, files=files, items=items)


def _asks_full_labels(protocol: ApgcProtocol) -> bool:
    return "identification" in protocol.tasks and "sentence" in protocol.labels


def _read_records(path: Path, columns: dict[str, str]) -> Iterator[Sentence]:
    """Our own layout: one sentence per line, with its forms."""
    for sentence in read_records(path, Sentence, columns):
        check_forms(sentence, f"{path}, the sentence {sentence.id!r},")
        yield sentence


def stratum(sentence: Sentence) -> tuple[str, str]:
    """`--limit N` takes N sentences, spread over the labels."""
    return ("", sentence.who.condensed)


def corpus(sentence: Sentence) -> Iterator[str]:
    """The sentence's own text."""
    yield sentence.text


_NO_GENDER = "B"
_TAGS = {
    "1M": LabelMeaning(person="speaker", gender="masculine"),
    "1F": LabelMeaning(person="speaker", gender="feminine"),
    "2M": LabelMeaning(person="listener", gender="masculine"),
    "2F": LabelMeaning(person="listener", gender="feminine"),
}


def tagging_data(sentences: Iterable[Sentence]) -> TaggingData:
    """Words with the five labels, and the counterpart of each labelled word in the other gender."""
    return TaggingData(
        language="ar",
        plain=_NO_GENDER,
        shown=_TAGS,
        sentences=tuple(map(_tagging_example, sentences)),
        # The corpus has no vowel signs.
        normalisers=("arabic-diacritics", "tatweel"),
        spelling=FOLDED,
    )


def _tagging_example(sentence: Sentence) -> TaggedSentence:
    words = tuple(sentence.text.split())
    labels = tuple(label.condensed.five_way for label in sentence.word_labels)
    own = sentence.who.own_target
    others = {
        "1": sentence.targets[OTHER_GENDER[own[0]] + own[1]].split(),
        "2": sentence.targets[own[0] + OTHER_GENDER[own[1]]].split(),
        _NO_GENDER: words,
    }
    counterparts = (others[label[0]][index] for index, label in enumerate(labels))
    return TaggedSentence(words, labels, tuple(counterparts))
