"""Who gets which items in a sheet, as far as they were not judged already."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from epicene.annotate.counting import counted
from epicene.annotate.fitting import fitting, whole_judgements
from epicene.annotate.results import judgements_wanted
from epicene.errors import InputError
from epicene.studies.lists import lists_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from epicene.studies import Response, Study, StudyItem

    Hands = dict[str, list[StudyItem]]


class Before(NamedTuple):
    """What was answered before: who met which item, and how many judged it.

    Who met an item does not get it again, even if the study asks more of it by now.
    """

    met: frozenset[tuple[str, str]] = frozenset()
    judged: Mapping[str, int] = {}

    def lacking(self, study: Study, item: StudyItem) -> int:
        """How many more people are to judge an item."""
        return max(0, judgements_wanted(study, item) - self.judged.get(item.id, 0))

    def left(self, study: Study, person: str, items: Sequence[StudyItem]) -> list[StudyItem]:
        """Those of the items that still lack judgements and are new to a person."""
        return [
            item
            for item in items
            if (person, item.id) not in self.met and self.lacking(study, item)
        ]


def answered_before(study: Study, responses: Sequence[Response]) -> Before:
    """What the responses say was done already."""
    whole = whole_judgements(study, fitting(study, responses, {}).responses)
    return Before(
        met=frozenset((each.participant, each.item) for each in responses),
        judged=Counter(each.item for each in whole),
    )


def deal(study: Study, people: Sequence[str], before: Before | None = None) -> Hands:
    """Each item to as many people as are still to judge it; of a study with lists, a list to each.

    Who has nothing left to do gets nothing.
    """
    if len(set(people)) < len(people):
        raise InputError("One person was named twice.")
    before = before or Before()
    if study.lists == "none":
        return _items(study, people, before)
    return _lists(study, people, before)


def _items(study: Study, people: Sequence[str], before: Before) -> Hands:
    """Always those get an item who have fewest so far."""
    hands: Hands = {person: [] for person in people}
    for item in study.items:
        lacking = before.lacking(study, item)
        able = [person for person in hands if (person, item.id) not in before.met]
        if lacking > len(able):
            raise InputError(
                f"The item {item.id} lacks {counted(lacking, 'judgement')}, and the people named "
                f"can give {len(able)}; name more."
            )
        for person in sorted(able, key=lambda person: len(hands[person]))[:lacking]:
            hands[person].append(item)
    return hands


def _lists(study: Study, people: Sequence[str], before: Before) -> Hands:
    """Who began a list goes on with it; the others always take the one that lacks most people.

    Who is over takes lists in turn, too.
    """
    lists = lists_of(study)
    longest = max(map(len, lists.values()))
    if study.per_person is not None and longest > study.per_person:
        raise InputError(
            f"A list of the study {study.name} has {longest} items, and a person gets at most "
            f"{study.per_person}; change per_person in study.toml, or draw fewer."
        )
    lacking = {
        name: max((before.lacking(study, item) for item in items), default=0)
        for name, items in lists.items()
    }
    taken = _begun(lists, people, before)
    for person, name in taken.items():
        lacking[name] -= bool(before.left(study, person, lists[name]))
    wanted, others = sum(max(0, each) for each in lacking.values()), len(people) - len(taken)
    if wanted > others:
        raise InputError(
            f"The {len(lists)} lists of the study {study.name} lack people: {wanted} wanted, "
            f"{others} at hand; name more, or ask for fewer judgements in study.toml."
        )
    for person in people:
        if person not in taken:
            taken[person] = max(lacking, key=lambda each: lacking[each])
            lacking[taken[person]] -= 1
    return {person: before.left(study, person, lists[taken[person]]) for person in people}


def _begun(
    lists: Mapping[str, Sequence[StudyItem]], people: Sequence[str], before: Before
) -> dict[str, str]:
    """The list of each person who has met an item of it."""
    list_of = {item.id: name for name, items in lists.items() for item in items}
    return {
        person: list_of[item]
        for person, item in sorted(before.met)
        if person in people and item in list_of
    }
