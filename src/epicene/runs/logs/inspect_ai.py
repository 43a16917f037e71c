"""Logs of Inspect: `.eval`, which is a zip file with a JSON file per sample, or one JSON file.

Nothing is unpacked to disk, and only the current sample is in memory.
"""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections import defaultdict
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, BinaryIO

from epicene.core.data_files import MAX_DOCUMENT_BYTES, parse_json
from epicene.core.errors import InputError
from epicene.core.records import Message, Text
from epicene.core.requirements import require
from epicene.runs.logs.samples import LoggedSample

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path
    from typing import Literal

    from epicene.core.records import Prompt

TOOL = "inspect"
_HEADER, _START = "header.json", "_journal/start.json"  # a log that was not finished has no header
_ZSTANDARD = 93  # a way to compress that zipfile learnt in Python 3.14
_LOCAL_HEADER = struct.Struct("<4s22xHH")
_HEAD = 4096
_ATTACHMENT = "attachment://"


def is_log(path: Path) -> bool:
    """Whether it is a zip file called .eval, or a JSON file that starts like a log."""
    suffix = path.suffix.lower()
    if suffix == ".eval":
        return True
    if suffix != ".json":
        return False
    with path.open("rb") as file:
        head = file.read(_HEAD).lstrip()
    return head.startswith(b"{") and all(
        mark in head for mark in (b'"version"', b'"status"', b'"eval"')
    )


def read_samples(path: Path) -> Iterator[LoggedSample]:
    """The samples of a log, grouped by id: each epoch is another text."""
    found: dict[str, LoggedSample] = {}
    epochs: dict[str, dict[int, Text | None]] = defaultdict(dict)
    for location, model, content in _contents(path):
        sample = _sample(location, model, content)
        name = str(content.get("id"))
        epoch = content.get("epoch")
        epoch = epoch if isinstance(epoch, int) else 1
        if epoch in epochs[name]:
            raise InputError(f"{location} repeats the sample {name!r}, epoch {epoch}.")
        epochs[name][epoch] = sample.written[0] if sample.written else None
        first = found.setdefault(name, sample)
        if sample.why_missing:
            first.why_missing = sample.why_missing
    for name, sample in found.items():
        if sample.is_choice and len(epochs[name]) > 1:
            raise InputError(
                f"{sample.location} is a multiple choice with {len(epochs[name])} epochs, but "
                "only one can be read; use a log with one epoch (`inspect eval --epochs 1`)."
            )
        texts = [text for _, text in sorted(epochs[name].items()) if text is not None]
        sample.written = [] if sample.why_missing else texts
        yield sample


def _contents(path: Path) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """The place, the model and the content of each sample."""
    if path.suffix.lower() == ".eval":
        try:
            yield from _zipped(path)
        except (zipfile.BadZipFile, zlib.error, EOFError, struct.error) as error:
            raise InputError(f"{path} is not an Inspect log, or is damaged: {error}.") from None
        except OSError as error:
            raise InputError(f"Could not read {path}: {error.strerror or error}.") from error
        return
    if path.stat().st_size > MAX_DOCUMENT_BYTES:
        raise InputError(
            f"{path} is larger than {MAX_DOCUMENT_BYTES // 2**20} MiB; convert it to the format "
            "with one file per sample (`inspect log convert --to eval`)."
        )
    log = _decode(path.read_bytes(), str(path))
    model = _model(log)
    samples = log.get("samples")
    for number, each in enumerate(samples if isinstance(samples, list) else [], start=1):
        location = f"{path}, sample {number},"
        if not isinstance(each, dict):
            raise InputError(f"{location} is not a record with named fields.")
        yield location, model, each


def _zipped(path: Path) -> Iterator[tuple[str, str, dict[str, Any]]]:
    with path.open("rb") as file, zipfile.ZipFile(file) as archive:
        members = archive.infolist()
        _check_members(path, members)
        names = {member.filename: member for member in members}
        start = names.get(_HEADER) or names.get(_START)
        if start is None:
            raise InputError(f"{path} is a zip file but not an Inspect log: it has no {_HEADER}.")
        model = _model(_decode(_read(path, file, archive, start), f"{path}, {start.filename},"))
        for member in members:
            if member.filename.startswith("samples/") and member.filename.endswith(".json"):
                location = f"{path}, {member.filename},"
                yield location, model, _decode(_read(path, file, archive, member), location)


def _check_members(path: Path, members: Sequence[zipfile.ZipInfo]) -> None:
    """Raise if the name of a member points outside the archive, or if it is too large or
    overlaps others.
    """
    for member in members:
        parts = PurePosixPath(member.filename.replace("\\", "/")).parts
        if ".." in parts or parts[:1] == ("/",):
            raise InputError(
                f"{path} contains a file whose name, {member.filename!r:.80}, points outside the "
                "archive, so it is not a valid Inspect log."
            )
        if member.file_size > MAX_DOCUMENT_BYTES:
            raise _too_long(path, member)
    if sum(member.compress_size for member in members) > path.stat().st_size:
        raise InputError(f"{path} contains overlapping files, so it is not a valid Inspect log.")


def _too_long(path: Path, member: zipfile.ZipInfo) -> InputError:
    return InputError(
        f"{path}, {member.filename:.80}, is larger than {MAX_DOCUMENT_BYTES // 2**20} MiB when "
        "unpacked."
    )


def _read(path: Path, file: BinaryIO, archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    """A member's bytes; no more than the limit are unpacked."""
    if member.compress_type == _ZSTANDARD:
        data = _read_zstandard(file, member)
    else:
        try:
            with archive.open(member) as opened:
                data = opened.read(MAX_DOCUMENT_BYTES + 1)
        except (NotImplementedError, RuntimeError) as error:  # unknown compression; a password
            raise InputError(f"{path}, {member.filename:.80}, cannot be read: {error}.") from None
    if len(data) > MAX_DOCUMENT_BYTES:
        raise _too_long(path, member)
    return data


def _read_zstandard(file: BinaryIO, member: zipfile.ZipInfo) -> bytes:
    require(
        "zstandard",
        "An Inspect log",
        "inspect",
        "convert the log (`inspect log convert --to json`)",
    )
    import zstandard

    file.seek(member.header_offset)
    signature, name, extra = _LOCAL_HEADER.unpack(file.read(_LOCAL_HEADER.size))
    if signature != b"PK\x03\x04":
        raise zipfile.BadZipFile("a file is not where the table of contents says")
    file.seek(name + extra, io.SEEK_CUR)
    packed = io.BytesIO(file.read(member.compress_size))
    try:
        with zstandard.ZstdDecompressor(max_window_size=2**27).stream_reader(packed) as opened:
            data: bytes = opened.read(MAX_DOCUMENT_BYTES + 1)
    except zstandard.ZstdError as error:
        raise zipfile.BadZipFile(str(error)) from None
    if len(data) <= MAX_DOCUMENT_BYTES and zlib.crc32(data) != member.CRC:
        raise zipfile.BadZipFile(f"the checksum of {member.filename} is wrong")
    return data


def _decode(data: bytes, location: str) -> dict[str, Any]:
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise InputError(f"{location} is not UTF-8.") from None
    content = parse_json(text, location)
    if not isinstance(content, dict):
        raise InputError(f"{location} is not a record with named fields.")
    return content


def _model(log: Mapping[str, Any]) -> str:
    about = log.get("eval")
    name = about.get("model") if isinstance(about, dict) else ""
    return str(name or "")


def _sample(location: str, model: str, content: Mapping[str, Any]) -> LoggedSample:
    attached = content.get("attachments")
    attached = attached if isinstance(attached, dict) else {}
    metadata = content.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    named = all(isinstance(metadata.get(each), str) for each in ("item", "request"))
    sample = LoggedSample(
        location=location,
        name=f"sample {content.get('id')}",
        tool=TOOL,
        model=model,
        prompt=_prompt(_given(content), attached),
        item=metadata["item"] if named else "",
        request=metadata["request"] if named else "",
    )
    choices = content.get("choices")
    if isinstance(choices, list) and choices and all(isinstance(each, str) for each in choices):
        sample.is_choice, sample.texts, sample.prompt = True, tuple(choices), ""
        sample.chosen = _chosen(content, choices)
    written = _written(content.get("output"), attached)
    if content.get("error") or (written is None and not sample.is_choice):
        sample.why_missing = "it ended with an error" if content.get("error") else "no output"
    elif written is not None:
        sample.written = [written]
    return sample


def _given(content: Mapping[str, Any]) -> Any:
    """All messages before the answer, including those that solvers added; or only the input."""
    messages = content.get("messages")
    if not isinstance(messages, list) or not messages:
        return content.get("input")
    last = messages[-1]
    return messages[:-1] if isinstance(last, dict) and last.get("role") == "assistant" else messages


def _prompt(given: Any, attached: Mapping[str, Any]) -> Prompt:
    """The input; a text is sent as a user message."""
    if isinstance(given, list):
        turns = tuple(
            Message(role=each["role"], content=_content(each.get("content"), attached))
            for each in given
            if isinstance(each, dict) and each.get("role") in ("system", "user", "assistant")
        )
        return turns if len(turns) == len(given) else ""
    return (Message(role="user", content=_content(given, attached)),)


def _content(content: Any, attached: Mapping[str, Any]) -> str:
    """The text of a message, whose parts may also be reasoning and images."""
    if isinstance(content, list):
        return "".join(
            _content(part.get("text"), attached)
            for part in content
            if isinstance(part, dict) and part.get("type") == "text"
        )
    text = content if isinstance(content, str) else ""
    if text.startswith(_ATTACHMENT):
        return str(attached.get(text.removeprefix(_ATTACHMENT), text))
    return text


def _written(output: Any, attached: Mapping[str, Any]) -> Text | None:
    """The first answer of the model; None if it gave none."""
    choices = output.get("choices") if isinstance(output, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(first, dict) or not isinstance(first.get("message"), dict):
        return None
    finishes: dict[Any, Literal["stop", "length", "refused"]] = {
        "max_tokens": "length", "model_length": "length", "content_filter": "refused",
    }  # fmt: skip
    return Text(
        text=_content(first["message"].get("content"), attached),
        finish=finishes.get(first.get("stop_reason"), "stop"),
    )


def _chosen(content: Mapping[str, Any], choices: Sequence[str]) -> str | None:
    """The choice whose letter the scorer read from the answer; None if it read none."""
    scores = content.get("scores")
    for score in scores.values() if isinstance(scores, dict) else ():
        letter = score.get("answer") if isinstance(score, dict) else None
        if isinstance(letter, str) and len(letter) == 1:
            index = ord(letter.upper()) - ord("A")
            if 0 <= index < len(choices):
                return choices[index]
    return None
