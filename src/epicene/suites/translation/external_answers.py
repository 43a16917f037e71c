"""Read external translations: one line per sentence, `source ||| target`, or rows."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import regex

from epicene.core.data_files import ROW_FORMATS, iterate_lines, read_rows
from epicene.core.errors import InputError
from epicene.core.records import Text, Texts
from epicene.suites import AnsweredRequest, Answers
from epicene.suites.translation.ask import TRANSLATION
from epicene.suites.translation.items import FEMININE, MASCULINE
from epicene.suites.translation.sources import TRANSLATED_LINE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from epicene.suites import Dataset
    from epicene.suites.translation.items import Sentence
    from epicene.suites.translation.protocol import TranslationProtocol

_MOST_UNFITTING = 0.01  # of the lines of a file

_LANGUAGE = regex.compile(r"(?<![A-Za-z])(?:en[-_])?([a-z]{2,3})(?=\.[^.]*$|$)")


def read_answers(
    path: Path, dataset: Dataset, _: TranslationProtocol
) -> Iterator[tuple[Sentence, Answers]]:
    """Each sentence with its translation.

    A folder has one file per language (`en-es.txt`). A file has rows with `id` and `text`, lines
    `source ||| target`, or a line per sentence of its language, in the data's order; for
    MT-GenEval, it may have only one gender, which its name then shows.
    """
    files = sorted(each for each in path.iterdir() if each.is_file()) if path.is_dir() else [path]
    if not files:
        raise InputError(f"{path} has no files.")
    sentences: dict[str, list[Sentence]] = defaultdict(list)
    for sentence in dataset.items:
        sentences["" if sentence.human else sentence.language].append(sentence)
    judged = sentences.pop("", [])
    found: dict[str, str] = {}
    for file in files:
        if file.suffix.lower() in ROW_FORMATS:
            given = _from_rows(file, sentences)
        else:
            language = _language_of(file, sentences)
            given = _from_lines(file, sentences[language], language)
        if again := found.keys() & given.keys():
            raise InputError(
                f"{file} translates {len(again)} sentences that another file in {path} also "
                "translates; give the translations of one model only."
            )
        found |= given
    answered = set()
    for each in (sentence for some in sentences.values() for sentence in some):
        if each.id in found:
            answered.add(each.language)
            text = Texts(texts=(Text(text=found[each.id]),))
            yield each, Answers([AnsweredRequest(TRANSLATION, "model", "given", TRANSLATION, text)])
    # What people judged tells how far the judge of these languages can be trusted.
    yield from ((sentence, Answers()) for sentence in judged if sentence.language in answered)


def _language_of(path: Path, sentences: dict[str, list[Sentence]]) -> str:
    if len(sentences) == 1:
        return next(iter(sentences))
    named = [code for code in _LANGUAGE.findall(path.name) if code in sentences]
    named += [path.suffix[1:]] * (path.suffix[1:] in sentences)
    if not named:
        raise InputError(
            f"The name of {path} does not show its language ({', '.join(sentences)}): name it "
            "en-XX.txt, or set the language with --set languages=XX."
        )
    return str(named[0])


def _from_lines(path: Path, sentences: list[Sentence], language: str) -> dict[str, str]:
    lines = [line.rstrip("\r\n") for line in iterate_lines(path)]
    first = next((line for line in lines if line.strip()), "")
    if TRANSLATED_LINE.fullmatch(first):
        return _by_source(path, lines, sentences)
    for gender in (MASCULINE, FEMININE):
        if gender in path.name:
            sentences = [each for each in sentences if each.gender == gender]
    if len(lines) != len(sentences):
        raise InputError(
            f"{path} has {len(lines)} lines, but there are {len(sentences)} sentences to "
            f"translate into {language}; use an empty line for a sentence without a "
            "translation."
        )
    return {each.id: line for each, line in zip(sentences, lines, strict=True)}


def _by_source(path: Path, lines: list[str], sentences: list[Sentence]) -> dict[str, str]:
    """Lines `source ||| target`; of a source that is there several times, in the same order.

    The published files translate two sentences with pronouns that differ from WinoMT's: a few lines
    that match no sentence are skipped, and those sentences have no translation.
    """
    ids: dict[str, list[str]] = defaultdict(list)
    for each in reversed(sentences):
        ids[each.source.strip()].append(each.id)
    found: dict[str, str] = {}
    unfitting: list[int] = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        parts = TRANSLATED_LINE.fullmatch(line)
        if parts is None:
            raise InputError(f"{path}, line {number}, is not `source ||| target`.")
        if ids[parts[1].strip()]:
            found[ids[parts[1].strip()].pop()] = parts[2]
        else:
            unfitting.append(number)
    if len(unfitting) > _MOST_UNFITTING * len(lines):
        raise InputError(
            f"{path}, line {unfitting[0]}, translates a sentence that is not in the data, and "
            f"so do {len(unfitting) - 1} other lines; is it a translation of other sentences?"
        )
    return found


def _from_rows(path: Path, sentences: dict[str, list[Sentence]]) -> dict[str, str]:
    known = {each.id for some in sentences.values() for each in some}
    found: dict[str, str] = {}
    for row in read_rows(path):
        name, text = row.values.get("id"), row.values.get("text")
        if not isinstance(name, str) or not isinstance(text, str):
            raise InputError(f"{row.location} lacks `id` or `text`.")
        if name not in known:
            raise InputError(f"{row.location} translates {name!r}, which is not in the data.")
        if name in found:
            raise InputError(f"{row.location} translates {name!r} a second time.")
        found[name] = text
    return found
