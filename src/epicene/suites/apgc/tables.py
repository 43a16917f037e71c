"""The tables: identification, rewriting, translation (Tables 5 and 6) and post-editing."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import msgspec

from epicene.core.records import Column, Estimate, Row, Table
from epicene.stats.tabulate import distinct_values, parts_by, rows_where, share, undetected_share
from epicene.suites.apgc.ask import IDENTIFICATION, POST_EDITING, REWRITING, TRANSLATION
from epicene.suites.apgc.english import uses_tagger
from epicene.suites.apgc.items import LETTERS, SENTENCE_LABELS, TARGETS, WORD_LABELS
from epicene.suites.apgc.judge import FULL_LABEL, MULTI_REFERENCE
from epicene.suites.apgc.metrics import (
    EDIT_COUNTS,
    bleu_difference,
    bleu_of,
    cleaned_share,
    condensed_labels,
    empty_share,
    label_accuracy,
    label_counts,
    labels_without_marks,
    macro_scores,
    of_task,
    person_letters,
    person_marks,
    read_labels_as,
    rewriting_scores,
    total_count,
    unlabelled_share,
)
from epicene.suites.apgc.published import (
    published_post_editing,
    published_table_5,
    published_table_6,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import polars

    from epicene.suites import RunInfo
    from epicene.suites.apgc.metrics import Outcomes

# The rows of Table 5, by the condensed labels of their sentences.
LABEL_GROUPS: dict[str, tuple[str, ...]] = {
    "ALL": ("BB", "BM", "BF", "MB", "FB", "MM", "FM", "MF", "FF"),
    "BB": ("BB",),
    "ALL-BB": ("BM", "BF", "MB", "FB", "MM", "FM", "MF", "FF"),
    "BM BF": ("BM", "BF"),
    "MB FB": ("MB", "FB"),
    "MM FM MF FF": ("MM", "FM", "MF", "FF"),
}

# The last columns of every table of answers.
ANSWER_COLUMNS = (Column(name="undetected"), Column(name="cleaned"))


def with_labels(frame: polars.DataFrame, labels: Sequence[str]) -> polars.DataFrame:
    """The judgements of sentences with these labels."""
    import polars as pl

    return frame.filter(pl.col("sentence label").cast(pl.String).is_in(list(labels)))


def _bleu_cells(frame: polars.DataFrame) -> tuple[Estimate | str, ...]:
    parts = {
        reference: rows_where(frame, reference=reference)
        for reference in (*TARGETS, MULTI_REFERENCE)
    }
    number = Estimate(value=len(parts["MM"]), n=len(parts["MM"]))
    return (
        number,
        *(bleu_of(part) for part in parts.values()),
        bleu_difference(parts["MM"], parts["FF"]),
        empty_share(parts[MULTI_REFERENCE]),
    )


_BLEU_COLUMNS = (
    Column(name="n", unit="count"),
    *(
        Column(name=name, unit="number", decimals=2)
        for name in (*TARGETS, MULTI_REFERENCE, "MM − FF")
    ),
    Column(name="undetected"),
)


def table_5(frame: polars.DataFrame, name: str) -> Table:
    """BLEU by the labels of the Arabic sentences, letters folded (`5`) or as written."""
    rows = [
        Row(keys=(model, group), cells=_bleu_cells(with_labels(part, labels)))
        for (model,), part in parts_by(frame, "model")
        for group, labels in LABEL_GROUPS.items()
    ]
    folded = name == "5"
    return Table(
        name=name,
        title="BLEU of translations against each form, by label"
        + ("" if folded else ", letters as written"),
        levels=("model", "sentences"),
        columns=_BLEU_COLUMNS,
        rows=(*rows, *(published_table_5() if folded else ())),
        notes=(
            "Alif, ya and ta marbuta are folded, as in the paper."
            if folded
            else "No letters are folded: ta marbuta, which marks gender, counts.",
            "MM − FF is computed on the same sentences, so its interval shows whether the two "
            "differ. Empty translations are undetected.",
        ),
    )


def table_6(frame: polars.DataFrame) -> Table:
    """BLEU of the sentences that show gender, by the gender of English nouns."""
    frame = with_labels(frame, LABEL_GROUPS["ALL-BB"])
    rows = []
    for (model,), part in parts_by(frame, "model"):
        rows.append(Row(keys=(model, "ALL"), cells=_bleu_cells(part)))
        rows += [
            Row(keys=(model, gender), cells=_bleu_cells(rows_where(part, english_gender=gender)))
            for gender in ("B", "M", "F")
        ]
    return Table(
        name="6",
        title="BLEU of translations of gendered sentences, by the gender of English nouns",
        levels=("model", "English"),
        columns=_BLEU_COLUMNS,
        rows=(*rows, *published_table_6()),
        notes=(
            "If the data has no labels for the English, a tagger finds the nouns."
            if uses_tagger()
            else "If the data has no labels for the English, nouns are recognised by form alone, "
            "because no tagger is installed.",
        ),
    )


def word_gender_table(frame: polars.DataFrame, models: Sequence[str]) -> Table:
    """The gender in translations of the words that show one in the reference."""
    import polars as pl

    labels = ("masculine", "feminine", "neither")
    rows = []
    for model in models:
        part = rows_where(frame, model=model)
        people = {
            "both": part,
            "speaker": rows_where(part, person="1"),
            "listener": rows_where(part, person="2"),
        }
        for person, each in people.items():
            number = Estimate(value=len(each), n=len(each))
            cells = [share(each, pl.col("label") == label) for label in labels]
            rows.append(Row(keys=(model, person), cells=(number, *cells)))
    return Table(
        name="words",
        title="Gender of the gendered words in translations",
        levels=("model", "person"),
        columns=(Column(name="words", unit="count"), *(Column(name=label) for label in labels)),
        rows=tuple(rows),
        notes=(
            "Each gendered word of a group counts once; a word counts as neither if both or "
            "none of its two forms are present.",
        ),
    )


def post_editing_table(frame: polars.DataFrame) -> Table:
    """BLEU before and after the rewriting, for each pair of people."""
    rows = []
    for model in distinct_values(frame, "model"):
        for target in TARGETS:
            part = rows_where(frame, model=model, target=target)
            cells = (
                bleu_of(part, "before_"),
                bleu_of(part),
                bleu_difference(part, part, before=True),
                undetected_share(part),
                cleaned_share(part),
            )
            rows.append(Row(keys=(model, target), cells=cells))
    return Table(
        name="post-editing",
        title="BLEU of translations before and after rewriting, by speaker and listener",
        levels=("model", "target"),
        columns=(
            *(Column(name=name, unit="number", decimals=2) for name in ("before", "after", "gain")),
            *ANSWER_COLUMNS,
        ),
        rows=(*rows, *published_post_editing()),
        notes=("Alif, ya and ta marbuta are folded, as in the paper.",),
    )


def tables(results: Outcomes) -> Iterator[Table]:
    """The tables of the tasks that were judged; with several runs, the model is their first level.

    Published numbers of other models are in the rows after ours.
    """
    found = _tables(results)
    return found if len(results.runs) > 1 else map(_of_one_model, found)


def _of_one_model(table: Table) -> Table:
    """A table without its first level, which is the model's name."""
    return msgspec.structs.replace(
        table,
        levels=table.levels[1:],
        rows=tuple(
            msgspec.structs.replace(
                row,
                keys=row.keys[1:]
                if row.origin == "run"
                else (f"{row.keys[0]}: {row.keys[1]}", *row.keys[2:]),
            )
            for row in table.rows
        ),
    )


def _tables(results: Outcomes) -> Iterator[Table]:
    frame, normalisers = results.frame, results.protocol.normalisers
    if len(of_task(frame, IDENTIFICATION, unit="sentence")):
        yield _identification_table(of_task(frame, IDENTIFICATION, unit="word"), "word")
        yield _identification_table(of_task(frame, IDENTIFICATION, unit="sentence"), "sentence")
    if len(of_task(frame, IDENTIFICATION, unit=FULL_LABEL)):
        yield _full_label_table(of_task(frame, IDENTIFICATION, unit=FULL_LABEL))
    if len(of_task(frame, REWRITING)):
        yield _rewriting_table(of_task(frame, REWRITING), "target", normalisers)
        yield _rewriting_table(of_task(frame, REWRITING), "sentence label", normalisers)
    frame = _with_translator_names(frame, results.runs)
    translated = of_task(frame, TRANSLATION, unit="sentence")
    if len(translated):
        yield table_5(rows_where(translated, letters="folded"), "5")
        yield table_5(rows_where(translated, letters="written"), "5 as written")
        if "english gender" in frame.columns:
            yield table_6(rows_where(translated, letters="folded"))
        words = of_task(frame, TRANSLATION, unit="word")
        yield word_gender_table(words, distinct_values(translated, "model"))
    if len(of_task(frame, POST_EDITING)):
        yield post_editing_table(of_task(frame, POST_EDITING))


def _with_translator_names(frame: polars.DataFrame, runs: Sequence[RunInfo]) -> polars.DataFrame:
    """The frame with the translator's name added to that of the model that rewrites."""
    import polars as pl

    names = {
        info.model: f"{info.model}, translated by {info.identities['translator'][0].label}"
        for info in runs
        if info.identities.keys() >= {"model", "translator"}
    }
    return frame.with_columns(pl.col("model").cast(pl.String).replace(names)) if names else frame


_SHARES = tuple(Column(name=name, decimals=2) for name in ("P", "R", "F0.5", "accuracy"))
_BLEU = Column(name="BLEU", unit="number", decimals=2)


def _identification_table(frame: polars.DataFrame, unit: str) -> Table:
    labels = WORD_LABELS if unit == "word" else tuple(LABEL_GROUPS["ALL"])
    rows = []
    for (model,), part in parts_by(frame, "model"):
        averages = macro_scores(part, labels)
        whole = (*averages.values(), label_accuracy(part), unlabelled_share(part))
        rows.append(Row(keys=(model, "all (macro)"), cells=whole))
        for label in labels:
            one = macro_scores(part, (label,))
            rows.append(Row(keys=(model, label), cells=(*one.values(), "", "")))
    names = ("precision", "recall", "F1", "accuracy", "undetected")
    return Table(
        name=f"identification by {unit}",
        title=f"Gender identification by {unit}",
        levels=("model", "label"),
        columns=tuple(Column(name=name, decimals=2) for name in names),
        rows=tuple(rows),
        notes=("An answer without exactly one label per word is undetected and counts as wrong.",),
    )


def _full_label_table(frame: polars.DataFrame) -> Table:
    """Labels with N and !: whole, and what they say of each person."""
    rows: list[Row] = []
    for (model,), part in parts_by(frame, "model"):
        of_16 = read_labels_as(part, labels_without_marks)
        accuracies = {
            "all (macro)": of_16,
            "with !": part,
            "with B for N": read_labels_as(part, condensed_labels),
        }
        for name, each in accuracies.items():
            whole = name == "all (macro)"
            scores = macro_scores(of_16, SENTENCE_LABELS).values() if whole else ("", "", "")
            cells = (*scores, label_accuracy(each), unlabelled_share(part) if whole else "")
            rows.append(Row(keys=(model, "sentence", name), cells=cells))
        rows += _label_rows(of_16, (model, "sentence"), SENTENCE_LABELS)
        for number, person in enumerate(("speaker", "listener")):
            letters = read_labels_as(part, partial(person_letters, person=number))
            marks = read_labels_as(part, partial(person_marks, person=number))
            rows += _label_rows(letters, (model, person), LETTERS)
            rows += _label_rows(marks, (model, person), ("!",))
    names = ("precision", "recall", "F1", "accuracy", "undetected")
    return Table(
        name="identification with N and !",
        title="Labels of sentences with N and !",
        levels=("model", "of", "label"),
        columns=tuple(Column(name=name, decimals=2) for name in names),
        rows=tuple(rows),
        notes=(
            "The 16 labels are compared without !, except in the rows with it; with B for N "
            "there are nine. An answer that is not a label is undetected and counts as wrong.",
        ),
    )


def _label_rows(
    frame: polars.DataFrame, keys: tuple[str, ...], labels: Sequence[str]
) -> Iterator[Row]:
    """Precision, recall and F1 of each label that is found or true somewhere."""
    for label in labels:
        if label_counts(frame, (label,)).any():
            scores = macro_scores(frame, (label,)).values()
            yield Row(keys=(*keys, label), cells=(*scores, "", ""))


def _rewriting_table(frame: polars.DataFrame, by: str, normalisers: Sequence[str]) -> Table:
    rows = []
    order = TARGETS if by == "target" else LABEL_GROUPS["ALL"]
    for (model,), part in parts_by(frame, "model"):
        parts = {"all": part} if by == "target" else {}
        parts |= {value: rows_where(part, **{by.replace(" ", "_"): value}) for value in order}
        for value, each in parts.items():
            if not len(each):
                continue
            cells = (
                *rewriting_scores(each).values(),
                *(total_count(each, name) for name in EDIT_COUNTS),
                undetected_share(each),
                cleaned_share(each),
            )
            rows.append(Row(keys=(model, value), cells=cells))
    return Table(
        name="rewriting" if by == "target" else "rewriting by label",
        title=f"Rewriting for speaker and listener, by {by}",
        levels=("model", by),
        columns=(
            *_SHARES,
            _BLEU,
            *(Column(name=name, unit="count") for name in EDIT_COUNTS),
            *ANSWER_COLUMNS,
        ),
        rows=tuple(rows),
        notes=(
            _normaliser_note(normalisers),
            "P, R and F0.5 are over edits (M2); intervals are over groups.",
        ),
    )


def _normaliser_note(normalisers: Sequence[str]) -> str:
    if not normalisers:
        return "Letters are compared as written."
    return f"Before comparing, {', '.join(normalisers)} were normalised."
