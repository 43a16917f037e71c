"""The paper's tables from any runs, its printed numbers beside them, and ours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.records import Column, Estimate, Row, Table
from epicene.suites import agreement
from epicene.suites.genform import measures
from epicene.suites.genform.ask import PROBABILITY
from epicene.suites.genform.census import WORDS_ARE, census_of, data_table, rules_in
from epicene.suites.genform.formats import (
    paired,
    probabilities,
    probability_tables,
    translation_metrics,
    translation_tables,
)
from epicene.suites.genform.pairs import TARGETS
from epicene.suites.genform.published import score_rows
from epicene.suites.genform.words import CUTTINGS
from epicene.suites.tabulate import accuracy, only, undetected, values_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    import polars

    from epicene.suites import Results
    from epicene.suites.genform.pairs import Gender
    from epicene.suites.genform.protocol import GenformProtocol

    Outcomes = Results[GenformProtocol]

# The paper's tables of results, by language.
NUMBERS = {"hi": "8", "fr": "9", "ar": "10"}

_DIRECTIONS = (
    "Directions are named by the gender that is wanted. ΔSGA is masculine minus feminine. The "
    "paper's columns M and F are read likewise, as its Section 4.2 does; its Appendix C.2 says "
    "the opposite."
)
_CLUSTERS = "Intervals resample pairs, both directions of a pair together."


def metrics(results: Outcomes) -> Mapping[str, Estimate]:
    """All of the paper's metrics, by target and together; then what the other formats gave."""
    frame = measures.generated(results.frame, results.protocol.words)
    made: dict[str, Estimate] = {}
    if len(frame):
        directions = {target: measures.towards(frame, target) for target in TARGETS}
        for name, measure in (
            ("SGA", measures.sga),
            ("GIoU", measures.giou),
            ("CGA", measures.cga),
        ):
            made[name] = measure(frame)
            for target, part in directions.items():
                made[f"{name}_{target}"] = measure(part)
        made["delta_SGA"] = measures.delta_sga(frame)
        made["interference"] = measures.interference(frame)
        made["others_changed"] = measures.others_changed(frame)
        made["left_alone"] = measures.left_alone(frame)
        made["exact"] = measures.exact(frame)
        made["cleaned"] = measures.cleaned(frame)
        made |= _by_language(frame)
    scored = probabilities(results.frame)
    if len(scored):
        made[f"accuracy_{PROBABILITY}"] = accuracy(scored)
        if len(frame):
            pairs = paired(results.frame)
            made["agreement"] = agreement.raw(pairs, clustered=True)
            made["mcc"] = agreement.mcc(pairs, clustered=True)
    return made | translation_metrics(results.frame)


def _by_language(frame: polars.DataFrame) -> dict[str, Estimate]:
    """SGA and GIoU of each language, where there are several."""
    codes = values_of(frame, "language")
    return {
        f"{name}_{code}": measure(only(frame, language=code))
        for code in codes
        for name, measure in (("SGA", measures.sga), ("GIoU", measures.giou))
        if len(codes) > 1
    }


def tables(results: Outcomes) -> Iterator[Table]:
    """The tables of the paper, then ours, of whatever formats there are."""
    protocol = results.protocol
    frame = measures.generated(results.frame, protocol.words)
    if len(frame):
        notes = (WORDS_ARE[protocol.words], *_prompt_note(protocol))
        scores = _scores_table(frame, notes)
        yield data_table(census_of(frame), "1", WORDS_ARE[protocol.words])
        for language, name in NUMBERS.items():
            yield from _language_table(scores, language, name, notes)
        yield scores
        yield _by_part(frame, "rules", "Scores by rule", "rule", rules_in)
        yield _by_part(frame, "families", "Scores by family of rules", "family", _families)
        yield _by_part(frame, "terms", "Scores by number of gendered terms", "terms", _numbers)
        yield _interference(frame)
        yield _answers(frame)
        yield _both_words(results, scores)
    yield from probability_tables(results.frame)
    yield from translation_tables(results.frame)


# --- the paper's ---------------------------------------------------------------------------

_Measure = tuple[str, "Callable[[polars.DataFrame], Estimate]"]


def _towards(
    target: Gender, measure: Callable[[polars.DataFrame], Estimate]
) -> Callable[[polars.DataFrame], Estimate]:
    """The measure in one direction."""
    return lambda frame: measure(measures.towards(frame, target))


# The columns of Tables 8–10.
_SCORES: tuple[_Measure, ...] = (
    ("GIoU", measures.giou),
    *((f"GIoU {target}", _towards(target, measures.giou)) for target in TARGETS),
    ("SGA", measures.sga),
    *((f"SGA {target}", _towards(target, measures.sga)) for target in TARGETS),
    ("ΔSGA", measures.delta_sga),
    ("CGA", measures.cga),
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
            notes=(*notes, _DIRECTIONS, _CLUSTERS),
        )


_LANGUAGES = {"hi": "Hindi", "fr": "French", "ar": "Arabic"}


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
    columns: list[_Measure] = [
        *_SCORES,
        ("exact", measures.exact),
        ("left alone", measures.left_alone),
        ("undetected", undetected),
    ]
    return Table(
        name="scores",
        title="Scores by language",
        levels=("model", "language"),
        columns=tuple(Column(name=head) for head, _ in columns),
        rows=tuple(
            Row(keys=keys, cells=tuple(measure(part) for _, measure in columns))
            for keys, part in _by_language_and_all(frame)
        ),
        notes=(
            *notes,
            "exact: word for word as it should be. left alone: of sentences without a gendered "
            "term, which count in no other column but the last, those whose words did not change. "
            "undetected: no version of the sentence.",
            _CLUSTERS,
        ),
    )


_PART_COLUMNS: tuple[_Measure, ...] = (
    ("GIoU", measures.giou),
    ("SGA", measures.sga),
    ("ΔSGA", measures.delta_sga),
    ("CGA", measures.cga),
    ("left alone", measures.left_alone),
)


def _by_part(
    frame: polars.DataFrame,
    name: str,
    title: str,
    column: str,
    order: Callable[[polars.DataFrame, str], list[str]],
) -> Table:
    """The scores of each part of a language's sentences."""
    import polars as pl

    rows = []
    for (model, language), mine in _parts(frame, "model", "language"):
        keyed = mine.with_columns(_text(pl.col(column)).alias("part"))
        for key in order(mine, language):
            part = keyed.filter(pl.col("part") == key)
            cells = tuple(measure(part) for _, measure in _PART_COLUMNS)
            rows.append(Row(keys=(model, language, key or "–"), cells=cells))
    return Table(
        name=name,
        title=title,
        levels=("model", "language", column),
        columns=tuple(Column(name=head) for head, _ in _PART_COLUMNS),
        rows=tuple(rows),
        notes=(
            "Where every sentence was asked in both directions, SGA towards the masculine is SGA + "
            "ΔSGA / 2 and towards the feminine SGA − ΔSGA / 2.",
            _CLUSTERS,
        ),
    )


def _text(column: polars.Expr) -> polars.Expr:
    """A column of names, or of whole numbers, as text."""
    import polars as pl

    return (
        pl.when(column.is_null())
        .then(pl.lit(""))
        .otherwise(column.cast(pl.String).str.strip_suffix(".0"))
    )


def _families(frame: polars.DataFrame, _language: str) -> list[str]:
    return sorted(frame["family"].cast(str).fill_null("").unique().to_list())


def _numbers(frame: polars.DataFrame, _language: str) -> list[str]:
    return [f"{number:.0f}" for number in sorted(frame["terms"].unique().to_list())]


def _interference(frame: polars.DataFrame) -> Table:
    """Changes that nobody asked for, by family."""
    import polars as pl

    columns: tuple[_Measure, ...] = (
        ("SGA − GIoU", measures.interference),
        ("others' words changed", measures.others_changed),
    )
    rows = []
    for (model, language), mine in _parts(frame, "model", "language"):
        parts = [("all", mine)]
        parts += [
            (family, mine.filter(pl.col("family") == family))
            for family in _families(mine, language)
            if family
        ]
        for family, part in parts:
            cells = tuple(measure(part) for _, measure in columns)
            rows.append(Row(keys=(model, language, family), cells=cells))
    return Table(
        name="interference",
        title="Changes to words that are not the speaker's",
        levels=("model", "language", "family"),
        columns=tuple(Column(name=head) for head, _ in columns),
        rows=tuple(rows),
        notes=(
            "others' words changed: answers in which a word that is no gendered term has another "
            "form of the same word.",
        ),
    )


def _answers(frame: polars.DataFrame) -> Table:
    """Which gender the answers have, and what stood around them."""
    import polars as pl

    from epicene.suites.tabulate import share

    rows = []
    for (model, language, target), part in _parts(frame, "model", "language", "target"):
        terms = measures.gendered(part)
        cells = [
            *measures.labels(terms, ("masculine", "feminine", "mixed", "neither")),
            undetected(part),
            measures.cleaned(part),
            *(
                share(part, pl.col("cleaned").cast(pl.String).str.contains(kind))
                for kind in ("fence", "label", "quotes")
            ),
        ]
        rows.append(Row(keys=(model, language, target), cells=tuple(cells)))
    heads = ("masculine", "feminine", "mixed", "neither", "undetected", "cleaned")
    return Table(
        name="answers",
        title="The gender of the answers, and what was taken from around them",
        levels=("model", "language", "target"),
        columns=tuple(Column(name=head) for head in (*heads, "fence", "label", "quotes")),
        rows=tuple(rows),
        notes=(
            "By the gendered terms found: all of one form, some of each (mixed), or neither form. "
            "cleaned: a code fence, a label or quotes around the sentence were dropped.",
        ),
    )


def _both_words(results: Outcomes, scores: Table) -> Table:
    """The scores by both ways of cutting words, those of the protocol as they are known."""
    own = results.protocol.words
    heads = [head for head, _ in _SCORES]
    rows = [
        Row(keys=(*row.keys, own), cells=tuple(row.cells[heads.index(head)] for head in _MAIN))
        for row in scores.rows
    ]
    for how in (each for each in CUTTINGS if each != own):
        frame = measures.generated(results.frame, how)
        for keys, part in _by_language_and_all(frame):
            cells = (measures.giou(part), measures.sga(part), measures.cga(part))
            rows.append(Row(keys=(*keys, how), cells=cells))
    return Table(
        name="words",
        title="Scores by what counts as a word",
        levels=("model", "language", "words"),
        columns=tuple(Column(name=head, decimals=2) for head in _MAIN),
        rows=tuple(sorted(rows, key=lambda row: row.keys)),
        notes=tuple(f"{how}: {WORDS_ARE[how]}" for how in CUTTINGS),
    )


_MAIN = ("GIoU", "SGA", "CGA")


def _by_language_and_all(
    frame: polars.DataFrame,
) -> Iterator[tuple[tuple[str, str], polars.DataFrame]]:
    """The answers of each model in each language, and in all of several."""
    for (model,), mine in _parts(frame, "model"):
        languages = list(_parts(mine, "language"))
        for (language,), part in languages:
            yield (model, language), part
        if len(languages) > 1:
            yield (model, "all"), mine


def _parts(
    frame: polars.DataFrame, *columns: str
) -> Iterator[tuple[tuple[str, ...], polars.DataFrame]]:
    """The parts of a frame by the values of some columns, in order."""
    import polars as pl

    keyed = frame.with_columns(pl.col(columns).cast(pl.String))
    parts = keyed.partition_by(columns, as_dict=True, maintain_order=True)
    for keys in sorted(parts, key=lambda each: tuple(map(str, each))):
        yield tuple(map(str, keys)), parts[keys]
