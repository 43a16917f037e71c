"""The lists of a study (Latin square), and the order in which a participant sees the items."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.core.records import digest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from epicene.studies.design.schema import ChoiceQuestion, Study, StudyItem


def items_by_list(study: Study) -> dict[str, list[StudyItem]]:
    """The items by list; a study without lists has one, called "".

    Rotated lists are numbered from 1. Each has at most one version of every group, and the
    conditions rotate from group to group (a Latin square).
    """
    if study.lists == "none":
        return {"": list(study.items)}
    lists: dict[str, list[StudyItem]] = {}
    if study.lists == "given":
        for item in study.items:
            lists.setdefault(item.list, []).append(item)
        return lists
    groups = dict.fromkeys(item.group for item in study.items)
    group_numbers = {group: number for number, group in enumerate(groups)}
    versions = _version_numbers(study)
    count = max(versions.values(), default=0) + 1
    lists = {str(number + 1): [] for number in range(count)}
    for item in study.items:
        number = (versions[item.id] + group_numbers[item.group]) % count
        lists[str(number + 1)].append(item)
    return lists


def _version_numbers(study: Study) -> Mapping[str, int]:
    """The version of its group that each item is: by condition, if groups and conditions cross."""
    versions: dict[str, list[StudyItem]] = {}
    for item in study.items:
        versions.setdefault(item.group, []).append(item)
    largest = max(map(len, versions.values()), default=0)
    conditions = sorted({item.condition for item in study.items})
    crossed = len(conditions) == largest and all(map(_conditions_differ, versions.values()))
    return {
        item.id: conditions.index(item.condition) if crossed else number
        for group in versions.values()
        for number, item in enumerate(sorted(group, key=lambda item: item.condition))
    }


def _conditions_differ(group: Sequence[StudyItem]) -> bool:
    return len({item.condition for item in group}) == len(group)


def presentation_order(
    study: Study, items: Sequence[StudyItem], participant: str
) -> list[StudyItem]:
    """All that a participant sees after the practice: items, with fillers and checks among them."""
    positioned = [*_spread(study, items, participant), *filler_positions(study, participant)]
    return [item for _, item in sorted(positioned, key=lambda each: each[0])]


def filler_positions(study: Study, participant: str) -> list[tuple[float, StudyItem]]:
    """A participant's fillers and checks in order, each with the share of items before it."""
    positioned = [
        each for part in (study.fillers, study.checks) for each in _spread(study, part, participant)
    ]
    return sorted(positioned, key=lambda each: each[0])


def _spread(
    study: Study, part: Sequence[StudyItem], participant: str
) -> Iterator[tuple[float, StudyItem]]:
    """The items in the participant's order, at jittered, evenly spread positions from 0 to 1."""

    def fraction(item: StudyItem, purpose: str) -> float:
        return hash_fraction(study.name, participant, item.id, purpose, size=7)

    own = sorted(part, key=lambda item: fraction(item, "order")) if study.shuffle else part
    for number, item in enumerate(own):
        yield (number + fraction(item, "place")) / len(own), item


def hash_fraction(*parts: object, size: int = 6) -> float:
    """A pseudo-random number from 0 to 1, from the first `size` bytes of the parts' digest."""
    return int.from_bytes(digest(*parts)[:size], "big") / (1 << 8 * size)


def shuffled_choices(
    study: Study, question: ChoiceQuestion, item: StudyItem, reader: str
) -> list[str]:
    """The names of the texts to choose between, in the order that the reader always sees."""
    if not study.shuffle:
        return list(question.between)
    return sorted(
        question.between,
        key=lambda name: hash_fraction(study.name, reader, item.id, question.id, name),
    )
