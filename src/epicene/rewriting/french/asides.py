"""What is said of somebody outside a clause's predicate: before and after the clause, beside moi
and toi, and without a verb.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.rewriting.french.clauses import ClauseReader, clitics_before, read_infinitive
from epicene.rewriting.french.context import Referent
from epicene.rewriting.french.inflection import inflect, shown_gender
from epicene.rewriting.french.lexicon import read_lists, verb_table, word_set
from epicene.rewriting.french.line import (
    OPENING_QUOTES,
    SENTENCE_ENDS,
    Line,
    can_be_predicate,
    is_adjective,
    is_person,
    temporary_states,
)
from epicene.rewriting.french.person_nouns import TERMS_OF_ADDRESS
from epicene.rewriting.french.phrases import prenominal_adjectives, read_phrase
from epicene.rewriting.french.predicates import (
    read_complement,
    read_coordinated,
    read_predicate_element,
)
from epicene.rewriting.french.subjects import Clause
from epicene.rewriting.french.verb_groups import VerbGroup

if TYPE_CHECKING:
    from collections.abc import Sequence

    from epicene.rewriting.french.context import Context
    from epicene.rewriting.french.sites import Agreement

_CELUI = frozenset({"celui", "celle"})
_BEFORE_MOI = frozenset("chez pour avec sans de d' sur vers par entre".split())


def read_tonic_pronouns(scene: Context) -> None:
    """What stands beside "moi" and "toi", and in "celui qui …, c'est moi"."""
    line = scene.line
    for at in range(len(line)):
        if line[at] in _CELUI and line[at + 1] in {"que", "qu'"}:
            _read_what_one_is(scene, at)
        if line[at] in {"quel", "quelle"} or (line.begins(at) and line.is_word(at)):
            _read_exclamation(scene, at)
        if line[at] in {"moi", "toi"}:
            _read_beside_pronoun(scene, at)
            if line[at - 1] in {"est", "était", "serai", "sera"} and line[at - 2] in {"c'", "n'"}:
                _read_cleft(scene, at)
            _read_rewording(scene, at)


def _read_beside_pronoun(scene: Context, at: int) -> None:
    """moi boulanger; moi, leur ancien professeur; c'est moi le plus sérieux."""
    line = scene.line
    bond = scene.agreement(scene.stressed(at), f"beside {line[at]}")
    if line[at + 1] in {"seul", "seule"}:
        bond.add(at + 1, "adjective")
    if line[at - 1] == "," and line.begins(at - 2) and can_be_predicate(line, at - 2, bond):
        bond.add(at - 2, "adjective")  # Fatigué, moi ?
    if line[at - 1] in _BEFORE_MOI or line.is_enclitic(at):
        return
    start = at + 2 if line[at + 1] == "," else at + 1
    start = line.after_adverbs(start)
    if tuple(line.words[start : start + 2]) == ("en", "tant"):
        read_complement(line, start + 3, bond)
    elif line[start] in _CELUI:
        read_predicate_element(line, start, bond)
    elif line.is_determiner(start) and line[start] not in {"mon", "ma", "mes", "nos", "notre"}:
        _read_phrase_beside(scene, start, bond)
    elif can_be_predicate(line, start, bond) and not _is_finite_verb(line, start):
        end = read_predicate_element(line, start, bond.by(bond.rule, "likely"), strict=True)
        read_coordinated(line, end, bond.by(bond.rule, "likely"))


def _is_finite_verb(line: Line, at: int) -> bool:
    return bool(verb_table().forms(line[at])) and not (
        line[at + 1] in SENTENCE_ENDS or line[at + 1] == ","
    )


def _copula_of(scene: Context, subject: int) -> VerbGroup | None:
    """The verb whose subject is the pronoun there, if it says what somebody is."""
    found = next((group for group in scene.groups if group.subject == subject), None)
    return found if found and {"être", "devenir"} & set(found.infinitives) else None


def _subject_referent(scene: Context, subject: int) -> Referent | None:
    if scene.line[subject] in {"je", "j'"}:
        return scene.first(subject)
    return scene.second(subject) if scene.line[subject] in {"tu", "vous"} else None


def _read_what_one_is(scene: Context, at: int) -> None:
    """celui que je suis devenu."""
    party = _subject_referent(scene, at + 2)
    if party is not None and _copula_of(scene, at + 2) is not None:
        scene.agreement(party, "the one whom somebody is").add(at, "pronoun")


def _read_exclamation(scene: Context, at: int) -> None:
    """Quel idiot je suis ! Idiot que je suis."""
    line = scene.line
    phrase = read_phrase(line, at)
    if phrase is None or phrase.kind != "person":
        return
    exclaims = line[at] in {"quel", "quelle"}
    subject = phrase.end if exclaims else phrase.end + 1
    if not exclaims and (phrase.determiners or line[phrase.end] not in {"que", "qu'"}):
        return
    party = _subject_referent(scene, subject)
    if party is not None and _copula_of(scene, subject) is not None:
        phrase.agree(scene.agreement(party, "an exclamation"))


def _read_phrase_beside(scene: Context, start: int, bond: Agreement) -> None:
    phrase = read_phrase(scene.line, start)
    if phrase is None or phrase.kind != "person" or verb_table().forms(scene.line[phrase.end]):
        return
    if scene.line[start] in {"les", "des", "ces", "ses", "tes", "vos"}:
        return
    phrase.agree(bond)


def _read_cleft(scene: Context, at: int) -> None:
    """celui que tu cherches, c'est moi; le plus sage, c'était moi."""
    line = scene.line
    start = at
    while start > 0 and line[start - 1] not in SENTENCE_ENDS and line[start - 1] not in {":", "«"}:
        start -= 1
    start = line.after_adverbs(start)
    bond = scene.agreement(scene.stressed(at), "the one who is named after c'est")
    if line[start] in _CELUI:
        bond.add(start, "pronoun")
    elif line[start] in {"le", "la", "l'"}:
        phrase = read_phrase(line, start)
        if phrase and phrase.kind == "person" and line[at - 3] == ",":
            phrase.agree(bond)


def _read_rewording(scene: Context, at: int) -> None:
    """au responsable du rayon, autrement dit à moi."""
    line = scene.line
    before = at - 1
    while line[before] in {"à", "de", "d'", "avec", "chez", "pour"}:
        before -= 1
    if line[before] != "c'est-à-dire" and (line[before - 1], line[before]) != ("autrement", "dit"):
        return
    comma = next((near for near in range(before, max(0, before - 4), -1) if line[near] == ","), 0)
    for near in range(comma - 1, max(0, comma - 8), -1):
        if line[near] in {"au", "du", "le", "la", "l'"}:
            phrase = read_phrase(line, near + (line[near] in {"au", "du"}))
            if phrase is not None and phrase.kind == "person":
                bond = scene.agreement(scene.stressed(at), "reworded as moi")
                phrase.agree(bond)
                bond.add(near, "determiner")
                return


_ROLE_NOUNS = word_set(read_lists("function_words")["roles"])
# Said of nobody: Promis, je viens.
_INTERJECTIONS = word_set(
    "promis juré vrai exact parfait entendu compris bon fini vu excepté dommage"
)
_POSSESSIVES = {"mon": "first", "ma": "first", "mes": "first", "ton": "second", "ta": "second"}


def read_asides(scene: Context, clauses: list[Clause]) -> None:
    """What stands before, inside and after each clause."""
    _read_role_nouns(scene, 0, len(scene.line))
    main: Clause | None = None
    for number, clause in enumerate(clauses):
        after = clauses[number + 1].group.start if number + 1 < len(clauses) else len(scene.line)
        start = _sentence_start(scene.line, clause.group.start)
        if main is not None and main.group.start < start:
            main = None
        if clause.referent is not None:
            _read_fronted(scene, clause, start, main)
            _read_trailing(scene, clause, after)
            _read_roles_with_as(scene, clause, clause.group.end, after)
            _read_alone(scene, clause, after)
            _read_role_nouns(scene, clause.group.end, after, clause)
        if clause.named and not _is_subordinate(scene.line, clause, start):
            main = main or clause


def _sentence_start(line: Line, at: int) -> int:
    while at > 0 and line[at - 1] not in SENTENCE_ENDS and line[at - 1] not in OPENING_QUOTES:
        at -= 1
    return at


def _is_subordinate(line: Line, clause: Clause, start: int) -> bool:
    """Whether the clause depends on another: its first word says so."""
    if clause.group.kind == "relative":
        return True
    at = clause.group.start - 1
    while at >= start and line[at] != ",":
        if line[at] in line.closed.subordinators:
            return True
        at -= 1
    return False


def _read_fronted(scene: Context, clause: Clause, start: int, main: Clause | None) -> None:
    """Fatigué, je …; Né à Lyon, je …; Avant d'être couturier, j'ai …"""
    line = scene.line
    end = clause.start
    if clause.group.kind not in {"pronoun", "noun"} or clause.referent is None:
        return
    if line[end - 1] == "," and line[end - 2] in {"moi", "toi"} and line[end - 3] in {",", ""}:
        end -= 2
    if main is not None:
        # What stands between two clauses belongs to the second only after a conjunction.
        start = max(
            (at for at in range(start, end) if line[at] in {"et", "mais", "ou"}), default=end
        )
        start = max(start, main.group.end)
    bond = scene.agreement(clause.referent, "before its subject")
    _read_roles_with_as(scene, clause, start, end)
    if line[end - 1] == ",":
        _read_segments(scene, start, end, bond)
    _read_fronted_infinitives(scene, clause, start, end)


def _read_segments(scene: Context, start: int, end: int, bond: Agreement) -> None:
    """Every part between commas that begins with what somebody is."""
    line = scene.line
    at = start
    while at < end:
        first = _after_openers(line, at)
        if (
            can_be_predicate(line, first, bond)
            and scene.sites.get(first) is None
            and line[first] not in _INTERJECTIONS
            and not (line[first] in TERMS_OF_ADDRESS and line[first + 1] == ",")
            and _is_aside(line, first, end)
        ):
            reached = read_predicate_element(line, first, bond, strict=True)
            at = max(first + 1, read_coordinated(line, reached, bond))
        while at < end and line[at] != ",":
            at += 1
        at += 1


def _after_openers(line: Line, at: int) -> int:
    """Past what may stand before an adjective at the head: et, bien que, même, une fois."""
    while True:
        if line[at] in {"et", "mais", "bien", "quoique", "quoiqu'", "que", "qu'", "ou", "puis"}:
            at += 1
        elif (after := line.adverb_end(at)) > at:
            at = after
        else:
            return at


def _is_aside(line: Line, at: int, end: int) -> bool:
    """Whether the part is no more than an aside: no verb follows before its comma."""
    for index in range(at + 1, end):
        if line[index] == ",":
            return True
        if line[index] in {"je", "tu", "il", "on"}:
            return False
    return True


def _read_fronted_infinitives(scene: Context, clause: Clause, start: int, end: int) -> None:
    reading = ClauseReader(scene, clause)
    for index in range(start, end):
        if scene.line.is_infinitive(index):
            read_infinitive(reading, index, clause.referent)


def _read_trailing(scene: Context, clause: Clause, after: int) -> None:
    """…, épuisé mais heureux."""
    line = scene.line
    if clause.referent is None:
        return
    bond = scene.agreement(clause.referent, "after its clause", "likely")
    index = clause.group.end
    while index < after and line[index] not in SENTENCE_ENDS:
        if line[index] == ",":
            start = line.after_adverbs(index + 1)
            if _may_trail(scene, index, start, after, bond):
                reached = read_predicate_element(line, start, bond, nouns=False, strict=True)
                index = max(index, read_coordinated(line, reached, bond) - 1)
        index += 1


def _may_trail(scene: Context, comma: int, start: int, after: int, bond: Agreement) -> bool:
    line = scene.line
    if start >= after or not can_be_predicate(line, start, bond) or not is_adjective(line[start]):
        return False
    if is_person(line[comma - 1]) or verb_table().forms(line[start]) or line.is_open(start + 1):
        return False
    if inflect(line[start], "masculine") in temporary_states():
        return True
    mention = scene.mention_ending(comma)
    return mention is None or (
        mention.gender is not None and mention.gender != shown_gender(line[start])
    )


def _read_roles_with_as(scene: Context, clause: Clause, start: int, end: int) -> None:
    """en tant que médecin, comme serveur."""
    line = scene.line
    if clause.referent is None:
        return
    bond = scene.agreement(clause.referent, "said with en tant que or comme", "likely")
    for at in range(start, end):
        if line[at] in {"que", "qu'"} and line[at - 1] == "tant" and line[at - 2] == "en":
            reached = read_complement(line, at + 1, bond)
        elif line[at] == "comme" and _has_role(scene, clause, at):
            reached = read_predicate_element(line, at + 1, bond, strict=True)
        elif (
            line[at] == "en" and line[at + 1] in prenominal_adjectives() and is_person(line[at + 2])
        ):
            reached = read_predicate_element(
                line, at + 1, bond, strict=True
            )  # en bon père de famille
        else:
            continue
        read_coordinated(line, reached, bond)


def _has_role(scene: Context, clause: Clause, at: int) -> bool:
    """Whether "comme" says what the subject is, not what something is like."""
    line = scene.line
    objects = {"le", "la", "l'", "les", "me", "m'", "te", "t'"}
    reflexive = clause.group.is_reflexive(line)
    if not reflexive and any(line[index] in objects for index in clause.group.clitics):
        return False
    following = line[at + 1]
    if following in {"un", "une", "tout", "toute"}:
        phrase = read_phrase(line, at + 1)
        return phrase is not None and phrase.kind == "person" and is_person(line[phrase.head])
    return is_person(following)


def _read_alone(scene: Context, clause: Clause, after: int) -> None:
    """je l'ai fait tout seul."""
    line = scene.line
    if clause.referent is None:
        return
    for at in range(clause.group.end, after):
        if line[at] not in {"seul", "seule"} or line.is_open(at + 1):
            continue
        before = at - 1 if line[at - 1] in {"tout", "toute"} else at
        if line.is_determiner(before - 1) or line[before - 1] in {"de", "d'", "à", "elle", "lui"}:
            continue
        bond = scene.agreement(clause.referent, "seul, of the subject", "likely")
        bond.add(at, "adjective")
        if before < at:
            bond.add(before, "determiner")


def _read_role_nouns(scene: Context, start: int, end: int, clause: Clause | None = None) -> None:
    """ma carrière de chanteuse, le poste de directeur."""
    line = scene.line
    rule = "a role that is somebody's"
    for at in range(start, end):
        if (
            line[at] not in _ROLE_NOUNS
            or line[at + 1] not in {"de", "d'"}
            or not is_person(line[at + 2])
        ):
            continue
        owner = _POSSESSIVES.get(line[at - 1]) or _POSSESSIVES.get(line[at - 2])
        if owner is not None:
            party = scene.first(at) if owner == "first" else scene.second(at)
        elif line[at - 1] in {"son", "sa"} or line[at - 2] in {"son", "sa"}:
            party = Referent("others")
        elif clause and clause.referent and line[at - 1] not in {"leur", "notre"}:
            party = clause.referent
        else:
            continue
        bond = scene.agreement(party, rule, "likely")
        read_predicate_element(line, at + 2, bond, strict=True)


def read_verbless(scene: Context, clauses: Sequence[Clause]) -> None:
    """Add what agrees with the speaker where "je suis" is left out, and with "me" before avoir."""
    line = scene.line
    for at in range(len(line)):
        if line[at] == "avoir":
            _read_object_of_infinitive(scene, at)
        if line.begins(at) and line.is_word(at) and not _sentence_has_subject(scene, clauses, at):
            _read_elided_copula(scene, at)
            _read_answer(scene, at)


def _sentence_has_subject(scene: Context, clauses: Sequence[Clause], start: int) -> bool:
    """Whether a verb with a subject stands in the sentence that begins there."""
    end = start
    while end < len(scene.line) and scene.line[end] not in SENTENCE_ENDS:
        end += 1
    return any(
        clause.named and clause.group.kind != "relative" and start <= clause.group.verb < end
        for clause in clauses
    )


def _read_elided_copula(scene: Context, at: int) -> None:
    """Désolé, vraiment. Ravi de vous rencontrer."""
    line = scene.line
    start = line.after_adverbs(at)
    bond = scene.agreement(scene.first(at), "je suis is left out", "guess")
    if (
        not can_be_predicate(line, start, bond)
        or inflect(line[start], "masculine") not in _SAID_OF_ONESELF
    ):
        return
    if line[start + 1] in {"de", "d'", "que", "qu'", ",", ""} or line[start + 1] in SENTENCE_ENDS:
        read_coordinated(line, read_predicate_element(line, start, bond, strict=True), bond)


_SAID_OF_ONESELF = frozenset(
    "désolé ravi content heureux navré fier enchanté déçu surpris étonné flatté".split()
)


def _read_answer(scene: Context, at: int) -> None:
    """Qui je suis ? Un vieil ami de la famille."""
    line = scene.line
    asked = [
        group for group in scene.groups if group.end <= at and line[group.subject] in {"je", "j'"}
    ]
    if line[at - 1] != "?" or not asked or "être" not in asked[-1].infinitives:
        return
    bond = scene.agreement(scene.first(asked[-1].subject), "answers who somebody is", "likely")
    if line.is_determiner(at):
        read_coordinated(line, read_predicate_element(line, at, bond), bond)


def _read_object_of_infinitive(scene: Context, at: int) -> None:
    """m'avoir invité: the object is named, whoever it is that invited."""
    clitics = clitics_before(scene.line, at)
    if any(scene.line[index] in {"me", "m'", "te", "t'"} for index in clitics):
        group = VerbGroup(at, "same", "", clitics, at, ("avoir",), at + 1)
        ClauseReader(scene, Clause(group, None, at, named=False)).read()
