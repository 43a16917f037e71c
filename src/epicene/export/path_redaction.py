"""Remove local paths from exported settings, model names and commands.

A file or model is exported under its name; its hash, in the same card, identifies it.
"""

from __future__ import annotations

import re
import shlex
from collections import Counter
from dataclasses import replace
from pathlib import PureWindowsPath
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from epicene.core.redaction import redact_all

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from epicene.core.records import Identity
    from epicene.runs.manifest import Manifest, RunSettings
    from epicene.runs.stored_run import StoredRun
    from epicene.suites import Protocol

ProtocolT = TypeVar("ProtocolT", bound="Protocol")

_ONLY_A_PATH = re.compile(r"[/~\\]|\.{1,2}[/\\]|[A-Za-z]:[/\\]")
_SEPARATOR = re.compile(r"[/\\]")
_PRICE = re.compile(r"[\d.]+/[\d.]+")  # dollars IN/OUT
_SPEC = re.compile(r"[A-Za-z][\w-]+(?::(?!//)|[?,])")  # KIND:NAME?…, or several separated by commas
_NEXT_SPEC = re.compile(r",(?=[A-Za-z][\w-]+(?:[:?,]|$))")
_ALWAYS_LOCAL = ("diffusers",)
_NOT_PATHS = (
    "label",
    "revision",
    "column",
)  # options whose values may contain a /


def base_name(path: str) -> str:
    """The last part of a path of any operating system."""
    return PureWindowsPath(path).name or "."  # which knows both separators


def protocol_without_paths(protocol: ProtocolT, files: Collection[str]) -> ProtocolT:
    """A protocol whose settings name files without their folders; `files` are those that were
    read, by their names. Content of a file that became part of the protocol is kept."""
    named = settings_without_paths(msgspec.structs.asdict(protocol), files)
    return msgspec.structs.replace(protocol, **named)


def settings_without_paths(
    settings: Mapping[str, Any], files: Collection[str] = ()
) -> dict[str, Any]:
    """Settings of a protocol or a model; one that names a file is a text."""
    return {
        name: base_name(value)
        if isinstance(value, str) and (_ONLY_A_PATH.match(value) or base_name(value) in files)
        else value
        for name, value in settings.items()
    }


def runs_without_paths(runs: Sequence[StoredRun]) -> list[StoredRun]:
    """Runs without local paths; runs whose folders share a name are numbered."""
    names = [run.folder.resolve().name for run in runs]
    met: Counter[str] = Counter()
    told = []
    for run, name in zip(runs, names, strict=True):
        met[name] += 1
        files = {file.name for file in run.manifest.settings.files}
        told.append(
            replace(
                run,
                manifest=_manifest(run.manifest, files),
                protocol=protocol_without_paths(run.protocol, files),
                name=name if names.count(name) == 1 else f"{name} ({met[name]})",
            )
        )
    return told


def _manifest(manifest: Manifest, files: Collection[str]) -> Manifest:
    settings = _settings(manifest.settings, files)
    kept = {*_remote_model_names(manifest), *_setting_texts(settings.protocol)}
    file = manifest.suite_file
    return msgspec.structs.replace(
        manifest,
        settings=settings,
        suite_file=msgspec.structs.replace(file, path=base_name(file.path)) if file else file,
        labels=redact_all(manifest.labels),
        models={
            role: tuple(_identity(each, kept) for each in identities)
            for role, identities in manifest.models.items()
        },
    )


def _setting_texts(protocol: Mapping[str, Any]) -> Iterator[str]:
    """Settings as in a command; one that is not a file may contain a /: "he/she,they"."""
    for value in protocol.values():
        if isinstance(value, str):
            yield value
        elif isinstance(value, list | tuple) and all(isinstance(each, str) for each in value):
            yield ",".join(value)


def _settings(settings: RunSettings, files: Collection[str]) -> RunSettings:
    return msgspec.structs.replace(
        settings,
        protocol=settings_without_paths(settings.protocol, files),
        data=base_name(settings.data),
    )


# --- models --------------------------------------------------------------------------------


def _remote_model_names(manifest: Manifest) -> Iterator[str]:
    """The names of models that are not local paths: those on the Hub or of a service."""
    for identities in manifest.models.values():
        for identity in identities:
            name = str(identity.about.get("name") or "")
            local = identity.kind in _ALWAYS_LOCAL or (
                identity.kind == "hf" and not identity.about.get("revision")
            )
            if name and not local and not _ONLY_A_PATH.match(name):
                yield name


def _identity(identity: Identity, kept: Collection[str]) -> Identity:
    name = identity.about.get("name")
    if not isinstance(name, str):
        return identity
    about = {**identity.about, "name": _redact_path(name, kept)}
    return msgspec.structs.replace(identity, about=about)


# --- commands ------------------------------------------------------------------------------


def command_without_paths(command: str, kept: Collection[str] = ()) -> str:
    """A command with file and folder names instead of paths; texts in `kept` stay whole
    (`OWNER/NAME` on the Hub, a setting that is not a file).
    """
    try:
        words = shlex.split(command)
    except ValueError:  # an unclosed quote
        words = command.split()
    options = [word.removeprefix("--") for word in ["", *words]]
    return shlex.join(
        word if option in _NOT_PATHS else _redact_argument(word, kept)
        for option, word in zip(options, words, strict=False)
    )


def _redact_argument(word: str, kept: Collection[str]) -> str:
    """A word of a command: an option, NAME=VALUE, a model's spec, or a path."""
    if re.match(r"-[A-Za-z].", word):  # an option and its value in one: -dFILE
        return word[:2] + _redact_argument(word[2:], kept)
    if _SPEC.match(word):
        return ",".join(_redact_spec(each, kept) for each in _NEXT_SPEC.split(word))
    head, equals, value = word.partition("=")
    if not equals or _SEPARATOR.search(head):
        return _redact_path(word, kept)
    return (
        word if head.removeprefix("--") in _NOT_PATHS else f"{head}={_redact_argument(value, kept)}"
    )


def _redact_spec(spec: str, kept: Collection[str]) -> str:
    """One of several specs of models."""
    head, mark, options = spec.partition("?")
    kind, colon, name = head.partition(":")
    named = f"{kind}:{_redact_path(name, kept)}" if colon else _redact_path(kind, kept)
    return named + mark + "&".join(_redact_argument(each, kept) for each in options.split("&"))


def _redact_path(text: str, kept: Collection[str]) -> str:
    """The text, or its name if it is a path."""
    if not _SEPARATOR.search(text) or _PRICE.fullmatch(text):
        return text
    if "://" in text and not text.startswith("file:"):
        return text
    # A service may add the version: OWNER/NAME:VERSION.
    if any(text == name or text.startswith(f"{name}:") for name in kept):
        return text
    return base_name(text)
