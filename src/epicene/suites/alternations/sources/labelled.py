"""Sentences one by one, each labelled as acceptable or not (CLAMS, BLiMP-NL)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import regex

from epicene.core.data_files import iterate_lines, read_rows
from epicene.core.errors import InputError
from epicene.suites.alternations.items import Pair
from epicene.suites.alternations.sources.files import LocatedPair, short_code

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from epicene.suites.alternations.sources.files import PairFile

CLAMS_LINE = regex.compile(r"(True|False)\t(.*)", regex.S)
_CLAMS_FOLDER = regex.compile(r"([a-z]{2,3})_(?:\w+_)?evalset")

BLIMP_NL_COLUMNS = ("Grammaticality", "Sentence", "Phenomenon", "Paradigm")
_BLIMP_NL_LABELS = {"grammatical": True, "ungrammatical": False}


class LabelledSentence(NamedTuple):
    """A sentence, whether it is acceptable, what it tests, and its location."""

    location: str
    acceptable: bool
    text: str
    phenomenon: str
    columns: dict[str, str] = {}


def read_clams(file: PairFile) -> Iterator[LocatedPair]:
    """The pairs of a file of lines `True<TAB>sentence` and `False<TAB>sentence`.

    The folder says the language (`fr_evalset`), the file what is tested.
    """
    file.refuse_columns()
    folder = _CLAMS_FOLDER.fullmatch(file.path.resolve().parent.name)
    language = short_code(folder[1]) if folder else ""
    return _pairs(file, _clams_sentences(file.path), file.language or language)


def _clams_sentences(path: Path) -> Iterator[LabelledSentence]:
    for number, line in enumerate(iterate_lines(path), start=1):
        if not line.strip():
            continue
        location = f"{path}, line {number},"
        found = CLAMS_LINE.fullmatch(line.rstrip("\r\n"))
        if found is None:
            raise InputError(
                f"{location} must be True or False, a tab and a sentence, like the lines before it."
            )
        yield LabelledSentence(location, found[1] == "True", found[2], path.stem)


def read_blimp_nl(file: PairFile) -> Iterator[LocatedPair]:
    """The pairs of a table with a row per sentence and its grammaticality."""
    return _pairs(file, _blimp_nl_sentences(file), file.language or "nl")


def _blimp_nl_sentences(file: PairFile) -> Iterator[LabelledSentence]:
    for line in read_rows(file.path, file.columns):
        missing = [name for name in BLIMP_NL_COLUMNS if name not in line.values]
        if missing:
            raise InputError(f"{line.location} has no {missing[0]!r}.")
        label, text, phenomenon, paradigm = (str(line.values[n]) for n in BLIMP_NL_COLUMNS)
        if label.strip().lower() not in _BLIMP_NL_LABELS:
            raise InputError(
                f"{line.location} has the grammaticality {label!r}; it must be Grammatical or "
                "Ungrammatical."
            )
        acceptable = _BLIMP_NL_LABELS[label.strip().lower()]
        yield LabelledSentence(line.location, acceptable, text, phenomenon, {"paradigm": paradigm})


def _pairs(
    file: PairFile, sentences: Iterable[LabelledSentence], language: str
) -> Iterator[LocatedPair]:
    """One pair per unacceptable sentence, with the acceptable sentence before it."""
    good: LabelledSentence | None = None
    number = of_this = 0  # pairs so far: all, and with this acceptable sentence
    for sentence in sentences:
        if not sentence.text.strip():
            raise InputError(f"{sentence.location} has no sentence.")
        if sentence.acceptable:
            _check_paired(good, of_this)
            good, of_this = sentence, 0
            first = f"{file.prefix}{number + 1}"
            continue
        if good is None:
            raise InputError(
                f"{sentence.location} is not acceptable, but there is no acceptable sentence "
                "before it to form a pair."
            )
        number += 1
        of_this += 1
        pair = Pair(
            id=f"{file.prefix}{number}",
            group=first if of_this > 1 else "",
            language=language,
            good=good.text,
            bad=sentence.text,
            phenomenon=sentence.phenomenon,
            columns=sentence.columns,
        )
        yield LocatedPair(sentence.location, pair)
    _check_paired(good, of_this)


def _check_paired(good: LabelledSentence | None, pairs: int) -> None:
    if good is not None and not pairs:
        raise InputError(
            f"{good.location} is acceptable, but no unacceptable sentence follows it to form a "
            "pair."
        )
