"""The study `completions`: people rate each verb that a model put in the gap."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from epicene.core.records import Column, Estimate, Row, Table
from epicene.stats import annotator_agreement, paired_agreement
from epicene.stats.tabulate import parts_by, rows_where, share
from epicene.studies.design.sampling import item_id
from epicene.studies.design.schema import StudyItem
from epicene.studies.exchange.study_files import read_study_definition
from epicene.suites.alternations.hindi_analyser import agrees_with_pair, analyse_verb
from epicene.suites.alternations.published import NOT_PRINTED, UNGRAMMATICAL
from epicene.suites.alternations.studies.samples_and_tables import filler_candidates
from epicene.suites.studies import StudyKind, judgement_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import polars

    from epicene.core.records import Judgement, Outcome
    from epicene.studies.design.schema import Response, Study
    from epicene.suites.alternations.items import Pair
    from epicene.suites.alternations.protocol import AlternationsProtocol
    from epicene.suites.alternations.studies.samples_and_tables import Answered

GRAMMATICAL, PLAUSIBLE = "grammatical", "plausible"
ERRORS = ("valency", "case", "agreement", "meaning")
AGREEMENT = "agreement"


def study(_protocol: AlternationsProtocol) -> Study:
    """The instructions and questions of the study."""
    return read_study_definition(Path(__file__).with_suffix(".toml"))


def _item(pair: Pair, model: str, form: str, completion: str) -> StudyItem:
    reading = analyse_verb(completion)
    return StudyItem(
        id=item_id("completions", model, form, pair.id),
        language=pair.language,
        group=pair.cluster,
        fields={
            "sentence": pair.filled(completion),
            "completion": completion,
            "model": model,
            "format": form,
            "gold": pair.gold,
            "kind": reading.kind,
            "agrees": _yes_or_no(agrees_with_pair(reading, pair)) if reading.is_verb else "",
            "pair": pair.id,
            "variant": pair.phenomenon,
            "verb": pair.cluster,
        },
    )


# --- judging ---------------------------------------------------------------------------------


def judge(item: StudyItem, response: Response) -> Iterator[Judgement]:
    """Whether a completion is grammatical and plausible, and its errors."""
    label = str(response.answers[GRAMMATICAL])
    yield _judgement(item, GRAMMATICAL, label, "right" if label == "yes" else "wrong")
    yield _judgement(item, PLAUSIBLE, str(response.answers[PLAUSIBLE]))
    for error in ERRORS:
        yield _judgement(item, error, _yes_or_no(error in response.answers.get("errors", ())))


def automatic(item: StudyItem) -> Iterator[Judgement]:
    """The analyser's labels: any verb that agrees is grammatical, any other an agreement error."""
    yield _judgement(item, GRAMMATICAL, _yes_or_no(item.fields["agrees"] == "yes"))
    if item.fields["agrees"]:
        yield _judgement(item, AGREEMENT, _yes_or_no(item.fields["agrees"] == "no"))


def _judgement(item: StudyItem, name: str, label: str, outcome: Outcome | None = None) -> Judgement:
    return judgement_of(item, name, label, outcome, facets=("variant", "format", "kind", "verb"))


def _yes_or_no(flag: bool) -> str:
    return "yes" if flag else "no"


# --- tables ----------------------------------------------------------------------------------


def metrics(results: Answered) -> Mapping[str, Estimate]:
    """The share of ungrammatical completions, and how far people and the analyser agree."""
    found = annotator_agreement.majority_labels(results.decided)
    automatic_pairs = annotator_agreement.pairs_with_automatic(results.decided, results.automatic)
    pairs = rows_where(annotator_agreement.annotator_pairs(results.frame), name=GRAMMATICAL)
    return {
        "ungrammatical": _share_of_label(rows_where(found, name=GRAMMATICAL), "no"),
        "agreement_people": paired_agreement.raw(pairs, clustered=True),
        "agreement_automatic": paired_agreement.raw(
            rows_where(automatic_pairs, name=GRAMMATICAL), clustered=True
        ),
    }


def tables(results: Answered) -> Iterator[Table]:
    """People's labels, and their agreement with each other and with the analyser."""
    yield _labels_table(results)
    yield _agreement_table(results)
    yield _automatic_table(results)


def _labels_table(results: Answered) -> Table:
    found = annotator_agreement.majority_labels(results.decided)
    rows = []
    for (model,), labels in parts_by(found, "model"):
        rows.append(Row(keys=(model, "all"), cells=_label_cells(labels)))
        rows += [
            Row(keys=(model, kind), cells=_label_cells(part))
            for (kind,), part in parts_by(labels, "kind")
        ]
    unprinted = (NOT_PRINTED for _ in (PLAUSIBLE, *ERRORS))
    cells = (NOT_PRINTED, Estimate(value=UNGRAMMATICAL), *unprinted)
    rows.append(Row(keys=("the paper", "all"), cells=cells, origin="published"))
    return Table(
        name="labels",
        title="Completions as people labelled them",
        levels=("model", "kind of verb"),
        columns=(
            Column(name="completions", unit="count"),
            *(Column(name=name) for name in ("ungrammatical", "implausible", *ERRORS)),
        ),
        rows=tuple(rows),
        notes=(
            "A completion that several people labelled counts once, with the label that most "
            "of them gave. The kind of verb is determined by the analyser. Intervals are "
            "clustered by verb.",
        ),
    )


def _label_cells(frame: polars.DataFrame) -> tuple[Estimate, ...]:
    judged = rows_where(frame, name=GRAMMATICAL)
    return (
        Estimate(value=len(judged), n=len(judged)),
        _share_of_label(judged, "no"),
        _share_of_label(rows_where(frame, name=PLAUSIBLE), "no"),
        *(_share_of_label(rows_where(frame, name=error), "yes") for error in ERRORS),
    )


def _share_of_label(frame: polars.DataFrame, label: str) -> Estimate:
    import polars as pl

    return share(frame, pl.col("label") == label)


def _agreement_table(results: Answered) -> Table:
    pairs = annotator_agreement.annotator_pairs(results.frame)
    names = (GRAMMATICAL, PLAUSIBLE, *ERRORS)
    return Table(
        name="agreement",
        title="Agreement of people with each other",
        levels=("judgement", "facet", "of"),
        columns=annotator_agreement.COLUMNS,
        rows=tuple(annotator_agreement.by_judgement(pairs, names, (), clustered=True)),
        notes=("Completions that two or more people labelled.", *annotator_agreement.PAIR_NOTES),
    )


def _automatic_table(results: Answered) -> Table:
    pairs = annotator_agreement.pairs_with_automatic(results.decided, results.automatic)
    return Table(
        name="automatic",
        title="Agreement of people with the analyser",
        levels=("judgement", "facet", "of"),
        columns=annotator_agreement.COLUMNS,
        rows=tuple(
            annotator_agreement.by_judgement(
                pairs, (GRAMMATICAL, AGREEMENT), ("model", "kind"), clustered=True
            )
        ),
        notes=(
            "The analyser counts every verb that agrees as grammatical: it checks neither "
            "case nor valency. The judgement `agreement` is whether there is an agreement error, "
            "in completions that the analyser takes for verbs.",
            *annotator_agreement.NOTES,
        ),
    )


kind = StudyKind(
    study=study,
    candidates=partial(filler_candidates, _item),
    judge=judge,
    automatic=automatic,
    metrics=metrics,
    tables=tables,
)
