"""The protocols of gender in translation: the papers' scoring and ours."""

from __future__ import annotations

from typing import Literal, TypeAlias

from epicene.core.records import Positive
from epicene.suites import Protocol

# What shows the gender of a person: the noun phrase; or that and the pronoun, in some languages.
Reading: TypeAlias = Literal["noun", "person"]
NOUN: Reading = "noun"
PERSON: Reading = "person"


class TranslationProtocol(Protocol, frozen=True, kw_only=True):
    """The settings of asking and scoring."""

    reading: Reading = PERSON
    # Whether a translation must have a word of the right reference, or only none of the wrong one.
    evidence: Literal["needed", "not needed"] = "needed"
    context: Literal["before", "none"] = "before"
    languages: tuple[str, ...] = ()  # all there are, if none is named
    language: str = ""  # of a file that does not say
    split: str = ""  # all, if none is named
    new_tokens: Positive = 256
    clean: bool = True


PROTOCOLS = {
    "paper": TranslationProtocol(
        name="paper",
        about=(
            "WinoMT by the noun alone; MT-GenEval as published: right unless a word of the "
            "wrong reference is there, so that an empty translation is right."
        ),
        reading=NOUN,
        evidence="not needed",
        clean=False,
    ),
    "epicene": TranslationProtocol(
        name="epicene",
        about=(
            "A person by noun and pronoun; references by words of the right one: a translation "
            "that shows no gender is undetected, never right."
        ),
    ),
}
