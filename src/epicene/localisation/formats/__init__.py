"""The file formats, found by the name of a file."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

from epicene.core.errors import InputError, unknown
from epicene.localisation.file_languages import base_language, language_of_path
from epicene.localisation.file_texts import read_file_text
from epicene.localisation.strings import LocalisedFile, ReadOptions

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path


class Format(NamedTuple):
    """A file format: the extensions of its files, and its module.

    The module has a function `read`, and `charset` if such files can name their encoding.
    """

    suffixes: tuple[str, ...]
    module: str


FORMATS: Mapping[str, Format] = {
    "po": Format((".po", ".pot"), "po"),
    "xliff": Format((".xlf", ".xliff", ".mxliff", ".sdlxliff"), "xliff"),
    "tmx": Format((".tmx",), "tmx"),
    "android": Format((".xml",), "android"),
    "strings": Format((".strings",), "apple_strings"),
    "xcstrings": Format((".xcstrings",), "xcstrings"),
    "arb": Format((".arb",), "arb"),
    "json": Format((".json",), "json_tree"),
    "yaml": Format((".yml", ".yaml"), "yaml_tree"),
    "fluent": Format((".ftl",), "fluent"),
    "csv": Format((".csv", ".tsv"), "table"),
    "srt": Format((".srt",), "subtitles"),
    "vtt": Format((".vtt",), "subtitles"),
    "markdown": Format((".md", ".markdown"), "markdown"),
    "html": Format((".html", ".htm", ".xhtml"), "html_page"),
    "text": Format((".txt",), "plain"),
}


def known_format(name: str) -> str:
    """The format of a file with that name, "" if it is unknown."""
    small = name.lower()
    return next((each for each, form in FORMATS.items() if small.endswith(form.suffixes)), "")


def format_of(path: Path) -> str:
    """The format of a file, by its name."""
    if found := known_format(path.name):
        return found
    raise InputError(
        f"The format of {path} is unknown; use --format with one of {', '.join(FORMATS)}."
    )


def check_columns(
    paths: Iterable[Path],
    format: str | None,  # noqa: A002 - as a user calls it
    columns: Mapping[str, str] | None,
) -> None:
    """Raise if columns are named but none of the files is a table."""
    if columns and not any((format or format_of(path)) == "csv" for path in paths):
        raise InputError("--column applies to tables (CSV, TSV), but no FILE is one; leave it out.")


def read_localised_file(
    path: Path,
    *,
    format: str | None = None,  # noqa: A002 - as a user calls it
    language: str | None = None,
    columns: Mapping[str, str] | None = None,
    force_language: bool | None = None,
) -> LocalisedFile:
    """The translated strings of a file.

    `language` (a region is dropped: fr-CA is fr) must be the one that the file or its path names,
    unless it is forced (None: the caller has no option for that); if neither names one, it is
    `language`, or "". From a file in several languages, only the strings in `language` are read.
    `columns` are the names of a table's columns: text, key, source, comment, people.
    """
    name = format or format_of(path)
    if name not in FORMATS:
        raise unknown("format", name, FORMATS, every=True)
    module = import_module(f"{__name__}.{FORMATS[name].module}")
    file = read_file_text(path, getattr(module, "charset", None))
    wanted = base_language(language or "")
    if language and not wanted:
        raise InputError(f"{language!r} is not a language code, such as fr or fr-CA.")
    options = ReadOptions(wanted, dict(columns or {}))
    return LocalisedFile(
        file,
        name,
        lambda text: module.read(text, options),
        language=wanted,
        path_language=language_of_path(path),
        force_language=force_language,
    )
