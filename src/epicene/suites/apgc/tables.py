"""The headline figures of all tasks, and their tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from epicene.records import Column, Estimate, Row, Table
from epicene.suites.apgc.ask import IDENTIFICATION, POST_EDITING, REWRITING, TRANSLATION
from epicene.suites.apgc.estimates import (
    EDITS,
    bleu_of,
    cleaned,
    empty,
    labelled_right,
    macro,
    rewriting_scores,
    total,
    unlabelled,
)
from epicene.suites.apgc.judge import MULTI
from epicene.suites.apgc.labels import TARGETS, WORD_LABELS
from epicene.suites.apgc.translation_tables import (
    GROUPS,
    UNREAD,
    genders_of_words,
    post_editing,
    table_5,
    table_6,
)
from epicene.suites.tabulate import accuracy, only, undetected, values_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import polars

    from epicene.suites import Results, RunInfo
    from epicene.suites.apgc.protocol import ApgcProtocol

    Outcomes = Results[ApgcProtocol]


def metrics(results: Outcomes) -> Mapping[str, Estimate]:
    """The headline figures of each task that was judged."""
    made: dict[str, Estimate] = {}
    frame = results.frame
    labelled = of_task(frame, IDENTIFICATION, unit="sentence")
    if len(labelled):
        words = of_task(frame, IDENTIFICATION, unit="word")
        made["identification_accuracy"] = labelled_right(words)
        made["identification_macro_F1"] = macro(words, WORD_LABELS)["F1"]
        made["identification_sentence_accuracy"] = accuracy(labelled)
        made |= _unread("identification", labelled)
    rewritten = of_task(frame, REWRITING)
    if len(rewritten):
        made |= rewriting_scores(rewritten)
        made |= {name: total(rewritten, name) for name in EDITS}
        made |= _unread("rewriting", rewritten)
    translated = of_task(frame, TRANSLATION, unit="sentence", letters="folded")
    if len(translated):
        for reference in (*TARGETS, MULTI):
            part = only(translated, reference=reference)
            made[f"translation_BLEU_{reference}"] = bleu_of(part)
        made["translation_undetected"] = empty(only(translated, reference=MULTI))
    edited = of_task(frame, POST_EDITING)
    if len(edited):
        for target in TARGETS:
            made[f"post_editing_BLEU_{target}"] = bleu_of(only(edited, target=target))
        made |= _unread("post_editing", edited)
    return made


def _unread(task: str, frame: polars.DataFrame) -> dict[str, Estimate]:
    """How many answers could not be read, and how many had something around them."""
    return {f"{task}_undetected": undetected(frame), f"{task}_cleaned": cleaned(frame)}


def tables(results: Outcomes) -> Iterator[Table]:
    """The tables of the tasks that were judged; the model is a level of them if there are several.

    What was published of another model stands in the rows after ours.
    """
    made = _tables(results)
    return made if len(results.runs) > 1 else map(_of_one_model, made)


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
    if len(of_task(frame, IDENTIFICATION)):
        yield _identification(of_task(frame, IDENTIFICATION, unit="word"), "word")
        yield _identification(of_task(frame, IDENTIFICATION, unit="sentence"), "sentence")
    if len(of_task(frame, REWRITING)):
        yield _rewriting(of_task(frame, REWRITING), "target", normalisers)
        yield _rewriting(of_task(frame, REWRITING), "sentence label", normalisers)
    frame = _naming_translators(frame, results.runs)
    translated = of_task(frame, TRANSLATION, unit="sentence")
    if len(translated):
        yield table_5(only(translated, letters="folded"), "5")
        yield table_5(only(translated, letters="written"), "5 as written")
        if "english gender" in frame.columns:
            yield table_6(only(translated, letters="folded"))
        words = of_task(frame, TRANSLATION, unit="word")
        yield genders_of_words(words, values_of(translated, "model"))
    if len(of_task(frame, POST_EDITING)):
        yield post_editing(of_task(frame, POST_EDITING))


# --- parts of the frame --------------------------------------------------------------------


def _naming_translators(frame: polars.DataFrame, runs: Sequence[RunInfo]) -> polars.DataFrame:
    """The frame with the translator's name beside that of the model that rewrites."""
    import polars as pl

    names = {
        info.model: f"{info.model}, translated by {info.identities['translator'][0].label}"
        for info in runs
        if info.identities.keys() >= {"model", "translator"}
    }
    return frame.with_columns(pl.col("model").cast(pl.String).replace(names)) if names else frame


def of_task(frame: polars.DataFrame, task: str, **values: str) -> polars.DataFrame:
    """The rows of one task."""
    return only(frame, task=task, **values)


# --- the tables ----------------------------------------------------------------------------

_SHARES = tuple(Column(name=name, decimals=2) for name in ("P", "R", "F0.5", "accuracy"))
_BLEU = Column(name="BLEU", unit="number", decimals=2)


def _identification(frame: polars.DataFrame, unit: str) -> Table:
    labels = WORD_LABELS if unit == "word" else tuple(GROUPS["ALL"])
    rows = []
    for model in values_of(frame, "model"):
        part = only(frame, model=model)
        averages = macro(part, labels)
        whole = (*averages.values(), labelled_right(part), unlabelled(part))
        rows.append(Row(keys=(model, "all (macro)"), cells=whole))
        for label in labels:
            one = macro(part, (label,))
            rows.append(Row(keys=(model, label), cells=(*one.values(), "", "")))
    names = ("precision", "recall", "F1", "accuracy", "undetected")
    return Table(
        name=f"identification by {unit}",
        title=f"Gender identification by {unit}",
        levels=("model", "label"),
        columns=tuple(Column(name=name, decimals=2) for name in names),
        rows=tuple(rows),
        notes=("An answer without exactly one label for each word is undetected, and wrong.",),
    )


def _rewriting(frame: polars.DataFrame, by: str, normalisers: Sequence[str]) -> Table:
    rows = []
    order = TARGETS if by == "target" else GROUPS["ALL"]
    for model in values_of(frame, "model"):
        part = only(frame, model=model)
        parts = {"all": part} if by == "target" else {}
        parts |= {value: only(part, **{by.replace(" ", "_"): value}) for value in order}
        for value, each in parts.items():
            if not len(each):
                continue
            cells = (
                *rewriting_scores(each).values(),
                *(total(each, name) for name in EDITS),
                undetected(each),
                cleaned(each),
            )
            rows.append(Row(keys=(model, value), cells=cells))
    return Table(
        name="rewriting" if by == "target" else "rewriting by label",
        title=f"Rewriting for speaker and listener, by {by}",
        levels=("model", by),
        columns=(
            *_SHARES,
            _BLEU,
            *(Column(name=name, unit="count") for name in EDITS),
            *UNREAD,
        ),
        rows=tuple(rows),
        notes=(
            _letters(normalisers),
            "P, R and F0.5 are of edits (M2); intervals resample groups.",
        ),
    )


def _letters(normalisers: Sequence[str]) -> str:
    if not normalisers:
        return "Letters are compared as written."
    return f"Before comparing, {', '.join(normalisers)} were normalised."
