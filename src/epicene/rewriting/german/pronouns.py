"""Pronouns and possessives of the third person: er and sie, sein and ihr."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.rewriting.german.agreement import Adder, clause_end, find_relative
from epicene.rewriting.german.clauses import is_polite
from epicene.rewriting.german.inflection import Concord, determiner, noun_readings, relative
from epicene.rewriting.german.lexicon import words
from epicene.rewriting.german.line import opens_with_subject
from epicene.rewriting.german.phrases import is_adjective

if TYPE_CHECKING:
    from epicene.rewriting import Confidence
    from epicene.rewriting.german.line import Line
    from epicene.rewriting.german.roles import Roles

_STEMS: tuple[tuple[str, Concord], ...] = (("sein", "m"), ("ihr", "f"))
_MASCULINE = {"er": "sie", "ihn": "sie", "ihm": "ihr"}
_PLURAL_VERBS = frozenset(
    "sind waren haben hatten wurden werden können konnten müssen mussten sollen wollen".split()
)
_SINGULAR_VERBS = frozenset(
    "gefällt fehlt gehört hilft gelingt schmeckt bleibt geht".split()
) | frozenset(
    "ist war hat hatte wird wurde kann konnte muss musste soll sollte will wollte darf".split()
)
_BEFORE_PARTICIPLES = frozenset("alle allen die der den dem das des eine einer jede jeder".split())
_FEMININE_THING_ENDINGS = ("ung", "heit", "keit", "schaft", "ion", "tät", "ie", "ik", "ur")


def read_third_persons(roles: Roles) -> None:
    """Add the pronouns and possessives of people who are only spoken about."""
    line = roles.line
    people_at = _people(roles)
    adder = Adder(line, roles.sites, "others", "pronoun", "likely")
    for at in range(len(line)):
        word = line[at]
        if not line.is_word(at) or _read_possessive(roles, at, people_at, adder):
            continue
        if at in roles.sites:
            continue
        if word in _MASCULINE:
            if not _means_thing(roles, at, "m", people_at):
                adder.word(at, word, _MASCULINE[word])
                people_at["m"].append(at)
        elif word == "sie":
            _read_sie(roles, at, people_at, adder)
        elif word == "ihr" and _is_dative(line, at):
            if not _means_thing(roles, at, "f", people_at):
                adder.word(at, "ihm", "ihr")
        elif word in {"der", "die"} and line[at - 1] == "," and _is_name(line, at - 2):
            _read_relative(roles, at, adder, people_at)
        elif word in {"dessen", "deren"} and _follows_person(roles, at):
            adder.word(at, "dessen", "deren")


def _follows_person(roles: Roles, at: int) -> bool:
    """Whether the last noun before the sentence is who is meant: …; dessen Anschrift …"""
    if not roles.line.starts_sentence(at):
        return False
    last = next((index for index in range(at - 1, -1, -1) if roles.line.is_capital(index)), -1)
    phrase, role = roles.found.get(last, (None, None))
    if phrase is None or role is None or role.who != "others" or phrase.cell.plural:
        return False
    return (phrase.reading.gender == "masculine") == (roles.line[at] == "dessen")


def _read_possessive(
    roles: Roles, at: int, people_at: dict[Concord, list[int]], adder: Adder
) -> bool:
    """Add the owner of sein or ihr; whether the word is one of them."""
    line = roles.line
    for stem, concord in _STEMS:
        if not line[at].startswith(stem) or not _is_possessive(line, at, stem):
            continue
        several = stem == "ihr" and (
            _polite_possessive(line, at) or _means_several(roles, at, people_at)
        )
        if not several and not _means_thing(roles, at, concord, people_at, possessive=True):
            adder.owner(at)
            people_at[concord].append(at)
        return True
    return False


def _people(roles: Roles) -> dict[Concord, list[int]]:
    """Where people of each gender are named."""
    found: dict[Concord, list[int]] = {"m": [], "f": [], "n": [], "p": []}
    for at, (phrase, role) in roles.found.items():
        if role.who != "others":
            continue
        if phrase.cell.plural:
            found["p"].append(at)
        else:
            found["m" if phrase.reading.gender == "masculine" else "f"].append(at)
    return found


def _is_name(line: Line, at: int) -> bool:
    """Whether the word looks like a name: a capital, no determiner, no adjective before it."""
    if not line.is_capital(at) or line[at] in words().adverbs | words().subordinators:
        return False
    text = line.tokens[at].text
    if text.endswith(_FEMININE_THING_ENDINGS) or (text.isupper() and len(text) > 1):
        return False
    before = line[at - 1]
    if determiner(before) is not None or is_adjective(before) or before in words().prepositions:
        return False
    return line.is_capital(at - 1) or line.starts_sentence(at) or line.is_mark(at - 1)


def _read_relative(
    roles: Roles, at: int, adder: Adder, people_at: dict[Concord, list[int]]
) -> None:
    """Blethyn, der …: a relative pronoun after a name."""
    line = roles.line
    concord: Concord = "m" if line[at] == "der" else "f"
    found = find_relative(line, at - 2, concord)
    if found is None or found[1] not in {"nom", "acc"}:
        return
    if concord == "f" and line[clause_end(line, at) - 1].endswith("en"):
        return
    adder._replace(rule="relative pronoun").word(
        at, relative("m", found[1]), relative("f", found[1])
    )
    people_at[concord].append(at)


def _means_thing(
    roles: Roles,
    at: int,
    concord: Concord,
    people_at: dict[Concord, list[int]],
    *,
    possessive: bool = False,
) -> bool:
    """Whether the subject of this sentence or the one before is a thing of that gender.

    Not if a person of that gender is named before.
    """
    line = roles.line
    if any(index < at for index in people_at[concord]):
        return False
    if _ANYBODY & set(line.keys[line.sentence(at)[0] : at]):
        return True
    if line[at - 1] in _RELATIVES and line[at - 2] == ",":
        return False  # der Hase, den er rettet
    start, _ = line.sentence(at)
    begin = start if possessive else line.sentence(max(0, start - 2))[0]
    for first in range(at - 1, begin - 1, -1):
        if line[first] not in _subject_forms(concord, possessive=possessive):
            continue
        noun = first + 1
        while is_adjective(line[noun]) and not line.is_capital(noun):
            noun += 1
        opened = line.starts_sentence(first) or (line.is_mark(first - 1) and concord == "m")
        if not opened and not _is_antecedent(roles, first, noun, at):
            continue
        if line.is_capital(noun) and noun not in roles.found and noun < at:
            return concord == "m" or not line[noun].endswith(("en", "er", "s"))
    return False


def _is_antecedent(roles: Roles, first: int, noun: int, at: int) -> bool:
    """Whether a thing that does not open its sentence is the subject there, or an object of ich."""
    line = roles.line
    if line[first] in {"jede", "jeder", "jedes"}:
        return line.sentence(first) == line.sentence(at)
    clause = roles.clause(first)
    if clause is None or clause.has(at):
        return False
    verb = noun + 1 + (line[noun + 1][:1].isdigit())
    named = line[first - 1] == "," and line.is_finite(verb)
    mine = clause.subject in {"speaker", "listener"} and clause.subject_at is not None
    mine = mine or bool({"wir", "ihr", "man"} & set(line.keys[clause.start : clause.end]))
    return named or (mine and line[first - 1] not in words().prepositions)


_ANYBODY = frozenset("jemand niemand man wer jedermann".split())
_RELATIVES = frozenset("der die das den dem dessen deren denen".split())


def _subject_forms(concord: Concord, *, possessive: bool) -> frozenset[str]:
    if concord == "f":
        return frozenset("die eine diese jede keine unsere jene ihre meine deine".split())
    forms = "der dieser jeder unser jener"
    return frozenset(f"{forms} ein kein das dieses jedes".split() if possessive else forms.split())


def _is_possessive(line: Line, at: int, stem: str) -> bool:
    """Whether sein, ihre … stands before a noun."""
    word = line[at]
    if word.removeprefix(stem) not in {"", "e", "en", "em", "er", "es"}:
        return False
    if (line.is_noun(at) and word == "sein") or line.is_mark(at + 1):
        return False
    if word == "ihr" and line[at - 1] in words().dative:
        return False  # bei ihr
    following = at + 1
    if word == stem and not line.is_capital(following):
        adverb = line[following] in words().adverbs and line[following + 1].endswith(("er", "es"))
        if not adverb and not line[following].endswith(("er", "es")):
            return False  # die ihr zustehenden Gebühren, wir wünschen ihr viel Glück
    if line.is_small and word != stem:
        return line.is_word(following)
    for _ in range(6):
        if line.is_capital(following):
            return True
        inflected = line[following].endswith(("e", "en", "er", "em", "es"))
        adverb = line[following] in words().adverbs
        if not line.is_word(following) and line[following] not in {
            ",",
            '"',
            "„",
            "“",
            "'",
            "»",
            "«",
        }:
            return line.tokens[following].text[:1].isdigit() if following < len(line) else False
        if not (
            inflected or adverb or line.is_mark(following) or line[following] in {"und", "oder"}
        ):
            return line[following][:1].isdigit() or line[following] in {
                "zwei",
                "drei",
                "vier",
                "fünf",
            }
        if line[following] in {"werden", "haben", "wollen", "können", "müssen"}:
            return False
        following += 1
    return False


def _polite_possessive(line: Line, at: int) -> bool:
    """Ihr for the listener: a capital that nothing else asks for, or Sie in the text."""
    if line.is_capital(at) and (not line.starts_sentence(at) or _opens_message(line, at)):
        return True
    polite = any(
        line[index] in {"sie", "ihnen"}
        and line.is_capital(index)
        and not line.starts_sentence(index)
        for index in range(len(line))
    )
    return polite and line.is_capital(at)


def _opens_message(line: Line, at: int) -> bool:
    """Ihre Bestellung ist unterwegs: the first word, in the present, and no woman besides."""
    _, end = line.sentence(at)
    verb = next(
        (index for index in range(at, end) if line.is_finite(index) and line[index - 1] != "zu"),
        None,
    )
    women = any(each.text in {"sie", "ihr"} for each in line.tokens)
    if at or verb is None or line[verb] not in words().present or women:
        return False
    readings = (each for index in range(1, verb) for each in noun_readings(line.tokens[index].text))
    return not any(each.noun is not None and each.noun.men for each in readings)  # Ihr Bruder ist …


def _is_dative(line: Line, at: int) -> bool:
    """Whether ihr is a dative: mit ihr, gab ihr; not the plural you."""
    if line.is_noun(at):
        return False
    if line[at - 1] == "ihr":
        return True  # habt ihr ihr geholfen
    if line[at - 1] in words().dative | words().two_way or line[at - 1] in _BEFORE_PARTICIPLES:
        return True  # mit ihr; alle ihr bekannten Fälle
    if {"seid", "habt", "euch", "euer", "eure"} & set(line.keys):
        return False
    you = (
        line[at + 1].endswith("t") and line[at + 1] not in _SINGULAR_VERBS and line.is_word(at + 1)
    )
    return (
        not you
        or any(line.is_finite(index) for index in (at - 1, at - 2))
        or line[at - 1] == "sich"
    )


def _read_sie(roles: Roles, at: int, people_at: dict[Concord, list[int]], adder: Adder) -> None:
    """One woman, as subject or object; not several people, and not the polite Sie."""
    line = roles.line
    if is_polite(line, at):
        return
    number, subject = _sie_role(roles, at)
    if number == "plural" or _means_thing(roles, at, "f", people_at):
        return
    if number == "unknown" and _means_several(roles, at, people_at):
        return
    sure: Confidence = "likely" if number == "singular" or people_at["f"] else "guess"
    adder._replace(sure=sure).word(at, "er" if subject else "ihn", "sie")
    people_at["f"].append(at)


def _sie_role(roles: Roles, at: int) -> tuple[str, bool]:
    """The number of sie, as far as its verb shows, and whether it is the subject."""
    line = roles.line
    clause = roles.clause(at)
    start = clause.start if clause is not None else line.sentence(at)[0]
    end = clause_end(line, at)
    before = line[at - 1]
    while start < at and any(line[index] == "," for index in range(start + 1, at)):
        start = next(index for index in range(start + 1, at) if line[index] == ",")
    final = _number(line[end - 1]) if end - 1 > at else "unknown"
    if before in words().accusative | words().two_way and before not in {"bis", "seit"}:
        return "unknown", False
    if any(line[index] in {"ich", "du", "er", "wir", "man", "wer"} for index in range(start, end)):
        return "unknown", False
    if before in words().subordinators | {
        "denen",
        "dem",
        "der",
        "das",
        "wodurch",
        "indem",
        "weshalb",
    }:
        return final, True
    if before == "die" and line[at - 2] == ",":
        return ("unknown", False) if final == "plural" else (final, True)
    if (
        line.is_word(at + 1)
        and _looks_finite(line, at + 1)
        and (line.is_mark(at - 1) or before in words().coordinators or line.starts_sentence(at))
    ):
        return _number(line[at + 1]), True
    if line.is_word(at - 1) and _looks_finite(line, at - 1):
        imperative = line.starts_sentence(at - 1) and line[line.sentence(at)[1]] == "!"
        if imperative or opens_with_subject(line, start, at - 1):
            return "unknown", False
        return _number(before), True
    if line.starts_sentence(at):
        return "singular" if _number(line[at + 1]) != "plural" else "plural", True
    if clause is not None and clause.subordinate:
        early = not any(line.is_capital(index) for index in range(start, at))
        return (final, True) if early else ("unknown", False)
    return "unknown", before in words().coordinators or line.is_mark(at - 1)


def _looks_finite(line: Line, at: int) -> bool:
    word = line[at]
    if line.is_finite(at):
        return True
    if word in words().adverbs | words().not_adjectives | words().prepositions or line.is_noun(at):
        return False
    return word.endswith(("t", "te", "en", "ten")) and word not in {
        "nicht",
        "selbst",
        "jetzt",
        "dort",
        "oft",
        "fast",
        "erst",
        "zuerst",
        "meist",
        "sonst",
        "zusammen",
    }


def _number(verb: str) -> str:
    if verb in _SINGULAR_VERBS or verb in words().irregular_past or verb.endswith(("t", "te")):
        return "singular"
    if verb in _PLURAL_VERBS or verb.endswith(("en", "ern", "eln")):
        return "plural"
    return "unknown"


def _means_several(roles: Roles, at: int, people_at: dict[Concord, list[int]]) -> bool:
    """Whether several people are the subject of the clause, or named before, and no woman is."""
    if any(index < at for index in people_at["f"]):
        return False
    line = roles.line
    clause = roles.clause(at)
    start = clause.start if clause is not None else line.sentence(at)[0]
    if start == at or (line.is_mark(start) and start + 1 == at):
        return False
    verbs = [line[index] for index in range(start, clause_end(line, at)) if line.is_finite(index)]
    if any(_number(verb) == "plural" for verb in verbs):
        return True
    if verbs:
        return False
    before = set(line.keys[:at])
    named = any(index < at for index in people_at["p"])
    return named or bool(before & {"eltern", "kinder", "leute", "geschwister", "beide", "beiden"})
