"""The finite forms of verbs with their person, and the participles.

More forms are generated than the grammar allows (both spellings of verbs in -eler, say): they are
for analysis only, and never written.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

VerbPerson: TypeAlias = Literal["1s", "2s", "3s", "1p", "2p", "3p"]
PERSONS: tuple[VerbPerson, ...] = ("1s", "2s", "3s", "1p", "2p", "3p")

_IMPERFECT = ("ais", "ais", "ait", "ions", "iez", "aient")
_FUTURE = ("ai", "as", "a", "ons", "ez", "ont")
_SUBJUNCTIVE = ("e", "es", "e", "ions", "iez", "ent")
_PAST_SUBJUNCTIVE = ("sse", "sses", "t", "ssions", "ssiez", "ssent")
_PAST_A = ("ai", "as", "a", "âmes", "âtes", "èrent")
# semer, espérer, régler: the vowel opens before a silent e.
_OPEN = re.compile(r"(.*)è([bcdfghjklmnpqrstvwxz]{1,2}|gu|qu)")
_CIRCUMFLEX = {"i": "î", "u": "û", "ï": "ï"}


class FiniteForm(NamedTuple):
    """One finite form of a verb."""

    infinitive: str
    person: VerbPerson


class VerbModel(NamedTuple):
    """The data from which the forms of an irregular verb are generated; see `verbs.toml`."""

    ending: str
    verbs: str
    present: str
    imperfect: str
    past: str
    future: str
    subjunctive: str
    participle: str

    def participles(self) -> Iterator[tuple[str, str]]:
        """The past participle of each verb."""
        for infinitive in self.verbs.split():
            yield infinitive, infinitive.removesuffix(self.ending) + self.participle

    def gerunds(self) -> Iterator[tuple[str, str]]:
        """The present participle of each verb."""
        for infinitive in self.verbs.split():
            yield infinitive, infinitive.removesuffix(self.ending) + self.imperfect + "ant"

    def forms(self) -> Iterator[tuple[str, FiniteForm]]:
        """The finite forms of each verb."""
        for infinitive in self.verbs.split():
            before = infinitive.removesuffix(self.ending)
            for forms in self._tenses():
                for form, person in zip(forms, PERSONS, strict=True):
                    yield before + form, FiniteForm(infinitive, person)

    def _tenses(self) -> Iterator[list[str]]:
        yield self.present.split()
        yield [self.imperfect + ending for ending in _IMPERFECT]
        yield [self.future + ending for ending in _FUTURE]
        yield [self.future + ending for ending in _IMPERFECT]
        yield _past(self.past)
        yield _subjunctive(self.subjunctive)
        if self.participle in {"été", "eu"} and " " not in self.past:
            first, second, _, *plural = (self.past + ending for ending in _PAST_SUBJUNCTIVE)
            yield [first, second, self.past[:-1] + _CIRCUMFLEX[self.past[-1]] + "t", *plural]


def _past(stem: str) -> list[str]:
    if " " in stem:
        return stem.split()
    vowel = stem.removesuffix("n")[-1]
    hat = stem.removesuffix("n")[:-1] + _CIRCUMFLEX[vowel] + ("n" if stem.endswith("n") else "")
    return [f"{stem}s", f"{stem}s", f"{stem}t", f"{hat}mes", f"{hat}tes", f"{stem}rent"]


def _subjunctive(stems: str) -> list[str]:
    given = stems.split()
    if len(given) == len(PERSONS):
        return given
    strong, weak = given
    return [
        (weak if person in {"1p", "2p"} else strong) + ending
        for person, ending in zip(PERSONS, _SUBJUNCTIVE, strict=True)
    ]


# The endings of verbs in -er by person, longest first.
_FIRST_GROUP: list[tuple[str, VerbPerson]] = sorted(
    {
        *zip(("e", "es", "e", "ons", "ez", "ent"), PERSONS, strict=True),
        *zip(_IMPERFECT, PERSONS, strict=True),
        *zip(_PAST_A, PERSONS, strict=True),
        *((f"er{ending}", person) for ending, person in zip(_FUTURE, PERSONS, strict=True)),
        *((f"er{ending}", person) for ending, person in zip(_IMPERFECT, PERSONS, strict=True)),
    },
    key=lambda pair: (-len(pair[0]), pair),
)


def first_group_forms(word: str, infinitives: Container[str]) -> list[FiniteForm]:
    """The finite forms that the word may be of known verbs in -er."""
    return [
        FiniteForm(stem + "er", person)
        for ending, person in _FIRST_GROUP
        if word.endswith(ending)
        for stem in _weak_stems(word.removesuffix(ending))
        if stem + "er" in infinitives
    ]


def soft_stem(infinitive: str) -> str:
    """The stem of a verb in -er before a and o: mange-, commenç-."""
    stem = infinitive.removesuffix("er")
    return {"g": stem + "e", "c": stem[:-1] + "ç"}.get(stem[-1], stem)


def _weak_stems(stem: str) -> set[str]:
    """The infinitive stems that may have that spelling: achèt-, appell-, mange-, commenç-."""
    stems = {stem}
    if stem.endswith(("ll", "tt")):
        stems |= {stem[:-1]}
    if stem.endswith("ge"):
        stems |= {stem[:-1]}
    if stem.endswith("ç"):
        stems |= {stem[:-1] + "c"}
    if stem.endswith("i"):
        stems |= {stem[:-1] + "y"}
    if found := _OPEN.fullmatch(stem):
        stems |= {"e".join(found.groups()), "é".join(found.groups())}
    return stems


def second_group_forms(infinitive: str) -> Iterator[tuple[str, FiniteForm]]:
    """The forms of a verb like finir."""
    stem = infinitive.removesuffix("r")
    model = VerbModel(
        ending="",
        verbs=infinitive,
        present=f"{stem}s {stem}s {stem}t {stem}ssons {stem}ssez {stem}ssent",
        imperfect=f"{stem}ss",
        past=stem,
        future=infinitive,
        subjunctive=f"{stem}ss {stem}ss",
        participle=stem,
    )
    return ((form.removeprefix(infinitive), which) for form, which in model.forms())
