"""Which pairs a run uses: the user's file or folder, or the starter set."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from epicene import languages
from epicene.core import registry
from epicene.core.data_files import read_records
from epicene.core.errors import InputError, unknown
from epicene.suites import Dataset
from epicene.suites.data_origin import user_data_name
from epicene.suites.genform.file_layout import data_files, file_layout
from epicene.suites.genform.items import Pair
from epicene.suites.genform.neutral_words import neutral_languages
from epicene.suites.genform.prompts import read_prompt_templates

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from epicene.suites import DataSource
    from epicene.suites.genform.file_layout import FileLayout
    from epicene.suites.genform.protocol import GenformProtocol

STARTER = Path(__file__).parent / "starter"
# The default set: the paper's languages. The setting `language` names another, as in language=de.
_DEFAULT_LANGUAGES = ("ar", "fr", "hi")
_SUFFIXES = (".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet")


def read(source: DataSource, protocol: GenformProtocol) -> Dataset:
    """A file of pairs, a folder of such files, or the starter set."""
    if protocol.prompt:  # refuse an invalid prompt before anything else
        read_prompt_templates(protocol.prompt)
    path = source.path or STARTER
    if source.path is None:
        files = _starter_files(protocol.language, only_neutral=not protocol.genders)
    else:
        files = data_files(path, _SUFFIXES) if path.is_dir() else [path]
    below = [file.relative_to(path) if file != path else Path(file.name) for file in files]
    layouts = [
        file_layout(file, place, source.columns, protocol.language)
        for file, place in zip(files, below, strict=True)
    ]
    pairs = tuple(
        pair
        for file, place, layout in zip(files, below, layouts, strict=True)
        for pair in _pairs(file, layout, "-".join(place.with_suffix("").parts))
    )
    remarks = (layout.remark for layout in layouts if layout.remark)
    return Dataset(
        "starter" if source.path is None else user_data_name(path.name),
        files,
        pairs,
        remarks=(*remarks, *(_neutral_remarks(pairs) if protocol.asks_neutral else ())),
    )


def _neutral_remarks(pairs: Iterable[Pair]) -> Iterator[str]:
    """Which languages are not asked for neutral forms; an error if that is all of them."""
    found = {pair.language for pair in pairs}
    without = sorted(languages.get(code).name for code in found.difference(neutral_languages()))
    if len(without) == len(found):
        known = ", ".join(languages.get(code).name for code in neutral_languages())
        raise InputError(
            f"There are no neutral forms in {', '.join(without)}; there are in {known}: use other "
            "data, or leave neutral out of --set targets."
        )
    if without:
        yield f"Sentences in {', '.join(without)} are not rewritten for the target neutral."


def _starter_files(language: str, *, only_neutral: bool = False) -> list[Path]:
    known = sorted(file.stem for file in STARTER.glob("*.jsonl"))
    if language and language not in known:
        raise unknown("starter set for the language", language, known)
    codes: tuple[str, ...]
    codes = _DEFAULT_LANGUAGES if language in {"", *_DEFAULT_LANGUAGES} else (language,)
    if only_neutral:  # the languages that have neutral forms, or one of them
        codes = (language,) if language else tuple(c for c in known if c in neutral_languages())
    return [STARTER / f"{code}.jsonl" for code in codes]


def _pairs(file: Path, layout: FileLayout, name: str) -> Iterator[Pair]:
    """The pairs of a file; without ids, they are numbered by row after its name."""
    known = {"language": layout.language, "rule": layout.rule}
    given = {name: value for name, value in known.items() if value}

    def defaults(number: int) -> dict[str, str]:
        return {"id": f"{name}-{number}", **given}

    for pair in read_records(file, Pair, layout.columns, defaults):
        code = _language_code(pair.language, f"{file}, the pair {pair.id!r}:")
        yield pair if code == pair.language else msgspec.structs.replace(pair, language=code)


def _language_code(language: str, location: str) -> str:
    """The code of a language that is given by its code or its English name."""
    known = registry.names("languages")
    if language in known:
        return language
    for code in known:
        if languages.get(code).name.casefold() == language.strip().casefold():
            return code
    raise InputError(f"{location} {unknown('language', language, known)}")


def is_published(files: Iterable[tuple[str, str]]) -> bool:
    """Whether these are MORPHOGEN, which is not public: only the names of the files can tell."""
    return all("morphogen" in name.lower() for name, _ in files)


def stratum(pair: Pair) -> tuple[str, str]:
    """`--limit N` takes N pairs of each language, spread over the rules."""
    return pair.language, pair.rule


def corpus(pair: Pair) -> Iterator[str]:
    """Both forms, or the one form of a neutral pair."""
    yield from dict.fromkeys((pair.masculine, pair.feminine))
