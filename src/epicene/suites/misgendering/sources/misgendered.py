"""MISGENDERED: templates that declare a person's pronouns, with names drawn for each."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, NamedTuple

from epicene.core.data_files import read_rows, read_text_lines
from epicene.core.errors import InputError, pluralise, unknown
from epicene.suites.misgendering.items import (
    PUBLISHED_CASES,
    Instance,
    PronounForms,
    begins_sentence,
    candidate_forms,
    read_pronoun_forms,
)
from epicene.suites.misgendering.sources import (
    all_published,
    case_of,
    check_one_gap,
    published_file,
    required_text,
)
from epicene.suites.misgendering.sources.own import OWN_TEMPLATES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from epicene.languages.pronouns import Case

DATASET = "misgendered"
NAME_LISTS = ("female", "male", "unisex")
DECLARATIONS = (
    "explicit_template_2", "explicit_template_31", "explicit_template_32", "explicit_template_41",
    "explicit_template_42", "explicit_template_5", "parenth_template_2", "parenth_template_31",
    "parenth_template_32", "parenth_template_41", "parenth_template_42", "parenth_template_5",
    "templates",
)  # fmt: skip
ROUNDS = 15
_SEED = 42
_GAP = "{mask_token}"
FORMS = ("nom", "acc", "pos_dep", "pos_ind", "ref")


class _Template(NamedTuple):
    """A row of the template file, numbered: some files lack the id or write it as "0.0"."""

    number: int
    text: str
    case: Case


def files(folder: Path, declaration: str, *, all_sets: bool, exact: bool) -> list[Path]:
    """The files that decide the instances: templates, pronouns, names."""
    if declaration not in DECLARATIONS:
        raise unknown("template file of MISGENDERED", declaration, DECLARATIONS)
    pronouns = "pronouns_11.csv" if all_sets else "pronouns.csv"
    return [
        published_file(folder, f"{DATASET}/{name}", exact=exact)
        for name in (
            f"templates/{declaration}.csv",
            pronouns,
            *(f"names/{each}.txt" for each in NAME_LISTS),
        )
    ]


def instances(paths: list[Path], *, mended: bool) -> Iterator[Instance]:
    """The authors' instances, in their order, pronoun by pronoun; or the same with errors fixed."""
    templates = _read_templates(paths[0])
    sets = read_pronoun_forms(paths[1])
    by_list = {
        kind: _read_names(path, ROUNDS // len(NAME_LISTS) if mended else 1)
        for kind, path in zip(NAME_LISTS, paths[2:], strict=True)
    }
    names = [(name, kind) for kind, mine in by_list.items() for name in mine]
    drawn = (_without_repeats if mended else _as_published)(names, len(templates))
    # Other files in this layout are not MISGENDERED, and no table may say so.
    dataset = DATASET if all_published(paths) else OWN_TEMPLATES
    for gold in sets:
        for turn, row in enumerate(drawn):
            for template, (name, kind) in zip(templates, row, strict=True):
                yield _instance(dataset, template, sets, gold, name, kind, turn, mended=mended)


def _read_templates(path: Path) -> list[_Template]:
    found = []
    for number, line in enumerate(read_rows(path)):
        text = required_text(line, "template")
        check_one_gap(text, _GAP, line.location)
        found.append(_Template(number, text, case_of(line, "form", FORMS)))
    if not found:
        raise InputError(f"{path} has no templates.")
    return found


def _read_names(path: Path, fewest: int) -> Sequence[str]:
    names = [name.strip() for name in read_text_lines(path) if name.strip()]
    if len(names) < fewest:
        raise InputError(
            f"{path} has {pluralise(len(names), 'name')}, one per line; at least {fewest} are "
            "needed, because a template never gets the same name twice."
        )
    return names


def _as_published(names: list[tuple[str, str]], templates: int) -> list[list[tuple[str, str]]]:
    """One draw with replacement per round and template, the same for every pronoun."""
    rng = random.Random(_SEED)
    return [[rng.choice(names) for _ in range(templates)] for _ in range(ROUNDS)]


def _without_repeats(names: list[tuple[str, str]], templates: int) -> list[list[tuple[str, str]]]:
    """A template never gets the same name twice, and the three lists have equal shares of the
    draws."""
    rng = random.Random(_SEED)
    by_list = {kind: [each for each in names if each[1] == kind] for kind in NAME_LISTS}
    share = ROUNDS // len(NAME_LISTS)
    columns = []
    for _ in range(templates):
        column = [each for kind in NAME_LISTS for each in rng.sample(by_list[kind], share)]
        rng.shuffle(column)
        columns.append(column)
    return [list(row) for row in zip(*columns, strict=True)]


def _instance(
    dataset: str,
    template: _Template,
    sets: tuple[PronounForms, ...],
    gold: PronounForms,
    name: str,
    kind: str,
    turn: int,
    *,
    mended: bool,
) -> Instance:
    text = template.text.replace("{name}", name)
    for published_case, case in PUBLISHED_CASES.items():
        text = text.replace(f"{{{published_case}}}", gold.forms.get(case, ""))
    if mended:
        text = _corrected(text)
    before, _, after = text.partition(_GAP)
    case, number = template.case, str(template.number)
    return Instance(
        id=f"{DATASET}/{gold.pronoun}/{turn}/{number}",
        group=f"{DATASET}/{number}",
        dataset=dataset,
        pronoun=gold.pronoun,
        before=before,
        after=after,
        case=case,
        candidates=candidate_forms(sets, case, capital=begins_sentence(before, mended=mended)),
        sets=sets,
        template=number,
        name=name,
        name_list=kind,
    )


def _corrected(text: str) -> str:
    """Without the stray slash, and ending as a sentence does."""
    text = text.replace("/'s pronouns", "'s pronouns").rstrip()
    return text if text[-1] in '.?!"”’' else f"{text}."
