"""The last steps: check the words, write those that pass, and the card that goes with them."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

from epicene.suites.construction import kept
from epicene.suites.gramvis.construction.looking_up import word_of
from epicene.suites.gramvis.construction.sorting import categories
from epicene.suites.gramvis.people.word_studies import meaning_key
from epicene.suites.gramvis.word_checks import check_words
from epicene.suites.gramvis.words import COLUMNS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from epicene.suites.construction import Made, Row
    from epicene.suites.gramvis.construction.proposing import GramvisBuild
    from epicene.suites.gramvis.words import Word

WORDS, CARD = "words.csv", "card.md"


def checked(made: Made, _settings: GramvisBuild) -> Iterator[Row]:
    """Each word with its category and what the suite's check says of it.

    A word with an error is dropped; warnings are for people to read.
    """
    sorted_ = categories(made)
    for row in kept(made["diverge"]):
        found = sorted_[meaning_key(row["english"])]
        word = {**row, "category": found["category"]}
        findings = [] if found["dropped"] else list(check_words([_word(word)]))
        mine = [each for each in findings if each.place == _word(word).id]
        errors = [each.message.rstrip(".") for each in mine if each.severity == "error"]
        yield {
            **word,
            "warnings": [each.message for each in mine if each.severity == "warning"],
            "dropped": found["dropped"] or "".join(errors[:1]),
        }


def _word(row: Row) -> Word:
    return word_of(row, row["stereotype"], row["category"])


def export(made: Made, settings: GramvisBuild, folder: Path) -> Sequence[Path]:
    """The words as the suite reads them, and the card."""
    from epicene.suites.gramvis.construction.card import card

    data, about = folder / WORDS, folder / CARD
    with data.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, restval="", lineterminator="\n")
        writer.writeheader()
        for row in kept(made["check"]):
            writer.writerow({name: row.get(name, "") for name in COLUMNS})
    about.write_text(card(made, settings), encoding="utf-8")
    return data, about
