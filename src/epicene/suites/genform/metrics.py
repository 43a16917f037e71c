"""The metrics of genform, computed from judgements, with intervals over pairs.

SGA and GIoU are means over sentences, CGA is a ratio of sums; all three use only sentences with a
gendered term, unless the protocol includes neutral sentences. The two directions of a pair are one
group.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from epicene.core.records import Estimate
from epicene.stats import paired_agreement
from epicene.stats.tabulate import accuracy, distinct_values, rows_where, share
from epicene.suites.genform.ask import GENERATION, PROBABILITY, TRANSLATION
from epicene.suites.genform.gendered_terms import SPELLING_IGNORED, count_columns
from epicene.suites.genform.items import TARGETS
from epicene.suites.headline_metrics import FormatPairs, HeadlineMetric, accuracy_metric

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import polars
    from numpy.typing import NDArray

    from epicene.suites import Results
    from epicene.suites.genform.items import Gender
    from epicene.suites.genform.protocol import GenformProtocol
    from epicene.suites.genform.words import Tokenisation

    Array: TypeAlias = NDArray[Any]
    Measure: TypeAlias = "Callable[[AnswerArrays], Estimate]"
    Outcomes: TypeAlias = Results[GenformProtocol]

_NO_GENDERED_TERM = Estimate(value=None, why="no sentence here has a gendered term")


def generation_frame(
    frame: polars.DataFrame,
    protocol: GenformProtocol,
    *,
    words: Tokenisation | None = None,
    ignored: bool | None = None,
    neutral: bool | None = None,
) -> polars.DataFrame:
    """The rewritten sentences with their counts as right, terms, union and others_changed, and
    whether SGA and GIoU include the sentence (`scored`). The protocol decides which words are
    counted, whether spelling variants are ignored and whether neutral sentences are in, unless the
    arguments do.

    Groups are numbered here, once for every interval.
    """
    import polars as pl

    frame = of_format(frame, GENERATION)
    if not len(frame):
        return frame
    absent = [name for name in ("rule", "family") if name not in frame.columns]
    if ignored is None:
        ignored = protocol.spelling == "ignored"
    columns = {
        **count_columns(words or protocol.words, ignored=ignored),
        "others_changed": f"others_changed ({SPELLING_IGNORED})" if ignored else "others_changed",
    }
    with_neutral = protocol.neutral == "in" if neutral is None else neutral
    return frame.with_columns(
        *(pl.lit(None, dtype=pl.Categorical).alias(name) for name in absent),
        *(pl.col(column).alias(name) for name, column in columns.items()),
        pl.col("group").rank("dense").cast(pl.Int64),
        scored=(pl.col(columns["terms"]) > 0) | with_neutral,
    )


@dataclass(frozen=True)
class AnswerArrays:
    """Answers as arrays of equal length, an element for each answer."""

    group: Array
    masculine: Array  # whether that is the gender wanted
    right: Array
    terms: Array
    union: Array
    scored: Array  # whether SGA and GIoU include the sentence
    others_changed: Array
    undetected: Array
    cleaned: Array

    @classmethod
    def of(cls, answers: polars.DataFrame) -> AnswerArrays:
        """All answers of a frame that `generation_frame` made."""
        import polars as pl

        frame = answers.select(
            "group",
            "right",
            "terms",
            "union",
            "scored",
            pl.col("others_changed") > 0,
            masculine=pl.col("target").cast(pl.String) == "masculine",
            undetected=pl.col("outcome").cast(pl.String) == "undetected",
            cleaned=pl.col("cleaned").cast(pl.String) != "no",
        )
        return cls(**{name: frame[name].to_numpy() for name in _ARRAYS})

    def where(self, condition: Array) -> AnswerArrays:
        """The answers for which the condition holds."""
        return replace(self, **{name: getattr(self, name)[condition] for name in _ARRAYS})

    def __len__(self) -> int:
        return len(self.group)

    @cached_property
    def counted(self) -> AnswerArrays:
        """The answers that SGA and GIoU include: to sentences with a gendered term, or to all."""
        return self.where(self.scored)

    @cached_property
    def gendered(self) -> AnswerArrays:
        """The answers to sentences with a gendered term."""
        return self.where(self.terms > 0)

    @property
    def sga(self) -> Array:
        """The share of each sentence's gendered terms that are right; where there is none, 1 if
        the sentence is unchanged."""
        return self._shares(self.terms)

    @property
    def giou(self) -> Array:
        """Each sentence's right terms over the union of its terms and mismatches; where there is
        no term, 1 if the sentence is unchanged."""
        return self._shares(self.union)

    def _shares(self, below: Array) -> Array:
        import numpy as np

        unchanged = (self.union == 0).astype(float)
        shares: Array = np.divide(self.right, below, out=unchanged, where=self.terms > 0)
        return shares

    def mean(self, values: Array) -> Estimate:
        """The mean of values between 0 and 1."""
        return self.ratio(values, self.ones)

    def ratio(self, above: Array, below: Array) -> Estimate:
        """A ratio of sums between 0 and 1."""
        from epicene.stats.intervals import clustered_mean

        if not len(self):
            return _NO_GENDERED_TERM
        return clustered_mean(above, below, self.group, bounds=(0, 1))

    @cached_property
    def ones(self) -> Array:
        """A one for each answer: the denominators of a mean."""
        import numpy as np

        return np.ones(len(self))

    def share(self, flags: Array, why: str = "nothing was judged") -> Estimate:
        """The share of answers with a flag."""
        from epicene.stats.intervals import proportion

        if not len(self):
            return Estimate(value=None, why=why)
        return proportion(flags, groups=self.group)


_ARRAYS = tuple(field.name for field in fields(AnswerArrays))


def for_target(target: Gender, measure: Measure) -> Measure:
    """The measure in one direction, named by the target gender."""
    return lambda answers: measure(answers.where(answers.masculine == (target == "masculine")))


def sga(answers: AnswerArrays) -> Estimate:
    """The mean share of a sentence's gendered terms that are right."""
    answers = answers.counted
    return answers.mean(answers.sga)


def giou(answers: AnswerArrays) -> Estimate:
    """The mean of right terms over the union of terms and mismatches."""
    answers = answers.counted
    return answers.mean(answers.giou)


def cga(answers: AnswerArrays) -> Estimate:
    """The share of all gendered terms that are right."""
    answers = answers.gendered
    return answers.ratio(answers.right, answers.terms)


def delta_sga(answers: AnswerArrays) -> Estimate:
    """SGA towards the masculine minus SGA towards the feminine, of the same pairs."""
    from epicene.stats.intervals import clustered_difference

    answers = answers.counted
    masculine = answers.masculine.astype(float)
    if masculine.all() or not masculine.any():
        why = "there are answers in one direction only"
        return Estimate(value=None, why=why) if len(answers) else _NO_GENDERED_TERM
    feminine = 1 - masculine
    return clustered_difference(
        answers.sga * masculine,
        answers.sga * feminine,
        answers.group,
        first_denominators=masculine,
        second_denominators=feminine,
        bounds=(-1, 1),
    )


def interference(answers: AnswerArrays) -> Estimate:
    """SGA minus GIoU: the loss through changes that were not requested."""
    answers = answers.counted
    return answers.mean(answers.sga - answers.giou)


def others_changed(answers: AnswerArrays) -> Estimate:
    """The share of answers in which a word that is not the speaker's has another form."""
    return answers.share(answers.others_changed)


def left_alone(answers: AnswerArrays) -> Estimate:
    """The share of sentences without a gendered term whose words were all left as they are."""
    neutral = answers.where(answers.terms == 0)
    return neutral.share(neutral.union == 0, "every sentence here has a gendered term")


def exact(answers: AnswerArrays) -> Estimate:
    """The share of sentences with a gendered term that are word for word as they should be."""
    answers = answers.gendered
    return answers.share(answers.right == answers.union, _NO_GENDERED_TERM.why)


def undetected(answers: AnswerArrays) -> Estimate:
    """The share of answers that are not a version of the sentence."""
    return answers.share(answers.undetected)


def cleaned(answers: AnswerArrays) -> Estimate:
    """The share of answers that had a fence, a label or quotes around the sentence."""
    return answers.share(answers.cleaned)


# --- the other formats -----------------------------------------------------------------------

ASSUMED_GENDERS = ("masculine", "feminine", "mixed", "undetected")


def of_format(frame: polars.DataFrame, name: str) -> polars.DataFrame:
    """The judgements of one format."""
    import polars as pl

    return frame.filter(pl.col("format") == name)


def probability_judgements(frame: polars.DataFrame) -> polars.DataFrame:
    """The judgements by probability, by the protocol's measure."""
    import polars as pl

    return of_format(frame, PROBABILITY).filter(~pl.col("name").cast(pl.String).str.ends_with(")"))


def translation_judgements(frame: polars.DataFrame) -> polars.DataFrame:
    """The translations whose gender could be read: those into a language with a rewriter."""
    import polars as pl

    return of_format(frame, TRANSLATION).filter(pl.col("label") != "unknown")


def paired_formats(frame: polars.DataFrame) -> polars.DataFrame:
    """Right by probability and by writing, for each pair and direction."""
    return paired_agreement.paired_outcomes(
        probability_judgements(frame), of_format(frame, GENERATION), on=("model", "item", "target")
    )


def translation_metrics(frame: polars.DataFrame) -> dict[str, Estimate]:
    """How often each gender was assumed."""
    import polars as pl

    read = translation_judgements(frame)
    if not len(read):
        return {}
    return {f"assumed_{name}": share(read, pl.col("label") == name) for name in ASSUMED_GENDERS}


def all_metrics(results: Outcomes) -> Mapping[str, Estimate]:
    """The paper's metrics overall and by target, then those of the other formats."""
    frame = generation_frame(results.frame, results.protocol)
    found: dict[str, Estimate] = {}
    if len(frame):
        found |= _generation_metrics(results, frame)
    scored = probability_judgements(results.frame)
    if len(scored):
        found[f"accuracy_{PROBABILITY}"] = accuracy(scored)
        if len(frame):
            pairs = paired_formats(results.frame)
            found["agreement"] = paired_agreement.raw(pairs, clustered=True)
            found["mcc"] = paired_agreement.mcc(pairs, clustered=True)
    return found | translation_metrics(results.frame)


def _generation_metrics(results: Outcomes, frame: polars.DataFrame) -> dict[str, Estimate]:
    answers = AnswerArrays.of(frame)
    found: dict[str, Estimate] = {}
    for name, measure in (("SGA", sga), ("GIoU", giou), ("CGA", cga)):
        found[name] = measure(answers)
        found |= {f"{name}_{target}": for_target(target, measure)(answers) for target in TARGETS}
    found |= {
        "delta_SGA": delta_sga(answers),
        "interference": interference(answers),
        "others_changed": others_changed(answers),
        "left_alone": left_alone(answers),
        "exact": exact(answers),
        "cleaned": cleaned(answers),
        **_spelling_metrics(results, frame),
    }
    languages = distinct_values(frame, "language")
    for code in languages if len(languages) > 1 else ():
        mine = AnswerArrays.of(rows_where(frame, language=code))
        found |= {f"SGA_{code}": sga(mine), f"GIoU_{code}": giou(mine)}
    return found


def has_spelling(kind: str = "") -> polars.Expr:
    """Whether an answer has spelling variants, of one kind or of any."""
    import polars as pl

    kinds = pl.col("spelling").cast(pl.String).fill_null("no")
    return kinds.str.split("+").list.contains(kind) if kind else kinds != "no"


def _spelling_metrics(results: Outcomes, frame: polars.DataFrame) -> dict[str, Estimate]:
    """How many answers have spelling variants, and the scores under the other setting."""
    spelling = results.protocol.spelling
    other = AnswerArrays.of(
        generation_frame(results.frame, results.protocol, ignored=spelling != "ignored")
    )
    how = "as_written" if spelling == "ignored" else "spelling_ignored"
    return {
        "spelling_variants": share(frame, has_spelling()),
        f"GIoU_{how}": giou(other),
        f"others_changed_{how}": others_changed(other),
    }


def _sga_per_sentence(results: Outcomes) -> polars.DataFrame:
    """The sentences with a gendered term, with the share of their terms that are right."""
    import polars as pl

    frame = generation_frame(results.frame, results.protocol)
    if not len(frame):
        return frame
    counted = frame.filter(pl.col("scored"))
    unchanged = (pl.col("union") == 0).cast(pl.Float64)
    terms = pl.col("terms")
    score = pl.when(terms > 0).then(pl.col("right") / terms).otherwise(unchanged)
    return counted.with_columns(score.alias("score"))


def _sga(results: Outcomes) -> Estimate:
    frame = generation_frame(results.frame, results.protocol)
    if not len(frame):
        return Estimate(value=None, why="no sentence was rewritten")
    return sga(AnswerArrays.of(frame))


TERMS_RIGHT = "gendered terms right (SGA)"

HEADLINE_METRICS = (
    HeadlineMetric(
        name=TERMS_RIGHT,
        estimate=_sga,
        item_scores=_sga_per_sentence,
        chance=0.5,
        contrasts=("target",),
    ),
    accuracy_metric(
        "form of the wanted gender likelier",
        lambda results: probability_judgements(results.frame),
        chance=0.5,
        contrasts=("target",),
    ),
)

FORMAT_PAIRS = FormatPairs(
    "probability", "generation", "agreement", lambda results: paired_formats(results.frame)
)
