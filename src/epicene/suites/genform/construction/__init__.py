"""Build a set of pairs: templates, a writer, a translator, annotators, checks and export."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from epicene.core.files import write_atomically
from epicene.core.records import Generate, Translate
from epicene.suites.construction import AskModels, AskPeople, Compute, Construction, kept_rows
from epicene.suites.genform.checks import check
from epicene.suites.genform.construction.annotation import (
    adjudicate_forms,
    adjudicate_reviews,
    draft,
    forms,
    read_adjudicated_forms,
    read_adjudicated_reviews,
    read_forms,
    read_reviews,
    review,
)
from epicene.suites.genform.construction.generation import (
    GenformBuild,
    ask_to_translate,
    ask_to_write,
    deduplicate,
    duplicate_reasons,
    plan,
    read_translated,
    read_written,
)
from epicene.suites.genform.items import Pair
from epicene.suites.genform.protocol import PROTOCOLS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from epicene.suites.construction import StepOutputs, StepRow

PAIRS, CARD = "pairs.jsonl", "card.md"
_FIELDS = ("id", "language", "rule", "english", "masculine", "feminine")


def check_pairs(outputs: StepOutputs, settings: GenformBuild) -> Iterator[StepRow]:
    """Each pair with the warnings of the suite's check.

    Pairs with an error and pairs that repeat another are dropped.
    """
    rows = outputs["settle-forms"]
    dropped = duplicate_reasons(rows, settings.language, "masculine")
    pairs = [pair_of(row) for row in rows if row["id"] not in dropped]
    warnings: dict[str, list[str]] = {}
    for issue in check(pairs, PROTOCOLS["epicene"]):
        if issue.severity == "error":
            dropped.setdefault(issue.place, issue.message)
        else:
            warnings.setdefault(issue.place, []).append(issue.message)
    for row in rows:
        name = row["id"]
        yield {**row, "warnings": warnings.get(name, []), "dropped": dropped.get(name, "")}


def pair_of(row: Mapping[str, str]) -> Pair:
    """The pair of a row."""
    return Pair(**{name: row[name] for name in _FIELDS})


def export(outputs: StepOutputs, settings: GenformBuild, folder: Path) -> Sequence[Path]:
    """The pairs in the suite's own format, and the card."""
    from epicene.suites.genform.construction.data_card import card

    rows = kept_rows(outputs["check"])
    data, about = folder / PAIRS, folder / CARD
    lines = (json.dumps({name: row[name] for name in _FIELDS}, ensure_ascii=False) for row in rows)
    write_atomically(data, "".join(f"{line}\n" for line in lines).encode())
    write_atomically(about, card(outputs, settings, [pair_of(row) for row in rows]).encode())
    return data, about


construction = Construction(
    about="Sentence pairs in a language, from templates by rule to forms that people agree on.",
    settings=GenformBuild,
    steps=(
        Compute(name="plan", about="a prompt for each template and context", make=plan),
        AskModels(
            name="write",
            about="English sentences",
            role="writer",
            verbs=(Generate,),
            ask=ask_to_write,
            read=read_written,
        ),
        Compute(name="sift", about="duplicates removed", make=deduplicate),
        AskModels(
            name="translate",
            about="translations into the language",
            role="translator",
            verbs=(Translate,),
            ask=ask_to_translate,
            read=read_translated,
            many=True,
        ),
        AskPeople(
            name="review",
            about="two people review each translation",
            study=review,
            read=read_reviews,
        ),
        AskPeople(
            name="settle-review",
            about="a third person where they disagree",
            study=adjudicate_reviews,
            read=read_adjudicated_reviews,
        ),
        Compute(name="draft", about="drafts of the forms by the rewriter", make=draft),
        AskPeople(name="forms", about="two people write both forms", study=forms, read=read_forms),
        AskPeople(
            name="settle-forms",
            about="a third person where they disagree",
            study=adjudicate_forms,
            read=read_adjudicated_forms,
        ),
        Compute(name="check", about="problems with the pairs", make=check_pairs),
    ),
    export=export,
)
