"""The lists of a study (Latin square), and the order in which one person sees their items."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.core.records import digest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from epicene.studies.design.schema import Study, StudyItem


def items_by_list(study: Study) -> dict[str, list[StudyItem]]:
    """The items by list; all in one where any person may see any item.

    Rotated lists are numbered from 1. Each has one version of every group, as far as the group has
    enough, and the conditions take turns from group to group (a Latin square).
    """
    if study.lists == "none":
        return {"": list(study.items)}
    lists: dict[str, list[StudyItem]] = {}
    if study.lists == "given":
        for item in study.items:
            lists.setdefault(item.list, []).append(item)
        return lists
    places = {name: place for place, name in enumerate(dict.fromkeys(_groups(study)))}
    ranks = _version_numbers(study)
    number = max(ranks.values(), default=0) + 1
    lists = {str(each + 1): [] for each in range(number)}
    for item in study.items:
        turn = (ranks[item.id] + places[item.group]) % number
        lists[str(turn + 1)].append(item)
    return lists


def _groups(study: Study) -> Iterator[str]:
    return (item.group for item in study.items)


def _version_numbers(study: Study) -> Mapping[str, int]:
    """Which version of its group each item is: by its condition, where groups have them all."""
    versions: dict[str, list[StudyItem]] = {}
    for item in study.items:
        versions.setdefault(item.group, []).append(item)
    largest = max(map(len, versions.values()), default=0)
    conditions = sorted({item.condition for item in study.items})
    crossed = len(conditions) == largest and all(map(_conditions_differ, versions.values()))
    return {
        item.id: conditions.index(item.condition) if crossed else place
        for group in versions.values()
        for place, item in enumerate(sorted(group, key=lambda item: item.condition))
    }


def _conditions_differ(group: Sequence[StudyItem]) -> bool:
    return len({item.condition for item in group}) == len(group)


def presentation_order(study: Study, items: Sequence[StudyItem], person: str) -> list[StudyItem]:
    """What a person sees after the practice: their items, fillers and checks spread among them."""
    placed = [*_spread(study, items, person), *filler_positions(study, person)]
    return [item for _, item in sorted(placed, key=lambda each: each[0])]


def filler_positions(study: Study, person: str) -> list[tuple[float, StudyItem]]:
    """A person's fillers and checks in order, each with what share of their items comes before."""
    placed = [
        each for part in (study.fillers, study.checks) for each in _spread(study, part, person)
    ]
    return sorted(placed, key=lambda each: each[0])


def _spread(
    study: Study, part: Sequence[StudyItem], person: str
) -> Iterator[tuple[float, StudyItem]]:
    """The items of a part in the person's order, evenly over the range from 0 to 1, not stiffly."""
    own = (
        sorted(part, key=lambda item: _order_fraction(study, item, person))
        if study.shuffle
        else part
    )
    for place, item in enumerate(own):
        yield (place + _order_fraction(study, item, person, "place")) / len(own), item


def _order_fraction(study: Study, item: StudyItem, person: str, what: str = "order") -> float:
    """A number from 0 to 1 that is always the same for this person and item."""
    number = int.from_bytes(digest(study.name, person, item.id, what)[:7], "big")
    return number / 2**56
