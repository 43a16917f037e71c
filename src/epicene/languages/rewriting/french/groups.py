"""Finite verbs with the pronouns around them and their subjects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from epicene.languages.rewriting.french.lexicon import verbs
from epicene.languages.rewriting.french.line import (
    LINKS,
    STOPS,
    Line,
    is_adjective,
    is_person,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.languages.rewriting.french.conjugation import Form

# pronoun, noun and relative name the subject; same: joined to the verb before it; order: an
# imperative, whose subject is the second person.
SubjectKind: TypeAlias = Literal["pronoun", "noun", "relative", "same", "order"]

_ALWAYS_SUBJECT = frozenset({"je", "j'", "tu", "il", "on", "ils"})
_PERSON = {
    "je": "1s",
    "j'": "1s",
    "tu": "2s",
    "il": "3s",
    "elle": "3s",
    "on": "3s",
    "nous": "1p",
    "vous": "2p",
    "ils": "3p",
    "elles": "3p",
}
# Pronouns before a verb that can be nothing else.
_SURE_CLITICS = frozenset({"ne", "n'", "me", "m'", "te", "t'", "se", "s'", "lui", "y"})
_REFLEXIVE = {"1s": {"me", "m'"}, "2s": {"te", "t'"}, "1p": {"nous"}, "2p": {"vous"}}


class Group(NamedTuple):
    """One finite verb: its subject's word, the pronouns before it, and where it ends."""

    subject: int  # the token that names the subject; the verb itself where none does
    kind: SubjectKind
    person: str
    clitics: tuple[int, ...]
    verb: int
    infinitives: tuple[str, ...]
    end: int  # after the verb and a subject written after it

    @property
    def start(self) -> int:
        """Where subject, pronouns or verb begin."""
        return min(self.subject, self.verb, *self.clitics)

    def is_reflexive(self, line: Line) -> bool:
        """Whether one of its pronouns means its subject."""
        own = _REFLEXIVE.get(self.person, {"se", "s'"})
        return any(line[index] in own for index in self.clitics)


def groups(line: Line) -> Iterator[Group]:
    """All finite verbs, in order."""
    taken = -1
    for index in range(len(line)):
        if index <= taken:
            continue
        group = (
            _behold(line, index)
            or _inverted(line, index)
            or _after_pronoun(line, index)
            or _plain(line, index)
        )
        if group is not None:
            taken = group.end - 1
            yield group


def _forms(word: str, person: str) -> tuple[str, ...]:
    found: list[Form] = list(verbs().forms(word))
    return tuple(form.infinitive for form in found if form.person == person)


def _behold(line: Line, at: int) -> Group | None:
    """me voilà: somebody is, in other words."""
    if line[at] not in {"me", "te", "le", "la", "les", "vous", "nous"}:
        return None
    if line[at + 1] not in {"voilà", "voici"}:
        return None
    person = {"me": "1s", "te": "2s", "vous": "2p", "nous": "1p", "les": "3p"}.get(line[at], "3s")
    return Group(at, "pronoun", person, (), at + 1, ("être",), at + 2)


def _inverted(line: Line, at: int) -> Group | None:
    """suis-je, a-t-elle été."""
    pronoun = at + 2
    if line[at + 1] not in LINKS or line[pronoun] not in _PERSON or not line.is_word(at):
        return None
    person = _PERSON[line[pronoun]]
    infinitives = _forms(line[at], person)
    if not infinitives and line[pronoun] in {"nous", "vous", "elle", "elles"}:
        return None
    clitics = tuple(_clitics_before(line, at))
    return Group(pronoun, "pronoun", person, clitics, at, infinitives, pronoun + 1)


def _after_pronoun(line: Line, at: int) -> Group | None:
    """je ne me suis."""
    word = line[at]
    if word not in _PERSON or line[at - 1] in LINKS:
        return None
    person = _PERSON[word]
    verb = at + 1
    while line[verb] in line.closed.clitics:
        verb += 1
    if not line.is_word(verb):
        return None
    infinitives = _forms(line[verb], person)
    if not infinitives and (word not in _ALWAYS_SUBJECT or not line.is_open(verb)):
        return None
    if line[at - 1] in {"de", "d'", "à", "avec", "pour", "sans", "chez"} and word in {
        "elle",
        "elles",
    }:
        return None
    clitics = tuple(range(at + 1, verb))
    return Group(at, "pronoun", person, clitics, verb, infinitives, verb + 1)


def _clitics_before(line: Line, at: int) -> Iterator[int]:
    """The pronouns that stand directly before a verb, from left to right."""
    first = at
    while line[first - 1] in line.closed.clitics and first > 0:
        first -= 1
    return iter(range(first, at))


def _plain(line: Line, at: int) -> Group | None:
    """A verb whose subject is no pronoun beside it."""
    known = verbs().forms(line[at])
    if not known or not line.is_word(at) or line[at - 1] in LINKS:
        return None
    clitics = list(_clitics_before(line, at))
    sure = any(line[index] in _SURE_CLITICS for index in clitics)
    before = clitics[0] - 1 if clitics else at - 1
    if not sure and not _is_verb(line, at, clitics):
        return None
    subject, kind = _subject_before(line, before, at)
    persons = [form.person for form in known]
    third = [person for person in persons if person.startswith("3")]
    person = third[0] if third and kind in {"noun", "relative"} else persons[0]
    infinitives = tuple(dict.fromkeys(form.infinitive for form in known))
    clitics += _enclitics(line, at)
    end = max([at, *clitics]) + 1
    return Group(subject, kind, person, tuple(clitics), at, infinitives, end)


def _is_verb(line: Line, at: int, clitics: list[int]) -> bool:
    """Whether the form is a verb there, after nothing or after le, la, les, leur, en."""
    if not clitics:
        return _can_be_verb(line, at)
    return line[clitics[0] - 1] == "qui" or _can_be_object(line, clitics[0], at)


def _enclitics(line: Line, at: int) -> list[int]:
    """excusez-moi, dis-le-moi."""
    found = []
    while line[at + 1] in LINKS and line[at + 2] in {"moi", "toi", "le", "la", "les", "lui"}:
        at += 2
        found.append(at)
    return found


def _can_be_object(line: Line, first: int, at: int) -> bool:
    """Whether "le" before a form is its object: only where the form is no noun or adjective."""
    word = line[at]
    if line[first] not in {"l'", "les", "le", "la", "leur", "en"}:
        return True
    if word in {"a", "ai", "as", "ont", "avait", "avaient", "aura", "aurait", "avais"}:
        return True
    if is_adjective(word) or is_person(word) or len(word) < 5:
        return False
    # la porte, le centre: nouns with the form of a verb, unless somebody stands before them
    before = line.tokens[first - 1].text[:1] if first else ""
    return not word.endswith(("e", "es")) or before.isupper() or is_person(line[first - 1])


def _can_be_verb(line: Line, at: int) -> bool:
    """Whether the form is a verb there rather than a noun, an adjective or a participle."""
    word, before = line[at], line[at - 1]
    if before in line.closed.determiners or before in line.closed.prepositions:
        return word in {"est", "était", "sont", "a", "ont"} and before in {"tout", "un", "une"}
    if before == "qui" or before in {"ce", "c'", "cela", "ça", "ceci"}:
        return True
    if is_adjective(word) or is_person(word):
        return False
    return word not in _RARELY_VERBS


_RARELY_VERBS = frozenset(
    "livre lit vis sens bois cours fois pièce place porte marche date date note garde"
    " cause entre montre pense aide juge guide danse offre force forme fête trace ruse".split()
) - {"pense", "montre", "offre"}


def _subject_before(line: Line, before: int, verb: int) -> tuple[int, SubjectKind]:
    """The word that names the subject, looked for from there to the left."""
    while before > 0 and line.adverb_end(before) == before + 1 and line[before] != "tout":
        before -= 1
    word = line[before]
    if word == "qui":
        return before, "relative"
    if before < 0 or word in STOPS or word in {":", "«", '"', "“"}:
        return verb, "order"
    if word in {",", "et", "ou", "mais", "puis", "ni"}:
        return verb, "same"
    return before, "noun"
