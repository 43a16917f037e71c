"""Studies of rewritten sentences: people's judgements, the suite's scores, and the tables.

People say whether a rewriting is correct, fits each person it should fit and means the same, and
what else was changed. Each of these is a judgement with a label, and so is the suite's own if it
has one: `RewritingStudy.judge` and `.automatic` are the two sides of every comparison, paired by
name. People may also rate rewritings from 1 to 5, which has no automatic counterpart.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from epicene.core.records import Column, Estimate, Judgement, Row, Table
from epicene.stats import annotator_agreement, paired_agreement
from epicene.stats.agreement import krippendorff
from epicene.stats.tabulate import distinct_values, mean, parts_by, rows_where, share
from epicene.suites.studies import judgement_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import polars

    from epicene.core.records import Outcome
    from epicene.studies.design.schema import AnswerValue, Response, StudyItem
    from epicene.suites.studies import StudyResults

    Answered: TypeAlias = StudyResults[Any]

# The names of the judgements, beside one for each person; `right` is all of the others together.
RIGHT, GRAMMATICAL, MEANING, UNTOUCHED = ("right", "grammatical", "meaning", "nothing else changed")

YES, NO, NONE = LABELS = ("yes", "no", "none")  # none: no word shows the person's gender

# From the worst to the best.
RATINGS = ("1", "2", "3", "4", "5")

PER_CELL = 10


def yes_or_no(flag: bool) -> str:
    """A label that is true or false."""
    return YES if flag else NO


def automatic_field(name: str) -> str:
    """The hidden field of an item with the suite's own label for a judgement of people."""
    return "automatic" if name == RIGHT else f"automatic {name}"


@dataclass(frozen=True)
class RewritingStudy:
    """The persons that a rewriting should fit, by the ids of their questions, and the hidden fields
    by which tables are broken down."""

    persons: tuple[str, ...]
    facets: tuple[str, ...]
    reference_note: str  # when a rewriting is right automatically, as a sentence
    rating: str = ""  # the id of the question with a rating, if there is one

    @property
    def parts(self) -> tuple[str, ...]:
        """The judgements that make up `right`."""
        return (GRAMMATICAL, *self.persons, MEANING, UNTOUCHED)

    def labels(self, answers: Mapping[str, AnswerValue]) -> dict[str, str]:
        """What a person said, by the names of judgements."""
        labels = {name: str(answers[name]) for name in (GRAMMATICAL, *self.persons, MEANING)}
        labels[UNTOUCHED] = yes_or_no(not answers.get("changes"))
        return {RIGHT: yes_or_no(NO not in labels.values()), **labels}

    # --- judging -----------------------------------------------------------------------------

    def judge(self, item: StudyItem, response: Response) -> Iterator[Judgement]:
        """A person's judgements: each question, and whether everything is as it should be."""
        for name, label in self.labels(response.answers).items():
            yield self._judgement(item, name, label)
        if self.rating:
            rated = str(response.answers[self.rating])
            yield self._judgement(item, self.rating, rated, float(rated))

    def automatic(self, item: StudyItem) -> Iterator[Judgement]:
        """The suite's own labels, as far as the item has them."""
        for name in (RIGHT, *self.parts):
            if automatic_field(name) in item.fields:
                yield self._judgement(item, name, item.fields[automatic_field(name)])

    def _judgement(
        self, item: StudyItem, name: str, label: str, value: float | None = None
    ) -> Judgement:
        outcome: Outcome | None = None
        if name == RIGHT:
            outcome = "right" if label == YES else "wrong"
        facets = (*self.facets, "automatic")
        return judgement_of(item, name, label, outcome, value=value, facets=facets)

    # --- tables ------------------------------------------------------------------------------

    def metrics(self, results: Answered) -> Mapping[str, Estimate]:
        """The share that people judge right, and how far they agree with each other and with the
        automatic scores."""
        decided = _decided(results)
        right = rows_where(annotator_agreement.majority_labels(decided), name=RIGHT)
        people = rows_where(annotator_agreement.annotator_pairs(results.frame), name=RIGHT)
        own = annotator_agreement.pairs_with_automatic(decided, results.automatic)
        own = rows_where(own, name=RIGHT)
        found = {
            "right": _share(right),
            "right_automatic": _share(right, "automatic"),
            "agreement_people": paired_agreement.raw(people, clustered=True),
            "agreement_automatic": paired_agreement.raw(own, clustered=True),
        }
        if self.rating:
            rated = rows_where(results.frame, name=self.rating)
            mean_rating, high, *_ = _rating_cells(rated)
            found |= {self.rating: mean_rating, f"{self.rating}_4_or_5": high}
        return found

    def tables(self, results: Answered) -> Iterator[Table]:
        """People's labels, and their agreement with each other and with the automatic ones."""
        yield self._labels_table(results)
        if self.rating:
            yield self._rating_table(results)
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
                for name in (RIGHT, *self.parts)
            ),
            notes=("Rewritings that two or more people judged.", *annotator_agreement.PAIR_NOTES),
        )
        own = annotator_agreement.pairs_with_automatic(_decided(results), results.automatic)
        yield annotator_agreement.agreement_table(
            rows_where(own, name=RIGHT),
            ("model", *self.facets),
            name="automatic",
            title="Agreement of people with the automatic score",
            notes=(self.reference_note, *annotator_agreement.NOTES),
        )
        yield self._confusion_table(results, own)

    def _parts(self, frame: polars.DataFrame) -> Iterator[tuple[tuple[str, str], polars.DataFrame]]:
        """All judgements of each model, then those of each value of each facet."""
        for (model,), mine in parts_by(frame, "model"):
            yield (model, "all"), mine
            for facet in reversed(self.facets):
                for (value,), part in parts_by(mine, facet):
                    yield (model, value), part

    def _rating_table(self, results: Answered) -> Table:
        """People's ratings, of all rewritings and by facet."""
        found = rows_where(results.frame, name=self.rating)
        rows = []
        for keys, part in self._parts(found):
            count = Estimate(value=part["item"].n_unique())
            rows.append(Row(keys=keys, cells=(count, *_rating_cells(part))))
        return Table(
            name="ratings",
            title=f"People's ratings: {self.rating}",
            levels=("model", "rewritings"),
            columns=(
                Column(name="n", unit="count"),
                Column(name="mean", unit="number", decimals=2),
                Column(name="4 or 5"),
                Column(name="1 or 2"),
                Column(name="α", unit="number", decimals=3),
            ),
            rows=tuple(rows),
            notes=(
                "Every rating counts, from 1 (worst) to 5 (best); ratings are not settled. α is "
                "Krippendorff's, for ordered labels, of rewritings that two or more people rated. "
                "Intervals are clustered by group of forms.",
            ),
        )

    def _confusion_table(self, results: Answered, pairs: polars.DataFrame) -> Table:
        """How many rewritings people label one way and the suite another, by judgement."""
        there = set(distinct_values(results.automatic, "name"))
        ties = _ties(results)
        rows = []
        for name in (each for each in (RIGHT, *self.parts) if each in there):
            part = rows_where(pairs, name=name)
            for label in LABELS if name in self.persons else (YES, NO):
                counts = [len(rows_where(part, a=label, b=other)) for other in LABELS]
                rows.append(Row(keys=(name, label), cells=tuple(Estimate(value=n) for n in counts)))
        left_out = ", ".join(f"{name} {ties[name]}" for name in ties if name in there)
        return Table(
            name="confusion",
            title="People's judgements (rows) and automatic scores (columns)",
            levels=("judgement", "people"),
            columns=tuple(Column(name=f"automatically {label}", unit="count") for label in LABELS),
            rows=tuple(rows),
            notes=(
                "Rewritings of the sample, each with the label that most people gave. Ties "
                f"are left out: {left_out or 'none'}.",
            ),
        )

    def _labels_table(self, results: Answered) -> Table:
        decided = _decided(results)
        undecided = results.adjudicated["item"].n_unique() - decided["item"].n_unique()
        found = annotator_agreement.majority_labels(decided)
        rows = [Row(keys=keys, cells=self._label_cells(part)) for keys, part in self._parts(found)]
        names = (*self.parts, "right", "right automatically", "right though not the reference")
        return Table(
            name="labels",
            title="Rewritings as people judged them",
            levels=("model", "rewritings"),
            columns=(Column(name="n", unit="count"), *(Column(name=name) for name in names)),
            rows=tuple(rows),
            notes=(
                "A rewriting that several people judged counts once, with the label that most of "
                f"them gave; {undecided}, which as many judged right as not, are left out until "
                "they are adjudicated (`epicene annotate adjudicate`). A person whose gender is "
                "not shown by any word counts as fitting. Right means all "
                f"{_NUMBERS[len(self.parts)]} together; the last column is the share of right "
                "ones among those that differ from the reference. Empty rewritings are left out. "
                "The row `all` describes the sample, not the run; in the sample, equally many "
                "sentences are to be left as they are and to be changed. Intervals are clustered "
                "by group of forms.",
            ),
        )

    def _label_cells(self, frame: polars.DataFrame) -> tuple[Estimate, ...]:
        right = rows_where(frame, name=RIGHT)
        return (
            Estimate(value=len(right), n=len(right)),
            *(_share(rows_where(frame, name=name)) for name in self.parts),
            _share(right),
            _share(right, "automatic"),
            _share(rows_where(right, automatic=NO)),
        )


_NUMBERS = {4: "four", 5: "five"}


def _rating_cells(frame: polars.DataFrame) -> tuple[Estimate, ...]:
    """The mean, the shares of high and of low ratings, and agreement."""
    import polars as pl

    label = pl.col("label").cast(pl.String)
    labels, groups = annotator_agreement.labels_by_item(frame)
    return (
        mean(frame, bounds=(1, len(RATINGS))),
        share(frame, label.is_in(RATINGS[-2:])),
        share(frame, label.is_in(RATINGS[:2])),
        krippendorff(labels, groups, metric="ordinal", order=RATINGS),
    )


def _decided(results: Answered) -> polars.DataFrame:
    """The judgements without ties, of the rewritings that more people found right than not, or
    fewer."""
    import polars as pl

    frame = annotator_agreement.without_ties(results.adjudicated)
    return frame.filter((pl.col("name") == RIGHT).any().over("item"))


def _ties(results: Answered) -> dict[str, int]:
    """How many rewritings are left out of each judgement."""
    everything, decided = results.adjudicated, _decided(results)
    ties = {}
    for name in distinct_values(everything, "name"):
        judged, kept = (
            rows_where(frame, name=name)["item"].n_unique() for frame in (everything, decided)
        )
        if judged > kept:
            ties[name] = judged - kept
    return ties


def _share(frame: polars.DataFrame, column: str = "label") -> Estimate:
    """The share of labels that are not `no`."""
    import polars as pl

    return share(frame, pl.col(column).cast(pl.String) != NO)
