"""What each person said of what, as labels that can be compared.

How an answer becomes a label depends on its question:

- a choice is its id, a text its letters with every run of blanks counted as one;
- tags are one label as a whole set, and for each option whether it was given;
- marks give each word of the text a label: what it was called, or nothing.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, TypeAlias

from epicene.languages.segment import words
from epicene.studies import Mark, Note, Span, Tag, Write
from epicene.studies.responses import canonical, choices, comparable, is_asked

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import polars

    from epicene.studies import AnswerValue, Question, Response, StudyItem

# Of what of a question: "" for all of it, or one of its tags.
Part: TypeAlias = str


def parts(question: Question) -> tuple[Part, ...]:
    """Of what the agreement is told; a remark has none."""
    if isinstance(question, Note):
        return ()
    return ("", *choices(question)) if isinstance(question, Tag) else ("",)


def is_listed(question: Question, part: Part) -> bool:
    """Whether labels come from a fixed list, so that two may be the same by chance."""
    return bool(part) or not isinstance(question, Tag | Write)


def shared(responses: Iterable[Response], items: Mapping[str, StudyItem]) -> list[Response]:
    """The responses to those of the items that more than one person judged."""
    own = [response for response in responses if response.item in items]
    given = Counter(response.item for response in own)
    return [response for response in own if given[response.item] > 1]


def ratings(
    question: Question,
    part: Part,
    responses: Iterable[Response],
    items: Mapping[str, StudyItem],
) -> polars.DataFrame:
    """A row for each label that a person gave, with the columns of people's judgements.

    Those are `item`, `group`, `person`, `name` and `label`, as in `epicene.suites.people`. Of
    marks, `item` is a word; `of` is the item itself. Who was not asked gave no label.
    """
    import polars as pl

    places: dict[str, list[tuple[int, int]]] = {}
    rows: dict[str, list[str]] = {"of": [], "group": [], "person": []}
    labels: list[str | list[str]] = []
    for response in responses:
        answer = answer_of(question, response.answers)
        if answer is None:
            continue
        item = items[response.item]
        rows["of"].append(item.id)
        rows["group"].append(group_of(item))
        rows["person"].append(response.participant)
        if isinstance(question, Mark):
            if item.id not in places:
                found = words(item.fields[question.field], item.language)
                places[item.id] = [(word.start, word.end) for word in found]
            labels.append(_marked(places[item.id], answer))
        else:
            labels.append(_label(answer, part))
    kind = pl.List(pl.String) if isinstance(question, Mark) else pl.String()
    frame = pl.DataFrame(rows, schema=dict.fromkeys(rows, pl.String)).with_columns(
        pl.Series("label", labels, kind), pl.lit(part).alias("name"), pl.col("of").alias("item")
    )
    return _by_word(frame) if isinstance(question, Mark) else frame


def _by_word(frame: polars.DataFrame) -> polars.DataFrame:
    import polars as pl

    numbered = frame.with_columns(pl.int_ranges(pl.col("label").list.len()).alias("word"))
    whole = numbered.filter(pl.col("label").list.len() > 0).explode("label", "word")
    return whole.with_columns(pl.concat_str("item", "word", separator=" ")).drop("word")


def group_of(item: StudyItem) -> str:
    """What is resampled together: the versions of one thing."""
    return item.group or item.id


def answer_of(question: Question, answers: Mapping[str, AnswerValue]) -> AnswerValue | None:
    """What was answered; an optional list that was left out says that there is none."""
    answer = answers.get(question.id)
    # One that had to be answered and was not came into the study after the response.
    optional = isinstance(question, Tag | Mark) and not question.required
    return () if answer is None and optional and is_asked(question, answers) else answer


def _label(answer: AnswerValue, part: Part) -> str:
    if part:
        return "yes" if part in answer else "no"
    if isinstance(answer, str):
        return str(comparable(answer))
    return ";".join(sorted(map(str, canonical(answer))))


def _marked(places: Sequence[tuple[int, int]], answer: AnswerValue) -> list[str]:
    """The label of each word; a mark touches every word of which it has a character."""
    touched: dict[int, set[str]] = {}
    for span in answer:
        assert isinstance(span, Span)
        for word, (start, end) in enumerate(places):
            if span.start < end and start < span.end:
                touched.setdefault(word, set()).add(span.label or "marked")
    labels = [""] * len(places)
    for word, names in touched.items():
        labels[word] = ";".join(sorted(names))
    return labels
