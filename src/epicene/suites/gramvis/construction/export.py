"""Check the words, and write those that pass together with their data card."""

from __future__ import annotations

import csv
import io
from collections import Counter
from typing import TYPE_CHECKING

from epicene.core.data_files import escape_formula
from epicene.core.files import write_atomically
from epicene.stats.agreement import fleiss, krippendorff
from epicene.suites.construction import kept_rows
from epicene.suites.data_cards import (
    dropped_reasons,
    format_estimate,
    markdown_table,
    warnings_section,
)
from epicene.suites.gramvis.checks import check_words
from epicene.suites.gramvis.construction.dictionaries import word_of
from epicene.suites.gramvis.construction.elicitation import category_rows
from epicene.suites.gramvis.items import CATEGORIES, GRAMMARS, LANGUAGES
from epicene.suites.gramvis.studies.word_meanings import meaning_key
from epicene.suites.gramvis.word_lists import WORD_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from epicene.suites.construction import StepOutputs, StepRow
    from epicene.suites.gramvis.construction.elicitation import GramvisBuild
    from epicene.suites.gramvis.items import Word


def data_card(made: StepOutputs, settings: GramvisBuild) -> str:
    """The whole card, in Markdown."""
    parts = (
        _title(made),
        _words(made),
        _steps(made, settings),
        _models(made),
        _people(made, settings),
        warnings_section("word", kept_rows(made["check"])),
    )
    return "\n".join(line for part in parts for line in (*part, ""))


def _title(made: StepOutputs) -> Iterator[str]:
    rows = kept_rows(made["check"])
    diverging = sum(row["diverges"] for row in rows)
    yield "# Nouns whose grammatical gender contradicts, or matches, the stereotype"
    yield ""
    yield f"- Words: {len(rows)}"
    yield f"- Divergent: {diverging}"
    yield f"- Controls, whose stereotype matches their grammar: {len(rows) - diverging}"


def _words(made: StepOutputs) -> Iterator[str]:
    yield "## Words"
    yield ""
    rows = kept_rows(made["check"])
    numbers = Counter((row["language"], row["grammar"], row["diverges"]) for row in rows)
    yield from markdown_table(
        ("language", "gender", "divergent", "controls"),
        (
            (name.capitalize(), grammar, *(numbers[code, grammar, kind] for kind in (True, False)))
            for code, name in LANGUAGES.items()
            for grammar in GRAMMARS
            if any(row["language"] == code for row in rows)
        ),
    )
    yield ""
    by_category = Counter(row["category"] for row in rows)
    yield from markdown_table(
        ("category", "words"), ((name, by_category[name]) for name in CATEGORIES)
    )


def _steps(made: StepOutputs, settings: GramvisBuild) -> Iterator[str]:
    yield "## How it was made"
    yield ""
    yield (
        f"{len(made['seeds'])} prompts, {settings.number} words requested in each (seed "
        f"{settings.seed}, temperature {settings.temperature})."
    )
    yield ""
    steps = (
        ("words proposed", made["propose"]),
        ("different nouns, looked up", made["look-up"]),
        ("with what people say of their meaning", made["diverge"]),
        ("with a category, checked", made["check"]),
    )
    yield from markdown_table(
        ("words", "number", "of these left out"),
        ((what, len(rows), dropped_reasons(rows)) for what, rows in steps),
    )
    sources = sorted({name for row in made["look-up"] for name in row["dictionaries"]})
    yield ""
    yield f"Dictionaries: {', '.join(sources)}."


def _models(made: StepOutputs) -> Iterator[str]:
    yield "## Models"
    yield ""
    proposed = dict.fromkeys(row["model"] for row in made["propose"])
    sorting = dict.fromkeys(model for row in made["sort"] for model in row["said"])
    yield f"- Words were proposed by {'; '.join(proposed)}."
    yield f"- Categories are those given by more than half of these: {'; '.join(sorting)}."
    yield f"- Categories: α {format_estimate(krippendorff(_category_labels(made)))}."


def _category_labels(made: StepOutputs) -> list[list[str | None]]:
    return [[name or None for name in row["said"].values()] for row in made["sort"]]


def _people(made: StepOutputs, settings: GramvisBuild) -> Iterator[str]:
    yield "## People"
    yield ""
    rows = made["suggest"]
    people = {each["person"] for row in rows for each in row["given"]}
    labels = [[each["said"] for each in row["given"]] for row in rows]
    yield (
        f"{len(people)} people were asked whom each of {len(rows)} English meanings suggests "
        f"({settings.people} per meaning), without seeing the words or their grammar; "
        f"{settings.agree} had to agree."
    )
    yield ""
    yield f"- Meanings on which enough agreed: {sum(bool(row['suggests']) for row in rows)}."
    alpha = format_estimate(krippendorff(labels))
    yield f"- Fleiss' κ {format_estimate(fleiss(labels))}; Krippendorff's α {alpha}."


WORDS, CARD = "words.csv", "card.md"


def check_rows(made: StepOutputs, _settings: GramvisBuild) -> Iterator[StepRow]:
    """Each word with its category and what the suite's check says of it.

    A word with an error is dropped; warnings are for people to read.
    """
    sorted_ = category_rows(made)
    for row in kept_rows(made["diverge"]):
        found = sorted_[meaning_key(row["english"])]
        word = {**row, "category": found["category"]}
        issues = [] if found["dropped"] else list(check_words([_word(word)]))
        issues = [issue for issue in issues if issue.place == _word(word).id]
        errors = [issue.message.rstrip(".") for issue in issues if issue.severity == "error"]
        yield {
            **word,
            "warnings": [issue.message for issue in issues if issue.severity == "warning"],
            "dropped": found["dropped"] or "".join(errors[:1]),
        }


def _word(row: StepRow) -> Word:
    return word_of(row, row["stereotype"], row["category"])


def export(made: StepOutputs, settings: GramvisBuild, folder: Path) -> Sequence[Path]:
    """Write the words as the suite reads them, and the card."""
    data, about = folder / WORDS, folder / CARD
    table = io.StringIO(newline="")
    writer = csv.DictWriter(table, WORD_COLUMNS, restval="", lineterminator="\n")
    writer.writeheader()
    for row in kept_rows(made["check"]):
        writer.writerow({name: escape_formula(str(row.get(name) or "")) for name in WORD_COLUMNS})
    write_atomically(data, table.getvalue().encode())
    write_atomically(about, data_card(made, settings).encode())
    return data, about
