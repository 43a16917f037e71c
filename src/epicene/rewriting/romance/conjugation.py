"""The finite forms, infinitives, gerunds and participles of Romance verbs, from lists of stems.

Every stem of a verb takes every ending of its class, so that some forms exist nowhere: they are
only ever used to recognise a verb.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator

Mood: TypeAlias = Literal["finite", "infinitive", "gerund", "participle"]
PERSONS = ("1s", "2s", "3s", "1p", "2p", "3p")


class VerbForm(NamedTuple):
    """What a verb form may be: its infinitive, its mood, and its persons if it is finite."""

    infinitive: str
    mood: Mood
    persons: frozenset[str] = frozenset()


def verb_forms(lists: dict[str, Any]) -> dict[str, VerbForm]:
    """All forms of the verbs of a `verbs.toml`, by their spelling; the first of two is kept."""
    found: dict[str, dict[str, Any]] = {}
    for word, infinitive, mood, person in _all_forms(lists):
        known = found.setdefault(word, {"infinitive": infinitive, "mood": mood, "persons": set()})
        if person and known["mood"] == "finite" == mood:
            known["persons"].add(person)
    return {
        word: VerbForm(each["infinitive"], each["mood"], frozenset(each["persons"]))
        for word, each in found.items()
    }


def _all_forms(lists: dict[str, Any]) -> Iterator[tuple[str, str, Mood, str]]:
    for verb in lists["irregular"]:
        infinitive = verb["infinitive"]
        yield infinitive, infinitive, "infinitive", ""
        for person in PERSONS:
            for word in verb.get(person, "").split():
                yield word, infinitive, "finite", person
        for word in verb.get("gerund", "").split():
            yield word, infinitive, "gerund", ""
        for word in verb.get("participle", "").split():
            yield word, infinitive, "participle", ""
    for line in lists["verbs"].strip().splitlines():
        infinitive, *stems = line.split()
        yield from _regular_forms(infinitive, stems, lists)
    for infinitive in lists["regular"].split():
        yield from _regular_forms(infinitive, [], lists)


def _regular_forms(
    infinitive: str, extra: list[str], lists: dict[str, Any]
) -> Iterator[tuple[str, str, Mood, str]]:
    """The forms of a verb; an extra stem with a hyphen names its own set of endings: tuv-strong."""
    ending = next(each for each in lists["endings"] if infinitive.endswith(each))
    stem = infinitive.removesuffix(ending)
    yield infinitive, infinitive, "infinitive", ""
    stems = [(stem, ending), *((soft, ending) for soft in _spellings(stem, ending, lists))]
    for each in extra:
        base, _, name = each.partition("-")
        stems += [(base, name or ending)]
        stems += [(soft, name or ending) for soft in _spellings(base, name or ending, lists)]
    for base, name in stems:
        for row in lists["endings"][name]:
            mood, *endings = row.split()
            if mood == "finite":
                for person, tail in zip(PERSONS, endings, strict=True):
                    if tail != "-":
                        yield base + tail.replace("_", ""), infinitive, "finite", person
            else:
                for tail in endings:
                    yield base + tail, infinitive, mood, ""


def _spellings(stem: str, ending: str, lists: dict[str, Any]) -> list[str]:
    """The stem as it is spelt before other vowels: busc-, busqu-."""
    return [
        stem.removesuffix(old) + new
        for old, new in (each.split() for each in lists.get("spellings", {}).get(ending, ()))
        if stem.endswith(old)
    ]
