"""The word lists of German, from the TOML files in this folder."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from epicene.rewriting.word_lists import WordSet, read_toml, read_word_lists, word_rows

_PACKAGE = "epicene.rewriting.german"
ADJECTIVE_SUFFIXES = tuple(
    "lich ig isch sam bar los haft voll iert end reich frei wert artig mäßig ell iv".split()
)


class People(NamedTuple):
    """The lists of `people.toml`, as written there."""

    men: WordSet
    er: tuple[str, ...]
    weak: tuple[str, ...]
    or_: tuple[str, ...]
    eur: tuple[str, ...]
    mann: tuple[str, ...]
    adjectival: WordSet
    adjectival_heads: tuple[str, ...]
    adjectival_in: tuple[str, ...]
    ranked: WordSet
    epicene: WordSet
    epicene_heads: tuple[str, ...]
    things_lower: WordSet
    no_compounds: WordSet
    guessed_compounds: WordSet
    inhabitants: WordSet
    titles: WordSet
    title_heads: WordSet
    noble_titles: WordSet


@cache
def people() -> People:
    """The nouns for people, read once."""
    lists = read_word_lists(_PACKAGE, "people")
    compounds = lists["compounds"]
    er = [word for word in compounds if word.endswith("er")]
    weak = [word for word in compounds if word.endswith("e")]
    return People(
        men=frozenset(lists["men"]),
        er=(*lists["er"], *er),
        weak=(*lists["weak"], *weak),
        or_=tuple(lists["or"]),
        eur=tuple(lists["eur"]),
        mann=tuple(lists["mann"]),
        adjectival=frozenset(lists["adjectival"]),
        # Long enough to be found at the end of compounds.
        adjectival_heads=(
            "jährig",
            *(stem.lower() for stem in lists["adjectival"] if len(stem) > 6),
        ),
        adjectival_in=tuple(lists["adjectival_in"]),
        ranked=frozenset(lists["ranked"]),
        epicene=frozenset(lists["epicene"]),
        epicene_heads=tuple(word.lower() for word in lists["epicene"] if len(word) > 3),
        things_lower=frozenset(map(str.lower, (*lists["things"], *lists["epicene"]))),
        no_compounds=frozenset(lists["no_compounds"]),
        guessed_compounds=frozenset(lists["guessed_compounds"]),
        titles=frozenset(map(str.lower, lists["titles"])),
        title_heads=frozenset(map(str.lower, lists["title_heads"])),
        noble_titles=frozenset(map(str.lower, lists["noble_titles"])),
        inhabitants=frozenset(map(str.lower, lists["inhabitants"])),
    )


def person_rows(title: str) -> list[tuple[str, ...]]:
    """The rows of a list of pairs."""
    return word_rows(read_toml(_PACKAGE, "people")[title])


class Words(NamedTuple):
    """The lists of `words.toml`."""

    accusative: WordSet
    dative: WordSet
    two_way: WordSet
    genitive: WordSet
    subordinators: WordSet
    coordinators: WordSet
    adverbs: WordSet
    not_adjectives: WordSet
    adjectives: WordSet
    modals: WordSet
    be: WordSet
    become: WordSet
    have: WordSet
    copula_infinitives: WordSet
    naming: WordSet
    regarding: WordSet
    comparing: WordSet
    finite: WordSet
    irregular_past: WordSet
    greetings: WordSet
    openers: WordSet
    before_vocative: WordSet
    addressing: WordSet
    dear: WordSet
    not_names: WordSet
    compared: WordSet
    not_compared: WordSet
    making: WordSet
    before_plurals: WordSet
    signing: WordSet
    sentence_openers: WordSet
    abbreviations: WordSet
    no_nouns: WordSet
    imperatives: WordSet
    endearments: WordSet
    addressing_signs: WordSet
    dative_verbs: WordSet
    present: WordSet
    acting: WordSet

    @property
    def prepositions(self) -> WordSet:
        """All prepositions."""
        return self.accusative | self.dative | self.two_way | self.genitive


@cache
def words() -> Words:
    """The function words and verbs, read once."""
    lists = read_word_lists(_PACKAGE, "words")
    return Words(**{title: frozenset(found) for title, found in lists.items()})
