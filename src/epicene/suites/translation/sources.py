"""The published layouts: recognised by the content of a file, and read sentence by sentence."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import regex

from epicene.core.data_files import (
    ROW_FORMATS,
    FileRow,
    iterate_lines,
    parse_json,
    read_rows,
    read_text,
)
from epicene.core.errors import InputError
from epicene.core.records import digest
from epicene.suites.translation.entities import role_key, stereotype_of
from epicene.suites.translation.geneval import geneval_name, unquoted
from epicene.suites.translation.items import (
    ANNOTATIONS,
    FEMININE,
    GATE,
    MASCULINE,
    OTHER,
    OWN,
    STARTER,
    WINOMT,
    Sentence,
    without_gender,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from epicene.suites.translation.items import Gender

SUFFIXES = (*ROW_FORMATS, ".txt")

_WINOMT_LINE = regex.compile(r"(male|female|neutral)\t(\d{1,4})\t([^\t]+)\t([^\t]+)")
_WINOMT_GENDERS: dict[str, Gender] = {
    "male": MASCULINE, "female": FEMININE, "neutral": "neutral",
}  # fmt: skip
TRANSLATED_LINE = regex.compile(r"(.+?) \|\|\| ?(.*)")

_ANNOTATION_COLUMNS = ("Index", "Entity", "Sentence", "Find entity? [Y/N]", "Gender? [M/F/N]")
_HUMAN_GENDERS: dict[str, Gender] = {"M": MASCULINE, "F": FEMININE, "N": "neutral"}
_ANNOTATION_LANGUAGE = regex.compile(r"(?<![a-z])([a-z]{2})\.in(?![a-z])")

_LANGUAGE_IN_NAME = regex.compile(r"(?<![A-Za-z])([A-Za-z]{2})_(?:\d_variants|compact|readable)")

KNOWN_LAYOUTS = {
    WINOMT: "lines of male, female or neutral, a number, a sentence and a role, separated by tabs",
    "MT-GenEval": "files geneval-sentences-feminine-SPLIT.en_XX.en …, or geneval-context-…",
    GATE: "the columns source, f and m (or ff, fm, mf, mm …)",
    "your own": "the columns source and language, and entity and gender or masculine and feminine",
}


class Layout(NamedTuple):
    """The layout of a file, and what it was recognised by; `name` "" holds no sentences."""

    name: str
    why: str


def detect_layout(path: Path) -> Layout | None:
    """The layout of a file; None if it is not known."""
    if geneval_name(path):
        return Layout("MT-GenEval", "its name")
    suffix = path.suffix.lower()
    if suffix == ".json":
        return _detect_columns(_first_record(path))
    if suffix in (".jsonl", ".ndjson", ".parquet"):
        first = next(read_rows(path), None)
        return _detect_columns(first.values) if first else Layout("", "it is empty")
    line = next((line for line in iterate_lines(path) if line.strip()), None)
    if line is None:
        return Layout("", "it is empty")
    if _WINOMT_LINE.fullmatch(line.strip("\r\n")):
        return Layout(WINOMT, "its lines begin with a gender and a number")
    if TRANSLATED_LINE.fullmatch(line.strip("\r\n")):
        return Layout("", "it has translations; score them with `epicene score --answers`")
    if suffix != ".csv" and "\t" not in line:
        return None
    first = next(read_rows(path) if suffix == ".csv" else _plain_rows(path), None)
    return _detect_columns(first.values) if first else Layout("", "it has no rows")


def _first_record(path: Path) -> dict[str, Any]:
    document = parse_json(read_text(path), str(path))
    first = document[0] if isinstance(document, list) and document else document
    return first if isinstance(first, dict) else {}


def _detect_columns(values: Mapping[str, Any]) -> Layout | None:
    if "source" in values and (isinstance(values.get("variants"), dict) or _variants(values)):
        return Layout(GATE, f"it has {KNOWN_LAYOUTS[GATE]}")
    if all(name in values for name in _ANNOTATION_COLUMNS):
        return Layout(ANNOTATIONS, "it has a gender that people found per sentence")
    if "source" in values and ("entity" in values or {"masculine", "feminine"} <= values.keys()):
        return Layout(OWN, f"it has {KNOWN_LAYOUTS['your own']}")
    return None


def _plain_rows(path: Path) -> Iterator[FileRow]:
    """The rows of a table with tabs, in which a quotation mark may be an ordinary character."""
    names: list[str] | None = None
    for number, line in enumerate(iterate_lines(path), start=1):
        if not line.strip():
            continue
        cells = [unquoted(cell) for cell in line.rstrip("\r\n").split("\t")]
        if names is None:
            names = cells
        elif len(cells) != len(names):
            raise InputError(
                f"{path}, line {number}, has a different number of columns than the first line."
            )
        else:
            yield FileRow(f"{path}, line {number},", dict(zip(names, cells, strict=True)))


def unrecognised(path: Path) -> InputError:
    """The error for a file in an unknown layout: what was found, and which layouts are known."""
    first = next((line for line in iterate_lines(path) if line.strip()), "")
    return InputError(
        f"{path} is not in a known layout (its first line is {first.strip()[:80]!r}); save it "
        f"in one of these: {known_layouts()}."
    )


def known_layouts() -> str:
    """The known layouts with what they look like, for errors."""
    return "; ".join(f"{name}: {looks}" for name, looks in KNOWN_LAYOUTS.items())


# --- WinoMT --------------------------------------------------------------------------------


def read_winomt(path: Path, name: str, languages: Sequence[str]) -> Iterator[Sentence]:
    """The sentences of a file, for each language; both versions of a sentence are one group.

    `name` is what the ids of its sentences have after the language.
    """
    for number, (gender, position, source, entity) in enumerate(_winomt_lines(path), start=1):
        for language in languages:
            yield Sentence(
                id=f"{language}-{name}-{number}",
                group=digest(without_gender(source)).hex()[:16],
                language=language,
                origin=WINOMT,
                source=source,
                gender=_WINOMT_GENDERS[gender],
                entity=entity.strip(),
                position=int(position),
                stereotype=stereotype_of(entity, _WINOMT_GENDERS[gender]),
            )


def _winomt_lines(path: Path) -> Iterator[tuple[str, str, str, str]]:
    for number, line in enumerate(iterate_lines(path), start=1):
        if not line.strip():
            continue
        found = _WINOMT_LINE.fullmatch(line.strip("\r\n"))
        if found is None:
            raise InputError(
                f"{path}, line {number}, must be a gender, a number, a sentence and a role "
                "separated by tabs, like the lines before it."
            )
        gender, position, source, entity = found.groups()
        if int(position) >= len(source.split()):
            raise InputError(
                f"{path}, line {number}, refers to word {position} of a sentence that has "
                f"{len(source.split())}."
            )
        yield gender, position, source, entity


def annotation_language(path: Path) -> str:
    """The language shown by the name of an annotation file: `aws.de.in - de.in.csv`."""
    found = _ANNOTATION_LANGUAGE.findall(path.name)
    if not found:
        raise InputError(f"The name of {path} does not show its language (es.in … .csv).")
    return str(found[-1])


def read_annotations(path: Path, sentences: Path) -> Iterator[Sentence]:
    """The translations that people judged; rows without a judgement are skipped."""
    language = annotation_language(path)
    english = list(_winomt_lines(sentences))
    for number, row in enumerate(_annotation_rows(path), start=1):
        human = _HUMAN_GENDERS.get(row.values["Gender? [M/F/N]"].strip().upper())
        if human is None:
            continue
        index = row.values["Index"].strip()
        if not index.isdecimal() or int(index) >= len(english):
            raise InputError(
                f"{row.location} has the index {index!r}, which is not in {sentences}."
            )
        gender, position, source, entity = english[int(index)]
        if role_key(row.values["Entity"]) != role_key(entity):
            raise InputError(
                f"{row.location} is about {row.values['Entity']!r}, but that sentence of "
                f"{sentences} is about {entity!r}."
            )
        yield Sentence(
            id=f"{language}-annotation-{number}",
            language=language,
            origin=ANNOTATIONS,
            source=source,
            gender=_WINOMT_GENDERS[gender],
            entity=entity.strip(),
            position=int(position),
            translation=row.values["Sentence"],
            human=human,
        )


def _annotation_rows(path: Path) -> Iterator[FileRow]:
    for row in read_rows(path, suffix=".csv"):
        if not all(isinstance(row.values.get(name), str) for name in _ANNOTATION_COLUMNS):
            raise InputError(f"{row.location} lacks one of {', '.join(_ANNOTATION_COLUMNS)}.")
        yield row


# --- GATE ----------------------------------------------------------------------------------


def _variants(values: Mapping[str, Any]) -> dict[str, str]:
    """The alternatives of a row: f and m, or ff, fm, mf, mm and so on; {} if one is missing."""
    for people in (1, 2, 3):
        names = ["".join(each) for each in product("fm", repeat=people)]
        if all(isinstance(values.get(name), str) for name in names):
            return {name: values[name] for name in names}
    return {}


def read_gate(path: Path, language: str) -> Iterator[Sentence]:
    """The sentences of a table or a JSON list, whose name begins with the language (ES_…)."""
    found = _LANGUAGE_IN_NAME.search(path.stem)
    code = language or (found[1].lower() if found else "")
    is_plain = path.suffix.lower() in (".tsv", ".txt")
    rows = _plain_rows(path) if is_plain else read_rows(path)
    for number, row in enumerate(rows, start=1):
        values = row.values
        given = values.get("variants")
        alternatives = _variants(given if isinstance(given, dict) else values)
        if not isinstance(values.get("source"), str) or not alternatives:
            raise InputError(f"{row.location} lacks `source` or one of its variants (f, m …).")
        labels = values.get("labels") or ""
        yield Sentence(
            id=f"{code}-gate-{len(next(iter(alternatives)))}-{number}",
            language=code or _refuse_language(row),
            origin=GATE,
            source=values["source"],
            references=alternatives,
            labels=tuple(labels.split(";") if isinstance(labels, str) else map(str, labels)),
            split=str(values.get("data_split") or ""),
        )


def gate_files(paths: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    """The files to read, and those with the same sentences: the lists beside the tables of a
    language, and copies of a table in other folders (`curly_apostrophe`).
    """
    tables = {path.stem[:2] for path in paths if path.suffix.lower() != ".json"}
    read: dict[str, Path] = {}
    for path in sorted(paths, key=lambda each: (len(each.parts), "compact" not in each.name, each)):
        is_list = path.suffix.lower() == ".json"
        key = path.stem[:2] if is_list else path.stem
        if not is_list or key not in tables:
            read.setdefault(key, path)
    return sorted(read.values()), [path for path in paths if path not in read.values()]


# --- your own ------------------------------------------------------------------------------


def read_own(
    path: Path, prefix: str, columns: Mapping[str, str], language: str
) -> Iterator[Sentence]:
    """Rows with `source`, and `entity` and `gender` or `masculine` and `feminine`.

    `prefix` sets the ids of several files apart.
    """
    seen: set[str] = set()
    for number, row in enumerate(read_rows(path, columns), start=1):
        values = {name: value for name, value in row.values.items() if value not in (None, "")}
        gender, code = values.get("gender", ""), str(values.get("language", language))
        if gender not in ("", *OTHER, "neutral"):
            raise InputError(
                f"{row.location} has the gender {gender!r}; it must be masculine, feminine or "
                "neutral, or empty if the source leaves it open."
            )
        source, entity = values.get("source"), str(values.get("entity", ""))
        both = {name: str(values[name]) for name in OTHER if name in values}
        if not isinstance(source, str) or not (entity or len(both) == len(OTHER)):
            raise InputError(
                f"{row.location} needs `source`, and `entity` or both `masculine` and `feminine`."
            )
        if gender == "neutral" and both:
            raise InputError(f"{row.location} has references and the gender neutral.")
        name = f"{prefix}{values.get('id', f'{code}-{number}')}"
        if name in seen:
            raise InputError(f"{row.location} repeats the id {name!r}.")
        seen.add(name)
        yield Sentence(
            id=name,
            group=str(values.get("group", "")),
            language=code or _refuse_language(row),
            source=source,
            context=str(values.get("context", "")),
            gender=gender,
            entity="" if both else entity,
            position=_position(source, entity),
            stereotype=stereotype_of(entity, gender) if gender else "",
            references=_references(both, gender),
        )


def _references(both: dict[str, str], gender: str) -> dict[str, str]:
    if not both:
        return {}
    if not gender:
        return {"f": both[FEMININE], "m": both[MASCULINE]}
    return {"right": both[gender], "wrong": both[OTHER[gender]]}


def _position(source: str, entity: str) -> int:
    """The position of the entity's last word in the source, 0 if it is not there."""
    words = [word.strip(".,;:!?'\"").lower() for word in source.split()]
    last = entity.lower().split()[-1:] or [""]
    return words.index(last[0]) if last[0] in words else 0


def _refuse_language(row: FileRow) -> str:
    raise InputError(
        f"{row.location} does not specify its language; add a column `language`, or set it for "
        "the whole file (--set language=CODE)."
    )


def read_starter(path: Path, languages: Sequence[str]) -> Iterator[Sentence]:
    """Our own sentences, for each language; both versions of a sentence are one group."""
    for row in read_rows(path):
        source, entity, gender = (row.values[name] for name in ("source", "entity", "gender"))
        for language in languages:
            yield Sentence(
                id=f"{language}-{row.values['id']}",
                group=row.values["group"],
                language=language,
                origin=STARTER,
                source=source,
                gender=gender,
                entity=entity,
                position=_position(source, entity),
                stereotype=stereotype_of(entity, gender) if gender else "",
            )
