"""The paper's tables beside its printed figures, and breakdowns by rule, family and terms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.core.records import Column, Estimate, Row, Table
from epicene.stats import paired_agreement
from epicene.stats.tabulate import accuracy, distinct_values, rows_where, share
from epicene.suites.genform import metrics
from epicene.suites.genform import metrics as genform_metrics
from epicene.suites.genform.ask import PROBABILITY
from epicene.suites.genform.items import TARGETS
from epicene.suites.genform.metrics import (
    BREAKDOWN_RESAMPLES,
    AnswerArrays,
    for_target,
    paired_formats,
    probability_judgements,
    probability_tables,
    translation_metrics,
    translation_tables,
)
from epicene.suites.genform.published import score_rows
from epicene.suites.genform.statistics import (
    TOKENISATION_NOTES,
    data_table,
    rules_in,
    sentence_frame_from_answers,
)
from epicene.suites.genform.words import TOKENISATIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    import polars

    from epicene.suites import Results
    from epicene.suites.genform.metrics import Measure
    from epicene.suites.genform.protocol import GenformProtocol

if TYPE_CHECKING:
    # The keys of a table's rows in a language, in order.
    Order = Callable[[polars.DataFrame, str], list[str]]

CLUSTER_NOTE = "Intervals resample pairs, both directions of a pair together."

_BREAKDOWN_SCORES: tuple[tuple[str, Measure], ...] = (
    ("GIoU", metrics.giou),
    ("SGA", metrics.sga),
    ("ΔSGA", metrics.delta_sga),
    ("CGA", metrics.cga),
    ("left alone", metrics.left_alone),
)
_INTERFERENCE: tuple[tuple[str, Measure], ...] = (
    ("SGA − GIoU", metrics.interference),
    ("others' words changed", metrics.others_changed),
)


def partition(
    frame: polars.DataFrame, *columns: str
) -> Iterator[tuple[tuple[str, ...], polars.DataFrame]]:
    """The parts of a frame by the values of some columns, in order."""
    import polars as pl

    keyed = frame.with_columns(pl.col(columns).cast(pl.String))
    parts = keyed.partition_by(columns, as_dict=True, maintain_order=True)
    for keys in sorted(parts, key=lambda each: tuple(map(str, each))):
        yield tuple(map(str, keys)), parts[keys]


def breakdown_tables(frame: polars.DataFrame) -> Iterator[Table]:
    """The scores by rule, by family, and by number of gendered terms."""
    notes = (
        "Where every sentence was asked in both directions, SGA towards the masculine is SGA + "
        "ΔSGA / 2 and towards the feminine SGA − ΔSGA / 2.",
        CLUSTER_NOTE,
    )
    for name, title, column, order in (
        ("rules", "Scores by rule", "rule", rules_in),
        ("families", "Scores by family of rules", "family", _families),
        ("terms", "Scores by number of gendered terms", "terms", _term_numbers),
    ):
        yield Table(
            name=name,
            title=title,
            levels=("model", "language", column),
            columns=tuple(Column(name=head) for head, _ in _BREAKDOWN_SCORES),
            rows=tuple(_breakdown_rows(frame, column, order, _BREAKDOWN_SCORES)),
            notes=notes,
        )


def interference_table(frame: polars.DataFrame) -> Table:
    """Changes that nobody asked for, in all and by family."""
    return Table(
        name="interference",
        title="Changes to words that are not the speaker's",
        levels=("model", "language", "family"),
        columns=tuple(Column(name=head) for head, _ in _INTERFERENCE),
        rows=tuple(_breakdown_rows(frame, "family", _families, _INTERFERENCE, with_all=True)),
        notes=(
            "others' words changed: answers in which a word that is no gendered term has another "
            "form of the same word.",
        ),
    )


def _breakdown_rows(
    frame: polars.DataFrame,
    column: str,
    order: Order,
    columns: tuple[tuple[str, Measure], ...],
    *,
    with_all: bool = False,
) -> Iterator[Row]:
    """A row for each value of a column, by model and language."""
    for (model, language), mine in partition(frame, "model", "language"):
        whole = AnswerArrays.of(mine, BREAKDOWN_RESAMPLES)
        keys = mine.select(_text(column))[column].to_numpy()
        parts = {"all": whole} if with_all else {}
        parts |= {key or "–": whole.where(keys == key) for key in order(mine, language)}
        for key, part in parts.items():
            cells = tuple(measure(part) for _, measure in columns)
            yield Row(keys=(model, language, key), cells=cells)


def _text(column: str) -> polars.Expr:
    """A column of names, or of whole numbers, as text."""
    import polars as pl

    return pl.col(column).cast(pl.String).str.strip_suffix(".0").fill_null("")


def _families(frame: polars.DataFrame, _language: str) -> list[str]:
    return sorted(frame["family"].cast(str).fill_null("").unique().to_list())


def _term_numbers(frame: polars.DataFrame, _language: str) -> list[str]:
    return [f"{number:.0f}" for number in sorted(frame["terms"].unique().to_list())]


def answer_table(frame: polars.DataFrame) -> Table:
    """Which gender the answers have, and what stood around them."""
    import polars as pl

    labels = ("masculine", "feminine", "mixed", "neither")
    around = ("fence", "label", "quotes")
    rows = []
    for keys, mine in partition(frame, "model", "language", "target"):
        terms = mine.filter(pl.col("terms") > 0)
        part = AnswerArrays.of(mine)
        cells = (
            *(share(terms, pl.col("label").eq_missing(pl.lit(label))) for label in labels),
            metrics.undetected(part),
            metrics.cleaned(part),
            *(share(mine, pl.col("cleaned").cast(pl.String).str.contains(kind)) for kind in around),
        )
        rows.append(Row(keys=keys, cells=cells))
    return Table(
        name="answers",
        title="The gender of the answers, and what was taken from around them",
        levels=("model", "language", "target"),
        columns=tuple(Column(name=head) for head in (*labels, "undetected", "cleaned", *around)),
        rows=tuple(rows),
        notes=(
            "By the gendered terms found: all of one form, some of each (mixed), or neither form. "
            "cleaned: a code fence, a label or quotes around the sentence were dropped.",
        ),
    )


if TYPE_CHECKING:
    Outcomes = Results[GenformProtocol]

# The paper's tables of results, by language.
TABLE_NUMBERS = {"hi": "8", "fr": "9", "ar": "10"}
_LANGUAGES = {"hi": "Hindi", "fr": "French", "ar": "Arabic"}

_DIRECTIONS = (
    "Directions are named by the gender that is wanted. ΔSGA is masculine minus feminine. The "
    "paper's columns M and F are read likewise, as its Section 4.2 does; its Appendix C.2 says "
    "the opposite."
)


def all_metrics(results: Outcomes) -> Mapping[str, Estimate]:
    """All of the paper's metrics, by target and together; then what the other formats gave."""
    frame = genform_metrics.generation_frame(results.frame, results.protocol.words)
    made: dict[str, Estimate] = {}
    if len(frame):
        made |= _generation_metrics(frame)
    scored = probability_judgements(results.frame)
    if len(scored):
        made[f"accuracy_{PROBABILITY}"] = accuracy(scored)
        if len(frame):
            pairs = paired_formats(results.frame)
            made["agreement"] = paired_agreement.raw(pairs, clustered=True)
            made["mcc"] = paired_agreement.mcc(pairs, clustered=True)
    return made | translation_metrics(results.frame)


def _generation_metrics(frame: polars.DataFrame) -> dict[str, Estimate]:
    part = AnswerArrays.of(frame)
    made: dict[str, Estimate] = {}
    for name, measure in (
        ("SGA", genform_metrics.sga),
        ("GIoU", genform_metrics.giou),
        ("CGA", genform_metrics.cga),
    ):
        made[name] = measure(part)
        made |= {f"{name}_{target}": for_target(target, measure)(part) for target in TARGETS}
    made["delta_SGA"] = genform_metrics.delta_sga(part)
    made["interference"] = genform_metrics.interference(part)
    made["others_changed"] = genform_metrics.others_changed(part)
    made["left_alone"] = genform_metrics.left_alone(part)
    made["exact"] = genform_metrics.exact(part)
    made["cleaned"] = genform_metrics.cleaned(part)
    languages = distinct_values(frame, "language")
    for code in languages if len(languages) > 1 else ():
        mine = AnswerArrays.of(rows_where(frame, language=code))
        made |= {
            f"SGA_{code}": genform_metrics.sga(mine),
            f"GIoU_{code}": genform_metrics.giou(mine),
        }
    return made


def tables(results: Outcomes) -> Iterator[Table]:
    """The tables of the paper, then ours, of whatever formats there are."""
    protocol = results.protocol
    frame = genform_metrics.generation_frame(results.frame, protocol.words)
    if len(frame):
        notes = (TOKENISATION_NOTES[protocol.words], *_prompt_note(protocol))
        scores = _scores_table(frame, notes)
        yield data_table(
            sentence_frame_from_answers(frame), "1", TOKENISATION_NOTES[protocol.words]
        )
        for language, name in TABLE_NUMBERS.items():
            yield from _language_table(scores, language, name, notes)
        yield scores
        yield from breakdown_tables(frame)
        yield interference_table(frame)
        yield answer_table(frame)
        yield _tokenisation_table(results, scores)
    yield from probability_tables(results.frame)
    yield from translation_tables(results.frame)


# --- the paper's ---------------------------------------------------------------------------

# The columns of Tables 8–10.
_SCORES: tuple[tuple[str, Measure], ...] = (
    ("GIoU", genform_metrics.giou),
    *((f"GIoU {target}", for_target(target, genform_metrics.giou)) for target in TARGETS),
    ("SGA", genform_metrics.sga),
    *((f"SGA {target}", for_target(target, genform_metrics.sga)) for target in TARGETS),
    ("ΔSGA", genform_metrics.delta_sga),
    ("CGA", genform_metrics.cga),
)


def _language_table(
    scores: Table, language: str, name: str, notes: Iterable[str]
) -> Iterator[Table]:
    """One of Tables 8–10, if there are answers in its language."""
    rows = [
        Row(keys=(model,), cells=row.cells[: len(_SCORES)])
        for row in scores.rows
        for model, spoken in (row.keys,)
        if spoken == language
    ]
    if rows:
        yield Table(
            name=name,
            title=f"Scores in {_LANGUAGES[language]}",
            levels=("model",),
            columns=tuple(Column(name=head, decimals=2) for head, _ in _SCORES),
            rows=(*rows, *score_rows(language)),
            notes=(*notes, _DIRECTIONS, CLUSTER_NOTE),
        )


def _prompt_note(protocol: GenformProtocol) -> Iterator[str]:
    if protocol.prompt:
        yield "The prompt is the user's own."
    elif protocol.name == "paper":
        yield (
            "The prompt is Epicene's wording in the sentence's language: the paper prints its own "
            "in English only (--set prompt=FILE takes another)."
        )


# --- ours ----------------------------------------------------------------------------------


def _scores_table(frame: polars.DataFrame, notes: Iterable[str]) -> Table:
    """Every language, and all together."""
    columns: list[tuple[str, Measure]] = [
        *_SCORES,
        ("exact", genform_metrics.exact),
        ("left alone", genform_metrics.left_alone),
        ("undetected", genform_metrics.undetected),
    ]
    return Table(
        name="scores",
        title="Scores by language",
        levels=("model", "language"),
        columns=tuple(Column(name=head) for head, _ in columns),
        rows=tuple(
            Row(keys=keys, cells=tuple(measure(part) for _, measure in columns))
            for keys, part in (
                (keys, AnswerArrays.of(mine)) for keys, mine in _by_language_and_all(frame)
            )
        ),
        notes=(
            *notes,
            "exact: word for word as it should be. left alone: of sentences without a gendered "
            "term, which count in no other column but the last, those whose words did not change. "
            "undetected: no version of the sentence.",
            CLUSTER_NOTE,
        ),
    )


_MAIN: tuple[tuple[str, Measure], ...] = (
    ("GIoU", genform_metrics.giou),
    ("SGA", genform_metrics.sga),
    ("CGA", genform_metrics.cga),
)


def _tokenisation_table(results: Outcomes, scores: Table) -> Table:
    """The scores by both ways of cutting words, those of the protocol as they are known."""
    own = results.protocol.words
    heads = [head for head, _ in _SCORES]
    rows = [
        Row(keys=(*row.keys, own), cells=tuple(row.cells[heads.index(head)] for head, _ in _MAIN))
        for row in scores.rows
    ]
    for how in (each for each in TOKENISATIONS if each != own):
        for keys, frame in _by_language_and_all(
            genform_metrics.generation_frame(results.frame, how)
        ):
            part = AnswerArrays.of(frame, BREAKDOWN_RESAMPLES)
            cells = tuple(measure(part) for _, measure in _MAIN)
            rows.append(Row(keys=(*keys, how), cells=cells))
    return Table(
        name="words",
        title="Scores by what counts as a word",
        levels=("model", "language", "words"),
        columns=tuple(Column(name=head, decimals=2) for head, _ in _MAIN),
        rows=tuple(sorted(rows, key=lambda row: row.keys)),
        notes=tuple(f"{how}: {TOKENISATION_NOTES[how]}" for how in TOKENISATIONS),
    )


def _by_language_and_all(
    frame: polars.DataFrame,
) -> Iterator[tuple[tuple[str, str], polars.DataFrame]]:
    """The answers of each model in each language, and in all of several."""
    for (model,), mine in partition(frame, "model"):
        languages = list(partition(mine, "language"))
        for (language,), part in languages:
            yield (model, language), part
        if len(languages) > 1:
            yield (model, "all"), mine
