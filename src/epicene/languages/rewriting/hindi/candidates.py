"""What in a clause might be its subject: words in the direct case before the verb."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from epicene.languages.rewriting.hindi import nouns, pronouns
from epicene.languages.rewriting.hindi.adjectives import is_adjective
from epicene.languages.rewriting.hindi.lexicon import function_words
from epicene.languages.rewriting.hindi.phrases import is_oblique
from epicene.languages.rewriting.hindi.verb_forms import analyse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.languages.rewriting.hindi.clauses import Clause
    from epicene.languages.rewriting.hindi.words import Stretch
    from epicene.languages.rewriting.people import Gender

# demonstrative: वह, यह right before a thing, of which it may be said.
Sort: TypeAlias = Literal["pronoun", "demonstrative", "person", "thing", "unknown"]


_AFTER_ADVERBIAL = frozenset("बिना बगैर हुए ही समय वक्त".split())


class Candidate(NamedTuple):
    """A word in the direct case that may head the subject."""

    at: int
    sort: Sort
    gender: Gender | None = None


def candidates(stretch: Stretch, clause: Clause) -> list[Candidate]:
    """Those of a clause, from left to right."""
    return [each for at in clause.field for each in _candidate(stretch, clause, at)]


def _candidate(stretch: Stretch, clause: Clause, at: int) -> Iterator[Candidate]:
    word = stretch[at]
    if stretch.is_mark(at) or stretch.oblique(at) or word.endswith("ों"):
        return
    if word in pronouns.THIRD:
        yield from _pronoun(stretch, clause, at)
    elif (gender := _small_thing(stretch, clause, at)) is not None:
        yield Candidate(at, "thing", gender)
    elif not _cannot_be(stretch, clause, at):
        yield from _noun(stretch, at)


def _pronoun(stretch: Stretch, clause: Clause, at: int) -> Iterator[Candidate]:
    noun = _noun_after(stretch, at)
    if noun is None or noun not in clause.field or _is_said(stretch, clause, noun):
        yield Candidate(at, "pronoun")
    elif nouns.thing(stretch[noun]):
        yield Candidate(at, "demonstrative")


def _noun(stretch: Stretch, at: int) -> Iterator[Candidate]:
    word = stretch[at]
    if reading := nouns.person(word):
        if not is_oblique(stretch, at):
            yield Candidate(at, "person", reading.gender)
    elif gender := nouns.thing(word):
        yield Candidate(at, "thing", gender)
    elif not is_adjective(word) and not _is_verbal(word):
        gender = nouns.abstract(word)
        yield Candidate(at, "thing" if gender else "unknown", gender)


def _small_thing(stretch: Stretch, clause: Clause, at: int) -> Gender | None:
    """सब कुछ, क्या right before the verb; बस, where it is a bus and not only."""
    word, before = stretch[at], stretch[at - 1]
    everything = word == "कुछ" and before in {"सब", "बहुत", "जो"}
    last = clause.verb is not None and clause.verb.first == at + 1
    if everything or (word in {"क्या", "कुछ"} and last):
        return "masculine"
    return "feminine" if word == "बस" and before in function_words().subordinators else None


def _cannot_be(stretch: Stretch, clause: Clause, at: int) -> bool:
    return (
        _is_small(stretch[at])
        or _is_nominal_of_verb(stretch, clause, at)
        or _modifies(stretch, at)
        or _has_own_verb(stretch, clause, at)
    )


def _is_small(word: str) -> bool:
    words = function_words()
    first, _, second = word.partition("-")
    return (
        first == second  # धीरे-धीरे
        or word == "सो"
        or (word in nouns.places() | nouns.times() and nouns.thing(word) is None)
        or word in pronouns.NOT_A_SUBJECT
        or word in words.postpositions
        or word in words.particles
        or word in words.intensifiers
        or word in words.adverbs
        or word in words.coordinators
        or word in words.subordinators
        or word in words.determiners
        or not word[0].isalpha()
    )


def _is_nominal_of_verb(stretch: Stretch, clause: Clause, at: int) -> bool:
    """शुरू हुआ: the noun and the verb are one."""
    verb = clause.verb
    if verb is None or verb.main not in {"कर", "हो", "दे", "ले", "आ", "रख", "पा", "लग"}:
        return False
    return stretch[at] in function_words().verbal_nominals and stretch.before(verb.first) == at


def _has_own_verb(stretch: Stretch, clause: Clause, at: int) -> bool:
    """नाश्ता किए बिना, भूख लगने पर, काम करके: subject or object of a verb that is not finite."""
    if clause.verb is not None and at + 1 >= clause.verb.first:
        return False
    adverbial = stretch[at + 2] in _AFTER_ADVERBIAL or stretch[at - 1] in {"बिना", "बगैर"}
    return any(
        form.shape == "conjunctive"
        or (form.cell == "mp" and form.shape == "infinitive")
        or (form.cell == "mp" and form.participle and adverbial)
        for form in analyse(stretch[at + 1])
    )


def _is_verbal(word: str) -> bool:
    return any(
        form.shape in {"infinitive", "conjunctive", "imperfective", "perfective", "agentive"}
        for form in analyse(word)
    )


def _modifies(stretch: Stretch, at: int) -> bool:
    """Whether it may be an adjective and stands right before a noun: मध्यकालीन चित्र, डॉक्टर साहब."""
    reading, following = nouns.person(stretch[at]), stretch[at + 1]
    if nouns.thing(stretch[at]) or (reading and reading.noun.kind != "same"):
        return False
    return bool(nouns.person(following) or (nouns.thing(following) and not reading))


def _is_said(stretch: Stretch, clause: Clause, noun: int) -> bool:
    """वह डॉक्टर है: the noun is said of the pronoun."""
    verb = clause.verb
    if verb is None or verb.valency != "copular" or nouns.thing(stretch[noun]):
        return False
    return stretch.before(verb.first) == noun


def _noun_after(stretch: Stretch, at: int) -> int | None:
    """The noun in the direct case that वह, यह … may be said of."""
    after = at + 1
    while is_adjective(stretch[after]) and not stretch.is_mark(after):
        after += 1
    known = nouns.person(stretch[after]) or nouns.thing(stretch[after])
    return after if known and not stretch.oblique(after) else None
