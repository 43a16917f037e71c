"""The study `image`: people say who is in an image, to validate the judges.

The sample has the same number of images from every stratum, so that there are enough on which the
judges disagree; estimates for the whole run weight each image by the size of its stratum.
"""

from __future__ import annotations

import hashlib
import json
import operator
from collections import Counter
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from epicene.core.errors import pluralise
from epicene.core.records import Column, Estimate, Judgement, Row, Table
from epicene.stats import annotator_agreement, paired_agreement
from epicene.stats.agreement import fleiss, krippendorff
from epicene.stats.intervals import clustered_mean
from epicene.stats.tabulate import distinct_values, group_codes, parts_by, rows_where
from epicene.studies.design.sampling import Candidate, item_id, stratified_sample
from epicene.studies.design.schema import StudyItem
from epicene.studies.exchange.study_files import read_study_definition
from epicene.suites.gramvis.counts import divergent_words, with_drawer
from epicene.suites.gramvis.items import CONTROLS, LABEL_OF_GRAMMAR, LABELS
from epicene.suites.gramvis.judge import (
    AGREEMENTS,
    MAJORITY,
    VOTE_PREFIX,
    judged_images,
    outcome_of,
)
from epicene.suites.gramvis.metrics import headline_name
from epicene.suites.studies import HeadlineCheck, StudyKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    import polars

    from epicene.studies.design.sampling import DesignCell, SamplingOptions
    from epicene.studies.design.schema import Response, Study
    from epicene.suites import Results
    from epicene.suites.gramvis.items import PromptItem
    from epicene.suites.gramvis.judge import JudgedImage
    from epicene.suites.gramvis.protocol import GramvisProtocol
    from epicene.suites.studies import Material, StudyResults

    Answered = StudyResults[GramvisProtocol]

GENDER = "gender"
_PRACTICE_PICTURES = Path(__file__).with_name("practice")

# Which judgements a row is about: the facet and its value.
_TABLE_FACETS = ("model", "language", "condition")
_LEVELS = ("facet", "of")
_COLUMNS = (
    Column(name="images", unit="count"),
    Column(name="agreement"),
    Column(name="κ", unit="number", decimals=3),
    Column(name="α", unit="number", decimals=3),
)
_CLUSTERED = "Intervals are clustered by word."
_UNWEIGHTED = Estimate(value=None, why="it is given of the sample only")


def metrics(results: Answered) -> Mapping[str, Estimate]:
    """Agreement of people with the judges and with each other."""
    pairs = _people_and_judges(results)
    labels, words = annotator_agreement.labels_by_item(results.frame)
    return {
        "agreement_judges": _weighted_agreement(pairs),
        **{
            f"agreement_{name.replace(' ', '_')}": _raw_agreement(rows_where(pairs, agreement=name))
            for name in AGREEMENTS
        },
        "alpha_people": krippendorff(labels, words),
    }


def tables(results: Answered) -> Iterator[Table]:
    """Agreement of people with each other and with the judges, and the labels of both."""
    yield _people_table(results)
    yield _judges_table(results)
    yield _each_judge_table(results)
    yield _confusion_table(results)


def _breakdowns(frame: polars.DataFrame) -> Iterator[tuple[tuple[str, str], polars.DataFrame]]:
    """All, then by how far the judges agreed, then by each facet."""
    yield (annotator_agreement.ALL, "the sample"), frame
    for name in AGREEMENTS:
        yield ("judges", name), rows_where(frame, agreement=name)
    for facet in _TABLE_FACETS:
        for (value,), part in parts_by(frame, facet):
            yield (facet, value), part


def _people_table(results: Answered) -> Table:
    rows = []
    for keys, part in _breakdowns(results.frame):
        labels, words = annotator_agreement.labels_by_item(part)
        raw = _raw_agreement(annotator_agreement.annotator_pairs(part))
        cells = (_count(len(labels)), raw, fleiss(labels, words), krippendorff(labels, words))
        rows.append(Row(keys=keys, cells=cells))
    return Table(
        name="people",
        title="Agreement of people with each other",
        levels=_LEVELS,
        columns=_COLUMNS,
        rows=tuple(rows),
        notes=(
            "Agreement is over all pairs of people who judged the same image; κ is Fleiss', α "
            f"Krippendorff's. {_CLUSTERED}",
        ),
    )


def _judges_table(results: Answered) -> Table:
    pairs = _people_and_judges(results)
    rows = [Row(keys=keys, cells=_agreement_cells(part)) for keys, part in _breakdowns(pairs)]
    whole = (_count(len(pairs)), _weighted_agreement(pairs), _UNWEIGHTED, _UNWEIGHTED)
    rows.insert(1, Row(keys=(annotator_agreement.ALL, "the run"), cells=whole))
    return Table(
        name="judges",
        title="Agreement of people with the judges",
        levels=_LEVELS,
        columns=_COLUMNS,
        rows=tuple(rows),
        notes=(
            "The label that most people gave an image, compared with the judges' label. "
            f"{_ties_note(results)}The sample has the same number of images from every "
            "stratum; in “the run”, each counts for as many images as its stratum has there. "
            "Images without a readable vote are left out. κ is Cohen's, α Krippendorff's. "
            + _CLUSTERED,
            "The paper's validation of 500 images: over 93 % where all judges agreed and "
            "almost 100 % where two did; the number of people is not given.",
        ),
    )


def _each_judge_table(results: Answered) -> Table:
    """Each judge's own votes next to people's labels."""
    import polars as pl

    seen = annotator_agreement.majority_labels(results.decided).with_columns(
        pl.col("label").alias("a")
    )
    names = [
        name for name in distinct_values(results.automatic, "name") if name.startswith(VOTE_PREFIX)
    ]
    rows = []
    for name in names:
        own = rows_where(results.automatic, name=name).select(
            "item", pl.col("label").cast(pl.String).alias("b")
        )
        pairs = seen.join(own, on="item", maintain_order="left").filter(pl.col("b").is_not_null())
        rows.append(Row(keys=(name.removeprefix(VOTE_PREFIX),), cells=_agreement_cells(pairs)))
    return Table(
        name="each judge",
        title="Agreement of people with each judge",
        levels=("judge",),
        columns=_COLUMNS,
        rows=tuple(rows),
        notes=(f"Computed on the sample. Unreadable votes are left out. {_CLUSTERED}",),
    )


def _confusion_table(results: Answered) -> Table:
    """Numbers of images by people's label and the judges' label."""
    pairs = _people_and_judges(results)
    rows = tuple(
        Row(
            keys=(label,),
            cells=tuple(_count(len(rows_where(pairs, a=label, b=other))) for other in LABELS),
        )
        for label in LABELS
    )
    return Table(
        name="labels",
        title="What people saw (rows) and what the judges said (columns)",
        levels=("people",),
        columns=tuple(Column(name=label, unit="count") for label in LABELS),
        rows=rows,
    )


def _people_and_judges(results: Answered) -> polars.DataFrame:
    """A row per image on which people are not split: their label `a` and the judges' `b`."""
    return annotator_agreement.pairs_with_automatic(
        results.decided, rows_where(results.automatic, name=GENDER)
    )


def _ties_note(results: Answered) -> str:
    left = results.adjudicated["item"].n_unique() - results.decided["item"].n_unique()
    ties = f"{pluralise(left, 'image')} for which no label has more votes than another"
    return f"Left out: {ties}. " if left else ""


def _agreement_cells(pairs: polars.DataFrame) -> tuple[Estimate, ...]:
    return (
        _count(len(pairs)),
        _raw_agreement(pairs),
        paired_agreement.kappa(pairs, clustered=True),
        paired_agreement.alpha(pairs, clustered=True),
    )


def _raw_agreement(pairs: polars.DataFrame) -> Estimate:
    return paired_agreement.raw(pairs, clustered=True)


def _weighted_agreement(pairs: polars.DataFrame) -> Estimate:
    """Raw agreement, each image weighted by how many of the run it represents."""
    if not len(pairs):
        return Estimate(value=None, why="no item was judged both ways")
    weights = pairs["weight"].to_numpy()
    same = (pairs["a"] == pairs["b"]).to_numpy()
    return clustered_mean(weights * same, weights, group_codes(pairs), bounds=(0, 1))


def _count(number: int) -> Estimate:
    return Estimate(value=number, n=number)


# The size of the paper's validation.
DEFAULT_TOTAL = 500

_CELL_FIELDS = ("language", "condition", "agreement")


def study(_protocol: GramvisProtocol) -> Study:
    """The instructions, questions and practice items of the study."""
    made = read_study_definition(Path(__file__).with_suffix(".toml"))
    practice = tuple(
        msgspec.structs.replace(item, fields={"image": _picture_name(item.fields["image"])})
        for item in made.practice
    )
    return msgspec.structs.replace(made, practice=practice)


def _picture_name(file: str) -> str:
    """The name of a practice picture in the study's folder: the hash of its content."""
    return hashlib.sha256((_PRACTICE_PICTURES / file).read_bytes()).hexdigest()


# --- sampling ---------------------------------------------------------------------------------


def candidates(material: Material[PromptItem, GramvisProtocol]) -> Iterator[Candidate]:
    """Every image that was returned, in cells of model, language, condition and the judges'
    agreement.

    At most one image of a prompt is drawn into a cell, so that the sample has many words.
    """
    item = material.item
    for image in judged_images(item, material.answers, material.protocol):
        if not image.sample.missing:
            picture, agreement = image.sample.item, image.majority.facets["agreement"]
            yield Candidate(
                cell=(material.model, picture.language, picture.condition, agreement),
                unit=item.id,
                name=f"{material.model}/{picture.id}",
                make=partial(_study_item, material.model, image),
                judged=(picture.id, MAJORITY),
                uncertain=partial(operator.ne, agreement, AGREEMENTS[0]),
            )


def _study_item(model: str, image: JudgedImage) -> StudyItem:
    sample, majority = image.sample, image.majority
    assert majority.name == MAJORITY
    picture = sample.item
    votes = {vote.name.removeprefix(VOTE_PREFIX): vote.label for vote in image.votes}
    return StudyItem(
        id=item_id(model, picture.id, sample.image.sha256),
        group=picture.cluster,
        fields={
            "image": sample.image.sha256,
            "model": model,
            "picture": picture.id,
            "word": picture.word,
            "language": picture.language,
            "grammar": picture.grammar,
            "condition": picture.condition,
            "template": picture.template,
            "shot": picture.shot,
            "label": majority.label or "",
            "agreement": majority.facets["agreement"],
            "votes": json.dumps(votes, ensure_ascii=False),
            "cluster": picture.cluster,
        },
    )


def draw(
    drawn_from: Iterable[Candidate], _protocol: GramvisProtocol, wanted: SamplingOptions
) -> tuple[StudyItem, ...]:
    """A sample of every cell, each image weighted by how many of its cell it represents."""
    if wanted.total is None and wanted.per_cell is None and not wanted.allocation:
        wanted = msgspec.structs.replace(wanted, total=DEFAULT_TOTAL)
    available = Counter(candidate.cell for candidate in drawn_from)
    items = stratified_sample(drawn_from, wanted)
    taken = Counter(_cell(item.fields) for item in items)
    weights = {cell: repr(available[cell] / number) for cell, number in taken.items()}
    return tuple(
        msgspec.structs.replace(item, fields=item.fields | {"weight": weights[_cell(item.fields)]})
        for item in items
    )


def _cell(fields: Mapping[str, str]) -> DesignCell:
    return tuple(fields[name] for name in ("model", *_CELL_FIELDS))


# --- judging ---------------------------------------------------------------------------------


def judge_response(item: StudyItem, response: Response) -> Iterator[Judgement]:
    """The gender that a person sees."""
    yield _judgement(item, GENDER, str(response.answers["shows"]))


def automatic(item: StudyItem) -> Iterator[Judgement]:
    """The gender by the judges' majority and by each judge; None if it was unreadable."""
    yield _judgement(item, GENDER, item.fields["label"] or None)
    for name, label in json.loads(item.fields["votes"]).items():
        yield _judgement(item, f"{VOTE_PREFIX}{name}", label)


def _judgement(item: StudyItem, name: str, label: str | None) -> Judgement:
    fields = item.fields
    return Judgement(
        item=item.id,
        group=fields["cluster"],
        language=fields["language"],
        name=name,
        label=label,
        outcome=outcome_of(label, fields["grammar"]),
        counts={"weight": float(fields["weight"])},
        facets={name: fields[name] for name in ("condition", "agreement")},
    )


# --- correcting the run's effects --------------------------------------------------------------


def checks(_results: Results[GramvisProtocol]) -> Iterator[HeadlineCheck]:
    """The effect of grammar by the genders that people see, image by image."""
    for grammar, own in LABEL_OF_GRAMMAR.items():
        yield HeadlineCheck(
            headline=headline_name(grammar),
            judgement=GENDER,
            judged=lambda item: (item.fields["picture"], MAJORITY),
            value=partial(_is_own_gender, own),
            counted=LABELS[:2].__contains__,
            rates=partial(_effect_rates, grammar, own),
        )


def _is_own_gender(own: str, label: str, _automatic: float, _item: StudyItem) -> float:
    return float(label == own)


def _effect_rates(
    grammar: str, own: str, results: Results[GramvisProtocol]
) -> list[tuple[int, polars.DataFrame]]:
    """Images of men and women: the share of the grammar's gender under the gendered prompt, minus
    that under the English one."""
    import polars as pl

    frame = divergent_words(with_drawer(results)).filter(
        (pl.col("name") == MAJORITY) & (pl.col("grammar") == grammar)
    )
    label = pl.col("label").cast(pl.String)
    counted = frame.with_columns(
        score=(label == own).fill_null(value=False).cast(pl.Float64),
        below=label.is_in(LABELS[:2]).fill_null(value=False).cast(pl.Float64),
    )
    return [
        (sign, counted.filter(pl.col("condition") == condition))
        for sign, condition in ((1, "gendered"), (-1, CONTROLS[0]))
    ]


kind: StudyKind[PromptItem, GramvisProtocol] = StudyKind(
    study=study,
    candidates=candidates,
    sample=draw,
    judge=judge_response,
    automatic=automatic,
    metrics=metrics,
    tables=tables,
    checks=checks,
    pictures=_PRACTICE_PICTURES,
)
