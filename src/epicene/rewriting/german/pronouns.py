"""Pronouns and possessives of the third person: er and sie, sein and ihr."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.rewriting.german.agreement import Adder, clause_end, find_relative
from epicene.rewriting.german.clauses import is_polite
from epicene.rewriting.german.inflection import Concord, determiner, relative
from epicene.rewriting.german.lexicon import people, words
from epicene.rewriting.german.phrases import is_adjective

if TYPE_CHECKING:
    from epicene.rewriting.german.line import Line
    from epicene.rewriting.german.roles import Roles

_MASCULINE = {"er": "sie", "ihn": "sie", "ihm": "ihr"}
_PLURAL_VERBS = frozenset("sind waren haben hatten wurden werden können konnten müssen mussten sollen wollen".split())
_SINGULAR_VERBS = frozenset("ist war hat hatte wird wurde kann konnte muss musste soll sollte will wollte darf".split())
_FEMININE_THING_ENDINGS = ("ung", "heit", "keit", "schaft", "ion", "tät", "ie", "ik", "ur")


def read_third_persons(roles: Roles) -> None:
    """Add the pronouns and possessives of people who are only spoken about."""
    line = roles.line
    people_at = _people(roles)
    adder = Adder(line, roles.sites, "others", "pronoun", "likely")
    for at in range(len(line)):
        word = line[at]
        if at in roles.sites or not line.is_word(at):
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
        elif word.startswith("sein") and _is_possessive(line, at, "sein"):
            if not _means_thing(roles, at, "m", people_at, possessive=True):
                adder._replace(rule="possessive").word(at, word, "ihr" + word[4:])
        elif word.startswith("ihr") and _is_possessive(line, at, "ihr"):
            if not _polite_possessive(line, at) and not _means_several(roles, at, people_at):
                if not _means_thing(roles, at, "f", people_at, possessive=True):
                    adder._replace(rule="possessive").word(at, "sein" + word[3:], word)
        elif word in {"der", "die"} and line[at - 1] == "," and _is_name(line, at - 2):
            _read_relative(roles, at, adder, people_at)


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
    if text.endswith(_FEMININE_THING_ENDINGS) or text.isupper() and len(text) > 1:
        return False
    before = line[at - 1]
    if determiner(before) is not None or is_adjective(before) or before in words().prepositions:
        return False
    return line.is_capital(at - 1) or line.starts_sentence(at) or line.is_mark(at - 1)


def _read_relative(roles: Roles, at: int, adder: Adder, people_at: dict[Concord, list[int]]) -> None:
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
    roles: Roles, at: int, concord: Concord, people_at: dict[Concord, list[int]], *, possessive: bool = False
) -> bool:
    """Whether the nearest candidate before a pronoun is a thing of that gender, and no person is."""
    line = roles.line
    if any(index < at for index in people_at[concord]):
        return False
    start, _ = line.sentence(at)
    begin = 0 if not possessive else start
    for index in range(at - 1, begin - 1, -1):
        if not line.is_capital(index) or index in roles.found:
            continue
        first = index - 1
        while first >= begin and is_adjective(line[first]):
            first -= 1
        word = line[first]
        each = determiner(word)
        if each is None:
            continue
        if first > 0 and (line[first - 1] in words().prepositions or each.preposition):
            continue
        form = _subject_forms(concord, possessive=possessive)
        subject = line.starts_sentence(first) or line.is_mark(first - 1) or line.is_finite(first - 1)
        if word in form and subject:
            return True
    return False


def _subject_forms(concord: Concord, *, possessive: bool) -> frozenset[str]:
    if concord == "f":
        return frozenset("die eine diese jede keine meine unsere seine ihre jene".split())
    forms = "der ein dieser jeder kein mein unser sein ihr jener"
    return frozenset(f"{forms} das dieses jedes".split() if possessive else forms.split())


def _is_possessive(line: Line, at: int, stem: str) -> bool:
    """Whether sein, ihre … stands before a noun."""
    word = line[at]
    if word.removeprefix(stem) not in {"", "e", "en", "em", "er", "es"}:
        return False
    if line.is_noun(at) and word == "sein":
        return False
    following = at + 1
    for _ in range(6):
        if line.is_capital(following):
            return True
        inflected = line[following].endswith(("e", "en", "er", "em", "es"))
        adverb = line[following] in words().adverbs
        if not line.is_word(following) and line[following] not in {",", '"', "„", "“", "'", "»", "«"}:
            return line.tokens[following].text[:1].isdigit() if following < len(line) else False
        if not (inflected or adverb or line.is_mark(following) or line[following] in {"und", "oder"}):
            return line[following][:1].isdigit() or line[following] in {"zwei", "drei", "vier", "fünf"}
        if line[following] in {"werden", "haben", "wollen", "können", "müssen"}:
            return False
        following += 1
    return False


def _polite_possessive(line: Line, at: int) -> bool:
    """Ihr for the listener: a capital that nothing else asks for, or Sie in the text."""
    if line.is_noun(at):
        return True
    polite = any(line[index] in {"sie", "ihnen"} and line.is_noun(index) for index in range(len(line)))
    return polite and line.is_capital(at)


def _is_dative(line: Line, at: int) -> bool:
    """Whether ihr is a dative: mit ihr, gab ihr; not the plural you."""
    if line[at - 1] in words().dative | words().two_way:
        return not line.is_capital(at + 1) and not _is_possessive(line, at, "ihr")
    if _is_possessive(line, at, "ihr") or line.is_noun(at):
        return False
    neighbours = (line[at - 1], line[at + 1])
    if any(word.endswith("t") and line.is_finite(index) for word, index in zip(neighbours, (at - 1, at + 1), strict=True)):
        singular = _SINGULAR_VERBS | words().irregular_past
        return any(word in singular or word.endswith("te") for word in neighbours) or "er" in neighbours
    return "seid" not in line.keys and "habt" not in line.keys


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
    sure = "likely" if number == "singular" or people_at["f"] else "guess"
    adder._replace(sure=sure).word(at, "er" if subject else "ihn", "sie")
    if number == "singular":
        people_at["f"].append(at)


def _sie_role(roles: Roles, at: int) -> tuple[str, bool]:
    """The number of sie, as far as its verb shows, and whether it is the subject."""
    line = roles.line
    if line[at - 1] in words().accusative | words().two_way:
        return "unknown", False
    clause = roles.clause(at)
    start, end = (clause.start, clause.end) if clause is not None else line.sentence(at)
    for index in range(start, end):
        if line[index] in {"ich", "du", "er", "wir", "man", "wer"}:
            return "unknown", False
    if clause is not None and clause.subordinate:
        last = end - 1
        while last > at and line.is_mark(last):
            last -= 1
        early = at <= start + 3 or line[at - 1] in words().subordinators | {"sich"}
        if not early and any(line.is_capital(index) for index in range(start, at)):
            return "unknown", False
        return _number(line[last]), True
    for index in (at + 1, at - 1):
        if line.is_word(index) and _looks_finite(line, index):
            if index == at - 1 and _subject_before(roles, start, index):
                return "unknown", False
            return _number(line[index]), True
    for index in range(start, end):
        if line.is_finite(index):
            return (_number(line[index]), True) if not _subject_before(roles, start, index) else ("unknown", False)
    return "unknown", True


def _looks_finite(line: Line, at: int) -> bool:
    word = line[at]
    if line.is_finite(at):
        return True
    if word in words().adverbs | words().not_adjectives | words().prepositions or line.is_noun(at):
        return False
    return word.endswith(("t", "te", "en", "ten")) and word not in {"nicht", "selbst", "jetzt", "dort", "oft", "fast", "erst", "zuerst", "nicht", "meist", "sonst", "zusammen"}


def _subject_before(roles: Roles, start: int, end: int) -> bool:
    """Whether a noun that can be the subject stands before the verb."""
    line = roles.line
    for index in range(start, end):
        if not line.is_capital(index) or determiner(line[index]) is not None:
            continue
        if line[index] in words().prepositions | words().adverbs | words().subordinators:
            continue
        if any(
            line[index - back] in words().prepositions or getattr(determiner(line[index - back]), "preposition", "")
            for back in range(1, 5)
            if index - back >= start
        ):
            continue
        return True
    return False


def _number(verb: str) -> str:
    if verb in _SINGULAR_VERBS or verb in words().irregular_past or verb.endswith(("t", "te")):
        return "singular"
    if verb in _PLURAL_VERBS or verb.endswith(("en", "ern", "eln")):
        return "plural"
    return "unknown"


def _means_several(roles: Roles, at: int, people_at: dict[Concord, list[int]]) -> bool:
    """Whether several people are named before, and no woman."""
    if any(index < at for index in people_at["f"]):
        return False
    line = roles.line
    before = set(line.keys[:at])
    if any(index < at for index in people_at["p"]) or before & {"eltern", "kinder", "leute", "geschwister", "beide", "beiden", "alle"}:
        return True
    start, _ = line.sentence(at)
    if line[start] == "die" or any(word in _PLURAL_VERBS for word in line.keys[start:at]):
        return any(word in _PLURAL_VERBS or word.endswith("ten") for word in line.keys[start:at])
    return False


EPICENE = people
