"""Read minimal pairs: a user's files, published sets, the starter set.

Texts are given to the model byte for byte as in the file: published Hindi has letters that Unicode
normalisation would change.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from epicene.core.errors import InputError, unknown
from epicene.core.records import digest
from epicene.suites import Dataset
from epicene.suites.alternations.items import VARIANTS, Pair, RegionTest
from epicene.suites.alternations.sources import SUFFIXES, DetectedLayout, detect_layout
from epicene.suites.alternations.sources.files import PUBLISHED_FILES, PairFile
from epicene.suites.alternations.words import without_rules, words_by_unicode
from epicene.suites.data_origin import user_data_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from epicene.suites import DataSource
    from epicene.suites.alternations.protocol import AlternationsProtocol
    from epicene.suites.alternations.sources.files import LocatedPair

PUBLISHED_SHA256 = {
    "dv.json": "010970a87be26c569a3d00c14555ac93de5d599a39a45c28de27f446d1060c48",
    "sv.json": "7f3874d78479ad5a3a703d5a248f1d3522f347a70407c4af52c177d387fc265f",
    "no_er.json": "cc03c004b5095a28b12e489fc3b308c9e86c9ad7ec2460db11be3df98a8f10ec",
    "no_inst.json": "3bd996b859910a9c41dee81a15f133e0d4e0979e685d4e2f0a1c0df608f19fb1",
}

STARTER = Path(__file__).parent / "starter"
# The default set is in Hindi, French and Arabic. The setting `language` names another, as in
# language=de, which has pairs of agreement only.
_DEFAULT_LANGUAGES = ("hi", "fr", "ar")

# What `build` writes: the pairs, and the forms of the verbs for readers.
PAIRS_FILE, PARADIGMS_FILE = "pairs.jsonl", "paradigms.csv"

_MOST_IN_MEMORY = 20_000  # pairs; more are read again each time that they are needed


def files_in(path: Path) -> list[Path]:
    """A file, or the files of pairs in a folder; if it has none, those in the folders below it.

    In a folder written by `build`, only the finished pairs are data.
    """
    if not path.is_dir():
        return [path]
    if all((path / name).is_file() for name in (PAIRS_FILE, PARADIGMS_FILE)):
        return [path / PAIRS_FILE]
    found = sorted(each for each in path.iterdir() if _may_hold_pairs(each))
    if not found:
        below = path.rglob("*")
        found = sorted(
            each
            for each in below
            if _may_hold_pairs(each)
            and not any(part.startswith(".") for part in each.relative_to(path).parts)
        )
    if not found:
        raise InputError(f"{path} has no file of pairs ({', '.join(SUFFIXES)}).")
    return found


def _may_hold_pairs(path: Path) -> bool:
    return path.suffix.lower() in SUFFIXES and path.is_file()


def _is_text(path: Path) -> bool:
    return path.suffix.lower() == ".txt"


class PairStream:
    """The pairs of a file, or of each file in a folder, read again each time they are iterated.

    Pairs without an id are numbered; ids from several files are distinguished by the file's name. A
    file's name is also the phenomenon of pairs without one, and for the published Hindi files it
    determines the variant. Pairs whose two sentences are the same are left out. `phenomena` selects
    some of the pairs.
    """

    def __init__(
        self, path: Path, columns: Mapping[str, str], language: str, phenomena: Sequence[str] = ()
    ) -> None:
        self.not_read: list[str] = []
        self.phenomena = frozenset(phenomena)
        found: list[tuple[PairFile, DetectedLayout | None]] = []
        paths = files_in(path)
        has_tables = not all(map(_is_text, paths))
        for each in paths:
            name = each.relative_to(path).as_posix() if path.is_dir() else each.name
            # A text file beside a table is a readme more often than not, and was never read.
            if has_tables and _is_text(each) and each.parent == path:
                self.not_read.append(name)
                continue
            file = PairFile(each, name, alone=False, language=language, columns=columns)
            try:
                found.append((file, detect_layout(file)))
            except InputError:
                if not _is_text(each) or not has_tables:
                    raise
                self.not_read.append(name)
        alone = len(found) == 1
        self.files = [(replace(file, alone=alone), layout) for file, layout in found]

    def located(self) -> Iterator[tuple[PairFile, LocatedPair]]:
        """All pairs in the files, with their locations."""
        for file, layout in self.files:
            if layout is not None:
                for found in layout.read(file):
                    yield file, found

    def __iter__(self) -> Iterator[Pair]:
        for _, (_, pair) in self.located():
            if not _is_identical(pair) and self.takes(pair):
                yield pair

    def takes(self, pair: Pair) -> bool:
        """Whether the pair's phenomenon is selected."""
        return not self.phenomena or pair.phenomenon in self.phenomena


def _is_identical(pair: Pair) -> bool:
    return pair.good == pair.bad and not isinstance(pair.test, RegionTest)


class _Survey:
    """What a first pass over all pairs finds: whether each can be read, and what is left out."""

    def __init__(self, stream: PairStream) -> None:
        self.pairs: list[Pair] | None = []  # None if there are too many
        self.phenomena: set[str] = set()
        self.languages: Counter[str] = Counter()
        self.identical: Counter[str] = Counter()
        self.first_identical: dict[str, str] = {}
        marks = array("Q")  # eight bytes a pair, so that millions can be checked
        for file, (location, pair) in stream.located():
            if _is_identical(pair):
                self.identical[file.name] += 1
                place = location.removeprefix(str(file.path)).strip(", ")
                self.first_identical.setdefault(file.name, place)
                continue
            self.phenomena.add(pair.phenomenon)
            marks.append(int.from_bytes(digest(pair.id)[:8]))
            if stream.takes(pair):
                self._add(pair)
        _check_ids(marks, stream)

    def _add(self, pair: Pair) -> None:
        self.languages[pair.language] += 1
        if self.pairs is not None:
            self.pairs.append(pair)
            if len(self.pairs) > _MOST_IN_MEMORY:
                self.pairs = None

    def notes(self, stream: PairStream) -> Iterator[str]:
        """What is left out, in sentences."""
        for name, count in self.identical.items():
            pairs, are = ("1 pair has", "is") if count == 1 else (f"{count} pairs have", "are")
            yield (
                f"{name}: {pairs} the same sentence twice and {are} left out (the first: "
                f"{self.first_identical[name]})."
            )
        for name in stream.not_read:
            yield f"{name} has no pairs in a known layout and is left out."

    def remarks(self, stream: PairStream) -> Iterator[str]:
        """The layout of each file, and whose rules its words follow, in sentences."""
        for file, layout in stream.files:
            yield (
                f"{file.name}: {layout.name} ({layout.why})." if layout else f"{file.name}: empty."
            )
        if without := sorted(filter(None, without_rules(self.languages))):
            yield words_by_unicode(without)
        if self.languages[""]:
            yield (
                f"{self.languages['']} items do not specify their language, so their words are "
                "found by the general rules of Unicode (set the language with --set "
                "language=CODE)."
            )


def _check_ids(marks: array[int], stream: PairStream) -> None:
    """Raise if two pairs have the same id."""
    import numpy as np

    found = np.array(marks, dtype=np.uint64)
    found.sort()
    twice = set(found[1:][found[1:] == found[:-1]].tolist())
    seen: dict[str, str] = {}
    for _, (location, pair) in stream.located() if twice else ():
        if _is_identical(pair) or int.from_bytes(digest(pair.id)[:8]) not in twice:
            continue
        if pair.id in seen:
            raise InputError(
                f"{location} repeats the id {pair.id!r} ({seen[pair.id]}); use another column "
                "with --column id=NAME, or leave out the ids."
            )
        seen[pair.id] = location.rstrip(",")


def is_published(files: Iterable[tuple[str, str]]) -> bool:
    """Whether these are the published Hindi files, byte for byte."""
    return all(sha256 in PUBLISHED_SHA256.values() for _, sha256 in files)


def read(source: DataSource, protocol: AlternationsProtocol) -> Dataset:
    """A file of pairs or a folder of such files."""
    path = source.path or _starter_path(protocol.language)
    # The published Hindi files do not say their language; their names tell.
    names = {file.stem for file in files_in(path) if not _is_text(file)}
    hindi = bool(names) and names <= set(PUBLISHED_FILES)
    language = protocol.language or ("hi" if hindi else "")
    if language and not _CODE.fullmatch(language):
        raise InputError(f"The setting language must be a code such as en or fr, not {language!r}.")
    phenomena = protocol.phenomena
    if path == STARTER and protocol.name == "paper":
        phenomena = phenomena or VARIANTS  # the pairs of gender agreement are not the paper's
    stream = PairStream(path, source.columns, language, phenomena)
    survey = _Survey(stream)
    for name in protocol.phenomena:
        if name not in survey.phenomena:
            raise unknown("phenomenon", name, survey.phenomena)
    return Dataset(
        name="starter" if source.path is None else user_data_name(path.resolve().name),
        files=[file.path for file, _ in stream.files],
        items=stream if survey.pairs is None else survey.pairs,
        remarks=tuple(survey.remarks(stream)),
        notes=tuple(survey.notes(stream)),
    )


_CODE = re.compile(r"[A-Za-z]{2,3}([-_]\w+)*")  # MultiBLiMP's have three letters


def _starter_path(language: str) -> Path:
    if language in ("", *_DEFAULT_LANGUAGES):
        return STARTER
    others = {file.stem: file for file in sorted((STARTER / "agreement").glob("*.jsonl"))}
    if language not in others:
        known = sorted((*_DEFAULT_LANGUAGES, *others))
        raise unknown("starter set for the language", language, known)
    return others[language]


def stratum(pair: Pair) -> tuple[str, str]:
    """The stratum of a limited run: language and phenomenon."""
    return (pair.language, pair.phenomenon)


def corpus(pair: Pair) -> Iterator[str]:
    """The acceptable sentence, for models trained on the corpus; for a test, every sentence."""
    yield from pair.texts if isinstance(pair.test, RegionTest) else (pair.good,)
