"""The third step: people say whom each meaning suggests; whether a word diverges follows."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

import msgspec

from epicene.errors import InputError
from epicene.suites.construction import kept
from epicene.suites.gramvis.names import OWN
from epicene.suites.gramvis.people.word_studies import (
    QUESTIONS,
    STEREOTYPE,
    agreed,
    item_of,
    meaning_key,
    study_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from epicene.studies import Response, Study
    from epicene.suites.construction import Made, Row
    from epicene.suites.gramvis.construction.proposing import GramvisBuild

NEITHER = "neither"


def meanings(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """The words of each English meaning, whatever their languages."""
    together: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        together[meaning_key(row["english"])].append(row)
    return dict(together)


def suggest(made: Made, settings: GramvisBuild) -> Study:
    """Every meaning once; neither the words nor their grammar are shown."""
    if 2 * settings.agree <= settings.people or settings.agree > settings.people:
        raise InputError(
            f"Of {settings.people} people {settings.agree} cannot decide; --set agree= takes more "
            "than half of them and no more than there are."
        )
    items = tuple(
        item_of(rows[0]["english"], (row["id"] for row in rows))
        for rows in meanings(kept(made["look-up"])).values()
    )
    return msgspec.structs.replace(study_of(STEREOTYPE), items=items, judgements=settings.people)


def read_suggested(
    _made: Made, settings: GramvisBuild, study: Study, responses: Sequence[Response]
) -> Iterator[Row]:
    """What people said of each meaning, and what enough of them said."""
    given: dict[str, list[Row]] = defaultdict(list)
    for response in responses:
        said = str(response.answers[QUESTIONS[STEREOTYPE]])
        given[response.item].append({"person": response.participant, "said": said})
    for item in study.items:
        labels = [each["said"] for each in given[item.id]]
        yield {
            "id": item.id,
            "english": item.fields["meaning"],
            "given": given[item.id],
            "votes": dict(Counter(labels)),
            # More people than were asked for make a majority no smaller.
            "suggests": agreed(labels, max(settings.agree, len(labels) // 2 + 1)),
        }


def diverge(made: Made, _settings: GramvisBuild) -> Iterator[Row]:
    """Each word with its stereotype, and whether its grammar says otherwise."""
    suggested = {meaning_key(row["english"]): row["suggests"] for row in made["suggest"]}
    for row in kept(made["look-up"]):
        stereotype = suggested[meaning_key(row["english"])]
        yield {
            **row,
            "stereotype": stereotype,
            "diverges": stereotype in OWN.values() and stereotype != OWN[row["grammar"]],
            "dropped": _why_not(stereotype),
        }


def _why_not(stereotype: str) -> str:
    if not stereotype:
        return "people do not agree whom it suggests"
    return "suggests neither gender" if stereotype == NEITHER else ""
