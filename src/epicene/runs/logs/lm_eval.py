"""Samples of lm-evaluation-harness: `samples_TASK_TIME.jsonl`, written by `--log_samples`."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import msgspec

from epicene.core.data_files import MAX_DOCUMENT_BYTES, FileRow, read_rows
from epicene.core.errors import InputError
from epicene.core.records import Message, Text
from epicene.runs.logs.samples import LoggedSample, log_probability

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from epicene.core.records import Prompt

TOOL = "lm-eval"
_MARKS = (b'"doc_id"', b'"resps"')
_HEAD = 2**20  # bytes of the first line that are looked at


def is_log(path: Path) -> bool:
    """Whether the first line of a JSONL file is a sample."""
    if path.suffix.lower() not in (".jsonl", ".ndjson"):
        return False
    with path.open("rb") as file:
        head = file.readline(_HEAD)
    # The document comes before the answers and can be long.
    return _MARKS[0] in head and (_MARKS[1] in head or len(head) == _HEAD)


def read_samples(path: Path) -> Iterator[LoggedSample]:
    """The samples of a file. A sample with several filters is written once for each."""
    model = _model_name(path)
    met: dict[str, tuple[str, Any]] = {}
    for row in read_rows(path, suffix=".jsonl"):
        values = row.values
        name, filtered = str(values.get("doc_id")), str(values.get("filter", ""))
        if name in met:
            other, answers = met[name]
            if other == filtered or answers != values.get("resps"):
                raise InputError(f"{row.location} repeats the sample {name} of the task.")
            continue
        met[name] = filtered, values.get("resps")
        yield _sample(row, model)


def _sample(row: FileRow, model: str) -> LoggedSample:
    values, location = row.values, row.location
    document = values.get("doc")
    document = document if isinstance(document, dict) else {}
    arguments = _arguments(values.get("arguments"), location)
    answers = values.get("resps")
    if not isinstance(answers, list) or len(answers) != len(arguments):
        raise InputError(f"{location} does not have one answer per request (`resps`).")
    sample = LoggedSample(
        location=location,
        name=f"doc_id {values.get('doc_id')}",
        tool=TOOL,
        model=model,
        prompt=_prompt(arguments[0][0]),
    )
    if _is_exported(document):
        sample.item, sample.request = document["item"], document["request"]
        sample.prompt = _exported_prompt(document, chat=sample.prompt)
    if isinstance(arguments[0][1], str):
        if any(context != arguments[0][0] for context, _ in arguments):
            raise InputError(
                f"{location} scores one text after several contexts, which is not a choice "
                "between texts."
            )
        sample.texts = tuple(str(text) for _, text in arguments)
        sample.logprobs = tuple(_log_likelihood(each, location) for each in answers)
    else:
        sample.written = [Text(text=text) for text in _texts(answers, location)]
    return sample


def _arguments(arguments: Any, location: str) -> list[tuple[Any, Any]]:
    """What was sent in each request: a context and a text, or a prompt and settings."""
    # Versions before 0.4.3 write lists.
    found = list(arguments.values()) if isinstance(arguments, dict) else arguments
    pairs = []
    for each in found if isinstance(found, list) else []:
        parts = list(each.values()) if isinstance(each, dict) else each
        if isinstance(parts, list) and len(parts) >= 2:
            pairs.append((parts[0], parts[1]))
    if not pairs or len(pairs) != len(found):
        raise InputError(
            f"{location} is a sample of lm-evaluation-harness whose requests (`arguments`) are "
            "neither choices between texts nor texts to generate."
        )
    return pairs


def _prompt(sent: Any) -> Prompt:
    """A text, or the messages sent to a chat service, which are written as JSON."""
    if isinstance(sent, str) and sent.startswith("[{"):
        with suppress(ValueError):
            sent = json.loads(sent)
    if isinstance(sent, list):
        try:
            return msgspec.convert(sent, tuple[Message, ...])
        except msgspec.ValidationError:
            return str(sent)
    return str(sent)


def _is_exported(document: Mapping[str, Any]) -> bool:
    return all(isinstance(document.get(each), str) for each in ("item", "request", "prompt"))


def _exported_prompt(document: Mapping[str, Any], chat: Prompt) -> Prompt:
    """The prompt of an exported document, which the harness sends through a chat template if it
    has a system message, or if it is not sent as it is.
    """
    prompt, system = document["prompt"], document.get("system") or ""
    if not system and isinstance(chat, str) and chat.strip() == prompt.strip():
        return str(prompt)
    turns = [Message(role="system", content=system)] if system else []
    return (*turns, Message(role="user", content=prompt))


def _log_likelihood(answers: Any, location: str) -> float:
    """The first number of `[[log-likelihood, is greedy]]`."""
    try:
        value = answers[0][0]
    except (TypeError, LookupError):
        value = answers
    return log_probability(value, location)


def _texts(answers: list[Any], location: str) -> list[str]:
    found = [text for each in answers for text in (each if isinstance(each, list) else [each])]
    if not found or not all(isinstance(text, str) for text in found):
        raise InputError(f"{location} has answers (`resps`) that are not texts.")
    return found


def _model_name(path: Path) -> str:
    """The model in the `results_TIME.json` next to the samples, or the name of their folder."""
    time = path.stem.rpartition("_")[2]
    results = path.with_name(f"results_{time}.json")
    if results.is_file() and results.stat().st_size <= MAX_DOCUMENT_BYTES:
        try:
            content = json.loads(results.read_bytes())
        except ValueError:
            content = None
        if isinstance(content, dict) and isinstance(content.get("model_name"), str):
            return content["model_name"] or path.parent.name
    return path.parent.resolve().name if path.stem.startswith("samples_") else path.stem
