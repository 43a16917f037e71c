"""The study `choice`: which of the two sentences of a pair people find better."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from epicene.core.errors import InputError
from epicene.core.records import Column, Estimate, Row, Table, digest
from epicene.stats import annotator_agreement, paired_agreement
from epicene.stats.tabulate import distinct_values, parts_by, rows_where, share
from epicene.studies.design.sampling import Candidate, item_id
from epicene.studies.design.schema import StudyItem
from epicene.studies.exchange.study_files import read_study_definition
from epicene.suites.alternations.items import VARIANTS
from epicene.suites.alternations.metrics import LIKELIER, accuracy
from epicene.suites.alternations.protocol import ACCEPTABILITY
from epicene.suites.alternations.published import (
    JUDGEMENTS,
    NOT_PRINTED,
    PAIRS_JUDGED,
    PEOPLE_ACCURACY,
    TABLE_2,
    published_share,
)
from epicene.suites.alternations.studies import samples_and_tables
from epicene.suites.alternations.studies.samples_and_tables import (
    sample_per_cell,
    sample_whole_verbs,
)
from epicene.suites.studies import HeadlineCheck, StudyKind, judgement_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import polars

    from epicene.core.records import Judgement, Outcome
    from epicene.studies.design.sampling import DesignCell, SamplingOptions
    from epicene.studies.design.schema import Response, Study
    from epicene.suites import Results
    from epicene.suites.alternations.items import Pair
    from epicene.suites.alternations.protocol import AlternationsProtocol
    from epicene.suites.alternations.studies.samples_and_tables import Answered
    from epicene.suites.studies import Material

# The instructions, practice items and fillers are Hindi.
LANGUAGE = "hi"
SIDES = ("a", "b")


def study(protocol: AlternationsProtocol) -> Study:
    """The instructions and questions of the study.

    A person sees one variant of each verb, as the lists rotate; in the paper's studies a person
    saw the pairs of one variant.
    """
    whole = read_study_definition(Path(__file__).with_suffix(".toml"))
    lists = "given" if protocol.name == "paper" else "rotated"
    return msgspec.structs.replace(whole, lists=lists)


# --- sampling ---------------------------------------------------------------------------------


def candidates(material: Material[Pair, AlternationsProtocol]) -> Iterator[Candidate]:
    """Every Hindi pair."""
    pair = material.item
    if pair.language == LANGUAGE:
        make = partial(_item, pair, material.protocol)
        judged = (pair.id, ACCEPTABILITY)
        yield Candidate((pair.phenomenon,), pair.cluster, pair.id, make, judged)


def _item(pair: Pair, protocol: AlternationsProtocol) -> StudyItem:
    # Neither the id nor the name of a field may say which sentence is which.
    good, bad = SIDES if digest("choice", pair.id)[0] % 2 else SIDES[::-1]
    as_published = protocol.name == "paper"
    return StudyItem(
        id=item_id("an item of choice", pair.id),
        language=pair.language,
        group=pair.cluster,
        condition="" if as_published else pair.phenomenon,
        list=pair.phenomenon if as_published else "",
        judgements=JUDGEMENTS.get(pair.phenomenon) if as_published else None,
        fields={
            **dict(sorted({good: pair.good, bad: pair.bad}.items())),
            "good": good,
            "pair": pair.id,
            "variant": pair.phenomenon,
            "verb": pair.cluster,
            "valency": pair.columns.get("valency", ""),
        },
    )


def draw(
    drawn_from: Iterable[Candidate], protocol: AlternationsProtocol, wanted: SamplingOptions
) -> tuple[StudyItem, ...]:
    """The variants of the verb frames, or all pairs of data that has none of them."""
    every = list(drawn_from)
    frames = [candidate for candidate in every if candidate.cell[0] in VARIANTS]
    if protocol.name != "paper":
        return sample_whole_verbs(frames or every, wanted)
    if wanted.per_cell is not None or wanted.total is not None:
        raise InputError(
            "The paper's study has 56 pairs of DV and 28 of each other variant; to draw "
            "another number, use --protocol epicene."
        )
    numbers: dict[DesignCell, int] = {
        (variant,): number for variant, number in PAIRS_JUDGED.items()
    }
    return sample_per_cell(frames, numbers, wanted)


# --- judging ---------------------------------------------------------------------------------


def judge(item: StudyItem, response: Response) -> Iterator[Judgement]:
    """Right if the acceptable sentence was chosen."""
    is_good = response.answers["better"] == item.fields["good"]
    label = "good" if is_good else "bad"
    outcome: Outcome = "right" if is_good else "wrong"
    yield judgement_of(
        item, "choice", label, outcome, facets=("variant", "pair", "verb", "valency")
    )


def checks(_results: Results[AlternationsProtocol]) -> Iterator[HeadlineCheck]:
    """A model is right if it prefers the sentence that most people prefer, which need not be the
    one that is acceptable according to the data."""
    yield HeadlineCheck(
        headline=LIKELIER,
        judgement="choice",
        judged=lambda item: (item.fields["pair"], ACCEPTABILITY),
        value=lambda label, automatic, _item: automatic if label == "good" else 1 - automatic,
    )


def metrics(results: Answered) -> Mapping[str, Estimate]:
    """The share of choices of the acceptable sentence, and people's agreement."""
    made = {"accuracy": samples_and_tables.share_right(results.frame)}
    for variant in samples_and_tables.variants_in(results.frame):
        made[f"accuracy {variant}"] = samples_and_tables.share_right(
            rows_where(results.frame, variant=variant)
        )
    pairs = annotator_agreement.annotator_pairs(results.frame)
    made["alpha"] = paired_agreement.alpha(pairs, clustered=True)
    return made


def tables(results: Answered) -> Iterator[Table]:
    """People and models, each person, each item, and people's agreement."""
    yield models_table(results)
    yield samples_and_tables.participants_table(results)
    yield samples_and_tables.items_table(results)
    yield samples_and_tables.agreement_table(results)


def models_table(results: Answered) -> Table:
    """People's accuracy by variant, the runs' models' on the same pairs, and the paper's."""
    variants = samples_and_tables.variants_in(results.frame)
    shares = [
        samples_and_tables.share_right(rows_where(results.frame, variant=name)) for name in variants
    ]
    same = Estimate(value=None, why="these are the people")
    whole = samples_and_tables.share_right(results.frame)
    rows = [Row(keys=("people",), cells=(*shares, whole, same)), *_model_rows(results, variants)]
    rows += [_published_row(name, values, variants) for name, values in TABLE_2.items()]
    rows.append(_published_row("the paper's people", PEOPLE_ACCURACY, variants))
    return Table(
        name="models",
        title="People and models",
        levels=("who",),
        columns=tuple(Column(name=name) for name in (*variants, "all", "as people")),
        rows=tuple(rows),
        notes=(
            "As people: the share of pairs on which a model prefers the sentence that most "
            "people chose, without pairs on which the model or the people are undecided. A tie "
            "counts half; in runs under `paper` it counts as 0.",
            samples_and_tables.INTERVALS_NOTE,
            "The models are those of the runs given with --run, on the pairs that people judged.",
        ),
    )


def _model_rows(results: Answered, variants: Sequence[str]) -> Iterator[Row]:
    import polars as pl

    if results.runs is None:
        return
    judged = pl.col("item").is_in(distinct_values(results.frame, "pair"))
    frame = rows_where(results.runs, format=ACCEPTABILITY, main="yes").filter(judged)
    if not len(frame):
        raise InputError(
            "The runs given scored none of the study's pairs; use runs on the data that the "
            "study was drawn from."
        )
    majority = _majority(results.frame)
    for (model,), scores in parts_by(frame, "model"):
        cells = [accuracy(rows_where(scores, phenomenon=name)) for name in variants]
        decided = scores.filter(pl.col("outcome") != "undetected")
        both = decided.join(majority, left_on="item", right_on="pair")
        as_people = share(both, pl.col("credit") == pl.col("most"))
        yield Row(keys=(model,), cells=(*cells, accuracy(scores), as_people))


def _majority(frame: polars.DataFrame) -> polars.DataFrame:
    """For each pair on which people are not split evenly: 1 where most chose the good sentence."""
    import polars as pl

    chosen = (pl.col("outcome") == "right").mean()
    shares = frame.group_by(pl.col("pair").cast(pl.String)).agg(chosen.alias("share"))
    decided = shares.filter(pl.col("share") != 0.5)
    return decided.select("pair", (pl.col("share") > 0.5).cast(pl.Float64).alias("most"))


def _published_row(name: str, values: Sequence[float], variants: Sequence[str]) -> Row:
    by_variant = dict(zip(VARIANTS, values, strict=True))
    cells = [
        published_share(by_variant[each]) if each in by_variant else NOT_PRINTED
        for each in variants
    ]
    return Row(keys=(name,), cells=(*cells, NOT_PRINTED, NOT_PRINTED), origin="published")


kind = StudyKind(
    study=study,
    candidates=candidates,
    sample=draw,
    judge=judge,
    metrics=metrics,
    tables=tables,
    from_runs=False,
    checks=checks,
)
