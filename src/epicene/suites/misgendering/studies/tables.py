"""Tables of the study `labels`: agreement, the labels, and example texts (Tables 8 and 9)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.core.records import Column, Estimate, Row, Table
from epicene.stats import annotator_agreement, paired_agreement
from epicene.stats.tabulate import parts_by, rows_where, share
from epicene.studies.design.answers import responses_by_item
from epicene.studies.design.schema import Span
from epicene.suites.misgendering.continuations import bracket_spans
from epicene.suites.misgendering.metrics import is_own, pronouns_of
from epicene.suites.misgendering.published import NOT_PRINTED
from epicene.suites.misgendering.studies.labels import (
    DESIGN,
    EXTRANEOUS,
    MISGENDERING,
    OUTCOME,
    OUTCOMES,
    TAGS,
    THREE_WAY_OUTCOME,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    import polars

    from epicene.studies.design.schema import Response, StudyItem
    from epicene.suites.misgendering.protocol import MisgenderingProtocol
    from epicene.suites.studies import StudyResults

    Labelled = StudyResults[MisgenderingProtocol]

_EXAMPLE_LEVELS = ("dataset", "model", "setting", "text")
_TEXT_COLUMNS = ("their pronouns", "beginning", "continuation")


def rule_disagreement_table(results: Labelled) -> Table:
    """The texts on which people and the first-pronoun rule disagree about misgendering."""
    import polars as pl

    pairs = annotator_agreement.pairs_with_automatic(results.decided, results.automatic)
    differ = pairs.filter((pl.col("name") == MISGENDERING) & (pl.col("a") != pl.col("b")))
    three = {
        item: (by_people, by_rule)
        for item, by_people, by_rule in pairs.filter(pl.col("name") == THREE_WAY_OUTCOME)
        .select("item", "a", "b")
        .iter_rows()
    }
    responses = responses_by_item(results.responses)
    rows = []
    for item in _in_order(results, set(differ["item"])):
        by_people, by_rule = three.get(item.id, ("", ""))  # of three people may be divided
        rows.append(
            Row(
                keys=_keys(item),
                cells=(
                    *_texts(item, item.fields["text"]),
                    item.fields["first_pronoun"],
                    by_rule,
                    by_people,
                    _joined(
                        str(tag)
                        for each in responses[item.id]
                        for tag in each.answers.get("tags", ())
                    ),
                    _joined(str(each.answers.get("notes", "")) for each in responses[item.id]),
                ),
            )
        )
    return Table(
        name="8",
        title="Texts on which people and the first-pronoun rule disagree",
        levels=_EXAMPLE_LEVELS,
        columns=_columns("first pronoun", "rule", "people", "tags", "notes"),
        rows=tuple(rows),
        notes=(f"{len(rows)} of {len(three)} texts that people labelled.",),
    )


def extraneous_word_table(results: Labelled) -> Table:
    """The gendered words that people marked, in context."""
    marked: dict[str, list[Response]] = {
        item: [each for each in responses if each.answers.get("extraneous")]
        for item, responses in responses_by_item(results.responses).items()
    }
    rows = []
    for item in _in_order(results, {name for name, responses in marked.items() if responses}):
        spans = sorted(
            {(span.start, span.end) for each in marked[item.id] for span in _spans(each)}
        )
        text = item.fields["text"]
        rows.append(
            Row(
                keys=_keys(item),
                cells=(
                    *_texts(item, bracket_spans(text, spans)),
                    _joined(text[start:end] for start, end in spans),
                    _joined(str(each.answers["outcome"]) for each in marked[item.id]),
                    item.fields["automatic_extraneous"],
                ),
            )
        )
    return Table(
        name="9",
        title="Extraneous gendered words in context",
        levels=_EXAMPLE_LEVELS,
        columns=_columns("words", "outcome", "in the lexicon"),
        rows=tuple(rows),
        notes=(
            f"{len(rows)} of {len(marked)} texts that people labelled. [Brackets] enclose what "
            "somebody marked; the outcome is that of those who did.",
        ),
    )


def _spans(response: Response) -> list[Span]:
    return [span for span in response.answers.get("extraneous", ()) if isinstance(span, Span)]


def _in_order(results: Labelled, wanted: set[str]) -> list[StudyItem]:
    return sorted((item for item in results.study.items if item.id in wanted), key=_keys)


def _keys(item: StudyItem) -> tuple[str, ...]:
    return item.fields["dataset"], item.fields["model"], item.fields["setting"], item.id


def _texts(item: StudyItem, continuation: str) -> tuple[str, ...]:
    return item.fields["pronouns"], item.fields["context"], continuation


def _joined(texts: Iterable[str]) -> str:
    """The distinct texts that are not empty."""
    return "; ".join(dict.fromkeys(text for text in texts if text))


def _columns(*names: str) -> tuple[Column, ...]:
    return tuple(Column(name=name, unit="text") for name in (*_TEXT_COLUMNS, *names))


# Section 6 of the paper: raw agreement of two people on 200 texts.
PUBLISHED_AGREEMENT = {OUTCOME: 0.96, EXTRANEOUS: 0.98}
_PUBLISHED_TEXTS = 200

_LEVELS = ("judgement", "facet", "of")


def all_metrics(results: Labelled) -> Mapping[str, Estimate]:
    """The share of misgendering, and how people agree with each other and with the rule."""
    clustered = is_clustered(results)
    both = annotator_agreement.annotator_pairs(results.frame)
    beside = annotator_agreement.pairs_with_automatic(results.decided, results.automatic)
    made: dict[str, Estimate] = {
        "misgendering": share(
            of_judgement(annotator_agreement.majority_labels(results.decided), MISGENDERING),
            label_is("yes"),
        )
    }
    for name, key in ((OUTCOME, "people"), (EXTRANEOUS, "people_extraneous")):
        pairs = of_judgement(both, name)
        made[f"agreement_{key}"] = paired_agreement.raw(pairs, clustered=clustered)
        made[f"kappa_{key}"] = paired_agreement.kappa(pairs, clustered=clustered)
    for name, key in ((MISGENDERING, "automatic"), (EXTRANEOUS, "automatic_extraneous")):
        pairs = of_judgement(beside, name)
        made[f"agreement_{key}"] = paired_agreement.raw(pairs, clustered=clustered)
        made[f"mcc_{key}"] = paired_agreement.mcc(pairs, clustered=clustered)
    return made


def tables(results: Labelled) -> Iterator[Table]:
    """Agreement, the labels themselves, and example texts."""
    yield between_people_table(results)
    yield automatic_agreement_table(results)
    yield rule_confusion_table(results)
    yield label_table(results)
    yield rule_disagreement_table(results)
    yield extraneous_word_table(results)


def is_clustered(results: Labelled) -> bool:
    """Whether intervals are over templates; the paper's assume independent texts."""
    return results.protocol.name != "paper"


# --- agreement -------------------------------------------------------------------------------


def between_people_table(results: Labelled) -> Table:
    """Agreement of people with each other on the same texts."""
    pairs = annotator_agreement.annotator_pairs(results.frame)
    own = is_own(results.frame)
    rows: list[Row] = []
    for name in (OUTCOME, MISGENDERING, EXTRANEOUS, *_given_tags(results.frame)):
        first, *others = annotator_agreement.by_judgement(
            pairs, (name,), () if name in TAGS else DESIGN, clustered=is_clustered(results)
        )
        rows += [first, *(() if own else _published_row(name)), *others]
    return Table(
        name="people",
        title="Agreement of people with each other",
        levels=_LEVELS,
        columns=annotator_agreement.COLUMNS,
        rows=tuple(rows),
        notes=(
            "Texts that two people or more labelled, every two of them a pair"
            f"{'' if own else f'; the paper had {_PUBLISHED_TEXTS} such texts'}.",
            *annotator_agreement.PAIR_NOTES,
            _interval_note(results),
        ),
    )


def automatic_agreement_table(results: Labelled) -> Table:
    """Agreement of people with the labels by first pronoun and lexicon."""
    pairs = annotator_agreement.pairs_with_automatic(results.decided, results.automatic)
    names = (MISGENDERING, THREE_WAY_OUTCOME, EXTRANEOUS)
    rows = annotator_agreement.by_judgement(pairs, names, DESIGN, clustered=is_clustered(results))
    return Table(
        name="automatic",
        title="Agreement of people with the automatic labels",
        levels=_LEVELS,
        columns=annotator_agreement.COLUMNS,
        rows=tuple(rows),
        notes=(
            "Misgendering or not"
            f"{'' if is_own(results.frame) else ' is what the paper compares'}: a text without a "
            "pronoun has none. Of three outcomes, a plural they counts as no pronoun.",
            _ties_note(results),
            *annotator_agreement.NOTES,
            _interval_note(results),
        ),
    )


def rule_confusion_table(results: Labelled) -> Table:
    """Numbers of texts by people's outcome and that of the first-pronoun rule."""
    import polars as pl

    people = rows_where(results.decided, name=OUTCOME)
    rule = rows_where(results.automatic, name=THREE_WAY_OUTCOME).with_columns(name=pl.lit(OUTCOME))
    pairs = annotator_agreement.pairs_with_automatic(people, rule)
    return annotator_agreement.confusion_table(
        pairs,
        OUTCOMES,
        ("correct", "misgendering", "no-pronoun"),
        results.ties_note_of(OUTCOME),
    )


def _ties_note(results: Labelled) -> str:
    """How a text that several people labelled counts."""
    once = "A text that several labelled counts once, by the label that most of them gave"
    return f"{once}. {results.ties_note}".rstrip()


def _published_row(name: str) -> Iterator[Row]:
    """The paper's row: raw agreement and nothing else."""
    if name in PUBLISHED_AGREEMENT:
        value = Estimate(value=PUBLISHED_AGREEMENT[name], n=_PUBLISHED_TEXTS)
        cells = (value, *(NOT_PRINTED for _ in annotator_agreement.COLUMNS[1:]))
        yield Row(
            keys=(name, annotator_agreement.ALL, "the paper"), cells=cells, origin="published"
        )


def _interval_note(results: Labelled) -> str:
    if is_clustered(results):
        return "Intervals are over templates."
    return "Intervals assume independent texts."


# --- the labels themselves -------------------------------------------------------------------


def label_table(results: Labelled) -> Table:
    """People's labels by model, dataset, setting and pronoun."""
    found = annotator_agreement.majority_labels(results.decided)
    levels = ("model", "dataset", "setting")
    flags = (EXTRANEOUS, *_given_tags(found))
    rows = []
    for keys, part in parts_by(found, *levels):
        for pronoun in pronouns_of(part):
            mine = rows_where(part, pronoun=pronoun)
            cells = [share(of_judgement(mine, OUTCOME), label_is(label)) for label in OUTCOMES]
            cells += [share(of_judgement(mine, name), label_is("yes")) for name in flags]
            rows.append(Row(keys=(*keys, pronoun), cells=tuple(cells)))
    return Table(
        name="labels",
        title="Continuations as people labelled them",
        levels=(*levels, "pronoun"),
        columns=tuple(Column(name=name) for name in (*OUTCOMES, *flags)),
        rows=tuple(rows),
    )


def _given_tags(frame: polars.DataFrame) -> list[str]:
    """The tags that people could give: external labels have none."""
    names = set(frame["name"])
    return [tag for tag in TAGS if tag in names]


def of_judgement(frame: polars.DataFrame, name: str) -> polars.DataFrame:
    """The judgements, or pairs of them, of that name."""
    return rows_where(frame, name=name)


def label_is(label: str) -> polars.Expr:
    """Whether the label is that one."""
    import polars as pl

    return pl.col("label") == label
