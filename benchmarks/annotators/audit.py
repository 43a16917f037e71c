"""Compare what the server confirmed to participants with what is stored."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from epicene.studies.design.schema import (
    ChoiceQuestion,
    MarksQuestion,
    NoteQuestion,
    Option,
    Study,
    StudyItem,
    TextPanel,
    judgements_wanted,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from annotators.person import Notes
    from epicene.studies.design.schema import Response

_WORDS = "Kim told the old man that she would meet his sister at her house in the evening".split()


class Audit(NamedTuple):
    """Counts of errors, all zero if there are none."""

    lost: int  # confirmed and not stored, or not as it was confirmed
    double: int  # stored more than once
    strange: int  # stored, but never confirmed
    over: int  # more than the number of judgements that an item is to get


def study(items: int, judgements: int) -> Study:
    """A study whose sentences contain their number, with words to mark."""
    return Study(
        name="load",
        suite="none",
        title={"en": "A study under load"},
        consent={"en": "Nothing that you say here is kept."},
        instructions={"en": "Say whether the pronouns fit.\n\n- Mark words.\n- Go on."},
        show=(TextPanel(field="which"), TextPanel(field="text", title={"en": "What was written"})),
        questions=(
            ChoiceQuestion(
                id="label",
                ask={"en": "The pronouns are"},
                options=tuple(
                    Option(id=name, key=str(place))
                    for place, name in enumerate(("correct", "misgendering", "no-pronoun"), 1)
                ),
            ),
            MarksQuestion(id="extraneous", ask={"en": "Mark gendered words"}, field="text"),
            NoteQuestion(id="note", ask={"en": "Remarks"}),
        ),
        items=tuple(
            StudyItem(
                id=f"item-{number}",
                language="en",
                fields={
                    "which": f"Sentence {number}:",
                    "text": " ".join(_WORDS[number % 7 :] + _WORDS) + ".",
                },
            )
            for number in range(1, items + 1)
        ),
        judgements=judgements,
    )


def audit(study: Study, heard: Mapping[str, Notes], stored: Sequence[Response]) -> Audit:
    """Compare confirmed and stored judgements."""
    confirmed = {
        (name, f"item-{sentence}"): said
        for name, notes in heard.items()
        for sentence, said in notes.kept.items()
    }
    found = {(each.participant, each.item): each.answers.get("note") for each in stored}
    of_item = Counter(each.item for each in stored)
    of_saying = Counter(each.answers.get("note") for each in stored)
    wanted = {item.id: judgements_wanted(study, item) for item in study.items}
    return Audit(
        lost=sum(found.get(place) != said for place, said in confirmed.items()),
        double=sum(count - 1 for count in of_saying.values()),
        strange=len(found.keys() - confirmed.keys()),
        over=sum(max(0, count - wanted[item]) for item, count in of_item.items()),
    )
