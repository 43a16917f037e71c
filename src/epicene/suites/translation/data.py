"""The sentences of a run: files in a published layout, the user's own, or the starter set."""

from __future__ import annotations

import tomllib
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import regex

from epicene.core.data_files import sha256_of
from epicene.core.errors import InputError, unknown
from epicene.suites import Dataset
from epicene.suites.data_origin import user_data_name
from epicene.suites.translation import sources
from epicene.suites.translation.entities import LANGUAGES
from epicene.suites.translation.geneval import geneval_name, geneval_sets, read_geneval
from epicene.suites.translation.items import ANNOTATIONS, GATE, OWN, WINOMT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from epicene.suites import DataSource
    from epicene.suites.translation.items import Sentence
    from epicene.suites.translation.protocol import TranslationProtocol

STARTER_FILE = Path(__file__).parent / "starter" / "sentences.jsonl"
_SHOWN = 5  # files that a note names


class _Reader(NamedTuple):
    files: tuple[Path, ...]
    # The languages matter only to files that name none.
    sentences: Callable[[Sequence[str]], Iterator[Sentence]]


class SentenceStream:
    """Sentences that can be iterated more than once and are never all in memory."""

    def __init__(self, readers: list[_Reader], protocol: TranslationProtocol) -> None:
        self._readers = readers
        self._wanted = protocol.languages
        self._split = protocol.split

    def __iter__(self) -> Iterator[Sentence]:
        return self.into(self._wanted or LANGUAGES)

    def into(self, languages: Sequence[str]) -> Iterator[Sentence]:
        """The sentences; for files that name no language, only in these languages."""
        for reader in self._readers:
            for sentence in reader.sentences(languages):
                if self._wanted and sentence.language not in self._wanted:
                    continue
                if not self._split or sentence.split in ("", self._split):
                    yield sentence


class _Survey:
    """The files of the data by layout, and notes on them."""

    def __init__(self, path: Path, source: DataSource, protocol: TranslationProtocol) -> None:
        self.remarks: list[str] = []
        self.notes: list[str] = []
        self._by_layout: dict[str, list[Path]] = {}
        unknown_files = []
        for file in _files_in(path):
            name = file.relative_to(path).as_posix() if path.is_dir() else file.name
            layout = sources.detect_layout(file)
            if layout is None and not path.is_dir():
                raise sources.unrecognised(file)
            if layout is None:
                unknown_files.append(name)
                continue
            self.remarks.append(f"{name}: {layout.name or 'left out'} ({layout.why}).")
            if layout.name:
                self._by_layout.setdefault(layout.name, []).append(file)
        if unknown_files:
            more = f" and {len(unknown_files) - _SHOWN} more" * (len(unknown_files) > _SHOWN)
            self.notes.append(
                "Left out because their layout is unknown: "
                f"{', '.join(unknown_files[:_SHOWN])}{more}."
            )
        self.readers = list(self._all_readers(path, source, protocol))
        if not self.readers:
            known = sources.known_layouts()
            seen = " ".join((*self.notes, *self.remarks)[:_SHOWN])
            raise InputError(f"{path} has no sentences in a known layout ({known}). {seen}")

    def _all_readers(
        self, path: Path, source: DataSource, protocol: TranslationProtocol
    ) -> Iterator[_Reader]:
        english = self._winomt_files()
        for code in protocol.languages if english else ():
            if code not in LANGUAGES:
                raise unknown("list of nouns for the language", code, LANGUAGES)
        for each in english:
            name = "winomt" if len(english) == 1 else each.stem
            yield _Reader((each,), partial(sources.read_winomt, each, name))
        yield from self._annotation_readers(english)
        paths = self._by_layout.get("MT-GenEval", [])
        if paths and not path.is_dir():  # one file of several that are parallel
            paths = [each for each in path.parent.iterdir() if _is_parallel(each, path)]
        sets, missing = geneval_sets(paths)
        self.notes += missing
        for files in sets:
            yield _Reader(files.files, partial(_in_one_language, read_geneval, files))
        named = protocol.language
        tables, copies = sources.gate_files(self._by_layout.get(GATE, []))
        if copies:
            names = ", ".join(sorted({each.name for each in copies}))
            self.notes.append(f"{names}: left out, because other files have the same sentences.")
        for each in tables:
            reader = partial(_in_one_language, sources.read_gate, each, named)
            yield _Reader((each,), reader)
        own = self._by_layout.get(OWN, [])
        for each in own:
            prefix = f"{each.stem}-" * (len(own) > 1)
            reader = partial(
                _in_one_language, sources.read_own, each, prefix, source.columns, named
            )
            yield _Reader((each,), reader)

    def _winomt_files(self) -> list[Path]:
        """The files of WinoMT without those whose sentences are also in en.txt."""
        found = self._by_layout.get(WINOMT, [])
        whole = [each for each in found if each.name == "en.txt"]
        if whole and len(found) > 1:
            rest = ", ".join(each.name for each in found if each != whole[0])
            self.notes.append(f"{rest}: left out, because en.txt has their sentences.")
        return whole[:1] or found

    def _annotation_readers(self, english: list[Path]) -> Iterator[_Reader]:
        seen: dict[str, str] = {}
        for each in self._by_layout.get(ANNOTATIONS, []):
            sha256, language = sha256_of(each), sources.annotation_language(each)
            if language not in LANGUAGES:
                self.notes.append(
                    f"{each.name}: left out, because there are no nouns for {language}."
                )
            elif not english:
                self.notes.append(f"{each.name}: left out, because there is no en.txt next to it.")
            elif sha256 in seen:
                self.notes.append(f"{each.name}: left out, a copy of {seen[sha256]}.")
            else:
                seen[sha256] = each.name
                reader = partial(_in_one_language, sources.read_annotations, each, english[0])
                yield _Reader((each,), reader)


def _in_one_language(
    read: Callable[..., Iterator[Sentence]], *arguments: object
) -> Iterator[Sentence]:
    """The sentences of a reader that takes no languages, the last argument."""
    return read(*arguments[:-1])


def _files_in(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    return sorted(
        each
        for each in path.rglob("*")
        if each.is_file()
        and (each.suffix.lower() in sources.SUFFIXES or geneval_name(each))
        and not any(part.startswith(".") for part in each.relative_to(path).parts)
    )


def _is_parallel(path: Path, other: Path) -> bool:
    """Whether two files of MT-GenEval have the same subset, language and split."""
    one, two = geneval_name(path), geneval_name(other)
    if one is None or two is None:
        return False
    return all(one[name] == two[name] for name in ("language", "split")) and (
        bool(one["gender"]) == bool(two["gender"])
    )


def read(source: DataSource, protocol: TranslationProtocol) -> Dataset:
    """The starter set, a file or a folder; every sentence is read once to find errors."""
    for code in protocol.languages:
        if len(code) not in (2, 3) or not code.isalpha():
            raise unknown("language", code, LANGUAGES)
    if source.path is None:
        languages = [code for code in LANGUAGES if code in (protocol.languages or LANGUAGES)]
        if not languages:
            raise unknown("language of the starter set", protocol.languages[0], LANGUAGES)
        sentences = list(sources.read_starter(STARTER_FILE, languages))
        return Dataset("starter", [STARTER_FILE], sentences)
    survey = _Survey(source.path, source, protocol)
    stream = SentenceStream(survey.readers, protocol)
    if not sum(
        not sentence.human for sentence in stream.into((protocol.languages or LANGUAGES)[:1])
    ):
        raise InputError(f"{source.path} has no sentences for the set languages and split.")
    return Dataset(
        name=user_data_name(source.path.resolve().name),
        files=[file for reader in survey.readers for file in reader.files],
        items=stream,
        remarks=tuple(survey.remarks),
        notes=tuple(survey.notes),
    )


def stratum(sentence: Sentence) -> tuple[str, str]:
    """`--limit N` takes N sentences of each set and language, spread over genders and roles."""
    return (
        f"{sentence.language} {sentence.origin}",
        f"{sentence.gender}/{sentence.stereotype}",
    )


def drawn_by(sentence: Sentence) -> str:
    """The sentence without its language, so that `--limit` draws the same ones for all of them."""
    return sentence.id.partition("-")[2] or sentence.id


def corpus(sentence: Sentence) -> Iterator[str]:
    """The English sentence."""
    yield sentence.source


# Published files of which no copy was at hand are known by their names.
_PUBLISHED_NAME = regex.compile(r"[A-Z]{2}_[248]_variants\.(?:tsv|txt)|[A-Z]{2}_\w+\.json")

_FILES = Path(__file__).parent / "published_files.toml"
PUBLISHED_SHA256: dict[str, str] = tomllib.loads(_FILES.read_text(encoding="utf-8"))
_NAMES = {Path(path).name for path in PUBLISHED_SHA256}


def is_published(files: Iterable[tuple[str, str]]) -> bool:
    """Whether all of these are published files: by their hashes, as far as those are known."""
    return all(
        sha256 in PUBLISHED_SHA256.values() or (name not in _NAMES and _is_published_name(name))
        for name, sha256 in files
    )


def _is_published_name(name: str) -> bool:
    return bool(geneval_name(Path(name)) or _PUBLISHED_NAME.fullmatch(name))
