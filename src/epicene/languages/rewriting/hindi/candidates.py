"""What in a clause might be its subject: words in the direct case before the verb."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from epicene.languages.rewriting.hindi import nouns
from epicene.languages.rewriting.hindi.adjectives import is_adjective
from epicene.languages.rewriting.hindi.lexicon import function_words
from epicene.languages.rewriting.hindi.verb_forms import analyse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.languages.rewriting.hindi.clauses import Clause
    from epicene.languages.rewriting.hindi.words import Stretch
    from epicene.languages.rewriting.people import Gender

Sort: TypeAlias = Literal["pronoun", "person", "thing", "unknown"]

THIRD_PERSON = frozenset("वह वो यह वे ये जो कौन कोई".split())
_OBLIQUE_PRONOUNS = frozenset(
    "मुझे मुझको मुझसे मुझमें मुझपर मुझ हमें हमको हमसे हम तुझे तुझको तुझसे तुझ तुम्हें तुमको तुमसे आपको आपसे उसे उसको उससे उसमें उस "
    "इसे इसको इससे इसमें इस उन्हें उनको उनसे उन इन्हें इनको इनसे इन जिसे जिन्हें जिससे जिनसे जिसमें जिस जिन किसे किससे किस किसी "
    "मैंने तूने तुमने आपने हमने उसने इसने उन्होंने इन्होंने जिसने जिन्होंने किसने मेरे तेरे तुम्हारे आपके हमारे उसके उनके अपने इसके इनके "
    "स्वयं खुद मैं मै तू तुम आप".split()
)


class Candidate(NamedTuple):
    """A word in the direct case that may head the subject."""

    at: int
    sort: Sort
    gender: Gender | None = None


def candidates(stretch: Stretch, clause: Clause) -> list[Candidate]:
    """Those of a clause, from left to right."""
    return list(_candidates(stretch, clause))


def _candidates(stretch: Stretch, clause: Clause) -> Iterator[Candidate]:
    for at in clause.field:
        word = stretch[at]
        if stretch.is_mark(at) or stretch.oblique(at) or _is_small(word) or word.endswith("ों"):
            continue
        if word in THIRD_PERSON:
            if not _is_determiner(stretch, at):
                yield Candidate(at, "pronoun")
        elif _modifies(stretch, at):
            continue
        elif reading := nouns.person(word):
            yield Candidate(at, "person", reading.gender)
        elif gender := nouns.thing(word):
            yield Candidate(at, "thing", gender)
        elif not is_adjective(word) and not _is_verbal(word):
            gender = nouns.abstract(word)
            yield Candidate(at, "thing" if gender else "unknown", gender)


def _is_small(word: str) -> bool:
    words = function_words()
    return (
        word in _OBLIQUE_PRONOUNS
        or word in words.postpositions
        or word in words.particles
        or word in words.intensifiers
        or word in words.adverbs
        or word in words.verbal_nominals
        or word in words.coordinators
        or (word in words.subordinators and word != "जो")
        or (word in words.determiners and word not in THIRD_PERSON)
        or not word[0].isalpha()
        or word[0].isdigit()
    )


def _is_verbal(word: str) -> bool:
    return any(
        form.shape in {"infinitive", "conjunctive", "imperfective", "perfective", "agentive"}
        for form in analyse(word)
    )


def _modifies(stretch: Stretch, at: int) -> bool:
    """Whether a word that may be an adjective stands right before a noun: युवा लेखक, मध्यकालीन चित्र."""
    reading = nouns.person(stretch[at])
    if nouns.thing(stretch[at]) or (reading and reading.noun.kind != "same"):
        return False
    following = stretch[at + 1]
    return bool(nouns.person(following) or nouns.thing(following))


def _is_determiner(stretch: Stretch, at: int) -> bool:
    """Whether वह, यह … is said of a noun that follows in the direct case."""
    after = at + 1
    while is_adjective(stretch[after]) and not stretch.is_mark(after):
        after += 1
    known = nouns.person(stretch[after]) or nouns.thing(stretch[after])
    return bool(known) and not stretch.oblique(after)
