"""Reading a corpus in any of its layouts, the starter set, and what belongs to a sentence."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from epicene.datafiles import read_records
from epicene.errors import InputError
from epicene.suites import Dataset
from epicene.suites.apgc.sentences import Sentence, check_forms
from epicene.suites.apgc.sources.folder import read_folder, sentences_of
from epicene.suites.apgc.sources.lines import read_beside

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.suites import Source
    from epicene.suites.apgc.protocol import ApgcProtocol

STARTER = Path(__file__).parent / "starter" / "sentences.jsonl"


def read(source: Source, protocol: ApgcProtocol) -> Dataset:
    """A folder in a published layout, a file of ours, or the starter set."""
    path = source.path or STARTER
    if path.is_dir():
        split = protocol.split or "dev"
        sentences, files = read_folder(path, split)
        name = f"{path.resolve().name} ({split})"
    else:
        sentences, files = list(_records(path, source.columns)), [path]
        name = "starter" if source.path is None else path.resolve().name
        if protocol.split:
            sentences = [each for each in sentences if each.split == protocol.split]
            name += f" ({protocol.split})"
    if protocol.english:
        beside = Path(protocol.english)
        lines = read_beside(beside, len(sentences), files[0])
        sentences = [
            msgspec.structs.replace(sentence, english=line)
            for sentence, line in zip(sentences, lines, strict=True)
        ]
        files = [*files, beside]
    chosen = list(sentences_of(sentences, original=protocol.corpus == "original"))
    if not chosen:
        raise InputError(f"{name} holds no sentence.")
    return Dataset(name=name, files=files, items=chosen)


def _records(path: Path, columns: dict[str, str]) -> Iterator[Sentence]:
    """Our own layout: a sentence a line, with its forms."""
    for sentence in read_records(path, Sentence, columns):
        check_forms(sentence, f"{path}, the sentence {sentence.id!r},")
        yield sentence


def stratum(sentence: Sentence) -> tuple[str, str]:
    """A part of the data is spread evenly over the labels."""
    return ("", sentence.who.condensed)


def corpus(sentence: Sentence) -> Iterator[str]:
    """The sentence's own text."""
    yield sentence.text
