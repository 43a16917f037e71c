"""The study `translations`: people say which gender a translation gives to a person.

A study is in one language; people also read the English.
"""

from __future__ import annotations

import operator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from epicene.core.errors import InputError
from epicene.core.records import Column, Estimate, Judgement, Row, Table, Texts
from epicene.stats import annotator_agreement, paired_agreement
from epicene.stats.tabulate import distinct_values, rows_where, share
from epicene.studies.design.sampling import Candidate, item_id
from epicene.studies.design.schema import StudyItem
from epicene.studies.exchange.study_files import read_study_definition
from epicene.suites.studies import HeadlineCheck, StudyKind, judgement_of, stratified
from epicene.suites.translation.items import OTHER
from epicene.suites.translation.judge import GENDER
from epicene.suites.translation.judge import judge as judge_answers
from epicene.suites.translation.metrics import RIGHT_GENDER

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import polars

    from epicene.core.records import Outcome
    from epicene.studies.design.schema import Response, Study
    from epicene.suites import Results
    from epicene.suites.studies import Material, StudyResults
    from epicene.suites.translation.items import Sentence
    from epicene.suites.translation.protocol import TranslationProtocol

    Translated = Material[Sentence, TranslationProtocol]
    Answered = StudyResults[TranslationProtocol]

NAME = "translations"
PER_CELL = 25
SAME, OTHER_GENDER, NONE, UNCLEAR = "same", "other", "none", "unclear"
AUTOMATIC = {"right": SAME, "wrong": OTHER_GENDER, "undetected": NONE}
_OUTCOMES: dict[str, Outcome] = {SAME: "right", OTHER_GENDER: "wrong", NONE: "undetected"}
_FACETS = ("gender", "set")
_UNNAMED = "the person whose gender the English shows"


# --- what people see -------------------------------------------------------------------------


def study(_protocol: TranslationProtocol) -> Study:
    """The study without its items."""
    return read_study_definition(Path(__file__).with_suffix(".toml"))


def in_language_of_items(drawn: Study) -> Study:
    """The study with the practice items of its language."""
    found = sorted({item.language for item in drawn.items})
    if len(found) > 1:
        raise InputError(
            f"The runs have translations into {', '.join(found)}, but people judge those into one "
            f"language: choose it, for example with --language {found[0]}."
        )
    practice = tuple(each for each in drawn.practice if each.language in found)
    return msgspec.structs.replace(drawn, practice=practice)


# --- sampling --------------------------------------------------------------------------------


def candidates(material: Translated) -> Iterator[Candidate]:
    """Every translation that is not empty of a sentence that shows a man or a woman."""
    sentence, model = material.item, material.model
    if sentence.human or sentence.gender not in OTHER:
        return
    for answered in material.answers:
        if not isinstance(answered.answer, Texts) or not answered.answer.only.strip():
            continue
        judged = judge_answers(sentence, material.answers, material.protocol)
        judgement = next((each for each in judged if each.name == GENDER), None)
        if judgement is not None:
            yield Candidate(
                cell=(model, sentence.language, sentence.gender),
                unit=sentence.cluster,
                name=f"{model}/{sentence.id}",
                make=partial(_item, sentence, model, judgement),
                judged=(sentence.id, GENDER),
                uncertain=partial(operator.eq, judgement.outcome, "undetected"),
            )


def _item(sentence: Sentence, model: str, judgement: Judgement) -> StudyItem:
    before = f"{sentence.context}\n" if sentence.context else ""
    return StudyItem(
        id=item_id(NAME, model, sentence.id),
        language=sentence.language,
        group=sentence.cluster,
        fields={
            "english": f"{before}{sentence.source}",
            "person": f"the {sentence.entity}" if sentence.entity else _UNNAMED,
            "translation": judgement.evidence["answer"],
            "model": model,
            "gender": sentence.gender,
            "set": sentence.origin,
            "sentence": sentence.id,
            "automatic": AUTOMATIC[judgement.outcome or "undetected"],
        },
    )


# --- judging ---------------------------------------------------------------------------------


def judge(item: StudyItem, response: Response) -> Iterator[Judgement]:
    """What a person said; no label if they cannot tell."""
    label = str(response.answers[GENDER])
    yield _judgement(item, label)


def automatic(item: StudyItem) -> Iterator[Judgement]:
    """The suite's own label."""
    yield _judgement(item, item.fields["automatic"])


def _judgement(item: StudyItem, label: str) -> Judgement:
    return judgement_of(item, GENDER, label, _OUTCOMES.get(label), facets=_FACETS)


def checks(_results: Results[TranslationProtocol]) -> Iterator[HeadlineCheck]:
    """A translation is right if people say that it gives the person the gender of the English."""
    yield HeadlineCheck(
        headline=RIGHT_GENDER,
        judgement=GENDER,
        judged=lambda item: (item.fields["sentence"], GENDER),
        value=lambda label, _automatic, _item: None if label == UNCLEAR else float(label == SAME),
    )


# --- tables ----------------------------------------------------------------------------------


def metrics(results: Answered) -> Mapping[str, Estimate]:
    """The share that people find right, and how far they agree with each other and the suite."""
    found = _told(annotator_agreement.majority_labels(results.decided))
    people = annotator_agreement.annotator_pairs(results.frame)
    return {
        "right": _share(found, SAME),
        "agreement_people": paired_agreement.raw(people, clustered=True),
        "agreement_automatic": paired_agreement.raw(_pairs(results), clustered=True),
    }


def tables(results: Answered) -> Iterator[Table]:
    """People's labels, and their agreement with each other and with the automatic ones."""
    yield _labels_table(results)
    yield annotator_agreement.people_table(
        annotator_agreement.annotator_pairs(results.frame), _FACETS
    )
    pairs = _pairs(results)
    yield annotator_agreement.agreement_table(
        pairs,
        ("model", *_FACETS),
        name="automatic",
        title="Agreement of people with the automatic label",
        notes=(*filter(None, (results.ties_note,)), *annotator_agreement.NOTES),
    )
    yield annotator_agreement.confusion_table(
        pairs, (SAME, OTHER_GENDER, NONE), (SAME, OTHER_GENDER, NONE), results.ties_note
    )


def _told(frame: polars.DataFrame) -> polars.DataFrame:
    """The labels that say something."""
    import polars as pl

    return frame.filter(pl.col("label").cast(pl.String) != UNCLEAR)


def _pairs(results: Answered) -> polars.DataFrame:
    """One row per translation: people's label `a` and the suite's `b`."""
    return annotator_agreement.pairs_with_automatic(_told(results.decided), results.automatic)


def _share(frame: polars.DataFrame, label: str, column: str = "label") -> Estimate:
    import polars as pl

    return share(frame, pl.col(column).cast(pl.String) == label)


def _labels_table(results: Answered) -> Table:
    found = annotator_agreement.majority_labels(results.decided)
    told = _pairs(results)
    rows = []
    for model in distinct_values(found, "model"):
        parts = [("all", told)]
        parts += [(each, rows_where(told, gender=each)) for each in distinct_values(told, "gender")]
        for name, part in parts:
            mine = rows_where(part, model=model)
            cells = [_share(mine, label, "a") for label in (SAME, OTHER_GENDER, NONE)]
            rows.append(
                Row(
                    keys=(model, name),
                    cells=(Estimate(value=len(mine)), *cells, _share(mine, SAME, "b")),
                )
            )
    unclear = len(found) - len(told)
    return Table(
        name="labels",
        title="The gender that people find in translations",
        levels=("model", "gender"),
        columns=(
            Column(name="n", unit="count"),
            *(Column(name=label) for label in (SAME, OTHER_GENDER, NONE)),
            Column(name="same automatically"),
        ),
        rows=tuple(rows),
        notes=(
            "A translation that several people judged counts once, with the label that most of "
            f"them gave. {results.ties_note}".rstrip(),
            f"Left out because people cannot tell: {unclear}. The row `all` describes the sample, "
            "which has equal numbers of both genders, not the run. Intervals are over groups.",
        ),
    )


kind = StudyKind(
    study=study,
    candidates=candidates,
    sample=stratified(PER_CELL),
    for_items=in_language_of_items,
    judge=judge,
    automatic=automatic,
    metrics=metrics,
    tables=tables,
    checks=checks,
)
