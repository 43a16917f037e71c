"""Write an export folder: files, YAML, and the sections that all cards share."""

from __future__ import annotations

import json
import re
import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import msgspec

from epicene.core.errors import InputError, RunError
from epicene.core.files import write_atomically
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

    An export is therefore complete or absent. The next export removes what a killed one left.
    """
    check_new_folder(path)
    unfinished = path.absolute().with_name(f".{path.absolute().name}.unfinished")
    try:
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(parents=True)
        yield unfinished
        if path.is_dir():
            path.rmdir()
        unfinished.replace(path)
    except OSError as error:
        raise RunError(f"Could not write {path}: {error.strerror or error}.") from error
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


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
    return written.rstrip("\n")


def file_names(names: Iterable[str]) -> list[str]:
    """A file name for each name; all are distinct on any file system."""
    stems: list[str] = []
    for name in names:
        start = re.sub(r"\W+", "-", name).strip("-").lower() or "unnamed"
        stem, number = start, 1
        while stem in stems:
            number += 1
            stem = f"{start}-{number}"
        stems.append(stem)
    return stems


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
    settings = msgspec.to_builtins(protocol)
    rows = [
        (name, code_span(json.dumps(value, ensure_ascii=False)))
        for name, value in settings.items()
        if name not in ("name", "about")
    ]
    yield from (*markdown_table(("setting", "value"), rows), "")


def fault_lines(card: SuiteCard, heading: str) -> Iterator[str]:
    """Known issues of the published version, under a heading of that level (`##`)."""
    if card.faults:
        yield from (f"{heading} Known issues of the published version", "")
        yield from (f"- {fault}" for fault in card.faults)
        yield ""
