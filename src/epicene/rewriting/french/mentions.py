"""Mentions: the noun phrases and names of a text, and whether each denotes people."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from epicene.rewriting.french.inflection import (
    inflect,
    is_plural,
    shown_gender,
    shown_noun_gender,
    singular_of,
)
from epicene.rewriting.french.lexicon import verb_table, word_list
from epicene.rewriting.french.line import (
    MEN,
    QUOTES,
    WOMEN,
    Line,
    is_adjective,
    is_adverb_by_shape,
    is_person,
    participle_infinitives,
)
from epicene.rewriting.french.phrases import FIXED_GENDER_NOUNS, NounPhrase, read_phrase

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from epicene.rewriting.french.verb_groups import VerbGroup
    from epicene.rewriting.persons import Gender

_FIXED_FEMININE = word_list("people", "fixed_feminine")
_CONTRACTED = frozenset({"au", "aux", "du", "des"})
_PLURAL = word_list("function_words", "plural")
_FEMININE = frozenset("la une ma ta sa cette quelle toute aucune certaines toutes".split())
_CONSONANTS = frozenset("bcçdfgjklmnpqrstvwxz")
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


_ONE_GENDER_NOUNS = word_list("people", "one_gender")


def is_one_gender(word: str) -> bool:
    """Whether the noun denotes people of one gender even in the plural."""
    known = _ONE_GENDER_NOUNS
    return is_person(word) and any(
        inflect(form, "masculine", "noun") in known for form in (word, singular_of(word))
    )


# Nouns for people that are things more often.
RARELY_PEOPLE = word_list("people", "rarely_people")


_MACHINES = word_list("people", "machines")
_PROGRAMS = word_list("people", "programs")
AMONG_PEOPLE = word_list("people", "among_people")


def names_person(line: Line, at: int) -> bool:
    """Whether a noun is a person's, not a thing's, a program's or an acronym."""
    word = line[at]
    if not is_person(word):
        return False
    last = word.rpartition("-")[2]  # la Maison-Blanche
    forms = {word, singular_of(word), last, singular_of(last)}
    if "gestionnaire" in forms and line[at + 1] in {"de", "d'", "des", "du"}:
        return False
    if line[at + 1] == "noël" or (word == "dieu" and line.is_capital(at)):
        return False
    if "lecteur" in forms and line[at + 1] in {"de", "d'"} and line[at + 2] not in _READ_BY_PEOPLE:
        return False  # le lecteur de cartes
    if forms & _PROGRAMS and AMONG_PEOPLE.isdisjoint(line.keys):
        return False
    if word == "type" and line[at - 1] in {"ce", "un"} and line[at + 1] in _AFTER_TYPE:
        return not line.is_technical
    if forms & RARELY_PEOPLE or (forms & _MACHINES and _is_about_machines(line)):
        return False
    if word in _NOT_INHABITANTS and line.is_capital(at) and line[at - 1] == "la":
        return False  # la Marseillaise
    if word in _CONTAINERS and line[at - 2] in {"dans", "sur", "derrière", "sous"}:
        return False  # dans la cuisinière
    if line[at + 1] == "à" and line[at + 2] in {"gaz", "bois", "induction", "vapeur", "charbon"}:
        return False  # une cuisinière à gaz
    return not line.tokens[at].text.isupper() or line.text.isupper() or word in _OFFICES


_CONTAINERS = frozenset("cuisinière jardinière portière laitière cafetière".split())
# Ce type est fou; not ce type de robe.
_AFTER_TYPE = frozenset("qui ? ! est était a avait m' t' s' l' me te se -".split())
_OFFICES = frozenset({"pdg", "drh", "sdf", "cpe"})


def _is_about_machines(line: Line) -> bool:
    """Whether the text is technical and has nothing that only people talk of."""
    return line.is_technical and (AMONG_PEOPLE - _ALSO_OF_PROGRAMS).isdisjoint(line.keys)


_ALSO_OF_PROGRAMS = word_list("function_words", "also_of_programs")
_READ_BY_PEOPLE = frozenset("la l' ce cette romans presse journaux livres bd mon notre".split())


def find_mentions(
    line: Line, pronouns: Collection[int], groups: Sequence[VerbGroup]
) -> list[Mention]:
    """Every noun phrase and name. `pronouns` are the indices of articles that are pronouns."""
    verbs_at = {group.verb for group in groups}
    described = {group.verb for group in groups if describes_people(line, group)}
    acting = {group.subject for group in groups if _is_done_by_people(line, group)}
    things = {group.verb for group in groups if describes_things(line, group)}
    found: list[Mention] = []
    for each in _mentions(line, pronouns, verbs_at):
        mention = _with_its_verb(line, each, acting=acting, described=described, things=things)
        found.append(_as_the_latter(line, mention, found))
    return _with_names_of_one_gender(line, found, groups)


def last_like(
    mentions: Sequence[Mention], gender: Gender | None, *, plural: bool
) -> Mention | None:
    """The last of the mentions that has the number, and may have the gender."""
    like = (each for each in reversed(mentions) if each.plural == plural)
    return next((each for each in like if each.gender in {gender, None}), None)


def _with_names_of_one_gender(
    line: Line, found: list[Mention], groups: Sequence[VerbGroup]
) -> list[Mention]:
    """The mentions; nothing changes of who has such a name: mon ami Julien; Julie, ma voisine."""
    named = [each for each in found if shows_gender_by_name(each)]
    starts, ends = {each.start for each in named}, {each.end for each in named}
    said = {
        line.after_adverbs(group.end)
        for group in groups
        if {"être", "devenir"} & set(group.infinitives)
        and (
            group.subject + 1 in ends
            or (group.kind == "same" and line.sentence(group.start)[0] in starts)
        )
    }
    return [
        each._replace(human=False)
        if each.end in starts
        or each.start in said
        or (line[each.start - 1] == "," and each.start - 1 in ends)
        else each
        for each in found
    ]


def shows_gender_by_name(mention: Mention) -> bool:
    """Whether somebody's first name is a woman's or a man's."""
    return mention.phrase is None and mention.gender is not None


def _as_the_latter(line: Line, mention: Mention, before: Sequence[Mention]) -> Mention:
    """The mention; "ce dernier" is a person if the last noun of its gender and number is."""
    word = inflect(singular_of(line[mention.head]), "masculine")
    latter = line[mention.start] in {"ce", "cette", "ces"} and word == "dernier"
    only = word in {"seul", "premier", "meilleur"} and line[mention.start - 1] == "est"
    only = only and line[mention.end] in {"que", "qu'", "qui", "à", "dont"}  # c'est le seul que …
    if mention.end != mention.start + 2 or not (latter or only):
        return mention
    last = last_like(before, mention.gender, plural=mention.plural)
    return mention._replace(human=last is not None and last.human)


def _with_its_verb(
    line: Line,
    mention: Mention,
    *,
    acting: Collection[int],
    described: Collection[int],
    things: Collection[int],
) -> Mention:
    """The mention as what its verb says of it shows it: le petit dort; %s est obsolète."""
    word = line[mention.head]
    if mention.phrase is None:
        return mention._replace(human=mention.human and mention.end not in things)
    listed = word in _PEOPLE_IF_THEY_ACT
    people = (mention.end - 1 in acting and listed) or (
        mention.end in described and (listed or is_person(word))
    )
    return mention._replace(human=mention.human or people)


def describes_people(line: Line, group: VerbGroup) -> bool:
    """Whether what être says is said of people alone: l'aide est décédé, le garde a été blessé."""
    excepted = {"arrêté", "payé", "sauvé", "interrogé", "malade", "converti"}
    return predicate_after(line, group) in SAID_OF_PEOPLE - excepted


def describes_things(line: Line, group: VerbGroup) -> bool:
    """Whether what être says is said of things: ils sont obsolètes, il doit être sélectionné."""
    return predicate_after(line, group) in _SAID_OF_THINGS


_SAID_OF_THINGS = word_list("adjectives", "said_of_things")


def predicate_after(line: Line, group: VerbGroup) -> str:
    """The masculine singular of what être or avoir été says, "" for other verbs."""
    at = line.after_adverbs(group.end)
    governed = {"avoir": "été", "devoir": "être", "pouvoir": "être"}
    words = [word for verb, word in governed.items() if verb in group.infinitives]
    if line[at] in words:
        at = line.after_adverbs(at + 1)
    elif "être" not in group.infinitives:
        return ""
    return inflect(singular_of(line[at]), "masculine")


_PEOPLE_IF_THEY_ACT = word_list("people", "people_if_they_act")


def _is_done_by_people(line: Line, group: VerbGroup) -> bool:
    """Whether only people do what the verb says: le petit s'est endormi, le facteur sourit."""
    done = participle_infinitives(line[line.after_adverbs(group.end)])
    return verb_table().is_kind("by_people", [*group.infinitives, *done])


def _mentions(
    line: Line, pronouns: Collection[int], verbs_at: Collection[int]
) -> Iterator[Mention]:
    at = 0
    while at < len(line):
        found = None
        if at not in pronouns and _opens_phrase(line, at):
            found = _phrase_mention(line, at, verbs_at)
        elif at not in verbs_at and is_name(line, at):
            found = _name_mention(line, at, verbs_at)
        if found is None:
            at += 1
        else:
            yield found
            at = found.end


def _opens_phrase(line: Line, at: int) -> bool:
    if line[at] == "l'" and line[at + 1] == "avoir" and line.is_infinitive(at + 1):
        return False  # l'avoir vu
    if line[at] == "un" and line[at + 1] == "peu":
        return False
    return line.is_determiner(at) or line[at] in _CONTRACTED or _is_after_quantity(line, at)


_QUANTITIES = word_list("function_words", "quantities")


def _is_after_quantity(line: Line, at: int) -> bool:
    """Whether "de" follows how many there are: beaucoup de clients, un groupe d'élèves."""
    return line[at] in {"de", "d'"} and line[at - 1] in _QUANTITIES and line.is_open(at + 1)


def _phrase_mention(line: Line, at: int, verbs_at: Collection[int]) -> Mention | None:
    counted = _is_after_quantity(line, at)
    phrase = read_phrase(line, at + (counted or line[at] in _CONTRACTED), stop=verbs_at)
    if phrase is None or tuple(line.keys[at - 1 : phrase.end]) in _NOT_PEOPLE:
        return None
    if _is_title_of_work(line, at, phrase.end):
        return None
    if line.is_capital(at - 1) and line.is_capital(phrase.head):  # Isabelle la Catholique
        return None
    if line[at] in {"au", "du"}:
        phrase = phrase._replace(determiners=(at, *phrase.determiners))
    word = line[phrase.head]
    plural = any(line[index] in _PLURAL for index in range(at, phrase.head))
    if counted:
        plural = is_plural(word) or word.endswith("s")
    return Mention(
        start=at,
        head=phrase.head,
        end=phrase.end,
        human=(phrase.kind == "person" and names_person(line, phrase.head))
        or is_inhabitant(line, phrase.head)
        or _is_adjective_for_people(line, phrase)
        or _is_first_to(line, phrase)
        or _is_person_there(line, phrase)
        or (is_person(word) and any(_is_said_of_people(line[each]) for each in phrase.adjectives)),
        gender=_gender(line, at, phrase, plural=plural),
        plural=plural,
        phrase=phrase,
        after_preposition=line[at] in _CONTRACTED - {"des"} or _is_preposition(line, at - 1),
    )


def _is_title_of_work(line: Line, start: int, end: int) -> bool:
    """Whether a phrase fills quotation marks and has a capital: « La Reine morte »."""
    quoted = line[start - 1] in QUOTES and line[end] in QUOTES
    return quoted and any(line.is_capital(index) for index in range(start + 1, end))


def _is_said_of_people(word: str) -> bool:
    return inflect(singular_of(word), "masculine") in SAID_OF_PEOPLE


# What is said of people, never of things.
SAID_OF_PEOPLE = word_list("adjectives", "said_of_people")


def _is_preposition(line: Line, at: int) -> bool:
    return line[at] in line.closed.prepositions and line[at] not in {"voici", "voilà", "comme"}


def _gender(line: Line, start: int, phrase: NounPhrase, *, plural: bool) -> Gender | None:
    if phrase.kind == "fixed":
        return "feminine" if singular_of(line[phrase.head]) in _FIXED_FEMININE else "masculine"
    for index in range(start, phrase.head):
        if line[index] in _FEMININE:
            return "feminine"
        if line[index] in _MASCULINE:
            return "masculine"
        if line[index] in {"mon", "ton"} and line[index + 1][:1] in _CONSONANTS:
            return "masculine"  # mon chien; but mon amie
    if is_person(line[phrase.head]) and (
        own := shown_noun_gender(line[phrase.head], plural=plural)
    ):
        return own
    for index in phrase.adjectives:
        if is_adjective(line[index]) and (shown := shown_gender(line[index], plural=plural)):
            return shown
    if phrase.kind == "thing" and not plural and line[start] in _OWNED:
        after = line.after_adverbs(phrase.end + 1)
        if line[phrase.end] in {"est", "était", "sera"} and is_adjective(line[after]):
            return shown_gender(line[after])  # votre commande est prête
    return None


_OWNED = frozenset("mon ton notre votre l'".split())


_THING_ENDING = re.compile(r".{3,}(?:tion|sion|ment|té|ure|age|ance|ence|isme|tude)s?")


def is_name(line: Line, at: int) -> bool:
    """Whether the word is a proper name."""
    if not line.is_word(at) or not line.tokens[at].text[0].isupper():
        return False
    word = line[at]
    if word in line.closed.everything or word in _TITLES or is_adverb_by_shape(word):
        return False
    if word in _GREETINGS:
        return False
    if not line.begins(at):
        return not line.is_determiner(at - 1) or line[at - 1] in _TITLES
    if line.is_first_name(at) and _may_follow_name(line, at):
        return True
    if is_adjective(word) or is_person(word) or line.adverb_end(at) > at:
        return False
    if word in FIXED_GENDER_NOUNS:  # Personne n'est venu
        return False
    if _THING_ENDING.fullmatch(word):  # Modifications qui …
        return False
    if verb_table().forms(word):  # Marie, Pierre
        return line[at + 1] in line.closed.clitics or bool(verb_table().forms(line[at + 1]))
    return _may_follow_name(line, at)


def _may_follow_name(line: Line, at: int) -> bool:
    """Whether the word after a sentence's first word allows that to be a name."""
    after = line[at + 1]
    return (
        line.is_capital(at + 1)
        or after in {",", "et", "de", "qui", "lui-même", "elle-même"}
        or after in line.closed.clitics
        or bool(verb_table().forms(after))
    )


_GREETINGS = word_list("function_words", "greetings")
_NOT_PEOPLE = frozenset({("à", "l'", "étranger"), ("de", "l'", "étranger")})
_TITLES = frozenset({"m", "mme", "mr", "mrs", "mlle", "dr", "monsieur", "madame"})


_CODE_NAME = re.compile(r".*\d.*|.|[A-ZÀ-Ý]{2,}.*|(?!Ma?c|D[eiu]|L[aei]|Van|O').+[a-z][A-Z].*")


def _is_personal_name(line: Line, at: int) -> bool:
    """Whether a capitalised word may be somebody's name: no acronym, no name of a program."""
    return line.text.isupper() or not _CODE_NAME.fullmatch(line.tokens[at].text)


def _name_mention(line: Line, at: int, verbs_at: Collection[int]) -> Mention:
    end = at + 1
    while end not in verbs_at and (
        line.is_capital(end) or (line[end] in {"-"} and line.is_capital(end + 1))
    ):
        end += 1
    return Mention(
        start=at,
        head=at,
        end=end,
        human=_is_personal_name(line, at)
        and line[at] not in MEN | WOMEN
        and line[at - 1] not in {"né", "née"},  # née Jacob
        gender="masculine" if line[at] in MEN else "feminine" if line[at] in WOMEN else None,
        plural=False,
        phrase=None,
        after_preposition=_is_preposition(line, at - 1),
    )


_DEMONYMS = word_list("people", "demonyms")


_INHABITANT = re.compile(r".{2,}(?:ienn?e?|éenn?e?|aise?|oise?|aine?|ine?|ane?)s?")
# Names of regions and things that end like those of their people.
_NOT_INHABITANTS = word_list("people", "not_inhabitants")


def is_inhabitant(line: Line, at: int) -> bool:
    """Whether a capitalised word after a determiner names where people are from: une Corse."""
    word = line[at]
    if not line.is_capital(at) or line.is_capital(at + 1) or word == "philippines":
        return False
    if word in _NOT_INHABITANTS and line[at - 1] in {"la", "l'", "en", "de", "d'"}:
        return False
    if not (line.is_determiner(at - 1) or line[at - 1] in _CONTRACTED):
        return False
    if word in _DEMONYMS or singular_of(word) in _DEMONYMS:
        return True
    several = line[at - 1] not in {"le", "la", "l'", "du", "au"}
    return several and bool(_INHABITANT.fullmatch(word))


def _is_person_there(line: Line, phrase: NounPhrase) -> bool:
    """Whether a word for things too means a person: le petit dernier; le facteur, without "de"."""
    word = singular_of(line[phrase.head])
    if word in {"général", "générale", "major"} and line.is_capital(phrase.head + 1):
        return True  # le général Morel
    if tuple(line.keys[phrase.end : phrase.end + 3]) == ("à", "la", "retraite"):
        return is_person(word)
    if word in {"international", "internationale"}:
        return bool(phrase.adjectives) and is_person(line[phrase.adjectives[0]])
    if word in _BEFORE_NAMES and phrase.end == phrase.head + 1 and line.is_capital(phrase.end):
        return line.is_determiner(phrase.head - 1)
    if word in {"supérieur", "supérieure"}:
        return line[phrase.head - 1] in _POSSESSIVES and phrase.end == phrase.head + 1
    if word in {"ancien", "ancienne"} and phrase.end == phrase.head + 1:
        return line[phrase.end] in {"de", "d'", "du", "des"}
    if word == "jeune":
        return phrase.end == phrase.head + 1 and not line.is_capital(phrase.end)
    if word in {"dernier", "dernière"}:
        return line[phrase.head - 1] in {"petit", "petite", "petits", "petites"}
    definite = line[phrase.head - 1] in {"le", "la", "au", "du", "notre", "mon", "votre"}
    alone = phrase.end == phrase.head + 1 and line[phrase.end] not in {"de", "d'", "du", "des"}
    return word in _POST and definite and alone and not line.is_technical


_POSSESSIVES = frozenset("mon ma ton ta son sa notre votre leur".split())
# Before a name they are somebody's: le petit Camille, la vieille Dominique.
_BEFORE_NAMES = frozenset("petit petite vieux vieille pauvre brave".split())
_POST = frozenset({"facteur", "factrice", "pilote"})


def _is_first_to(line: Line, phrase: NounPhrase) -> bool:
    """Whether the phrase is who does something before all others: le premier à répondre."""
    rank = inflect(singular_of(line[phrase.head]), "masculine") in {"premier", "dernier", "seul"}
    return (
        rank
        and phrase.end == phrase.head + 1
        and line[phrase.end] == "à"
        and line[phrase.end + 1] in verb_table().infinitives - {"être"}
    )


ADJECTIVES_AS_PEOPLE = word_list("people", "adjectives_as_people")


def _is_adjective_for_people(line: Line, phrase: NounPhrase) -> bool:
    """Whether an adjective stands for people: un alcoolique, les intéressés; not le riche passé."""
    if phrase.end != phrase.head + 1 or line[phrase.head - 1] in {"de", "d'", "en"}:
        return False
    word = line[phrase.head]
    return not ADJECTIVES_AS_PEOPLE.isdisjoint(
        {inflect(word, "masculine"), inflect(singular_of(word), "masculine")}
    )
