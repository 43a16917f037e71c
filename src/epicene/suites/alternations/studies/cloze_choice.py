"""The study `cloze-choice`: people choose between the expected verb and two models' completions."""

from __future__ import annotations

from functools import partial
from itertools import permutations
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from epicene.core.errors import InputError
from epicene.core.records import Column, Estimate, Row, Table, digest
from epicene.languages.normalisers import nfc
from epicene.stats import annotator_agreement, paired_agreement
from epicene.stats.tabulate import distinct_values, rows_where, share
from epicene.studies.design.sampling import Candidate, item_id
from epicene.studies.design.schema import StudyItem
from epicene.studies.exchange.study_files import read_study_definition
from epicene.suites.alternations.items import SAME_VERB
from epicene.suites.alternations.published import CLOZE_JUDGEMENTS, NOT_PRINTED, PREFERRED_GOLD
from epicene.suites.alternations.studies import samples_and_tables
from epicene.suites.alternations.studies.samples_and_tables import (
    filler_candidates,
    sample_per_cell,
    sample_whole_verbs,
)
from epicene.suites.studies import StudyKind, judgement_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    import polars

    from epicene.core.records import Judgement, Outcome
    from epicene.studies.design.sampling import SamplingOptions
    from epicene.studies.design.schema import Response, Study
    from epicene.suites.alternations.items import Pair
    from epicene.suites.alternations.protocol import AlternationsProtocol
    from epicene.suites.alternations.studies.samples_and_tables import Answered

GOLD = "gold"
POSITIONS = ("one", "two", "three")
VERBS = 56  # in the paper's study


def study(protocol: AlternationsProtocol) -> Study:
    """The instructions and questions of the study; a person sees one variant of each verb."""
    whole = read_study_definition(Path(__file__).with_suffix(".toml"))
    if protocol.name == "paper":
        return msgspec.structs.replace(whole, judgements=CLOZE_JUDGEMENTS)
    return msgspec.structs.replace(whole, lists="rotated")


# --- sampling ---------------------------------------------------------------------------------


def _one_models_item(pair: Pair, model: str, _format: str, completion: str) -> StudyItem:
    """The half of an item that one model contributes; two models make one item."""
    fields = {
        "sentence": pair.gapped,
        "gold": pair.gold,
        "completion": completion,
        "model": model,
        "pair": pair.id,
        "variant": pair.phenomenon,
        "verb": pair.cluster,
    }
    return StudyItem(id=pair.id, language=pair.language, group=pair.cluster, fields=fields)


def draw(
    drawn_from: Iterable[Candidate], protocol: AlternationsProtocol, wanted: SamplingOptions
) -> tuple[StudyItem, ...]:
    """Gaps whose expected verb and two completions all differ."""
    found = list(_three_way_candidates(drawn_from))
    if protocol.name != "paper":
        return sample_whole_verbs(found, wanted)
    if wanted.per_cell is not None or wanted.total is not None:
        raise InputError(
            f"The paper's study has the gaps of all {VERBS} verbs; to draw another number, use "
            "--protocol epicene."
        )
    return sample_per_cell(found, {(SAME_VERB,): VERBS}, wanted)


def _three_way_candidates(drawn_from: Iterable[Candidate]) -> Iterator[Candidate]:
    halves: dict[str, dict[tuple[str, str], StudyItem]] = {}
    for candidate in drawn_from:
        half = candidate.make()
        halves.setdefault(half.fields["pair"], {})[candidate.cell[0], candidate.cell[1]] = half
    writers = sorted({writer for pair in halves.values() for writer in pair})
    if len(writers) != 2:
        named = ", ".join(f"{model} ({form})" for model, form in writers) or "none"
        raise InputError(
            "The choice is between the expected verb and the completions of two models; give "
            f"two runs, each with one way to fill gaps. Given: {named}."
        )
    for name, pair in halves.items():
        if len(pair) == 2 and len({nfc(text) for text in _texts(pair.values())}) == 3:
            first, second = (pair[writer] for writer in writers)
            yield Candidate(
                cell=(first.fields["variant"],),
                unit=first.group,
                name=name,
                make=partial(_three_way_item, first, second),
            )


def _texts(halves: Iterable[StudyItem]) -> Iterator[str]:
    for half in halves:
        yield from (half.fields["gold"], half.fields["completion"])


def _three_way_item(first: StudyItem, second: StudyItem) -> StudyItem:
    """The three verbs, in an order that does not reveal their sources."""
    orders = list(permutations(POSITIONS))
    order = orders[digest("cloze-choice", first.id)[0] % len(orders)]
    positions = dict(zip((GOLD, "first", "second"), order, strict=True))
    texts = {
        positions[GOLD]: first.fields["gold"],
        positions["first"]: first.fields["completion"],
        positions["second"]: second.fields["completion"],
    }
    return StudyItem(
        id=item_id("an item of cloze-choice", first.id),
        language=first.language,
        group=first.group,
        condition=first.fields["variant"],
        fields={
            "sentence": first.fields["sentence"],
            **{position: texts[position] for position in POSITIONS},
            **positions,
            "first_model": first.fields["model"],
            "second_model": second.fields["model"],
            **{key: first.fields[key] for key in ("pair", "variant", "verb")},
        },
    )


# --- judging ---------------------------------------------------------------------------------


def judge(item: StudyItem, response: Response) -> Iterator[Judgement]:
    """The source of the chosen verb; right is the expected verb."""
    chosen = next(
        whose
        for whose in (GOLD, "first", "second")
        if item.fields[whose] == response.answers["best"]
    )
    label = GOLD if chosen == GOLD else item.fields[f"{chosen}_model"]
    outcome: Outcome = "right" if chosen == GOLD else "wrong"
    yield judgement_of(item, "choice", label, outcome, facets=("variant", "pair", "verb"))


def metrics(results: Answered) -> Mapping[str, Estimate]:
    """The share of choices of the expected verb, and people's agreement."""
    pairs = annotator_agreement.annotator_pairs(results.frame)
    return {
        "preference for gold": samples_and_tables.share_right(results.frame),
        "alpha": paired_agreement.alpha(pairs, clustered=True),
    }


def tables(results: Answered) -> Iterator[Table]:
    """Preferred verbs, each person, each item, and people's agreement."""
    yield _preference_table(results)
    yield samples_and_tables.participants_table(results)
    yield samples_and_tables.items_table(results)
    yield samples_and_tables.agreement_table(results)


def _preference_table(results: Answered) -> Table:
    frame = results.frame
    models = [label for label in distinct_values(frame, "label") if label != GOLD]
    rows = [Row(keys=("all",), cells=_share_cells(frame, models))]
    rows += [
        Row(keys=(name,), cells=_share_cells(rows_where(frame, variant=name), models))
        for name in samples_and_tables.variants_in(frame)
    ]
    cells = (NOT_PRINTED, Estimate(value=PREFERRED_GOLD), *(NOT_PRINTED for _ in models))
    rows.append(Row(keys=("the paper",), cells=cells, origin="published"))
    return Table(
        name="preference",
        title="Whose verb people prefer",
        levels=("variant",),
        columns=(
            Column(name="choices", unit="count"),
            *(Column(name=name) for name in (GOLD, *models)),
        ),
        rows=tuple(rows),
        notes=(
            "Gaps that a model fills with the expected verb, or that both models fill with "
            "the same verb, do not give a choice of three and are not in the study.",
            samples_and_tables.INTERVALS_NOTE,
        ),
    )


def _share_cells(frame: polars.DataFrame, models: Iterable[str]) -> tuple[Estimate, ...]:
    import polars as pl

    number = Estimate(value=len(frame), n=len(frame))
    return (number, *(share(frame, pl.col("label") == name) for name in (GOLD, *models)))


kind = StudyKind(
    study=study,
    candidates=partial(filler_candidates, _one_models_item),
    sample=draw,
    judge=judge,
    metrics=metrics,
    tables=tables,
)
