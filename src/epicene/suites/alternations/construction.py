"""More sets of Hindi pairs from the same tables: another seed, other people and things."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING

from epicene.suites.alternations.builder import GENDERS, NUMBERS, build, row_of
from epicene.suites.alternations.iast import transliterate
from epicene.suites.alternations.paradigm import AUXILIARIES, paradigm
from epicene.suites.alternations.table import verbs
from epicene.suites.construction import BuildSettings, Compute, Construction

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from epicene.suites.construction import Made, Row


def pairs(_made: Made, settings: BuildSettings) -> Iterator[Row]:
    """The pairs of the seed."""
    for pair in build(settings.seed):
        yield row_of(pair)


def export(made: Made, _settings: BuildSettings, folder: Path) -> Sequence[Path]:
    """The pairs, and the paradigm of every verb as a table to read."""
    data, forms = folder / "pairs.jsonl", folder / "paradigms.csv"
    lines = (json.dumps(row, ensure_ascii=False) for row in made["pairs"])
    data.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="\n")
    with forms.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(paradigm_rows())
    return data, forms


def paradigm_rows() -> Iterator[tuple[str, ...]]:
    """Every form of every verb, with its head line."""
    yield (
        "verb", "meaning", "class", "stem", "aspect", "gender", "number", "form", "transliteration",
    )  # fmt: skip
    for verb in verbs().values():
        for form in paradigm(verb):
            text = f"{form.text} {AUXILIARIES[form.gender, form.number]}"
            yield (
                verb.iast,
                verb.meaning,
                verb.verb_class,
                form.stem_kind,
                form.aspect,
                GENDERS[form.gender],
                NUMBERS[form.number],
                text,
                transliterate(text),
            )


construction = Construction(
    about="Minimal pairs of Hindi verb frames from the tables of verbs and nouns.",
    settings=BuildSettings,
    steps=(Compute(name="pairs", about="every verb in four variants", make=pairs),),
    export=export,
)
