"""The word lists of Hindi (the TOML files in this folder) and the forms of the personal pronouns.

All words are stored by their `key`, so that every spelling finds them.
"""

from __future__ import annotations

from functools import cache, partial
from typing import NamedTuple

from epicene.rewriting.hindi.spelling import key
from epicene.rewriting.word_lists import WordSet, read_word_lists


class FunctionWords(NamedTuple):
    """The lists of `words.toml`."""

    postpositions: WordSet
    clitics: WordSet
    subordinators: WordSet
    coordinators: WordSet
    particles: WordSet
    negations: WordSet
    interjections: WordSet
    intensifiers: WordSet
    agreeing_intensifiers: WordSet
    determiners: WordSet
    numerals: WordSet
    adverbs: WordSet
    variable_adjectives: WordSet
    invariable_adjectives: WordSet
    depictives: WordSet
    personal_states: WordSet
    verbal_nominals: WordSet
    possessives: WordSet
    object_complement_verbs: WordSet
    speech_verbs: WordSet
    role_markers: WordSet
    trades: WordSet
    usually_many: WordSet


class VerbStems(NamedTuple):
    """The lists of stems in `verbs.toml`."""

    transitive: WordSet
    labile: WordSet
    ambitransitive: WordSet
    intransitive: WordSet
    copular: WordSet
    personal: WordSet
    human: WordSet

    def has(self, stem: str) -> bool:
        """Whether the stem is that of a known verb."""
        return stem in self.transitive or stem in self.intransitive or stem in self.labile


read_lists = partial(read_word_lists, "epicene.rewriting.hindi")


def _keys(name: str) -> dict[str, WordSet]:
    return {title: frozenset(map(key, words)) for title, words in read_lists(name).items()}


@cache
def function_words() -> FunctionWords:
    """The function words and adjectives, read once."""
    return FunctionWords(**_keys("words"))


@cache
def verb_stems() -> VerbStems:
    """The verb stems, read once."""
    return VerbStems(**_keys("verbs"))


FIRST_PRONOUNS = frozenset({"मैं", "मै"})
SECOND_PRONOUNS = frozenset({"तू", "तुम", "आप"})
THIRD_PRONOUNS = frozenset("वह वो यह वे ये जो कौन कोई".split())
PLURAL_THIRD_PRONOUNS = frozenset({"वे", "ये"})
WE_PRONOUNS = frozenset({"हम"})

FIRST_OBLIQUE_PRONOUNS = frozenset("मैंने मुझे मुझको मुझसे मुझपर मुझमें मुझ मेरा मेरे मेरी".split())
FIRST_OBJECT_PRONOUNS = frozenset("मुझे मुझको".split())
SECOND_OBJECT_PRONOUNS = frozenset("तुझे तुझको तुम्हें तुमको आपको".split())
THIRD_OBJECT_PRONOUNS = frozenset("उसे उसको इसे इसको उन्हें उनको इन्हें इनको जिसे जिन्हें".split())
OBJECT_PRONOUNS = FIRST_OBJECT_PRONOUNS | SECOND_OBJECT_PRONOUNS | THIRD_OBJECT_PRONOUNS
FIRST_POSSESSIVES = frozenset("मेरा मेरे मेरी".split())
SECOND_POSSESSIVES = frozenset("तेरा तेरे तेरी तुम्हारा तुम्हारे तुम्हारी आपका आपके आपकी".split())
SECOND_OBLIQUE_PRONOUNS = (
    SECOND_OBJECT_PRONOUNS | SECOND_POSSESSIVES | frozenset("तुमसे आपसे तुझसे तूने तुमने आपने".split())
)

# With ने: who acts, while the verb agrees with something else.
FIRST_ERGATIVES = frozenset({"मैंने"})
SECOND_ERGATIVES = frozenset("तूने तुमने आपने".split())
THIRD_ERGATIVES = frozenset("उसने इसने उन्होंने इन्होंने जिसने जिन्होंने किसने".split())
ERGATIVES = FIRST_ERGATIVES | SECOND_ERGATIVES | THIRD_ERGATIVES | frozenset({"हमने", "ने"})

_OBLIQUE_PRONOUNS = frozenset(
    "मुझसे मुझपर मुझमें मुझ हमें हमको हमसे हमने तुझसे तुझ तुमसे आपसे उससे उसमें उस इससे इसमें इस उनसे उन "
    "इनसे इन जिससे जिनसे जिसमें जिस जिन किसे किससे किस किसी उनमें इनमें जिनमें किसमें उसपर उनपर इसपर इनपर "
    "जिसपर किसको किन किन्हें किन्होंने उसी उन्हीं इसी इन्हीं मुझी तुझी तुम्हीं हमीं हममें तुममें आपमें मेरेको तेरेको".split()
)
OBLIQUE_GROUP_WORDS = frozenset("लोगों सबका सबके सबकी सबको सबसे सबने सबमें सबपर".split())
# Before a noun as often as before a clause.
OBLIQUE_POSSESSIVES = frozenset("मेरे तेरे तुम्हारे आपके हमारे उसके उनके अपने इसके इनके खुद स्वयं".split())

# All that is no third person in the direct case.
NOT_THIRD_PERSON_SUBJECTS = frozenset().union(
    *(_OBLIQUE_PRONOUNS, OBLIQUE_POSSESSIVES, OBLIQUE_GROUP_WORDS),
    *(FIRST_PRONOUNS, SECOND_PRONOUNS, WE_PRONOUNS),
    *(FIRST_OBJECT_PRONOUNS, SECOND_OBJECT_PRONOUNS, THIRD_OBJECT_PRONOUNS, ERGATIVES),
)
ALL_PRONOUNS = NOT_THIRD_PERSON_SUBJECTS | THIRD_PRONOUNS
