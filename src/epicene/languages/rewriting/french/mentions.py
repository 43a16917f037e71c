"""Who and what a text names: noun phrases and names, in order."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from epicene.languages.rewriting.french.inflection import inflect, shows, shows_noun, singular
from epicene.languages.rewriting.french.lexicon import Words, read, verbs, words
from epicene.languages.rewriting.french.line import (
    Line,
    is_adjective,
    is_adverb_by_shape,
    is_person,
)
from epicene.languages.rewriting.french.phrases import NounPhrase, read_phrase

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from epicene.languages.rewriting.french.groups import Group
    from epicene.languages.rewriting.people import Gender

_CONTRACTED = frozenset({"au", "aux", "du", "des"})
_PLURAL = frozenset(
    "les des aux ces mes tes ses nos vos leurs quelques plusieurs deux trois quatre cinq six sept"
    " huit neuf dix certains certaines tous toutes tels telles quels quelles".split()
)
_FEMININE = frozenset("la une ma ta sa cette quelle toute aucune certaines toutes".split())
_MASCULINE = frozenset("le un ce cet quel tout aucun au du certains tous".split())


class Mention(NamedTuple):
    """A noun phrase or a name."""

    start: int
    head: int
    end: int
    human: bool
    gender: Gender | None
    plural: bool
    phrase: NounPhrase | None  # None for a name
    after_preposition: bool
    one_gender: bool = False  # even several of them


@cache
def _one_gender() -> Words:
    return words(read("people")["one_gender"])


def is_one_gender(word: str) -> bool:
    """Whether even several people that are called so are of one gender."""
    known = _one_gender()
    return any(inflect(form, "masculine", "noun") in known for form in (word, singular(word)))


@cache
def rarely_people() -> Words:
    """Nouns for people that are things more often."""
    return words(read("people")["rarely_people"])


def find_mentions(line: Line, pronouns: Collection[int], groups: Sequence[Group]) -> list[Mention]:
    """Every noun phrase and name. `pronouns` are the places of articles that are pronouns."""
    verbs_at = {group.verb for group in groups}
    return list(_mentions(line, pronouns, verbs_at))


def _mentions(
    line: Line, pronouns: Collection[int], verbs_at: Collection[int]
) -> Iterator[Mention]:
    at = 0
    while at < len(line):
        found = None
        if at not in pronouns and _opens_phrase(line, at):
            found = _phrase(line, at, verbs_at)
        elif at not in verbs_at and is_name(line, at):
            found = _name(line, at, verbs_at)
        if found is None:
            at += 1
        else:
            yield found
            at = found.end


def _opens_phrase(line: Line, at: int) -> bool:
    return line.is_determiner(at) or line[at] in _CONTRACTED


def _phrase(line: Line, at: int, verbs_at: Collection[int]) -> Mention | None:
    phrase = read_phrase(line, at + (line[at] in _CONTRACTED), stop=verbs_at)
    if phrase is None or tuple(line.words[at - 1 : phrase.end]) in _NOBODY:
        return None
    if line.is_capital(at - 1) and line.is_capital(phrase.head):  # Isabelle la Catholique
        return None
    if line[at] in {"au", "du"}:
        phrase = phrase._replace(determiners=(at, *phrase.determiners))
    word = line[phrase.head]
    plural = any(line[index] in _PLURAL for index in range(at, phrase.head))
    return Mention(
        start=at,
        head=phrase.head,
        end=phrase.end,
        human=phrase.kind == "person" and is_person(word) and word not in rarely_people(),
        gender=_gender(line, at, phrase, plural=plural),
        plural=plural,
        phrase=phrase,
        after_preposition=line[at] in _CONTRACTED - {"des"} or _is_preposition(line, at - 1),
        one_gender=is_one_gender(word),
    )


def _is_preposition(line: Line, at: int) -> bool:
    return line[at] in line.closed.prepositions and line[at] not in {"voici", "voilà", "comme"}


def _gender(line: Line, start: int, phrase: NounPhrase, *, plural: bool) -> Gender | None:
    for index in range(start, phrase.head):
        if line[index] in _FEMININE:
            return "feminine"
        if line[index] in _MASCULINE:
            return "masculine"
    if is_person(line[phrase.head]) and (own := shows_noun(line[phrase.head], plural=plural)):
        return own
    for index in phrase.adjectives:
        if is_adjective(line[index]) and (shown := shows(line[index], plural=plural)):
            return shown
    return None


def is_name(line: Line, at: int) -> bool:
    """Whether a proper name stands there."""
    if not line.is_word(at) or not line.tokens[at].text[0].isupper():
        return False
    word = line[at]
    if word in line.closed.everything or word in _TITLES or is_adverb_by_shape(word):
        return False
    if not line.begins(at):
        return not line.is_determiner(at - 1) or line[at - 1] in _TITLES
    if is_adjective(word) or is_person(word) or line.adverb_end(at) > at:
        return False
    if verbs().forms(word):  # Marie, Pierre
        return line[at + 1] in line.closed.clitics or bool(verbs().forms(line[at + 1]))
    return _goes_on(line, at)


def _goes_on(line: Line, at: int) -> bool:
    """Whether what follows a sentence's first word lets it be a name."""
    after = line[at + 1]
    return (
        line.is_capital(at + 1)
        or after in {",", "et", "de", "qui", "lui-même", "elle-même"}
        or after in line.closed.clitics
        or bool(verbs().forms(after))
    )


_NOBODY = frozenset({("à", "l'", "étranger"), ("de", "l'", "étranger")})
_TITLES = frozenset({"m", "mme", "mr", "mrs", "mlle", "dr", "monsieur", "madame"})


def _name(line: Line, at: int, verbs_at: Collection[int]) -> Mention:
    end = at + 1
    while end not in verbs_at and (
        line.is_capital(end) or (line[end] in {"-"} and line.is_capital(end + 1))
    ):
        end += 1
    return Mention(
        start=at,
        head=at,
        end=end,
        human=True,
        gender=None,
        plural=False,
        phrase=None,
        after_preposition=_is_preposition(line, at - 1),
    )
