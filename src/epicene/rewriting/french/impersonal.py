"""Impersonal "il", which refers to nobody: il faut, il fait froid, il reste du pain."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.rewriting.french.inflection import singular_of
from epicene.rewriting.french.lexicon import verb_table, word_list
from epicene.rewriting.french.line import is_adjective, is_person, participle_infinitives
from epicene.rewriting.french.mentions import RARELY_PEOPLE
from epicene.rewriting.french.phrases import read_phrase
from epicene.rewriting.french.verb_groups import clitics_before

if TYPE_CHECKING:
    from collections.abc import Collection

    from epicene.rewriting.french.line import Line
    from epicene.rewriting.french.verb_groups import VerbGroup

_VERBS = word_list("function_words", "impersonal_verbs")
_ADJECTIVES = word_list("function_words", "impersonal_adjectives")
_WEATHER = word_list("function_words", "weather")
_TIMES = word_list("function_words", "time_nouns")
_HAPPENING = word_list("function_words", "happening")
_FOLLOWING = frozenset({"résulter", "ressortir", "découler", "ensuivre"})
# Before an infinitive that may be impersonal: il va pleuvoir.
_SEMI_AUXILIARIES = word_list("function_words", "semi_auxiliaries")
_SOME = word_list("function_words", "some")
_MISSED = word_list("function_words", "missed")
_INVERTED = frozenset({"paraît", "semble", "plaît"})
_DATIVES = frozenset("me m' te t' lui nous vous leur".split())
_FIXED = frozenset(
    {"usage", "mise", "règle", "coutume", "tradition", "notoriété", "rigueur", "bon"}
)


def is_impersonal(line: Line, group: VerbGroup) -> bool:
    """Whether the subject of the verb is an impersonal "il"."""
    if line[group.subject] != "il":
        return False
    before = line[group.start - 1]
    if "plaire" in group.infinitives and before == "s'" and group.clitics:  # s'il vous plaît
        return True
    clitics = {line[index] for index in group.clitics}
    if group.subject > group.verb and (
        before == "heure"  # quelle heure est-il ?
        or line[group.verb] in _INVERTED
        or (before in {"que", "qu'"} and _asks_what_happens(line, group, clitics))
    ):
        return True
    return _is_impersonal_verb(line, group.infinitives, clitics, group.end)


def _asks_what_happens(line: Line, group: VerbGroup, clitics: set[str]) -> bool:
    """Whether the question is about nobody: que se passe-t-il, qu'est-il arrivé, que faut-il."""
    if "y" in clitics or ("en" in clitics and "être" in group.infinitives):
        return True
    found = {*group.infinitives, *participle_infinitives(line[line.after_adverbs(group.end)])}
    return bool(found & (_VERBS | _HAPPENING)) or bool(
        {"se", "s'"} & clitics and found & {"passer", "produire", "agir"}
    )


def _is_impersonal_verb(
    line: Line, infinitives: Collection[str], clitics: set[str], end: int
) -> bool:
    after = line.after_adverbs(end)
    if {"avoir", "être"} & set(infinitives) and (found := participle_infinitives(line[after])):
        if "procéder" in found:
            return True
        if "avoir" in infinitives or {"se", "s'"} & clitics or (_VERBS | _HAPPENING) & {*found}:
            if found != ["être"]:
                return "y" in clitics or _is_impersonal_verb(line, found, clitics, after + 1)
            infinitives, end = ["être"], after + 1
    if not _SEMI_AUXILIARIES.isdisjoint(infinitives) and _governs_impersonal(line, end):
        return True
    return (
        not _VERBS.isdisjoint(infinitives)
        or ("avoir" in infinitives and "y" in clitics)
        or _is_reflexive_happening(line, infinitives, clitics, end)
        or _is_weather(line, infinitives, end)
        or _has_logical_subject(line, infinitives, clitics, end)
        or _has_clause(line, infinitives, clitics, end)
    )


def _governs_impersonal(line: Line, at: int) -> bool:
    """Whether an infinitive follows that is impersonal: il va pleuvoir, il peut y avoir."""
    at = line.after_adverbs(at)
    at += line[at] in {"à", "de", "d'", "par"}
    while line[at] in line.closed.clitics:
        at += 1
    if line[at] not in verb_table().infinitives:
        return False
    clitics = {line[index] for index in clitics_before(line, at)}
    return _is_impersonal_verb(line, [line[at]], clitics, at + 1)


def _is_reflexive_happening(
    line: Line, infinitives: Collection[str], clitics: set[str], end: int
) -> bool:
    """Whether it says what happens or what is dealt with: il s'agit de, il se peut que."""
    if not {"se", "s'"} & clitics:
        return False
    if {"agir", "pouvoir"} & set(infinitives):
        return True
    if "passer" in infinitives:
        return line[end] not in {"de", "d'"}
    return (
        ("faire" in infinitives and "tard" in line.keys[end : end + 3])
        or (
            {"trouver", "avérer"} & set(infinitives)
            and line[line.after_adverbs(end)] in {"que", "qu'"}
        )
        or ("produire" in infinitives and line[end] in _SOME)
    )


def _is_weather(line: Line, infinitives: Collection[str], end: int) -> bool:
    """Whether it says what the weather or the hour is: il fait très froid, il est tard."""
    near = line.keys[end : end + 4]
    if "faire" in infinitives:
        skipped = line.closed.adverbs | {"un", "une"}  # il fait un froid de canard
        said = next((word for word in near if word not in skipped), "")
        return (
            said in _WEATHER
            or near[:1] == ["moins"]
            or not {"degré", "degrés", "temps"}.isdisjoint(near)
        )
    if "être" not in infinitives:
        return False
    if not {"midi", "minuit", "temps", "heure", "heures"}.isdisjoint(near[:3]):
        return near[:1] != ["à"]
    late = next((at for at in range(end, end + 3) if line[at] in {"tard", "tôt"}), None)
    if late is not None:  # il est déjà tard; but il fut plus tard élu
        return not (line.is_open(late + 1) or line[late - 1] == "plus")
    return tuple(near[:2]) == ("une", "fois")


def _has_logical_subject(
    line: Line, infinitives: Collection[str], clitics: set[str], end: int
) -> bool:
    """Whether the thing itself follows the verb: il reste du pain, il me manque deux pages."""
    if _HAPPENING.isdisjoint(infinitives):
        return False
    at = end
    while line.adverb_end(at) > at and line[at] not in _SOME:
        at = line.adverb_end(at)
    word = line[at]
    dative = not _DATIVES.isdisjoint(clitics)
    if word in {"que", "qu'"}:
        return True
    if {"rester", "manquer"} & set(infinitives):
        if "en" in clitics or (word == "à" and line[at + 1] in verb_table().infinitives):
            return True
        if "rester" in infinitives and dative:
            return not is_adjective(word)
    elif dative and word in {"de", "d'"}:  # il m'arrive de lire
        return True
    if "manquer" in infinitives and word in {"le", "la", "l'"}:  # but il manque le train
        return line[at + 1] not in _MISSED and not is_person(line[at + 1])
    if word == "de" and line[at + 1] in {"la", "l'"}:
        return "rester" in infinitives
    return _names_thing(line, at, lasting=bool({"rester", "manquer"} & set(infinitives)))


def _names_thing(line: Line, at: int, *, lasting: bool) -> bool:
    """Whether so much of a thing is named: du pain, deux pages, peu de temps."""
    word = line[at]
    if word not in _SOME and not word.isdigit():
        return False
    phrase = read_phrase(line, at + (word in {"du", "des"}))
    if phrase is None:
        return True
    if not lasting and not _TIMES.isdisjoint(line.keys[at : at + 4]):
        return False  # il est venu une fois
    head = line[phrase.head]
    rarely = not RARELY_PEOPLE.isdisjoint({head, singular_of(head)})
    return rarely or not is_person(head)


def _has_clause(line: Line, infinitives: Collection[str], clitics: set[str], end: int) -> bool:
    """Whether a clause says what is so: il est vrai que, il semble possible de, il en va ainsi."""
    at = line.after_adverbs(end)
    if "y" in clitics and "aller" in infinitives:
        return line[end] in {"de", "d'", "du"}
    if "en" in clitics and {"aller", "être"} & set(infinitives):
        return line[end] in {"de", "ainsi", "autrement"}
    if {"sembler", "paraître"} & set(infinitives):
        if line[at] in {"que", "qu'", ","} or line.ends_sentence(at) or at >= len(line):
            return True
        return _is_impersonal_predicate(line, at)
    if not _FOLLOWING.isdisjoint(infinitives):
        return line[at] in {"que", "qu'", "de", "du", "des"}
    if {"appartenir", "revenir", "tarder"} & set(infinitives):
        return _clause_follows(line, at, within=8) and (
            line[at] in {"à", "au", "aux"} or bool(clitics)
        )
    return bool({"être", "devenir"} & set(infinitives)) and _is_impersonal_predicate(line, at)


def _is_impersonal_predicate(line: Line, at: int) -> bool:
    """Whether the predicate is impersonal: crucial pour lui de, question de, à noter que."""
    word = line[at]
    if word in {"temps", "question", "dommage"} or tuple(line.keys[at : at + 3]) == (
        "hors",
        "de",
        "question",
    ):
        return True
    if tuple(line.keys[at : at + 2]) == ("grand", "temps"):
        return True
    if word == "à" and line[at + 1] in verb_table().infinitives:
        return line[at + 2] in {"que", "qu'"}
    if word in {"de", "d'"}:
        return line[at + 1] in _FIXED
    if word in {"certain", "sûr"}:  # il est certain de gagner is said of somebody
        return line[at + 1] in {"que", "qu'"}
    if word in _ADJECTIVES and _clause_follows(line, at + 1):
        return True
    if not verb_table().is_kind("told", participle_infinitives(word)):
        return False
    return line[line.after_adverbs(at + 1)] in {"que", "qu'", "de", "d'", "un", "une", "des"}


def _clause_follows(line: Line, at: int, *, within: int = 5) -> bool:
    """Whether "que", or "de" with an infinitive, follows."""
    for index in range(at, min(at + within, len(line))):
        if line[index] in {"que", "qu'"}:
            return True
        if line[index] in {"de", "d'"}:
            verb = index + 1
            while line[verb] in line.closed.clitics or line.adverb_end(verb) > verb:
                verb = max(verb + 1, line.adverb_end(verb))
            if line[verb] in verb_table().infinitives:
                return True
        if line.ends_sentence(index) or line[index] == ",":
            return False
    return False
