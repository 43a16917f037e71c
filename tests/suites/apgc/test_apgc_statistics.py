"""The tables of a corpus itself, counted by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from epicene.core.errors import InputError
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


def beside(table: Table, label: str) -> dict[str, float | str | None]:
    """The cells of a label's row, by column."""
    row = next(row for row in table.rows if row.keys == (label,))
    return {
        column.name: cell.value if isinstance(cell, Estimate) else cell
        for column, cell in zip(table.columns, row.cells, strict=True)
    }


@pytest.mark.parametrize(
    ("table", "label", "others", "targets"),
    [
        ("3", "BB", "", "BB BB BB BB"),
        ("3", "FB", "MB", "MB FB MB FB"),
        ("3", "FF", "MF FM MM", "MM FM MF FF"),
        ("4", "B", "", "B B B B"),
        ("4", "1F", "1M", "1M 1F 1M 1F"),
        ("4", "2M", "2F", "2M 2M 2F 2F"),
        ("7", "BF!", "BM!", "BM! BM! BF! BF!"),
        ("8", "2F!", "2M!", "2M! 2M! 2F! 2F!"),
    ],
)
def test_the_labels_of_other_forms_and_of_targets(
    table: str, label: str, others: str, targets: str
) -> None:
    cells = beside(tables(sentences())[table], label)
    assert cells["other forms"] == others
    assert [cells[target] for target in ("MM", "FM", "MF", "FF")] == targets.split()


@pytest.mark.parametrize(
    ("table", "label", "original", "balanced", "share"),
    [  # as printed
        ("3", "BB", 36980, 36980, 0.637),
        ("3", "BM", 12164, 17374, 0.210),
        ("3", "MM", 298, 618, 0.005),
        ("3", "all", 58035, 80326, 1),
        ("4", "B", 395658, 538733, 0.935),
        ("4", "1M", 2716, 4923, 0.006),
        ("4", "2F", 6844, 24110, 0.016),
        ("4", "all", 423254, 596799, 1),
        ("7", "NN", 1701, 1701, 0.029),
        ("7", "F!N", 0, 5, 0),
        ("7", "BF!", 26, 877, 0.000),
        ("8", "2M!", 2521, 2704, 0.006),
    ],
)
def test_published_figures_are_beside_ours(
    table: str, label: str, original: int, balanced: int, share: float
) -> None:
    cells = beside(tables(sentences())[table], label)
    assert cells["published original"] == original
    assert cells["published balanced"] == balanced
    assert cells["share of published original"] == pytest.approx(share, abs=5e-4)


def changes(**settings: str) -> tuple[dict[str, float | str | None], tuple[str, ...]]:
    protocol = ApgcProtocol(name="x", about="", **settings)  # type: ignore[arg-type]
    (table,) = (each for each in statistics(sentences(), protocol) if each.name == "changes")
    return beside(table, "reinflection"), table.notes


def test_lemmas_of_an_analyser_decide_what_is_the_same_word(tmp_path: Path) -> None:
    """The words are متعبات, تسمعني, أنتن and تعرفنني, with their other gender."""
    assert changes()[0]["words"] == 4
    path = tmp_path / "lemmas.tsv"
    rows = [
        "word\tlemma",
        "متعبات\tمتعب",
        "متعبون\tمتعب",
        "متعبون\tأتعب",
        "أنتن\tأنت_1",
        "أنتم\tأنت_2",
    ]
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    cells, notes = changes(lemmas=str(path))
    assert (cells["words"], cells["share"]) == (3, 0.75)
    assert cells["published words"] == 26728
    assert notes[0].startswith("Lemmas decide for 2 of the 4 words")


def test_a_file_of_lemmas_without_them(tmp_path: Path) -> None:
    path = tmp_path / "lemmas.csv"
    path.write_text("word,lex\nx,y\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"lacks the field 'word' or 'lemma'"):
        changes(lemmas=str(path))
