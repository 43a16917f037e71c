"""The subject of a clause: the words that may be it, and whether the verb can agree with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from epicene.rewriting.hindi import inflection, lexicon
from epicene.rewriting.hindi.conjugation import analyse_verb
from epicene.rewriting.hindi.inflection import (
    Cell,
    analyse_agreeing_form,
    cell_gender,
    citation_form,
    is_adjective,
)
from epicene.rewriting.hindi.lexicon import function_words
from epicene.rewriting.hindi.phrases import is_oblique, is_several, modifies_noun

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.rewriting import Confidence
    from epicene.rewriting.hindi.clauses import Clause
    from epicene.rewriting.hindi.line import Line
    from epicene.rewriting.hindi.verb_complexes import VerbComplex
    from epicene.rewriting.persons import Gender, Person
    from epicene.rewriting.quotations import Interlocutors

# demonstrative: वह, यह right before a thing, of which it may be said.
# group: a body of people, which may act: कंपनी, पुलिस, लोग.
CandidateKind: TypeAlias = Literal[
    "pronoun", "demonstrative", "person", "group", "thing", "unknown"
]


_AFTER_ADVERBIAL = frozenset("बिना बगैर हुए ही समय वक्त".split())


class SubjectCandidate(NamedTuple):
    """A word in the direct case that may head the subject."""

    at: int
    sort: CandidateKind
    gender: Gender | None = None


def subject_candidates(line: Line, clause: Clause) -> list[SubjectCandidate]:
    """The candidates of a clause, from left to right."""
    opening = _adverbial_opening(line, clause)
    return [
        each
        for at in clause.field
        for each in _candidates_at(line, clause, at)
        if at >= opening or each.sort not in {"thing", "group", "unknown"}
    ]


def _adverbial_opening(line: Line, clause: Clause) -> int:
    """Where the clause goes on after an adverbial and a comma: पढ़ाई पूरी करने के बाद, राम …"""
    for at in reversed(clause.field):
        if line[at] == "," and line[at - 1] in function_words().postpositions:
            return at + 1
    return clause.first


def _candidates_at(line: Line, clause: Clause, at: int) -> Iterator[SubjectCandidate]:
    word = line[at]
    if line.is_mark(at) or line.has_postposition(at) or word.endswith("ों"):
        return
    if word in lexicon.THIRD_PRONOUNS:
        yield from _pronoun_candidates(line, clause, at)
    elif (gender := _indefinite_thing_gender(line, clause, at)) is not None:
        yield SubjectCandidate(at, "thing", gender)
    elif not _cannot_be(line, clause, at):
        yield from _noun_candidates(line, at)


def _pronoun_candidates(line: Line, clause: Clause, at: int) -> Iterator[SubjectCandidate]:
    noun = _noun_after(line, at)
    if noun is None or noun not in clause.field or _stands_alone(line, clause, noun):
        yield SubjectCandidate(at, "pronoun")
    elif inflection.thing_gender(line[noun]):
        yield SubjectCandidate(at, "demonstrative")


def _noun_candidates(line: Line, at: int) -> Iterator[SubjectCandidate]:
    word = line[at]
    if reading := inflection.person_noun(word):
        if not is_oblique(line, at) and not modifies_noun(line, at, reading):
            yield SubjectCandidate(at, "person", reading.gender)
    elif word in inflection.group_nouns():
        yield SubjectCandidate(at, "group", inflection.thing_gender(word))
    elif gender := inflection.thing_gender(word):
        yield SubjectCandidate(at, "thing", gender)
    elif word[0].isascii():  # Hinglish: meeting शुरू हुई
        yield SubjectCandidate(at, "thing")
    elif not is_adjective(word) and not _is_nonfinite_verb(word):
        gender = inflection.abstract_noun_gender(word)
        yield SubjectCandidate(at, "thing" if gender else "unknown", gender)


def _indefinite_thing_gender(line: Line, clause: Clause, at: int) -> Gender | None:
    """The gender of सब कुछ or क्या right before the verb, and of बस as the bus, not "only"."""
    word, before = line[at], line[at - 1]
    everything = word == "कुछ" and before in {"सब", "बहुत", "जो"}
    last = clause.verb is not None and clause.verb.first == at + 1
    if everything or (word in {"क्या", "कुछ"} and last):
        return "masculine"
    return "feminine" if word == "बस" and before in function_words().subordinators else None


def _cannot_be(line: Line, clause: Clause, at: int) -> bool:
    return (
        _is_function_word(line[at])
        or _is_nominal_of_verb(line, clause, at)
        or _modifies(line, at)
        or _has_own_verb(line, clause, at)
    )


def _is_function_word(word: str) -> bool:
    words = function_words()
    first, _, second = word.partition("-")
    return (
        first == second  # धीरे-धीरे
        or word == "सो"
        or (
            word in inflection.place_nouns() | inflection.time_nouns()
            and inflection.thing_gender(word) is None
        )
        or word in lexicon.NOT_THIRD_PERSON_SUBJECTS
        or word in words.postpositions
        or word in words.particles
        or word in words.intensifiers
        or word in words.adverbs
        or word in words.coordinators
        or word in words.subordinators
        or word in words.determiners
        or not word[0].isalpha()
    )


def _is_nominal_of_verb(line: Line, clause: Clause, at: int) -> bool:
    """Whether the noun and the verb form a conjunct verb: शुरू हुआ."""
    verb = clause.verb
    if verb is None or verb.main not in {"कर", "हो", "दे", "ले", "आ", "रख", "पा", "लग"}:
        return False
    return line[at] in function_words().verbal_nominals and line.before(verb.first) == at


def _has_own_verb(line: Line, clause: Clause, at: int) -> bool:
    """Whether the noun is an argument of a non-finite verb: नाश्ता किए बिना, भूख लगने पर."""
    if line[at + 1] in {"बनना", "बनने"} and inflection.person_noun(line[at]):
        return True
    if clause.verb is not None and at + 1 >= clause.verb.first:
        return False
    verb = at + 1  # पढ़ाई पूरी करने के बाद
    if line[verb] in function_words().verbal_nominals or citation_form(line[verb]) == "पूरा":
        verb += 1
    adverbial = line[verb + 1] in _AFTER_ADVERBIAL or line[at - 1] in {"बिना", "बगैर"}
    return any(
        form.shape == "conjunctive"
        or (form.cell == "mp" and form.shape == "infinitive")
        or (form.cell == "mp" and form.participle and adverbial)
        for form in analyse_verb(line[verb])
    )


def _is_nonfinite_verb(word: str) -> bool:
    return any(
        form.shape in {"infinitive", "conjunctive", "imperfective", "perfective", "agentive"}
        for form in analyse_verb(word)
    )


def _modifies(line: Line, at: int) -> bool:
    """Whether the word may be an adjective right before a noun: मध्यकालीन चित्र, डॉक्टर साहब."""
    reading, following = inflection.person_noun(line[at]), line[at + 1]
    if inflection.thing_gender(line[at]) or (reading and reading.noun.kind != "same"):
        return False
    return bool(
        inflection.person_noun(following) or (inflection.thing_gender(following) and not reading)
    )


# Who goes there may be left to a bare noun: वह घर गया.
_MOTION_VERBS = frozenset("जा आ पहुंच लौट चल भाग निकल ले".split())


def _stands_alone(line: Line, clause: Clause, noun: int) -> bool:
    """Whether the pronoun does not determine the noun: वह डॉक्टर है, वह घर गया, वह काम करके सोया."""
    verb = clause.verb
    if verb is None:
        return False
    if line[noun] in inflection.place_nouns() and verb.main in _MOTION_VERBS:
        return True
    if _has_own_verb(line, clause, noun):
        return True
    if verb.valency != "copular" or inflection.thing_gender(line[noun]):
        return False
    return line.before(verb.first) == noun


def _noun_after(line: Line, at: int) -> int | None:
    """The noun in the direct case that वह, यह … may determine."""
    after = at + 1
    while line.is_word(after) and (is_adjective(line[after]) or line[after] in {"भी", "और", "ही"}):
        after += 1
    if inflection.person_noun(line[after]):
        return None if is_oblique(line, after) else after
    if not inflection.thing_gender(line[after]) or line.has_postposition(after):
        return None
    return None if _opens_oblique_compound(line, after) else after


def _opens_oblique_compound(line: Line, at: int) -> bool:
    """Whether the thing is a part of a compound in the oblique, which वह cannot determine.

    वह शो बिजनेस में, वे फिटनेस टीमों के.
    """
    after = at + 1
    if line.is_mark(after) or _is_function_word(line[after]) or analyse_verb(line[after]):
        return False
    return line[after].endswith("ों") or line.has_postposition(after)


_AND = frozenset({"और", "तथा", "एवं"})
_GROUP_WORDS = frozenset("लोग सब सभी दोनों तीनों चारों".split())
_OBLIQUE_GROUP_WORDS = frozenset("लोगों सबका सबके सबकी सबको सबसे सबने".split())


class Subject(NamedTuple):
    """The subject of a clause; `who` is None for a thing, a group, or an unknown person."""

    who: Person | None
    at: int | None = None  # the word that says so
    plural: bool = False
    sure: Confidence = "likely"
    rule: str = ""


NO_PERSON = Subject(None)


class ClauseReading(NamedTuple):
    """A clause, the controller of its verb's agreement, and its actor (मैंने is no controller)."""

    clause: Clause
    controller: Subject | None
    actor: Subject | None


# --- मैं, तू, तुम, आप ------------------------------------------------------------------------


def pronoun_subject(line: Line, clause: Clause, interlocutors: Interlocutors) -> Subject | None:
    """The subject that a pronoun of the first or second person expresses in the clause."""
    for at in range(clause.first, clause.last + 1):
        word = line[at]
        if word in lexicon.FIRST_PRONOUNS and line[at + 1] != "ने":
            beside = _subject_with_companion(line, at, interlocutors.speaker)
            return beside or Subject(interlocutors.speaker, at, sure="certain", rule="said with मैं")
        if word in lexicon.SECOND_PRONOUNS and line[at + 1] != "ने" and not _is_reflexive(line, at):
            if line.has_postposition(at) or _is_oblique_group(line, at + 1):
                continue
            if line[at + 1] in _GROUP_WORDS:
                return NO_PERSON
            beside = _subject_with_companion(line, at, interlocutors.listener)
            rule = f"said with {word}"
            return beside or Subject(interlocutors.listener, at, word != "तू", "certain", rule)
        if word in lexicon.WE_PRONOUNS and not line.has_postposition(at):
            return NO_PERSON
    return None


def _is_oblique_group(line: Line, at: int) -> bool:
    """Whether the word after the pronoun is an oblique group word: आप सबका, आप लोगों से."""
    return line[at] in _OBLIQUE_GROUP_WORDS or (
        line[at] in _GROUP_WORDS and line.has_postposition(at)
    )


def _is_reflexive(line: Line, at: int) -> bool:
    return line[at] == "आप" and line[at - 1] in {"अपने", "अपना", "अपनी"}


def _subject_with_companion(line: Line, at: int, who: Person | None) -> Subject | None:
    """The conjoined subject of a pronoun and a noun: मैं और मेरी बहन.

    The verb is feminine only if all are women, so a man among them decides it.
    """
    if line[at + 1] in _AND and line[at + 2] not in lexicon.FIRST_PRONOUNS:
        other = at + 2
        while line[other] in lexicon.FIRST_POSSESSIVES | {"उसकी", "उसका", "उनकी", "हमारी"}:
            other += 1
    elif line[at - 1] in _AND and (inflection.person_noun(line[at - 2]) or not at - 2):
        other = at - 2
    else:
        return None
    reading = inflection.person_noun(line[other])
    if reading is None or reading.gender != "feminine" or line.has_postposition(other):
        return NO_PERSON
    return Subject(who, at, plural=True, rule="said with a woman beside")


# --- the third person -----------------------------------------------------------------------


def third_person_subject(
    line: Line,
    clause: Clause,
    interlocutors: Interlocutors,
    *,
    previous: Subject | None,
    skip: frozenset[int],
) -> Subject | None:
    """The subject of the third person that the clause expresses.

    A noun alone may be predicated of `previous`, the referent of the clause before. `skip` are
    vocatives.
    """
    found = [each for each in subject_candidates(line, clause) if each.at not in skip]
    plural = bool(clause.verb and clause.verb.plural)
    things = [each for each in found if each.sort == "thing"]
    for each in found:
        if line[each.at] in {"यह", "ये"} and things:
            continue
        if line[each.at] in {"कोई", "कौन"} and _is_right_before_verb(line, clause, each.at):
            return NO_PERSON  # whoever that is
        if _is_pronoun_subject(line, clause, each, previous):
            many = plural or line[each.at] in lexicon.PLURAL_THIRD_PRONOUNS
            many = many or (_shows_no_number(clause) and _is_honoured(line))
            return Subject("others", each.at, many, "likely", "said with a pronoun")
    if _has_marked_object(line, clause) or _is_group(line, clause, found, previous):
        return NO_PERSON
    people = [each for each in found if each.sort == "person"]
    if _both_genders(line, people) or (people and _are_several(line, people[0], plural=plural)):
        return NO_PERSON
    if people and not (previous is not None and _is_predicate(line, clause, people[0])):
        who = interlocutors.speaker if _is_like_speaker(line, people[0].at, clause) else "others"
        reading = inflection.person_noun(line[people[0].at])
        respected = reading is not None and reading.becomes_plural and _shows_no_number(clause)
        return Subject(who, people[0].at, plural or respected, "likely", "said with a noun")
    if clause.verb is None:
        return None
    for each in things:
        if _thing_controls_verb(line, clause.verb, each):
            return Subject(None, each.at)
    if _has_oblique_experiencer(line, clause):
        return NO_PERSON
    for each in found:
        if each.sort == "unknown" and _is_name(line, clause, clause.verb, each):
            return Subject("others", each.at, plural, "guess", "said with a name")
    return None


def _is_right_before_verb(line: Line, clause: Clause, at: int) -> bool:
    return clause.verb is not None and line.before(clause.verb.first) == at


def _shows_no_number(clause: Clause) -> bool:
    """Whether the verb's number shows in its agreement alone: थी, not है."""
    return clause.verb is not None and clause.verb.person is None


def _is_honoured(line: Line) -> bool:
    """Whether the line speaks of its person in the plural: उन्होंने, and never उसने."""
    words = set(line.keys)
    return bool(words & _HONORIFIC_PRONOUNS) and not words & _PLAIN_PRONOUNS


_HONORIFIC_PRONOUNS = frozenset("उन्होंने इन्होंने जिन्होंने".split())
_PLAIN_PRONOUNS = frozenset("उसने इसने जिसने उसे उसका उसके उसकी उससे".split())


def _has_marked_object(line: Line, clause: Clause) -> bool:
    """Whether a passive has its person in the dative, so that it agrees with nobody.

    उन्हें अध्यक्ष चुना गया.
    """
    verb = clause.verb
    if verb is None or verb.valency != "passive" or verb.plural:
        return False
    return any(
        line[at] in lexicon.OBJECT_PRONOUNS or (line[at] == "को" and not _says_when(line, at))
        for at in clause.field
    )


def _says_when(line: Line, at: int) -> bool:
    """Whether को marks a time: शाम को, 15 अगस्त को, 2015 को."""
    before = line[at - 1]
    return before in inflection.time_nouns() or not before[:1].isalpha()


def _is_group(
    line: Line, clause: Clause, found: list[SubjectCandidate], previous: Subject | None
) -> bool:
    """Whether the first candidate is a body of people, whose gender is its noun's.

    After a clause of the speaker's it may be the object: मैं रुका और स्कूल देखने लगा.
    """
    if clause.verb is None or not found or found[0].sort != "group":
        return False
    known = previous is not None and previous.who not in {None, "others"}
    return not (known and line.before(clause.verb.first) == found[0].at)


def _are_several(line: Line, each: SubjectCandidate, *, plural: bool) -> bool:
    """Whether a noun that may be of both genders denotes several people: कई छात्र, बच्चे."""
    reading = inflection.person_noun(line[each.at])
    if reading is None or reading.gender == "feminine" or reading.noun.kind == "gendered":
        return False
    return plural and is_several(line, each.at, reading)


def _is_pronoun_subject(
    line: Line, clause: Clause, each: SubjectCandidate, previous: Subject | None
) -> bool:
    """Whether the pronoun is the subject: not जो, nor यह as an object, nor वह before a thing."""
    word, verb = line[each.at], clause.verb
    if each.sort not in {"pronoun", "demonstrative"} or word == "जो":
        return False
    if word in {"यह", "ये"} and verb is not None:
        if line[clause.last + 1] == "कि":  # यह स्पष्ट था कि …
            return False
        return verb.valency not in {"transitive", "passive"} and verb.person != "third"
    if each.sort == "pronoun":
        return True
    if verb is None or verb.valency != "transitive" or verb.ergative:
        return False
    known = previous is not None and previous.who not in {None, "others"}
    return not (known and clause.opener in {"अगर", "यदि", "काश"})  # अगर वह ट्रेन पकड़ लेता


def _has_oblique_experiencer(line: Line, clause: Clause) -> bool:
    """Whether an oblique experiencer or recipient leaves the clause without a subject.

    उसे … दिया गया, उन्हें … लगा.
    """
    if clause.verb is None or clause.verb.valency == "transitive":
        return False
    return any(
        line[at] in lexicon.OBJECT_PRONOUNS or line[at] == "सबको" or _is_marked_with_ko(line, at)
        for at in clause.field
    )


def _is_marked_with_ko(line: Line, at: int) -> bool:
    """Whether को marks a person: राम को, and not शाम को, 15 अगस्त को."""
    thing = inflection.thing_gender(line[at - 1])
    return line[at] == "को" and thing is None and not _says_when(line, at)


def _both_genders(line: Line, people: list[SubjectCandidate]) -> bool:
    """Whether people of both genders are conjoined, so that the verb is masculine: पति और पत्नी."""
    joined = len(people) > 1 and any(line[at] in _AND for at in range(people[0].at, people[1].at))
    return joined and {people[0].gender, people[1].gender} == {"masculine", "feminine"}


def _is_like_speaker(line: Line, at: int, clause: Clause) -> bool:
    """Whether the noun is compared to the speaker: मुझ जैसा शिक्षक."""
    return any(
        line[index] in {"मुझ", "मेरे"} and line[index + 1] in {"जैसा", "जैसी", "जैसे"}
        for index in range(clause.first, at)
    )


def _is_predicate(line: Line, clause: Clause, each: SubjectCandidate) -> bool:
    """Whether a noun for people is the predicate of a subject that the clause does not express."""
    verb = clause.verb
    if verb is None or verb.valency != "copular" or (verb.main == "रह" and _is_habitual(line, verb)):
        return False
    return line.before(verb.first) == each.at


def _is_habitual(line: Line, verb: VerbComplex) -> bool:
    """Whether the verb is an imperfective: जहाँ दादाजी रहते हैं is where he lives."""
    return line[verb.first].endswith(("ता", "ते", "ती"))


def _thing_controls_verb(line: Line, verb: VerbComplex, each: SubjectCandidate) -> bool:
    """Whether the verb agrees with a thing."""
    if verb.valency == "transitive":
        return False
    if line[each.at] in inflection.time_nouns() and verb.main not in {"गुजर", "बीत", "कट"}:
        return line[line.before(verb.first)] in {"समाप्त", "खत्म", "पूरे"}
    if each.gender is None:
        return verb.person != "plural" or line[each.at - 1] in function_words().determiners
    if verb.valency != "copular" and line[each.at] in inflection.place_nouns():
        return False
    cells = verb_cells(line, verb)
    genders = {cell_gender(cell) for cell in cells}
    if genders and genders != {each.gender}:
        return False
    many = each.gender == "masculine" and line[each.at].endswith("े")
    return not (many and "ms" in cells)


def _is_name(line: Line, clause: Clause, verb: VerbComplex, each: SubjectCandidate) -> bool:
    """Whether an unlisted word is where a subject may be, and can be a name."""
    if line.before(verb.first) == each.at and verb.valency == "copular":
        return False
    if verb.valency == "passive" and not verb.plural:
        return False
    opening = [at for at in range(clause.first, each.at) if not line.is_mark(at)]
    return len(opening) <= 1 or line.is_mark(each.at - 1)


# --- agreement ------------------------------------------------------------------------------


def verb_cells(line: Line, verb: VerbComplex) -> set[Cell]:
    """The cells of a verb's agreeing words."""
    parts = (analyse_agreeing_form(line.tokens[at].text, verb=True) for at in verb.agreeing)
    return {part.cell for part in parts if part is not None}


def can_agree(
    line: Line, verb: VerbComplex, subject: Subject, interlocutors: Interlocutors
) -> bool:
    """Whether the verb, in its present form, can agree with the subject."""
    cells = verb_cells(line, verb)
    if subject.who is None:
        return True
    if subject.who == interlocutors.speaker:
        return verb.person in {None, "first"} and not cells & {"mp", "fp"}
    if subject.who == interlocutors.listener:
        if not subject.plural:
            return verb.person in {None, "third"} and not cells & {"mp", "fp"}
        return verb.person not in {"first", "third"} and "ms" not in cells
    return verb.person not in {"first", "second"}
