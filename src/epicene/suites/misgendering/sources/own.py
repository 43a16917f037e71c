"""Your own templates, names and pronoun sets: a file of templates, or a folder with all three."""

from __future__ import annotations

import re
from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple

from epicene.core.data_files import (
    FileRow,
    parse_toml,
    read_rows,
    read_text,
    read_text_lines,
)
from epicene.core.errors import InputError
from epicene.core.records import digest
from epicene.languages import pronouns as pronoun_sets
from epicene.languages.pronouns import CASES
from epicene.suites.misgendering.items import Instance, begins_sentence, candidate_forms
from epicene.suites.misgendering.sources import case_of, check_one_gap, required_text
from epicene.suites.misgendering.sources.starter import (
    FOLDER,
    GAP,
    NAMES_PER_TEMPLATE,
    VERBS,
    forms_of,
    inflected,
    starter_names,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from epicene.languages.pronouns import Case, PronounSet
    from epicene.suites.misgendering.items import PronounForms

# The datasets of judgements on the user's own texts: templates, and files in others' layouts.
OWN_TEMPLATES, OWN_CONTEXTS, OWN_OCCUPATIONS = OWN_DATASETS = (
    "own templates", "own contexts", "own occupations",
)  # fmt: skip

_SUFFIXES = (".csv", ".tsv", ".jsonl", ".ndjson", ".json", ".parquet", ".toml")
# The cases by their own names, and as MISGENDERED abbreviates them.
CASE_NAMES = (*CASES, "nom", "acc", "pos_dep", "pos_ind", "ref")
SLOTS = ("mask", "name", *CASES, *(case.capitalize() for case in CASES), *VERBS)
_SLOT = re.compile(r"\{([^{}]*)\}")


class OwnFiles(NamedTuple):
    """The files of the user's own data; if they have no names or pronouns, Epicene's are used."""

    templates: Path
    names: Path | None = None
    pronouns: Path | None = None


class Template(NamedTuple):
    """A text with a gap, and the grammatical case of the pronoun in it."""

    id: str
    text: str
    case: Case


def own_files(path: Path, pronoun_file: Path | None) -> OwnFiles | None:
    """The file of templates, or the files of a folder; None if it has no templates."""
    if not path.is_dir():
        return OwnFiles(path, pronouns=pronoun_file)
    templates = _only(path, "templates", _SUFFIXES)
    if templates is None:
        return None
    names = _only(path, "names", (".txt", *_SUFFIXES[:-1]))
    return OwnFiles(templates, names, pronoun_file or _only(path, "pronouns", (".toml",)))


def _only(folder: Path, stem: str, suffixes: Sequence[str]) -> Path | None:
    """The one file of that name."""
    found = [folder / f"{stem}{suffix}" for suffix in suffixes]
    there = [path for path in found if path.is_file()]
    if len(there) > 1:
        names = ", ".join(path.name for path in there)
        raise InputError(f"{folder} has {names}; keep one of them.")
    return there[0] if there else None


def files(own: OwnFiles) -> list[Path]:
    """The files that decide the instances."""
    return [
        own.templates,
        own.names or FOLDER / "names.toml",
        *([own.pronouns] if own.pronouns else ()),
        pronoun_sets.SHIPPED_FILE,
    ]


def instances(
    own: OwnFiles, columns: Mapping[str, str], wanted: Sequence[str], *, mended: bool
) -> Iterator[Instance]:
    """A text per pronoun set, template and name."""
    chosen = chosen_sets(own, wanted)
    templates = read_templates(own.templates, columns)
    names = read_names(own.names) if own.names else None
    sets = forms_of(chosen)
    for gold in chosen:
        for template in templates:
            for turn, (name, kind) in enumerate(_names_of(template, names)):
                yield _instance(template, gold, sets, turn, name, kind, mended=mended)


def _instance(
    template: Template,
    gold: PronounSet,
    sets: tuple[PronounForms, ...],
    turn: int,
    name: str,
    kind: str,
    *,
    mended: bool,
) -> Instance:
    text = inflected(template.text.replace("{name}", name), gold)
    before, _, after = text.partition(GAP)
    capital = begins_sentence(before, mended=mended)
    return Instance(
        id=f"own/{gold.name}/{template.id}/{turn}",
        group=f"own/{template.id}",
        dataset=OWN_TEMPLATES,
        pronoun=gold.name,
        before=before,
        after=after,
        case=template.case,
        candidates=candidate_forms(sets, template.case, capital=capital),
        sets=sets,
        template=template.id,
        name=name,
        name_list=kind,
    )


# --- templates -----------------------------------------------------------------------------


def read_templates(path: Path, columns: Mapping[str, str]) -> list[Template]:
    """The templates of a CSV, TSV, JSON, JSONL, Parquet or TOML file."""
    rows = _toml_rows(path) if path.suffix.lower() == ".toml" else read_rows(path, columns)
    found: dict[str, Template] = {}
    for number, line in enumerate(rows, start=1):
        template = _template(line, number)
        if template.id in found:
            raise InputError(f"{line.location} repeats the id {template.id!r}.")
        found[template.id] = template
    if not found:
        raise InputError(f"{path} has no templates.")
    return list(found.values())


def _toml_rows(path: Path) -> Iterator[FileRow]:
    entries = parse_toml(read_text(path), path).get("template")
    if not isinstance(entries, list) or not all(isinstance(each, dict) for each in entries):
        raise InputError(f"{path} has no [[template]] entries.")
    for number, entry in enumerate(entries, start=1):
        yield FileRow(f"{path}, template {number},", entry)


def _template(line: FileRow, number: int) -> Template:
    text = required_text(line, _present(line, "template", "text"))
    for slot in _SLOT.findall(text):
        if slot not in SLOTS:
            raise InputError(
                f"{line.location} has {{{slot}}}, which is not a known slot; use one of "
                f"{', '.join(f'{{{each}}}' for each in SLOTS)} ({{mask}} is the gap)."
            )
    check_one_gap(text, GAP, line.location)
    case = case_of(line, _present(line, "case", "form"), CASE_NAMES)
    name = line.values.get("id")
    return Template(str(number if name in (None, "") else name), text, case)


def _present(line: FileRow, column: str, other: str) -> str:
    """The column of a row, or its other name if the row has only that."""
    return other if other in line.values and column not in line.values else column


# --- names ---------------------------------------------------------------------------------


def read_names(path: Path) -> list[tuple[str, str]]:
    """Names with the list each is from; the lists take turns."""
    lists: dict[str, list[str]] = {}
    if path.suffix.lower() == ".txt":
        lists[""] = [name.strip() for name in read_text_lines(path) if name.strip()]
    else:
        for line in read_rows(path):
            kind = str(line.values.get("list") or "")
            lists.setdefault(kind, []).append(required_text(line, "name").strip())
    turns = zip_longest(*([(name, kind) for name in mine] for kind, mine in lists.items()))
    found = list(dict.fromkeys(each for turn in turns for each in turn if each is not None))
    if not found:
        raise InputError(f"{path} has no names.")
    return found


def _names_of(template: Template, names: list[tuple[str, str]] | None) -> list[tuple[str, str]]:
    """Up to four names for a template, chosen by a hash of its id; none if it has no slot for a
    name."""
    if "{name}" not in template.text:
        return [("", "")]
    if names is None:
        return starter_names(template.id, NAMES_PER_TEMPLATE)
    start = int.from_bytes(digest(template.id)[:4])
    count = min(NAMES_PER_TEMPLATE, len(names))
    return [names[(start + turn) % len(names)] for turn in range(count)]


# --- pronouns ------------------------------------------------------------------------------


def chosen_sets(own: OwnFiles, wanted: Sequence[str]) -> list[PronounSet]:
    """The sets that are named; else those of the user's file; else Epicene's."""
    known = pronoun_sets.known_pronoun_sets(own.pronouns)
    mine = pronoun_sets.read_pronoun_sets(own.pronouns) if own.pronouns else known
    return [pronoun_sets.find_pronoun_set(name, known) for name in wanted or mine]
