"""Identification and rewriting as tables; the paper's Tables 5 and 6; what BLEU hides."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from epicene.records import Column, Estimate, Row, Table
from epicene.suites.apgc.ask import IDENTIFICATION, POST_EDITING, REWRITING, TRANSLATION
from epicene.suites.apgc.bleu import COUNTS, bleu
from epicene.suites.apgc.english import uses_tagger
from epicene.suites.apgc.judge import MULTI, WORD_LABELS
from epicene.suites.apgc.labels import TARGETS
from epicene.suites.apgc.published import printed_table_5, printed_table_6
from epicene.suites.tabulate import (
    accuracy,
    codes,
    mean,
    only,
    share,
    undetected,
    values_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import polars
    from numpy.typing import NDArray

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
_NOTHING = Estimate(value=None, why="nothing was judged")
_EDITS = ("correct", "proposed", "gold")


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
        made |= {name: total(rewritten, name) for name in _EDITS}
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


# --- estimates -----------------------------------------------------------------------------


def sums(frame: polars.DataFrame, names: Sequence[str]) -> NDArray[Any]:
    """The counts of those names, a row per judgement."""
    return frame.select(names).to_numpy()


def bleu_of(frame: polars.DataFrame, before: str = "") -> Estimate:
    """BLEU of those sentences, resampled by group."""
    from epicene.stats.bootstrap import of_sums

    if not len(frame):
        return _NOTHING
    names = [f"{before}{name}" for name in COUNTS]
    return of_sums(sums(frame, names), bleu, codes(frame), n=len(frame))


def bleu_difference(
    first: polars.DataFrame, second: polars.DataFrame, *, before: bool = False
) -> Estimate:
    """One BLEU minus another over the same sentences, resampled together.

    With `before`, both are read from the first frame: after the rewriting minus before it.
    """
    import numpy as np

    from epicene.stats.bootstrap import of_sums

    if not len(first):
        return _NOTHING
    names = [f"before_{name}" for name in COUNTS] if before else list(COUNTS)
    columns = np.hstack([sums(first.sort("item"), COUNTS), sums(second.sort("item"), names)])
    size = len(COUNTS)
    return of_sums(
        columns,
        lambda both: bleu(both[:, :size]) - bleu(both[:, size:]),
        codes(first.sort("item")),
        n=len(first),
    )


def total(frame: polars.DataFrame, name: str) -> Estimate:
    """How many there are."""
    number = int(frame[name].sum())
    return Estimate(value=number, n=number)


def rewriting_scores(frame: polars.DataFrame) -> dict[str, Estimate]:
    """Precision, recall and F0.5 of the edits, accuracy and BLEU."""
    from epicene.stats.bootstrap import of_sums

    columns, groups = sums(frame, _EDITS), codes(frame)

    def scored(place: int) -> Estimate:
        return of_sums(columns, lambda rows: _edit_scores(rows)[place], groups, bounds=(0, 1))

    return {
        "P": scored(0),
        "R": scored(1),
        "F0.5": scored(2),
        "accuracy": mean(frame),
        "BLEU": bleu_of(frame),
    }


def _edit_scores(rows: NDArray[Any]) -> NDArray[Any]:
    """Precision, recall and F0.5 of each row of sums; with nothing to divide by they are 1."""
    import numpy as np

    correct, proposed, gold = rows.T
    precision = np.divide(correct, proposed, out=np.ones_like(correct), where=proposed > 0)
    recall = np.divide(correct, gold, out=np.ones_like(correct), where=gold > 0)
    below = 0.25 * precision + recall
    f_half = np.divide(
        1.25 * precision * recall, below, out=np.zeros_like(correct), where=below > 0
    )
    return np.stack([precision, recall, f_half])


def label_counts(frame: polars.DataFrame, labels: Sequence[str]) -> NDArray[Any]:
    """For each row and label: whether it was told, is true, and both."""
    import numpy as np
    import polars as pl

    told = frame["label"].cast(pl.String).to_numpy()
    truth = frame["truth"].cast(pl.String).to_numpy()
    columns = [
        flags
        for label in labels
        for flags in (told == label, truth == label, (told == label) & (truth == label))
    ]
    return np.column_stack(columns).astype(float)


def macro(frame: polars.DataFrame, labels: Sequence[str]) -> dict[str, Estimate]:
    """Precision, recall and F1, the mean over labels that occur; a label never told has 0."""
    from epicene.stats.bootstrap import of_sums

    columns, groups = label_counts(frame, labels), codes(frame)

    def averaged(place: int) -> Estimate:
        return of_sums(columns, lambda rows: _macro(rows)[place], groups, bounds=(0, 1))

    return {"precision": averaged(0), "recall": averaged(1), "F1": averaged(2)}


def _macro(rows: NDArray[Any]) -> NDArray[Any]:
    import numpy as np

    told, true, both = (rows[:, start::3] for start in range(3))
    precision = np.divide(both, told, out=np.zeros_like(both), where=told > 0)
    recall = np.divide(both, true, out=np.zeros_like(both), where=true > 0)
    f1 = np.divide(2 * both, told + true, out=np.zeros_like(both), where=told + true > 0)
    occurs = (told + true > 0).astype(float)
    number = np.maximum(occurs.sum(axis=1), 1)
    return np.stack([(each * occurs).sum(axis=1) / number for each in (precision, recall, f1)])


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
                *(total(each, name) for name in _EDITS),
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
            *(Column(name=name, unit="count") for name in _EDITS),
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
