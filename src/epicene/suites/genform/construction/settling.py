"""Two people each, and a third where they differ.

What a person said of a sentence is a proposal: a choice, and the texts that come of it. Two
proposals are the same if their texts are, whatever the shape of quotation marks and the width of
spaces. A third person sees both and takes one of them, or writes another.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from epicene.errors import InputError
from epicene.languages.normalise import normalise
from epicene.records import digest
from epicene.studies.files import read_study
from epicene.studies.wording import in_languages

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from epicene.studies import Response, Study, StudyItem
    from epicene.suites.construction import Row

JUDGEMENTS = 2
FIRST, SECOND = "first", "second"


def study_of(name: str, language: str, items: Iterable[StudyItem], judgements: int) -> Study:
    """The study of that file with its items, in English and in the language of the set."""
    study = read_study(Path(__file__).parent / f"{name}.toml")
    return msgspec.structs.replace(
        in_languages(study, ("en", language)), items=tuple(items), judgements=judgements
    )


def one_line(text: object) -> str:
    """What a person wrote, without line breaks and double spaces."""
    return " ".join(str(text).split())


def with_proposals(
    rows: Iterable[Row],
    responses: Sequence[Response],
    propose: Callable[[Row, Response], Row],
) -> Iterator[Row]:
    """Each row with what its people proposed (`given`), and what more than half of them did
    (`agreed`)."""
    answers = _by_item(responses)
    for row in rows:
        given = [
            {"person": response.participant, **propose(row, response)}
            for response in answers[row["id"]]
        ]
        (commonest, count), *_ = Counter(_key(each["texts"]) for each in given).most_common()
        texts = next(each["texts"] for each in given if _key(each["texts"]) == commonest)
        yield {**row, "given": given, "agreed": texts if 2 * count > len(given) else None}


def open_questions(rows: Iterable[Row]) -> list[Row]:
    """The rows on which people did not agree."""
    return [row for row in rows if row["agreed"] is None]


def two_proposals(row: Row, seed: int) -> dict[str, Row]:
    """The two commonest proposals, in an order that says nothing of who made them."""
    commonest = Counter(_key(each["texts"]) for each in row["given"]).most_common(2)
    names = [key for key, _ in commonest]
    texts = {_key(each["texts"]): each["texts"] for each in row["given"]}
    names.sort(key=lambda key: digest(seed, row["id"], key))
    return {FIRST: texts[names[0]], SECOND: texts[names[1]]}


def settled(
    rows: Iterable[Row],
    responses: Sequence[Response],
    decide: Callable[[Row, Response], Row],
) -> Iterator[tuple[Row, Row, str]]:
    """Each row, the texts that hold, and who decided: both people, or a third."""
    answers = _by_item(responses)
    for row in rows:
        if row["agreed"] is not None:
            yield row, row["agreed"], "both"
        else:
            yield row, decide(row, _third(row, answers[row["id"]])), "third"


def _third(row: Row, responses: Sequence[Response]) -> Response:
    """The answer of somebody who is not one of those who disagree."""
    before = [each["person"] for each in row["given"]]
    for response in responses:
        if response.participant not in before:
            return response
    raise InputError(
        f"On {row['id']} {' and '.join(before)} disagree, and one of them decided; let somebody "
        "else answer it too, then run the same command again."
    )


def _by_item(responses: Iterable[Response]) -> dict[str, list[Response]]:
    answers: dict[str, list[Response]] = defaultdict(list)
    for response in responses:
        answers[response.item].append(response)
    return answers


def _key(texts: Row) -> tuple[tuple[str, str], ...]:
    return tuple((name, normalise(text, ("nfc", "quotes"))) for name, text in sorted(texts.items()))
