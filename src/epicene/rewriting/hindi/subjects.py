"""The subject of a clause, and whether its verb can agree with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from epicene.rewriting.hindi import inflection, lexicon
from epicene.rewriting.hindi.conjugation import analyse_verb
from epicene.rewriting.hindi.inflection import (
    Cell,
    analyse_agreeing_form,
    cell_gender,
    is_agreeing_adjective,
)
from epicene.rewriting.hindi.lexicon import function_words, verb_stems
from epicene.rewriting.hindi.phrases import is_several, may_be_name
from epicene.rewriting.hindi.subject_candidates import (
    SubjectCandidate,
    opens_oblique_compound,
    subject_candidates,
)

if TYPE_CHECKING:
    from epicene.rewriting import Confidence
    from epicene.rewriting.hindi.clauses import Clause
    from epicene.rewriting.hindi.line import Line
    from epicene.rewriting.hindi.verb_complexes import VerbComplex
    from epicene.rewriting.persons import Person
    from epicene.rewriting.quotations import Interlocutors

_AND = frozenset({"और", "तथा", "एवं"})
_GROUP_WORDS = frozenset("लोग सब सभी दोनों तीनों चारों".split())


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
            if line[at + 1] in _GROUP_WORDS and line[at + 2] != "कुछ":
                return NO_PERSON
            beside = _subject_with_companion(line, at, interlocutors.listener)
            rule = f"said with {word}"
            return beside or Subject(interlocutors.listener, at, word != "तू", "certain", rule)
        if word in lexicon.WE_PRONOUNS and not line.has_postposition(at):
            return NO_PERSON
    return None


def _is_oblique_group(line: Line, at: int) -> bool:
    """Whether the word after the pronoun is an oblique group word: आप सबका, आप लोगों से."""
    return line[at] in lexicon.OBLIQUE_GROUP_WORDS or (
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
    said = NO_PERSON if _is_all_of_it(line, clause) else None
    said = said or _third_person_pronoun(line, clause, found, previous)
    if said is not None:
        return said
    nobody = (
        _has_marked_object(line, clause)
        or _is_group(line, clause, found, previous)
        or (not found and _is_time_passing(line, clause))
    )
    if nobody or _is_thing(line, clause):
        return NO_PERSON
    plural = bool(clause.verb and clause.verb.plural)
    people = [each for each in found if each.sort == "person"]
    if _both_genders(line, people) or (people and _are_several(line, people[0], plural=plural)):
        return NO_PERSON
    if people and not (previous is not None and _is_predicate(line, clause, people[0])):
        who = interlocutors.speaker if _is_like_speaker(line, people[0].at, clause) else "others"
        reading = inflection.person_noun(line[people[0].at])
        if reading is not None and reading.noun.kind == "only":  # परी: no word for the other gender
            return Subject(None, people[0].at)
        respected = reading is not None and reading.becomes_plural and _shows_no_number(clause)
        return Subject(who, people[0].at, plural or respected, "likely", "said with a noun")
    return _thing_or_name(line, clause, clause.verb, found) if clause.verb is not None else None


def _thing_or_name(
    line: Line, clause: Clause, verb: VerbComplex, found: list[SubjectCandidate]
) -> Subject | None:
    """The subject if it is no noun for people: a thing that the verb agrees with, or a name."""
    for each in found:
        named = opens_oblique_compound(line, each.at) and _follows_name(line, clause, found, each)
        if each.sort == "thing" and not named and _thing_controls_verb(line, verb, each):
            return Subject(None, each.at)
    if _has_oblique_experiencer(line, clause) or _thing_acts(line, verb, found):
        return NO_PERSON
    for each in found:
        if each.sort == "unknown" and _is_name(line, clause, verb, each):
            return Subject("others", each.at, verb.plural, "guess", "said with a name")
    return None


def _follows_name(
    line: Line, clause: Clause, found: list[SubjectCandidate], thing: SubjectCandidate
) -> bool:
    """Whether a name opens the clause before the thing: संगीता पुस्तक मेले में गई."""
    before = [each for each in found if each.sort == "unknown" and each.at < thing.at]
    verb = clause.verb
    return verb is not None and any(_is_name(line, clause, verb, each) for each in before)


def _is_time_passing(line: Line, clause: Clause) -> bool:
    """Whether a time of day is the subject: रात निकल गई, शाम ढली."""
    verb = clause.verb
    if verb is None or verb.main not in {"निकल", "बीत", "गुजर", "कट", "ढल", "हो"}:
        return False
    return line[line.before(verb.first)] in {"रात", "शाम", "सुबह", "दोपहर", "दिन", "सवेरा", "अंधेरा"}


def _is_all_of_it(line: Line, clause: Clause) -> bool:
    """Whether सब sums up the subject of an intransitive verb: गाँव, वह पीपल, सब याद आ गया."""
    if clause.verb is None or clause.verb.valency == "transitive":
        return False
    return any(line[at] == "सब" and line[at - 1] == "," for at in clause.field)


def _is_thing(line: Line, clause: Clause) -> bool:
    """Whether the subject is something, or the bus and not "only": घर में कुछ नहीं था, बस छूट गई."""
    verb = clause.verb
    if verb is None:
        return False
    if verb.valency == "copular" and line[line.before(verb.first)] == "कुछ":
        return True
    moves = verb.main in {"छूट", "निकल", "रुक", "चल", "आ", "मिल", "पलट"}
    if not moves or "masculine" in map(cell_gender, verb_cells(line, verb)):
        return False
    does = any(  # बस गठरी बाँधकर चली गई
        form.shape == "conjunctive" for at in clause.field for form in analyse_verb(line[at])
    )
    return not does and any(
        line[at] == "बस" and not (line.has_postposition(at) or _is_in_compound(line, clause, at))
        for at in clause.field
    )


def _is_in_compound(line: Line, clause: Clause, at: int) -> bool:
    """Whether a thing follows before the verb: बस अड्डे."""
    return at + 1 in clause.field and inflection.thing_gender(line[at + 1]) is not None


def _third_person_pronoun(
    line: Line, clause: Clause, found: list[SubjectCandidate], previous: Subject | None
) -> Subject | None:
    things = any(each.sort == "thing" for each in found)
    for each in found:
        word = line[each.at]
        if word in {"यह", "ये"} and things:
            continue
        if word in {"कोई", "कौन"} and _is_right_before_verb(line, clause, each.at):
            return NO_PERSON  # whoever that is
        if each.sort == "pronoun" and line[each.at + 1] in _GROUP_WORDS:
            return NO_PERSON  # वे दोनों
        if _is_said_of_thing(line, clause):
            return NO_PERSON
        if _is_pronoun_subject(line, clause, each, previous):
            honoured = _shows_no_number(clause) and _is_honoured(line)
            shown = clause.verb is not None and clause.verb.plural
            plural = shown or honoured or word in lexicon.PLURAL_THIRD_PRONOUNS
            return Subject("others", each.at, plural, "likely", "said with a pronoun")
    return None


def _is_said_of_thing(line: Line, clause: Clause) -> bool:
    """Whether the predicate is a thing, so that वह is one: वह अविश्वसनीय अनुभव था."""
    verb = clause.verb
    if verb is None or verb.main != "हो" or verb_cells(line, verb) != {"ms"}:
        return False
    word = line[line.before(verb.first)]
    place = word in inflection.place_nouns() or word in inflection.time_nouns()
    said = place or word in _ALSO_OF_PEOPLE
    return not said and inflection.thing_gender(word) == "masculine"


# वह टीम का हिस्सा था
_ALSO_OF_PEOPLE = frozenset("हिस्सा अंग भाग सहारा शिकार प्रतीक केंद्र कारण आधार सितारा हीरा नाम".split())


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
    near = {line[each.at - step] for step in (1, 2, 3)}
    many = line[each.at] in function_words().usually_many and not near & {"एक", "यह", "वह"}
    many = many and not may_be_name(line[each.at + 1])
    return plural and (many or is_several(line, each.at, reading))


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
        after = each.at + 1  # यह प्रेशर कुकर
        if after < verb.first and may_be_name(line[after]) and not line.has_postposition(after):
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
        line[at] in lexicon.OBJECT_PRONOUNS | {"सबको", "हमें", "हमको"} or _is_marked_with_ko(line, at)
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
    if (
        verb is None
        or verb.valency != "copular"
        or (verb.main == "रह" and _is_habitual(line, verb))
    ):
        return False
    return line.before(verb.first) == each.at


def _is_habitual(line: Line, verb: VerbComplex) -> bool:
    """Whether the verb is an imperfective: जहाँ दादाजी रहते हैं is where he lives."""
    return line[verb.first].endswith(("ता", "ते", "ती"))


def _thing_controls_verb(line: Line, verb: VerbComplex, each: SubjectCandidate) -> bool:
    """Whether the verb agrees with a thing."""
    done = {"देता", "देती", "लेता", "लेती", "देगा", "देगी", "लेगा", "लेगी", "रहा", "रही"}
    changes = verb.main in verb_stems().ambitransitive and not verb.ergative
    changes = changes and not done & {line[at] for at in verb.agreeing}
    if line[each.at].endswith(("ें", "ियां")) and "fp" not in verb_cells(line, verb):
        changes = False  # करवटें बदलती रही
    if verb.valency == "transitive" and not (changes and line.before(verb.first) == each.at):
        return False
    if line[each.at] in inflection.time_nouns() and verb.main not in {
        "गुजर",
        "बीत",
        "कट",
        "निकल",
        "ढल",
    }:
        before = line.before(verb.first)  # देर हुई, शाम हो गई
        return line[before] in {"समाप्त", "खत्म", "पूरे"} or (
            before == each.at and verb.main in {"हो", "लग"}
        )
    if each.gender is None:
        return (
            verb.person != "plural"
            or line[each.at - 1] in function_words().determiners | function_words().numerals
        )
    if verb.valency != "copular" and line[each.at] in inflection.place_nouns():
        return False
    honoured = line[line.before(verb.first)] in function_words().personal_states
    if honoured and inflection.thing_gender(line[each.at + 1]):  # अकादमी पुरस्कार से सम्मानित हुए
        return False
    cells = verb_cells(line, verb)
    genders = {cell_gender(cell) for cell in cells}
    if genders and genders != {each.gender}:
        return False
    # रास्ते; उल्टे पाँव लौट गया
    many = each.gender == "masculine" and line[each.at].endswith("े")
    oblique = is_agreeing_adjective(line[each.at - 1]) and line[each.at - 1].endswith("े")
    return not ((many or oblique) and "ms" in cells)


def _thing_acts(line: Line, verb: VerbComplex, found: list[SubjectCandidate]) -> bool:
    """Whether a thing does something to another: घुटने जवाब नहीं देते, बारिश सब कुछ बहा ले गई."""
    if verb.valency != "transitive" or verb.ergative or len(found) < 2:
        return False
    first, second = found[0], found[1]
    people = verb_stems().personal | verb_stems().human
    if verb.main in people or line[first.at - 1] == "अपना":  # खाना खाना भूल गया
        return False
    idle = inflection.place_nouns() | inflection.time_nouns() | function_words().verbal_nominals
    if {first.sort, second.sort} != {"thing"} or {line[first.at], line[second.at]} & idle:
        return False
    cells = {cell_gender(cell) for cell in verb_cells(line, verb)}
    many = line[first.at].endswith(("े", "ें", "ियां", "एं"))
    return cells == {first.gender} and many == verb.plural


# सबसे पहले हरप्रीत पहुँची
_BEFORE_A_NAME = frozenset(
    "सबसे पहले आखिर अंत में अब तब कल आज परसों अभी फिर उधर इधर तभी अचानक रात शाम सुबह भी तो लेकिन पर".split()
)
_PLACE_AND_TIME_MARKERS = frozenset("में पर बाद तक पहले".split())


def _is_name(line: Line, clause: Clause, verb: VerbComplex, each: SubjectCandidate) -> bool:
    """Whether an unlisted word is where a subject may be, and can be a name."""
    only = line[each.at + 1] == "ही"  # सोनू ही होगा
    if line.before(verb.first) == each.at and verb.valency == "copular" and not only:
        return False
    if verb.valency == "passive" and not verb.plural:
        return False
    if line[each.at - 1] in {"यह", "ये", "यही"}:
        return False
    opening = [
        at
        for at in range(clause.first, each.at)
        if not (line.is_mark(at) or line[at] in _BEFORE_A_NAME)
    ]
    if len(opening) <= 1 or line.is_mark(each.at - 1):
        return True
    # In the plural out of respect a name may follow where and when: फिल्म में शर्मा … आते हैं.
    return verb.plural and len(opening) <= 4 and line[each.at - 1] in _PLACE_AND_TIME_MARKERS


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
