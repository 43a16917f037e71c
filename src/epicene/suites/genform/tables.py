"""The paper's tables from any runs, its printed numbers beside them, and ours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.records import Column, Estimate, Row, Table
from epicene.suites import agreement
from epicene.suites.genform import measures
from epicene.suites.genform.ask import PROBABILITY
from epicene.suites.genform.breakdowns import (
    CLUSTERS,
    answer_table,
    interference_table,
    part_tables,
    parts_of,
)
from epicene.suites.genform.census import WORDS_ARE, census_of, data_table
from epicene.suites.genform.formats import (
    paired,
    probabilities,
    probability_tables,
    translation_metrics,
    translation_tables,
)
from epicene.suites.genform.measures import RESAMPLES_OF_PARTS, Part, towards
from epicene.suites.genform.pairs import TARGETS
from epicene.suites.genform.published import score_rows
from epicene.suites.genform.words import CUTTINGS
from epicene.suites.tabulate import accuracy, only, values_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    import polars

    from epicene.suites import Results
    from epicene.suites.genform.measures import Measure
    from epicene.suites.genform.protocol import GenformProtocol

    Outcomes = Results[GenformProtocol]

# The paper's tables of results, by language.
NUMBERS = {"hi": "8", "fr": "9", "ar": "10"}
_LANGUAGES = {"hi": "Hindi", "fr": "French", "ar": "Arabic"}

_DIRECTIONS = (
    "Directions are named by the gender that is wanted. ΔSGA is masculine minus feminine. The "
    "paper's columns M and F are read likewise, as its Section 4.2 does; its Appendix C.2 says "
    "the opposite."
)


def metrics(results: Outcomes) -> Mapping[str, Estimate]:
    """All of the paper's metrics, by target and together; then what the other formats gave."""
    frame = measures.generated(results.frame, results.protocol.words)
    made: dict[str, Estimate] = {}
    if len(frame):
        made |= _generation_metrics(frame)
    scored = probabilities(results.frame)
    if len(scored):
        made[f"accuracy_{PROBABILITY}"] = accuracy(scored)
        if len(frame):
            pairs = paired(results.frame)
            made["agreement"] = agreement.raw(pairs, clustered=True)
            made["mcc"] = agreement.mcc(pairs, clustered=True)
    return made | translation_metrics(results.frame)


def _generation_metrics(frame: polars.DataFrame) -> dict[str, Estimate]:
    part = Part.of(frame)
    made: dict[str, Estimate] = {}
    for name, measure in (("SGA", measures.sga), ("GIoU", measures.giou), ("CGA", measures.cga)):
        made[name] = measure(part)
        made |= {f"{name}_{target}": towards(target, measure)(part) for target in TARGETS}
    made["delta_SGA"] = measures.delta_sga(part)
    made["interference"] = measures.interference(part)
    made["others_changed"] = measures.others_changed(part)
    made["left_alone"] = measures.left_alone(part)
    made["exact"] = measures.exact(part)
    made["cleaned"] = measures.cleaned(part)
    languages = values_of(frame, "language")
    for code in languages if len(languages) > 1 else ():
        mine = Part.of(only(frame, language=code))
        made |= {f"SGA_{code}": measures.sga(mine), f"GIoU_{code}": measures.giou(mine)}
    return made


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
        yield from part_tables(frame)
        yield interference_table(frame)
        yield answer_table(frame)
        yield _both_words(results, scores)
    yield from probability_tables(results.frame)
    yield from translation_tables(results.frame)


# --- the paper's ---------------------------------------------------------------------------

# The columns of Tables 8–10.
_SCORES: tuple[tuple[str, Measure], ...] = (
    ("GIoU", measures.giou),
    *((f"GIoU {target}", towards(target, measures.giou)) for target in TARGETS),
    ("SGA", measures.sga),
    *((f"SGA {target}", towards(target, measures.sga)) for target in TARGETS),
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
            notes=(*notes, _DIRECTIONS, CLUSTERS),
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
        ("exact", measures.exact),
        ("left alone", measures.left_alone),
        ("undetected", measures.undetected),
    ]
    return Table(
        name="scores",
        title="Scores by language",
        levels=("model", "language"),
        columns=tuple(Column(name=head) for head, _ in columns),
        rows=tuple(
            Row(keys=keys, cells=tuple(measure(part) for _, measure in columns))
            for keys, part in ((keys, Part.of(mine)) for keys, mine in _by_language_and_all(frame))
        ),
        notes=(
            *notes,
            "exact: word for word as it should be. left alone: of sentences without a gendered "
            "term, which count in no other column but the last, those whose words did not change. "
            "undetected: no version of the sentence.",
            CLUSTERS,
        ),
    )


_MAIN: tuple[tuple[str, Measure], ...] = (
    ("GIoU", measures.giou),
    ("SGA", measures.sga),
    ("CGA", measures.cga),
)


def _both_words(results: Outcomes, scores: Table) -> Table:
    """The scores by both ways of cutting words, those of the protocol as they are known."""
    own = results.protocol.words
    heads = [head for head, _ in _SCORES]
    rows = [
        Row(keys=(*row.keys, own), cells=tuple(row.cells[heads.index(head)] for head, _ in _MAIN))
        for row in scores.rows
    ]
    for how in (each for each in CUTTINGS if each != own):
        for keys, frame in _by_language_and_all(measures.generated(results.frame, how)):
            part = Part.of(frame, RESAMPLES_OF_PARTS)
            cells = tuple(measure(part) for _, measure in _MAIN)
            rows.append(Row(keys=(*keys, how), cells=cells))
    return Table(
        name="words",
        title="Scores by what counts as a word",
        levels=("model", "language", "words"),
        columns=tuple(Column(name=head, decimals=2) for head, _ in _MAIN),
        rows=tuple(sorted(rows, key=lambda row: row.keys)),
        notes=tuple(f"{how}: {WORDS_ARE[how]}" for how in CUTTINGS),
    )


def _by_language_and_all(
    frame: polars.DataFrame,
) -> Iterator[tuple[tuple[str, str], polars.DataFrame]]:
    """The answers of each model in each language, and in all of several."""
    for (model,), mine in parts_of(frame, "model"):
        languages = list(parts_of(mine, "language"))
        for (language,), part in languages:
            yield (model, language), part
        if len(languages) > 1:
            yield (model, "all"), mine
