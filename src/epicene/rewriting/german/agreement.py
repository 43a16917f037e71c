"""Both forms of a phrase and of the relative pronouns after it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from epicene.rewriting.german.inflection import (
    Case,
    Cell,
    Concord,
    adjective_ending,
    determiner,
    relative,
    relative_forms,
)
from epicene.rewriting.german.lexicon import words
from epicene.rewriting.german.sites import Site, Sites, Target
from epicene.rewriting.sites import less_sure

if TYPE_CHECKING:
    from epicene.rewriting import Confidence
    from epicene.rewriting.german.line import Line
    from epicene.rewriting.german.phrases import Phrase
    from epicene.rewriting.persons import Gender, Person

NOMINATIVE_PRONOUNS = frozenset("ich du er wir man ihr sie es wer jemand niemand keiner".split())


class Adder(NamedTuple):
    """Adds the sites of one person by one rule."""

    line: Line
    sites: Sites
    who: Person
    rule: str
    sure: Confidence = "certain"

    def word(self, at: int, masculine: str, feminine: str, *, joined: bool = False) -> None:
        """Add one word by both of its forms."""
        target = Target(masculine, feminine, joined)
        self.sites.add(Site(at, self.who, target, self.rule, self.sure))

    def owner(self, at: int) -> None:
        """Add the stem of a possessive, which shows its owner: sein, ihr."""
        site = Site(at, self.who, Target("sein", "ihr"), "possessive", self.sure, part=1)
        self.sites.add(site)

    def phrase(self, phrase: Phrase, cell: Cell) -> None:
        """Add all words of a phrase, and a relative pronoun that follows."""
        reading, kind = phrase.reading, phrase.determiner.kind
        forms = [_forms(phrase, gender, cell) for gender in ("masculine", "feminine")]
        concords = [reading.concord(gender, cell) for gender in ("masculine", "feminine")]
        adder = self
        if reading.guessed:
            adder = self._replace(sure=less_sure(self.sure, "likely"))
        adder.word(phrase.noun, *forms)
        current = adjective_ending(kind, reading.concord(reading.gender, cell), cell.case)
        for at in phrase.adjectives:
            word = self.line[at]
            if word.endswith(current):
                stem = word[: -len(current)]
                if stem in {"männlich", "weiblich"}:
                    adder.word(
                        at,
                        "männlich" + adjective_ending(kind, concords[0], cell.case),
                        "weiblich" + adjective_ending(kind, concords[1], cell.case),
                    )
                    continue
                adder.word(
                    at, *(stem + adjective_ending(kind, each, cell.case) for each in concords)
                )
        if phrase.determiner_at is not None:
            adder.determiner(phrase, cell, concords)
        if not cell.plural:
            concord = reading.concord(reading.gender, cell)
            found = find_relative(self.line, phrase.noun, concord, ranked=reading.ranked)
            if found is not None:
                at, case = found
                adder.word(at, *(relative(each, case) for each in concords))
            elif (again := _find_again(self.line, phrase, concord)) is not None:
                adder.word(again, *(relative(each, "nom") for each in concords))

    def determiner(self, phrase: Phrase, cell: Cell, concords: list[Concord]) -> None:
        """Add the determiner, contracted with its preposition where that is usual."""
        at = phrase.determiner_at
        if at is None:
            return
        each = phrase.determiner
        before = self.line[at - 1]
        forms = [each.written(concord, cell.case) for concord in concords]
        if not each.preposition and each.kind == "der" and cell.case == "dat":
            joined = each._replace(preposition=before)
            contracted = [joined.written(concord, "dat") for concord in concords]
            current = self.line[at]
            if before in {"von", "zu", "bei"} and current == "der" and " " not in contracted[0]:
                self.word(at, contracted[0], f"{before} {forms[1]}", joined=True)
                return
        self.word(at, *forms)


def _forms(phrase: Phrase, gender: Gender, cell: Cell) -> str:
    return phrase.reading.form(gender, cell, phrase.determiner.kind)


def find_relative(
    line: Line, noun: int, concord: Concord, *, ranked: bool = False
) -> tuple[int, Case] | None:
    """The relative pronoun that follows a noun and agrees with it, and its case."""
    at = noun + 1
    while at < noun + 6 and line.is_word(at) and not line.is_finite(at):
        at += 1
    if line[at] != ",":
        return None
    if at > noun + 1 and not ranked and _names_another(line, noun + 1, at, concord):
        return None
    start = at + 1
    preposition = line[start] in words().prepositions
    at = start + preposition
    cases = relative_forms(line[at], concord)
    if not cases or line.is_mark(at + 1):
        return None
    if line.is_capital(at + 1) and len(cases) == 1 and line[at] in {"dessen", "deren"}:
        return at, "gen"
    if not _is_clause(line, at):
        return None
    if preposition:
        governed = [case for case in cases if case in {"acc", "dat"}]
        return (at, governed[0]) if governed else None
    if "nom" in cases and "acc" in cases:
        return at, "acc" if has_subject(line, at + 1) else "nom"
    return at, cases[0]


def _find_again(line: Line, phrase: Phrase, concord: Concord) -> int | None:
    """The pronoun that names somebody again without a verb: der Blonde, der an der Bar."""
    _, end = line.sentence(phrase.noun)
    for at in range(phrase.noun + 1, min(end, phrase.noun + 7)):
        if line[at - 1] == "," and "nom" in relative_forms(line[at], concord):
            rest = range(at + 1, end)
            verbless = not any(line.is_finite(index) or line[index] == "," for index in rest)
            place = line[at + 1] in words().two_way | {"mit", "am", "im"}
            return at if verbless and place and line.is_capital(end - 1) else None
    return None


_FEMININE_DETERMINERS = frozenset("der einer meiner seiner ihrer unserer deiner die eine".split())


def _names_another(line: Line, start: int, end: int, concord: Concord) -> bool:
    """Whether a noun after this one may be what the relative pronoun means."""
    for at in range(start, end):
        if not line.is_capital(at) or line[at - 1] in words().prepositions:
            continue
        before = at - 1
        while line[before].endswith(("e", "en")) and determiner(line[before]) is None:
            before -= 1
        if determiner(line[before]) is None:
            return at > start
        if (line[before] in _FEMININE_DETERMINERS) == (concord == "f"):
            return True
    return False


def clause_end(line: Line, at: int) -> int:
    """Where the clause of a word ends: at a comma or at the end of the sentence."""
    while at < len(line) and line[at] not in {",", "–", ")", "("} and not line.ends_sentence(at):
        at += 1
    return at


def _is_clause(line: Line, at: int) -> bool:
    """Whether a finite verb ends the clause, so that it is no new phrase with an article."""
    last = clause_end(line, at) - 1
    if last <= at or line[last - 1] == "zu":
        return False
    if line.is_capital(at + 1) and not line.is_finite(last):
        return False  # mit dem Chef
    word = line[last]
    if line.is_noun(last):  # …, der arbeitet als Lehrer: most relative clauses are longer
        return any(line.is_finite(index) for index in range(at + 1, last)) and not line.is_capital(
            at + 1
        )
    return line.is_finite(last) or word.endswith(("t", "te", "en", "st", "e", "eln", "ern"))


def has_subject(line: Line, at: int) -> bool:
    """Whether a relative clause has a subject of its own, beside its pronoun."""
    end = clause_end(line, at)
    for index in range(at, end):
        if line[index] in NOMINATIVE_PRONOUNS and line[index] != "es":
            return line[index] != "sie" or index == at
    first = line[at]
    if determiner(first) is None:
        name = line.is_capital(at) and not line.is_noun(at + 1)
        return name and line[at - 1] not in words().prepositions
    noun = next((index for index in range(at + 1, end) if line.is_capital(index)), None)
    if noun is None or noun > at + 3:
        return False
    if first in {"der", "mein", "sein", "ihr", "unser", "dieser"}:
        return True
    return line[end - 1].endswith("en")  # the verb is plural, the pronoun is not
