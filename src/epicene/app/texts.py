"""What the commands for text read: texts, files with translated strings, or standard input."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO, NamedTuple, TypeAlias

from cyclopts import Parameter

from epicene.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cyclopts import Token

    from epicene.localisation.people import PeopleRules


def _paths(_: Any, tokens: Sequence[Token]) -> list[Path] | None:
    return [Path(token.value) for token in tokens] or None


# A text, or several; a file or folder, or several; None for the lines of standard input. On the
# command line they are files.
Given: TypeAlias = Annotated[
    str | Path | Iterable[str] | Iterable[Path] | None,
    Parameter(name="FILE", converter=_paths, n_tokens=-1, accepts_keys=False),
]
LanguageOption: TypeAlias = Annotated[str | None, Parameter(alias="-l", metavar="CODE")]
FileOption: TypeAlias = Annotated[str | Path | None, Parameter(metavar="PATH")]
OutOption: TypeAlias = Annotated[str | Path | None, Parameter(alias="-o", metavar="PATH")]

_INPUT = "Standard input"
# Formats that nothing but translations is written in; files of other formats are read from a
# folder only if they or their folders are named after a language.
_OF_TRANSLATIONS = ("po", "xliff", "tmx", "strings", "xcstrings", "arb", "fluent")


def texts_or_files(given: Given, language: str | None) -> tuple[list[str], list[Path]]:
    """The texts, or the files with those in folders; one of the two is empty."""
    if given is None:
        return [text for text, _ in read_lines(sys.stdin.buffer)], []
    several: Sequence[str | Path] = [given] if isinstance(given, str | Path) else list(given)
    texts = [each for each in several if isinstance(each, str)]
    paths = [each for each in several if isinstance(each, Path)]
    if texts and paths:
        raise InputError("Name texts or files, not both.")
    for text in texts:
        _refuse_path(text)
    return texts, list(_files(paths, language))


def _refuse_path(text: str) -> None:
    """Raise if a text is the name of a file with translated strings."""
    from epicene.localisation.formats import known_format

    if "\n" not in text and known_format(text) and os.path.isfile(text):  # noqa: PTH113 - any text
        raise InputError(f"{text!r} is read as a text; for the file, write Path({text!r}).")


def _files(paths: Iterable[Path], language: str | None) -> Iterator[Path]:
    for path in (each.expanduser() for each in paths):
        if not path.is_dir():
            yield path
            continue
        found = list(_translations(path, language))
        if not found:
            of_language = f" in {language!r}" if language else ""
            raise InputError(
                f"{path} has no files with translated strings{of_language}, such as fr.po or "
                "fr/app.json; name the files themselves."
            )
        yield from found


def _translations(folder: Path, language: str | None) -> Iterator[Path]:
    """The files in a folder that have translated strings, in `language` as far as their paths
    say.
    """
    from epicene.localisation.file_languages import (
        base_language,
        foreign_language_of_path,
        language_of_path,
    )
    from epicene.localisation.formats import known_format

    for path in sorted(folder.rglob("*")):
        kind = known_format(path.name)
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        if not kind or hidden or not path.is_file():
            continue
        named = language_of_path(path) or foreign_language_of_path(path)
        if not named and (kind not in _OF_TRANSLATIONS or path.suffix == ".pot"):
            continue
        if not language or named in ("", base_language(language)):
            yield path


class Line(NamedTuple):
    """A line of standard input, and its ending as it was."""

    text: str
    ending: bytes


def read_lines(lines: BinaryIO) -> Iterator[Line]:
    """Each line of UTF-8; raises at a line that is not, or that does not end."""
    from epicene.core.data_files import MAX_LINE_BYTES, decode_line, line_too_long

    number = 1
    while line := lines.readline(MAX_LINE_BYTES + 1):
        if len(line) > MAX_LINE_BYTES:
            raise line_too_long(_INPUT, number)
        text = line.rstrip(b"\r\n")
        yield Line(decode_line(text, _INPUT, number), line[len(text) :])
        number += 1


def refuse_file_options(**options: object) -> None:
    """Raise if an option that applies to files is given without any."""
    for name, value in options.items():
        if value:
            option = name.replace("_", "-")
            raise InputError(f"--{option} applies to files; name at least one FILE.")


def output_files(files: Sequence[Path], out: str | Path | None) -> list[Path]:
    """Where each file is written; empty if nothing is."""
    from epicene.localisation.rewrite_files import output_paths

    return [] if out is None else output_paths(files, Path(out).expanduser())


def people_rules(people: str | Path | None, outs: Iterable[Path]) -> PeopleRules:
    """Who "I" and "you" are, by the file `people`, which must not be one of those written."""
    from epicene.core.files import refuse_inputs
    from epicene.localisation.people import PeopleRules, read_people_rules

    if people is None:
        return PeopleRules()
    path = Path(people).expanduser()
    for each in outs:
        refuse_inputs(each, [path])
    return read_people_rules(path)
