"""MT-GenEval: parallel files with one sentence per gender, or one sentence after its context."""

from __future__ import annotations

from itertools import product, zip_longest
from typing import TYPE_CHECKING, NamedTuple

import regex

from epicene.core.data_files import iterate_lines
from epicene.core.errors import InputError
from epicene.suites.translation.items import (
    CONTEXTUAL,
    COUNTERFACTUAL,
    FEMININE,
    MASCULINE,
    Sentence,
    pronoun_gender,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

_GENEVAL_NAME = regex.compile(
    r"geneval-(?:sentences-(?P<gender>feminine|masculine)|context-\w+-(?P<part>2to1|original|flipped))"
    r"-(?P<split>\w+)\.en_(?P<language>\w+)\.(?P<side>\w+)"
)
# The parts of one language and split: which file has the source and the references.
_GENEVAL_PARTS = {
    COUNTERFACTUAL: (("feminine", "en"), ("feminine", ""), ("masculine", "en"), ("masculine", "")),
    CONTEXTUAL: (("2to1", "en"), ("original", ""), ("flipped", "")),
}
_BRACKETS = regex.compile(r"\[([^\[\]]*)\]")


def geneval_name(path: Path) -> dict[str, str] | None:
    """What the name of a file of MT-GenEval says; None for any other file."""
    found = _GENEVAL_NAME.fullmatch(path.name)
    return {name: value or "" for name, value in found.groupdict().items()} if found else None


class GenevalFiles(NamedTuple):
    """The parallel files of one language and split, in the order of `_GENEVAL_PARTS`."""

    origin: str
    language: str
    split: str
    files: tuple[Path, ...]


def geneval_sets(paths: Sequence[Path]) -> tuple[list[GenevalFiles], list[str]]:
    """The complete sets among the files, and notes on what the others lack.

    If two folders have a file of the same name, the first by path without `annotated` counts.
    """
    by_name: dict[tuple[str, str, str, str], Path] = {}
    keys: dict[tuple[str, str], None] = {}
    for path in sorted(paths, key=lambda each: ("annotated" in each.parts, each)):
        said = geneval_name(path) or {}
        side = "en" if said["side"] == "en" else ""
        named = (said["gender"] or said["part"], side, said["language"], said["split"])
        by_name.setdefault(named, path)
        keys[said["language"], said["split"]] = None
    sets, missing = [], []
    for (language, split), (origin, parts) in product(sorted(keys), _GENEVAL_PARTS.items()):
        found = [by_name.get((*part, language, split)) for part in parts]
        there = tuple(each for each in found if each)
        if len(there) == len(parts):
            sets.append(GenevalFiles(origin, language, split, there))
        elif there:
            missing.append(
                f"{origin} {split}, {language}: {len(parts) - len(there)} of {len(parts)} "
                "parallel files are missing, so the others are left out."
            )
    return sets, missing


def read_geneval(files: GenevalFiles) -> Iterator[Sentence]:
    """The sentences of parallel files: one per gender, or one after its context."""
    lines = (_stripped(path) for path in files.files)
    prefix = f"{files.language}-{'context' if files.origin == CONTEXTUAL else 'geneval'}"
    for number, row in enumerate(zip_longest(*lines), start=1):
        if None in row:
            short = files.files[row.index(None)]
            raise InputError(
                f"{short} has {number - 1} lines, fewer than the files it is parallel to."
            )
        name = f"{prefix}-{files.split}-{number}"
        if files.origin == CONTEXTUAL:
            yield _contextual(files, name, row)
            continue
        for gender, source, right, wrong in (
            (FEMININE, row[0], row[1], row[3]),
            (MASCULINE, row[2], row[3], row[1]),
        ):
            yield Sentence(
                id=f"{name}-{gender[0]}",
                group=name,
                language=files.language,
                origin=COUNTERFACTUAL,
                split=files.split,
                source=source,
                gender=gender,
                references={"right": right, "wrong": wrong},
            )


def _contextual(files: GenevalFiles, name: str, row: tuple[str, ...]) -> Sentence:
    context, mark, source = row[0].rpartition("<sep>")
    if not mark:
        raise InputError(
            f"{files.files[0]}, line {name.rpartition('-')[2]}, has no <sep> between the context "
            "and the sentence."
        )
    return Sentence(
        id=name,
        language=files.language,
        origin=CONTEXTUAL,
        split=files.split,
        context=context.strip(),
        source=source.strip(),
        gender=pronoun_gender(row[0]),
        references={"right": row[1], "wrong": row[2]},
    )


def _stripped(path: Path) -> Iterator[str]:
    """Lines without their end, the quotes of a spreadsheet and the brackets of annotators."""
    for line in iterate_lines(path):
        yield _BRACKETS.sub(r"\1", unquoted(line.strip()))


def unquoted(text: str) -> str:
    """The text without the quotation marks of a CSV file: "He said ""no""." """
    inside = text[1:-1].replace('""', "")
    is_quoted = len(text) > 1 and text[0] == text[-1] == '"' and '"' not in inside
    return text[1:-1].replace('""', '"') if is_quoted and '""' in text[1:-1] else text
