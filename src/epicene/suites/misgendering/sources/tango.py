"""TANGO: contexts about a person, to be continued."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from epicene.core.data_files import read_rows
from epicene.suites.misgendering.items import Instance, read_pronoun_forms
from epicene.suites.misgendering.sources import all_published, published_file, required_text
from epicene.suites.misgendering.sources.own import OWN_CONTEXTS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

DATASET = "tango"
COLUMNS = ("pronoun_family", "template_idx", "ante", "ante_type", "template")
# Antecedents of these types are names; the others are descriptions such as "the cellist".
_NAMED = ("ante_nongendered", "ante_gendered_female", "ante_gendered_male")
_CAPITAL = re.compile(r"(?:^|(?<=[.?!] ))\w|\bi\b")
_PROPER = re.compile(r"\b(?:american|boston|indian|march)\b")


def files(folder: Path, *, exact: bool) -> list[Path]:
    """The prompts and the pronouns."""
    return [
        published_file(folder, f"{DATASET}/{name}", exact=exact)
        for name in ("misgendering_prompts.csv", "tango-pronouns.csv")
    ]


def instances(paths: list[Path], *, mended: bool) -> Iterator[Instance]:
    """The contexts of the pronouns that have forms, pronoun by pronoun, in the file's order."""
    sets = read_pronoun_forms(paths[1])
    rows = [
        {column: required_text(line, column) for column in COLUMNS} for line in read_rows(paths[0])
    ]
    # Other files in this layout are not TANGO, and no table may say so.
    dataset = DATASET if all_published(paths) else OWN_CONTEXTS
    for gold in sets:
        for row in rows:
            if row["pronoun_family"] != gold.pronoun:
                continue
            yield Instance(
                id=f"{DATASET}/{gold.pronoun}/{row['template_idx']}/{row['ante']}",
                group=f"{DATASET}/{row['template_idx']}/{row['ante']}",
                dataset=dataset,
                pronoun=gold.pronoun,
                # The authors capitalise the first letter and lower the rest.
                before=_cased(row) if mended else row["template"].capitalize(),
                sets=sets,
                template=row["template_idx"],
                name=row["ante"],
                antecedent=row["ante_type"],
            )


def _cased(row: dict[str, str]) -> str:
    """The file is all lower case: names, proper nouns and sentence beginnings get capitals."""
    text = row["template"]
    if row["ante_type"] in _NAMED:
        text = re.sub(rf"\b{re.escape(row['ante'])}\b", lambda found: found[0].title(), text)
    text = _PROPER.sub(lambda found: found[0].capitalize(), text)
    return _CAPITAL.sub(lambda found: found[0].upper(), text)
