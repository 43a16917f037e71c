"""What is said of somebody: after a copula, beside a name, at the head of a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.languages.rewriting.french.joints import (
    JOINING,
    closing_comma,
    is_comma_alone,
    joins_a_noun,
    next_joint,
)
from epicene.languages.rewriting.french.lexicon import verbs
from epicene.languages.rewriting.french.line import (
    OPENING,
    QUOTES,
    Line,
    is_adjective,
    is_person,
    looks_like_adjective,
    participle_of,
)
from epicene.languages.rewriting.french.phrases import read_phrase
from epicene.languages.rewriting.french.strength import adverbial, is_known, is_strong

if TYPE_CHECKING:
    from epicene.languages.rewriting.french.sites import Bond

_THAT_ONE = frozenset(
    {"celui", "celle", "ceux", "celles", "celui-là", "celle-là", "celui-ci", "celle-ci"}
)
_PLURALS = frozenset("les des ces mes tes ses nos vos leurs quelques plusieurs deux trois".split())
_RANKS = frozenset({"premier", "première", "dernier", "dernière", "seul", "seule"})
_NO_VERBS = frozenset({"de", "la", "le", "pour", "entre", "par", "sur", "sous", "plus", "pas"})
_SORTS = frozenset({"genre", "type", "sorte", "style"})
# Said of anybody in this form.
_SET_PHRASES = frozenset(
    {
        ("vieux", "jeu"),
        ("bon", "public"),
        ("tout", "ouïe"),
        ("tout", "oreilles"),
        ("tout", "feu"),
        ("bon", "enfant"),
        ("fleur", "bleue"),
        ("tout", "sourire"),
        ("tout", "sourires"),
        ("haut", "placé"),
        ("mal", "en"),
        ("bien", "en"),
        ("grand", "public"),
        ("sens", "dessus"),
        ("pieds", "nus"),
        ("bras", "nus"),
        ("tête", "nue"),
        ("torse", "nu"),
        ("à", "l'aise"),
    }
)


def complement(line: Line, at: int, bond: Bond, *, nouns: bool = True) -> int:
    """Read what stands after a copula; where it ends, the same index if nothing agrees."""
    start = _degrees(line, at, bond)
    if line[start] == "qu'" and line[start - 1] in {"plus", "mieux"}:  # plus qu'un employé
        start += 1
    end = element(line, start, bond, nouns=nouns)
    if end == start and line[start] == ",":
        # je suis, malgré tout, heureux
        closing = closing_comma(line, start)
        start = _degrees(line, closing + 1, bond) if closing else start
        end = element(line, start, bond, nouns=nouns) if closing else start
    return at if end == start else coordinated(line, end, bond)


def element(line: Line, at: int, bond: Bond, *, nouns: bool = True, strict: bool = False) -> int:
    """Read one thing that is said; `strict` takes known words alone."""
    word = line[at]
    if not _SET_PHRASES.isdisjoint({(word, line[at + 1]), (line[at - 1], word)}):
        return at
    if word in _THAT_ONE:
        bond.add(at, "pronoun")
        after = at + 2 if line[at + 1] in line.closed.prepositions else at + 1
        if line[after] in {"auquel", "duquel", "lequel", "laquelle"}:
            bond.add(after, "determiner")
        elif line[at + 1] in {"auquel", "duquel"}:
            bond.add(at + 1, "determiner")
        return at + 1
    if line.is_determiner(at) and not _is_adjective_alone(line, at):
        return _with_determiner(line, at, bond) if nouns else at
    if _is_adjective_alone(line, at):
        bond.add(at, "adjective")
        return at + 1
    if not line.is_open(at) or (verbs().infinitive_of(word) and not is_known(word)):
        return at
    if strict and not is_strong(line, at, bond):
        return at
    return _bare(line, at, bond)


def _is_adjective_alone(line: Line, at: int) -> bool:
    """je suis nul, j'en suis certaine: no determiners there."""
    if line[at] in {"tel", "telle"}:
        return line[at + 1] in {"que", "qu'"}
    return line[at] in {"nul", "nulle", "certain", "certaine"} and not line.is_open(at + 1)


def _with_determiner(line: Line, at: int, bond: Bond) -> int:
    if line[at] in {"un", "une"} and line[at + 1] in {"des", "de"}:
        return _one_of(line, at, bond)
    if line[at] == "l'" and line[at + 1] in {"un", "une"} and line[at + 2] in {"des", "de"}:
        return _one_of(line, at + 1, bond)
    if line[at] in {"un", "une"} and line[at + 1] == "peu":
        return at
    if line[at] in _PLURALS and not bond.plural:
        return at
    if line[at] in {"le", "la"} and line[at + 1] == "même" and not line.is_open(at + 2):
        bond.add(at, "determiner")
        return at + 2
    phrase = read_phrase(line, at)
    if phrase is not None and line[phrase.head] in _SORTS:
        return _of_a_sort(line, phrase.end, bond)
    if phrase is None or phrase.kind != "person":
        return at
    phrase.agree(bond)
    if line[phrase.end] == "des" and is_adjective(line[phrase.head]):
        return _among(line, phrase.end, bond)
    return phrase.end


def _of_a_sort(line: Line, at: int, bond: Bond) -> int:
    """le genre d'homme à mentir."""
    if line[at] in {"de", "d'"} and is_person(line[at + 1]):
        bond.add(at + 1, "noun")
        return at + 2
    return at


def _among(line: Line, at: int, bond: Bond) -> int:
    """la meilleure des sœurs, le plus heureux des hommes."""
    phrase = read_phrase(line, at + 1)
    if phrase is None or not is_person(line[phrase.head]):
        return at
    phrase.agree(bond._replace(plural=True))
    return phrase.end


def _one_of(line: Line, at: int, bond: Bond) -> int:
    """un des meilleurs, l'une des rares femmes: the singular, and the plural it is taken from."""
    several = bond._replace(plural=True)
    phrase = read_phrase(line, at + 2)
    if phrase is None or phrase.kind != "person":
        return at
    bond.add(at, "determiner")
    phrase.agree(several)
    return phrase.end


def _bare(line: Line, at: int, bond: Bond) -> int:
    """Adjectives, participles and nouns without a determiner, one after the other."""
    phrase = read_phrase(line, at)
    if phrase is None:
        return at
    if line[phrase.head] == line[at]:
        if phrase.kind == "fixed" and not participle_of(line[at]):
            return at
        if phrase.kind == "thing" and line.is_capital(at):
            return at
    elif phrase.kind != "person" and not is_adjective(line[at]):
        return at
    person = is_person(line[at])
    bond.add(at, "noun" if person and phrase.head == at else "adjective")
    end = at + 1
    if participle_of(line[at]) and not person:
        return max(end, after_participle(line, at, bond))
    for index in sorted((phrase.head, *phrase.adjectives)):
        if index > at:
            if (index > end and line.adverb_end(end) < index) or not is_strong(line, index, bond):
                break
            bond.add(index, "noun" if index == phrase.head else "adjective")
            end = index + 1
    return end


def after_participle(line: Line, at: int, bond: Bond) -> int:
    """Read what a participle has besides: devenu médecin, rentré fatigué, élu président."""
    known = verbs()
    infinitives = participle_of(line[at])
    rule = bond.by("what the participle says of them")
    if known.is_kind("copulas", infinitives):
        return max(at + 1, complement(line, at + 1, rule))
    if known.is_kind("object_predicates", infinitives):
        named = known.is_kind("naming", infinitives)
        return max(at + 1, object_predicate(line, at + 1, rule, naming=named))
    return max(at + 1, state(line, at + 1, rule))


def state(line: Line, at: int, bond: Bond) -> int:
    """Read what somebody is while doing something: rentré trempé, arrivé le premier."""
    start = _degrees(line, at, bond)
    if line[start] in {"le", "la"} and line[start + 1] in _RANKS and not line.is_open(start + 2):
        bond.add(start, "determiner")
        bond.add(start + 1, "adjective")
        return start + 2
    if line[start] in adverbial() or not is_strong(line, start, bond):
        return at
    if line.is_determiner(start):
        return at
    end = element(line, start, bond.by(bond.rule, "likely"), nouns=False, strict=True)
    return coordinated(line, end, bond) if end > start else at


def object_predicate(line: Line, at: int, bond: Bond, *, naming: bool) -> int:
    """Read what somebody is made or thought to be: rendu heureux, pris pour un fou."""
    start = _degrees(line, at, bond)
    if line[start] in {"comme", "pour"} or (line[start] in {"de", "d'"} and naming):
        return _introduced(line, start, bond)
    if line.is_determiner(start):
        return complement(line, start, bond) if naming else at
    if not line.is_open(start):
        return at
    end = element(line, start, bond, strict=not naming)
    return coordinated(line, end, bond) if end > start else at


def _introduced(line: Line, at: int, bond: Bond) -> int:
    """comme ton ami, jamais comme ton collègue; pour un fou; de menteur."""
    word = line[at]
    start = _degrees(line, at + 1, bond)
    end = element(line, start, bond.by(bond.rule, "likely"), strict=word != "comme")
    if end == start:
        return at
    end = coordinated(line, end, bond)
    again = line.after_adverbs(end + 1) if line[end] in {",", "et", "mais"} else end
    same = {word, "de", "d'"} if word in {"de", "d'"} else {word}
    return _introduced(line, again, bond) if again > end and line[again] in same else end


# --- what stands between and after ----------------------------------------------------------


def _degrees(line: Line, at: int, bond: Bond) -> int:
    """Past adverbs and opening quotation marks; "tout" before an adjective agrees."""
    while True:
        if line[at] in {"tout", "toute"} and _is_wholly(line, at):
            bond.add(at, "determiner")
            at += 1
        elif (end := line.adverb_end(at)) > at:
            at = end
        elif line[at] in OPENING or line[at] in {'"', "ni", "soit"}:
            at += 1
        else:
            return at


def _is_wholly(line: Line, at: int) -> bool:
    """Whether "tout" means wholly there: tout petit, toute seule."""
    if line.adverb_end(at) > at + 1 or not line.is_open(at + 1):
        return False
    if ("tout", line[at + 1]) in _SET_PHRASES:
        return False
    return is_adjective(line[at + 1]) or not verbs().forms(line[at + 1])


def coordinated(line: Line, at: int, bond: Bond, *, commas: bool = True) -> int:
    """Read on after one thing that is said: "et fier de l'être", ", gourmande, un peu menteuse".

    Without `commas`, what a comma joins must follow at once.
    """
    end, reached = at, at
    while (joint := next_joint(line, reached)) is not None:
        adjacent = joint == end
        if not adjacent and not commas and is_comma_alone(line, joint):
            return end
        start = joint
        if line[joint] in JOINING and line[joint + 1] == ",":  # et, ce qui m'a surpris, pressé
            start = closing_comma(line, joint + 1, within=12) or joint
        while line[start] in JOINING or line[start] in {",", ":"} or line[start] in QUOTES:
            start += 1
        likely = bond if adjacent else bond.by(bond.rule, "likely")
        start = _degrees(line, start, likely)
        after = _joined(line, joint, start, likely, adjacent=adjacent)
        if after == start and adjacent and line[joint] == ":":
            return end
        end, reached = (after, after) if after > start else (end, max(start, joint + 1))
    return end


def _joined(line: Line, joint: int, start: int, bond: Bond, *, adjacent: bool) -> int:
    """Read what is joined, if it can be said of the same person."""
    if line[start] in _THAT_ONE:
        return element(line, start, bond)
    if line.is_determiner(start):
        if line[start] in _PLURALS and not bond.plural:
            return start
        if not adjacent and (line[start] not in {"un", "une"} or is_comma_alone(line, joint)):
            return start
        phrase = read_phrase(line, start)
        if phrase is None or phrase.kind != "person" or _is_subject(line, phrase.end):
            return start
        if not adjacent and not is_person(line[phrase.head]):
            return start
        return element(line, start, bond.by(bond.rule, "likely"))
    guessed = adjacent and line.is_open(start) and looks_like_adjective(line[start])
    if not (is_strong(line, start, bond) or guessed):
        return start
    if participle_of(line[start]) and verbs().forms(line[start]) and line.is_determiner(start + 1):
        return start  # et fait une pause
    if not adjacent and joins_a_noun(line, joint, start, bond):
        return start
    return element(line, start, bond, strict=not guessed)


def _is_subject(line: Line, at: int) -> bool:
    """Whether a verb follows whose subject would end there."""
    while line[at] in line.closed.clitics and line[at] not in {"le", "la", "les", "l'", "en"}:
        at += 1
    if line[at] in _NO_VERBS or is_adjective(line[at]):
        return False
    return bool(verbs().forms(line[at]))
