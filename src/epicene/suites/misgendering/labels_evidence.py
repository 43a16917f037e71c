"""Tables 8 and 9 of the paper: the texts behind the numbers."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from epicene.records import Column, Row, Table
from epicene.studies import Span
from epicene.suites import people
from epicene.suites.misgendering.labels import MISGENDERING, OF_THREE

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from epicene.studies import Response, StudyItem
    from epicene.suites.misgendering.protocol import MisgenderingProtocol
    from epicene.suites.studies import StudyResults

    Labelled = StudyResults[MisgenderingProtocol]

_LEVELS = ("dataset", "model", "setting", "text")
_READ = ("their pronouns", "beginning", "continuation")


def against_the_rule(results: Labelled) -> Table:
    """Where people and the first-pronoun rule do not say the same about misgendering."""
    import polars as pl

    pairs = people.with_automatic(results.settled, results.automatic)
    differ = pairs.filter((pl.col("name") == MISGENDERING) & (pl.col("a") != pl.col("b")))
    three = {
        item: (said, ruled)
        for item, said, ruled in pairs.filter(pl.col("name") == OF_THREE)
        .select("item", "a", "b")
        .iter_rows()
    }
    responses = _by_item(results.responses)
    rows = []
    for item in _in_order(results, set(differ["item"])):
        said, ruled = three[item.id]
        rows.append(
            Row(
                keys=_keys(item),
                cells=(
                    *_texts(item, item.fields["text"]),
                    item.fields["first_pronoun"],
                    ruled,
                    said,
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
        levels=_LEVELS,
        columns=_columns("first pronoun", "rule", "people", "tags", "notes"),
        rows=tuple(rows),
        notes=(f"{len(rows)} of {len(three)} texts that people labelled.",),
    )


def extraneous_words(results: Labelled) -> Table:
    """The gendered words that people marked, where they stand."""
    marked: dict[str, list[Response]] = {
        item: [each for each in given if each.answers.get("extraneous")]
        for item, given in _by_item(results.responses).items()
    }
    rows = []
    for item in _in_order(results, {name for name, given in marked.items() if given}):
        spans = sorted(
            {(span.start, span.end) for each in marked[item.id] for span in _spans(each)}
        )
        text = item.fields["text"]
        rows.append(
            Row(
                keys=_keys(item),
                cells=(
                    *_texts(item, bracketed(text, spans)),
                    _joined(text[start:end] for start, end in spans),
                    _joined(str(each.answers["outcome"]) for each in marked[item.id]),
                    item.fields["automatic_extraneous"],
                ),
            )
        )
    return Table(
        name="9",
        title="Extraneous gendered words in context",
        levels=_LEVELS,
        columns=_columns("words", "outcome", "in the lexicon"),
        rows=tuple(rows),
        notes=(
            f"{len(rows)} of {len(marked)} texts that people labelled. [Brackets] enclose what "
            "somebody marked; the outcome is that of those who did.",
        ),
    )


def bracketed(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """The text with brackets around the spans; those that overlap become one."""
    pieces, reached = [], 0
    for start, end in _merged(spans):
        pieces += [text[reached:start], "[", text[start:end], "]"]
        reached = end
    return "".join([*pieces, text[reached:]])


def _merged(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _spans(response: Response) -> list[Span]:
    return [span for span in response.answers.get("extraneous", ()) if isinstance(span, Span)]


def _by_item(responses: Iterable[Response]) -> dict[str, list[Response]]:
    found: dict[str, list[Response]] = defaultdict(list)
    for response in responses:
        found[response.item].append(response)
    return dict(found)


def _in_order(results: Labelled, wanted: set[str]) -> list[StudyItem]:
    return sorted((item for item in results.study.items if item.id in wanted), key=_keys)


def _keys(item: StudyItem) -> tuple[str, ...]:
    return item.fields["dataset"], item.fields["model"], item.fields["setting"], item.id


def _texts(item: StudyItem, continuation: str) -> tuple[str, ...]:
    return item.fields["pronouns"], item.fields["context"], continuation


def _joined(texts: Iterable[str]) -> str:
    """The different texts, those that are empty left out."""
    return "; ".join(dict.fromkeys(text for text in texts if text))


def _columns(*names: str) -> tuple[Column, ...]:
    return tuple(Column(name=name, unit="text") for name in (*_READ, *names))
