"""The paper's own wording, read from the user's copy of its material.

Prompts, questions and templates of a paper are not shipped. Under `wording=paper` they are read
from JSON files in the folder that EPICENE_PUBLISHED_DATA names, and become settings of the protocol
that a run stores: reading a stored run needs no folder. To use it a suite

- has in its protocol a setting `wording` with the values `paper` and `mixed` (the paper's, except
  for what the user sets), and one setting per file, empty by default;
- names them in `Suite.paper_material`: `PaperMaterial({SETTING: MaterialFile(PATH, read)},
  extract)`. `read(content, source)` checks a file's content and returns the setting's value;
  `extract(text)` finds the content of the files, by path, in the text of the paper, and raises an
  InputError if it does not find all of it;
- says in `Protocol.whose_wording` what the headers of tables call it.

`with_paper_wording` is called when a run begins, `read_material` reads one more file (for `build`),
and `extract_material` implements `epicene data extract SUITE`.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from epicene.core.data_files import read_text, read_toml_or_json
from epicene.core.errors import InputError
from epicene.core.files import write_atomically
from epicene.core.requirements import require

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from epicene.suites import Protocol, Suite

FOLDER_VARIABLE = "EPICENE_PUBLISHED_DATA"
PAPER, MIXED = "paper", "mixed"
EPICENES_WORDING = "Epicene's"
UNKNOWN_WORDING = "unknown (given answers)"


class MaterialFile(NamedTuple):
    """A file below the folder of published data, and how its content becomes a setting."""

    path: str
    read: Callable[[dict[str, Any], str], Any]


class PaperMaterial(NamedTuple):
    """The files of a suite by the setting that takes each, and how to find them in the paper."""

    files: Mapping[str, MaterialFile]
    extract: Callable[[str], Mapping[str, Any]]


def mark_own_wording(suite: Suite[Any, Any], settings: dict[str, Any], protocol: Protocol) -> None:
    """Set the wording to mixed if the user sets part of what would be the paper's."""
    files = suite.paper_material.files if suite.paper_material else ()
    wording = settings.get("wording", _wording(protocol))
    if wording == PAPER and any(settings.get(name) for name in files):
        settings["wording"] = MIXED


def with_paper_wording(suite: Suite[Any, Any], protocol: Protocol) -> Protocol:
    """The protocol with the paper's wording if it uses that; an error if a file is missing."""
    material = suite.paper_material
    if material is None or _wording(protocol) not in (PAPER, MIXED):
        return protocol
    empty = {name: file for name, file in material.files.items() if not getattr(protocol, name)}
    found = {}
    for name, file in empty.items():
        source, content = read_material(suite.name, file.path)
        found[name] = file.read(content, str(source))
    if len(found) == len(material.files):
        found["wording"] = PAPER  # also where it was called mixed
    return msgspec.structs.replace(protocol, **found)


def read_material(suite: str, path: str) -> tuple[Path, dict[str, Any]]:
    """A file of a paper's material, and its content; the error for a missing file says how to get
    it."""
    folder = os.environ.get(FOLDER_VARIABLE, "")
    source = Path(folder, path)
    if not folder or not source.is_file():
        where = f"{folder} has no {path}" if folder else f"{FOLDER_VARIABLE} is not set"
        raise InputError(
            f"The paper's own wording is read from {path} in the folder that {FOLDER_VARIABLE} "
            f"names, and {where}: `epicene data extract {suite} PAPER --out FOLDER` writes it "
            "from a text or PDF of the paper; --set wording=epicene uses Epicene's wording "
            "instead."
        )
    return source, read_toml_or_json(source)


def extract_material(suite: Suite[Any, Any], paper: Path, out: Path) -> list[Path]:
    """Write the files of a suite's material, found in a text or PDF of its paper."""
    if suite.paper_material is None:
        raise InputError(f"The suite {suite.name} does not read any wording from its paper.")
    text_of_paper = paper_text(paper)
    try:
        found = suite.paper_material.extract(text_of_paper)
    except InputError as error:
        raise InputError(f"{paper}: {error} Nothing was written.") from error
    for path, content in found.items():
        text = msgspec.json.format(msgspec.json.encode(content), indent=1)
        write_atomically(out / path, text + b"\n")
    return [out / path for path in found]


def paper_text(path: Path) -> str:
    """The text of a paper: the pages of a PDF in order, or a text file as it is."""
    try:
        if path.suffix.lower() != ".pdf":
            return read_text(path)
        require("pypdf", "Reading a PDF", "pdf", "give the paper as a text file")
        from pypdf import PdfReader
        from pypdf.errors import PyPdfError

        try:
            return "\n".join(page.extract_text() for page in PdfReader(path).pages)
        except PyPdfError as error:
            raise InputError(f"Could not read {path} as a PDF: {error}.") from error
    except OSError as error:
        raise InputError(f"Could not read {path}: {error}.") from error


def _wording(protocol: Protocol) -> str:
    return str(getattr(protocol, "wording", ""))
