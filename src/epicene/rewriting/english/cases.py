"""The case of an ambiguous form, decided by the words around it.

"her" is accusative (I saw her) or dependent (her book), "his" dependent or independent (it is his);
forms of other sets coincide in the same ways.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from epicene.rewriting.english import conjugation

if TYPE_CHECKING:
    from collections.abc import Callable

    from epicene.languages.pronouns import Case
    from epicene.rewriting import Confidence
    from epicene.rewriting.english.frames import Mention
    from epicene.rewriting.english.line import Line


class Possession(NamedTuple):
    """Whether the form is a possessive determiner, the rule, and its confidence."""

    own: bool
    rule: str
    sure: Confidence


def decide_possession(line: Line, mention: Mention, *, object_form: bool) -> Possession:
    """Whether the form is a possessive determiner; `object_form` if it may be an object instead."""
    at = mention.last + 1
    if line.opens_quote(at) and not (object_form and line[at] in {"(", "["}):
        at += 1
    if line[at] in {"…", "..."}:
        return _cut_off(line, mention, object_form=object_form)
    if not _begins_noun_phrase(line, at):
        return Possession(False, "no noun follows", "likely" if line.is_word(at) else "certain")
    if object_form:
        for rule, holds in _OBJECT_RULES:
            if holds(line, mention.first - 1, at):
                return Possession(False, rule, "likely")
    sure: Confidence = (
        "certain" if line[mention.first - 1] in line.lexicon.prepositions else "likely"
    )
    return Possession(True, "a noun follows", sure)


def _cut_off(line: Line, mention: Mention, *, object_form: bool) -> Possession:
    """The decision for a text that ends after the form, by the word before it."""
    before, rule = line[mention.first - 1], "the text breaks off"
    if object_form:
        return Possession(before in _BEFORE_POSSESSIVES, rule, "guess")
    return Possession(before not in {"is", "was", "be", "'s", "than"}, rule, "guess")


_BEFORE_POSSESSIVES = frozenset("in on of at from during under into all both over".split())


# --- can a noun phrase begin here? ----------------------------------------------------------

# These begin one where a noun or an adjective follows: her very first, her then husband.
_BEFORE_NOUNS = frozenset(
    "very most more much less least ever always still then once now even just never only "
    "almost quite rather well first next last later other long far like better online prior "
    "one".split()
)
_INTERJECTIONS = frozenset(
    "haha hahaha hehe lol lmao omg wtf smh idk btw tbh imo please pls plz thanks thx sorry bye "
    "goodbye ok okay yes yeah yep nope wow oh hey uh um er abt rt lor xd amen d".split()
)
_AFTER_EVERY = frozenset("word move need whim step breath thought wish turn".split())
_AFTER_ADVERBS = frozenset("now away here there then".split())

# Words that begin a noun phrase or not by what follows them.
_BY_WHAT_FOLLOWS: dict[str, Callable[[Line, int], bool]] = {
    "own": lambda _line, _after: True,
    "best": lambda _line, _after: True,
    "will": lambda line, after: line[after] not in line.lexicon.verbs,
    "every": lambda line, after: line[after] in _AFTER_EVERY,
    "past": lambda line, after: line[after] not in line.lexicon.determiners,
    "being": lambda line, after: line.begins(after - 2) or not line.is_word(after),
    "cause": lambda line, after: (
        not line.is_word(after) or line[after] in line.lexicon.prepositions
    ),
    # Nouns and adverbs: her back hurts, call her back.
    **dict.fromkeys(
        ("back", "home", "right"), lambda line, after: line[after] not in _AFTER_ADVERBS
    ),
}


def _begins_noun_phrase(line: Line, at: int) -> bool:
    """Whether a noun, or a word that may precede one, is at that token."""
    while line.is_word(at):
        word, after = line[at], at + 1
        if word in _BY_WHAT_FOLLOWS:
            return _BY_WHAT_FOLLOWS[word](line, after)
        if word in {"first", "next", "last"} and line[after] in {"and", "&", "or"}:
            return True
        if word not in _BEFORE_NOUNS and not line.lexicon.is_ly_adverb(word):
            return is_nominal(line, at)
        at = after + 1 if line.opens_quote(after) else after
    return line.is_number(at) and line[at + 1] != "%"


def is_nominal(line: Line, at: int) -> bool:
    """Whether the token is a word that can belong to a noun phrase."""
    if line.opens_quote(at) and line[at] not in {"(", "["}:
        at += 1
    word, lexicon = line[at], line.lexicon
    if line.is_number(at):
        return True
    return (
        line.is_word(at)
        and not lexicon.is_closed(word)
        and word not in lexicon.adverbs
        and word not in lexicon.particles
        and word not in _INTERJECTIONS
        and word not in {"more", "less", "many", "much"}
        and not lexicon.is_ly_adverb(word)
    )


# --- objects with something after them --------------------------------------------------------

_PURE_VERBS = frozenset(
    "know see feel think believe get go forget become understand come be do have say sit "
    "eat".split()
)
_ACTION_VERBS = frozenset(
    "walk talk run dance fall move cry laugh look drive drink smoke fight fly rest stand start "
    "stop turn jump climb swing dive touch struggle suffer travel help win lead play ride cook "
    "wonder work feel want need worry sound notice respect regret answer change".split()
)


def _bare_infinitive(line: Line, before: int, at: int) -> bool:
    """Whether a bare infinitive follows: let her go, made her cry, only her know."""
    word, governor, lexicon = line[at], line[before], line.lexicon
    if word not in lexicon.verbs or word == "own":
        return False
    if word in _PURE_VERBS or governor in {"let", "lets", "letting", "lemme"}:
        return True
    return governor in lexicon.causatives and (
        word not in lexicon.nouns_first or word in _ACTION_VERBS
    )


def _present_participle(line: Line, before: int, at: int) -> bool:
    """Whether a present participle follows: saw her dancing, pictures of her holding a cup."""
    word, lexicon = line[at], line.lexicon
    if not (word.endswith("ing") and len(word) > 5) or word in {"being", "having"}:
        return False
    if line.opens_quote(at) or (is_nominal(line, at + 1) and not lexicon.is_past(line[at + 1])):
        return False
    if line[before] in lexicon.perception:
        return True
    if line[at + 1] in lexicon.determiners or line[at + 1] in lexicon.pronouns:
        return not line.begins(before + 1)
    if line[before] not in lexicon.prepositions or word in lexicon.ing_nouns:
        return False
    return line[at + 1] in lexicon.prepositions or lexicon.is_past(line[at + 1])


def _past_participle(line: Line, before: int, at: int) -> bool:
    """Whether a past form follows: had her arrested, the man beside her smiled."""
    word, lexicon = line[at], line.lexicon
    if not lexicon.is_participle(word) or word in lexicon.nouns_first or line.begins(before + 1):
        return False
    return not is_nominal(line, at + 1) and not line.opens_quote(at + 1)


def _complement(line: Line, before: int, at: int) -> bool:
    """Whether an object complement follows: made her happy, found her asleep."""
    word, lexicon = line[at], line.lexicon
    if line[before] in lexicon.complement and word in {"more", "less"}:
        return True
    if line[before] in lexicon.prepositions or is_nominal(line, at + 1):
        return False
    if word == "right" and line[at + 1] in {"to", "of"}:
        return False
    if line[before] not in lexicon.complement:
        return word in lexicon.predicative
    return word in lexicon.predicative or word in lexicon.states or word.endswith(_ADJECTIVES)


_ADJECTIVES = ("ful", "ous", "ive", "able", "ible", "less", "ish", "worthy", "ential", "icent")


def _gift(line: Line, before: int, at: int) -> bool:
    """Whether the direct object of a verb of giving or telling follows: gave her flowers."""
    word, lexicon = line[at], line.lexicon
    if line[before] not in lexicon.givers:
        return False
    counted = word in lexicon.numbers or (word.isdigit() and len(word) < 4)
    return counted or (word in lexicon.gifts and line[at + 1] != "of")


def _naming(line: Line, before: int, at: int) -> bool:
    """Whether a name follows a verb of naming: called her Susan."""
    return line[before] in line.lexicon.namers and line.is_capital(at)


_UNITS = frozenset(
    "night week month year time summer winter day morning evening weekend monday tuesday wednesday "
    "thursday friday saturday sunday january february april june july august september october "
    "november december".split()
)


def _time_expression(line: Line, before: int, at: int) -> bool:
    """Whether a time follows: saw her last night, warned her three times, met her two years ago."""
    if line[at] == "one" and line[at + 1] in _UNITS:
        return True
    if line[at] in {"last", "next", "first"} and line[at + 1] in _UNITS:
        return line[before] not in line.lexicon.prepositions
    counted = line.is_number(at) or line[at] in line.lexicon.numbers
    return counted and ("ago" in (line[at + 2], line[at + 3]) or line[at + 1] == "times")


def _directional_adverb(line: Line, before: int, at: int) -> bool:
    """Whether a directional adverb follows: brought her home, called her back, proved her right."""
    return (
        line[at] in {"back", "home", "right", "straight", "online"}
        and line[before] in line.lexicon.bring_back
        and not is_nominal(line, at + 1)
    )


def _before_verb(line: Line, _before: int, at: int) -> bool:
    """Whether a finite verb of another subject follows: The man who loves her says nothing."""
    word, lexicon = line[at], line.lexicon
    return (
        word in lexicon.surely_verbs
        and conjugation.plural_verb(word) not in lexicon.nouns_first
        and not is_nominal(line, at + 1)
    )


_OBJECT_RULES: tuple[tuple[str, Callable[[Line, int, int], bool]], ...] = (
    ("object of a verb with an infinitive", _bare_infinitive),
    ("object with a participle", _present_participle),
    ("object with a past participle, or before a verb", _past_participle),
    ("object with a complement", _complement),
    ("object that receives something", _gift),
    ("object with a name", _naming),
    ("object before a time", _time_expression),
    ("object before an adverb", _directional_adverb),
    ("object before a verb", _before_verb),
)


class CaseDecision(NamedTuple):
    """A case, the rule that decided it, and its confidence."""

    case: Case
    rule: str
    sure: Confidence


def decide_case(line: Line, mention: Mention) -> CaseDecision:
    """The case of a mention."""
    cases = mention.cases
    if len(cases) == 1:
        return CaseDecision(cases[0], "the form has one case", "certain")
    if "/" in (line[mention.first - 1], line[mention.last + 1]):
        return _decide_in_list(line, mention)
    if "nominative" in cases:
        if _is_subject(line, mention):
            return CaseDecision("nominative", "a verb follows", "likely")
        cases = tuple(case for case in cases if case != "nominative")
    if "dependent" in cases:
        own, rule, sure = decide_possession(line, mention, object_form="accusative" in cases)
        if own:
            return CaseDecision("dependent", rule, sure)
        cases = tuple(case for case in cases if case != "dependent")
        return CaseDecision(cases[0], rule, sure)
    return CaseDecision(cases[0], "no verb follows", "likely")


def _decide_in_list(line: Line, mention: Mention) -> CaseDecision:
    """The case in a list of forms, in the order people use: "she/her", "he/him/his"."""
    if "accusative" in mention.cases:
        return CaseDecision("accusative", "second of a list of forms", "likely")
    last = line[mention.last + 1] != "/"
    case: Case = "independent" if last and "independent" in mention.cases else mention.cases[0]
    return CaseDecision(case, "last of a list of forms", "guess")


def _is_subject(line: Line, mention: Mention) -> bool:
    """Whether a finite verb follows or an auxiliary precedes."""
    lexicon, after = line.lexicon, line.after_adverbs(mention.last + 1)
    word = line[after]
    finite = (
        word in {"is", "was", "has", "does", "'s", "'d", "'ll"}
        or word in lexicon.modals
        or lexicon.is_past(word)
        or lexicon.is_s_verb(word)
    )
    return finite or line[mention.first - 1] in {"is", "was", "has", "does", "did", "n't"}
