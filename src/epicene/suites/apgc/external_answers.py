"""Read external answers: the published layouts, one line per sentence, or JSONL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.core.data_files import read_rows
from epicene.core.errors import InputError
from epicene.core.records import Text, Texts
from epicene.suites import AnsweredRequest, Answers
from epicene.suites.apgc.ask import (
    IDENTIFICATION,
    POST_EDITING,
    REWRITING,
    SENTENCE_LABEL,
    request_name,
)
from epicene.suites.apgc.corpus_files import read_blocks, read_parallel_lines, read_tokens
from epicene.suites.apgc.items import TARGETS, parse_word_label

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from epicene.core.data_files import FileRow
    from epicene.suites import Dataset
    from epicene.suites.apgc.items import Sentence
    from epicene.suites.apgc.protocol import ApgcProtocol

_BY_TARGET = (REWRITING, POST_EDITING)


def read_answers(
    path: Path, dataset: Dataset, protocol: ApgcProtocol
) -> Iterator[tuple[Sentence, Answers]]:
    """Each sentence with the answers for one task.

    JSONL lines have `id`, `text` and, for rewriting, `target`. Other files follow the data's
    order: four blocks of lines (MM, FM, MF, FF) for rewriting, lines or tokens for translation,
    tokens with labels for identification (a label per line for labels of sentences).
    """
    if len(protocol.tasks) != 1:
        raise InputError(
            f"The answers must be for one task; name it with --task ({', '.join(protocol.tasks)})."
        )
    (task,) = protocol.tasks
    if task == IDENTIFICATION and len(protocol.labels) != 1:
        raise InputError(
            "The answers are labels either of words or of sentences; use --set labels=words or "
            "--set labels=sentence."
        )
    sentences: list[Sentence] = list(dataset.items)
    full_labels = task == IDENTIFICATION and protocol.labels == ("sentence",)
    request = SENTENCE_LABEL if full_labels else task
    if path.suffix.lower() in (".jsonl", ".ndjson", ".json"):
        answered = _from_records(path, request, {sentence.id for sentence in sentences})
    else:
        answered = _from_lines(path, request, sentences, dataset.name)
    if task == POST_EDITING and not any(sentence.translation for sentence in sentences):
        raise InputError(f"{dataset.name} has no translations, so none can have been edited.")
    for sentence in sentences:
        texts = answered.get(sentence.id)
        if texts:
            yield (
                sentence,
                Answers(
                    AnsweredRequest(task, "model", "given", name, Texts(texts=(Text(text=text),)))
                    for name, text in texts.items()
                ),
            )


def _from_lines(
    path: Path, task: str, sentences: list[Sentence], data: str
) -> dict[str, dict[str, str]]:
    """The answers by sentence and request, from a file in the data's order."""
    names = [sentence.id for sentence in sentences]
    if task in _BY_TARGET:
        blocks = read_blocks(path, len(sentences))
        return {
            name: {request_name(task, target): blocks[target][index] for target in TARGETS}
            for index, name in enumerate(names)
        }
    if task == IDENTIFICATION:
        lines = _labels(path, sentences)
    elif path.suffix == ".tokens":
        lines = [tokens.text for tokens in read_tokens(path)]
        if len(lines) != len(names):
            raise InputError(f"{path} has {len(lines)} sentences, but {data} has {len(names)}.")
    else:
        lines = read_parallel_lines(path, len(names), data)
    return {name: {task: line} for name, line in zip(names, lines, strict=True)}


def _labels(path: Path, sentences: list[Sentence]) -> list[str]:
    """The labels of a token file, in the five-way inventory, if it has the data's words."""
    tokens = read_tokens(path)
    if len(tokens) != len(sentences):
        raise InputError(f"{path} has {len(tokens)} sentences; the data has {len(sentences)}.")
    for each, sentence in zip(tokens, sentences, strict=True):
        if each.text.split() != sentence.text.split():
            raise InputError(f"{path}, line {each.line}, is not the sentence {sentence.id}.")
        if not each.labels:
            raise InputError(f"{path}, line {each.line}, has words without labels.")
    return [
        " ".join(
            parse_word_label(label, f"{path}, line {each.line},").condensed.five_way
            for label in each.labels
        )
        for each in tokens
    ]


def _from_records(path: Path, task: str, known: set[str]) -> dict[str, dict[str, str]]:
    """The answers by sentence and request, from JSONL."""
    found: dict[str, dict[str, str]] = {}
    for line in read_rows(path):
        name, target = _text(line, "id"), ""
        if name not in known:
            raise InputError(
                f"{line.location} answers the sentence {name!r}, which is not in the data."
            )
        if task in _BY_TARGET:
            target = _text(line, "target")
            if target not in TARGETS:
                raise InputError(
                    f"{line.location} has the target {target!r}; it must be one of "
                    f"{', '.join(TARGETS)}."
                )
        request = request_name(task, target) if target else task
        if request in found.setdefault(name, {}):
            raise InputError(f"{line.location} answers {request!r} of {name!r} a second time.")
        found[name][request] = _text(line, "text")
    if task in _BY_TARGET:
        _refuse_missing(path, task, found)
    return found


def _refuse_missing(path: Path, task: str, found: Mapping[str, Mapping[str, str]]) -> None:
    """Raise if a sentence was answered for some targets only."""
    for name, answered in found.items():
        missing = [target for target in TARGETS if request_name(task, target) not in answered]
        if missing:
            raise InputError(
                f"{path} has no answer for {' and '.join(missing)} of the sentence {name!r}; "
                "give an empty text for a sentence that could not be written."
            )


def _text(line: FileRow, field: str) -> str:
    value = line.values.get(field)
    if not isinstance(value, str):
        raise InputError(f"{line.location} lacks the field {field!r}.")
    return value
