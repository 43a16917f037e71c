"""The study `rewritings`: people judge sentences that a model rewrote for other people."""

from __future__ import annotations

import operator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from epicene.core.records import Column, Estimate, Judgement, Row, Table, Texts
from epicene.stats import annotator_agreement, paired_agreement
from epicene.stats.tabulate import distinct_values, rows_where, share
from epicene.studies.design.sampling import Candidate, item_id, stratified_sample
from epicene.studies.design.schema import StudyItem
from epicene.studies.exchange.study_files import read_study_definition
from epicene.suites.apgc.ask import REWRITING, request_name
from epicene.suites.apgc.construction.annotation import describe_people
from epicene.suites.apgc.items import TARGETS, SentenceLabel
from epicene.suites.apgc.judge import by_edits
from epicene.suites.apgc.metrics import REWRITTEN_RIGHT
from epicene.suites.studies import HeadlineCheck, StudyKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    import polars

    from epicene.core.records import Outcome
    from epicene.studies.design.sampling import SamplingOptions
    from epicene.studies.design.schema import Response, Study
    from epicene.suites import Results
    from epicene.suites.apgc.items import Sentence
    from epicene.suites.apgc.protocol import ApgcProtocol
    from epicene.suites.studies import Material, StudyResults

    Rewritten = Material[Sentence, ApgcProtocol]
    Answered = StudyResults[ApgcProtocol]

# The names of the judgements; `right` is all of the others together.
RIGHT, GRAMMATICAL, SPEAKER, LISTENER, MEANING, UNTOUCHED = (
    "right", "grammatical", "speaker", "listener", "meaning", "nothing else changed",
)  # fmt: skip
_PARTS = (GRAMMATICAL, SPEAKER, LISTENER, MEANING, UNTOUCHED)

PER_CELL = 10


def study(_protocol: ApgcProtocol) -> Study:
    """The study without its items."""
    return read_study_definition(Path(__file__).with_suffix(".toml"))


# --- sampling --------------------------------------------------------------------------------


def candidates(material: Rewritten) -> Iterator[Candidate]:
    """Every rewriting that is not empty, by model, target and whether a word was to change."""
    sentence, model = material.item, material.model
    for target in TARGETS:
        for written in material.answers.where(name=request_name(REWRITING, target)).of(Texts):
            judged = by_edits(sentence, target, written.only, material.protocol)
            if judged.outcome != "undetected":
                yield Candidate(
                    cell=(model, target, _change(sentence, target)),
                    unit=sentence.cluster,
                    name=f"{model}/{sentence.id}/{target}",
                    make=partial(_item, sentence, model, target, judged),
                    judged=(sentence.id, judged.name),
                    uncertain=partial(operator.ne, judged.outcome, "right"),
                )


def _change(sentence: Sentence, target: str) -> str:
    same = sentence.targets[target].split() == sentence.text.split()
    return "to leave" if same else "to change"


def _item(sentence: Sentence, model: str, target: str, judged: Judgement) -> StudyItem:
    return StudyItem(
        id=item_id("rewritings", model, target, sentence.id),
        language="ar",
        group=sentence.cluster,
        fields={
            "people": describe_people(SentenceLabel(*target)),
            "text": sentence.text,
            "rewriting": judged.evidence["answer"],
            "model": model,
            "target": target,
            "change": _change(sentence, target),
            "reference": sentence.targets[target],
            "sentence": sentence.id,
            "automatic": _yes_or_no(judged.outcome == "right"),
        },
    )


def sample(
    candidates: Iterable[Candidate], _protocol: ApgcProtocol, wanted: SamplingOptions
) -> tuple[StudyItem, ...]:
    """Equally many of each cell."""
    return stratified_sample(candidates, wanted, per_cell=PER_CELL)


# --- judging ---------------------------------------------------------------------------------


def judge(item: StudyItem, response: Response) -> Iterator[Judgement]:
    """What a person found: each question, and whether all of it is as it should be."""
    answers = response.answers
    labels = {name: str(answers[name]) for name in (GRAMMATICAL, SPEAKER, LISTENER, MEANING)}
    labels[UNTOUCHED] = _yes_or_no(not answers.get("changes"))
    right = "no" not in labels.values()
    yield _judgement(item, RIGHT, _yes_or_no(right), "right" if right else "wrong")
    for name, label in labels.items():
        yield _judgement(item, name, label)


def automatic(item: StudyItem) -> Iterator[Judgement]:
    """A rewriting is right if it is the reference."""
    yield _judgement(item, RIGHT, item.fields["automatic"])


def _judgement(item: StudyItem, name: str, label: str, outcome: Outcome | None = None) -> Judgement:
    return Judgement(
        item=item.id,
        group=item.group,
        language=item.language,
        name=name,
        outcome=outcome,
        label=label,
        facets={facet: item.fields[facet] for facet in ("target", "change", "automatic")},
    )


def checks(_results: Results[ApgcProtocol]) -> Iterator[HeadlineCheck]:
    """A rewriting is right if people find it so, whether or not it is the reference."""
    yield HeadlineCheck(
        headline=REWRITTEN_RIGHT,
        judgement=RIGHT,
        judged=lambda item: (
            item.fields["sentence"],
            request_name(REWRITING, item.fields["target"]),
        ),
        value=lambda label, _automatic, _item: float(label == "yes"),
    )


def _yes_or_no(flag: bool) -> str:
    return "yes" if flag else "no"


# --- tables ----------------------------------------------------------------------------------


def metrics(results: Answered) -> Mapping[str, Estimate]:
    """The share that people find right, and how far they agree with each other and the judge."""
    decided = _decided(results)
    right = rows_where(annotator_agreement.majority_labels(decided), name=RIGHT)
    people = rows_where(annotator_agreement.annotator_pairs(results.frame), name=RIGHT)
    own = annotator_agreement.pairs_with_automatic(decided, results.automatic)
    return {
        "right": _share(right),
        "right_automatic": _share(right, "automatic"),
        "agreement_people": paired_agreement.raw(people, clustered=True),
        "agreement_automatic": paired_agreement.raw(rows_where(own, name=RIGHT), clustered=True),
    }


def tables(results: Answered) -> Iterator[Table]:
    """People's labels, and their agreement with each other and with the automatic judgement."""
    yield _labels_table(results)
    pairs = annotator_agreement.annotator_pairs(results.frame)
    yield Table(
        name="agreement",
        title="Agreement of people with each other",
        levels=("judgement",),
        columns=annotator_agreement.COLUMNS,
        rows=tuple(
            Row(
                keys=(name,),
                cells=annotator_agreement.cells(rows_where(pairs, name=name), clustered=True),
            )
            for name in (RIGHT, *_PARTS)
        ),
        notes=("Rewritings that two people or more judged.", *annotator_agreement.PAIR_NOTES),
    )
    own = annotator_agreement.pairs_with_automatic(_decided(results), results.automatic)
    right = rows_where(own, name=RIGHT)
    yield Table(
        name="automatic",
        title="Agreement of people with the automatic judgement",
        levels=("facet", "of"),
        columns=annotator_agreement.COLUMNS,
        rows=tuple(
            annotator_agreement.by_facet(right, ("model", "target", "change"), clustered=True)
        ),
        notes=(
            "Automatically a rewriting is right if it is the reference, word by word.",
            *annotator_agreement.NOTES,
        ),
    )


def _decided(results: Answered) -> polars.DataFrame:
    """The judgements without ties, of the rewritings that more people found right than not, or
    fewer."""
    import polars as pl

    frame = annotator_agreement.without_ties(results.adjudicated)
    return frame.filter((pl.col("name") == RIGHT).any().over("item"))


def _labels_table(results: Answered) -> Table:
    decided = _decided(results)
    undecided = results.adjudicated["item"].n_unique() - decided["item"].n_unique()
    found = annotator_agreement.majority_labels(decided)
    rows = []
    for model in distinct_values(found, "model"):
        part = rows_where(found, model=model)
        rows.append(Row(keys=(model, "all"), cells=_label_cells(part)))
        for facet in ("change", "target"):
            rows += [
                Row(keys=(model, value), cells=_label_cells(rows_where(part, **{facet: value})))
                for value in distinct_values(part, facet)
            ]
    names = (*_PARTS, "right", "right automatically", "right though not the reference")
    return Table(
        name="labels",
        title="Rewritings as people judged them",
        levels=("model", "rewritings"),
        columns=(Column(name="n", unit="count"), *(Column(name=name) for name in names)),
        rows=tuple(rows),
        notes=(
            "A rewriting that several judged counts once, by the label that most of them gave; "
            f"{undecided}, which as many found right as not, are left out until they are settled "
            "(`epicene annotate adjudicate`). A "
            "person whose gender no word shows counts as fitting. Right is all five together; the "
            "last column is the share of right ones among those that differ from the reference. "
            "Empty rewritings are left out. All describes the sample, which has as many rewritings "
            "to leave as to change, not the run. Intervals cluster by group of forms.",
        ),
    )


def _label_cells(frame: polars.DataFrame) -> tuple[Estimate, ...]:
    right = rows_where(frame, name=RIGHT)
    return (
        Estimate(value=len(right), n=len(right)),
        *(_share(rows_where(frame, name=name)) for name in _PARTS),
        _share(right),
        _share(right, "automatic"),
        _share(rows_where(right, automatic="no")),
    )


def _share(frame: polars.DataFrame, column: str = "label") -> Estimate:
    """The share of labels that are not `no`."""
    import polars as pl

    return share(frame, pl.col(column).cast(pl.String) != "no")


kind = StudyKind(
    study=study,
    candidates=candidates,
    sample=sample,
    judge=judge,
    automatic=automatic,
    metrics=metrics,
    tables=tables,
    checks=checks,
)
