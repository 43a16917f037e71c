"""Find the columns, the language and the rule of a file that names them differently.

MORPHOGEN's release is not public yet. The paper says what it contains (both forms, the English, the
rule) and prints columns as EN, FR (M), FR (F) or (M), (F); a file with these or similar names is
read without `--column`. A note says how it was read.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import regex

from epicene import languages
from epicene.core import registry
from epicene.core.data_files import read_rows
from epicene.core.errors import InputError
from epicene.suites.genform.items import rules_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

# By our names: what a column may be called besides, in lower case and letters only.
_NAMES = {
    "masculine": ("masculine", "male", "man", "masc", "m"),
    "feminine": ("feminine", "female", "woman", "fem", "f"),
    "english": ("english", "en", "eng", "source"),
    "rule": ("rule", "ruletype", "rulename", "type", "category"),
    "language": ("language", "lang"),
}
# What says nothing about which column it is.
_FILLERS = regex.compile(r"(?<=.)(?:sentences?|forms?|texts?|speaker|version)|^sentences?(?=.)")


class FileLayout(NamedTuple):
    """The columns of a file by our names, other values its rows lack, and how they were found."""

    columns: Mapping[str, str]
    language: str
    rule: str
    remark: str


def file_layout(file: Path, below: Path, columns: Mapping[str, str], language: str) -> FileLayout:
    """How to read a file: the user's columns first, then ours, then names like the paper's.

    `below` is its path in the folder of data, whose names may show the language.
    """
    first = next(islice(read_rows(file), 1), None)
    there = list(first.values) if first is not None else []
    spoken = language or _language_in(below)
    found, codes = dict(columns), set()
    for name, known in _NAMES.items():
        if name in found or name in there:
            continue
        for column in there:
            code, plain = _without_language(column)
            if plain in known and not (code and name in ("english", "rule")):
                found[name] = column
                codes.add(code)
                break
    if "language" not in found and "language" not in there:
        spoken = next(filter(None, codes), spoken)
    else:
        spoken = language
    rule = file.stem if file.stem in rules_of(spoken) and "rule" not in {*found, *there} else ""
    added = [f"{name} from {column!r}" for name, column in found.items() if name not in columns]
    added += [f"language {spoken}"] if spoken != language else []
    added += [f"rule {rule!r} from its name"] if rule else []
    remark = f"{file.name}: {', '.join(added)}." if added else ""
    return FileLayout(found, spoken, rule, remark)


def _without_language(column: str) -> tuple[str, str]:
    """The code of the language that a column's name begins or ends with, and the rest of it."""
    plain = regex.sub(r"[^\p{L}]+", " ", column.casefold()).split()
    for place in (0, -1):
        code = _code(plain[place]) if len(plain) > 1 else ""
        if code and code != "en":
            del plain[place]
            return code, _FILLERS.sub("", "".join(plain))
    return "", _FILLERS.sub("", "".join(plain))


def _language_in(below: Path) -> str:
    """The language that the name of a file, or of a folder it is in, has as a word."""
    for name in (below.stem, *reversed(below.parts[:-1])):
        found = {_code(word) for word in regex.findall(r"\p{L}+", name.casefold())} - {"", "en"}
        if len(found) == 1:
            return found.pop()
    return ""


def _code(word: str) -> str:
    known = registry.names("languages")
    by_name = {languages.get(code).name.casefold(): code for code in known}
    return word if word in known else by_name.get(word, "")


def data_files(folder: Path, suffixes: tuple[str, ...]) -> list[Path]:
    """The files of pairs in a folder; if it has none, those in its folders."""
    for pattern in ("*", "**/*"):
        files = sorted(each for each in folder.glob(pattern) if each.suffix.lower() in suffixes)
        if files:
            return files
    raise InputError(f"{folder} has no file of pairs ({', '.join(suffixes)}).")
