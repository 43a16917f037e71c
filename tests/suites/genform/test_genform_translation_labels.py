"""How often the analyser of translations agrees with a reader on the gender of the speaker.

`cases/translations.jsonl` holds 100 sentences a language, written in the manner of machine
translations of first-person English: good, literal and clumsy ones, some that agree with the
speaker in two ways, some in which only another person's gender shows. No system put them out. Who
wrote them labelled them too, before seeing the rewriters or what they make of it; `why` names the
words that decide.

The figures are those of docs/suites/genform.md. The set measures the rewriters and must not help to
fix them: once a rule has been written for one of these sentences, the figure says nothing.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from epicene.rewriting.persons import assumed_gender

GENDERS = ("masculine", "feminine", "mixed", "undetected")
ROWS: list[dict[str, str]] = [
    json.loads(line)
    for line in (Path(__file__).parent / "cases" / "translations.jsonl")
    .read_text(encoding="utf-8")
    .splitlines()
]


@pytest.mark.parametrize("language", ["fr", "ar", "hi"])
def test_what_was_labelled(language: str) -> None:
    rows = [row for row in ROWS if row["language"] == language]
    labels = Counter(row["label"] for row in rows)
    assert labels == {"masculine": 45, "feminine": 25, "mixed": 8, "undetected": 22}
    assert len({row["text"] for row in rows}) == len({row["english"] for row in rows}) == 100


def test_reasons_name_words_of_the_sentence() -> None:
    for row in ROWS:
        if row["label"] != "undetected":
            assert row["why"].split()[0].strip(",") in row["text"], row
        if row["label"] == "mixed":
            assert "(m)" in row["why"], row
            assert "(f)" in row["why"], row


@pytest.mark.parametrize(("language", "right"), [("fr", 99), ("ar", 97), ("hi", 100)])
def test_agreement_with_the_reader(language: str, right: int) -> None:
    confusion: Counter[tuple[str, str]] = Counter(
        (row["label"], assumed_gender(row["text"], language).gender)
        for row in ROWS
        if row["language"] == language
    )
    assert sum(confusion[gender, gender] for gender in GENDERS) == right, _table(confusion)


def _table(confusion: Counter[tuple[str, str]]) -> str:
    """Rows are the reader's labels, columns the analyser's."""
    lines = ["".join(f"{name:>12}" for name in ("", *GENDERS))]
    for label in GENDERS:
        cells = "".join(f"{confusion[label, found]:12}" for found in GENDERS)
        lines.append(f"{label:>12}{cells}")
    return "\n".join(["", *lines])
