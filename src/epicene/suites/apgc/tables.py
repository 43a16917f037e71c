"""Identification and rewriting as tables; the paper's Tables 5 and 6; what BLEU hides."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.records import Column, Estimate, Row, Table
from epicene.suites.apgc.ask import IDENTIFICATION, POST_EDITING, REWRITING, TRANSLATION
from epicene.suites.apgc.english import uses_tagger
from epicene.suites.apgc.estimates import (
    EDITS,
    bleu_difference,
    bleu_of,
    macro,
    rewriting_scores,
    total,
)
from epicene.suites.apgc.judge import MULTI
from epicene.suites.apgc.labels import TARGETS, WORD_LABELS
from epicene.suites.apgc.published import printed_table_5, printed_table_6
from epicene.suites.tabulate import (
    accuracy,
    only,
    share,
    undetected,
    values_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import polars

    from epicene.suites import Results
    from epicene.suites.apgc.protocol import ApgcProtocol

    Outcomes = Results[ApgcProtocol]

# The rows of Table 5: which sentences, by their condensed labels.
GROUPS: dict[str, tuple[str, ...]] = {
    "ALL": ("BB", "BM", "BF", "MB", "FB", "MM", "FM", "MF", "FF"),
    "BB": ("BB",),
    "ALL-BB": ("BM", "BF", "MB", "FB", "MM", "FM", "MF", "FF"),
    "BM BF": ("BM", "BF"),
    "MB FB": ("MB", "FB"),
    "MM FM MF FF": ("MM", "FM", "MF", "FF"),
}


def metrics(results: Outcomes) -> Mapping[str, Estimate]:
    """The headline figures of each task that was judged."""
    made: dict[str, Estimate] = {}
    frame = results.frame
    words = of_task(frame, IDENTIFICATION, unit="word")
    if len(words):
        made["identification_accuracy"] = accuracy(words)
        made["identification_macro_F1"] = macro(words, WORD_LABELS)["F1"]
        made["identification_undetected"] = undetected(words)
    rewritten = of_task(frame, REWRITING)
    if len(rewritten):
        made |= rewriting_scores(rewritten)
        made |= {name: total(rewritten, name) for name in EDITS}
    translated = of_task(frame, TRANSLATION, unit="sentence", letters="folded")
    for reference in (*TARGETS, MULTI):
        part = only(translated, reference=reference)
        if len(part):
            made[f"translation_BLEU_{reference}"] = bleu_of(part)
    edited = of_task(frame, POST_EDITING)
    if len(edited):
        for target in TARGETS:
            made[f"post_editing_BLEU_{target}"] = bleu_of(only(edited, target=target))
    return made


def tables(results: Outcomes) -> Iterator[Table]:
    """The tables of the tasks that were judged."""
    frame, normalisers = results.frame, results.protocol.normalisers
    if len(of_task(frame, IDENTIFICATION)):
        yield _identification(of_task(frame, IDENTIFICATION, unit="word"), "word")
        yield _identification(of_task(frame, IDENTIFICATION, unit="sentence"), "sentence")
    if len(of_task(frame, REWRITING)):
        yield _rewriting(of_task(frame, REWRITING), "target", normalisers)
        yield _rewriting(of_task(frame, REWRITING), "sentence label", normalisers)
    translated = of_task(frame, TRANSLATION, unit="sentence")
    if len(translated):
        yield _table_5(only(translated, letters="folded"), "5")
        yield _table_5(only(translated, letters="written"), "5 as written")
        if "english gender" in frame.columns:
            yield _table_6(only(translated, letters="folded"))
        yield _words(of_task(frame, TRANSLATION, unit="word"), values_of(translated, "model"))
    if len(of_task(frame, POST_EDITING)):
        yield _post_editing(of_task(frame, POST_EDITING))


# --- parts of the frame --------------------------------------------------------------------


def of_task(frame: polars.DataFrame, task: str, **values: str) -> polars.DataFrame:
    """The rows of one task."""
    return only(frame, task=task, **values)


def of_labels(frame: polars.DataFrame, labels: Sequence[str]) -> polars.DataFrame:
    """The rows of sentences with these labels."""
    import polars as pl

    return frame.filter(pl.col("sentence label").cast(pl.String).is_in(list(labels)))


# --- the tables ----------------------------------------------------------------------------

_SHARES = tuple(Column(name=name, decimals=2) for name in ("P", "R", "F0.5", "accuracy"))
_BLEU = Column(name="BLEU", unit="number", decimals=2)


def _identification(frame: polars.DataFrame, unit: str) -> Table:
    labels = WORD_LABELS if unit == "word" else tuple(GROUPS["ALL"])
    rows = []
    for model in values_of(frame, "model"):
        part = only(frame, model=model)
        averages = macro(part, labels)
        whole = (averages["precision"], averages["recall"], averages["F1"], accuracy(part))
        rows.append(Row(keys=(model, "all (macro)"), cells=(*whole, undetected(part))))
        for label in labels:
            one = macro(part, (label,))
            cells = (one["precision"], one["recall"], one["F1"], "", "")
            rows.append(Row(keys=(model, label), cells=cells))
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
            Column(name="undetected"),
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


def _bleu_cells(frame: polars.DataFrame) -> tuple[Estimate | str, ...]:
    parts = {reference: only(frame, reference=reference) for reference in (*TARGETS, MULTI)}
    number = Estimate(value=len(parts["MM"]), n=len(parts["MM"]))
    return (
        number,
        *(bleu_of(part) for part in parts.values()),
        bleu_difference(parts["MM"], parts["FF"]),
    )


_BLEU_COLUMNS = (
    Column(name="n", unit="count"),
    *(Column(name=name, unit="number", decimals=2) for name in (*TARGETS, MULTI, "MM − FF")),
)


def _table_5(frame: polars.DataFrame, name: str) -> Table:
    rows = [
        Row(keys=(model, group), cells=_bleu_cells(of_labels(only(frame, model=model), labels)))
        for model in values_of(frame, "model")
        for group, labels in GROUPS.items()
    ]
    folded = name == "5"
    return Table(
        name=name,
        title="BLEU of translations against each form, by label"
        + ("" if folded else ", letters as written"),
        levels=("model", "sentences"),
        columns=_BLEU_COLUMNS,
        rows=(*rows, *(printed_table_5() if folded else ())),
        notes=(
            "Alif, ya and ta marbuta folded, as in the paper."
            if folded
            else "No letter folded: ta marbuta, which marks gender, counts.",
            "MM − FF is resampled as one, so its interval tells whether the two differ.",
        ),
    )


def _table_6(frame: polars.DataFrame) -> Table:
    frame = of_labels(frame, GROUPS["ALL-BB"])
    rows = []
    for model in values_of(frame, "model"):
        part = only(frame, model=model)
        rows.append(Row(keys=(model, "ALL"), cells=_bleu_cells(part)))
        rows += [
            Row(keys=(model, gender), cells=_bleu_cells(only(part, english_gender=gender)))
            for gender in ("B", "M", "F")
        ]
    return Table(
        name="6",
        title="BLEU of translations of gendered sentences, by the gender of English nouns",
        levels=("model", "English"),
        columns=_BLEU_COLUMNS,
        rows=(*rows, *printed_table_6()),
        notes=(
            "Nouns are told by a tagger."
            if uses_tagger()
            else "No tagger is installed: words are taken for nouns by their form alone.",
        ),
    )


def _words(frame: polars.DataFrame, models: Sequence[str]) -> Table:
    """Of the words that show gender in the reference, how they came out."""
    import polars as pl

    labels = ("masculine", "feminine", "neither")
    rows = []
    for model in models:
        part = only(frame, model=model)
        people = {
            "both": part,
            "speaker": only(part, person="1"),
            "listener": only(part, person="2"),
        }
        for person, each in people.items():
            number = Estimate(value=len(each), n=len(each))
            cells = [share(each, pl.col("label") == label) for label in labels]
            rows.append(Row(keys=(model, person), cells=(number, *cells)))
    return Table(
        name="words",
        title="Gender of the words that show one, in translations",
        levels=("model", "person"),
        columns=(Column(name="words", unit="count"), *(Column(name=label) for label in labels)),
        rows=tuple(rows),
        notes=(
            "Each gendered word of a group counts once; a word whose two forms are both absent, "
            "or both there, is neither.",
        ),
    )


def _post_editing(frame: polars.DataFrame) -> Table:
    rows = []
    for model in values_of(frame, "model"):
        for target in TARGETS:
            part = only(frame, model=model, target=target)
            cells = (
                bleu_of(part, "before_"),
                bleu_of(part),
                bleu_difference(part, part, before=True),
            )
            rows.append(Row(keys=(model, target), cells=cells))
    return Table(
        name="post-editing",
        title="BLEU of translations before and after rewriting, for each pair of people",
        levels=("model", "target"),
        columns=tuple(
            Column(name=name, unit="number", decimals=2) for name in ("before", "after", "gain")
        ),
        rows=tuple(rows),
        notes=("Alif, ya and ta marbuta folded, as in the paper.",),
    )
