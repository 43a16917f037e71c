"""The forms of a verb: what person they say, and the participle.

More forms are made than a grammar would allow (both spellings of verbs in -eler, say): they are
for reading, never for writing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple, TypeAlias

VerbPerson: TypeAlias = Literal["1s", "2s", "3s", "1p", "2p", "3p"]
PERSONS: tuple[VerbPerson, ...] = ("1s", "2s", "3s", "1p", "2p", "3p")

_IMPERFECT = ("ais", "ais", "ait", "ions", "iez", "aient")
_CONDITIONAL = _IMPERFECT
_FUTURE = ("ai", "as", "a", "ons", "ez", "ont")
_SUBJUNCTIVE = ("e", "es", "e", "ions", "iez", "ent")
_PAST_A = ("ai", "as", "a", "âmes", "âtes", "èrent")
# semer, espérer, régler: the vowel opens before a silent e.
_CLOSE = re.compile(r"(.*)[eé]([bcdfghjklmnpqrstvwxz]|[bcdfgptv][lr]|ch|gn|gu|qu)")
_CIRCUMFLEX = {"i": "î", "u": "û", "ï": "ï"}


class Form(NamedTuple):
    """One finite form of a verb."""

    infinitive: str
    person: VerbPerson


class Model(NamedTuple):
    """What the forms of an irregular verb are made from; see `verbs.toml`."""

    ending: str
    verbs: str
    present: str
    imperfect: str
    past: str
    future: str
    subjunctive: str
    participle: str

    def participles(self) -> Iterator[tuple[str, str]]:
        """Each verb's past participle."""
        for infinitive in self.verbs.split():
            yield infinitive, infinitive.removesuffix(self.ending) + self.participle

    def forms(self) -> Iterator[tuple[str, Form]]:
        """Each finite form of each verb."""
        for infinitive in self.verbs.split():
            before = infinitive.removesuffix(self.ending)
            for forms in self._tenses():
                for form, person in zip(forms, PERSONS, strict=True):
                    yield before + form, Form(infinitive, person)

    def _tenses(self) -> Iterator[list[str]]:
        yield self.present.split()
        yield [self.imperfect + ending for ending in _IMPERFECT]
        yield [self.future + ending for ending in _FUTURE]
        yield [self.future + ending for ending in _CONDITIONAL]
        yield _past(self.past)
        yield _subjunctive(self.subjunctive)


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


def first_group(infinitive: str) -> Iterator[tuple[str, Form]]:
    """The forms of a verb in -er, with the spellings its stem may take."""
    stem = infinitive.removesuffix("er")
    soft = {"g": stem + "e", "c": stem[:-1] + "ç"}.get(stem[-1], stem)  # before a and o
    for strong in _strong_stems(stem):  # before a silent e
        for ending, person in zip(("e", "es", "e", "ent"), ("1s", "2s", "3s", "3p"), strict=True):
            yield strong + ending, Form(infinitive, person)  # type: ignore[arg-type]
        for future in _FUTURE, _CONDITIONAL:
            for ending, person_of_future in zip(future, PERSONS, strict=True):
                yield f"{strong}er{ending}", Form(infinitive, person_of_future)
    yield soft + "ons", Form(infinitive, "1p")
    yield stem + "ez", Form(infinitive, "2p")
    for endings in _IMPERFECT, _PAST_A:
        for ending, each in zip(endings, PERSONS, strict=True):
            yield (soft if ending[0] in "aâ" else stem) + ending, Form(infinitive, each)


def _strong_stems(stem: str) -> set[str]:
    stems = {stem}
    last = stem[-1]
    if last in "lt" and stem[-2] == "e":
        stems |= {stem + last}
    if found := _CLOSE.fullmatch(stem):
        stems |= {"è".join(found.groups())}
    if last == "y":
        stems |= {stem[:-1] + "i"}
    return stems


def second_group(infinitive: str) -> Iterator[tuple[str, Form]]:
    """The forms of a verb like finir."""
    stem = infinitive.removesuffix("r")
    model = Model(
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
