"""The study `completions`: what people say of each verb that a model put in the gap."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from epicene.records import Column, Estimate, Judgement, Row, Table
from epicene.studies import StudyItem
from epicene.studies.drawing import Candidate
from epicene.studies.identifiers import item_id, read_definition
from epicene.suites import agreement, people
from epicene.suites.alternations.analyser import agrees, analyse
from epicene.suites.alternations.cloze import fillings
from epicene.suites.alternations.published import UNGRAMMATICAL
from epicene.suites.studies import StudyKind
from epicene.suites.tabulate import only, share, values_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import polars

    from epicene.records import Outcome
    from epicene.studies import Response, Study
    from epicene.suites.alternations.pairs import Pair
    from epicene.suites.alternations.people.people_tables import Answered
    from epicene.suites.alternations.protocol import AlternationsProtocol
    from epicene.suites.studies import Material

GRAMMATICAL, PLAUSIBLE = "grammatical", "plausible"
ERRORS = ("valency", "case", "agreement", "meaning")
AGREEMENT = "agreement"


def study(_protocol: AlternationsProtocol) -> Study:
    """What is shown and asked."""
    return read_definition(Path(__file__).with_suffix(".toml"))


def candidates(material: Material[Pair, AlternationsProtocol]) -> Iterator[Candidate]:
    """What a model put first in a gap."""
    pair = material.item
    for form, _, texts, main in fillings(pair, material.answers, material.protocol):
        if main and texts and texts[0]:
            yield Candidate(
                cell=(material.model, form, pair.phenomenon),
                unit=pair.cluster,
                name=f"{material.model}/{form}/{pair.id}",
                make=partial(_item, pair, material.model, form, texts[0]),
            )


def _item(pair: Pair, model: str, form: str, completion: str) -> StudyItem:
    reading = analyse(completion)
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
            "agrees": _yes(agrees(reading, pair)) if reading.is_verb else "",
            "pair": pair.id,
            "variant": pair.phenomenon,
            "verb": pair.cluster,
        },
    )


# --- judging ---------------------------------------------------------------------------------


def judge(item: StudyItem, response: Response) -> Iterator[Judgement]:
    """Whether it is grammatical and makes sense, and what is wrong with it."""
    label = str(response.answers[GRAMMATICAL])
    yield _judged(item, GRAMMATICAL, label, "right" if label == "yes" else "wrong")
    yield _judged(item, PLAUSIBLE, str(response.answers[PLAUSIBLE]))
    for error in ERRORS:
        yield _judged(item, error, _yes(error in response.answers.get("errors", ())))


def automatic(item: StudyItem) -> Iterator[Judgement]:
    """What the analyser says: a verb that agrees will do, and where a verb does not agree."""
    yield _judged(item, GRAMMATICAL, _yes(item.fields["agrees"] == "yes"))
    if item.fields["agrees"]:
        yield _judged(item, AGREEMENT, _yes(item.fields["agrees"] == "no"))


def _judged(item: StudyItem, name: str, label: str, outcome: Outcome | None = None) -> Judgement:
    return Judgement(
        item=item.id,
        group=item.group,
        language=item.language,
        name=name,
        outcome=outcome,
        label=label,
        facets={facet: item.fields[facet] for facet in ("variant", "format", "kind", "verb")},
    )


def _yes(what: bool) -> str:
    return "yes" if what else "no"


# --- tables ----------------------------------------------------------------------------------


def metrics(results: Answered) -> Mapping[str, Estimate]:
    """How many are ungrammatical, and how far people and the analyser agree."""
    found = people.one_label(results.settled)
    beside = people.with_automatic(results.settled, results.automatic)
    pairs = only(people.between_people(results.frame), name=GRAMMATICAL)
    return {
        "ungrammatical": _says(only(found, name=GRAMMATICAL), "no"),
        "agreement_people": agreement.raw(pairs, clustered=True),
        "agreement_automatic": agreement.raw(only(beside, name=GRAMMATICAL), clustered=True),
    }


def tables(results: Answered) -> Iterator[Table]:
    """What people found; whether they agree with each other, and the analyser with them."""
    yield _labels(results)
    yield _between_people(results)
    yield _with_automatic(results)


def _labels(results: Answered) -> Table:
    found = people.one_label(results.settled)
    rows = []
    for model in values_of(found, "model"):
        mine = only(found, model=model)
        rows.append(Row(keys=(model, "all"), cells=_label_cells(mine)))
        rows += [
            Row(keys=(model, kind), cells=_label_cells(only(mine, kind=kind)))
            for kind in values_of(mine, "kind")
        ]
    none = Estimate(value=None, why="the paper prints no number")
    cells = (none, Estimate(value=UNGRAMMATICAL), *(none for _ in (PLAUSIBLE, *ERRORS)))
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
            "A completion that several labelled counts once, by the label that most of them gave. "
            "The kind of verb is the analyser's. Intervals cluster by verb.",
        ),
    )


def _label_cells(frame: polars.DataFrame) -> tuple[Estimate, ...]:
    judged = only(frame, name=GRAMMATICAL)
    return (
        Estimate(value=len(judged), n=len(judged)),
        _says(judged, "no"),
        _says(only(frame, name=PLAUSIBLE), "no"),
        *(_says(only(frame, name=error), "yes") for error in ERRORS),
    )


def _says(frame: polars.DataFrame, label: str) -> Estimate:
    import polars as pl

    return share(frame, pl.col("label") == label)


def _between_people(results: Answered) -> Table:
    pairs = people.between_people(results.frame)
    rows = [
        Row(keys=(name, *row.keys), cells=row.cells)
        for name in (GRAMMATICAL, PLAUSIBLE, *ERRORS)
        for row in people.by_facet(only(pairs, name=name), (), clustered=True)
    ]
    return Table(
        name="agreement",
        title="Agreement of people with each other",
        levels=("judgement", "facet", "of"),
        columns=people.COLUMNS,
        rows=tuple(rows),
        notes=("Completions that two people or more labelled.", *people.BETWEEN_PEOPLE),
    )


def _with_automatic(results: Answered) -> Table:
    pairs = people.with_automatic(results.settled, results.automatic)
    rows = [
        Row(keys=(name, *row.keys), cells=row.cells)
        for name in (GRAMMATICAL, AGREEMENT)
        for row in people.by_facet(only(pairs, name=name), ("model", "kind"), clustered=True)
    ]
    return Table(
        name="automatic",
        title="Agreement of people with the analyser",
        levels=("judgement", "facet", "of"),
        columns=people.COLUMNS,
        rows=tuple(rows),
        notes=(
            "The analyser takes every verb that agrees for grammatical: it sees neither case nor "
            "valency. Agreement is whether people and the analyser find an agreement error, in "
            "completions that the analyser takes for verbs.",
            *people.NOTES,
        ),
    )


kind = StudyKind(
    study=study,
    candidates=candidates,
    judge=judge,
    automatic=automatic,
    metrics=metrics,
    tables=tables,
)
