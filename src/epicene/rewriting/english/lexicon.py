"""The word lists of English (`words.toml`), and rules for other words by their shape."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from epicene.rewriting.english import conjugation
from epicene.rewriting.word_lists import WordSet, read_toml, word_set


class Lexicon(NamedTuple):
    """The lists of `words.toml`, by title."""

    determiners: WordSet
    pronouns: WordSet
    singular_subjects: WordSet
    plural_subjects: WordSet
    wh_words: WordSet
    prepositions: WordSet
    particles: WordSet
    conjunctions: WordSet
    coordinators: WordSet
    subordinators: WordSet
    modals: WordSet
    adverbs: WordSet
    midway: WordSet
    midway_phrases: WordSet
    ending_phrases: WordSet
    numbers: WordSet
    causatives: WordSet
    perception: WordSet
    complement: WordSet
    givers: WordSet
    gifts: WordSet
    namers: WordSet
    bring_back: WordSet
    predicative: WordSet
    states: WordSet
    ly_nouns: WordSet
    ing_nouns: WordSet
    verbs: WordSet
    surely_verbs: WordSet
    nouns_first: WordSet
    verb_phrases: WordSet
    never_verbs: WordSet
    irregular: WordSet
    unchanging: WordSet
    not_past: WordSet
    participles: WordSet
    has_participles: WordSet
    adjectives: WordSet
    is_participles: WordSet

    def is_adverb(self, word: str) -> bool:
        """Whether the word may come between a subject and its verb."""
        return word in self.midway or self.is_ly_adverb(word)

    def is_ly_adverb(self, word: str) -> bool:
        """Whether the word is an adverb by its ending."""
        return (
            word.endswith("ly")
            and len(word) > 4
            and word not in self.ly_nouns
            and word not in self.verbs
        )

    def is_past(self, word: str) -> bool:
        """Whether the word is a past form, by its ending or by the list."""
        if word in self.irregular:
            return True
        return word.endswith("ed") and len(word) > 3 and word not in self.not_past

    def is_participle(self, word: str) -> bool:
        """Whether the word may be a past participle, after "has" or "is"."""
        return word in self.participles or word in _LIKE_THE_BASE or self.is_past(word)

    def may_end_in_s(self, word: str) -> bool:
        """Whether the word could be a verb form in -s, by its shape."""
        return (
            word.endswith("s")
            and len(word) > 3
            and word.isalpha()
            and (
                not word.endswith(("ss", "us", "is")) or conjugation.plural_verb(word) in self.verbs
            )
            and word not in self.never_verbs
        )

    def is_s_verb(self, word: str) -> bool:
        """Whether the word is the form in -s of a known verb."""
        return self.may_end_in_s(word) and conjugation.plural_verb(word) in self.verbs

    def is_closed(self, word: str) -> bool:
        """Whether the word is a function word, which heads no noun phrase after a possessive."""
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
def phrase_starts() -> WordSet:
    """The first words of the phrases that may come between subject and verb."""
    return frozenset(phrase.partition("_")[0] for phrase in lexicon().midway_phrases)


@cache
def lexicon() -> Lexicon:
    """The lexicon, read once."""
    sections = read_toml("epicene.rewriting.english", "words").values()
    return Lexicon(
        **{name: word_set(words) for section in sections for name, words in section.items()}
    )
