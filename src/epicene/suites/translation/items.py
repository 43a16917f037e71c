"""A sentence to translate that must show the gender of a person."""

from __future__ import annotations

from typing import Literal, TypeAlias

import regex

from epicene.core.records import Item

Gender: TypeAlias = Literal["masculine", "feminine", "neutral"]
MASCULINE: Gender = "masculine"
FEMININE: Gender = "feminine"
OTHER: dict[str, Gender] = {MASCULINE: FEMININE, FEMININE: MASCULINE}

# Where sentences come from.
STARTER, WINOMT, GATE, OWN = "starter", "WinoMT", "GATE", "own"
COUNTERFACTUAL, CONTEXTUAL = "MT-GenEval counterfactual", "MT-GenEval contextual"
ANNOTATIONS = "WinoMT annotations"  # translations that people judged: a test of our judge

_PRONOUNS = regex.compile(r"\b(?:(he|him|his|himself)|(she|her|hers|herself))\b", regex.I)


class Sentence(Item, frozen=True, kw_only=True):
    """An English sentence, and what a translation into `language` must or may show.

    With an `entity`, the translation is searched for the person; with `references`, for the words
    that distinguish the references: `right` and `wrong`, or the alternatives `f` and `m` (`ff`,
    `fm` …) of a source that leaves the gender open. `gender` is "" where it is open or unknown.
    """

    source: str
    origin: str = OWN
    context: str = ""  # the English sentence before
    gender: Gender | Literal[""] = ""
    entity: str = ""
    position: int = 0  # of the entity among the words of the source, from 0
    stereotype: Literal["pro", "anti", ""] = ""
    references: dict[str, str] = {}
    labels: tuple[str, ...] = ()
    split: str = ""
    translation: str = ""  # one that people judged,
    human: Gender | Literal[""] = ""  # and the gender they found in it

    @property
    def is_open(self) -> bool:
        """Whether the source leaves the gender open, so that no translation is wrong."""
        return not self.gender and not {"right", "wrong"} <= set(self.references)

    @property
    def where(self) -> float:
        """The relative position of the entity in the source, 0 to 1."""
        return self.position / max(len(self.source.split()) - 1, 1)

    @property
    def has_pronoun(self) -> bool:
        """Whether the source has a pronoun that shows a gender."""
        return _PRONOUNS.search(self.source) is not None


def pronoun_gender(text: str) -> Gender | Literal[""]:
    """The gender of the pronouns in an English text; "" if there are none or of both genders."""
    found = _PRONOUNS.findall(text)
    men, women = any(man for man, _ in found), any(woman for _, woman in found)
    return "" if men == women else MASCULINE if men else FEMININE


def without_gender(text: str) -> str:
    """The text with one sign for every gendered pronoun: the same for both versions."""
    return _PRONOUNS.sub("_", text)
