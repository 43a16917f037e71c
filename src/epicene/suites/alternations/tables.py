"""Tables 2, 4 and 5 next to the published numbers; accuracy by phenomenon, column and measure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.core.records import Column, Estimate, Row, Table
from epicene.stats.tabulate import distinct_values, mean, parts_by, rows_where
from epicene.suites.alternations.items import VALENCY_CLASSES, VARIANTS
from epicene.suites.alternations.judge import SLOR
from epicene.suites.alternations.metrics import (
    accuracy,
    main_scores,
    model_type,
    overall_and_by_phenomenon,
    parameter_count,
    share_of_ties,
    ties_note,
)
from epicene.suites.alternations.protocol import ACCEPTABILITY
from epicene.suites.alternations.published import (
    parameters_in_millions,
    published_model_rows,
    published_people_row,
    published_training_rows,
    published_valency_rows,
)
from epicene.suites.alternations.sources.rows import RESERVED_COLUMNS
from epicene.suites.alternations.tables_cloze import cloze_tables
from epicene.suites.alternations.words import without_rules, words_by_unicode
from epicene.suites.answers import LIKELIHOOD_MEASURES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import polars

    from epicene.suites.alternations.metrics import Outcomes

_TYPES = ("masked", "causal")
_LANGUAGES = ("multilingual", "monolingual", "")

NOT_THE_SAME_PAIRS = "The paper's pairs are not ours: only a sample of them is published."


def table_2(results: Outcomes, frame: polars.DataFrame) -> Table:
    """Accuracy by variant: models by type, by the languages they were made for, by size."""
    rows = [
        Row(
            keys=(model_type(results, model), "", model),
            cells=(
                parameters_in_millions(parameter_count(results, model)),
                *(accuracy(rows_where(frame, model=model, phenomenon=name)) for name in VARIANTS),
            ),
        )
        for model in distinct_values(frame, "model")
    ]
    return Table(
        name="2",
        title="Accuracy by variant",
        levels=("type", "languages", "model"),
        columns=(
            Column(name="parameters (millions)", unit="count"),
            *(Column(name=name) for name in VARIANTS),
        ),
        rows=(*_sorted_by_type_and_size([*rows, *published_model_rows()]), published_people_row()),
        notes=(ties_note(results.protocol), NOT_THE_SAME_PAIRS),
    )


def _sorted_by_type_and_size(rows: Iterable[Row]) -> list[Row]:
    def sort_key(row: Row) -> tuple[int, int, float, str]:
        kind, languages, name = row.keys
        size = row.cells[0]
        return (
            _TYPES.index(kind) if kind in _TYPES else len(_TYPES),
            _LANGUAGES.index(languages),
            (size.value if isinstance(size, Estimate) else None) or 0.0,
            name,
        )

    return sorted(rows, key=sort_key)


def table_4(results: Outcomes, frame: polars.DataFrame) -> Table:
    """The models by the text they were trained on and by size."""
    rows = [
        Row(
            keys=(model_type(results, model), "", model),
            cells=("not stated", parameters_in_millions(parameter_count(results, model))),
        )
        for model in distinct_values(frame, "model")
    ]
    return Table(
        name="4",
        title="Models by amount of training text and size",
        levels=("type", "languages", "model"),
        columns=(
            Column(name="training tokens", unit="text"),
            Column(name="parameters (millions)", unit="count"),
        ),
        rows=(*rows, *published_training_rows()),
        notes=(
            "The paper gives the training text of XLM-R in bytes and that of mGPT in "
            "characters of Wikipedia and of C4; it gives no size for HindBERT.",
        ),
    )


def table_5(results: Outcomes, frame: polars.DataFrame) -> Table:
    """Accuracy by variant and class of verb."""

    def cells(model: str, variant: str) -> tuple[Estimate, ...]:
        part = rows_where(frame, model=model, phenomenon=variant)
        return tuple(accuracy(rows_where(part, valency=name)) for name in VALENCY_CLASSES)

    rows = [
        Row(keys=(model, variant), cells=cells(model, variant))
        for model in distinct_values(frame, "model")
        for variant in VARIANTS
    ]
    return Table(
        name="5",
        title="Accuracy by variant and class of verb",
        levels=("model", "variant"),
        columns=tuple(Column(name=name) for name in VALENCY_CLASSES),
        rows=(*rows, *published_valency_rows()),
        notes=(
            ties_note(results.protocol),
            "The paper's SV columns of the three causal models equal their No Case(I) columns and "
            "contradict its Table 2.",
        ),
    )


_MAX_VALUES = 40  # a column with more different values is not tabulated


def tables(results: Outcomes) -> Iterator[Table]:
    """The paper's tables if there are Hindi variants, then those for any pairs."""
    frame = main_scores(results)
    if len(frame):
        if set(VARIANTS) & set(distinct_values(frame, "phenomenon")):
            yield table_2(results, frame)
            models = distinct_values(frame, "model")
            if len(models) > 1 or parameter_count(results, models[0]) is not None:
                yield table_4(results, frame)
            if "valency" in frame.columns:
                yield table_5(results, frame)
        ties = ties_note(results.protocol)
        yield _phenomena_table(frame, ties)
        if _mixes_languages(frame):
            yield _languages_table(frame, ties)
        if columns := _breakdown_columns(frame):
            yield _columns_table(frame, columns, ties)
        yield _measures_table(rows_where(results.frame, format=ACCEPTABILITY), ties)
    yield from cloze_tables(results)


def _cells(part: polars.DataFrame) -> tuple[Estimate, ...]:
    number = Estimate(value=len(part), n=len(part))
    return (number, accuracy(part), share_of_ties(part), mean(part))


_COLUMNS = (
    Column(name="pairs", unit="count"),
    Column(name="accuracy"),
    Column(name="ties"),
    Column(name="margin", unit="number", decimals=2),
)
_MARGIN = "The margin is the mean difference of the two scores, good minus bad."


def _phenomena_table(frame: polars.DataFrame, ties: str) -> Table:
    rows = [
        Row(keys=(model, phenomenon), cells=_cells(part))
        for (model,), mine in parts_by(frame, "model")
        for phenomenon, part in overall_and_by_phenomenon(mine)
    ]
    return Table(
        name="phenomena",
        title="Accuracy by phenomenon",
        levels=("model", "phenomenon"),
        columns=_COLUMNS,
        rows=tuple(rows),
        notes=(ties, _MARGIN),
    )


def _mixes_languages(frame: polars.DataFrame) -> bool:
    """Whether one phenomenon is tested in several languages, which the table above adds up."""
    return frame.select("phenomenon", "language").n_unique() > frame["phenomenon"].n_unique()


def _languages_table(frame: polars.DataFrame, ties: str) -> Table:
    rows = [
        Row(keys=(model, language, phenomenon), cells=_cells(part))
        for (model, language), mine in parts_by(frame, "model", "language")
        for phenomenon, part in overall_and_by_phenomenon(mine)
    ]
    return Table(
        name="languages",
        title="Accuracy by language and phenomenon",
        levels=("model", "language", "phenomenon"),
        columns=_COLUMNS,
        rows=tuple(rows),
        notes=(ties, _MARGIN),
    )


def _breakdown_columns(frame: polars.DataFrame) -> list[str]:
    """The columns of the data that are worth breaking down by."""
    return [
        column
        for column in sorted(set(frame.columns) - RESERVED_COLUMNS)
        if not frame[column].dtype.is_numeric()
        and not column.startswith("evidence ")
        and 1 <= len(distinct_values(frame, column)) <= _MAX_VALUES
    ]


def _columns_table(frame: polars.DataFrame, columns: list[str], ties: str) -> Table:
    rows = [
        Row(keys=(column, *keys), cells=_cells(part))
        for column in columns
        for keys, part in parts_by(frame, "model", column)
    ]
    return Table(
        name="columns",
        title="Accuracy by every column of the data",
        levels=("facet", "model", "of"),
        columns=_COLUMNS,
        rows=tuple(rows),
        notes=(
            ties,
            _MARGIN,
            f"Columns with more than {_MAX_VALUES} different values are left out.",
        ),
    )


_SLOR = (
    "SLOR is our approximation: unigram frequencies are those of the package wordfreq, per word, "
    "not those of the model's training text."
)


def _measures_table(frame: polars.DataFrame, ties: str) -> Table:
    present = distinct_values(frame, "measure")
    known = (*LIKELIHOOD_MEASURES, SLOR)
    names = [
        *(name for name in known if name in present),
        *(name for name in present if name not in known),
    ]
    rows = []
    for keys, part in parts_by(frame, "model", "method"):
        # A causal model gives the same scores however it should have masked.
        once = part.unique(["item", "measure"])
        rows += [
            Row(
                keys=(*keys, phenomenon),
                cells=tuple(accuracy(rows_where(each, measure=name)) for name in names),
            )
            for phenomenon, each in overall_and_by_phenomenon(once)
        ]
    notes = [ties] + [_SLOR] * (SLOR in names)
    if without := without_rules(filter(None, distinct_values(frame, "language"))):
        notes.append(words_by_unicode(without))
    return Table(
        name="measures",
        title="Accuracy by every measure",
        levels=("model", "method", "phenomenon"),
        columns=tuple(Column(name=name) for name in names),
        rows=tuple(rows),
        notes=tuple(notes),
    )
