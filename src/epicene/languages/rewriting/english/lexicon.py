"""The words that the route without a tagger knows, and what their shape says of others."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from epicene.languages.rewriting.english import verbs

Words = frozenset[str]


class Lexicon(NamedTuple):
    """The lists of `words.toml`, by the names they have there."""

    determiners: Words
    pronouns: Words
    singular_subjects: Words
    plural_subjects: Words
    wh_words: Words
    prepositions: Words
    particles: Words
    conjunctions: Words
    coordinators: Words
    subordinators: Words
    modals: Words
    adverbs: Words
    midway: Words
    midway_phrases: Words
    numbers: Words
    causatives: Words
    perception: Words
    complement: Words
    givers: Words
    gifts: Words
    namers: Words
    bring_back: Words
    predicative: Words
    states: Words
    ly_nouns: Words
    ing_nouns: Words
    verbs: Words
    surely_verbs: Words
    nouns_first: Words
    never_verbs: Words
    irregular: Words
    unchanging: Words
    not_past: Words
    participles: Words
    has_participles: Words
    adjectives: Words
    is_participles: Words

    def is_adverb(self, word: str) -> bool:
        """Whether it may stand between a subject and its verb."""
        return word in self.midway or self.is_ly_adverb(word)

    def is_ly_adverb(self, word: str) -> bool:
        """Whether it is an adverb by its ending."""
        return (
            word.endswith("ly")
            and len(word) > 4
            and word not in self.ly_nouns
            and word not in self.verbs
        )

    def is_past(self, word: str) -> bool:
        """Whether it is a past form by its ending or by the list."""
        if word in self.irregular:
            return True
        return word.endswith("ed") and len(word) > 3 and word not in self.not_past

    def is_participle(self, word: str) -> bool:
        """Whether it may follow "has" or "is": a past participle."""
        return word in self.participles or word in _LIKE_THE_BASE or self.is_past(word)

    def may_end_in_s(self, word: str) -> bool:
        """Whether it could be a verb's form in -s, by its shape."""
        return (
            word.endswith("s")
            and len(word) > 3
            and word.isalpha()
            and (not word.endswith(("ss", "us", "is")) or verbs.plural(word) in self.verbs)
            and word not in self.never_verbs
        )

    def is_s_verb(self, word: str) -> bool:
        """Whether it is the form in -s of a verb we know."""
        return self.may_end_in_s(word) and verbs.plural(word) in self.verbs

    def is_closed(self, word: str) -> bool:
        """Whether it is a word of grammar, which heads no noun phrase after a possessive."""
        return (
            word in self.determiners
            or word in self.pronouns
            or word in self.prepositions
            or word in self.conjunctions
            or word in self.wh_words
            or word in self.modals
            or word in _BE_HAVE_DO
        )


_BE_HAVE_DO = frozenset(
    "am is are was were be been being has have had does do did isnt arent wasnt werent hasnt "
    "havent doesnt dont didnt 's 're 've 'm ai".split()
)
# Participles that are base forms too.
_LIKE_THE_BASE = frozenset({"come", "become", "overcome", "run"})


@cache
def phrase_starts() -> Words:
    """The words with which a phrase between subject and verb begins."""
    return frozenset(phrase.partition("_")[0] for phrase in lexicon().midway_phrases)


@cache
def lexicon() -> Lexicon:
    """The lexicon, read once."""
    content = tomllib.loads(files(__package__).joinpath("words.toml").read_text("utf-8"))
    return Lexicon(
        **{
            name: frozenset(words.split())
            for section in content.values()
            for name, words in section.items()
        }
    )
