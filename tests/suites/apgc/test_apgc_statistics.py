"""The tables of a corpus itself, counted by hand."""

from __future__ import annotations

from epicene.core.records import Estimate, Table
from epicene.suites import DataSource
from epicene.suites.apgc.data import STARTER, read
from epicene.suites.apgc.items import Sentence, forms_of_group, parse_label
from epicene.suites.apgc.protocol import ApgcProtocol
from epicene.suites.apgc.statistics import statistics

GROUPS: tuple[dict[str, str], ...] = (
    {"NN": "وصل القطار"},
    {"F!N": "نحن متعبات", "M!N": "نحن متعبون"},
    {"BM": "هل تسمعني", "BF": "هل تسمعينني"},
    {"BF!": "أنتن تعرفنني", "BM!": "أنتم تعرفونني"},
)


def sentences() -> list[Sentence]:
    made = []
    for number, group in enumerate(GROUPS):
        labels = [parse_label(label, "") for label in group]
        forms = forms_of_group(list(group.values()), labels)
        for place, (label, text) in enumerate(group.items()):
            made.append(
                Sentence(
                    id=f"{number}-{place}",
                    group=str(number),
                    text=text,
                    label=label,
                    targets=forms,
                    original=place == 0,
                )
            )
    return made


def counts(table: Table) -> dict[str, tuple[float | None, ...]]:
    """Of each label the number of original and of balanced."""
    return {
        row.keys[0]: tuple(
            cell.value for cell in (row.cells[0], row.cells[2]) if isinstance(cell, Estimate)
        )
        for row in table.rows
    }


def tables(made: list[Sentence]) -> dict[str, Table]:
    return {table.name: table for table in statistics(made)}


def test_sentences_and_words_by_label() -> None:
    made = tables(sentences())
    by_sentence = counts(made["3"])
    assert {label: each for label, each in by_sentence.items() if each != (0, 0)} == {
        "BB": (1, 1), "FB": (1, 1), "MB": (0, 1), "BF": (1, 2), "BM": (1, 2), "all": (4, 7),
    }  # fmt: skip
    by_word = counts(made["4"])
    # Beside a gendered verb stands هل; أنتم and the verb after it both show gender.
    assert by_word == {
        "B": (4, 6), "1F": (1, 1), "1M": (0, 1), "2F": (2, 3), "2M": (1, 3), "all": (8, 14),
    }  # fmt: skip


def test_with_absent_persons_and_several() -> None:
    made = tables(sentences())
    assert counts(made["7"]) == {
        "NN": (1, 1), "F!N": (1, 1), "M!N": (0, 1), "BF": (0, 1), "BF!": (1, 1),
        "BM": (1, 1), "BM!": (0, 1), "all": (4, 7),
    }  # fmt: skip
    assert counts(made["8"]) == {
        "B": (4, 6), "1F": (0, 0), "1F!": (1, 1), "1M": (0, 0), "1M!": (0, 1), "2F": (0, 1),
        "2F!": (2, 2), "2M": (1, 1), "2M!": (0, 2), "all": (8, 14),
    }  # fmt: skip


def test_without_such_labels_there_are_no_such_tables() -> None:
    plain = [each for each in sentences() if each.label in ("BM", "BF")]
    assert set(tables(plain)) == {"3", "4", "changes"}


def test_the_fine_tables_of_the_starter_set_condense_to_the_coarse() -> None:
    items = list(read(DataSource(path=STARTER), ApgcProtocol(name="x", about="")).items)
    made = tables(items)
    for fine, coarse in (("7", "3"), ("8", "4")):
        condensed: dict[str, list[float]] = {}
        for label, numbers in counts(made[fine]).items():
            plain = label.replace("!", "").replace("N", "B")
            sums = condensed.setdefault(plain, [0, 0])
            for place, number in enumerate(numbers):
                sums[place] += number or 0
        assert condensed == {label: list(each) for label, each in counts(made[coarse]).items()}
