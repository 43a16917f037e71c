"""The paper's tables next to its printed numbers, and breakdowns by rule, family and terms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.core.records import Column, Estimate, Row, Table
from epicene.stats import paired_agreement
from epicene.stats.tabulate import accuracy, parts_by, rows_where, share
from epicene.suites.answers import LIKELIHOOD_MEASURES
from epicene.suites.genform import metrics
from epicene.suites.genform.ask import PROBABILITY, TRANSLATION
from epicene.suites.genform.items import TARGETS
from epicene.suites.genform.metrics import (
    ASSUMED_GENDERS,
    AnswerArrays,
    for_target,
    generation_frame,
    of_format,
    paired_formats,
    probability_judgements,
    translation_judgements,
)
from epicene.suites.genform.published import score_rows
from epicene.suites.genform.statistics import (
    TOKENISATION_NOTES,
    data_table,
    rules_in,
    sentence_frame_from_answers,
)
from epicene.suites.genform.tables_neutral import neutral_tables
from epicene.suites.genform.words import TOKENISATIONS
from epicene.suites.wordings import one_wording

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import polars

    from epicene.suites.genform.metrics import Measure, Outcomes
    from epicene.suites.genform.protocol import GenformProtocol

    # The keys of a table's rows in a language, in order.
    Order = Callable[[polars.DataFrame, str], list[str]]

# The paper's tables of results, by language.
TABLE_NUMBERS = {"hi": "8", "fr": "9", "ar": "10"}
_LANGUAGES = {"hi": "Hindi", "fr": "French", "ar": "Arabic"}


CLUSTER_NOTE = "Intervals are over pairs; both directions of a pair count together."

_DIRECTIONS = (
    "Directions are named after the requested gender. ΔSGA is masculine minus feminine. The "
    "paper's columns M and F are read in the same way, as in its Section 4.2; its Appendix "
    "C.2 says the opposite."
)


def tables(results: Outcomes) -> Iterator[Table]:
    """The tables of the paper, then ours, for the formats that were asked."""
    protocol = results.protocol
    frame = generation_frame(results.frame, protocol)
    if len(frame):
        notes = (TOKENISATION_NOTES[protocol.words], *_prompt_note(results))
        scores = _scores_table(frame, (*notes, *scoring_notes(frame, protocol)))
        yield data_table(sentence_frame_from_answers(frame), "1", notes[0])
        for language, name in TABLE_NUMBERS.items():
            part = rows_where(frame, language=language)
            mine = (*notes, *scoring_notes(part, protocol))
            yield from _language_table(scores, language, name, mine)
        yield scores
        yield from breakdown_tables(frame)
        yield interference_table(frame)
        yield answer_table(frame)
        yield _tokenisation_table(results, scores)
        yield spelling_table(frame)
        yield conventions_table(results)
    yield from probability_tables(results.frame)
    yield from translation_tables(results.frame)
    yield from neutral_tables(results)


# --- the paper's ---------------------------------------------------------------------------


# The columns of Tables 8–10.
_SCORES: tuple[tuple[str, Measure], ...] = (
    ("GIoU", metrics.giou),
    *((f"GIoU {target}", for_target(target, metrics.giou)) for target in TARGETS),
    ("SGA", metrics.sga),
    *((f"SGA {target}", for_target(target, metrics.sga)) for target in TARGETS),
    ("ΔSGA", metrics.delta_sga),
    ("CGA", metrics.cga),
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


def _prompt_note(results: Outcomes) -> Iterator[str]:
    protocol = results.protocol
    asked = any(run.identities for run in results.runs)  # else answers were given
    if asked and protocol.wording == "paper" and protocol.in_one_language:
        yield (
            "The paper prints its prompt in English but sent translations, which are not "
            "published; here it was sent in English."
        )


def scoring_notes(frame: polars.DataFrame, protocol: GenformProtocol) -> Iterator[str]:
    """How wrappers, neutral sentences and spelling variants were treated."""
    import polars as pl

    if not len(frame):
        return
    if protocol.clean:
        cleaned = frame.filter(pl.col("cleaned").cast(pl.String) != "no")
        yield (
            "Answers were cleaned: a code fence, a label or quotes around the sentence were "
            f"removed from {len(cleaned):,} of {len(frame):,} (table answers; --set clean=false "
            "turns it off). The paper describes no cleaning."
        )
    else:
        yield "Answers were not cleaned."
    items = one_wording(frame).unique("item")
    neutral = len(items.filter(pl.col("terms") == 0))
    how = (
        "included in SGA and GIoU, with 1 if every word is unchanged and 0 otherwise"
        if protocol.neutral == "in"
        else "left out of SGA and GIoU (--set neutral=in includes them)"
    )
    yield (
        f"{neutral:,} of {len(items):,} sentences have no gendered term and are {how}; the "
        "paper averages over all sentences without defining the scores of these."
    )
    spelt = len(frame.filter(metrics.has_spelling()))
    how = "do not count as changes" if protocol.spelling == "ignored" else "count as changes"
    yield (
        f"Spelling variants {how}; {spelt:,} of {len(frame):,} answers have some (tables spelling "
        "and conventions)."
    )


# --- ours ----------------------------------------------------------------------------------


def _scores_table(frame: polars.DataFrame, notes: Iterable[str]) -> Table:
    """The scores in each language, and in all together."""
    columns: list[tuple[str, Measure]] = [
        *_SCORES,
        ("exact", metrics.exact),
        ("left alone", metrics.left_alone),
        ("undetected", metrics.undetected),
    ]
    return Table(
        name="scores",
        title="Scores by language",
        levels=("model", "language"),
        columns=tuple(Column(name=head) for head, _ in columns),
        rows=tuple(
            Row(keys=keys, cells=tuple(measure(answers) for _, measure in columns))
            for keys, mine in _by_language_and_all(frame)
            for answers in (AnswerArrays.of(mine),)
        ),
        notes=(
            *notes,
            "exact: every word is as it should be. left alone: the share of sentences without "
            "a gendered term whose words did not change; these sentences count in no other "
            "column except the last. undetected: the answer is not a version of the sentence.",
            CLUSTER_NOTE,
        ),
    )


_MAIN: tuple[tuple[str, Measure], ...] = (
    ("GIoU", metrics.giou),
    ("SGA", metrics.sga),
    ("CGA", metrics.cga),
)


def _tokenisation_table(results: Outcomes, scores: Table) -> Table:
    """The scores by both tokenisations; those of the protocol are taken from `scores`."""
    own = results.protocol.words
    heads = [head for head, _ in _SCORES]
    rows = [
        Row(keys=(*row.keys, own), cells=tuple(row.cells[heads.index(head)] for head, _ in _MAIN))
        for row in scores.rows
    ]
    for other in (each for each in TOKENISATIONS if each != own):
        for keys, frame in _by_language_and_all(
            generation_frame(results.frame, results.protocol, words=other)
        ):
            answers = AnswerArrays.of(frame)
            cells = tuple(measure(answers) for _, measure in _MAIN)
            rows.append(Row(keys=(*keys, other), cells=cells))
    return Table(
        name="words",
        title="Scores by definition of a word",
        levels=("model", "language", "words"),
        columns=tuple(Column(name=head, decimals=2) for head, _ in _MAIN),
        rows=tuple(sorted(rows, key=lambda row: row.keys)),
        notes=tuple(f"{each}: {TOKENISATION_NOTES[each]}" for each in TOKENISATIONS),
    )


def _by_language_and_all(
    frame: polars.DataFrame,
) -> Iterator[tuple[tuple[str, str], polars.DataFrame]]:
    """The answers of each model in each language, and in all of several."""
    for (model,), mine in parts_by(frame, "model"):
        languages = list(parts_by(mine, "language"))
        for (language,), part in languages:
            yield (model, language), part
        if len(languages) > 1:
            yield (model, "all"), mine


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


def breakdown_tables(frame: polars.DataFrame) -> Iterator[Table]:
    """The scores by rule, by family, and by number of gendered terms."""
    notes = (
        "If every sentence was asked in both directions, SGA towards the masculine is "
        "SGA + ΔSGA / 2, and SGA towards the feminine is SGA − ΔSGA / 2.",
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
    """Changes that were not requested, overall and by family."""
    return Table(
        name="interference",
        title="Changes to words that do not agree with the speaker",
        levels=("model", "language", "family"),
        columns=tuple(Column(name=head) for head, _ in _INTERFERENCE),
        rows=tuple(_breakdown_rows(frame, "family", _families, _INTERFERENCE, with_all=True)),
        notes=(
            "others' words changed: answers in which a word that is not a gendered term was "
            "replaced by another form of the same word.",
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
    for (model, language), mine in parts_by(frame, "model", "language"):
        whole = AnswerArrays.of(mine)
        keys = mine.select(_text(column))[column].to_numpy()
        parts = {"all": whole} if with_all else {}
        parts |= {key or "–": whole.where(keys == key) for key in order(mine, language)}
        for key, answers in parts.items():
            cells = tuple(measure(answers) for _, measure in columns)
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
    """The gender of the answers, and the wrappers around them."""
    import polars as pl

    labels = ("masculine", "feminine", "mixed", "neither")
    around = ("fence", "label", "quotes")
    rows = []
    for keys, mine in parts_by(frame, "model", "language", "target"):
        terms = mine.filter(pl.col("terms") > 0)
        answers = AnswerArrays.of(mine)
        cells = (
            *(share(terms, pl.col("label").eq_missing(pl.lit(label))) for label in labels),
            metrics.undetected(answers),
            metrics.cleaned(answers),
            *(share(mine, pl.col("cleaned").cast(pl.String).str.contains(kind)) for kind in around),
        )
        rows.append(Row(keys=keys, cells=cells))
    return Table(
        name="answers",
        title="Gender of the answers, and what was removed around them",
        levels=("model", "language", "target"),
        columns=tuple(Column(name=head) for head in (*labels, "undetected", "cleaned", *around)),
        rows=tuple(rows),
        notes=(
            "Gender is that of the gendered terms found: all of one form, some of each "
            "(mixed), or neither form. cleaned: a code fence, a label or quotes around the "
            "sentence were removed.",
        ),
    )


def spelling_table(frame: polars.DataFrame) -> Table:
    """How many answers have spelling variants, overall and by kind."""
    import polars as pl

    found = frame["spelling"].cast(pl.String).fill_null("no").str.split("+").explode()
    kinds = sorted({*found.unique().to_list()} - {"no"})
    rows = []
    for keys, mine in parts_by(frame, "model", "language"):
        words = Estimate(value=float(mine["spelling variants"].fill_null(0).sum()))
        shares = (share(mine, metrics.has_spelling(kind)) for kind in ("", *kinds))
        rows.append(Row(keys=keys, cells=(words, *shares)))
    return Table(
        name="spelling",
        title="Answers with spelling variants",
        levels=("model", "language"),
        columns=(
            Column(name="words", unit="count"),
            Column(name="answers"),
            *(Column(name=kind) for kind in kinds),
        ),
        rows=tuple(rows),
        notes=(
            "A spelling variant is another spelling of the expected word, or of the word in "
            "the other form, but not of both; a difference that can mark gender is never a "
            "spelling variant. quotes: other quotation marks or apostrophes. The item list of "
            "a report shows the words.",
        ),
    )


_CONVENTIONS: tuple[tuple[str, Measure], ...] = (
    *_MAIN,
    ("exact", metrics.exact),
    ("others' words changed", metrics.others_changed),
)


def conventions_table(results: Outcomes) -> Table:
    """The scores with spelling variants ignored and counted, with and without neutral sentences."""
    rows = []
    for ignored in (True, False):
        for neutral in (False, True):
            frame = generation_frame(
                results.frame, results.protocol, ignored=ignored, neutral=neutral
            )
            how = ("ignored" if ignored else "counted", "in" if neutral else "out")
            for keys, mine in _by_language_and_all(frame):
                answers = AnswerArrays.of(mine)
                cells = tuple(measure(answers) for _, measure in _CONVENTIONS)
                rows.append(Row(keys=(*keys, *how), cells=cells))
    return Table(
        name="conventions",
        title="Scores by treatment of spelling variants and neutral sentences",
        levels=("model", "language", "spelling", "neutral"),
        columns=tuple(Column(name=head, decimals=2) for head, _ in _CONVENTIONS),
        rows=tuple(sorted(rows, key=lambda row: row.keys[:2])),
        notes=(
            "spelling: spelling variants are ignored, or counted as changes. neutral: "
            "sentences without a gendered term are excluded from SGA and GIoU, or included "
            "with 1 if every word is unchanged and 0 otherwise; they are never included in "
            "CGA and exact.",
            CLUSTER_NOTE,
        ),
    )


# --- the other formats -----------------------------------------------------------------------


def probability_tables(frame: polars.DataFrame) -> Iterator[Table]:
    """How often the requested form is more likely, and whether generation agrees."""
    if len(probability_judgements(frame)):
        yield _probability_table(of_format(frame, PROBABILITY))
        if len(paired_formats(frame)):
            yield _agreement_table(paired_formats(frame))


def _probability_table(scored: polars.DataFrame) -> Table:
    rows = [
        Row(
            keys=keys,
            cells=tuple(
                accuracy(rows_where(part, measure=measure)) for measure in LIKELIHOOD_MEASURES
            ),
        )
        for keys, part in _by_direction(scored)
    ]
    return Table(
        name="probability",
        title="Requested form more likely, by normalisation of the likelihood",
        levels=("model", "language", "target"),
        columns=tuple(Column(name=measure) for measure in LIKELIHOOD_MEASURES),
        rows=tuple(rows),
        notes=(
            "Both forms are scored after the same instruction; sentences with two equal forms are "
            "left out.",
        ),
    )


def _agreement_table(pairs: polars.DataFrame) -> Table:
    statistics = (paired_agreement.raw, paired_agreement.mcc, paired_agreement.kappa)
    rows = [
        Row(keys=keys, cells=tuple(each(part, clustered=True) for each in statistics))
        for keys, part in _by_direction(pairs)
    ]
    heads = ("agreement", "mcc", "kappa")
    return Table(
        name="agreement",
        title="Do models that rank the forms right also write them right?",
        levels=("model", "language", "target"),
        columns=tuple(Column(name=head, unit="number", decimals=3) for head in heads),
        rows=tuple(rows),
        notes=("Written right means word for word. Undetected answers are left out.",),
    )


def _by_direction(
    frame: polars.DataFrame,
) -> Iterator[tuple[tuple[str, str, str], polars.DataFrame]]:
    for (model, language), part in parts_by(frame, "model", "language"):
        yield (model, language, "both"), part
        for (target,), each in parts_by(part, "target"):
            yield (model, language, target), each


def translation_tables(frame: polars.DataFrame) -> Iterator[Table]:
    """The gender that translations assume, by rule."""
    asked = of_format(frame, TRANSLATION)
    rows = [
        row
        for (model, language), part in parts_by(asked, "model", "language")
        for row in _assumed_gender_rows(part, model, language)
    ]
    if rows:
        yield Table(
            name="translation",
            title="Speaker's gender in translations from English that does not give it",
            levels=("model", "language", "rule"),
            columns=tuple(Column(name=name) for name in ASSUMED_GENDERS),
            rows=tuple(rows),
            notes=(
                "Gender is found with the rule-based rewriter: words that it would change for "
                "a woman are masculine, and vice versa; if it would change none, the gender "
                "is undetected.",
            ),
        )


def _assumed_gender_rows(asked: polars.DataFrame, model: str, language: str) -> Iterator[Row]:
    import polars as pl

    read = translation_judgements(asked)
    if not len(read):
        unread = Estimate(value=None, n=len(asked), why="there is no rewriter for this language")
        yield Row(keys=(model, language, "all"), cells=(unread,) * len(ASSUMED_GENDERS))
        return
    rule = pl.col("rule").cast(pl.String).fill_null("")
    parts = [("all", read)]
    parts += [(name or "–", read.filter(rule == name)) for name in rules_in(read, language)]
    for name, part in parts:
        cells = tuple(share(part, pl.col("label") == label) for label in ASSUMED_GENDERS)
        yield Row(keys=(model, language, name), cells=cells)
