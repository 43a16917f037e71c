"""Read minimal pairs: a user's JSON, JSONL or CSV files, the published sample, the starter set.

Texts reach the model byte for byte as they are in the file: published Hindi has letters that
Unicode normalisation would change.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from epicene.core.data_files import read_rows
from epicene.core.errors import InputError, unknown
from epicene.suites import Dataset
from epicene.suites.alternations.items import VARIANTS, Pair
from epicene.suites.data_origin import user_data_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from epicene.core.data_files import FileRow
    from epicene.suites import DataSource
    from epicene.suites.alternations.protocol import AlternationsProtocol

# The names of each field in published files; the first that a row has is taken.
FIELD_NAMES: dict[str, tuple[str, ...]] = {
    "good": ("good", "sentence_good"),
    "bad": ("bad", "sentence_bad"),
    "phenomenon": ("phenomenon", "UID", "phenomena_type", "linguistics_term", "variant"),
    "id": ("id", "pair_id", "pairID"),
    "language": ("language", "lang"),
    "prefix": ("prefix",),
    "gold": ("gold",),
    "after": ("after",),
    "transliteration": ("transliteration",),
    "gloss": ("gloss",),
    "group": ("group",),
}

# The published files of the Hindi benchmark, by the variant that each holds.
PUBLISHED_FILES = dict(zip(("dv", "sv", "no_er", "no_inst"), VARIANTS, strict=True))

PUBLISHED_SHA256 = frozenset(
    {
        "010970a87be26c569a3d00c14555ac93de5d599a39a45c28de27f446d1060c48",  # dv.json
        "7f3874d78479ad5a3a703d5a248f1d3522f347a70407c4af52c177d387fc265f",  # sv.json
        "cc03c004b5095a28b12e489fc3b308c9e86c9ad7ec2460db11be3df98a8f10ec",  # no_er.json
        "3bd996b859910a9c41dee81a15f133e0d4e0979e685d4e2f0a1c0df608f19fb1",  # no_inst.json
    }
)

# The columns of a frame of judgements; a file's column of that name is renamed.
RESERVED_COLUMNS = frozenset(
    {
        "run", "model", "protocol", "item", "group", "language", "name", "outcome", "label",
        "value", "phenomenon", "format", "measure", "method", "main", "ranking", "credit",
        "is_verb", "agrees", "gold_first", "gold_among",
    }
)  # fmt: skip

_SUFFIXES = (".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".parquet")


class _PairFile(NamedTuple):
    """A file of pairs, whether it is the only one, and the language of its pairs."""

    path: Path
    alone: bool
    language: str

    @property
    def variant(self) -> str:
        """The variant of the published Hindi file of that name, "" of any other."""
        return PUBLISHED_FILES.get(self.path.stem, "")


def files_in(path: Path) -> list[Path]:
    """A file, or the files of pairs in a folder."""
    if not path.is_dir():
        return [path]
    found = sorted(each for each in path.iterdir() if each.suffix.lower() in _SUFFIXES)
    if not found:
        raise InputError(f"{path} holds no file of pairs ({', '.join(_SUFFIXES)}).")
    return found


def read_pairs(path: Path, columns: Mapping[str, str], language: str) -> Iterator[Pair]:
    """The pairs of a file, or of each file in a folder.

    A pair without an id is numbered; ids of several files are set apart by the file's name. A
    file's name is also the phenomenon of pairs that name none, and for the published Hindi files
    it decides the variant.
    """
    files = files_in(path)
    seen: dict[str, str] = {}
    for each in files:
        file = _PairFile(each, alone=len(files) == 1, language=language)
        for number, line in enumerate(read_rows(each, columns), start=1):
            pair = _pair(line, number, file)
            if pair.id in seen:
                raise InputError(
                    f"{line.location} has the id {pair.id!r} again ({seen[pair.id]}); name another "
                    "column with --column id=NAME, or leave the ids away."
                )
            seen[pair.id] = line.location.rstrip(",")
            yield pair


def _pair(line: FileRow, number: int, file: _PairFile) -> Pair:
    names = {field: _first_present(line.values, names) for field, names in FIELD_NAMES.items()}
    if file.variant:
        names["phenomenon"] = ""
    found = {field: str(line.values[name]) for field, name in names.items() if name}
    _check_sentences(line, found)
    name = found.pop("id", str(number))
    made = {
        "group": name if file.variant and not file.alone else "",
        "language": file.language,
        "phenomenon": file.variant or file.path.stem,
        **(_published_gap(found["good"]) if file.variant else {}),
        **found,
    }
    pair = Pair(
        id=name if file.alone else f"{file.path.stem}-{name}",
        columns=_other_columns(line.values, set(names.values())),
        **made,
    )
    _check_gap(line, pair)
    return pair


def _first_present(values: Mapping[str, Any], names: tuple[str, ...]) -> str:
    """The first name that a row has a value for, "" if it has none."""
    return next((name for name in names if values.get(name) not in (None, "")), "")


def _check_sentences(line: FileRow, found: Mapping[str, str]) -> None:
    for field, what in (("good", "acceptable"), ("bad", "other")):
        if not found.get(field, "").strip():
            raise InputError(
                f"{line.location} lacks its {what} sentence; it is looked for in "
                f"{' or '.join(FIELD_NAMES[field])}, or name it: --column {field}=NAME."
            )
    if found["good"] == found["bad"]:
        raise InputError(f"{line.location} has the same sentence twice.")


def _check_gap(line: FileRow, pair: Pair) -> None:
    """Raise if the parts around the gap do not make up the acceptable sentence: another gap than
    that of the sentence would be filled."""
    if pair.prefix and pair.gold and pair.filled(pair.gold) != pair.good:
        raise InputError(
            f"{line.location} has a gap that does not fit: prefix, gold and after, joined by "
            f"spaces, are {pair.filled(pair.gold)!r} and not its acceptable sentence; correct "
            "them, or leave them out to have no gap."
        )


def _published_gap(sentence: str) -> dict[str, str]:
    """In the published Hindi sentences the verb is the last word but one."""
    parts = sentence.rsplit(" ", 2)
    return dict(zip(("prefix", "gold", "after"), parts, strict=True)) if len(parts) == 3 else {}


def _other_columns(values: Mapping[str, Any], used: set[str]) -> dict[str, str]:
    """The other columns as text, but for lists and records, which no table can break down by."""
    return {
        f"{name} (of the file)" if name in RESERVED_COLUMNS else name: _as_text(value)
        for name, value in values.items()
        if name not in used and value is not None and not isinstance(value, list | dict)
    }


def _as_text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def is_published(files: Iterable[tuple[str, str]]) -> bool:
    """Whether these are the published Hindi files, byte for byte."""
    return all(sha256 in PUBLISHED_SHA256 for _, sha256 in files)


STARTER = Path(__file__).parent / "starter"


def read(source: DataSource, protocol: AlternationsProtocol) -> Dataset:
    """A file of pairs or a folder of such files."""
    path = source.path or STARTER
    files = files_in(path)
    # The published Hindi files do not say their language; their names tell.
    hindi = {file.stem for file in files} <= set(PUBLISHED_FILES)
    language = protocol.language or ("hi" if hindi else "")
    pairs = list(read_pairs(path, source.columns, language))
    if protocol.phenomena:
        known = {pair.phenomenon for pair in pairs}
        for name in protocol.phenomena:
            if name not in known:
                raise unknown("phenomenon", name, known)
        pairs = [pair for pair in pairs if pair.phenomenon in protocol.phenomena]
    name = "starter" if source.path is None else user_data_name(path.resolve().name)
    return Dataset(name=name, files=files, items=pairs)


def stratum(pair: Pair) -> tuple[str, str]:
    """The stratum of a limited run: language and phenomenon."""
    return (pair.language, pair.phenomenon)


def corpus(pair: Pair) -> Iterator[str]:
    """The acceptable sentence, for models trained on the corpus."""
    yield pair.good
