"""Writing a folder for others, and the YAML in it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from epicene.errors import InputError
from epicene.runs.files import write_whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path


class Function(str):
    """A Python function that YAML names: `module.function`, of a file beside it."""

    __slots__ = ()


def new_folder(path: Path) -> None:
    """Raise unless the folder can be made or is empty: an export never mixes with other files."""
    if path.exists() and not path.is_dir():
        raise InputError(f"{path} is a file; an export wants a folder of its own (--out).")
    if path.is_dir() and any(path.iterdir()):
        raise InputError(f"{path} is not empty; an export wants a folder of its own (--out).")


def write_text(path: Path, lines: Iterable[str]) -> None:
    """Write lines as UTF-8."""
    write_whole(path, "".join(f"{line}\n" for line in lines).encode())


def as_yaml(content: Mapping[str, Any]) -> str:
    """A mapping as YAML, in its order, letters of any script as they are."""
    import yaml

    class Dumper(yaml.SafeDumper):  # type: ignore[misc]
        def ignore_aliases(self, _data: object) -> bool:
            return True

    Dumper.add_representer(
        Function, lambda dumper, name: dumper.represent_scalar("!function", str(name))
    )
    written: str = yaml.dump(
        dict(content), Dumper=Dumper, sort_keys=False, allow_unicode=True, width=100
    )
    return written


def front_matter(content: Mapping[str, Any]) -> Iterator[str]:
    """The YAML that stands at the head of a card."""
    yield "---"
    yield as_yaml(content).rstrip("\n")
    yield "---"
    yield ""


def file_names(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Each name with one that a file can have; no two share one, whatever the file system."""
    taken: set[str] = set()
    for name in names:
        stem = start = re.sub(r"\W+", "-", name).strip("-").lower() or "unnamed"
        number = 1
        while stem in taken:
            number += 1
            stem = f"{start}-{number}"
        taken.add(stem)
        yield name, stem
