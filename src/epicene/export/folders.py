"""Write an export folder: files, YAML front matter, and the sections that all cards share."""

from __future__ import annotations

import json
import re
import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import msgspec

from epicene.core.errors import InputError, RunError
from epicene.core.files import write_atomically
from epicene.runs.run import LOCK_FILE, lock_folder
from epicene.suites.data_cards import markdown_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from epicene.suites import Protocol, SuiteCard


CARD_FILE = "README.md"


class YamlFunction(str):
    """A Python function in a file next to the YAML, written as `module.function`."""

    __slots__ = ()


@contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """The folder to write an export to; it gets its final name once everything is written.

    An export is therefore complete or absent, and never mixes with other files. The next export
    removes what a killed one left behind.
    """
    check_new_folder(path)
    unfinished = path.absolute().with_name(f".{path.absolute().name}.unfinished")
    with lock_folder(unfinished):
        try:
            _empty(unfinished)
            yield unfinished
            _name(unfinished, path)
        except OSError as error:
            raise RunError(f"Could not write {path}: {error.strerror or error}.") from error
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)


def _empty(folder: Path) -> None:
    for entry in folder.iterdir():
        if entry.is_dir():
            shutil.rmtree(entry)
        elif entry.name != LOCK_FILE:
            entry.unlink()


def _name(unfinished: Path, path: Path) -> None:
    """Give a finished folder its name, or move its files into an empty folder of that name."""
    (unfinished / LOCK_FILE).unlink()
    if not path.is_dir():
        unfinished.replace(path)
        return
    for entry in sorted(unfinished.iterdir(), key=lambda entry: entry.name == CARD_FILE):
        entry.replace(path / entry.name)


def check_new_folder(path: Path) -> None:
    """Raise unless the folder can be created or is empty."""
    if path.exists() and not path.is_dir():
        raise InputError(f"{path} is a file; an export needs its own folder (--out).")
    if path.is_dir() and any(path.iterdir()):
        raise InputError(f"{path} is not empty; an export needs its own folder (--out).")


def write_json(path: Path, encoded: bytes) -> None:
    """Write JSON, indented for people."""
    write_atomically(path, msgspec.json.format(encoded, indent=2) + b"\n")


def write_text(path: Path, lines: Iterable[str]) -> None:
    """Write lines as UTF-8."""
    write_atomically(path, "".join(f"{line}\n" for line in lines).encode())


def as_yaml(content: Mapping[str, Any]) -> str:
    """A mapping as YAML, in its order, with letters of any script unescaped."""
    import yaml

    class Dumper(yaml.SafeDumper):  # type: ignore[misc]
        def ignore_aliases(self, _data: object) -> bool:
            return True

    Dumper.add_representer(
        YamlFunction, lambda dumper, name: dumper.represent_scalar("!function", str(name))
    )
    written: str = yaml.dump(
        dict(content), Dumper=Dumper, sort_keys=False, allow_unicode=True, width=100
    )
    return written


def front_matter(content: Mapping[str, Any]) -> Iterator[str]:
    """The YAML front matter of a card."""
    yield "---"
    yield as_yaml(content).rstrip("\n")
    yield "---"
    yield ""


def file_names(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """A file name for each name; all are distinct on any file system."""
    taken: set[str] = set()
    for name in names:
        stem = start = re.sub(r"\W+", "-", name).strip("-").lower() or "unnamed"
        number = 1
        while stem in taken:
            number += 1
            stem = f"{start}-{number}"
        taken.add(stem)
        yield name, stem


_NOT_SETTINGS = ("name", "about")


def code_span(text: object) -> str:
    """A text as Markdown code, whatever it contains."""
    shown = " ".join(str(text).split())
    ticks = "`" * (1 + max(map(len, re.findall("`+", shown)), default=0))
    apart = " " if shown.startswith("`") or shown.endswith("`") else ""
    return f"{ticks}{apart}{shown}{apart}{ticks}"


def protocol_lines(protocol: Protocol, card: SuiteCard) -> Iterator[str]:
    """The protocol in words, then every setting."""
    yield (
        f"Protocol `{protocol.name}`: {protocol.about} Normalisers: "
        f"{', '.join(protocol.normalisers) or 'none'}. Chance level: {card.chance}"
    )
    yield ""
    settings = [
        (name, code_span(json.dumps(value, ensure_ascii=False)))
        for name, value in msgspec.to_builtins(protocol).items()
        if name not in _NOT_SETTINGS
    ]
    yield from markdown_table(("setting", "value"), settings)
    yield ""


def fault_lines(card: SuiteCard, heading: str) -> Iterator[str]:
    """Known issues of the published version, under a heading of that level (`##`)."""
    if card.faults:
        yield f"{heading} Known issues of the published version"
        yield ""
        yield from (f"- {fault}" for fault in card.faults)
        yield ""
